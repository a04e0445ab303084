-- Models and their versions, datasets, and what the views show.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

CREATE TABLE re_rows AS
	SELECT (3 + 2 * a - b)::float8 AS y, a, b
	FROM (SELECT i % 11 AS a, (i % 4)::real AS b FROM generate_series(1, 200) i) s;

-- a finished run makes a version and deploys it
SELECT osml_train('re_rows', '{"optimizer":"exact"}', 're_model') > 0 AS trained;
SELECT osml_train('re_rows', '{"optimizer":"exact", "deploy":false}', 're_model') > 0 AS trained;
SELECT osml_train('SELECT y + 1 AS y, a FROM re_rows', '{"optimizer":"exact"}', 're_model') > 0 AS trained;
SELECT model, version, owner = current_user AS mine, deployed, model_type, loss, label, label_type,
	features, train_rows, val_rows, test_rows, skipped_rows, val_loss, test_loss
	FROM osml.models WHERE model LIKE 're\_%' ORDER BY 1, 2;
SELECT count(DISTINCT run_id) AS runs, count(DISTINCT fingerprint) AS data,
	bool_and(fingerprint ~ '^[0-9a-f]{16}$') AS hexadecimal, bool_and(hparams ? 'lr') AS hparams
	FROM osml.models WHERE model = 're_model';
SELECT version, "position", feature, type, rows, round(mean::numeric, 4) AS mean,
	round(std::numeric, 4) AS std, min, max, round(center::numeric, 4) AS center, round(scale::numeric, 4) AS scale
	FROM osml.features WHERE model = 're_model' ORDER BY 1, 2;
SELECT version, "position", feature, round(weight::numeric, 6) AS weight, collinear
	FROM osml.weights WHERE model = 're_model' AND version = 1 ORDER BY 1, 2;

-- which version is in use
SELECT osml_deploy('re_model', 2);
SELECT osml_deploy('re_model', 'previous');
SELECT osml_deploy('re_model', '2');
SELECT osml_deploy('re_model', 2) AS again, osml_deploy('re_model', 'previous') AS back;
SELECT version FROM osml.models WHERE model = 're_model' AND deployed;
-- best: by number, over val where a version has it, else test, else train; NaN last
SELECT osml_train('re_rows', '{"optimizer":"exact"}', 're_best') > 0 AS trained FROM generate_series(1, 4);
CREATE FUNCTION re_losses(VARIADIC losses float8[]) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
	UPDATE osml.model_version v
		SET train_loss = losses[version], test_loss = losses[version + 4], val_loss = losses[version + 8]
		FROM osml.model m WHERE m.model_id = v.model_id AND m.name = 're_best';
	RETURN osml_deploy('re_best', 'best');
END
$$;
SELECT re_losses(10, 9, 100, 'NaN') AS train,
	re_losses(1, 2, 3, 4, NULL, NULL, 1e-3, '1e+1') AS test,
	re_losses(1, 2, 3, 4, 1, 2, 3, 4, NULL, 5, NULL, 5) AS newest_of_equals,
	re_losses(1, 2, 3, 4, 1, 2, 3, 4, 'NaN', NULL, NULL, 99) AS val;
SELECT re_losses(NULL, NULL);
\echo :LAST_ERROR_SQLSTATE

-- versions go one by one, and their numbers with them
SELECT osml_drop_model('re_best', 2);
SELECT osml_drop_model('re_best', 4);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_deploy('re_best', 1), osml_deploy('re_best', 3), osml_drop_model('re_best', 1);
SELECT osml_deploy('re_best', 'previous');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_model('re_best', 4);
SELECT osml_train('re_rows', '{"optimizer":"exact"}', 're_best') > 0 AS trained;
SELECT version, deployed FROM osml.models WHERE model = 're_best' ORDER BY 1;
SELECT version, count(*) FROM osml.weights WHERE model = 're_best' GROUP BY 1 ORDER BY 1;
-- the whole model goes, its runs stay
SELECT osml_drop_model('re_best');
SELECT count(*) FROM osml.models WHERE model = 're_best';
SELECT count(*), count(version) FROM osml.runs WHERE model = 're_best';

-- errors
SELECT osml_deploy('re_modle', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_deploy('re_model', 9);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_deploy('re_model', '0');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_deploy('re_model', '99999999999999999999');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_deploy('re_model', 'newest');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_model('re_best');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_model('re_model', -1);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_model(NULL);
\echo :LAST_ERROR_SQLSTATE
BEGIN READ ONLY;
SELECT osml_deploy('re_model', 1);
\echo :LAST_ERROR_SQLSTATE
ROLLBACK;
BEGIN READ ONLY;
SELECT osml_drop_model('re_model');
ROLLBACK;
BEGIN READ ONLY;
SELECT osml_create_dataset('re_data', 're_rows');
ROLLBACK;
BEGIN READ ONLY;
SELECT round(osml_predict('re_model', 1)) > 0 AS reading_is_allowed;
ROLLBACK;

-- datasets
SELECT osml_create_dataset('re_data', 're_rows', label => 'y', features => '{b,a}',
	val => 'SELECT * FROM re_rows WHERE a = 1', test => 're_rows', options => '{"lr":0.5}') > 0 AS created;
SELECT osml_create_dataset('re plain', 'VALUES (1, 2), (3, 4)') > 0 AS created;
CREATE TEMP TABLE re_temp AS SELECT * FROM re_rows;
SELECT osml_create_dataset('re_temp', 're_temp') > 0 AS created;
SELECT dataset, owner = current_user AS mine, train, val, test, label, features, options
	FROM osml.datasets WHERE dataset LIKE 're%' ORDER BY 1;
SELECT osml_create_dataset('', 're_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset(NULL, 're_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', 're_nowhere');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', 're_rows', label => 'z');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', 're_rows', features => '{a,NULL}');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', 're_rows', test => 'SELECT y, a FROM re_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', 're_rows', val => 'SELECT a, b FROM re_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', 're_rows', options => '{"learning_rat":1}');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_create_dataset('re_new', 're_rows', options => '[1]');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_dataset('re_datum');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_dataset('re_data'), osml_drop_dataset('re plain'), osml_drop_dataset('re_temp');
SELECT osml_drop_dataset('re_data');
\echo :LAST_ERROR_SQLSTATE

-- a run that says running and whose trainer is gone was interrupted
INSERT INTO osml.run (owner, dataset, model, status, hparams, device)
	VALUES (current_user, 're_rows', 're_lost', 'running', '{"loss":"mse"}', 'cpu');
SELECT status, ended_at FROM osml.runs WHERE model = 're_lost';
SELECT count(*) FROM osml.progress WHERE model = 're_lost';
DELETE FROM osml.run WHERE model = 're_lost';

-- fixed columns
SELECT run_id, dataset, model, version, status, error, hparams, device, steps, rows_seen, rows_skipped,
	started_at, ended_at FROM osml.runs WHERE false;
SELECT run_id, step, epoch, phase, name, value, at FROM osml.metrics WHERE false;
SELECT model, version, run_id, owner, deployed FROM osml.models WHERE false;
SELECT model, version, feature, weight, scaled_weight, std_error FROM osml.weights WHERE false;
SELECT run_id, model, epoch, step, rows_seen, rows_per_s, metric, value, elapsed FROM osml.progress WHERE false;
SELECT run_id, at, severity, kind, step, message FROM osml.events WHERE false;

-- the list of hyperparameters, which each run stores in full
SELECT name, type, "default" FROM osml_hparams() WHERE name IN ('lr', 'loss', 'batch_size') ORDER BY 1;
SELECT range LIKE '%huber%' AS choices FROM osml_hparams() WHERE name = 'loss';
SELECT name FROM osml_hparams() h WHERE meaning = '' OR type = '' OR "default" IS NULL
	OR NOT (SELECT hparams ? name FROM osml.models WHERE model = 're_model' AND version = 1);

-- the extension: everything is described, tables are private and dumped
SELECT pg_describe_object(classid, objid, 0) AS without_comment
	FROM pg_depend d JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid
	WHERE extname = 'osml' AND deptype = 'e' AND obj_description(objid, classid::regclass::name) IS NULL
	AND classid IN ('pg_proc'::regclass, 'pg_class'::regclass, 'pg_namespace'::regclass)
	AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = objid AND relkind = 'S');
SELECT relname AS open_to_public FROM pg_class c, aclexplode(relacl)
	WHERE relnamespace = 'osml'::regnamespace AND relkind <> 'v' AND grantee = 0;
SELECT relname AS not_dumped FROM pg_class c JOIN pg_extension e ON extname = 'osml'
	WHERE relnamespace = 'osml'::regnamespace AND relkind IN ('r', 'S') AND c.oid <> ALL (extconfig);
SELECT relname AS view_without_barrier FROM pg_class
	WHERE relnamespace = 'osml'::regnamespace AND relkind = 'v' AND NOT 'security_barrier=true' = ANY (reloptions);
SHOW osml.max_memory;
SHOW osml.max_spill;

SELECT osml_drop_model(m) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 're\_%') s (m);
DELETE FROM osml.run WHERE model LIKE 're\_%';
DROP FUNCTION re_losses;
DROP TABLE re_rows, re_temp;
