-- threads.sql: the same bits on any number of threads, and who may have how many.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(22);

\ir lib/error_of.sql
CREATE TABLE rows AS SELECT (hashint4(i) & 1023) / 1024.0::float8 AS y, i % 4 AS class, i % 7 = 0 AS flag, 'c' || i % 11 AS city,
	(SELECT array_agg((hashint4(131 * i + k) & 1023) / 1024.0::float8) FROM generate_series(1, 70) k) AS x FROM generate_series(1, 3000) i;
CREATE FUNCTION weights(name text, run bigint) RETURNS text LANGUAGE sql
	AS $$ SELECT md5(v.weights) FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = $1 AND v.run_id = run $$;
CREATE FUNCTION trained(threads int, hparams jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE run bigint;
BEGIN
	PERFORM set_config('osml.threads', threads::text, false);
	run := osml_train('rows', '{"batch_size": 1024, "max_epochs": 2, "val_fraction": 0.2}'::jsonb || hparams, 'm');
	RETURN weights('m', run) || ' ' || (SELECT val_loss FROM osml.models WHERE run_id = run);
END $$;

-- --- bits --------------------------------------------------------------------------------

CREATE TABLE kinds (name text, hparams jsonb);
INSERT INTO kinds VALUES
	('linear', '{"label": "y", "features": ["x", "city"]}'),
	('float32, SGD', '{"label": "y", "features": ["x"], "precision": "float32", "optimizer": "SGD"}'),
	('logistic', '{"label": "flag", "features": ["x"]}'),
	('softmax', '{"label": "class", "model_type": "softmax", "features": ["x", "city"]}'),
	('batch norm, dropout and embeddings', '{"label": "y", "features": ["x", "city"], "model_type": "mlp", "num_hidden_neurons": [60, 40], "batch_norm_linear_layers": true, "dropout": 0.2, "activation": "gelu"}'),
	('wide layers', '{"label": "city", "model_type": "mlp", "features": ["x"], "num_hidden_neurons": [64, 300, 130], "activation": "silu"}'),
	('wide layers in float32, averaged', '{"label": "y", "model_type": "mlp", "features": ["x"], "num_hidden_neurons": [290, 64], "precision": "float32", "weight_averaging": "ema"}');
SELECT is(trained(2, hparams), trained(1, hparams), name || ': two threads'), is(trained(5, hparams), trained(1, hparams), name || ': five') FROM kinds;
SET osml.threads = 4;
SELECT is(weights('m', osml_train('rows', '{"label": "y", "features": ["x"], "threads": 3}', 'm')),
	weights('m', osml_train('rows', '{"label": "y", "features": ["x"], "threads": 1}', 'm')), 'asked for by a run');

-- --- who may -----------------------------------------------------------------------------

SELECT is(error_of($$SELECT osml_train('rows', '{"label": "y", "features": ["x"], "threads": 5}', 'm')$$),
	'53400 hyperparameter "threads" is 5, more than osml.threads (4) allows | Leave out "threads", or have a superuser raise osml.threads.', 'not more than the setting');
SELECT is((SELECT message FROM osml_check('rows', '{"label": "y", "features": ["x"], "threads": 5}') WHERE verdict = 'error'),
	'hyperparameter "threads" is 5, more than osml.threads (4) allows', 'osml_check says so');
SELECT matches(error_of($$SELECT osml_train('rows', '{"threads": 0}', 'm')$$), '^22023 invalid value for hyperparameter "threads": "0"', 'none is no number');
RESET osml.threads;
SELECT is(current_setting('osml.threads'), '1', 'one by default');
CREATE ROLE threads_user;
SET ROLE threads_user;
SELECT is(error_of('SET osml.threads = 2'), '42501 permission denied to set parameter "osml.threads"', 'a superuser sets it');
RESET ROLE;
DROP ROLE threads_user;

-- a run that goes on may have others
SELECT error_of($$SELECT osml_train('rows', '{"label": "y", "features": ["x"], "optimizer": "SGD", "lr": 1e9}', 'm')$$) <> '' AS "left" \gset
SELECT is((SELECT "default" FROM osml_hparams() WHERE name = 'threads'), 'auto', 'auto is the setting'),
	matches(error_of(format('SELECT osml_resume(%s, ''{"lr": 1}'')', (SELECT run_id FROM osml.runs WHERE status = 'diverged' LIMIT 1))), 'Those that can be are .*threads', 'and may be changed when a run goes on');

SELECT * FROM finish();
