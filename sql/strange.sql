-- Strange inputs: each gives what is right, or an error that names what it is about.
CREATE SCHEMA sstrange;
SET search_path = sstrange, public;
SET client_min_messages = error;			-- no split of few rows is fair
SET TimeZone = 'UTC';
\pset tuples_only
\pset format unaligned

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
	RETURN concat_ws(E'\n', concat(SQLSTATE, ': ', regexp_replace(message, 'run \d+', 'run N')),
		'DETAIL: ' || NULLIF(detail, ''), 'HINT: ' || NULLIF(hint, ''));
END
$$;

-- Everything that reads rows, on one relation: what each step says, where it says anything.
CREATE FUNCTION pg_temp.every(source text, model text, hparams text DEFAULT '{}') RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	step text;
	said text;
BEGIN
	FOREACH step IN ARRAY ARRAY[
		'SELECT osml_train(%1$L, %4$L, %3$L)',
		'SELECT osml_analyze(%1$L)',
		'SELECT osml_feature_report(%1$L)',
		'SELECT osml_predict(%3$L, r) FROM %2$s AS r',
		'SELECT osml_explain(%3$L, r) FROM %2$s AS r LIMIT 1',
		'SELECT osml_predict_batch(%3$L, %1$L)',
		'SELECT osml_evaluate(%3$L, %1$L)',
		'SELECT osml_create_dataset(%3$L, %1$L)',
		'SELECT osml_transform_row(%3$L, r) FROM %2$s AS r LIMIT 1',
		'SELECT osml_split(%3$L, tries => 1)'] LOOP
		said := pg_temp.outcome(format(step, source, source, model, hparams));
		IF said <> 'no error' AND said !~ '^42704: (model|dataset|there is neither)' THEN
			RETURN NEXT concat(substring(step FROM 'osml_\w+'), ' ', said);
		END IF;
	END LOOP;
	RETURN QUERY SELECT format('osml_check %s: %s', subject, message)
		FROM osml_check(source, hparams::jsonb) WHERE verdict = 'error';
END
$$;

-- --- Names ----------------------------------------------------------------------------

CREATE SCHEMA "a ""schema.";
CREATE TABLE "a ""schema."."T.able 'of' %s;--" ("La.b""el" float8, "select" int, "1st" int,
	"ünï çødé ☃" float8, "a'b" text, "%s%n" float8, " " float8,
	"123456789012345678901234567890123456789012345678901234567890123" float8);
INSERT INTO "a ""schema."."T.able 'of' %s;--"
	SELECT 3 * i, i, i % 7, i % 5, chr(65 + i % 4), i % 11, i % 13, i % 17 FROM generate_series(1, 200) i;
SELECT pg_temp.every('"a ""schema."."T.able ''of'' %s;--"', 'a', '{"optimizer": "exact"}');
SELECT feature, round(weight::numeric, 9) FROM osml.weights WHERE model = 'a' AND position < 7 ORDER BY position;
SELECT pg_temp.outcome($$SELECT osml_train('"a ""schema."."T.able ''of'' %s;--"', '{"label": "Select"}')$$);

-- --- Columns that come, go and change -------------------------------------------------

CREATE TABLE moved (y float8, gone int, id int GENERATED ALWAYS AS IDENTITY, x float8,
	double float8 GENERATED ALWAYS AS (x * 2) STORED, gone_too text);
INSERT INTO moved (y, x) SELECT 3 * i + 1, i % 50 FROM generate_series(1, 200) i;
ALTER TABLE moved DROP COLUMN gone, DROP COLUMN gone_too;
ALTER TABLE moved ADD COLUMN late float8 DEFAULT 7;
SELECT pg_temp.every('moved', 'b');
ALTER TABLE moved ALTER x TYPE json USING '1', DROP COLUMN double CASCADE;
ALTER TABLE moved DROP COLUMN x;
SELECT pg_temp.outcome($$SELECT osml_predict('b', r) FROM moved AS r$$);

-- A row of a join can have two columns of one name.
SELECT osml_train('SELECT 2.0 * i AS y, i AS x FROM generate_series(1, 50) i', '{"optimizer": "exact"}', 'join') > 0;
SELECT pg_temp.outcome($$SELECT osml_predict('join', r) FROM (SELECT 1 AS x, 2 AS x) r$$);
SELECT pg_temp.outcome($$SELECT osml_explain('join', r) FROM (SELECT 1 AS x, 2 AS x) r$$);
SELECT round(osml_predict('join', r)::numeric, 9) FROM (SELECT 3 AS x, 1 AS z, 2 AS z) r;

-- --- Arrays ---------------------------------------------------------------------------

CREATE TABLE arrays (y float8, a float8[]);
INSERT INTO arrays SELECT i, '{}' FROM generate_series(1, 50) i;
SELECT pg_temp.every('arrays', 'c');
UPDATE arrays SET a = array_fill(y, ARRAY[1 + y::int % 3]);
SELECT pg_temp.outcome($$SELECT osml_train('arrays')$$);
UPDATE arrays SET a = ARRAY[y, NULL];
SELECT pg_temp.outcome($$SELECT osml_train('arrays')$$);
UPDATE arrays SET a = ARRAY[[y, 1], [2, 3]];			-- read row by row
SELECT pg_temp.every('arrays', 'd');
CREATE TABLE wide AS SELECT i::float8 AS y, (SELECT array_agg((hashint4(i * 2000 + k) / 2e9)::real)
	FROM generate_series(1, 2000) k) AS a FROM generate_series(1, 30) i;
SELECT osml_train('wide', '{"max_steps": 5}') > 0;
SELECT count(osml_predict('wide', wide)) FROM wide;

-- --- Numbers --------------------------------------------------------------------------

CREATE TABLE numbers AS SELECT i::float8 AS y, i::numeric AS x FROM generate_series(1, 50) i;
INSERT INTO numbers VALUES (1, 1e400);
SELECT pg_temp.every('numbers', 'e');
UPDATE numbers SET x = 'NaN' WHERE x > 50;
SELECT pg_temp.outcome($$SELECT osml_train('numbers')$$);
UPDATE numbers SET x = 1e308 WHERE x > 50;
SELECT pg_temp.outcome($$SELECT osml_train('numbers')$$);
-- so small that squares are 0: no constant column
UPDATE numbers SET x = y * 1e-310;
SELECT pg_temp.every('numbers', 'f');
SELECT pg_temp.outcome($$SELECT osml_train('numbers', '{"scale": "none", "max_steps": 1}', 's')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT x AS y, y AS x FROM numbers', '{}', 's')$$);
CREATE TABLE dates AS SELECT i::float8 AS y, date '4713-01-01 BC' + i AS d, timestamp '294276-12-31' - i * interval '1 s' AS t
	FROM generate_series(1, 50) i;
SELECT pg_temp.outcome($$SELECT osml_train('dates')$$);
UPDATE dates SET d = 'infinity' WHERE y = 7;
SELECT pg_temp.outcome($$SELECT osml_train('dates')$$);
SELECT pg_temp.outcome($$SELECT osml_train('dates', '{"on_nonfinite": "skip"}')$$);

-- --- Few rows, and columns that say nothing -------------------------------------------

CREATE TABLE few (y float8, x float8, k text);
SELECT pg_temp.every('few', 'g');
INSERT INTO few VALUES (1, 2, 'a');
SELECT pg_temp.every('few', 'h');
SELECT pg_temp.outcome($$SELECT osml_train('few', '{"model_type": "softmax"}')$$);
INSERT INTO few VALUES (2, 3, 'b');
SELECT pg_temp.every('few', 'i', '{"model_type": "mlp", "batch_norm_linear_layers": true}');
CREATE TABLE nothing (y float8);
SELECT pg_temp.every('nothing', 'j');

-- --- Types that are neither numbers nor texts -----------------------------------------

CREATE TYPE pair AS (a int, b text);
CREATE TABLE odd AS SELECT i::float8 AS y, interval '1 h' AS iv, i::money AS m, B'101' AS b, '10.0.0.1'::inet AS ip,
	'{}'::json AS j, ROW(i, 'x')::pair AS p, int4range(0, i) AS r FROM generate_series(1, 20) i;
SELECT pg_temp.outcome($$SELECT osml_train('odd')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT iv, y FROM odd', model => 'odd')$$);

-- --- 1,600 columns --------------------------------------------------------------------

DO $$ BEGIN
	EXECUTE (SELECT format('CREATE TABLE most AS SELECT i::float8 AS y, %s FROM generate_series(1, 100) i',
		string_agg(format('(hashint4(i * 1600 + %s) > 0) AS c%s', k, k), ', ')) FROM generate_series(1, 1599) k);
END $$;
SELECT osml_train('most', '{"max_steps": 5}', 'most') > 0;
SELECT count(*), count(DISTINCT round(osml_predict('most', most)::numeric, 6)) > 1 FROM most;
SELECT pg_temp.outcome($$SELECT osml_feature_report('most')$$);

-- --- A column called as an element of an array ----------------------------------------

CREATE TABLE elements AS SELECT 2 * (i % 7) AS y, ARRAY[i % 7, i % 5]::float8[] AS a, (i % 11)::float8 AS "a[1]",
	(i % 13)::float8 AS "a[3]", (i % 3)::float8 AS "a[01]" FROM generate_series(1, 500) i;
SELECT pg_temp.outcome($$SELECT osml_analyze('elements')$$);
SELECT pg_temp.outcome($$SELECT osml_train('elements')$$);
SELECT pg_temp.outcome($$SELECT osml_train('elements', '{"features": ["a[1]", "a"]}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('elements', '{"features": ["a"], "label": "a[1]"}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('elements', 'elements', 'y')$$);
-- Either is fine without the other, and so are names that no element has.
SELECT osml_create_dataset('elements', 'elements', 'y', '{a, a[3], a[01]}') > 0;
SELECT column_name, type, mean > 0 FROM osml_analyze('elements');
SELECT osml_train('SELECT y, "a[1]", "a[3]" FROM elements', '{"max_steps": 5}', 'elements') > 0;
-- Definitions: of the other column, under a name of its own only.
SELECT osml_transform('elements', 'other', 'sql', '{"expression": "\"a[1]\" + 1"}');
SELECT pg_temp.outcome($$SELECT osml_transform('elements', 'a[2]', 'sql', '{"expression": "\"a[1]\" + 1"}')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('elements', 'a[1]', 3)$$);
SELECT osml_train('elements', '{"max_steps": 5}', 'elements') > 0;
SELECT feature FROM osml.features WHERE model = 'elements' AND version = 2 ORDER BY position;

-- --- Hyperparameters of every wrong shape ---------------------------------------------

CREATE TABLE line AS SELECT 2.0 * i AS y, i AS x FROM generate_series(1, 20) i;
CREATE TABLE shapes (value jsonb);
INSERT INTO shapes VALUES ('null'), ('true'), ('-1'), ('1e308'), ('1e400'), ('1e-400'), ('9223372036854775808'),
	('""'), ('"NaN"'), ('"-Infinity"'), ('"☃"'), ('"%s%n"'), ('"[1,"'), ('"[[1]]"'), ('"1:2:3:4:5"'), ('"99999999999999999999:00"'),
	('[]'), ('[null]'), ('[[1], {}]'), ('["a", 1]'), ('{}'), ('{"a": null}'), ('{"a": {"b": [1]}}'),
	(to_jsonb(repeat('a', 1000000))), (to_jsonb(repeat('9', 1000000))), (to_jsonb('[' || repeat('1,', 100000) || '1]')),
	((repeat('[', 1000) || repeat(']', 1000))::jsonb);
-- a run of two steps for each hyperparameter and shape: all that is refused is refused as a user's mistake
SELECT left(o, 5) AS sqlstate, count(DISTINCT name) > 0 AS some
FROM (SELECT name, pg_temp.outcome(format('SELECT osml_train(''line'', %L, ''shape'')',
		jsonb_build_object(CASE name WHEN 'max_steps' THEN 'max_epochs' ELSE 'max_steps' END, 2, name, value))) AS o
	FROM osml_hparams(), shapes WHERE name NOT IN ('label', 'sample_weight', 'exposure', 'since', 'lr', 'weight_decay', 'drop_last', 'restart')) r
WHERE o <> 'no error' GROUP BY 1 ORDER BY 1;
SELECT pg_temp.outcome(format('SELECT osml_train(''line'', %L)', h)) FROM unnest(ARRAY['null', '[]', '1', '{"": 1}', '{"Lr": 1}',
	'{"max_batches": 1, "limit_train_batches": 2}', '{"betas": [0.9]}', '{"lr": {"a": 1}}', '{"max_time": "1:"}']) h;

SELECT count(osml_drop_model(model)) > 0 FROM (SELECT DISTINCT model FROM osml.models) m;
SELECT count(osml_drop_dataset(dataset)) > 0 FROM osml.datasets;
DROP SCHEMA sstrange, "a ""schema." CASCADE;
