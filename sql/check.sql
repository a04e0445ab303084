-- osml_check: what it foretells of memory and disk is what a run then does; a dataset whose source changed.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

CREATE TABLE ck_rows AS
	SELECT i::float8 AS y, hashint4(i) / 1e9 AS a, hashint4(i + 1) / 1e9 AS b, 'k' || i % 30 AS kind,
		CASE WHEN i % 10 > 0 THEN i % 7 END AS gaps
	FROM generate_series(1, 60000) i;
SELECT osml_create_dataset('ck_all', 'ck_rows') > 0;
SELECT osml_create_dataset('ck_made', 'ck_rows', val => 'SELECT * FROM ck_rows LIMIT 20000') > 0;
SELECT osml_bin('ck_made', 'a', 20), osml_bin('ck_made', 'b', 10, method => 'quantile'), osml_transform('ck_made', 'gaps', 'impute', '{"method": "mean"}'),
	osml_cross('ck_made', 'ck_cross', '{a_bin,b_bin}');

-- The estimate beside the run: verdicts, what becomes of the rows, and whether what was spilled is the
-- estimate but for a block or two, whose rows a split by hash may put on either side.
CREATE FUNCTION pg_temp.compare(dataset text, hparams jsonb) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	memory record; disk record; run record;
	blocks float8 := 2 * 70000;
BEGIN
	hparams := '{"max_epochs":1}' || hparams;
	SELECT * INTO memory FROM osml_check(dataset, hparams) WHERE "check" = 'memory';
	SELECT * INTO disk FROM osml_check(dataset, hparams) WHERE "check" = 'disk';
	PERFORM osml_train(dataset, hparams, 'ck_model');
	SELECT (summary->>'spilled_kb')::float8 * 1024 AS spilled, (summary->>'reread')::bool AS reread, (summary->>'streamed')::bool AS streamed
		INTO run FROM osml.runs r WHERE r.dataset = compare.dataset ORDER BY run_id DESC LIMIT 1;
	RETURN format('%s, %s; run: %s; %s', memory.verdict, disk.verdict,
		CASE WHEN run.streamed THEN 'streamed' WHEN run.reread THEN 'reread' WHEN run.spilled > 0 THEN 'spilled' ELSE 'memory' END,
		CASE WHEN run.reread OR abs(disk.figure - run.spilled) <= blocks THEN 'as foretold'
			ELSE format('%s foretold, %s spilled', disk.figure, run.spilled) END);
END $$;
SELECT pg_temp.compare('ck_all', '{}');
SET osml.max_memory = '1100kB';
SELECT pg_temp.compare('ck_all', '{}');
SELECT pg_temp.compare('ck_all', '{"num_workers":3}');
SELECT pg_temp.compare('ck_all', '{"val_fraction":0.4}');
SELECT pg_temp.compare('ck_all', '{"on_null":"mean", "precision":"float32"}');
SELECT pg_temp.compare('ck_made', '{}');
SELECT pg_temp.compare('ck_all', '{"scale":"none", "shuffle":"none"}');
SET osml.max_spill = '500kB';
SELECT pg_temp.compare('ck_all', '{}');

-- what is said of it
SELECT "check", verdict, message, hint FROM osml_check('ck_all') WHERE "check" IN ('memory', 'disk');
SELECT "check", verdict, message, hint FROM osml_check('ck_all', '{"lanes":2}') WHERE "check" = 'memory';
DO $$
BEGIN
	PERFORM osml_train('ck_all', '{"lanes":2}', 'ck_model');
EXCEPTION WHEN configuration_limit_exceeded THEN
	RAISE WARNING '%', regexp_replace(sqlerrm, '[0-9]+', 'N');
END $$;
SELECT osml_create_dataset('ck_val', 'SELECT y, a FROM ck_rows LIMIT 3000', val => 'SELECT y, a FROM ck_rows') > 0;
SELECT "check", verdict, message, hint FROM osml_check('ck_val') WHERE "check" IN ('memory', 'disk');
RESET osml.max_spill;
SELECT "check", verdict, message, hint FROM osml_check('ck_all') WHERE "check" IN ('memory', 'disk');
SELECT "check", verdict, message FROM osml_check('ck_all', '{"max_epochs":1, "scale":"none", "shuffle":"none"}') WHERE "check" IN ('memory', 'disk');
SET osml.max_memory = '1MB';
SELECT "check", verdict, message, hint FROM osml_check('ck_made') WHERE "check" IN ('memory', 'disk');
SELECT "check", verdict, message, hint FROM osml_check('SELECT y, ARRAY[a,b,a,b,a,b,a,b,a,b,a,b,a,b,a,b] AS many FROM ck_rows') WHERE "check" IN ('memory', 'disk');
SET osml.max_memory = '64MB';
SELECT "check", verdict, message FROM osml_check('ck_made') WHERE "check" IN ('memory', 'disk');

-- time: what is counted, and what is not; figures are the machine's
CREATE FUNCTION pg_temp.says(dataset text, hparams jsonb) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT verdict || ': ' || regexp_replace(message, '[0-9.e+-]+ s\M', 'N s', 'g') FROM osml_check(dataset, hparams) WHERE "check" IN ('time', 'trial')
$$;
SELECT pg_temp.says('ck_all', '{"max_epochs":3}');
SELECT pg_temp.says('ck_made', '{"max_batches":100, "max_time":3600}');
SELECT pg_temp.says('SELECT y, a FROM ck_rows', '{"optimizer":"exact"}');
SELECT pg_temp.says('SELECT y, a FROM ck_rows', '{"max_time":60}');
SET osml.max_memory = '1100kB';
SET osml.max_spill = '500kB';
SELECT pg_temp.says('SELECT y, a FROM ck_rows LIMIT 0', '{"max_epochs":3}');
SELECT pg_temp.says('ck_all', '{"max_epochs":3}');
RESET osml.max_spill;
SELECT pg_temp.says('ck_all', '{"max_epochs":3}');
RESET osml.max_memory;
-- a trial that fails is said; the rest is not lost
SELECT osml_create_dataset('ck_broken', 'SELECT y, a, gaps FROM ck_rows') > 0;
SELECT osml_transform('ck_broken', 'inverse', 'sql', '{"expression": "1 / (gaps - 3)"}');
SELECT "check", verdict, regexp_replace(message, '[0-9.e+-]+ s\M', 'N s', 'g') FROM osml_check('ck_broken')
	WHERE "check" IN ('rows', 'memory', 'trial', 'time');

-- what a run refuses, before it reads or while it does, is said before it is started
CREATE FUNCTION pg_temp.tell(dataset text, hparams jsonb) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s %s %s: %s', "check", subject, verdict, message) FROM osml_check(dataset, hparams)
	WHERE verdict = 'error' OR "check" IN ('hyperparameters', 'reading', 'training', 'trial')
$$;
CREATE FUNCTION pg_temp.fails(dataset text, hparams jsonb) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM osml_train(dataset, hparams, 'ck_model');
	RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
	RETURN regexp_replace(sqlerrm, 'run [0-9]+', 'run N');
END $$;
SELECT osml_create_dataset('ck_parts', 'SELECT y, a, kind FROM ck_rows LIMIT 2000', val => 'SELECT CASE WHEN y <> 4 THEN y END AS y, a, kind FROM ck_rows LIMIT 50',
	test => 'SELECT CASE WHEN y = 2 THEN ''NaN'' ELSE y END AS y, a, kind FROM ck_rows LIMIT 50') > 0;
CREATE TABLE ck_calls (n int, hparams jsonb);
INSERT INTO ck_calls VALUES (1, '{"num_features":3, "on_nonfinite":"skip"}'), (2, '{"initial_weights":[1,2], "on_nonfinite":"skip"}'),
	(3, '{"initial_weights":[1,2,3], "on_nonfinite":"skip"}'), (4, '{"drop_last":true, "batch_size":5000, "on_nonfinite":"skip"}'),
	(5, '{"val_fraction":0.1, "on_nonfinite":"skip"}'), (6, '{"on_null":"error", "on_nonfinite":"skip"}'), (7, '{}'), (8, '{"lanes":4, "batch_size":64, "on_nonfinite":"skip"}'),
	(9, '{"on_nonfinite":"skip", "max_epochs":1}'), (10, '{"features":["a","zzz"], "on_nonfinite":"skip"}');
SELECT n, pg_temp.tell('ck_parts', hparams) FROM ck_calls ORDER BY n;
SELECT n, pg_temp.fails('ck_parts', hparams) FROM ck_calls ORDER BY n;
-- a name that no model can have: what is given for it is valid at most by itself
SELECT "check", verdict, message FROM osml_check('ck_parts', '{"on_nonfinite":"skip"}', repeat('m', 201)) WHERE verdict = 'error' OR "check" = 'hyperparameters';
SELECT "check", verdict, message FROM osml_check('ck_parts', '{"on_nonfinite":"skip"}', 'ck_model') WHERE verdict = 'error' OR "check" = 'hyperparameters';
-- more rows than the trial has: features are learned from all of them
SELECT pg_temp.tell('SELECT y, a, kind FROM ck_rows', '{"initial_weights":[1,2]}');
SELECT pg_temp.tell('SELECT y, a, kind FROM ck_rows', '{"initial_weights":[1,2,3,4]}');
SELECT pg_temp.tell('SELECT y, a * 1e200 AS huge FROM ck_rows LIMIT 100', '{}');
SELECT pg_temp.fails('SELECT y, a * 1e200 AS huge FROM ck_rows LIMIT 100', '{}');
SELECT pg_temp.tell('SELECT y, NULL::int AS void FROM ck_rows LIMIT 100', '{}');
SELECT pg_temp.tell('SELECT y, a FROM ck_rows LIMIT 1', '{"val_fraction":0.9, "seed":1}');
-- an expression that fails in a late row, or in the first; a source that does
SELECT osml_create_dataset('ck_late', 'SELECT y, a, 50000 - y AS gap FROM ck_rows', features => '{a}') > 0;
SELECT osml_transform('ck_late', 'rate', 'sql', '{"expression": "1 / gap"}');
SELECT pg_temp.tell('ck_late', '{}');
SELECT pg_temp.fails('ck_late', '{}');
SELECT pg_temp.tell('ck_broken', '{}');
SELECT "check", verdict, message FROM osml_check('SELECT y, 1 / (50000 - y) AS rate FROM ck_rows');
-- rows with a NULL and a NaN; with wrong keys the others count; a NULL row takes no room
SELECT "check", figure, message FROM osml_check('SELECT y, CASE WHEN y <= 40 THEN NULL ELSE a END AS a, CASE WHEN y <= 20 THEN ''NaN'' ELSE b END AS b FROM ck_rows LIMIT 100',
	'{"on_null":"mean", "on_nonfinite":"skip"}') WHERE "check" IN ('reading', 'nulls', 'nonfinite');
SELECT "check", verdict, message FROM osml_check('ck_parts', '{"on_nonfinite":"skip", "lr":"x", "lrs":1}') WHERE "check" IN ('hyperparameters', 'nonfinite');
SELECT "check", verdict, message FROM osml_check('ck_parts', '[1]') WHERE "check" = 'hyperparameters';
SELECT osml_create_dataset('ck_gaps', 'SELECT y, a, b FROM ck_rows', val => 'SELECT y, CASE WHEN y::int % 5 < 2 THEN a END AS a, b FROM ck_rows') > 0;
SET osml.max_memory = '1100kB';
SELECT pg_temp.compare('ck_gaps', '{}');
SET osml.max_spill = '700kB';
SELECT "check", verdict, message FROM osml_check('ck_gaps') WHERE "check" IN ('memory', 'disk');
RESET osml.max_spill;
RESET osml.max_memory;

-- categories that a vocabulary leaves out, beside what the run says of them; bins, crosses and hashes leave out none
CREATE FUNCTION pg_temp.left_out(params jsonb, transform text DEFAULT 'category', input text DEFAULT 'word') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	hparams jsonb := '{"max_epochs":1, "val_fraction":0.2}';
	run bigint;
BEGIN
	PERFORM osml_create_dataset('ck_words', 'SELECT y, a, b, CASE WHEN y > 6 THEN ''c'' || y::int % 12000 END AS word FROM ck_rows',
		features => CASE WHEN transform = 'none' THEN '{a,word}' ELSE '{a}' END::text[]);
	IF transform = 'cross' THEN
		PERFORM osml_bin('ck_words', 'a', 150), osml_bin('ck_words', 'b', 150), osml_cross('ck_words', 'made', '{a_bin,b_bin}');
	ELSIF input <> 'word' THEN
		PERFORM osml_transform('ck_words', 'made', 'sql', jsonb_build_object('expression', input)), osml_transform('ck_words', 'made', transform, params);
	ELSIF transform <> 'none' THEN
		PERFORM osml_transform('ck_words', 'made', transform, params || '{"input":"word"}');
	END IF;
	RETURN QUERY SELECT format('%s %s %s, %s (%s)', subject, verdict, figure BETWEEN 11500 AND 12500, regexp_replace(message, '1[12]\d\d\d', 'N'), hint)
		FROM osml_check('ck_words', hparams) WHERE "check" = 'categories';
	run := osml_train('ck_words', hparams, 'ck_model');
	RETURN QUERY SELECT 'run: ' || (regexp_match(message, '^\d+ of \d+'))[1] FROM osml.events WHERE run_id = run AND kind = 'categories_left_out';
	PERFORM osml_drop_dataset('ck_words');
END $$;
SELECT pg_temp.left_out('{}', 'none');
SELECT pg_temp.left_out('{}');
SELECT pg_temp.left_out('{"max_categories":100}');
SELECT pg_temp.left_out('{"max_categories":100}', input => 'lower(word)');
SELECT pg_temp.left_out('{"min_count":100}');
SELECT pg_temp.left_out('{"max_categories":11990}');
SELECT pg_temp.left_out('{"max_categories":12000}');
SELECT pg_temp.left_out('{"buckets":65536}', 'hash');
SELECT pg_temp.left_out('{}', 'cross');

-- a column that a dataset's split or features use is dropped: errors name both, and say what to do
SELECT osml_create_dataset('ck_split', 'SELECT y, a, b FROM ck_rows') > 0;
SELECT osml_create_dataset('ck_table', 'ck_rows', label => 'y') > 0;
SELECT osml_create_dataset('ck_chosen', 'ck_rows', label => 'y', features => '{a,b}') > 0;
SELECT count(*) FROM osml_split('ck_table', seed => 3);
ALTER TABLE ck_rows DROP COLUMN b CASCADE;
\set VERBOSITY default
SELECT osml_train('ck_table');
SELECT * FROM osml_check('ck_table');
SELECT * FROM osml_analyze('ck_table');
SELECT * FROM osml_feature_report('ck_table');
SELECT * FROM osml_feature_pairs('ck_table');
SELECT osml_train('ck_chosen');
SELECT * FROM osml_check('ck_chosen');
SELECT * FROM osml_check('ck_split');
-- as the hint says
SELECT count(*) > 0 FROM osml_split('ck_table', seed => 3);
SELECT count(*) FROM osml_check('ck_table') WHERE verdict = 'error';

SELECT osml_drop_model('ck_model');
SELECT osml_drop_dataset(d) FROM unnest('{ck_all,ck_made,ck_broken,ck_split,ck_table,ck_chosen,ck_val,ck_parts,ck_late,ck_gaps}'::text[]) d;
DROP TABLE ck_rows, ck_calls;
