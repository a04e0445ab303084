-- osml_explain: attributions add up, and are what a linear model's weights say.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

CREATE TABLE xp_rows AS
	SELECT i AS id, (3 * a - b + CASE c WHEN 'x' THEN 5 ELSE -1 END + a * b / 4.0)::float8 AS y,
		a::float8, nullif(b, 9) AS b, nullif(c, 'z') AS c, ARRAY[a, b % 3]::float8[] AS v, h
	FROM (SELECT i, i * 7 % 11 AS a, i * i % 10 AS b, (ARRAY['x', 'y', 'w', 'z'])[1 + i % 4] AS c, i % 24 AS h
		FROM generate_series(1, 800) i) s;
SELECT osml_create_dataset('xp_data', 'xp_rows', 'y', '{a,b,c,v}',
	options => '{"max_epochs": 5, "on_null": "mean"}') > 0 AS created;
SELECT osml_transform('xp_data', 'clock', 'cyclic', '{"input": "h", "period": 24}');
SELECT osml_bin('xp_data', 'a', 3);
SELECT osml_cross('xp_data', 'cell', ARRAY['a_bin', 'c']);
SELECT osml_train('xp_data', '{}', 'xp_linear') > 0 AS linear,
	osml_train('xp_data', '{"precision": "float32"}', 'xp_narrow') > 0 AS narrow,
	osml_train('xp_data', '{"model_type": "mlp"}', 'xp_net') > 0 AS net,
	osml_train('xp_data', '{"model_type": "mlp", "activation": "gelu", "batch_norm_linear_layers": true}', 'xp_norm') > 0 AS norm;

-- one row a feature, an element of an array each
SELECT feature, value, category FROM osml_explain('xp_linear', (SELECT r FROM xp_rows r WHERE id = 4));

-- baseline and attributions are the prediction: to rounding for linear models (relative to what
-- they add), to a millionth of it for networks; float32 rounds the prediction itself
CREATE FUNCTION xp_sums(model text, OUT rows bigint, OUT sums bigint, OUT predictions bigint, OUT errors bigint, OUT baselines bigint)
LANGUAGE sql AS $$
	SELECT count(*), count(*) FILTER (WHERE abs(off) <= tolerance * size),
		count(*) FILTER (WHERE prediction = osml_predict($1, r)),
		count(*) FILTER (WHERE abs(abs(off) - error) <= 1e-12 * size), count(DISTINCT baseline)
	FROM (SELECT r, prediction_value AS prediction, max(approximation_error) AS error, baseline_prediction_value AS baseline,
			baseline_prediction_value + sum(attribution) - prediction_value AS off,
			abs(baseline_prediction_value) + sum(abs(attribution)) AS size,
			CASE $1 WHEN 'xp_linear' THEN 1e-14 ELSE 1e-6 END AS tolerance
		FROM xp_rows r, osml_explain($1, r) GROUP BY r, prediction_value, baseline_prediction_value) s
$$;
SELECT model, s.* FROM unnest(ARRAY['xp_linear', 'xp_narrow', 'xp_net', 'xp_norm']) model, xp_sums(model) s;

-- a linear model: weight times distance from the mean of the training rows, category weights
-- less their mean by frequency
SELECT e.feature, count(*) AS rows, bool_and(abs(e.attribution - w.weight * (COALESCE(e.value, f.mean) - f.mean)) < 1e-10) AS right
	FROM xp_rows r, osml_explain('xp_linear', r) e
		JOIN osml.weights w ON w.model = 'xp_linear' AND w.feature = e.feature AND w.category IS NULL
		JOIN osml.features f ON f.model = 'xp_linear' AND f.feature = e.feature
	GROUP BY 1 ORDER BY 1;
SELECT e.feature, count(*) AS rows, bool_and(abs(e.attribution - (w.weight - m.weight)) < 1e-10) AS right
	FROM xp_rows r, osml_explain('xp_linear', r) e
		JOIN osml.weights w ON w.model = 'xp_linear' AND w.feature = e.feature AND w.category = e.category
		JOIN (SELECT b.feature, sum(b.count * w.weight) / sum(b.count) AS weight FROM osml.bins b
			JOIN osml.weights w USING (model, feature, category) WHERE b.model = 'xp_linear' GROUP BY 1) m ON m.feature = e.feature
	GROUP BY 1 ORDER BY 1;
-- what the mean prediction is: a linear model's baseline, the average row's
SELECT round((baseline_prediction_value - (SELECT avg(osml_predict('xp_linear', r)) FROM xp_rows r))::numeric, 9) AS difference
	FROM osml_explain('xp_linear', (SELECT r FROM xp_rows r WHERE id = 1)) LIMIT 1;

-- classes: log odds of the second of two; of more the score of the most probable less the mean of all
SELECT osml_train('SELECT c AS label, a, v FROM xp_rows WHERE c IS NOT NULL', '{"max_epochs": 3}', 'xp_classes') > 0 AS classes,
	osml_train('SELECT a > 4 AS label, b, c FROM xp_rows', '{"max_epochs": 3, "on_null": "mean"}', 'xp_odds') > 0 AS odds,
	osml_train('SELECT a::int AS label, h, c FROM xp_rows', '{"max_epochs": 3, "model_type": "poisson"}', 'xp_counts') > 0 AS counts;
SELECT count(DISTINCT id) AS rows, bool_and(e.class = osml_predict_class('xp_classes', r)) AS most_probable,
	bool_and(abs(prediction_value - (SELECT max(ln(p)) - avg(ln(p)) FROM unnest(osml_predict_proba('xp_classes', r)) p)) < 1e-12) AS centred
	FROM xp_rows r, osml_explain('xp_classes', r) e;
-- what all classes share is no reason: a feature adds nothing to the sum over the classes
SELECT count(*) AS sums, bool_and(abs(sum) < 1e-12) AS zero FROM (SELECT sum(attribution) AS sum
	FROM xp_rows r, unnest(ARRAY['w', 'x', 'y']) k, osml_explain('xp_classes', r, k) GROUP BY id, feature) s;
SELECT DISTINCT class, bool_and(abs(prediction_value - CASE class WHEN 'true' THEN 1 ELSE -1 END * ln(p / (1 - p))) < 1e-12) AS log_odds
	FROM (SELECT r, osml_predict('xp_odds', r) AS p FROM xp_rows r) s, (VALUES (NULL), ('false')) c (given),
		osml_explain('xp_odds', r, given) GROUP BY class ORDER BY class;
SELECT bool_and(abs(prediction_value - ln(osml_predict('xp_counts', r))) < 1e-12) AS logarithm FROM xp_rows r, osml_explain('xp_counts', r);

-- no prediction, no explanation
SELECT count(*) FROM osml_explain('xp_counts', NULL::xp_rows), osml_explain(NULL, NULL::xp_rows) b;
SELECT osml_train('SELECT y, a, b FROM xp_rows', '{"max_epochs": 1}', 'xp_gaps') > 0 AS trained;
SELECT count(*) FROM osml_explain('xp_gaps', (SELECT s FROM (SELECT 1 AS a, NULL::int AS b) s));

-- NaN is no NULL: the prediction is NaN, and so is what that feature adds; the average row's is not
SELECT model, e.feature, e.value, e.attribution = 'NaN' AS nan, e.prediction_value,
		e.baseline_prediction_value = o.baseline_prediction_value AS same_baseline
	FROM unnest('{xp_linear,xp_net,xp_norm}'::text[]) model, xp_rows r, osml_explain(model, r) o,
		osml_explain(model, (SELECT s FROM (SELECT float8 'NaN' AS a, r.b, r.c, r.v, r.h) s)) e
	WHERE id = 4 AND o.feature = 'a' AND e.feature = 'a' ORDER BY 1;

-- errors
SELECT * FROM osml_explain('xp_linea', (SELECT r FROM xp_rows r LIMIT 1));
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_explain('xp_linear', ROW(1, 2));
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_explain('xp_linear', (SELECT r FROM xp_rows r LIMIT 1), 'x');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_explain('xp_classes', (SELECT r FROM xp_rows r LIMIT 1), 'z');
\echo :LAST_ERROR_SQLSTATE
CREATE ROLE regress_xp_stranger;
GRANT SELECT ON xp_rows TO regress_xp_stranger;
SET ROLE regress_xp_stranger;
SELECT * FROM osml_explain('xp_linear', (SELECT r FROM xp_rows r LIMIT 1));
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SELECT osml_grant('xp_gaps', 'regress_xp_stranger', 'predict');
SET ROLE regress_xp_stranger;
SELECT count(*) FROM osml_explain('xp_gaps', (SELECT r FROM xp_rows r LIMIT 1));
RESET ROLE;
-- a version without its average row
UPDATE osml.feature SET average = NULL WHERE version_id = (SELECT version_id FROM osml.model_version JOIN osml.model USING (model_id)
	WHERE name = 'xp_odds') AND codes > 0;
UPDATE osml.model_version SET loss = loss WHERE model_id = (SELECT model_id FROM osml.model WHERE name = 'xp_odds');
SELECT * FROM osml_explain('xp_odds', (SELECT r FROM xp_rows r LIMIT 1));
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('xp_odds', r) IS NOT NULL AS predicts FROM xp_rows r LIMIT 1;

SELECT osml_drop_model(m) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 'xp\_%') s (m);
SELECT osml_drop_dataset('xp_data');
DROP FUNCTION xp_sums;
DROP TABLE xp_rows;
DROP ROLE regress_xp_stranger;
