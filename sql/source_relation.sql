-- Relations as sources: names, kinds, visibility.  Every relation holds a line
-- of its own, so a source taken for another shows in the weights.
CREATE SCHEMA srel;
SET search_path = srel, public;
SET client_min_messages = warning;
\pset tuples_only
\pset format unaligned

-- Train by least squares, and say what came out: model, weights, rows.
CREATE FUNCTION pg_temp.learn(source text, hparams jsonb DEFAULT '{}', model text DEFAULT NULL)
	RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	run bigint := osml_train(source, '{"optimizer": "exact"}' || hparams, model);
BEGIN
	RETURN (SELECT format('model %s: %s; %s rows', v.model,
			string_agg(concat(w.feature, ' ', round(w.weight::numeric, 6)::double precision), ', '
				ORDER BY w.position), v.train_rows)
		FROM osml.models v JOIN osml.weights w USING (model, version)
		WHERE v.run_id = run GROUP BY v.model, v.train_rows);
END
$$;

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

-- --- Names ---------------------------------------------------------------------

CREATE TABLE plain AS SELECT 2.0 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('plain');
SELECT pg_temp.learn('srel.plain');
SELECT pg_temp.learn(' srel . plain ');
SELECT pg_temp.learn('PLAIN');					-- folds, as in a query

CREATE TABLE "My ""big"" Table" AS SELECT 3 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('"My ""big"" Table"');
CREATE TABLE "PLAIN" AS SELECT 4 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('"PLAIN"');
CREATE TABLE "srel.plain" AS SELECT 5 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('"srel.plain"');
SELECT pg_temp.learn('srel."srel.plain"');
CREATE TABLE "select" AS SELECT 6 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('"select"');
CREATE TABLE "values" AS SELECT 7 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('values');
CREATE TABLE table_of_things AS SELECT 8 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('table_of_things');
CREATE SCHEMA "Other Schema";
CREATE TABLE "Other Schema"."Größe" AS SELECT 9 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('"Other Schema"."Größe"');

-- A name of 63 bytes; the 64th falls off, as in a query.
SELECT repeat('n', 63) AS longest \gset
CREATE TABLE :longest AS SELECT 10 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn(:'longest');
SELECT pg_temp.learn(:'longest' || 'n');

-- Column names.
SELECT repeat('c', 63) AS longest \gset
CREATE TABLE columns ("Y y" int, "select" int, "say ""hi""" int, "a.b" int, "UPPER" int, "it's" int,
	"%s" int, :longest int);
INSERT INTO columns
	SELECT a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8, a, b, c, d, e, f, g
	FROM (SELECT i % 7 AS a, i % 11 AS b, i % 13 AS c, i % 17 AS d, i % 19 AS e, i % 23 AS f, i % 29 AS g
		FROM generate_series(1, 500) i) s;
SELECT pg_temp.learn('columns');
SELECT pg_temp.learn('columns', '{"num_workers": 2}');
SELECT pg_temp.learn('columns', '{"label": "say \"hi\"", "features": ["it''s", "a.b"]}') LIKE '%it''s%, a.b%; 500 rows';

-- search_path decides between two of a name; what the run uses is the same in
-- the workers.
CREATE TABLE "Other Schema".plain AS SELECT 11 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SET search_path = "Other Schema", public;
SELECT pg_temp.learn('plain');
SELECT pg_temp.learn('plain', '{"num_workers": 2}');
SET search_path = srel, public;
SELECT pg_temp.learn('plain', '{"num_workers": 2}');
CREATE TEMP TABLE plain AS SELECT 12 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('plain');					-- pg_temp comes first
DROP TABLE pg_temp.plain;

-- --- Kinds ---------------------------------------------------------------------

CREATE VIEW a_view AS SELECT 13 * x + 1 AS y, x FROM plain WHERE x <= 90;
SELECT pg_temp.learn('a_view');
SELECT pg_temp.learn('a_view', '{"num_workers": 2}');
CREATE MATERIALIZED VIEW a_matview AS SELECT 14 * x + 1 AS y, x FROM plain WHERE x <= 80;
SELECT pg_temp.learn('a_matview');
SELECT pg_temp.learn('a_matview', '{"num_workers": 2}');
REFRESH MATERIALIZED VIEW a_matview WITH NO DATA;
SELECT pg_temp.outcome($$SELECT osml_train('a_matview')$$);

-- A partitioned table of two levels.  Leaves have another column order or a
-- dropped column; each holds a line of its own, so that a leaf left out or
-- read twice changes the result.
CREATE TABLE parted (y float8, x float8, part int) PARTITION BY LIST (part);
CREATE TABLE parted_1 (gone int, part int, x float8, y float8);
ALTER TABLE parted_1 DROP gone;
ALTER TABLE parted ATTACH PARTITION parted_1 FOR VALUES IN (1);
CREATE TABLE parted_2 PARTITION OF parted FOR VALUES IN (2) PARTITION BY RANGE (x);
CREATE TABLE parted_2a PARTITION OF parted_2 FOR VALUES FROM (0) TO (500);
CREATE TABLE parted_2b (x float8, y float8, part int);
ALTER TABLE parted_2 ATTACH PARTITION parted_2b FOR VALUES FROM (500) TO (1001);
CREATE TABLE parted_3 PARTITION OF parted FOR VALUES IN (3) PARTITION BY RANGE (x);	-- no leaf
CREATE TABLE parted_rest PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT 15 * i + 100 * (i % 3) + 1, i, i % 3 + CASE i % 3 WHEN 0 THEN 9 ELSE 0 END
	FROM generate_series(1, 1000) i;
SELECT pg_temp.learn('parted', '{"features": ["x"]}');
SELECT pg_temp.learn('parted', '{"features": ["x"], "num_workers": 1}');
SELECT pg_temp.learn('parted', '{"features": ["x"], "num_workers": 2}');
SELECT pg_temp.learn('parted', '{"features": ["x"], "num_workers": 9}');
SELECT count(DISTINCT fingerprint), min(train_rows), max(train_rows) FROM osml.models WHERE model = 'parted';
SELECT round(regr_slope(y, x)::numeric, 6) AS slope, round(regr_intercept(y, x)::numeric, 6) AS intercept FROM parted;
SELECT pg_temp.learn('parted_2', '{"features": ["x"], "num_workers": 2}');
SELECT pg_temp.learn('parted_1', '{"label": "y", "features": ["x"]}');
SELECT pg_temp.outcome($$SELECT osml_train('parted_3', '{"label": "y", "features": ["x"]}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('parted_3', '{"label": "y", "features": ["x"], "num_workers": 2}')$$);

-- Inheritance: the parent's rows and the children's.
CREATE TABLE parent AS SELECT 16 * i + 1 AS y, i AS x FROM generate_series(1, 50) i;
CREATE TABLE child (extra text) INHERITS (parent);
INSERT INTO child SELECT 16 * i + 1, i FROM generate_series(51, 80) i;
CREATE TABLE grandchild () INHERITS (child);
INSERT INTO grandchild SELECT 16 * i + 1, i FROM generate_series(81, 90) i;
SELECT pg_temp.learn('parent');
SELECT pg_temp.learn('parent', '{"num_workers": 2}');
SELECT pg_temp.learn('child', '{"features": ["x"], "num_workers": 2}');

-- Unlogged, and many blocks for several readers.
CREATE UNLOGGED TABLE wide AS SELECT 17 * i + 1 AS y, i AS x, repeat('.', 500) AS filler FROM generate_series(1, 30000) i;
SELECT pg_relation_size('wide') / current_setting('block_size')::int > 1500 AS many_blocks;
SELECT pg_temp.learn('wide', '{"features": ["x"]}');
SELECT pg_temp.learn('wide', '{"features": ["x"], "num_workers": 3}');
SELECT count(DISTINCT fingerprint) FROM osml.models WHERE model = 'wide';

-- A catalog is a table too.
SELECT pg_temp.learn('pg_catalog.pg_class', '{"label": "relpages", "features": ["relnatts"]}', 'class') ~ 'relnatts';

-- --- Temporary tables, rows that are not yet committed -------------------------

CREATE TEMP TABLE mine AS SELECT 18 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('mine');
SELECT pg_temp.learn('pg_temp.mine');
CREATE TEMP VIEW my_view AS SELECT * FROM mine WHERE x < 50;
SELECT pg_temp.learn('my_view');
SET client_min_messages = notice;
SELECT pg_temp.learn('mine', '{"num_workers": 2}');
SELECT pg_temp.learn('my_view', '{"num_workers": 2}');
SELECT pg_temp.learn('SELECT * FROM mine WHERE x < 40', '{"num_workers": 2}', 'mine');
SET client_min_messages = warning;
SELECT pg_temp.outcome($$SELECT osml_train('mine', wait => false)$$);
SELECT pg_temp.outcome($$SELECT osml_train('my_view', wait => false)$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM my_view', model => 'mine', wait => false)$$);

-- This session reads its own rows; readers see what is committed.
BEGIN;
INSERT INTO plain SELECT 2 * i + 1, i FROM generate_series(101, 150) i;
SELECT pg_temp.learn('plain');
SELECT pg_temp.learn('plain', '{"num_workers": 2}');
DELETE FROM plain WHERE x > 30;
SELECT pg_temp.learn('plain');
CREATE TABLE fresh AS SELECT 19 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;
SELECT pg_temp.learn('fresh');
SELECT pg_temp.outcome($$SELECT osml_train('fresh', '{"num_workers": 2}')$$);
SAVEPOINT s;
UPDATE fresh SET y = 20 * x;
SELECT pg_temp.learn('fresh');
ROLLBACK TO s;
SELECT pg_temp.learn('fresh');
ROLLBACK;
SELECT pg_temp.learn('plain');
-- The models of a transaction that was rolled back stay: trainers commit.
SELECT count(*) FROM osml.models WHERE model = 'fresh';
SELECT pg_temp.outcome($$SELECT osml_train('fresh')$$);

-- A cursor of the caller's and its position are not disturbed.
BEGIN;
DECLARE c CURSOR FOR SELECT x FROM plain ORDER BY x;
FETCH 2 FROM c;
SELECT pg_temp.learn('plain');
FETCH 1 FROM c;
COMMIT;

-- --- No relation ---------------------------------------------------------------

CREATE INDEX plain_x ON plain (x);
CREATE SEQUENCE a_sequence;
CREATE TYPE a_type AS (y int, x int);
CREATE TABLE no_columns ();
SELECT pg_temp.outcome($$SELECT osml_train('plain_x')$$);
SELECT pg_temp.outcome($$SELECT osml_train('a_sequence')$$);
SELECT pg_temp.outcome($$SELECT osml_train('a_type')$$);
SELECT pg_temp.outcome($$SELECT osml_train('no_columns')$$);
SELECT pg_temp.outcome($$SELECT osml_train('nowhere')$$);
SELECT pg_temp.outcome($$SELECT osml_train('srel.nowhere')$$);
SELECT pg_temp.outcome($$SELECT osml_train('noschema.plain')$$);
SELECT pg_temp.outcome($$SELECT osml_train('otherdb.srel.plain')$$);
SELECT pg_temp.outcome($$SELECT osml_train('a.b.c.d')$$);
SELECT pg_temp.outcome($$SELECT osml_train('two words')$$);
SELECT pg_temp.outcome($$SELECT osml_train('"open')$$);
SELECT pg_temp.outcome($$SELECT osml_train('')$$);
SELECT pg_temp.outcome($$SELECT osml_train(' ')$$);
SELECT pg_temp.outcome($$SELECT osml_train(NULL)$$);
SELECT pg_temp.outcome($$SELECT osml_train('s3://bucket/taxi/part-*.csv')$$);
SELECT pg_temp.outcome($$SELECT osml_train('file:///srv/taxi.csv')$$);
SELECT pg_temp.outcome($$SELECT osml_train('https://example.org/taxi.csv')$$);

-- Nothing of this left a run behind that still goes on.
SELECT status, count(*) FROM osml.runs WHERE model IN ('parted_3', 'a_matview', 'nowhere', 'plain') GROUP BY 1 ORDER BY 1;

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s; END $$;
DROP SCHEMA srel, "Other Schema" CASCADE;
