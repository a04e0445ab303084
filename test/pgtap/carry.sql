-- carry.sql: rows that a learning pass keeps for the load pass, and when it does not.
--
-- The sources count the rows that are read of them.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(30);

CREATE SEQUENCE reads;
CREATE TABLE rows AS SELECT CASE WHEN i % 100 = 0 THEN NULL ELSE (i % 17) / 2.0::float8 END AS y, sin(i) AS a, 'k' || i % 23 AS k, 'c' || i % 3 AS c, i % 2 = 0 AS b FROM generate_series(1, 100000) i;
CREATE VIEW counted AS SELECT y, a, k FROM (SELECT *, nextval('reads') AS n FROM rows OFFSET 0) r WHERE n > 0;
CREATE VIEW classes AS SELECT c, a, b FROM (SELECT *, nextval('reads') AS n FROM rows OFFSET 0) r WHERE n > 0;
SELECT osml_create_dataset('binned', 'counted', label => 'y'), osml_bin('binned', 'a', 8, method => 'quantile') \g /dev/null
SELECT osml_create_dataset('chained', 'SELECT y, a FROM counted', label => 'y'), osml_transform('chained', 'a', 'standardize'), osml_transform('chained', 'a', 'bin', '{"bins": 5}') \g /dev/null
-- as JSON: passes over the source, the hash of the weights, usable and skipped rows
CREATE FUNCTION train(dataset text, hparams jsonb, memory text DEFAULT '1GB') RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE run bigint; result jsonb;
BEGIN
	PERFORM setval('reads', 1, false);
	PERFORM set_config('osml.max_memory', memory, false);
	run := osml_train(dataset, '{"max_epochs": 2, "lr": 0.01, "shuffle": "none"}'::jsonb || hparams, 'carried');
	SELECT jsonb_build_object('passes', round((last_value - is_called::int + 1) / 100000.0, 2), 'weights', md5(v.weights), 'rows', r.summary -> 'train_rows', 'null', r.summary -> 'rows_skipped_null') INTO result
		FROM reads, osml.runs r, osml.model_version v JOIN osml.model m USING (model_id) WHERE r.run_id = run AND m.name = 'carried' AND v.version = r.version;
	RETURN result;
END $$;
CREATE TABLE results (name text, memory text, result jsonb);
CREATE FUNCTION twice(name text, dataset text, hparams jsonb, little text) RETURNS void LANGUAGE sql AS $$
	INSERT INTO results VALUES (name, 'much', train(dataset, hparams)), (name, 'little', train(dataset, hparams, little));
$$;
CREATE FUNCTION passes(name text, memory text) RETURNS numeric LANGUAGE sql RETURN (SELECT (result -> 'passes')::numeric FROM results r WHERE r.name = $1 AND r.memory = $2);
CREATE FUNCTION same(name text) RETURNS boolean LANGUAGE sql RETURN (SELECT count(DISTINCT result - 'passes') = 1 AND count(*) = 2 FROM results r WHERE r.name = $1);

-- --- kept, where memory has room for the inputs and for what is made of them ------------------

SELECT twice('texts', 'counted', '{}', '3500kB'), twice('bins', 'binned', '{}', '3500kB'), twice('split', 'binned', '{"val_fraction": 0.3}', '3500kB'),
	twice('classes', 'classes', '{}', '3500kB'),
	twice('streamed', 'binned', '{"max_epochs": 1, "scale": "none", "scale_label": "none"}', '1500kB'), twice('chained', 'chained', '{}', '2200kB') \g /dev/null
SELECT is(passes(name, 'much'), n::numeric, name || ': the pass that learns is the last'), is(passes(name, 'little'), n + 1::numeric, name || ': the source is read again'), ok(same(name), name || ': alike')
	FROM (VALUES ('texts', 1), ('bins', 1), ('split', 1), ('classes', 1), ('streamed', 1), ('chained', 2)) v(name, n);
SELECT is(train('SELECT y, a FROM counted', '{}') ->> 'passes', '1.00', 'where nothing is learned there is one pass');
SELECT is(count(DISTINCT message), 1::bigint, 'what was left out is told alike') FROM osml.events JOIN osml.runs USING (run_id) WHERE kind = 'rows_skipped' AND hparams #>> '{val_fraction}' = '0' AND dataset = 'binned';

-- what else needs memory gets it first: the model, and other parts
SELECT osml_create_dataset('hashed', 'counted', label => 'y'), osml_transform('hashed', 'k', 'hash', '{"buckets": 60000}'), osml_bin('hashed', 'a', 8, method => 'quantile') \g /dev/null
SELECT osml_create_dataset('measured', 'counted', label => 'y', val => 'counted'), osml_bin('measured', 'a', 8, method => 'quantile') \g /dev/null
SELECT twice('hashed', 'hashed', '{}', '6MB'), twice('measured', 'measured', '{}', '7MB') \g /dev/null
SELECT is(passes('hashed', 'much'), 1.00, 'a large model with room'), is(passes('hashed', 'little'), 2.00, 'and without'), ok(same('hashed'), 'is the same'),
	is(passes('measured', 'much'), 2.00, 'validation rows are read once'), is(passes('measured', 'little'), 3.00, 'and first'), ok(same('measured'), 'alike');
SELECT is(train('binned', '{"fast_dev_run": 3, "max_epochs": 1}') ->> 'passes', NULL, 'a run that tries out makes no version');
SELECT is(last_value, 100000::bigint, 'and reads once') FROM reads;

-- --- what osml_check foretells ---------------------------------------------------------------

SET osml.max_memory = '1GB';
SELECT matches(message, 's to read the rows, in 1 pass to learn features, the last of which keeps them;', 'osml_check says that they are kept') FROM osml_check('binned') WHERE "check" = 'time';
SET osml.max_memory = '3500kB';
SELECT matches(message, 's to read the rows, in 2 passes of which 1 to learn features;', 'or not') FROM osml_check('binned') WHERE "check" = 'time';
SELECT finish();
