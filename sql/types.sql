-- Column types: each is read as the number that SQL makes of it.
CREATE SCHEMA stypes;
SET search_path = stypes, public;
SET client_min_messages = warning;
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

CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN more_than_one AS positive CHECK (VALUE > 1);
CREATE DOMAIN fare AS numeric(8, 2);
CREATE DOMAIN vector AS float8[] CHECK (array_length(VALUE, 1) = 2);
CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');

-- number: what the value must be read as.
CREATE TABLE kinds (type text, value text, number text);
INSERT INTO kinds VALUES
	('smallint', 'i - 150', 'i - 150'),
	('integer', 'i * 1000003', 'i * 1000003'),
	('bigint', 'i * 10000000000', 'i * 10000000000.0'),
	('real', 'i / 4.0', 'i / 4.0'),
	('double precision', 'i / 3.0', 'i / 3.0'),
	('numeric', 'i / 8.0', 'i / 8.0'),
	('numeric(30,10)', 'i * 100000000.5', 'i * 100000000.5'),
	('boolean', 'i % 3 = 0', 'CASE WHEN i % 3 = 0 THEN 1 ELSE 0 END'),
	('date', $$date '1999-12-25' + i$$, $$date '1999-12-25' + i - date '1970-01-01'$$),
	('timestamp without time zone', $$timestamp '1969-12-31 12:00' + i * interval '7 minutes 30.5 seconds'$$,
		'i * 450.5 - 43200'),
	('timestamp with time zone', $$timestamptz '1970-01-01 05:45+05:45' + i * interval '1 hour'$$, 'i * 3600'),
	('positive', 'i', 'i'),
	('more_than_one', 'i + 1', 'i + 1'),
	('fare', 'i / 100.0', 'i / 100.0');

-- For each type a table with a column x of it, and a label that is a line over
-- the plain number: least squares must find the line, and predictions from the
-- row, from the batch and from an array of the type must agree.
CREATE FUNCTION pg_temp.check_feature(t text, value text, plain text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE TABLE kind AS SELECT i, 3 * (%s)::float8 + 7 AS y, (%s)::%s AS x FROM generate_series(1, 300) i',
		plain, value, t);
	PERFORM osml_train('kind', '{"optimizer": "exact", "label": "y", "features": ["x"]}', 'feature ' || t);
	-- to 1e-9 of the label's range, since a sum of large numbers rounds
	EXECUTE $q$
		SELECT format('stored as %s: slope %s, intercept %s; right %s, by batch %s, by array %s',
			(SELECT type FROM osml.features WHERE model = $1),
			(SELECT round(weight::numeric, 6)::float8 FROM osml.weights WHERE model = $1 AND position = 1),
			(SELECT round(weight::numeric, 3)::float8 FROM osml.weights WHERE model = $1 AND position = 0),
			count(*) FILTER (WHERE abs(osml_predict($1, kind) - y) < 1e-9 * top),
			count(*) FILTER (WHERE osml_predict($1, kind) = prediction),
			count(*) FILTER (WHERE osml_predict($1, kind) = osml_predict($1, ARRAY[x])))
		FROM kind, (SELECT max(abs(y)) AS top FROM kind) m, osml_predict_batch($1, 'kind', 'i') b
		WHERE b.key = i::text $q$ INTO result USING 'feature ' || t;
	DROP TABLE kind;
	RETURN result;
END
$$;
SELECT type, pg_temp.check_feature(type, value, number) FROM kinds;

-- The same the other way round: a label of the type.
CREATE FUNCTION pg_temp.check_label(t text, value text, plain text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE TABLE kind AS SELECT (%s)::%s AS y, (%s)::float8 / 4 - 1 AS x FROM generate_series(1, 300) i',
		value, t, plain);
	PERFORM osml_train('kind', '{"optimizer": "exact"}', 'label ' || t);
	SELECT format('stored as %s: slope %s, intercept %s', label_type, w.slope, w.intercept) INTO result
		FROM osml.models m, LATERAL (SELECT
			max(round(weight::numeric, 6)::float8) FILTER (WHERE position = 1) AS slope,
			max(round(weight::numeric, 3)::float8) FILTER (WHERE position = 0) AS intercept
			FROM osml.weights w WHERE w.model = m.model) w
		WHERE m.model = 'label ' || t;
	DROP TABLE kind;
	RETURN result;
END
$$;
SELECT type, pg_temp.check_label(type, value, number) FROM kinds;

-- Values at the ends of their types, over many powers of ten.
CREATE TABLE extremes (y float8, i2 smallint, i4 integer, i8 bigint, f4 real, f8 float8, n numeric, d date, ts timestamp);
INSERT INTO extremes VALUES
	(1, -32768, -2147483648, -9223372036854775808, 1e-37, 1e-300, 1e150, '4713-01-01 BC', '4713-01-01 BC'),
	(2, 32767, 2147483647, 9223372036854775807, 3e38, 1e150, -1e150, '5874897-12-31', '294276-12-31'),
	(3, 0, 0, 0, 0, 0, 1e-300, '1970-01-01', '1970-01-01');
SELECT osml_train('extremes', '{"max_batches": 1, "scale": "none", "lr": 0, "init": "zeros"}') > 0;
SELECT feature, rows, min, max FROM osml.features WHERE model = 'extremes' ORDER BY position;

-- numeric: beyond float8 it counts as an infinity; NaN is NaN.
CREATE TABLE big (y float8, x numeric);
INSERT INTO big VALUES (1, 2), (2, 1e400);
SELECT pg_temp.outcome($$SELECT osml_train('big')$$);
UPDATE big SET x = 'NaN' WHERE y = 2;
SELECT pg_temp.outcome($$SELECT osml_train('big')$$);
UPDATE big SET x = '-Infinity' WHERE y = 2;
SELECT pg_temp.outcome($$SELECT osml_train('big')$$);
UPDATE big SET x = 1e-400 WHERE y = 2;				-- too small is 0
SELECT osml_train('big', '{"optimizer": "exact"}') > 0;
SELECT round(weight::numeric, 9) FROM osml.weights WHERE model = 'big' ORDER BY position;

-- --- Arrays ------------------------------------------------------------------------

CREATE TABLE array_kinds (type text, value text, first text, second text);
INSERT INTO array_kinds
	SELECT t, 'ARRAY[i % 7, i % 11]', 'i % 7', 'i % 11' FROM unnest('{real[],double precision[],integer[],smallint[],bigint[],numeric[],vector}'::text[]) t;
INSERT INTO array_kinds VALUES
	('boolean[]', 'ARRAY[i % 7 > 3, i % 11 > 3]', '(i % 7 > 3)::int', '(i % 11 > 3)::int'),
	('date[]', $$ARRAY[date '1970-01-01' + i % 7, date '1970-01-01' + i % 11]$$, 'i % 7', 'i % 11'),
	('positive[]', 'ARRAY[i % 7 + 1, i % 11 + 1]', 'i % 7 + 1', 'i % 11 + 1'),
	('float8[][]', 'ARRAY[ARRAY[i % 7], ARRAY[i % 11]]', 'i % 7', 'i % 11'),
	('float8[]', $$('[5:6]={' || i % 7 || ',' || i % 11 || '}')$$, 'i % 7', 'i % 11');
CREATE FUNCTION pg_temp.check_array(t text, value text, first text, second text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE TABLE kind AS SELECT 2 * (%s) + 3 * (%s) + 4 * (i %% 13) AS y, (%s)::%s AS x, i %% 13 AS z
		FROM generate_series(1, 300) i', first, second, value, t);
	PERFORM osml_train('kind', '{"optimizer": "exact"}', 'array ' || t);
	EXECUTE $q$
		SELECT concat_ws('; ', string_agg(concat(feature, ' ', round(weight::numeric, 6)::float8), ', ' ORDER BY position),
			(SELECT count(*) FROM kind WHERE abs(osml_predict($1, kind) - y) < 1e-9))
		FROM osml.weights WHERE model = $1 AND position > 0 $q$ INTO result USING 'array ' || t;
	DROP TABLE kind;
	RETURN result;
END
$$;
SELECT type, pg_temp.check_array(type, value, first, second) FROM array_kinds;

CREATE TABLE vectors (y float8, x float8[]);
INSERT INTO vectors VALUES (1, '{1,2,3}'), (2, '{2,3,5}'), (3, '{3,5,8,13}'), (4, '{4,4,4}');
SELECT pg_temp.outcome($$SELECT osml_train('vectors')$$);
SELECT pg_temp.outcome($$SELECT osml_train('vectors', '{"num_workers": 1}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('vectors', '{"num_features": 4}')$$);
UPDATE vectors SET x = '{}' WHERE y = 3;
SELECT pg_temp.outcome($$SELECT osml_train('vectors')$$);
UPDATE vectors SET x = '{3,NULL,8}' WHERE y = 3;
SELECT osml_train('vectors', '{"max_epochs": 1, "num_features": 3}') > 0;
SELECT train_rows, skipped_rows FROM osml.models WHERE model = 'vectors';
SELECT pg_temp.outcome($$SELECT osml_train('vectors', '{"on_null": "error"}')$$);
UPDATE vectors SET x = NULL WHERE y < 3;			-- the length comes from a later row
SELECT osml_train('vectors', '{"max_epochs": 1}') > 0;
SELECT train_rows, skipped_rows FROM osml.models WHERE model = 'vectors' ORDER BY version DESC LIMIT 1;
UPDATE vectors SET x = NULL;
SELECT pg_temp.outcome($$SELECT osml_train('vectors')$$);
UPDATE vectors SET x = '{}';
SELECT pg_temp.outcome($$SELECT osml_train('vectors')$$);
DELETE FROM vectors;
SELECT pg_temp.outcome($$SELECT osml_train('vectors')$$);
-- At prediction: another length, a NULL in it, another element type.
INSERT INTO vectors VALUES (0, '{1,2,3}');
SELECT osml_predict('vectors', v) IS NOT NULL FROM vectors v;
SELECT osml_predict('vectors', v) IS NULL FROM (SELECT ARRAY[1, NULL, 3] AS x) v;
SELECT osml_predict('vectors', a) = osml_predict('vectors', b) FROM (SELECT ARRAY[1, 2, 3]::numeric[] AS x) a, (SELECT '{1,2,3}'::real[] AS x) b;
SELECT pg_temp.outcome($$SELECT osml_predict('vectors', v) FROM (SELECT ARRAY[1, 2] AS x) v$$);
SELECT pg_temp.outcome($$SELECT osml_predict('vectors', v) FROM (SELECT 1.0 AS x) v$$);
SELECT pg_temp.outcome($$SELECT osml_predict('vectors', v) FROM (SELECT '{a,b,c}'::text[] AS x) v$$);
SELECT pg_temp.outcome($$SELECT * FROM osml_predict_batch('vectors', 'SELECT 1 AS x')$$);
SELECT pg_temp.outcome($$SELECT * FROM osml_predict_batch('vectors', 'SELECT ARRAY[1, 2] AS x')$$);
-- A scalar feature meets an array.
SELECT pg_temp.outcome($$SELECT osml_predict('big', v) FROM (SELECT ARRAY[1.0] AS x) v$$);
SELECT pg_temp.outcome($$SELECT * FROM osml_predict_batch('big', 'SELECT ARRAY[1.0] AS x')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'big', val => 'SELECT 1 AS y, ARRAY[1.0] AS x')$$);

-- A label is one number.
SELECT pg_temp.outcome($$SELECT osml_train('vectors', '{"label": "x"}')$$);

-- Vectors stored out of line.
CREATE TABLE toasted (y float8, x real[]);
ALTER TABLE toasted ALTER x SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT 3 * i + 1, array_agg(CASE WHEN k = 1777 THEN i ELSE (i * k * 79) % 1000 END ORDER BY k)
	FROM generate_series(1, 200) i, generate_series(1, 2000) k GROUP BY i;
SELECT pg_relation_size(reltoastrelid) > 200 * 8000 FROM pg_class WHERE oid = 'toasted'::regclass;
SELECT osml_train('toasted', '{"max_epochs": 1, "batch_size": 50}') > 0;
SELECT count(*), count(*) FILTER (WHERE f.rows = 200) FROM osml.features f WHERE model = 'toasted';
SELECT feature, min, max FROM osml.features WHERE model = 'toasted' AND position IN (1, 1777, 2000) ORDER BY position;
SELECT count(*) FROM toasted t, osml_predict_batch('toasted', 'toasted', 'y') b
	WHERE b.key::float8 = y AND b.prediction = osml_predict('toasted', t);

-- --- Many columns -----------------------------------------------------------------

\set ECHO none
SELECT format('CREATE TABLE many (y float8, %s)', string_agg(format('c%s real', k), ', ' ORDER BY k))
	FROM generate_series(1, 1500) k \gexec
SELECT format('INSERT INTO many SELECT 2 * i + 1, %s FROM generate_series(1, 50) i',
	string_agg(CASE WHEN k = 1234 THEN 'i' ELSE format('(i * %s) %% 17', k) END, ', ' ORDER BY k))
	FROM generate_series(1, 1500) k \gexec
\set ECHO all
SELECT osml_train('many', '{"max_epochs": 3, "batch_size": 25}') > 0;
SELECT features, train_rows FROM osml.models WHERE model = 'many';
SELECT max(feature) FILTER (WHERE max = 50), count(*) FROM osml.features WHERE model = 'many';
SELECT osml_train('many', '{"optimizer": "exact", "features": ["c1234"]}', 'one of many') > 0;
SELECT round(weight::numeric, 6) FROM osml.weights WHERE model = 'one of many' ORDER BY position;
-- The limit, and one more.
SELECT pg_temp.outcome($$SELECT osml_train('SELECT 1.0 AS y, array_fill(1.0, ARRAY[5000]) AS a, array_fill(1.0, ARRAY[5000]) AS b, 1 AS c', model => 'too many')$$);

-- --- Columns that are not plain ----------------------------------------------------

CREATE TABLE odd (gone1 text, y float8, id int GENERATED ALWAYS AS IDENTITY, gone2 int,
	x float8, twice float8 GENERATED ALWAYS AS (2 * x * x) STORED, late float8 DEFAULT 5);
INSERT INTO odd (y, x) SELECT 0, i % 17 FROM generate_series(1, 100) i;
ALTER TABLE odd DROP gone1, DROP gone2, ADD added int DEFAULT 3;
UPDATE odd SET y = 2 * id + 3 * x + 4 * twice + added, late = 4, added = id % 5;
UPDATE odd SET y = y - 3 + 6 * added;
INSERT INTO odd (y, x, added) SELECT 2 * id + 3 * x + 4 * 2 * x * x + 6 * 4, x, 4 FROM (SELECT 100 + i AS id, i % 13 AS x FROM generate_series(1, 50) i) s;
SELECT osml_train('odd', '{"optimizer": "exact", "features": ["id", "x", "twice", "added"]}') > 0;
SELECT feature, round(weight::numeric, 6) FROM osml.weights WHERE model = 'odd' ORDER BY position;
SELECT count(*) FROM odd WHERE abs(osml_predict('odd', odd) - y) < 1e-9;
SELECT osml_train('odd') > 0;
SELECT string_agg(feature, ',' ORDER BY position) FROM osml.features WHERE model = 'odd' AND version = 2;
-- Type changed after training: prediction goes by name and by today's type.
ALTER TABLE odd ALTER added TYPE numeric;
SELECT osml_deploy('odd', 1);
SELECT count(*) FROM odd WHERE abs(osml_predict('odd', odd) - y) < 1e-9;

-- --- Types that are no numbers -------------------------------------------------------

CREATE TABLE words (y float8, x int, t text, v varchar(9), c char(3), j json, b jsonb, e mood, i interval, u uuid,
	m money, ti time, p point, bin bytea, ta text[], ea mood[], comp kinds, r int4range, o oid, bits bit(3));
-- Texts, enums and uuids are categories; the table is empty, so that is as far as it gets.
SELECT pg_temp.outcome($$SELECT osml_train('words')$$);
SELECT split_part(pg_temp.outcome(format($$SELECT osml_train('words', '{"features": ["x", "%s"]}')$$, attname)), E'\n', 1)
	FROM pg_attribute WHERE attrelid = 'words'::regclass AND attnum > 2 ORDER BY attnum;
SELECT pg_temp.outcome($$SELECT osml_train('words', '{"label": "e"}')$$);
SELECT pg_temp.outcome($$SELECT osml_predict('big', v) FROM (SELECT 'one'::text AS x) v$$);
SELECT pg_temp.outcome($$SELECT * FROM osml_predict_batch('big', $q$SELECT 'one'::text AS x$q$)$$);

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s; END $$;
DROP SCHEMA stypes CASCADE;
