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
\echo '-- Better features: how far a trip goes, which cell of a grid it starts and ends in,'
\echo '-- and each hour by itself. Definitions are rows; a model keeps those it was trained with.'
SELECT osml_create_dataset('trips', 'dc_taxi');
SELECT osml_transform('trips', 'miles', 'great_circle', '{"unit": "mi", "inputs":
	["origin_block_latitude", "origin_block_longitude",
	 "destination_block_latitude", "destination_block_longitude"]}');
SELECT osml_bin('trips', ARRAY['origin_block_latitude', 'destination_block_latitude'], 20);
SELECT osml_bin('trips', ARRAY['origin_block_longitude', 'destination_block_longitude'], 20);
SELECT osml_cross('trips', 'origin',
	ARRAY['origin_block_latitude_bin', 'origin_block_longitude_bin']);
SELECT osml_cross('trips', 'destination',
	ARRAY['destination_block_latitude_bin', 'destination_block_longitude_bin']);
SELECT osml_transform('trips', 'hour', 'category');
SELECT feature, transform, inputs, params FROM osml.definitions WHERE dataset = 'trips';
\timing on
SELECT osml_train('trips');
SELECT * FROM osml_evaluate('trips', 'dc_taxi_test');
\timing off
SELECT fareamount, round(osml_predict('dc_taxi', t)::numeric, 2) AS predicted,
	round(osml_predict('trips', t)::numeric, 2) AS with_features
FROM dc_taxi_test AS t LIMIT 5;

\echo
\echo '-- What ran, and how it went.'
SELECT run_id, model, version, status, steps, rows_seen,
	ended_at - started_at AS took
FROM osml.runs;

SELECT DISTINCT ON (name) name, step, value
FROM osml.metrics
ORDER BY name, step DESC;
