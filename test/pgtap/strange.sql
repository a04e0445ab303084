-- strange.sql: numbers from strange columns. What is right is known in closed form: labels are
-- lines over the columns, so least squares has to find their slopes, and the noise that was
-- added bounds the error.
BEGIN;
SELECT plan(14);
SET client_min_messages = warning;
CREATE SCHEMA strange;
SET search_path = strange, public;

CREATE FUNCTION weight_is(model text, feature text, want float8, tolerance float8, name text) RETURNS text
LANGUAGE sql AS $$
	SELECT ok(abs(w.weight - want) <= tolerance, format('%s: %s, not %s', name, w.weight, want))
	FROM osml.weights w WHERE w.model = weight_is.model AND w.feature = weight_is.feature $$;

-- A label of 1e12 with noise of one: the noise (variance 1/12) is all that is left, within the 1.2e-4 of
-- its digits and five standard errors (0.0037 over 10,000 rows).
CREATE TABLE far AS SELECT 1e12::float8 + 3 * sin(i) + (hashint4(i) / 4294967296.0 + 0.5) AS y, sin(i) AS x
	FROM generate_series(1, 10000) i;
SELECT osml_train('far', '{"optimizer": "exact"}') AS run \gset
SELECT weight_is('far', 'x', 3, 0.03, 'slope under 1e12');
SELECT weight_is('far', '(intercept)', 1e12 + 0.5, 0.03, 'intercept of 1e12');
SELECT ok(abs(value - 1 / 12.0) < 0.006, 'mean square is the noise''s: ' || value)
	FROM osml_evaluate('far', 'far') WHERE metric = 'mse';
SELECT osml_train('far', '{}', 'far_adam') AS run \gset
SELECT ok(value < 1 / 12.0 + 0.01, 'so does AdamW: ' || value)
	FROM osml_evaluate('far_adam', 'far') WHERE metric = 'mse';

-- A feature of 1e12 that varies by one has its digits to 1.2e-4, and so the slope to 1e-4.
SELECT osml_train('SELECT 3 * sin(i) AS y, 1e12 + sin(i) AS x FROM generate_series(1, 2000) i',
	'{"optimizer": "exact"}', 'far_x') AS run \gset
SELECT weight_is('far_x', 'x', 3, 3e-3, 'slope over 1e12');

-- Two equal columns and a constant one: the solution of minimum norm shares the slope, and
-- nothing is laid on the constant.
CREATE TABLE twins AS SELECT 4.0 * i + 1 AS y, i AS a, i AS b, 7 AS c FROM generate_series(1, 100) i;
SELECT osml_train('twins', '{"optimizer": "exact"}') AS run \gset
SELECT weight_is('twins', 'a', 2, 1e-9, 'one twin');
SELECT weight_is('twins', 'b', 2, 1e-9, 'the other twin');
SELECT weight_is('twins', 'c', 0, 1e-9, 'a constant column');

-- A label that is one of the features.
SELECT osml_train('SELECT i AS y, i AS x, i % 7 AS z FROM generate_series(1, 100) i', '{"optimizer": "exact"}', 'same') AS run \gset
SELECT weight_is('same', 'x', 1, 1e-9, 'the label as feature');
SELECT weight_is('same', 'z', 0, 1e-9, 'and another feature');

-- One row is predicted; arrays of two dimensions are read row by row; 4713 BC is a date.
SELECT osml_train('SELECT 5.0 AS y, 2.0 AS x', '{}', 'one') AS run \gset
SELECT ok(osml_predict('one', 2.0) = 5, 'one row');
CREATE TABLE square AS SELECT 1.0 * i + 10 * (i % 5) + 100 * (i % 3) AS y, ARRAY[[i, i % 5], [i % 3, 0]] AS a FROM generate_series(1, 60) i;
SELECT osml_train('square', '{"optimizer": "exact"}') AS run \gset
SELECT ok(max(abs(osml_predict('square', r) - y)) < 1e-9, 'a matrix: ' || max(abs(osml_predict('square', r) - y)))
	FROM square AS r;
SELECT osml_train('SELECT 2.0 * i AS y, date ''4713-01-01 BC'' + i AS d FROM generate_series(1, 100) i', '{"optimizer": "exact"}', 'bc') AS run \gset
SELECT weight_is('bc', 'd', 2, 1e-9, 'days since 4713 BC');
SELECT ok(abs(osml_predict('bc', r) - 20) < 1e-6, 'and its prediction') FROM (SELECT date '4713-01-11 BC' AS d) r;

SELECT * FROM finish();
ROLLBACK;
