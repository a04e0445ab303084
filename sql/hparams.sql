-- Hyperparameters: the list, and what is refused before a row is read.
CREATE SCHEMA shparams;
SET search_path = shparams, public;
SET client_min_messages = warning;
SELECT coalesce(max(run_id), 0) AS runs_before FROM osml.runs \gset
\pset format unaligned
\pset null '(null)'

-- The golden list: a new line or a changed default shows here.  What may be chosen of the lists in
-- src/rules does not: it is compared with what hints say below.
CREATE TABLE lists AS SELECT name, range FROM osml_hparams()
	WHERE name IN ('loss', 'activation', 'optimizer', 'lr_schedule', 'weight_averaging');
SELECT h.name, h.type, h."default", COALESCE('every ' || l.name, h.range) AS range, h.meaning
	FROM osml_hparams() WITH ORDINALITY h LEFT JOIN lists l USING (name) ORDER BY ordinality;

\pset tuples_only
-- Run a command and return its error as the user sees it.
CREATE FUNCTION pg_temp.outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
		hint = PG_EXCEPTION_HINT;
	SELECT replace(hint, 'Valid values are ' || range, 'Valid values are every ' || name) INTO hint
		FROM lists WHERE message LIKE '%"' || name || '"%' UNION ALL SELECT hint LIMIT 1;
	hint := regexp_replace(hint, 'Its losses: mse, mae, huber[a-z0-9_, ]*', 'Its losses: mse, mae, huber and the others of amounts');
	RETURN concat_ws(E'\n', concat(SQLSTATE, ': ', regexp_replace(message, 'run \d+', 'run N')),
		'DETAIL: ' || NULLIF(detail, ''), 'HINT: ' || NULLIF(hint, ''));
END
$$;

CREATE TABLE line AS SELECT 2 * i + 1 AS y, i AS x, i % 7 AS z FROM generate_series(1, 100) i;

-- --- Refused -----------------------------------------------------------------------

CREATE TABLE bad (id serial, hparams jsonb);
INSERT INTO bad (hparams) VALUES
	-- names
	('{"learning_rate": 0.1}'), ('{"Lr": 0.1}'), ('{"lrr": 0.1}'), ('{"batchsize": 10}'), ('{"max_epoch": 10}'),
	('{"": 1}'), ('{"quite something else": 1}'), ('{"lr\u00e4": 1}'), ('{"limit_train_batch": 3}'),
	('{"epochs": 3}'), ('{"L2_REG": 1}'), ('{"hidden_units": [3]}'), ('{"random_state": 1}'),
	('{"max_batches": 3, "limit_train_batches": 4}'), ('{"limit_train_batches": 0.5}'), ('{"swa_start": "x"}'),
	-- not an object
	('[]'), ('[{"lr": 1}]'), ('"lr"'), ('1'), ('null'), ('true'),
	-- numbers
	('{"lr": -0.1}'), ('{"lr": "fast"}'), ('{"lr": ""}'), ('{"lr": "0.1x"}'), ('{"lr": "1e400"}'), ('{"lr": 1e400}'), ('{"lr": "NaN"}'),
	('{"max_time": 1, "lr_schedule": "linear"}'), ('{"lr": "inf"}'), ('{"lr": true}'), ('{"lr": [0.1]}'), ('{"lr": {"start": 0.1}}'), ('{"val_fraction": 1}'), ('{"val_fraction": -0.1}'), ('{"huber_delta": 0}'), ('{"eps": 2}'),
	-- integers
	('{"batch_size": 0}'), ('{"batch_size": 1.5}'), ('{"batch_size": "ten"}'), ('{"batch_size": 3000000000}'),
	('{"max_epochs": 0}'), ('{"max_batches": -1}'), ('{"seed": -1}'), ('{"seed": 9007199254740993}'), ('{"num_workers": 65}'),
	('{"num_workers": -1}'), ('{"batch_size": null}'), ('{"num_features": 0}'), ('{"log_every_n_steps": 0}'), ('{"lanes": 0}'),
	-- booleans
	('{"bias": "perhaps"}'), ('{"bias": 2}'), ('{"bias": null}'), ('{"bias": []}'), ('{"nesterov": 0.5}'),
	-- choices
	('{"optimizer": "adamx"}'), ('{"optimizer": 1}'), ('{"optimizer": null}'), ('{"optimizer": ["SGD"]}'), ('{"loss": ""}'),
	('{"loss": "log"}'), ('{"model_type": "tree"}'), ('{"loss": "logloss", "model_type": "linear"}'), ('{"init": "ones"}'), ('{"precision": "float16"}'), ('{"scale": "auto"}'),
	('{"scale_label": "minmax"}'), ('{"shuffle": true}'), ('{"on_null": "zero"}'), ('{"on_nonfinite": "keep"}'), ('{"device": "cuda"}'),
	('{"on_disconnect": "stop"}'), ('{"gradient_clip_algorithm": "global"}'), ('{"lr_schedule": "cosine-ish"}'),
	-- times
	('{"max_time": -1}'), ('{"max_time": "1:2:3:4:5"}'), ('{"max_time": "1:"}'), ('{"max_time": ":1"}'), ('{"max_time": "1 hour"}'),
	('{"max_time": "00:-1"}'), ('{"max_time": true}'),
	-- texts and lists
	('{"label": 1}'), ('{"label": ["y"]}'), ('{"label": true}'), ('{"features": "x"}'), ('{"features": []}'), ('{"features": "[]"}'),
	('{"features": [1]}'), ('{"features": [["x"]]}'), ('{"features": [null]}'), ('{"features": {"x": 1}}'),
	('{"betas": [0.9, 1]}'), ('{"betas": [0.9, "much"]}'), ('{"betas": 0.9}'), ('{"betas": []}'), ('{"initial_weights": [1, {"a": 2}]}'),
	('{"initial_weights": [1, 1e999]}'),
	-- keys against each other
	('{"nesterov": true}'), ('{"nesterov": true, "momentum": 0.9, "dampening": 0.1}'), ('{"betas": [0.9]}'), ('{"betas": [0.9, 0.99, 0.999]}'),
	('{"lanes": 3, "batch_size": 100}'), ('{"optimizer": "exact", "loss": "mae"}'), ('{"optimizer": "exact", "max_batches": 3}'),
	('{"optimizer": "exact", "val_fraction": 0.1}'), ('{"optimizer": "exact", "on_null": "mean"}'),
	('{"optimizer": "exact", "precision": "float32"}'), ('{"val_check_interval": 1.5}'), ('{"val_check_interval": -1}'),
	('{"weight_averaging": "mean"}'), ('{"ema_decay": 1.1}'), ('{"optimizer": "exact", "weight_averaging": "ema"}'), ('{"swa_epoch_start": 2.5}'),
	('{"weight_averaging": "swa", "max_batches": 10}'), ('{"weight_averaging": "swa", "max_epochs": 3, "swa_epoch_start": 4}'), ('{"annealing_strategy": "cosine"}'),
	('{"fast_dev_run": -1}'), ('{"fast_dev_run": "maybe"}'), ('{"fast_dev_run": 1.5}'), ('{"fast_dev_run": null}'), ('{"overfit_batches": -0.1}'),
	('{"overfit_batches": 2.5}'), ('{"overfit_batches": 2, "lanes": 2}'), ('{"overfit_batches": 2, "optimizer": "exact"}'), ('{"detect_anomaly": 3}'),
	('{"warm_start": "yes please"}'), ('{"warm_start": 3}'), ('{"warm_start": true, "optimizer": "exact"}'), ('{"warm_start": true, "initial_weights": [1, 2, 3]}'),
	-- against the data
	('{"label": "w"}'), ('{"features": ["x", "w"]}'), ('{"features": ["y"]}'), ('{"label": "x", "features": ["x"]}'),
	('{"features": ["x", "x"]}'), ('{"num_features": 3}'), ('{"features": ["x"], "num_features": 2}');
SELECT concat(left(hparams::text, 99), E'\n', pg_temp.outcome(format('SELECT osml_train(%L, %L)', 'line', hparams))) FROM bad ORDER BY id;
SELECT count(*) FROM osml.runs WHERE model = 'line' AND run_id > :runs_before;	-- none of them began
-- A list in a string has to be JSON.
SELECT osml_train('line', '{"features": "[x]"}');
SELECT osml_train('line', '{"betas": "[0.9 0.99]"}');
-- The model's parameters are counted before a row is read.
SELECT pg_temp.outcome($$SELECT osml_train('line', '{"initial_weights": [1, 2]}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('line', '{"initial_weights": [1, 2, 3], "bias": false}')$$);
-- A dataset's options are read the same way.
-- Keys against each other are judged when a run puts them together.
BEGIN;
SELECT hparams FROM bad WHERE pg_temp.outcome(format('SELECT osml_create_dataset(%L, %L, options => %L)', 'd' || id, 'line', hparams)) = 'no error'
	ORDER BY id;
ROLLBACK;

-- --- Accepted ----------------------------------------------------------------------

-- What was resolved, where it is not the default.
SELECT osml_train('line', '{}', 'hparams_defaults') AS run \gset
CREATE TABLE defaults AS SELECT hparams FROM osml.runs WHERE run_id = :run;
SELECT jsonb_pretty(hparams) FROM defaults;
SELECT osml_train('line', NULL, 'hparams_defaults') > 0;
SELECT count(*), count(DISTINCT hparams) FROM osml.runs WHERE model = 'hparams_defaults';
CREATE FUNCTION pg_temp.resolved(given jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	run bigint := osml_train('line', given || '{"limit_val_batches": 1}' ||
		CASE WHEN given ?| '{max_batches,limit_train_batches,max_epochs}' THEN '{}' ELSE '{"max_batches": 1}' END::jsonb, 'accepted');
BEGIN
	RETURN (SELECT concat(given, ' => ', COALESCE(jsonb_object_agg(key, value) FILTER (WHERE value <> d.hparams -> key), '{}'))
		FROM osml.runs r, defaults d, jsonb_each(r.hparams)
		WHERE r.run_id = run AND key <> 'limit_val_batches'
			AND (key NOT IN ('max_batches', 'max_epochs') OR given ?| '{max_batches,limit_train_batches,max_epochs}'));
END
$$;
SELECT pg_temp.resolved(h) FROM unnest(ARRAY[
	'{"lr": "0.04"}', '{"lr": " 4e-2 "}', '{"lr": null}', '{"lr": "auto", "lr_schedule": "Constant"}', '{"lr": 0}', '{"batch_size": "10"}', '{"batch_size": 1e1}', '{"batch_size": 10.0}',
	'{"bias": "off"}', '{"bias": 0}', '{"bias": "no"}', '{"deploy": "f"}', '{"optimizer": "sgd", "nesterov": "on", "momentum": 0.5}',
	'{"optimizer": "ADAM"}', '{"loss": "Huber", "huber_delta": "2"}', '{"loss": "mae"}', '{"precision": "FLOAT32"}',
	'{"betas": "[0.8, 0.99]"}', '{"betas": ["0.8", 0.99]}', '{"initial_weights": "[1, 2, 3]"}', '{"initial_weights": "auto"}', '{"initial_weights": null}',
	'{"features": "[\"x\"]"}', '{"features": ["z", "x"]}', '{"features": null}', '{"features": "auto"}', '{"label": "x"}', '{"label": null}',
	'{"num_features": "2"}', '{"num_features": null}', '{"max_time": 90}', '{"max_time": "90"}', '{"max_time": "01:30"}', '{"max_time": "1:00:01:30"}',
	'{"max_time": "00:00:00:05"}', '{"max_time": null}', '{"weight_decay": null}', '{"weight_decay": 0.5}', '{"optimizer": "SGD", "weight_decay": "auto"}',
	'{"val_check_interval": 0.25}', '{"val_check_interval": 3}', '{"limit_train_batches": 1, "max_epochs": 2}', '{"lanes": "1", "batch_size": 100}',
	'{"seed": 9007199254740991}', '{"device": "CPU"}', '{"eps": 1e-5}', '{"max_epochs": null}']::jsonb[]) WITH ORDINALITY AS u(h, n) ORDER BY n;
-- A key twice in the text: jsonb keeps the last, as everywhere.
SELECT pg_temp.resolved('{"lr": 1, "lr": 0.5}');
-- extra_float_digits does not shorten what is stored.
SET extra_float_digits = -10;
SELECT osml_train('line', '{"lr": 0.012345678901234567, "max_batches": 1}', 'accepted') AS run \gset
RESET extra_float_digits;
SELECT hparams -> 'lr' FROM osml.runs WHERE run_id = :run;
-- A label named "auto" is a column's name.
CREATE TABLE autos AS SELECT y AS auto, x FROM line;
SELECT pg_temp.outcome($$SELECT osml_train('line', '{"label": "auto"}')$$);
SELECT osml_train('autos', '{"label": "auto", "optimizer": "exact"}') > 0;

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s; END $$;
DROP SCHEMA shparams CASCADE;
