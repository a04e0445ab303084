-- osml_analyze: each figure against the same in SQL, by any number of workers.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
CREATE SCHEMA sanalyze;
SET search_path = sanalyze, public;

-- 3,000 rows; noise is 1e9 plus at most 1e-3, whose digits a naive sum loses
CREATE TABLE cells AS
	SELECT i AS id, (i * 7919 % 3001)::float8 / 8 AS x,
		1e9::float8 + (i * 104729 % 1000003) * 1e-9 AS noise,
		CASE WHEN i % 10 = 0 THEN NULL ELSE i % 4 END AS few,
		(power(i * 7919 % 3001, 3) / 1e6)::numeric(20,6) AS skewed,
		2.5::float4 AS same, i % 3 = 0 AS flag, date '2020-01-01' + i % 365 AS day,
		CASE WHEN i % 7 = 0 THEN 'NaN' WHEN i % 11 = 0 THEN 'infinity'
			WHEN i % 13 = 0 THEN '-infinity' ELSE (i % 50)::float8 END AS odd,
		ARRAY[i, i % 5]::float8[] AS pair
	FROM generate_series(1, 3000) i;
SELECT osml_create_dataset('sa_cells', 'cells', 'x') > 0 AS created;
SELECT column_name, type, is_label, rows, nulls, nans, infinities, round(zero_share::numeric, 9) AS zero_share,
	CASE WHEN distinct_exact THEN distinct_values END AS distinct_values FROM osml_analyze('sa_cells');

-- long form of the columns: what SQL itself says, value by value
CREATE VIEW long AS
	SELECT c.name, c.v, r.x AS y FROM cells r, LATERAL (VALUES ('id', id::float8), ('noise', noise),
		('few', few), ('skewed', skewed), ('same', same), ('flag', flag::int), ('day', day - date '1970-01-01'),
		('odd', odd), ('pair[1]', pair[1]), ('pair[2]', pair[2]), ('x', x)) c (name, v)
	WHERE c.v <> 'NaN' AND abs(c.v) < 'infinity';

-- moments in numeric, which loses nothing; relative errors
WITH exact AS (
	SELECT name, avg(v::numeric) AS mean, var_pop(v::numeric) AS var, min(v) AS min, max(v) AS max, count(*) AS n
	FROM (SELECT name, (v - o)::numeric + o::numeric AS v FROM long, LATERAL (SELECT CASE name WHEN 'noise' THEN 1e9::float8 ELSE 0 END AS o) s) s
	GROUP BY name),
third AS (
	SELECT e.name, avg(((l.v - e.o)::numeric + e.o::numeric - e.mean) ^ 3) AS m3
	FROM long l JOIN (SELECT *, CASE name WHEN 'noise' THEN 1e9::float8 ELSE 0 END AS o FROM exact) e USING (name) GROUP BY e.name)
SELECT s.column_name, abs(s.mean - e.mean) <= 1e-15 * abs(e.mean) AS mean,
	abs(s.std - sqrt(e.var)) <= 1e-12 * sqrt(e.var) AS std,
	abs(s.skewness - CASE WHEN e.var = 0 THEN 0 ELSE t.m3 / e.var / sqrt(e.var) END) <= 1e-10 AS skewness,
	s.min = e.min AND s.max = e.max AS range
	FROM osml.statistics s JOIN exact e ON e.name = s.column_name JOIN third t ON t.name = s.column_name
	WHERE s.dataset = 'sa_cells' ORDER BY s.position;

-- quantiles: the sketch is within its error of the rank; correlation; distinct; histogram
SELECT s.column_name,
	(SELECT bool_and(q.v BETWEEN w.low AND w.high) FROM (VALUES (0.01, s.p01), (0.05, s.p05), (0.25, s.p25),
		(0.5, s.p50), (0.75, s.p75), (0.95, s.p95), (0.99, s.p99)) q (p, v),
		LATERAL (SELECT percentile_disc(greatest(q.p - 0.0025, 0)) WITHIN GROUP (ORDER BY l.v) AS low,
			percentile_disc(least(q.p + 0.0025, 1)) WITHIN GROUP (ORDER BY l.v) AS high
			FROM long l WHERE l.name = s.column_name) w) AS quantiles,
	(SELECT CASE WHEN s.is_label OR min(l.v) = max(l.v) THEN s.correlation IS NULL
		ELSE abs(corr(l.v - CASE s.column_name WHEN 'noise' THEN 1e9 ELSE 0 END, l.y) - s.correlation) < 1e-11 END
		FROM long l WHERE l.name = s.column_name) AS correlation,
	(SELECT abs(count(DISTINCT l.v) - s.distinct_values) <= CASE WHEN s.distinct_exact THEN 0 ELSE 0.03 * count(DISTINCT l.v) END
		FROM long l WHERE l.name = s.column_name) AS distinct_values,
	(SELECT sum(h) FROM unnest(s.histogram) h) AS histogram
	FROM osml.statistics s WHERE s.dataset = 'sa_cells' ORDER BY s.position;

-- few values: all is exact
CREATE TABLE small AS SELECT i AS y, (i * 37 % 101)::float8 - 50 AS v, NULL::int AS nothing FROM generate_series(1, 1000) i;
SELECT s.p01 = q[1] AND s.p05 = q[2] AND s.p25 = q[3] AND s.p50 = q[4] AND s.p75 = q[5] AND s.p95 = q[6] AND s.p99 = q[7] AS quantiles,
	s.histogram = (SELECT array_agg(n ORDER BY b) FROM (SELECT b, count(v) AS n FROM generate_series(1, 20) b
		LEFT JOIN small ON b = least(floor((v + 50) / 5) + 1, 20) GROUP BY b) h) AS histogram,
	s.top_values, s.top_counts, s.top_error, s.distinct_values, s.distinct_exact
	FROM osml_analyze('small') s,
		(SELECT percentile_disc(ARRAY[0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99]) WITHIN GROUP (ORDER BY v) AS q FROM small) t
	WHERE s.column_name = 'v';
SELECT * FROM osml_analyze('small') WHERE column_name = 'nothing' \gx
SELECT column_name, rows, mean, p50, histogram, distinct_values, top_values FROM osml_analyze('SELECT * FROM small WHERE false');
-- deviations whose squares are beyond a double: no figure, rather than a wrong one
SELECT column_name, std IS NULL AS std, skewness IS NULL AS skewness, correlation FROM osml_analyze('SELECT i::float8 AS y, i * 1e-200 AS tiny,
	i * 1e-100 AS small, i * 1e-90 AS little, i * 1e90::float8 AS much, i * 1e297::float8 AS huge, 1e-200 + i * 0 AS same FROM generate_series(1, 100) i');
-- a relation keeps nothing, nor does a SELECT
SELECT DISTINCT dataset FROM osml.statistics WHERE owner = current_user;

-- texts: distinct and top values; one that is too long to be kept
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE words AS
	SELECT i AS y, CASE WHEN i % 5 > 0 THEN 'w' || i % 12 ELSE NULL END AS word, (ARRAY['sad', 'glad'])[1 + i % 2]::mood AS mood,
		'id ' || i AS name, CASE WHEN i % 4 = 0 THEN repeat('long', 300) ELSE '' END AS long
	FROM generate_series(1, 5000) i;
SELECT osml_create_dataset('sa_words', 'words', 'y') > 0 AS created;
SELECT column_name, type, rows, nulls, nans, mean, correlation, p50, histogram,
	CASE WHEN distinct_exact THEN distinct_values ELSE round(distinct_values, -3) END AS distinct_values, distinct_exact,
	CASE WHEN distinct_exact THEN top_values END AS top_values, CASE WHEN distinct_exact THEN top_counts END AS top_counts,
	top_error <= rows / 500 AS top_error
	FROM osml_analyze('sa_words') WHERE NOT is_label;
SELECT array_agg(word ORDER BY n DESC, word) = (SELECT top_values FROM osml.statistics WHERE column_name = 'word') AS top_values,
	array_agg(n ORDER BY n DESC, word) = (SELECT top_counts FROM osml.statistics WHERE column_name = 'word') AS top_counts
	FROM (SELECT word, count(*) AS n FROM words WHERE word IS NOT NULL GROUP BY word ORDER BY n DESC, word LIMIT 10) s;

-- several shards of 512 pages: the same to the bit whoever reads them
CREATE TABLE wide WITH (fillfactor = 10) AS
	SELECT i * 0.37 AS y, sin(i) AS a, 1e9 + cos(i) * 1e-3 AS b, 'k' || i * 7919 % 700 AS k,
		CASE WHEN i % 9 > 0 THEN i * i % 10007 END AS c
	FROM generate_series(1, 20000) i;
SELECT pg_relation_size('wide') / current_setting('block_size')::int > 1024 AS several_shards;
CREATE TABLE by_none AS SELECT * FROM osml_analyze('wide');
CREATE TABLE by_one AS SELECT * FROM osml_analyze('wide', 1);
CREATE TABLE by_three AS SELECT * FROM osml_analyze('wide', num_workers => 3);
SELECT count(*), bool_and(n::text = o::text) AS one, bool_and(n::text = t::text) AS three
	FROM by_none n JOIN by_one o USING (column_name) JOIN by_three t USING (column_name);
SELECT s.column_name, s.rows, s.rows - count(v) = s.nulls AS nulls, abs(s.mean - s.o - avg(v - s.o)) < greatest(1e-12 * (s.max - s.min), 2e-16 * s.o) AS mean,
	abs(s.std / stddev_pop(v - s.o) - 1) < 1e-12 AS std, abs(s.correlation - corr(v - s.o, l)) < 1e-12 AS correlation,
	abs(s.distinct_values::float8 / count(DISTINCT v) - 1) < 0.03 AS distinct_values
	FROM (SELECT *, CASE column_name WHEN 'b' THEN 1e9::float8 ELSE 0 END AS o FROM by_three) s,
		LATERAL (SELECT CASE s.column_name WHEN 'y' THEN y WHEN 'a' THEN a WHEN 'b' THEN b ELSE c END AS v, y AS l FROM wide) w
	WHERE s.mean IS NOT NULL GROUP BY s.column_name, s.rows, s.mean, s.std, s.correlation, s.nulls, s.min, s.max, s.o, s.distinct_values ORDER BY 1;
SELECT count(*) FROM wide, by_three s WHERE s.column_name = 'k' AND k = ANY (s.top_values[1:1]) HAVING count(*) BETWEEN min(s.top_counts[1]) AND min(s.top_counts[1] + s.top_error);
-- what a worker may read is what the session sees: rows of its own transaction
BEGIN;
INSERT INTO wide SELECT -1, -1, -1, 'new' FROM generate_series(1, 1000);
SELECT rows, min FROM osml_analyze('wide', 2) WHERE is_label;
ROLLBACK;
-- without a free worker the session reads
SET max_parallel_workers = 0;
SELECT bool_and(n::text = a::text) AS none_free FROM by_none n JOIN osml_analyze('wide', 2) a USING (column_name);
RESET max_parallel_workers;
-- a partitioned table, whose empty leaf is a shard too
CREATE TABLE parts (y float8, x int) PARTITION BY RANGE (x);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (100) TO (200);
CREATE TABLE parts_3 PARTITION OF parts FOR VALUES FROM (200) TO (300);
INSERT INTO parts SELECT i / 3.0, i FROM generate_series(0, 199) i;
SELECT column_name, rows, min, max, p50, round(correlation::numeric, 12) AS correlation FROM osml_analyze('parts', 2);
-- views, queries, temporary tables and row security are the session's to read, and a notice says so
SET client_min_messages = notice;
CREATE VIEW seen AS SELECT y, a FROM wide WHERE y < 100;
CREATE TEMP TABLE brief AS SELECT * FROM parts;
SELECT rows FROM osml_analyze('seen', 2) WHERE is_label;
SELECT rows FROM osml_analyze('brief', 2) WHERE is_label;
SELECT rows FROM osml_analyze('SELECT * FROM wide', 2) WHERE is_label;
CREATE ROLE sa_reader;
GRANT USAGE ON SCHEMA sanalyze TO sa_reader;
GRANT SELECT ON wide, words TO sa_reader;
ALTER TABLE wide ENABLE ROW LEVEL SECURITY;
CREATE POLICY half ON wide TO sa_reader USING (y < 100);
SET ROLE sa_reader;
SELECT rows FROM osml_analyze('wide', 2) WHERE is_label;
SELECT rows FROM osml_analyze('words', 2) WHERE is_label;
SET client_min_messages = warning;
-- a dataset's statistics are its owner's to see
SELECT count(*) FROM osml.statistics;
SELECT * FROM osml_analyze('sa_words');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;

-- definitions: an expression is a column; a column that is read twice is shown once, as the number that it is
CREATE TABLE trips AS SELECT i AS fare, i % 24 AS hour, date '1970-01-01' + i % 3 AS day, 'zone ' || i % 6 AS zone FROM generate_series(1, 480) i;
SELECT osml_create_dataset('sa_trips', 'trips') > 0 AS created;
SELECT osml_transform('sa_trips', 'night', 'sql', '{"expression": "CASE WHEN hour < 6 THEN 1 ELSE 0 END"}');
SELECT osml_transform('sa_trips', 'hour', 'category');
SELECT osml_transform('sa_trips', 'weekday', 'date_part', '{"input": "day", "part": "dow"}');
SET client_min_messages = notice;
SELECT column_name, type, rows, mean, distinct_values FROM osml_analyze('sa_trips', 2);
SET client_min_messages = warning;
-- again: the rows are replaced
DELETE FROM trips WHERE fare > 240;
SELECT count(*) FROM osml_analyze('sa_trips');
SELECT column_name, rows FROM osml.statistics WHERE dataset = 'sa_trips' ORDER BY position;
SELECT osml_drop_dataset('sa_trips');
SELECT count(*) FROM osml.statistics WHERE dataset = 'sa_trips';

-- errors, a worker's among them
CREATE TABLE ragged AS SELECT i AS y, CASE WHEN i = 700 THEN '{1}' ELSE '{1,2}' END::int[] AS a FROM generate_series(1, 1000) i;
\set SHOW_CONTEXT errors
SELECT * FROM osml_analyze('ragged', 2);
\set SHOW_CONTEXT never
\echo :LAST_ERROR_SQLSTATE
-- whose error it is: a dataset's with its definitions and rights, a query's
\set SHOW_CONTEXT errors
SELECT osml_create_dataset('sa_bad', 'SELECT y, a[1] AS a FROM ragged') > 0 AS created;
SELECT osml_transform('sa_bad', 'q', 'sql', '{"expression": "1 / (a - 1)"}');
SELECT * FROM osml_analyze('sa_bad');
SELECT osml_drop_dataset('sa_bad');
SELECT * FROM osml_analyze('SELECT 1 / (3 - i) AS y, i FROM generate_series(1, 5) i');
SET ROLE sa_reader;
SELECT osml_create_dataset('sa_theirs', 'words') > 0 AS created;
RESET ROLE;
REVOKE SELECT ON words FROM sa_reader;
SET ROLE sa_reader;
SELECT * FROM osml_analyze('sa_theirs');
SELECT osml_drop_dataset('sa_theirs');
RESET ROLE;
\set SHOW_CONTEXT never
SELECT * FROM osml_analyze('nowhere');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_analyze('words', -1);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_analyze(NULL);
\echo :LAST_ERROR_SQLSTATE

-- Memory is bounded: by the columns, and by the workers that come with sketches of their own.
SET osml.max_memory = '1MB';
SELECT * FROM osml_analyze('cells');
\echo :LAST_ERROR_SQLSTATE
SELECT count(*) FROM osml_analyze('SELECT x, noise FROM cells');
SET osml.max_memory = '6MB';
SELECT count(*) FROM osml_analyze('cells');
SELECT * FROM osml_analyze('cells', 4);
\echo :LAST_ERROR_SQLSTATE
RESET osml.max_memory;

SELECT osml_drop_dataset(d) FROM (VALUES ('sa_cells'), ('sa_words')) s (d);
DROP SCHEMA sanalyze CASCADE;
DROP ROLE sa_reader;
