-- trying.sql: what a model is tried out with before it is trained: fast_dev_run,
-- overfit_batches, detect_anomaly.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(65);

CREATE FUNCTION near(got float8, want float8, name text, tolerance float8 DEFAULT 1e-12)
RETURNS text LANGUAGE sql
	RETURN CASE WHEN abs(got - want) <= tolerance * greatest(abs(want), 1e-300) THEN ok(true, name)
		ELSE ok(false, name) || E'\n' || diag(format('got %s, expected %s', got, want)) END;
-- 'SQLSTATE message | detail | hint', or that there was none
CREATE FUNCTION error_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text; detail text;
BEGIN
	EXECUTE sql;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' | ', SQLSTATE || ' ' || regexp_replace(message, 'run \d+', 'run N'), nullif(detail, ''), nullif(hint, ''));
END $$;
CREATE TABLE done (name text PRIMARY KEY, run_id bigint);
CREATE FUNCTION train(name text, source text, hparams jsonb) RETURNS void LANGUAGE sql
	AS $$ INSERT INTO done SELECT $1, osml_train($2, '{"scale": "none", "scale_label": "none", "optimizer": "SGD",
		"lr": 0.02, "batch_size": 20}'::jsonb || $3, $1) $$;
CREATE FUNCTION run_of(name text) RETURNS osml.runs LANGUAGE sql AS $$ SELECT r FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = $1 $$;
CREATE FUNCTION weights_of(model text) RETURNS text LANGUAGE sql
	RETURN (SELECT md5(v.weights) FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = $1 AND v.version = m.last_version);
CREATE FUNCTION events(run text) RETURNS text LANGUAGE sql
	RETURN (SELECT string_agg(e.kind || ': ' || e.message, E'\n' ORDER BY e.event_id) FROM osml.events e JOIN done d USING (run_id) WHERE d.name = $1);
CREATE FUNCTION metric(run text, metric text) RETURNS float8[] LANGUAGE sql
	RETURN (SELECT array_agg(m.value ORDER BY m.step) FROM osml.metrics m JOIN done d USING (run_id) WHERE d.name = $1 AND m.name = $2);

CREATE TABLE rows AS
	SELECT i, 3 + 2 * a - b + (hashint4(i) & 255) / 512.0 AS y, a, b
	FROM (SELECT i, (i * 7 % 11) / 4.0::float8 - 1 AS a, (i * i % 13) / 6.0::float8 AS b FROM generate_series(1, 120) i) s;
CREATE TABLE held AS SELECT 10.0::float8 * i AS y, 1.0::float8 AS a, (i % 3)::float8 AS b FROM generate_series(1, 50) i;
SELECT osml_create_dataset('data', train => 'SELECT y, a, b FROM rows ORDER BY i', val => 'held', test => 'held') > 0 AS made \gset

-- --- fast_dev_run -----------------------------------------------------------------------

SELECT train('fast', 'data', '{"fast_dev_run": true, "lr": 0, "initial_weights": [0, 0, 0]}');
SELECT is((r).status, 'finished', 'it ends well'), is((r).version, NULL, 'without a version'), is((r).steps, 1::bigint, 'after one step'),
	is((r).rows_seen, 20::bigint, 'of one batch'), is((r).summary ->> 'fast_dev_run', '1', 'the row says what it was'),
	near(((r).summary ->> 'val_loss')::float8, (SELECT avg(y ^ 2) FROM (SELECT y FROM held LIMIT 20) s), 'one batch of validation rows'),
	near(((r).summary ->> 'test_loss')::float8, ((r).summary ->> 'val_loss')::float8, 'and of test rows'),
	near(((r).summary ->> 'train_loss')::float8, (SELECT avg(y ^ 2) FROM rows WHERE i <= 20), 'and of the first training rows', 1e-9),
	is((r).summary ->> 'train_rows', '20', 'no other was kept') FROM (SELECT run_of('fast') r) s;
SELECT is(count(*), 0::bigint, 'no metric is kept') FROM osml.metrics JOIN done USING (run_id) WHERE done.name = 'fast';
SELECT is(count(*), 0::bigint, 'no model either') FROM osml.model WHERE name = 'fast';
SELECT matches(events('fast'), 'fast_dev_run: all went well with 1 batches of 20 rows', 'an event says so');
SELECT train('fast_3', 'data', '{"fast_dev_run": 3, "max_epochs": 50, "max_batches": 2, "num_sanity_val_steps": 2, "shuffle": "epoch", "scale": "standardize"}');
SELECT is((r).steps, 3::bigint, 'three batches'), is((r).hparams ->> 'max_epochs', '1', 'of one epoch, as the stored set says'),
	is((r).hparams ->> 'max_batches', '3', 'whatever was asked for'), is((r).summary ->> 'train_rows', '60', 'other rows are not kept') FROM (SELECT run_of('fast_3') r) s;
SELECT train('fast_split', 'SELECT y, a, b FROM rows ORDER BY i', '{"fast_dev_run": "2", "batch_size": 10, "val_fraction": 0.3}');
SELECT is((r).summary ->> 'train_rows', '20', 'with rows held out'), isnt((r).summary ->> 'val_loss', NULL, 'which are measured') FROM (SELECT run_of('fast_split') r) s;
-- the model that there is stays as it is
SELECT train('kept', 'data', '{"max_epochs": 2}');
SELECT osml_train('data', '{"fast_dev_run": true}', 'kept') > 0 AS ran \gset
SELECT is(array_agg(version), '{1}', 'a model gets no version') FROM osml.models WHERE model = 'kept';
-- rows beyond those needed are not read, by the session or by workers
CREATE TABLE bad_end AS SELECT 1.0::float8 AS y, i::float8 AS x FROM generate_series(1, 500000) i;
SELECT train('fast_' || w, 'SELECT y, 1 / (499000 - x) AS x FROM bad_end', format('{"fast_dev_run": 2, "num_workers": %s, "shuffle": "none", "scale": "%s"}', w, s)::jsonb)
	FROM (VALUES (0, 'standardize'), (1, 'none')) v (w, s);
SELECT is((run_of('fast_' || w)).status, 'finished', format('a row far behind is not met, num_workers %s', w)) FROM generate_series(0, 1) w;
SELECT matches(error_of($$SELECT osml_train('SELECT y, 1 / (499000 - x) AS x FROM bad_end', model => 'whole')$$), 'division by zero', 'as it is by a whole run');
SELECT train('fast_workers', 'bad_end', '{"fast_dev_run": 4, "num_workers": 3, "scale": "standardize"}');
SELECT is((run_of('fast_workers')).summary ->> 'train_rows', '80', 'several workers stop, too');
-- NULLs are skipped, and others take their places
CREATE TABLE gaps AS SELECT CASE WHEN i > 5 THEN i END::float8 AS y, i::float8 AS x FROM generate_series(1, 100) i;
SELECT train('fast_gaps', 'gaps', '{"fast_dev_run": 1, "scale": "standardize"}');
SELECT is((run_of('fast_gaps')).summary ->> 'train_rows', '20', 'a batch is full of usable rows'), is((run_of('fast_gaps')).rows_skipped, 5::bigint, 'those skipped are counted');
SELECT train('fast_lanes', 'bad_end', '{"fast_dev_run": true, "lanes": 2}');
SELECT is((run_of('fast_lanes')).status, 'finished', 'lanes have their blocks');
SELECT matches(error_of($$SELECT osml_train('rows', '{"fast_dev_run": true, "optimizer": "exact"}')$$), '^22023 optimizer "exact" takes every row once, and no batches \| Leave out "fast_dev_run"', 'not with exact');

-- --- overfit_batches ----------------------------------------------------------------------

SELECT train('over', 'data', '{"overfit_batches": 2, "max_epochs": 5, "shuffle": "epoch", "val_fraction": 0.1}');
SELECT train('first_40', 'SELECT y, a, b FROM rows ORDER BY i LIMIT 40', '{"max_epochs": 5, "shuffle": "none"}');
SELECT is(weights_of('over'), weights_of('first_40'), 'trains on the first two batches, in order'),
	is((run_of('over')).steps, 10::bigint, 'two an epoch'), is((run_of('over')).hparams ->> 'shuffle', 'none', 'the stored set says so'),
	is((run_of('over')).summary ->> 'train_rows', '120', 'all rows are read, and scale as they do in a whole run');
SELECT near((metric('over', 'val_mse'))[5], value, 'validates on the same rows')
	FROM osml_evaluate('over', 'SELECT y, a, b FROM rows ORDER BY i LIMIT 40') WHERE metric = 'mse';
SELECT is(array_length(metric('over', 'val_mse'), 1), 5, 'each epoch'), matches(events('over'), 'overfit_batches: each epoch trains on the first 40 of 120 rows', 'an event says so');
SELECT is(val_rows, 40::bigint, 'the version counts them') FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'over';
SELECT train('over_share', 'data', '{"overfit_batches": 0.4, "max_epochs": 5}'), train('over_stream', 'data', '{"overfit_batches": 2, "max_batches": 10}'),
	train('over_all', 'data', '{"overfit_batches": 100, "max_epochs": 5}'), train('all', 'data', '{"shuffle": "none", "max_epochs": 5}'),
	train('over_drop', 'data', '{"overfit_batches": 100, "batch_size": 50, "drop_last": true, "max_epochs": 5}'), train('drop', 'data', '{"batch_size": 50, "drop_last": true, "shuffle": "none", "max_epochs": 5}');
SELECT is(weights_of('over_share'), weights_of('over'), 'a share of the batches is rounded down'), is(weights_of('over_stream'), weights_of('over'), 'an endless stream goes round them'),
	is(weights_of('over_all'), weights_of('all'), 'more than there are is all'), is(weights_of('over_drop'), weights_of('drop'), 'with drop_last');
SELECT train('over_once', 'SELECT y, a, b FROM rows ORDER BY i', '{"overfit_batches": 2, "max_epochs": 1}'), train('first_once', 'SELECT y, a, b FROM rows ORDER BY i LIMIT 40', '{"max_epochs": 1, "shuffle": "none"}');
SELECT is(weights_of('over_once'), weights_of('first_once'), 'where rows would be streamed');
SELECT train('over_stop', 'SELECT y, a, b FROM rows ORDER BY i', '{"overfit_batches": 1, "max_epochs": 50, "early_stopping": true, "monitor": "val_rmse", "stopping_threshold": 1e9}');
SELECT is((run_of('over_stop')).steps, 1::bigint, 'what watches validation has something to watch');
-- where rows are read again
SELECT train('over_kept', 'bad_end', '{"overfit_batches": 3, "max_epochs": 4, "lr": 1e-12}');
SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
SELECT train('over_reread', 'bad_end', '{"overfit_batches": 3, "max_epochs": 4, "lr": 1e-12}');
RESET osml.max_memory;
RESET osml.max_spill;
SELECT is((run_of('over_reread')).summary ->> 'reread', 'true', 'rows are read again'), is(weights_of('over_reread'), weights_of('over_kept'), 'and are the same');
SELECT matches(error_of($$SELECT osml_train('rows', '{"overfit_batches": 0.01}', 'e')$$), '^22000 .*no step was taken \| A share of 0.01 of the batches of the training rows is no whole batch. \| Give "overfit_batches"', 'less than a batch'),
	matches(error_of($$SELECT osml_train('rows', '{"overfit_batches": 1.5}', 'e')$$), '^22023 hyperparameter "overfit_batches" must be a whole number', 'a batch and a half'),
	matches(error_of($$SELECT osml_train('rows', '{"overfit_batches": 2, "lanes": 2}', 'e')$$), '^22023 .*which "lanes" deals out \| Leave out "lanes"', 'lanes');
SELECT is((SELECT message FROM osml_check('rows', '{"overfit_batches": 0.01}') WHERE verdict = 'error'), 'no step was taken', 'osml_check foretells it'),
	matches((SELECT message FROM osml_check('rows', '{"overfit_batches": 2, "batch_size": 20, "max_epochs": 7}') WHERE "check" = 'time'), ' for 14 steps', 'and counts the steps');

-- --- detect_anomaly -----------------------------------------------------------------------

CREATE FUNCTION anomaly(source text, hparams jsonb) RETURNS text LANGUAGE sql
	RETURN error_of(format('SELECT osml_train(%L, %L, %L)', source, '{"detect_anomaly": true, "scale": "none", "scale_label": "none", "shuffle": "none",
		"optimizer": "SGD", "lr": 1, "batch_size": 10, "max_epochs": 2}'::jsonb || hparams, 'odd'));
CREATE TABLE line AS SELECT i::float8 AS y, i::float8 AS x FROM generate_series(1, 40) i;
SELECT matches(anomaly('SELECT y, CASE WHEN x = 17 THEN 1e250 ELSE x END AS x FROM line', '{"lr": 0, "initial_weights": [1e100, 0]}'), 'at step 2: the model''s output is Infinity \| It comes from row 17 of .*, in batch 2. \| Set "scale"', 'an output'),
	matches(anomaly('SELECT y, CASE WHEN x = 17 THEN 1e200 ELSE x END AS x FROM line', '{"lr": 0, "initial_weights": [1, 0]}'), 'at step 2: the loss is Infinity \| It comes from row 17', 'a loss'),
	matches(anomaly('SELECT y, CASE WHEN x = 17 THEN 1e250 ELSE x END AS x FROM line', '{"lr": 0, "initial_weights": [1e-150, 0]}'), 'at step 2: the gradient of the weight of "x" is Infinity \| It comes from row 17', 'a gradient'),
	matches(anomaly('SELECT y, 1e308 AS x FROM line', '{"lr": 0, "loss": "mae", "initial_weights": [0, 0]}'), 'at step 1: the gradient of the weight of "x" is -Infinity \| It comes from batch 1, which holds rows 1 to 10', 'a sum of gradients'),
	matches(anomaly('SELECT y, 1e20 * x AS x FROM line', '{"lr": 1e300, "initial_weights": [0, 0]}'), 'at step 1: after the update the weight of "x" is Infinity \| It comes from batch 1', 'an update'),
	matches(anomaly('SELECT y, CASE WHEN x = 17 THEN 1e39 ELSE x END AS x FROM line', '{"lr": 0, "precision": "float32", "max_epochs": 1}'), 'at step 2: feature "x" is Infinity \| It comes from row 17', 'a column too large for float32');
SELECT matches(anomaly('SELECT y, CASE WHEN x = 17 THEN 1e200 ELSE 1 END AS x FROM line', '{"model_type": "mlp", "num_hidden_neurons": [1, 1], "lr": 0, "initial_weights": [1, 0, 1e150, 0, 1e-150, 0]}'),
		'at step 2: an output of layer "2" is Infinity \| It comes from row 17', 'a layer of a network'),
	matches(anomaly('SELECT y, CASE WHEN x = 17 THEN 1e200 ELSE 1 END AS x FROM line', '{"model_type": "mlp", "num_hidden_neurons": [1, 1], "lr": 0, "initial_weights": [1, 0, 1, 0, 1e150, 0], "loss": "mae"}'),
		'at step 2: an output of layer "4" is Infinity \| It comes from row 17', 'and its last one'),
	matches(anomaly('line', '{"model_type": "mlp", "num_hidden_neurons": [1], "batch_norm_linear_layers": true, "lr": 0, "initial_weights": [1e200, 0, 1e200, 0, 1, 0, 1, 0]}'),
		'at step 1: an output of layer "1" is -?Infinity \| It comes from batch 1, which holds rows 1 to 10', 'with batch norm');
SELECT matches(anomaly('SELECT y, CASE WHEN x = 17 THEN 1e160 ELSE x END AS x FROM line', '{"model_type": "mlp", "num_hidden_neurons": [2], "batch_norm_linear_layers": true, "lr": 0.01}'::jsonb || h),
		'at step 2: running statistics, tensor "\S+running_var", is Infinity \| It comes from batch 2, which holds rows 11 to 20', 'what batch norm keeps, ' || h::text)
	FROM unnest('{"{}", "{\"on_nonfinite\": \"skip\"}", "{\"on_nonfinite\": \"rollback\"}"}'::jsonb[]) h;
SELECT is(status, 'diverged', 'such a run diverged') FROM osml.runs WHERE model = 'odd' ORDER BY run_id DESC LIMIT 1;
-- in rows that are only measured an event names the first, once
SELECT osml_create_dataset('odd', train => 'line', val => 'SELECT y, CASE WHEN x > 16 THEN x * 1e160 ELSE x END AS x FROM line', test => 'SELECT y, 1e200 AS x FROM line') > 0 AS made \gset
SELECT train('odd_val', 'odd', '{"lr": 1e-4, "max_epochs": 3}');
SELECT is(events('odd_val'), E'loss_not_finite: val_loss is Infinity after step 2: it is not finite from row 17 of the val query on\nloss_not_finite: test_loss is Infinity after step 6: it is not finite from row 1 of the test query on', 'a validation');
SELECT osml_drop_dataset('odd');
-- without any, nothing is different
SELECT train('plain_' || k, 'data', h::jsonb), train('looked_' || k, 'data', h::jsonb || '{"detect_anomaly": true}')
	FROM (VALUES (1, '{"max_epochs": 3}'), (2, '{"max_epochs": 3, "model_type": "mlp", "dropout": 0.2}'), (3, '{"max_epochs": 3, "model_type": "mlp", "batch_norm_linear_layers": true, "batch_size": 50, "drop_last": true, "accumulate_grad_batches": 2}')) v (k, h);
SELECT is(weights_of('looked_' || k), weights_of('plain_' || k), 'looking changes nothing, ' || k) FROM generate_series(1, 3) k;

SELECT osml_drop_dataset('data');
SELECT finish();
