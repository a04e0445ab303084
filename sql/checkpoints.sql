-- The best weights of a run as versions, and steps that explode.
CREATE SCHEMA sckp;
SET search_path = sckp, public;
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only
CREATE TABLE rows AS SELECT sin(i) * 3 + i % 7 AS y, sin(i * 1.3) AS a, (i % 7)::float8 AS b, 'k' || i % 5 AS k FROM generate_series(1, 2000) i;

-- --- Best weights ------------------------------------------------------------------
SELECT osml_train('rows', '{"max_epochs": 4, "batch_size": 20, "lr": 0.05, "val_fraction": 0.2, "val_check_interval": 30, "log_every_n_steps": 1,
	"save_top_k": 3, "save_last": true, "monitor": "val_mae"}', 'ckp best') AS run \gset
-- the three best values of the metric, the best last and deployed; then the last weights before them, unless they are among those
SELECT count(*), count(*) FILTER (WHERE deployed), bool_and(deployed = (version = 4)) FROM osml.models WHERE model = 'ckp best';
WITH best AS (SELECT step, row_number() OVER (ORDER BY value, step) AS place FROM osml.metrics WHERE run_id = :run AND name = 'val_mae')
SELECT bool_and(steps = step) FROM best JOIN osml.models ON model = 'ckp best' AND version = 5 - place WHERE place <= 3;
SELECT v.steps = r.steps FROM osml.models v, osml.runs r WHERE v.model = 'ckp best' AND v.version = 1 AND r.run_id = :run;
-- each has the weights that its loss is of
SELECT bool_and(abs(v.val_loss - m.value) < 1e-12 * m.value) FROM osml.models v JOIN osml.metrics m ON m.run_id = :run AND m.name = 'val_mse' AND m.step = v.steps WHERE v.model = 'ckp best';
SELECT summary ->> 'best_step' = steps::text, abs((summary ->> 'best_value')::float8 / (SELECT min(value) FROM osml.metrics WHERE run_id = :run AND name = 'val_mae') - 1) < 1e-14
	FROM osml.models WHERE model = 'ckp best' AND deployed;
SELECT count(*) FROM osml.checkpoints WHERE run_id = :run;
-- the deployed one is the same as that of a run that ends there
SELECT steps FROM osml.models WHERE model = 'ckp best' AND deployed \gset
SELECT osml_train('rows', jsonb_build_object('max_batches', :steps, 'max_epochs', 4, 'batch_size', 20, 'lr', 0.05, 'val_fraction', 0.2), 'ckp short') > 0;
SELECT count(*), max(abs(b.weight - s.weight)) FROM osml.weights b JOIN osml.weights s ON s.feature = b.feature AND s.category IS NOT DISTINCT FROM b.category WHERE b.model = 'ckp best' AND b.version = 4 AND s.model = 'ckp short';
-- where the training loss ranks them, too, which is known before a validation
SELECT osml_train('rows', '{"max_epochs": 6, "batch_size": 200, "lr": 0.3, "val_fraction": 0.2, "save_top_k": 3, "save_last": true, "monitor": "train_loss"}', 'ckp by train') AS run \gset
WITH m AS (SELECT step, value FROM osml.metrics WHERE run_id = :run AND name = 'val_mse')
SELECT count(*), max(abs(v.val_loss / m.value - 1)) < 1e-12 AS own FROM osml.models v JOIN m ON m.step = v.steps WHERE v.model = 'ckp by train';
-- of the training loss, without validation rows
SELECT osml_train('rows', '{"max_epochs": 5, "batch_size": 200, "save_top_k": 1}', 'ckp best of train') AS run \gset
SELECT count(*), min(steps) = (SELECT step FROM osml.metrics WHERE run_id = :run AND name = 'train_mse_epoch' ORDER BY value LIMIT 1) FROM osml.models WHERE model = 'ckp best of train';
-- one that is not deployed leaves the deployed one alone
SELECT osml_train('rows', '{"max_epochs": 5, "batch_size": 200, "save_top_k": 2, "deploy": false}', 'ckp best of train') > 0;
SELECT version, deployed FROM osml.models WHERE model = 'ckp best of train' ORDER BY version;

-- --- Steps that explode ------------------------------------------------------------
CREATE TABLE outlier AS SELECT i::float8 AS y, (i % 10)::float8 AS a, CASE WHEN i = 500 THEN 1e200 ELSE i END AS b FROM generate_series(1, 1000) i;
CREATE FUNCTION explode(extra jsonb, model text DEFAULT 'ckp exploding') RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN osml_train('outlier', '{"scale": "none", "scale_label": "none", "shuffle": "none", "lr": 0.0001, "batch_size": 10, "max_epochs": 2}' || extra, model);
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || regexp_replace(SQLERRM, '\d+', 'N');
END $$;
SELECT explode('{}');
SELECT explode('{"on_nonfinite": "skip"}') AS run \gset
SELECT kind, step, message FROM osml.events WHERE run_id = :run ORDER BY event_id;
SELECT status, steps, summary -> 'steps_skipped' FROM osml.runs WHERE run_id = :run;
-- leaving a batch out is training without its rows
SELECT osml_train('SELECT * FROM sckp.outlier WHERE y NOT BETWEEN 491 AND 500', '{"scale": "none", "scale_label": "none", "shuffle": "none", "lr": 0.0001, "batch_size": 10, "max_epochs": 2}', 'ckp without') > 0;
SELECT count(*), max(abs(a.weight - b.weight)) FROM osml.weights a JOIN osml.weights b USING (feature) WHERE a.model = 'ckp exploding' AND b.model = 'ckp without';
-- running statistics of batch norm stay clean
UPDATE outlier SET b = 1.7e308 WHERE y IN (499, 500);
SELECT explode('{"on_nonfinite": "skip", "model_type": "mlp", "num_hidden_neurons": [4], "batch_norm_linear_layers": true}', 'ckp network') AS run \gset
SELECT status, summary -> 'steps_skipped' FROM osml.runs WHERE run_id = :run;
SELECT osml_predict('ckp network', r) BETWEEN -1e6 AND 1e6 FROM (SELECT 5.0::float8 AS a, 5.0::float8 AS b) r;
-- nothing but such steps
SELECT explode('{"on_nonfinite": "skip", "batch_size": 1000}');
-- a rate that is too high
UPDATE outlier SET b = y WHERE b > 1e100;
SELECT explode('{"optimizer": "SGD", "lr": 0.01}');
SELECT explode('{"optimizer": "SGD", "lr": 0.01, "on_nonfinite": "rollback", "max_epochs": 40}') AS run \gset
SELECT step, message FROM osml.events WHERE run_id = :run ORDER BY event_id LIMIT 2;
SELECT count(*) FROM osml.events WHERE run_id = :run;
SELECT status, (summary ->> 'rollbacks')::int BETWEEN 5 AND 20 FROM osml.runs WHERE run_id = :run;
SELECT bool_and(lr.value = 0.01 * 0.5 ^ (summary ->> 'rollbacks')::int) FROM osml.runs r JOIN osml.metrics lr USING (run_id) WHERE run_id = :run AND lr.name = 'lr' AND lr.step = r.steps;
-- rows that explode late in each epoch, which has no 50 steps: what came before them stays, and its loss
CREATE TABLE late_one AS SELECT 3 * a - 2 * b + 5 AS y, CASE WHEN i = 4000 THEN 1e200 ELSE a END AS a, b FROM (SELECT i, (hashint4(i) & 1023) / 1024.0::float8 AS a,
	(hashint4(i + 9999) & 1023) / 1024.0::float8 AS b FROM generate_series(1, 4000) i) s;
CREATE FUNCTION late_one(hparams jsonb, model text DEFAULT 'ckp exploding') RETURNS bigint LANGUAGE sql AS $$
	SELECT osml_train('sckp.late_one', '{"optimizer": "SGD", "lr": 0.01, "batch_size": 100, "scale": "none", "scale_label": "none", "shuffle": "none", "max_epochs": 1, "log_every_n_steps": 1, "on_nonfinite": "rollback"}'::jsonb || hparams, model)
$$;
SELECT late_one('{"max_epochs": 1}', 'ckp late streamed') AS streamed \gset
SELECT late_one('{"max_epochs": 1, "val_fraction": 0.0001}', 'ckp late') AS run \gset
SELECT r.run_id = :run AS kept, step, message FROM osml.events e JOIN osml.runs r USING (run_id) WHERE run_id IN (:streamed, :run) AND kind = 'rolled_back' ORDER BY run_id;
-- the weights are those after that step; where the run ends before another has led on from there, after the place before
SELECT late_one('{"max_steps": 30}', 'ckp early streamed') + late_one('{"max_steps": 30, "val_fraction": 0.0001}', 'ckp early') > 0;
SELECT a.model, count(*), max(abs(a.weight - b.weight)) FROM osml.weights a JOIN osml.weights b ON a.feature = b.feature AND b.model = replace(a.model, 'late', 'early') WHERE a.model LIKE 'ckp late%' GROUP BY 1 ORDER BY 1;
SELECT v.train_loss = m.value, abs(m.value / (SELECT avg(value) FROM osml.metrics WHERE run_id = :run AND name = 'train_mse' AND step <= 30) - 1) < 1e-12 FROM osml.models v JOIN osml.metrics m USING (run_id)
	WHERE run_id = :run AND m.name = 'train_mse_epoch';

-- the next epoch starts where this one went back to
SELECT late_one('{"max_epochs": 3}') AS run \gset
SELECT step, substring(message FROM 'back to .* here on') FROM osml.events WHERE run_id = :run AND kind = 'rolled_back' ORDER BY event_id;
SELECT late_one('{"max_epochs": 3, "batch_size": 1000, "accumulate_grad_batches": 3}') AS run \gset
SELECT step, substring(message FROM 'back to .* here on') FROM osml.events WHERE run_id = :run AND kind = 'rolled_back' ORDER BY event_id;
-- one batch an epoch, and it is that: nothing can be kept, and it would be no model
CREATE FUNCTION late_none(hparams jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN late_one(hparams);
EXCEPTION WHEN numeric_value_out_of_range THEN RETURN regexp_replace(SQLERRM, 'run \d+', 'run N');
END $$;
SELECT late_none(h) FROM unnest(ARRAY['{"max_epochs": 3, "batch_size": 4000}', '{"max_epochs": 3, "batch_size": 500, "lr": 1e150}']::jsonb[]) h;
-- weights that the first step ruined are nothing to return to
CREATE FUNCTION early_one(hparams jsonb, batches int, OUT outcome text, OUT back text, OUT small bool) LANGUAGE plpgsql AS $$
DECLARE run bigint;
BEGIN
	run := osml_train(format('SELECT CASE WHEN i = 1 THEN 1e20 ELSE y END AS y, CASE WHEN i = 1 THEN 1e7 ELSE a END AS a, b FROM (SELECT row_number() OVER () AS i, * FROM sckp.late_one LIMIT %s) s ORDER BY i', 100 * batches),
		'{"label": "y", "optimizer": "SGD", "lr": 0.1, "batch_size": 100, "scale": "none", "scale_label": "none", "shuffle": "none", "max_epochs": 1, "on_nonfinite": "rollback"}'::jsonb || hparams, 'ckp exploding');
	outcome := 'finished';
	SELECT string_agg(substring(message FROM 'back to .* step \d+'), ', ' ORDER BY event_id) INTO back FROM osml.events WHERE run_id = run;
	SELECT max(abs(weight)) < 10 INTO small FROM osml.weights WHERE model = 'ckp exploding';
EXCEPTION WHEN numeric_value_out_of_range THEN outcome := regexp_replace(SQLERRM, 'run \d+', 'run N');
END $$;
SELECT h, n, (o).* FROM (SELECT h, n, early_one(h, n) AS o FROM unnest(ARRAY['{}', '{"val_fraction": 0.001}', '{"max_epochs": 3}', '{"weight_averaging": "ema"}']::jsonb[]) h,
	unnest(ARRAY[2, 4, 20]) n OFFSET 0) s;
-- averages of weights go back with them, a rate of swa is lowered too, and checkpoints change nothing
CREATE TABLE steep AS SELECT 3 * a - 2 * b + c / 2 AS y, a, b, c FROM (SELECT (hashint4(i) & 1023) / 1024.0::float8 AS a, (hashint4(i + 9999) & 1023) / 1024.0::float8 AS b,
	(hashint4(i + 99999) & 1023) / 1024.0::float8 AS c FROM generate_series(1, 1000) i) s;
CREATE FUNCTION steep(hparams jsonb, OUT rollbacks bigint, OUT loss_is_small bool, OUT lr float8, OUT weights text) LANGUAGE plpgsql AS $$
DECLARE run bigint;
BEGIN
	run := osml_train('sckp.steep', '{"optimizer": "SGD", "lr": 1.05, "batch_size": 100, "max_epochs": 40, "on_nonfinite": "rollback", "val_fraction": 0.2, "log_every_n_steps": 1}'::jsonb || hparams, 'ckp exploding');
	SELECT (r.summary ->> 'rollbacks')::bigint, v.val_loss < 0.01 INTO rollbacks, loss_is_small FROM osml.runs r JOIN osml.models v USING (run_id) WHERE run_id = run;
	SELECT value INTO lr FROM osml.metrics WHERE run_id = run AND name = 'lr' ORDER BY step DESC LIMIT 1;
	SELECT md5(v.weights) INTO weights FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'ckp exploding' AND v.version = m.last_version;
END $$;
SELECT h, (s).rollbacks > 0 AS rolled_back, (s).loss_is_small, (s).lr FROM (SELECT h, steep(h) AS s FROM unnest(ARRAY['{}', '{"weight_averaging": "ema", "ema_decay": 0.9}', '{"weight_averaging": "swa", "swa_epoch_start": 2}',
	'{"lr": 0.1, "weight_averaging": "swa", "swa_epoch_start": 2, "swa_lrs": 1.3, "annealing_epochs": 1}']::jsonb[]) h OFFSET 0) s;
SELECT count(DISTINCT (steep('{"weight_averaging": "ema"}' || h)).weights) AS different FROM unnest(ARRAY['{}', '{"every_n_train_steps": 1}', '{"every_n_train_steps": 10}', '{"train_time_interval": 0.001}']::jsonb[]) h;
-- what is to blame, wherever it is in a step of several blocks and batches
CREATE TABLE hidden AS SELECT CASE WHEN i = 100 THEN 1e200 ELSE i % 7 END::float8 AS x, (i % 5)::float8 AS z, (i % 3)::float8 AS y FROM generate_series(1, 6000) i;
CREATE FUNCTION hidden(hparams jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; run bigint;
BEGIN
	run := osml_train('sckp.hidden', '{"label": "y", "scale": "none", "optimizer": "SGD", "lr": 0.001, "max_epochs": 1}'::jsonb || hparams, 'ckp exploding');
	RETURN (SELECT regexp_replace(message, '.*norm \S+ ', '') FROM osml.events WHERE run_id = run AND kind = 'step_skipped');
EXCEPTION WHEN numeric_value_out_of_range THEN GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL; RETURN detail;
END $$;
SELECT h, hidden(h) FROM unnest(ARRAY['{"batch_size": 3000, "shuffle": "none"}', '{"batch_size": 6000, "shuffle": "none"}']::jsonb[]) h;
SELECT h, hidden(h) ~ 'holds rows 100, \d+, \d+, \d+, \d+ and \d+ more of relation sckp.hidden. Columns of largest magnitude there: "x" \(1e\+200\), "z" \(4\)' AS named
	FROM unnest(ARRAY['{"batch_size": 6000}', '{"batch_size": 500, "accumulate_grad_batches": 6, "on_nonfinite": "skip"}']::jsonb[]) h;
-- a label may be as well, in its own units; a class is no magnitude
UPDATE hidden SET x = 1, y = 1e200 WHERE x > 1e100;
SELECT h, hidden(h) ~ 'holds rows 6000, \d+, \d+, \d+, \d+ and \d+ more of relation sckp.hidden. Columns of largest magnitude there: "y" \(1e\+200\), "x" \(6\), "z" \(4\)' AS named
	FROM unnest(ARRAY['{"batch_size": 500}', '{"batch_size": 500, "loss": "mae", "divergence_factor": 1000}', '{"batch_size": 500, "accumulate_grad_batches": 6, "on_nonfinite": "skip"}']::jsonb[]) h;
UPDATE hidden SET x = 1e200, y = 2 WHERE y > 1e100;
SELECT hidden('{"batch_size": 500, "model_type": "softmax", "shuffle": "none"}');
-- a variance that overflows leaves loss and gradient finite, but not what batch norm keeps for prediction
CREATE FUNCTION overflow(hparams jsonb, OUT what text, OUT steps text, OUT learned bool) LANGUAGE plpgsql AS $$
DECLARE run bigint;
BEGIN
	run := osml_train('sckp.late_one', '{"model_type": "mlp", "num_hidden_neurons": [8], "batch_norm_linear_layers": true, "scale": "none", "shuffle": "none", "batch_size": 100, "lr": 0.03, "max_epochs": 8}'::jsonb || hparams, 'ckp network');
	SELECT string_agg(DISTINCT kind || substring(message FROM ', running.*finite'), ' '), string_agg(step::text, ' ' ORDER BY event_id) INTO what, steps FROM osml.events WHERE run_id = run;
	SELECT sqrt(avg((y - osml_predict('ckp network', t)) ^ 2)) < 0.3 * stddev(y) INTO learned FROM sckp.late_one t WHERE a < 2;
EXCEPTION WHEN numeric_value_out_of_range THEN what := regexp_replace(SQLERRM, 'run \d+', 'run N');
END $$;
SELECT h, (o).* FROM (SELECT h, overflow(h) AS o FROM unnest(ARRAY['{}', '{"on_nonfinite": "skip"}', '{"on_nonfinite": "rollback"}', '{"on_nonfinite": "skip", "weight_averaging": "ema", "ema_decay": 0.9}']::jsonb[]) h OFFSET 0) s;
-- what the last step did no other has seen
SELECT late_none('{"batch_size": 1000, "max_steps": 1, "lr": 1e39, "precision": "float32"}' || h) FROM unnest(ARRAY['{}', '{"on_nonfinite": "stop"}']::jsonb[]) h;
-- it goes back so often, not for ever
SELECT explode('{"optimizer": "SGD", "lr": 1e30, "on_nonfinite": "rollback", "max_epochs": 40}');

-- --- What cannot be ------------------------------------------------------------------
SELECT explode('{"save_last": true}');
SELECT explode('{"optimizer": "exact", "save_top_k": 1}');
SELECT explode('{"optimizer": "exact", "every_n_train_steps": 10}');
SELECT explode('{"save_top_k": 101}');
SELECT osml_resume(NULL);
SELECT osml_resume(-5);
\set VERBOSITY sqlstate
SELECT osml_resume(:run);
SELECT osml_drop_checkpoints(:run);
\set VERBOSITY default
SELECT name, "default", range FROM osml_hparams() WHERE name IN ('every_n_train_steps', 'train_time_interval', 'save_top_k', 'save_last', 'on_changed_data', 'on_nonfinite') ORDER BY name;

SELECT osml_drop_model(m) FROM (SELECT DISTINCT model FROM osml.models WHERE model IN ('ckp best', 'ckp short', 'ckp best of train', 'ckp exploding', 'ckp without', 'ckp network')) u (m);
DROP SCHEMA sckp CASCADE;
