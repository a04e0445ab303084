-- demo.sql: from an empty database to predictions; `make demo` runs it.
\set ON_ERROR_STOP 1
\pset pager off
\pset footer off
\set ECHO queries

CREATE EXTENSION osml;
SET osml.progress_interval = '150ms';

\echo
\echo '-- A million taxi trips to learn from, and 100,000 that the model never sees.'
\set ECHO none
\ir dc_taxi.sql
\set ECHO queries
SELECT * FROM dc_taxi LIMIT 1 \gx
\timing on

\echo
\echo '-- Train. The label is the first column, the features are the others.'
SELECT osml_train('dc_taxi');

\echo
\echo '-- How good is it on trips it has not seen?'
SELECT * FROM osml_evaluate('dc_taxi', 'dc_taxi_test');

\echo
\echo '-- Predict: any row with the same column names will do.'
\timing off
SELECT fareamount, round(osml_predict('dc_taxi', t)::numeric, 2) AS predicted,
	year, hour
FROM dc_taxi_test AS t LIMIT 5;

\echo
\echo '-- What ran, and how it went.'
SELECT run_id, model, version, status, steps, rows_seen,
	ended_at - started_at AS took
FROM osml.runs;

SELECT DISTINCT ON (name) name, step, value
FROM osml.metrics
ORDER BY name, step DESC;
