-- Metrics of many classes, curves of one, and labels whose classes a model does not know.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;

-- a hundred classes of a hundred rows, told apart by two noisy columns
CREATE TABLE mc_rows AS
	SELECT 'k' || lpad((i % 100)::text, 2, '0') AS k, i % 10 + random_a AS a, i / 10 % 10 + random_b AS b
	FROM (SELECT i, (hashint4(i) & 65535) / 32768.0 - 1 AS random_a, (hashint4(i + 9999) & 65535) / 32768.0 - 1 AS random_b
		FROM generate_series(0, 9999) i) s;
SELECT osml_train('mc_rows', '{"max_epochs": 3, "monitor": "val_roc_auc", "early_stopping": true, "val_fraction": 0.2, "min_delta": 1}', 'mc') AS run \gset
SELECT count(*) AS validations, bool_and(value BETWEEN 0.5 AND 1) AS fine FROM osml.metrics WHERE run_id = :run AND name = 'val_roc_auc';
SELECT count(*) AS validations, bool_and(value BETWEEN 0 AND 1) AS fine FROM osml.metrics WHERE run_id = :run AND name = 'val_pr_auc';
-- each class against the rest, and their mean; ties count half, as scikit-learn has it
CREATE TABLE mc_scores AS
	SELECT c.class, c.class = r.k AS own, p.proba[c.number] AS score
	FROM (SELECT row_number() OVER () AS n, k FROM mc_rows) r
	JOIN osml_predict_batch('mc', 'mc_rows') p ON p.row_number = r.n,
	(SELECT class, number FROM osml.models, unnest(classes) WITH ORDINALITY u (class, number) WHERE model = 'mc') c;
CREATE TABLE mc_expected AS
	SELECT class, (sum(rank) FILTER (WHERE own) - count(*) FILTER (WHERE own) * (count(*) FILTER (WHERE own) + 1) / 2.0)
		/ (count(*) FILTER (WHERE own) * count(*) FILTER (WHERE NOT own)) AS roc_auc
	FROM (SELECT class, own, rank() OVER (w) + (count(*) OVER (w RANGE CURRENT ROW) - 1) / 2.0 AS rank
		FROM mc_scores WINDOW w AS (PARTITION BY class ORDER BY score)) s
	GROUP BY class;
CREATE TABLE mc_precision AS
	SELECT class, avg(above_own / above) FILTER (WHERE own) AS pr_auc
	FROM (SELECT class, own, count(*) OVER w AS above, (count(*) FILTER (WHERE own) OVER w)::float8 AS above_own
		FROM mc_scores WINDOW w AS (PARTITION BY class ORDER BY score DESC)) s
	GROUP BY class;
SELECT metric, abs(value - expected) < tolerance AS same
	FROM osml_evaluate('mc', 'mc_rows'),
	(SELECT 'roc_auc' AS m, avg(roc_auc) AS expected, 1e-4 AS tolerance FROM mc_expected
		UNION ALL SELECT 'pr_auc', avg(pr_auc), 2e-3 FROM mc_precision) e
	WHERE metric = m ORDER BY metric;
-- the curve of one class has all its scores: the area below it is exact
SELECT abs(area / roc_auc - 1) < 1e-12 AS same, class
	FROM (SELECT class, sum((fpr - before) * (tpr + low) / 2) AS area
		FROM (SELECT class, fpr, tpr, lag(fpr) OVER w AS before, lag(tpr) OVER w AS low
			FROM osml_curve('mc', 'mc_rows', 'k42', 0) WINDOW w AS (ORDER BY threshold DESC)) s GROUP BY class) c
	JOIN mc_expected USING (class);
SELECT count(DISTINCT class) AS classes FROM osml_curve('mc', 'SELECT * FROM mc_rows LIMIT 300', points => 5);
SELECT metric FROM osml_permutation_importance('mc', 'SELECT * FROM mc_rows LIMIT 300', 'roc_auc', 1) ORDER BY feature;

-- either of two classes has a curve of its own
CREATE TABLE mc_two AS SELECT CASE WHEN a > 4.5 THEN 'high' ELSE 'low' END AS size, a + b / 3 AS x FROM mc_rows LIMIT 2000;
SELECT osml_train('mc_two', '{"max_epochs": 5}', 'mc_two') > 0 AS trained;
SELECT class, round(precision::numeric, 2) AS precision, true_positives + false_positives = 2000 AS all_rows,
	true_positives = (SELECT count(*) FROM mc_two WHERE size = class) AS own
	FROM unnest('{high,low,NULL}'::text[]) c, osml_curve('mc_two', 'mc_two', c) WHERE tpr = 1 AND fpr = 1;
SELECT abs(a.threshold + b.threshold - 1) < 1e-12 AS mirrored
	FROM (SELECT max(threshold) AS threshold FROM osml_curve('mc_two', 'mc_two', 'high', 0) WHERE threshold < 'infinity') a,
	(SELECT min(threshold) AS threshold FROM osml_curve('mc_two', 'mc_two', 'low', 0)) b;
SELECT * FROM osml_curve('mc_two', 'mc_two', 'hihg');

-- --- Classes that the model does not know ------------------------------------------

CREATE TABLE mc_int AS SELECT (a > 4.5)::int AS y, a AS x FROM mc_rows LIMIT 500;
CREATE VIEW mc_bool AS SELECT y = 1 AS y, x FROM mc_int;
SELECT osml_train('mc_int', '{"model_type": "logistic", "max_epochs": 5}', 'mc_int') > 0 AS trained;
SELECT osml_train('mc_bool', '{"max_epochs": 5}', 'mc_bool') > 0 AS trained;
SELECT metric, value FROM osml_evaluate('mc_int', 'mc_bool') WHERE metric IN ('accuracy', 'rows_used', 'rows_skipped');
SELECT count(*) FROM osml_confusion_matrix('mc_bool', 'mc_int');
SELECT count(*) FROM osml_curve('mc_int', 'mc_bool');
SELECT count(*) FROM osml_calibration('mc_int', 'mc_bool');
SELECT feature, baseline, rows_used, rows_skipped FROM osml_permutation_importance('mc_int', 'mc_bool', n_repeats => 1);
-- some of the rows, and more classes than are shown
SELECT metric, value FROM osml_evaluate('mc', $$SELECT CASE WHEN a > 5 THEN k ELSE repeat('long ', 20) || k END AS k, a, b FROM mc_rows$$)
	WHERE metric LIKE 'rows%';
-- a row without class is no unknown one, and known ones are not told of
SELECT metric, value FROM osml_evaluate('mc_int', 'SELECT nullif(y, 0) AS y, x FROM mc_int') WHERE metric LIKE 'rows%';

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models WHERE model LIKE 'mc%') s; END $$;
DROP VIEW mc_bool;
DROP TABLE mc_rows, mc_scores, mc_expected, mc_precision, mc_two, mc_int;
