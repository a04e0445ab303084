-- osml_evaluate: each metric against the same in SQL, and which rows count.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;
-- metrics that are checked here; there may be others
\set amounts '{mse,rmse,mae,median_ae,mape,r2,explained_variance,huber,rows_used,rows_skipped}'

-- the model is y = 1 + 2x; where x is odd, it is 1 too low
CREATE TABLE ev_rows AS
	SELECT (1 + 2 * x + x % 2)::float8 AS y, x FROM generate_series(1, 1500) x;
CREATE VIEW ev_line AS SELECT (1 + 2 * x)::float8 AS y, x FROM ev_rows;
SELECT osml_train('ev_line', '{"optimizer":"exact"}', 'ev_model') > 0 AS trained;
SELECT metric, round(value::numeric, 6) AS value FROM osml_evaluate('ev_model', 'ev_rows') WHERE metric = ANY (:'amounts');
SELECT round(avg(e * e)::numeric, 6) AS mse, round(sqrt(avg(e * e))::numeric, 6) AS rmse,
	round(avg(abs(e))::numeric, 6) AS mae,
	round((1 - sum(e * e) / (var_pop(y) * count(*)))::numeric, 6) AS r2
	FROM (SELECT y, osml_predict('ev_model', r) - y AS e FROM ev_rows r) s;

-- rows without a label or a feature, or with one that is no number, do not count
SELECT metric, round(value::numeric, 6) AS value
	FROM osml_evaluate('ev_model', $$SELECT * FROM (VALUES (4.0::float8, 1::float8), (NULL, 2), (5, NULL),
		(5, 2), ('NaN', 3), (9, 'infinity')) v (y, x)$$) WHERE metric = ANY (:'amounts');
-- no rows, one row, a label that does not vary
SELECT * FROM osml_evaluate('ev_model', 'SELECT * FROM ev_rows WHERE x < 0') WHERE metric = ANY (:'amounts');
SELECT metric, round(value::numeric, 6) AS value
	FROM osml_evaluate('ev_model', 'SELECT * FROM ev_rows WHERE x = 1') WHERE metric = ANY (:'amounts');
SELECT metric, round(value::numeric, 6) AS value
	FROM osml_evaluate('ev_model', 'SELECT 7::numeric AS y, x FROM ev_rows WHERE x IN (2, 3)') WHERE metric = ANY (:'amounts');

-- a loss of the model's own that is no metric is shown under its name, in the label's units
SELECT osml_train('ev_rows', '{"loss":"huber", "huber_delta":0.25, "max_epochs":2}', 'ev_huber') > 0 AS trained;
SELECT metric FROM osml_evaluate('ev_huber', 'ev_rows') WHERE metric = ANY (:'amounts');
SELECT abs(value / expected - 1) < 1e-9 AS same
	FROM osml_evaluate('ev_huber', 'ev_rows'),
	(SELECT avg(CASE WHEN abs(e) <= 0.25 THEN e * e / 2 ELSE 0.25 * (abs(e) - 0.125) END) AS expected
		FROM (SELECT osml_predict('ev_huber', r) - y AS e FROM ev_rows r) s) h
	WHERE metric = 'huber';
SELECT osml_train('ev_rows', '{"loss":"mae", "max_epochs":2, "precision":"float32"}', 'ev_mae') > 0 AS trained;
SELECT metric, abs(value / expected - 1) < 1e-9 AS same
	FROM osml_evaluate('ev_mae', 'ev_rows'),
	(SELECT avg(abs(osml_predict('ev_mae', r) - y)) AS expected FROM ev_rows r) m
	WHERE metric = 'mae';

-- a model that imputes uses rows without a feature
CREATE TABLE ev_gaps AS SELECT y, nullif(x, 3) AS x FROM ev_rows WHERE x <= 20;
SELECT osml_train('ev_gaps', '{"max_epochs":2, "on_null":"mean"}', 'ev_gaps') > 0 AS trained;
SELECT metric, value FROM osml_evaluate('ev_gaps', 'ev_gaps') WHERE metric LIKE 'rows%';
SELECT metric, value FROM osml_evaluate('ev_model', 'ev_gaps') WHERE metric LIKE 'rows%';

-- a dataset stands for its test source, else val, else train
SELECT osml_create_dataset('ev_data', 'ev_rows', test => 'SELECT * FROM ev_rows WHERE x <= 10',
	val => 'SELECT * FROM ev_rows WHERE x <= 20') > 0 AS created;
SELECT value FROM osml_evaluate('ev_model', 'ev_data') WHERE metric = 'rows_used';
SELECT osml_drop_dataset('ev_data');
SELECT osml_create_dataset('ev_data', 'ev_rows', val => 'SELECT * FROM ev_rows WHERE x <= 20') > 0 AS created;
SELECT value FROM osml_evaluate('ev_model', 'ev_data') WHERE metric = 'rows_used';
SELECT osml_drop_dataset('ev_data');
SELECT osml_create_dataset('ev_data', 'ev_rows') > 0 AS created;
SELECT value FROM osml_evaluate('ev_model', 'ev_data') WHERE metric = 'rows_used';
SELECT osml_drop_dataset('ev_data');

-- errors
SELECT * FROM osml_evaluate('ev_mode', 'ev_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_evaluate('ev_model', 'ev_nowhere');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_evaluate('ev_model', 'SELECT x FROM ev_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_evaluate('ev_model', 'SELECT y, x::text FROM ev_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_evaluate('ev_model', 'SELECT y::text, x FROM ev_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_evaluate(NULL, 'ev_rows');
\echo :LAST_ERROR_SQLSTATE

SELECT osml_drop_model(m) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 'ev\_%') s (m);
DROP VIEW ev_line;
DROP TABLE ev_rows, ev_gaps;
