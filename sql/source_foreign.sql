-- Foreign tables as sources: a program's output through file_fdw, and this
-- very database through postgres_fdw.
SELECT count(*) < 2 AS no_fdw FROM pg_available_extensions
	WHERE name IN ('file_fdw', 'postgres_fdw') \gset
\if :no_fdw
\echo '# SKIP needs file_fdw and postgres_fdw'
\quit
\endif
CREATE SCHEMA sforeign;
SET search_path = sforeign, public;
SET client_min_messages = warning;
\pset tuples_only
\pset format unaligned

CREATE EXTENSION file_fdw SCHEMA sforeign;
CREATE EXTENSION postgres_fdw SCHEMA sforeign;

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

-- --- file_fdw ------------------------------------------------------------------

CREATE SERVER files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE "A File" (y float8, x int) SERVER files
	OPTIONS (program 'i=0; while [ $i -lt 100 ]; do echo $((3 * i + 2)),$i; i=$((i + 1)); done', format 'csv');
SELECT pg_temp.learn('"A File"');
SELECT pg_temp.learn('"A File"', '{"num_workers": 2}');
SELECT round(osml_predict('A File', f)::numeric, 6) = f.y FROM "A File" f WHERE x = 7;

-- Empty fields are NULLs, and a line that is no number is the wrapper's error.
CREATE FOREIGN TABLE holes (y float8, x int) SERVER files
	OPTIONS (program 'i=0; while [ $i -lt 50 ]; do echo $((4 * i + 2)),$i; echo ,$i; i=$((i + 1)); done', format 'csv');
SELECT pg_temp.learn('holes');
CREATE FOREIGN TABLE broken (y float8, x int) SERVER files
	OPTIONS (program 'echo 1,2; echo 2,3; echo 3,three', format 'csv');
SELECT pg_temp.outcome($$SELECT osml_train('broken')$$);
SELECT pg_temp.outcome($$SELECT osml_train('broken', '{"num_workers": 1}')$$);
CREATE FOREIGN TABLE no_lines (y float8, x int) SERVER files OPTIONS (program 'true', format 'csv');
SELECT pg_temp.outcome($$SELECT osml_train('no_lines')$$);

-- --- postgres_fdw ----------------------------------------------------------------

SELECT split_part(current_setting('unix_socket_directories'), ',', 1) AS host,
	current_setting('port') AS port, current_database() AS dbname, current_user AS me \gset
CREATE SERVER loopback FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host :'host', port :'port', dbname :'dbname');
CREATE USER MAPPING FOR CURRENT_USER SERVER loopback OPTIONS (user :'me');

CREATE TABLE far AS SELECT i AS id, 5 * i + 2 AS y, i AS "The X" FROM generate_series(1, 5000) i;
CREATE FOREIGN TABLE near (label int OPTIONS (column_name 'y'), x int OPTIONS (column_name 'The X'))
	SERVER loopback OPTIONS (schema_name 'sforeign', table_name 'far');
SELECT pg_temp.learn('near');
SELECT pg_temp.learn('near', '{"num_workers": 2}');
SELECT count(DISTINCT fingerprint) FROM osml.models WHERE model = 'near';
SELECT pg_temp.learn('SELECT n.label, n.x, f.id * f.id AS id2 FROM near n JOIN far f ON f.id = n.x', model => 'joined');

-- By steps, where neither memory nor spill holds it: read again each epoch.
INSERT INTO far SELECT i, 5 * i + 2, i FROM generate_series(5001, 60000) i;
SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
SELECT osml_train('near', '{"max_epochs": 8, "lr": 0.1}', 'foreign_steps') > 0;
RESET osml.max_memory;
RESET osml.max_spill;
SELECT message FROM osml.events JOIN osml.runs USING (run_id) WHERE model = 'foreign_steps';
SELECT rows_seen FROM osml.runs WHERE model = 'foreign_steps';
SELECT round(weight::numeric, 1) FROM osml.weights WHERE model = 'foreign_steps' AND feature = 'x';

-- A partitioned table with a leaf here, one on the other server and one in a
-- program.
CREATE TABLE mixed (y float8, x int) PARTITION BY RANGE (x);
CREATE TABLE mixed_here PARTITION OF mixed FOR VALUES FROM (0) TO (1000);
INSERT INTO mixed SELECT 6 * i + 1, i FROM generate_series(0, 999) i;
CREATE TABLE remote_leaf AS SELECT 6.0::float8 * i + 31 AS y, i AS x FROM generate_series(1000, 1999) i;
CREATE FOREIGN TABLE mixed_there PARTITION OF mixed FOR VALUES FROM (1000) TO (2000)
	SERVER loopback OPTIONS (schema_name 'sforeign', table_name 'remote_leaf');
CREATE FOREIGN TABLE mixed_file PARTITION OF mixed FOR VALUES FROM (2000) TO (3000) SERVER files
	OPTIONS (program 'i=2000; while [ $i -lt 2100 ]; do echo $((6 * i)),$i; i=$((i + 1)); done', format 'csv');
SELECT pg_temp.learn('mixed');
SELECT pg_temp.learn('mixed', '{"num_workers": 2}');
SELECT round(regr_intercept(y, x)::numeric, 6), round(regr_slope(y, x)::numeric, 6), count(*) FROM mixed;
SELECT count(DISTINCT fingerprint) FROM osml.models WHERE model = 'mixed';

-- The other side fails.
CREATE FOREIGN TABLE gone (y int, x int) SERVER loopback OPTIONS (schema_name 'sforeign', table_name 'not_there');
SELECT pg_temp.outcome($$SELECT osml_train('gone')$$);
CREATE VIEW half AS SELECT y, 1 / (500 - id) AS x FROM far;
CREATE FOREIGN TABLE half_way (y int, x int) SERVER loopback OPTIONS (schema_name 'sforeign', table_name 'half');
SELECT pg_temp.outcome($$SELECT osml_train('half_way')$$);
SELECT pg_temp.outcome($$SELECT osml_train('half_way', '{"num_workers": 1}')$$);

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s; END $$;
DROP SCHEMA sforeign CASCADE;
