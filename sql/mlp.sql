-- Networks, schedules, early stopping: from psql.  Numbers are compared with PyTorch in test/t/100_torch.pl
-- and test/unit.
\set VERBOSITY default
SET client_min_messages = warning;
CREATE TABLE ml_rows AS
	SELECT a * a + b AS y, a * b > 0 AS flag, CASE WHEN a > 0.3 THEN 'high' WHEN a > -0.3 THEN 'middle' ELSE 'low' END AS size,
		(2 + 2 * a)::int AS n, a, b, 'k' || i % 5 AS k
	FROM (SELECT i, (hashint4(i) & 65535) / 32768.0 - 1 AS a, (hashint4(i + 100000) & 65535) / 32768.0 - 1 AS b FROM generate_series(1, 3000) i) s;

-- what lines cannot learn
CREATE FUNCTION pg_temp.learn(label text, hparams text, model text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM osml_train('ml_rows', jsonb_build_object('label', label, 'features', '["a", "b"]'::jsonb, 'val_fraction', 0.2, 'seed', 3) || hparams::jsonb, model);
	RETURN (SELECT concat(model_type, ' ', loss) FROM osml.models m WHERE m.model = $3 AND deployed);
END $$;
SELECT pg_temp.learn('y', '{"model_type": "linear"}', 'ml_line'), pg_temp.learn('y', '{"model_type": "mlp"}', 'ml_y');
SELECT m.model, value > 0.95 AS good FROM (VALUES ('ml_line'), ('ml_y')) m (model), osml_evaluate(m.model, 'ml_rows') WHERE metric = 'r2' ORDER BY m.model;
SELECT pg_temp.learn('flag', '{"model_type": "logistic"}', 'ml_flag_line'), pg_temp.learn('flag', '{"model_type": "mlp", "num_hidden_neurons": [16]}', 'ml_flag');
SELECT m.model, value > 0.95 AS good FROM (VALUES ('ml_flag_line'), ('ml_flag')) m (model), osml_evaluate(m.model, 'ml_rows') WHERE metric = 'accuracy' ORDER BY m.model;
SELECT pg_temp.learn('size', '{"model_type": "mlp"}', 'ml_size'), pg_temp.learn('n', '{"model_type": "mlp", "loss": "poisson"}', 'ml_n');
SELECT value > 0.95 AS good FROM osml_evaluate('ml_size', 'ml_rows') WHERE metric = 'accuracy';
SELECT value > 0.9 AS good FROM osml_evaluate('ml_n', 'ml_rows') WHERE metric = 'r2';
-- all that a network can have, alone and together; the stored version predicts as the run did
DO $$
DECLARE h text; i int := 0;
BEGIN
	FOREACH h IN ARRAY ARRAY['{"activation": "leaky_relu"}', '{"activation": "tanh"}', '{"activation": "sigmoid"}', '{"activation": "gelu"}',
		'{"activation": "silu"}', '{"batch_norm_linear_layers": true}', '{"dropout": 0.2}', '{"precision": "float32", "num_hidden_neurons": "[8, 8, 8]"}', '{"bias": false}',
		'{"batch_norm_linear_layers": true, "dropout": 0.1, "activation": "gelu", "features": ["a", "b", "k"], "embedding_dim": 3}'] LOOP
		i := i + 1;
		PERFORM pg_temp.learn('y', (h::jsonb || '{"model_type": "mlp", "max_epochs": 30}')::text, 'ml_v' || i);
	END LOOP;
END $$;
SELECT i, (SELECT value > 0.8 FROM osml_evaluate('ml_v' || i, 'ml_rows') WHERE metric = 'r2') AS good,
	(SELECT max(abs(b.prediction - osml_predict('ml_v' || i, t))) FROM osml_predict_batch('ml_v' || i, 'ml_rows') b JOIN (SELECT row_number() OVER () AS place, * FROM ml_rows) t ON t.place = b.row_number) AS worst
	FROM generate_series(1, 10) i;
-- what a model is made of
SELECT * FROM osml_model_summary('ml_v8');
SELECT * FROM osml_model_summary('ml_v10');
SELECT * FROM osml_model_summary('ml_line');
SELECT osml_train('ml_rows', '{"label": "size", "features": ["k", "a"], "max_epochs": 1}', 'ml_table') > 0 AS trained;
SELECT * FROM osml_model_summary('ml_table');
SELECT bool_and(trained = (SELECT sum(trained) FROM osml_model_summary(m) WHERE layer <> '(total)')) AS adds_up
	FROM unnest('{ml_v8,ml_v10,ml_line,ml_table}'::text[]) m, osml_model_summary(m) WHERE layer = '(total)';
SELECT osml_model_summary('ml_nothing');
-- a network has no list of weights
SELECT count(*) FROM osml.weights WHERE model = 'ml_y';
-- by seed the same, readers or not, in memory or not
SELECT pg_temp.learn('y', format('{"model_type": "mlp", "dropout": 0.3, "max_epochs": 3, "num_workers": %s, "shuffle": "none"}', w), 'ml_same') FROM unnest('{0,2,0}'::int[]) w;
SELECT count(*), count(DISTINCT osml_md5) FROM (SELECT md5(v.weights) AS osml_md5 FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'ml_same') s;

-- schedules: lr at steps 1, 5, 10 and at the end
CREATE FUNCTION pg_temp.rates(hparams text) RETURNS text LANGUAGE sql AS $$
	SELECT osml_train('ml_rows', '{"features": ["a", "b"], "lr": 0.1, "log_every_n_steps": 1, "max_batches": 20, "batch_size": 300, "optimizer": "SGD"}'::jsonb || hparams::jsonb, 'ml_lr');
	SELECT string_agg(round(value::numeric, 9)::float8::text, ' ' ORDER BY step) FROM osml.metrics
		WHERE name = 'lr' AND step IN (1, 5, 10, 20) AND run_id = (SELECT max(run_id) FROM osml.runs WHERE model = 'ml_lr') $$;
SELECT h, pg_temp.rates(h) FROM unnest(ARRAY['{"lr_schedule": "constant"}', '{"lr_schedule": "linear"}', '{"lr_schedule": "step", "step_size": 4, "gamma": 0.5}',
	'{"lr_schedule": "step", "step_size": 1, "gamma": 0.5, "lr_interval": "epoch"}', '{"lr_schedule": "exponential", "gamma": 0.9}', '{"lr_schedule": "cosine", "eta_min": 0.01}',
	'{"lr_schedule": "one_cycle"}', '{"lr_schedule": "constant", "warmup_steps": 4}', '{"lr_schedule": "cosine", "warmup_steps": 4}']) h;
-- an l1 penalty of orthogonal columns takes half of itself off each weight, and leaves no small ones; the bias stays
CREATE TABLE ml_lasso AS SELECT 3 + 2 * a - 0.5 * b + 0.1 * c AS y, a, b, c
	FROM unnest('{-1,1}'::float8[]) a, unnest('{-1,1}'::float8[]) b, unnest('{-1,1}'::float8[]) c;
CREATE FUNCTION pg_temp.lasso(hparams jsonb) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT osml_train('ml_lasso', '{"scale": "none", "lr": 0.1, "lr_schedule": "linear", "weight_decay": 0, "max_epochs": 4000, "l1": 0.4}'::jsonb || hparams, 'ml_lasso');
	SELECT string_agg(format('%s %s', feature, round(weight::numeric, 5)), ', ' ORDER BY position) FROM osml.weights w WHERE model = 'ml_lasso' AND version = (SELECT max(version) FROM osml.weights WHERE model = 'ml_lasso') $$;
SELECT h, pg_temp.lasso(h) FROM unnest(ARRAY['{"optimizer": "SGD"}', '{"optimizer": "SGD", "momentum": 0.9}', '{"optimizer": "SGD", "momentum": 0.9, "nesterov": true}',
	'{"optimizer": "SGD", "momentum": 0.9, "dampening": 0.5}', '{"optimizer": "Adam"}', '{"optimizer": "AdamW"}', '{"optimizer": "AdamW", "precision": "float32"}']::jsonb[]) h;
SELECT osml_train('ml_lasso', '{"optimizer": "exact", "l1": 1}');
-- reduce_on_plateau and early stopping follow a metric
SELECT pg_temp.learn('y', '{"lr": 0.05, "lr_schedule": "reduce_on_plateau", "plateau_patience": 1, "max_epochs": 30}', 'ml_plateau');
SELECT count(*) > 0 AS reduced FROM osml.events e JOIN osml.runs r USING (run_id) WHERE r.model = 'ml_plateau' AND e.kind = 'lr_reduced';
SELECT pg_temp.learn('y', '{"early_stopping": true, "patience": 2, "max_epochs": 500}', 'ml_stop');
SELECT r.status, r.epoch < 400 AS early, e.message ~ '^val_loss has not improved on [0-9.e-]+ for 2 values' AS said FROM osml.runs r JOIN osml.events e USING (run_id) WHERE r.model = 'ml_stop' AND e.kind = 'early_stopping';
SELECT pg_temp.learn('y', '{"early_stopping": true, "patience": 1, "min_delta": 1e6, "max_epochs": 500}', 'ml_delta');
SELECT e.message ~ 'by more than 1e\+06 for 1 values' AS said FROM osml.runs r JOIN osml.events e USING (run_id) WHERE r.model = 'ml_delta' AND e.kind = 'early_stopping';
SELECT pg_temp.learn('flag', '{"model_type": "mlp", "stopping_threshold": 0.9, "monitor": "val_accuracy", "max_epochs": 500}', 'ml_enough');
SELECT r.epoch < 400 AS early, e.message ~ '^val_accuracy is 0.9\d+, better than stopping_threshold' AS said FROM osml.runs r JOIN osml.events e USING (run_id) WHERE r.model = 'ml_enough' AND e.kind = 'early_stopping';
SELECT pg_temp.learn('y', '{"val_fraction": 0, "early_stopping": true, "max_epochs": 500}', 'ml_train');
SELECT e.message ~ '^train_loss has not improved' AS said FROM osml.runs r JOIN osml.events e USING (run_id) WHERE r.model = 'ml_train' AND e.kind = 'early_stopping';

-- metrics of classes as rows
SELECT actual, predicted, rows > 0 AS some FROM osml_confusion_matrix('ml_flag', 'ml_rows') ORDER BY 1, 2;
SELECT sum(rows) FROM osml_confusion_matrix('ml_size', 'ml_rows');
SELECT count(*) > 2 AS points, min(tpr) AS low, max(tpr) AS high, bool_and("precision" BETWEEN 0 AND 1) AS fine FROM osml_curve('ml_flag', 'ml_rows', points => 10);
SELECT class, count(*) > 2 AS points FROM osml_curve('ml_size', 'ml_rows', points => 10) GROUP BY class ORDER BY class;
SELECT DISTINCT class FROM osml_curve('ml_size', 'ml_rows', 'low');
SELECT count(*), sum(rows), bool_and(mean_probability BETWEEN low AND high) AS fine FROM osml_calibration('ml_flag', 'ml_rows');
SELECT metric FROM unnest('{accuracy,balanced_accuracy,brier_score,calibration_error,cross_entropy,f1,logloss,pr_auc,precision,recall,roc_auc,rmse}'::text[]) metric
	WHERE metric NOT IN (SELECT metric FROM osml_evaluate('ml_size', 'ml_rows'));
SELECT metric FROM unnest('{d2_poisson,explained_variance,mae,median_ae,mse,poisson,poisson_deviance,r2,rmse,accuracy}'::text[]) metric
	WHERE metric NOT IN (SELECT metric FROM osml_evaluate('ml_n', 'ml_rows'));

-- a category that no row had is embedded as the average row's is: it adds nothing to it
CREATE TABLE ml_seen AS SELECT (i % 10)::float8 AS y, 'c' || CASE WHEN i % 10 < 6 THEN 0 WHEN i % 10 < 9 THEN 1 ELSE 2 END AS c, sin(i) AS a FROM generate_series(1, 1000) i;
SELECT osml_train('ml_seen', '{"model_type": "mlp", "max_epochs": 20}', 'ml_unseen') > 0 AND
	osml_train('ml_seen', '{"model_type": "mlp", "max_epochs": 20, "seed": 1, "embedding_dim": 3, "precision": "float32"}', 'ml_unseen32') > 0 AS trained;
SELECT m, r.c, abs(e.attribution) < 1e-6 AS adds_nothing FROM unnest('{ml_unseen, ml_unseen32}'::text[]) m, (VALUES ('zzz', 0.3::float8), (NULL, 0.3)) r (c, a), LATERAL osml_explain(m, r) e WHERE e.feature = 'c';

-- an intercept of counts starts at their mean, however large it is
CREATE FUNCTION pg_temp.ratio(scale float8, hparams jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	PERFORM osml_train(format('SELECT round(%s * exp(0.5 * a) * (0.8 + y / 25)) AS n, a FROM ml_seen', scale), '{"model_type": "poisson"}'::jsonb || hparams, 'ml_counts');
	RETURN (SELECT abs(sum(osml_predict('ml_counts', t)) / sum(round(scale * exp(0.5 * a) * (0.8 + y / 25))) - 1) < 0.01 FROM ml_seen t);
END $$;
SELECT scale, pg_temp.ratio(scale, '{}') AS linear, pg_temp.ratio(scale, '{"model_type": "mlp", "loss": "poisson"}') AS network FROM unnest('{30, 1e4, 1e9}'::float8[]) scale;

-- hidden layers are a network's
SELECT osml_train('ml_rows', '{"label": "y", "num_hidden_neurons": [4], "max_epochs": 1}', 'ml_layers') > 0 AS trained;
SELECT model_type, hparams -> 'num_hidden_neurons' AS hidden FROM osml.models WHERE model = 'ml_layers';
SELECT osml_train('ml_rows', '{"label": "y", "model_type": "linear", "num_hidden_neurons": [4]}');
SELECT osml_train('ml_rows', '{"label": "size", "dropout": 0.1}');
SELECT osml_train('ml_rows', '{"label": "flag", "activation": "tanh"}');
SELECT osml_train('ml_rows', '{"label": "y", "batch_norm_linear_layers": true}');
SELECT osml_train('ml_rows', '{"label": "y", "model_type": "poisson", "embedding_dim": 3}');
SELECT osml_train('ml_rows', '{"label": "y", "model_type": "mlp", "optimizer": "exact"}');
SELECT osml_train('ml_rows', '{"label": "y", "optimizer": "exact", "weight_decay": 0.1}');
SELECT osml_train('ml_rows', '{"label": "y", "model_type": "mlp", "batch_norm_linear_layers": true, "batch_size": 1}');
\set VERBOSITY sqlstate
SELECT osml_train('SELECT y, a FROM ml_seen LIMIT 1', '{"model_type": "mlp", "batch_norm_linear_layers": true}', 'ml_one');
\set VERBOSITY default

-- errors
SELECT osml_train('ml_rows', '{"lr_schedule": "step"}');
SELECT osml_train('ml_rows', '{"num_hidden_neurons": [8, 2.5]}');
SELECT osml_train('ml_rows', '{"num_hidden_neurons": [1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}');
SELECT osml_train('ml_rows', '{"lr_schedule": "cosine", "max_time": 1}');
SELECT osml_train('ml_rows', '{"monitor": "val_rmse"}');
SELECT osml_train('ml_rows', '{"early_stopping": true, "monitor": "val_rmse"}');
SELECT osml_train('ml_rows', '{"early_stopping": true, "monitor": "val_rmes", "val_fraction": 0.1}');
SELECT osml_train('ml_rows', '{"label": "flag", "early_stopping": true, "monitor": "val_rmse", "val_fraction": 0.1}');
SELECT * FROM osml_confusion_matrix('ml_y', 'ml_rows');
SELECT * FROM osml_curve('ml_size', 'ml_rows', 'hihg');
SELECT * FROM osml_curve('ml_size', 'ml_rows', points => 1);

SELECT count(osml_drop_model(model)) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 'ml\_%') m;
DROP TABLE ml_rows, ml_lasso, ml_seen;
