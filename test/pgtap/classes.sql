-- classes.sql: what is counted and measured of classes: weights of rows and of classes,
-- rows without a prediction.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(13);

\ir lib/error_of.sql
CREATE TABLE rows AS SELECT CASE WHEN i % 10 = 0 THEN 'rare' ELSE 'often' END AS y, sin(i * 1.7) + (i % 10 = 0)::int AS a, 1.0 / 4000 AS w FROM generate_series(1, 2000) i;
SELECT osml_create_dataset('data', 'rows', val => 'rows', test => 'rows') > 0 AS made \gset

-- --- weights of rows: rows stay rows -------------------------------------------------------

SELECT osml_train('data', '{"label": "y", "features": ["a"], "sample_weight": "w"}', 'weighed') > 0 AS ran \gset
CREATE VIEW said AS SELECT y AS actual, osml_predict_class('weighed', rows) AS predicted, count(*) AS rows, sum(w) AS weight FROM rows GROUP BY 1, 2;
SELECT is((SELECT sum(rows) FROM osml_confusion_matrix('weighed', 'rows')), 2000::numeric, 'a confusion matrix counts rows'),
	ok((SELECT bool_and(m.rows = coalesce(s.rows, 0) AND abs(m.weight - coalesce(s.weight, 0)::float8) < 1e-12)
		FROM osml_confusion_matrix('weighed', 'rows') m LEFT JOIN said s USING (actual, predicted)), 'of each pair, and adds up their weights'),
	is((SELECT sum(rows) FROM osml_calibration('weighed', 'rows')), 2000::numeric, 'so does a calibration'),
	ok((SELECT abs(sum(weight) - 0.5) < 1e-12 FROM osml_calibration('weighed', 'rows')), 'and what they weigh'),
	ok((SELECT abs(sum(weight * share_true) - 0.05) < 1e-12 FROM osml_calibration('weighed', 'rows')), 'shares are of the weight');

-- --- weights of classes: for what is trained on, not for what is measured -------------------

SELECT osml_train('data', format('{"label": "y", "features": ["a"], "class_weight": "balanced", "val_check_interval": %s}', 1.0 / 2)::jsonb, 'balanced') AS run \gset
SELECT ok((SELECT bool_and(abs(m.value - e.value) <= 1e-9 * greatest(1, abs(e.value))) AND count(*) > 8 FROM osml_evaluate('balanced', 'rows') e
		JOIN osml.metrics m ON m.run_id = :run AND m.name = 'test_' || e.metric), 'a test measures as osml_evaluate does'),
	ok((SELECT bool_and(abs(m.value - e.value) <= 1e-9 * greatest(1, abs(e.value))) AND count(*) > 8 FROM osml_evaluate('balanced', 'rows') e
		JOIN osml.metrics m ON m.run_id = :run AND m.name = 'val_' || e.metric AND m.step = (SELECT steps FROM osml.runs WHERE run_id = :run)), 'so does validation'),
	ok((SELECT avg((osml_predict_class('balanced', rows) = 'rare')::int) > 0.2 FROM rows), 'and the rare class is said more often than it comes');
SELECT osml_train('rows', '{"label": "y", "features": ["a"], "class_weight": "balanced", "val_fraction": 0.3, "max_epochs": 2}', 'held') AS held \gset
SELECT osml_train('rows', '{"label": "y", "features": ["a"], "class_weight": {"rare": 1, "often": 1}, "val_fraction": 0.3, "max_epochs": 2, "lr": 0}', 'even') AS even \gset
SELECT osml_train('rows', '{"label": "y", "features": ["a"], "class_weight": {"rare": 5, "often": 1}, "val_fraction": 0.3, "max_epochs": 2, "lr": 0}', 'uneven') AS uneven \gset
SELECT is((SELECT val_loss FROM osml.models WHERE run_id = :uneven), (SELECT val_loss FROM osml.models WHERE run_id = :even), 'rows held out of the same source are measured as they are'),
	isnt((SELECT train_loss FROM osml.models WHERE run_id = :uneven), (SELECT train_loss FROM osml.models WHERE run_id = :even), 'rows that are trained on are not');

-- --- no probability, no class -----------------------------------------------------------------

SELECT is(osml_predict_class('held', t), NULL, 'a row with NaN has no class'), is(osml_predict('held', t), 'NaN', 'but a probability, NaN') FROM (SELECT 'NaN'::float8 AS a) t;
SELECT is((SELECT count(*) FROM osml_predict_batch('held', 'SELECT ''NaN''::float8 AS a UNION ALL SELECT 0') WHERE class IS NULL), 1::bigint, 'in a batch too');

SELECT * FROM finish();
