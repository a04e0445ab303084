-- gram.sql: steps from sums of batches are those from rows.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(44);

\ir lib/error_of.sql
-- columns of large means, and a weak trend among much noise
CREATE TABLE rows AS SELECT 3 * a - b + 5 * (i % 3) + sin(i * i) AS y, a, b, 1000 + i % 13 AS c, -77 + (hashint4(i + 9) & 1023) / 1e5 AS d, 'c' || i % 5 AS city,
		CASE i % 4 WHEN 0 THEN 0 ELSE i % 4 / 3.0 END AS w
	FROM (SELECT i, (hashint4(i) & 1023) / 1024.0::float8 AS a, (hashint4(i + 1000003) & 1023) / 64.0::float8 AS b FROM generate_series(1, 5000) i) s;
SELECT osml_create_dataset('binned', 'rows', label => 'y', features => '{}') > 0 AS made, osml_bin('binned', 'a', 6), osml_bin('binned', 'b', 4), osml_cross('binned', 'cell', '{a_bin,b_bin}') \gset

CREATE FUNCTION weights_of(run bigint) RETURNS TABLE (place text, scaled_weight float8) LANGUAGE sql AS $$
	SELECT concat_ws(' ', w.feature, w.category), w.scaled_weight FROM osml.weights w JOIN osml.runs r USING (model, version) WHERE r.run_id = run $$;

-- the largest difference of weights and losses beside the largest of them; nobody has
-- analyzed the metrics, and the planner would compare each with each
CREATE FUNCTION differ(hparams jsonb, dataset text DEFAULT 'rows') RETURNS float8 LANGUAGE plpgsql SET enable_nestloop = off SET jit = off AS $$
DECLARE
	given jsonb := '{"label": "y", "features": ["a", "b", "c", "d"], "batch_size": 512, "max_epochs": 40, "log_every_n_steps": 7}'::jsonb || hparams;
	by_rows bigint;
	by_sums bigint;
BEGIN
	IF dataset <> 'rows' THEN
		given := given - 'features' - 'label';
	END IF;
	by_rows := osml_train(dataset, given || '{"gram": "off"}', 'by_rows');
	by_sums := osml_train(dataset, given || '{"gram": "on"}', 'by_sums');
	IF (SELECT summary -> 'gram' IS DISTINCT FROM 'true' FROM osml.runs WHERE run_id = by_sums) OR
		(SELECT summary ? 'gram' FROM osml.runs WHERE run_id = by_rows) OR
		(SELECT count(DISTINCT (steps, rows_seen, epoch)) > 1 FROM osml.runs WHERE run_id IN (by_rows, by_sums)) THEN
		RETURN 'Infinity';
	END IF;
	RETURN greatest(
		(SELECT max(abs(s.scaled_weight - r.scaled_weight)) / nullif(max(abs(r.scaled_weight)), 0)
			FROM weights_of(by_rows) r FULL JOIN weights_of(by_sums) s USING (place)),
		(SELECT max(abs(s.value - r.value) / nullif(abs(r.value), 0))
			FROM osml.metrics r FULL JOIN osml.metrics s USING (step, epoch, phase, name)
			WHERE r.run_id = by_rows AND s.run_id = by_sums AND name NOT IN ('step_seconds', 'rows_per_s')));
END $$;

-- --- the same steps ----------------------------------------------------------------------

CREATE TABLE kinds (name text, hparams jsonb, tolerance float8 DEFAULT 1e-11);
INSERT INTO kinds VALUES
	('AdamW', '{}'),
	('one batch an epoch', '{"batch_size": 100000, "max_epochs": 300}'),
	('SGD with momentum, clipped', '{"optimizer": "SGD", "lr": 0.01, "momentum": 0.9, "gradient_clip_val": 0.2}'),
	('values clipped', '{"optimizer": "SGD", "lr": 0.05, "gradient_clip_val": 0.1, "gradient_clip_algorithm": "value"}'),
	('raw columns, clipped, over 1,000 epochs', '{"optimizer": "SGD", "lr": 1e-3, "gradient_clip_val": 0.5, "scale": "none", "max_epochs": 1000}'),
	('scaled columns over 1,000 epochs', '{"optimizer": "SGD", "lr": 0.01, "max_epochs": 1000}'),
	('no shuffling, short last batch dropped', '{"shuffle": "none", "drop_last": true}'),
	('batches accumulated', '{"accumulate_grad_batches": 3, "batch_size": 100}'),
	('batches accumulated, the last dropped', '{"accumulate_grad_batches": 4, "batch_size": 300, "drop_last": true}'),
	('lanes', '{"lanes": 2, "shuffle": "none", "batch_size": 256}'),
	('weights of rows', '{"sample_weight": "w", "optimizer": "Adam"}'),
	('no bias', '{"bias": false}'),
	('categories', '{"features": ["a", "city", "d"], "l1": 0.001}'),
	('weighted categories, no bias', '{"features": ["a", "city"], "bias": false, "sample_weight": "w"}'),
	('validation within epochs', '{"val_fraction": 0.2, "val_check_interval": 3, "early_stopping": true, "min_delta": 0.01, "max_epochs": 200}'),
	('an average of weights, the best kept', '{"weight_averaging": "ema", "ema_decay": 0.9, "val_fraction": 0.1, "save_top_k": 1, "lr_schedule": "reduce_on_plateau"}'),
	('the first batches only', '{"overfit_batches": 3}');
INSERT INTO kinds VALUES ('float32', '{"precision": "float32"}', 1e-4);
SELECT cmp_ok(differ(hparams), '<', tolerance, name) FROM kinds;
SELECT cmp_ok(differ('{"max_epochs": 1000, "optimizer": "SGD", "lr": 0.05}', 'binned'), '<', 1e-11::float8, 'bins and a cross over 1,000 epochs');
SET osml.max_memory = '1MB';
SELECT cmp_ok(differ('{"batch_size": 2500, "features": ["a", "b", "c", "d"]}'), '<', 1e-11::float8, 'rows in memory and what is left of it for sums');
RESET osml.max_memory;

-- --- rows, where sums do not do -------------------------------------------------------------

-- labels without noise: a loss of which nothing is left
CREATE TABLE lines AS SELECT 2 * i + 1 AS y, i AS x FROM generate_series(1, 300) i;
SELECT osml_train('lines', '{"optimizer": "SGD", "lr": 0.3, "batch_size": 50, "max_epochs": 400, "gram": "on"}', 'lines') AS run \gset
SELECT cmp_ok(train_loss, '<', 1e-24::float8, 'labels without noise are met') FROM osml.models WHERE model = 'lines';
SELECT ok((summary ->> 'batches_from_rows')::int BETWEEN 1 AND 2399, 'the last batches from rows, the first from sums') FROM osml.runs WHERE run_id = :run;

-- what explodes names its rows, and is treated, as ever
CREATE FUNCTION explodes(hparams jsonb) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(error_of(format('SELECT osml_train(%L, %L, %L)', 'rows', '{"label": "y", "features": ["a", "b", "c", "d"], "optimizer": "SGD", "scale": "none", "batch_size": 1000, "max_epochs": 60}'::jsonb || hparams, 'exploding')), 'run \d+', 'run N', 'g') $$;
SELECT matches(explodes('{"lr": 1, "gram": "on"}'), '^22003 osml run N diverged: training diverged at step \d+: loss .* is more than 1e\+08 times the first', 'a run from sums diverges'),
	is(explodes('{"lr": 1, "gram": "on"}'), explodes('{"lr": 1, "gram": "off"}'), 'with the message of one from rows'),
	is(explodes('{"lr": 1, "gram": "on", "divergence_factor": 0}'), explodes('{"lr": 1, "gram": "off", "divergence_factor": 0}'), 'also where only infinity ends it'),
	is(explodes('{"lr": 1e-6, "divergence_factor": 1.5, "on_nonfinite": "rollback", "gram": "on"}'), explodes('{"lr": 1e-6, "divergence_factor": 1.5, "on_nonfinite": "rollback", "gram": "off"}'), 'rollbacks end alike');
SELECT cmp_ok(differ('{"optimizer": "SGD", "lr": 0.9, "scale": "none", "batch_size": 1000, "divergence_factor": 3, "on_nonfinite": "rollback", "lr_schedule": "constant", "features": ["a", "b"]}'), '<', 1e-9::float8, 'and go on alike');
SELECT cmp_ok(count(*), '>', 0::bigint, 'there were some') FROM osml.events WHERE kind = 'rolled_back' AND run_id = (SELECT max(run_id) FROM osml.runs);

-- --- whether --------------------------------------------------------------------------------

CREATE FUNCTION has_sums(hparams jsonb) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE run bigint := osml_train('rows', '{"label": "y", "features": ["a", "b", "c", "d"]}'::jsonb || hparams, 'auto');
BEGIN
	RETURN (SELECT summary ? 'gram' FROM osml.runs WHERE run_id = run);
END $$;
SELECT ok(has_sums('{"batch_size": 5000, "max_epochs": 20000}'), 'auto: many epochs of many rows'),
	ok(NOT has_sums('{"batch_size": 5000, "max_epochs": 200}'), 'not for few'),
	ok(NOT has_sums('{"batch_size": 5, "max_epochs": 10}'), 'nor of batches that are hardly more than their sums'),
	ok(NOT has_sums('{"batch_size": 5000, "max_epochs": 20000, "gram": "off"}'), 'nor where it is off');
SELECT is((SELECT "default" || ' ' || range FROM osml_hparams() WHERE name = 'gram'), 'auto auto, on, off', 'auto is the default');

SELECT matches(error_of(format('SELECT osml_train(%L, %L, %L)', 'rows', '{"label": "y", "features": ["a", "city"], "gram": "on"}'::jsonb || hparams, 'no')), want, want)
	FROM (VALUES ('{"shuffle": "epoch"}'::jsonb, '^22023 hyperparameter "gram" needs batches that are the same in each epoch \| Set "shuffle"'),
		('{"optimizer": "exact"}', '^22023 hyperparameter "gram" is of steps'),
		('{"detect_anomaly": true}', '^22023 hyperparameter "detect_anomaly" looks at rows'),
		('{"loss": "mae"}', '^22023 osml run N failed: hyperparameter "gram" cannot be on: only model_type linear with loss mse'),
		('{"model_type": "mlp"}', 'only model_type linear with loss mse'),
		('{"max_batches": 10}', 'batches of an endless stream differ'),
		('{"max_epochs": 1, "shuffle": "none", "scale": "none", "features": ["a"]}', 'rows that are seen once go straight into steps')) v (hparams, want);
SET osml.max_memory = '1MB';
SELECT matches(error_of($$SELECT osml_train('binned', '{"batch_size": 2, "gram": "on"}', 'no')$$), '^53400 osml run N failed: sums of 2500 batches need .* MB more memory than osml.max_memory leaves beside the rows', 'no memory for sums'),
	matches(error_of($$SELECT osml_train('binned', '{"batch_size": 2, "max_epochs": 2}', 'no')$$), '^no error$', 'which auto needs none of');
RESET osml.max_memory;

-- --- a run that goes on -----------------------------------------------------------------------

\set hparams '{"label": "y", "features": ["a", "b", "c", "d"], "batch_size": 300, "max_epochs": 30000, "gram": "on", "val_fraction": 0.1, "check_val_every_n_epoch": 10000}'
SELECT osml_train('rows', :'hparams', 'whole') AS whole \gset
SELECT osml_train('rows', :'hparams'::jsonb || '{"every_n_train_steps": 101}', 'parts', wait => false) AS run \gset
DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM osml.checkpoints c JOIN osml.runs r USING (run_id) WHERE r.model = 'parts' AND c.step % 15 > 0) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
SELECT osml_cancel(:run) AS status \gset
SELECT is(:'status'::text, 'cancelled', 'a run from sums is cancelled within an epoch');
SELECT osml_resume(:run) AS status \gset
SELECT is((SELECT md5(weights) FROM osml.model_version v WHERE v.run_id = :run), (SELECT md5(weights) FROM osml.model_version v WHERE v.run_id = :whole), 'it has the bits of one that was not');

SELECT * FROM finish();
