-- averaging.sql: averages of the weights.
--
-- With a constant lr and rows in order, the weights at the end of epoch e are those
-- of a run of e epochs, so averages have a closed form in the weights of shorter
-- runs.  test/unit/test_torch_average.c compares with torch.optim.swa_utils.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(36);

CREATE FUNCTION near(got float8, want float8, name text, tolerance float8 DEFAULT 1e-12)
RETURNS text LANGUAGE sql
	RETURN CASE WHEN abs(got - want) <= tolerance * greatest(abs(want), 1e-300) THEN ok(true, name)
		ELSE ok(false, name) || E'\n' || diag(format('got %s, expected %s', got, want)) END;

CREATE TABLE done (name text PRIMARY KEY, run_id bigint);
CREATE FUNCTION train(name text, source text, hparams jsonb) RETURNS void LANGUAGE sql
	AS $$ INSERT INTO done SELECT $1, osml_train($2, '{"scale": "none", "scale_label": "none", "shuffle": "none",
		"optimizer": "SGD", "momentum": 0.9, "lr": 0.02, "batch_size": 50}'::jsonb || $3, $1) $$;
CREATE FUNCTION metric(run text, metric text) RETURNS float8[] LANGUAGE sql
	RETURN (SELECT array_agg(m.value ORDER BY m.step) FROM osml.metrics m JOIN done d USING (run_id)
		WHERE d.name = $1 AND m.name = $2);
CREATE FUNCTION weight(model text, feature text) RETURNS float8 LANGUAGE sql
	RETURN (SELECT weight FROM osml.weights w JOIN osml.models m USING (model, version) WHERE w.model = $1 AND w.feature = $2 AND m.deployed);
CREATE FUNCTION summary(run text, key text) RETURNS text LANGUAGE sql
	RETURN (SELECT r.summary ->> $2 FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = $1);
CREATE FUNCTION events(run text) RETURNS text LANGUAGE sql
	RETURN (SELECT string_agg(e.kind || ': ' || e.message, E'\n' ORDER BY e.event_id) FROM osml.events e JOIN done d USING (run_id) WHERE d.name = $1);

CREATE TABLE rows AS
	SELECT 3 + 2 * a - b + (hashint4(i) & 255) / 512.0 AS y, a, b
	FROM (SELECT i, (i * 7 % 11) / 4.0::float8 - 1 AS a, (i * i % 13) / 6.0::float8 AS b FROM generate_series(1, 120) i) s;
SELECT osml_create_dataset('data', train => 'rows', val => 'SELECT * FROM rows WHERE a > 0') > 0 AS made \gset

-- runs of 1 to 10 epochs of three batches each, and of 1 to 12 batches
SELECT count(train('epochs_' || e, 'data', format('{"max_epochs": %s}', e)::jsonb)) AS runs FROM generate_series(1, 10) e \gset
SELECT count(train('steps_' || s, 'data', format('{"max_batches": %s}', s)::jsonb)) AS runs FROM generate_series(1, 12) s \gset

-- --- swa --------------------------------------------------------------------------------

SELECT train('swa', 'data', '{"max_epochs": 10, "weight_averaging": "swa"}');
SELECT near(weight('swa', f), avg(weight('epochs_' || e, f)), 'swa: the mean over epochs 8 to 10 of ' || f)
	FROM generate_series(8, 10) e, unnest(ARRAY['a', 'b', '(intercept)']) f GROUP BY f ORDER BY f;
SELECT is(summary('swa', 'averaged'), '3', 'as many as the summary says'),
	isnt(weight('swa', 'a'), weight('epochs_10', 'a'), 'not the last ones');
SELECT train('swa_all', 'data', '{"max_epochs": 10, "weight_averaging": "swa", "swa_start": 1}'),
	train('swa_first', 'data', '{"max_epochs": 10, "weight_averaging": "swa", "swa_epoch_start": 0}'),
	train('swa_4', 'data', '{"max_epochs": 10, "weight_averaging": "SWA", "swa_epoch_start": 4}');
SELECT near(weight('swa_all', 'a'), avg(weight('epochs_' || e, 'a')), 'from the first epoch on') FROM generate_series(1, 10) e;
SELECT is(weight('swa_first', 'a'), weight('swa_all', 'a'), 'as with a share of 0');
SELECT near(weight('swa_4', 'a'), avg(weight('epochs_' || e, 'a')), 'from the fourth on') FROM generate_series(4, 10) e;
-- the averages are what is validated, kept and deployed: those of a shorter run after epoch 8
SELECT train('swa_8', 'data', '{"max_epochs": 8, "weight_averaging": "swa", "swa_epoch_start": 4}');
SELECT near((metric('swa_4', 'val_mse'))[e], (metric('epochs_10', 'val_mse'))[e], 'val_mse of epoch ' || e || ', before there is an average') FROM generate_series(1, 3) e;
SELECT near((metric('swa_4', 'val_mse'))[8], value, 'val_mse in the middle is that of the average so far')
	FROM osml_evaluate('swa_8', 'SELECT * FROM rows WHERE a > 0') WHERE metric = 'mse';
SELECT near((metric('swa_4', 'val_mse'))[10], value, 'val_mse at the end is what osml_evaluate says')
	FROM osml_evaluate('swa_4', 'SELECT * FROM rows WHERE a > 0') WHERE metric = 'mse';
SELECT near((metric('swa_4', 'train_mse'))[1], (metric('epochs_10', 'train_mse'))[1], 'training goes on with the weights themselves'),
	is((metric('swa_4', 'train_mse_epoch'))[10], (metric('epochs_10', 'train_mse_epoch'))[10], 'to the bit');

-- lr: SWALR's, with what lr was before
SELECT train('rates', 'data', '{"max_epochs": 8, "weight_averaging": "swa", "swa_epoch_start": 3, "swa_lrs": 0.05, "annealing_epochs": 4, "log_every_n_steps": 1}'),
	train('line', 'data', '{"max_epochs": 8, "weight_averaging": "swa", "swa_epoch_start": 3, "swa_lrs": 0.05, "annealing_epochs": 4, "annealing_strategy": "linear", "log_every_n_steps": 1}');
SELECT is(count(*), 0::bigint, 'cosine annealing, epoch by epoch') FROM unnest(metric('rates', 'lr')) WITH ORDINALITY AS l (lr, step),
	LATERAL (SELECT least(greatest((step - 1) / 3 - 2, 0), 4) / 4.0::float8 AS t) s
	WHERE abs(lr - (0.02 + 0.03 * (1 - cos(pi() * t)) / 2)) > 1e-15;
SELECT is(count(*), 0::bigint, 'linear annealing, epoch by epoch') FROM unnest(metric('line', 'lr')) WITH ORDINALITY AS l (lr, step),
	LATERAL (SELECT least(greatest((step - 1) / 3 - 2, 0), 4) / 4.0::float8 AS t) s WHERE abs(lr - (0.02 + 0.03 * t)) > 1e-15;
SELECT is(array_length(metric('line', 'lr'), 1), 24, 'all of them were there');

-- ended before an epoch was averaged
SELECT train('early', 'data', '{"max_epochs": 10, "weight_averaging": "swa", "swa_epoch_start": 5, "stopping_threshold": 1e9}');
SELECT is(weight('early', 'a'), weight('epochs_1', 'a'), 'ended before averaging began: the last weights'),
	matches(events('early'), 'not_averaged: the run ended in epoch 1, before epoch 5, the first', 'and why'), is(summary('early', 'averaged'), '0', 'none');

-- --- ema --------------------------------------------------------------------------------

SELECT train('ema', 'data', '{"max_batches": 12, "weight_averaging": "ema", "ema_decay": 0.7}');
SELECT near(weight('ema', f), sum(weight('steps_' || s, f) * 0.7 ^ (12 - s) * CASE WHEN s = 1 THEN 1 ELSE 0.3 END), 'ema: of each step''s ' || f)
	FROM generate_series(1, 12) s, unnest(ARRAY['a', 'b', '(intercept)']) f GROUP BY f ORDER BY f;
SELECT near((metric('ema', 'val_mse'))[1], value, 'val_mse is that of the average')
	FROM osml_evaluate('ema', 'SELECT * FROM rows WHERE a > 0') WHERE metric = 'mse';
SELECT train('ema_0', 'data', '{"max_batches": 12, "weight_averaging": "ema", "ema_decay": 0}');
SELECT train('ema_' || p, 'data', format('{"max_batches": 12, "weight_averaging": "ema", "ema_decay": 0.7, "initial_weights": [1, 0, 2], "precision": "%s"}', p)::jsonb)
	FROM unnest('{float32,float64}'::text[]) p;
SELECT near(weight('ema_0', 'a'), weight('steps_12', 'a'), 'a decay of 0 keeps the last'),
	near(weight('ema_float32', 'a'), weight('ema_float64', 'a'), 'in float32', 1e-5);

-- --- batch norm ---------------------------------------------------------------------------
--
-- With lr 0 the network stays what it was drawn as.  Running statistics of one batch that
-- holds all rows come to be those of the batch, whose share left out is 0.9 ^ epochs; an
-- average has them after any number of epochs.
CREATE FUNCTION batch_norm(name text, hparams jsonb) RETURNS void LANGUAGE sql
	AS $$ SELECT train($1, 'data', '{"model_type": "mlp", "num_hidden_neurons": [5, 4], "activation": "tanh",
		"batch_norm_linear_layers": true, "batch_size": 120, "lr": 0}'::jsonb || $2) $$;
SELECT batch_norm('settled', '{"max_epochs": 400}'), batch_norm('raw', '{"max_epochs": 3}'),
	batch_norm('measured', '{"max_epochs": 3, "weight_averaging": "swa"}');
SELECT cmp_ok(max(abs(osml_predict('measured', r) - osml_predict('settled', r))), '<', 1e-12::float8, 'swa: running statistics are measured anew'),
	cmp_ok(max(abs(osml_predict('raw', r) - osml_predict('settled', r))), '>', 1e-3::float8, 'which those of three epochs are not') FROM rows r;
SELECT near((metric('measured', 'val_mse'))[3], value, 'and are what was validated')
	FROM osml_evaluate('measured', 'SELECT * FROM rows WHERE a > 0') WHERE metric = 'mse';
-- the same where rows are streamed, read again, or go through temporary files
SELECT batch_norm('streamed', '{"max_epochs": 1, "weight_averaging": "swa", "batch_size": 1000}');
SELECT cmp_ok(max(abs(osml_predict('streamed', r) - osml_predict('settled', r))), '<', 1e-12::float8, 'streamed: in a further pass') FROM rows r;
CREATE TABLE many AS SELECT y, a + i / 1000.0 AS a, b FROM rows, generate_series(1, 500) i;
SELECT train('many', 'many', '{"model_type": "mlp", "num_hidden_neurons": [5, 4], "batch_norm_linear_layers": true, "batch_size": 1000, "max_epochs": 3, "weight_averaging": "swa", "swa_epoch_start": 2}');
SET osml.max_memory = '2MB';
SELECT train('many_spilled', 'many', '{"model_type": "mlp", "num_hidden_neurons": [5, 4], "batch_norm_linear_layers": true, "batch_size": 1000, "max_epochs": 3, "weight_averaging": "swa", "swa_epoch_start": 2}');
SET osml.max_spill = 0;
SELECT train('many_reread', 'many', '{"model_type": "mlp", "num_hidden_neurons": [5, 4], "batch_norm_linear_layers": true, "batch_size": 1000, "max_epochs": 3, "weight_averaging": "swa", "swa_epoch_start": 2}');
RESET osml.max_spill;
RESET osml.max_memory;
SELECT is(summary('many_reread', 'reread'), 'true', 'rows were read again'), cmp_ok(summary('many_spilled', 'spilled_kb')::float8, '>', 0::float8, 'rows were on disk'),
	is(count(DISTINCT md5(v.weights)), 1::bigint, 'weights and statistics do not depend on it')
	FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name LIKE 'many%';
-- of the rows that are trained on
SELECT batch_norm('over', '{"max_epochs": 3, "weight_averaging": "swa", "batch_size": 40, "lr": 0.1, "overfit_batches": 1}');
SELECT train('first', 'SELECT * FROM rows LIMIT 40', '{"model_type": "mlp", "num_hidden_neurons": [5, 4], "activation": "tanh", "batch_norm_linear_layers": true,
	"max_epochs": 3, "weight_averaging": "swa", "batch_size": 40, "lr": 0.1}');
SELECT is(count(DISTINCT md5(v.weights)), 1::bigint, 'with overfit_batches of its rows') FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name IN ('over', 'first');
-- an exponential average takes the statistics in
SELECT batch_norm('ema_norm', '{"max_epochs": 1, "weight_averaging": "ema"}'), batch_norm('one', '{"max_epochs": 1}');
SELECT is(max(abs(osml_predict('ema_norm', r) - osml_predict('one', r))), 0::float8, 'ema: of one step what there was') FROM rows r;

SELECT osml_drop_dataset('data');
SELECT finish();
