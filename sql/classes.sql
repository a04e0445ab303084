-- Labels of classes and of counts: logistic, softmax, poisson; what is predicted, and errors.
-- Numbers are compared with PyTorch in test/t/100_torch.pl.
\set VERBOSITY default
SET client_min_messages = warning;

-- three kinds of flowers, apart but for a few
CREATE TABLE cl_flowers AS
	SELECT (ARRAY['setosa', 'versicolor', 'virginica'])[1 + i % 3] AS species,
		(i % 3) * 2 + (i % 7) * 0.3 AS petal, (i % 5) * 0.5 - (i % 3) * 0.2 AS sepal, 'p' || i % 4 AS plot
	FROM generate_series(1, 600) i;
CREATE TABLE cl_pairs AS
	SELECT species = 'setosa' AS flag, (species = 'setosa')::int * 5 + 5 AS number, petal, sepal,
		CASE WHEN species <> 'virginica' THEN species END AS half
	FROM cl_flowers;

-- auto: text is of classes, two are logistic, more softmax; a boolean is of classes, a number is none
SELECT osml_train('cl_flowers') > 0 AS trained;
SELECT osml_train('SELECT flag, petal, sepal FROM cl_pairs', model => 'cl_flag') > 0 AS trained;
SELECT osml_train('SELECT half, petal, sepal FROM cl_pairs', model => 'cl_half') > 0 AS trained;
SELECT osml_train('SELECT number, petal, sepal FROM cl_pairs', model => 'cl_number') > 0 AS trained;
SELECT osml_train('SELECT number, petal, sepal FROM cl_pairs', '{"model_type": "softmax"}', 'cl_soft') > 0 AS trained;
SELECT osml_train('SELECT number, petal, sepal FROM cl_pairs', '{"loss": "logloss", "classes": 2}', 'cl_by_loss') > 0 AS trained;
SELECT osml_train('SELECT (petal * 2)::int AS n, petal, sepal FROM cl_pairs', '{"model_type": "poisson"}', 'cl_count') > 0 AS trained;
SELECT model, model_type, loss, label_type, classes, hparams ->> 'model_type' AS hparam, hparams ->> 'loss' AS loss_hparam,
	hparams ->> 'classes' AS n, train_rows, skipped_rows FROM osml.models WHERE model LIKE 'cl\_%' ORDER BY model;
-- a weight for each class, of two classes one
SELECT model, class, count(*) FROM osml.weights WHERE model LIKE 'cl\_%' GROUP BY model, class ORDER BY model, class;

-- classes by number are those by the order of their values
SELECT count(*) FILTER (WHERE osml_predict_class('cl_flowers', t) = species) > 500 AS right,
	bool_and(abs((SELECT sum(p) FROM unnest(osml_predict_proba('cl_flowers', t)) p) - 1) < 1e-12) AS sums,
	bool_and((osml_predict_proba('cl_flowers', t))[array_position('{setosa,versicolor,virginica}', osml_predict_class('cl_flowers', t))]
		= (SELECT max(p) FROM unnest(osml_predict_proba('cl_flowers', t)) p)) AS most_probable
	FROM cl_flowers t;
-- osml_predict() is the probability of the second class
SELECT bool_and(osml_predict('cl_flag', t) = (osml_predict_proba('cl_flag', t))[2]
		AND osml_predict_class('cl_flag', t) = (osml_predict('cl_flag', t) > 0.5)::text
		AND osml_predict('cl_by_loss', t) = (osml_predict_proba('cl_by_loss', t))[2]) AS agree,
	count(*) FILTER (WHERE osml_predict_class('cl_flag', t)::boolean = flag) > 570 AS right,
	count(*) FILTER (WHERE osml_predict_class('cl_soft', t)::int = number) > 570 AS soft_right,
	bool_and(osml_predict('cl_count', t) > 0) AS positive
	FROM cl_pairs t;
-- by record, by values, by array, in a batch
SELECT bool_and(p = osml_predict_proba('cl_half', VARIADIC ARRAY[petal, sepal]::float8[]) AND p = osml_predict_proba('cl_half', ARRAY[petal, sepal]::numeric[])
		AND osml_predict_class('cl_half', petal::float8, sepal::float8) = osml_predict_class('cl_half', t)) AS same
	FROM cl_pairs t, LATERAL (SELECT osml_predict_proba('cl_half', t) AS p) p WHERE petal < 3;
SELECT bool_and(b.class = osml_predict_class('cl_flowers', t) AND b.proba = osml_predict_proba('cl_flowers', t) AND b.prediction IS NULL) AS batch, count(*)
	FROM osml_predict_batch('cl_flowers', 'cl_flowers') b
	JOIN (SELECT row_number() OVER () AS n, * FROM cl_flowers) t ON t.n = b.row_number;
SELECT bool_and(b.class = osml_predict_class('cl_flag', t) AND b.prediction = osml_predict('cl_flag', t)) AS batch
	FROM osml_predict_batch('cl_flag', 'cl_pairs') b
	JOIN (SELECT row_number() OVER () AS n, * FROM cl_pairs) t ON t.n = b.row_number;
-- without a feature there is nothing
SELECT osml_predict_class('cl_flag', r), osml_predict_proba('cl_flag', r) FROM (SELECT NULL::numeric AS petal, 1.0 AS sepal) r;
SELECT class, proba FROM osml_predict_batch('cl_flag', 'SELECT NULL::numeric AS petal, 1.0 AS sepal');

-- rows of a class that nobody trained on, and without one, are left out and said so
SELECT osml_create_dataset('cl_data', 'SELECT * FROM cl_flowers WHERE species <> ''setosa''', test => 'cl_flowers') > 0 AS created;
SELECT osml_train('cl_data') > 0 AS trained;
SELECT r.rows_skipped, e.kind, e.message FROM osml.runs r JOIN osml.events e USING (run_id) WHERE r.model = 'cl_data';
SELECT metric, value FROM osml_evaluate('cl_data', 'cl_flowers') WHERE metric LIKE 'rows%';
SELECT metric, value FROM osml_evaluate('cl_half', 'cl_pairs') WHERE metric LIKE 'rows%';
-- a share of training rows held out; readers
SELECT osml_train('cl_flowers', '{"val_fraction": 0.25, "num_workers": 2}', 'cl_workers') > 0 AS trained;
SELECT val_rows > 100 AS held_out, val_loss < 0.3 AS learned FROM osml.models WHERE model = 'cl_workers';
-- data sets whose label is a text
SELECT column_name, rows, mean, distinct_values, correlation, is_label FROM osml_analyze('cl_data') WHERE column_name IN ('species', 'plot');
SELECT DISTINCT mean_label FROM osml.bins WHERE dataset = 'cl_data';
SELECT "check", verdict, message FROM osml_check('cl_data') WHERE "check" IN ('label', 'model') OR verdict = 'error';
SELECT "check", verdict, message, hint FROM osml_check('cl_data', '{"model_type": "linear"}') WHERE verdict = 'error';

-- a weight of 3 is three rows; balanced classes weigh the same; a count in an exposure is a rate with a weight
CREATE TABLE cl_weighed AS SELECT i % 10 < 2 AS y, i % 7 + (i % 10 < 2)::int * 1.5 AS a, i % 5 AS b, i % 3 AS w, 1 + i % 4 AS hours, i % 6 AS n
	FROM generate_series(1, 300) i;
CREATE FUNCTION pg_temp.weigh(source text, more text, model text) RETURNS text LANGUAGE sql AS $$
	SELECT osml_train(source, jsonb '{"shuffle": "none", "optimizer": "SGD", "lr": 0.05, "max_epochs": 40, "batch_size": 100000, "scale": "none"}' || more::jsonb, model);
	SELECT string_agg(format('%s %s', feature, round(weight::numeric, 12)), ', ' ORDER BY version, position) FROM osml.weights WHERE osml.weights.model = $3 $$;
SELECT pg_temp.weigh('SELECT y, a, b, w FROM cl_weighed', '{"sample_weight": "w"}', 'cl_w1') = pg_temp.weigh('SELECT y, a, b FROM cl_weighed, generate_series(1, w)', '{}', 'cl_w2') AS repeated;
SELECT pg_temp.weigh('SELECT y, a, b FROM cl_weighed', '{"class_weight": "balanced"}', 'cl_w1') = pg_temp.weigh('SELECT y, a, b, CASE WHEN y THEN 2.5 ELSE 0.625 END AS w FROM cl_weighed', '{"sample_weight": "w"}', 'cl_w2') AS balanced;
SELECT pg_temp.weigh('SELECT y, a, b FROM cl_weighed', '{"class_weight": {"true": 3, "false": 0.5}}', 'cl_w1') = pg_temp.weigh('SELECT y, a, b, CASE WHEN y THEN 3 ELSE 0.5 END AS w FROM cl_weighed', '{"sample_weight": "w"}', 'cl_w2') AS by_class;
SELECT pg_temp.weigh('SELECT n, a, b, hours FROM cl_weighed', '{"model_type": "poisson", "exposure": "hours"}', 'cl_w1') = pg_temp.weigh('SELECT n / hours::float8 AS n, a, b, hours FROM cl_weighed', '{"model_type": "poisson", "sample_weight": "hours"}', 'cl_w2') AS exposed;
SELECT hparams ->> 'sample_weight' AS weight, hparams ->> 'exposure' AS exposure, hparams -> 'class_weight' AS classes FROM osml.models WHERE model IN ('cl_w1', 'cl_w2') ORDER BY run_id;
-- an evaluation weighs rows as the training did; without the units there are no rates to compare
SELECT osml_train('SELECT n, a, b, hours FROM cl_weighed', '{"model_type": "poisson", "exposure": "hours"}', 'cl_rate') > 0 AS trained;
SELECT a.metric, abs(a.value - b.value) < 1e-9 AS same FROM osml_evaluate('cl_rate', 'SELECT n, a, b, hours FROM cl_weighed') a
	JOIN osml_evaluate('cl_rate', 'SELECT n / hours::float8 AS n, a, b, 1 AS hours FROM cl_weighed, generate_series(1, hours)') b USING (metric) WHERE metric IN ('mse', 'r2', 'poisson', 'poisson_deviance');
SELECT * FROM osml_evaluate('cl_rate', 'SELECT n, a, b FROM cl_weighed');
-- readers and temporary files carry weights too; a row without one is left out
SELECT osml_train('cl_weighed', '{"sample_weight": "w", "num_workers": 2, "features": ["a", "b"], "class_weight": "balanced"}', 'cl_w1') > 0 AS trained;
SELECT osml_train('SELECT y, a, nullif(w, 2) AS w FROM cl_weighed', '{"sample_weight": "w"}', 'cl_w1') > 0 AS trained;
SELECT rows_skipped FROM osml.runs WHERE model = 'cl_w1' ORDER BY run_id DESC LIMIT 1;
SELECT "check", verdict, message FROM osml_check('cl_weighed', '{"sample_weight": "w"}') WHERE "check" IN ('features', 'model');
SELECT osml_train('cl_weighed', '{"class_weight": "balance"}');
SELECT osml_train('cl_weighed', '{"class_weight": {"true": -1}}');
SELECT osml_train('cl_weighed', '{"label": "a", "class_weight": "balanced"}');
SELECT osml_train('cl_weighed', '{"exposure": "hours"}');
SELECT osml_train('cl_weighed', '{"sample_weight": "ww"}');
SELECT osml_train('cl_flowers', '{"sample_weight": "plot"}');
SELECT osml_train('cl_weighed', '{"label": "a", "sample_weight": "w", "optimizer": "exact"}');

-- errors
SELECT osml_predict('cl_flowers', t) FROM cl_flowers t LIMIT 1;
SELECT osml_predict_class('cl_number', t) FROM cl_pairs t LIMIT 1;
SELECT osml_predict_proba('cl_count', t) FROM cl_pairs t LIMIT 1;
SELECT osml_train('cl_flowers', '{"model_type": "linear"}');
SELECT osml_train('cl_flowers', '{"loss": "huber"}');
SELECT osml_train('cl_flowers', '{"optimizer": "exact"}');
SELECT osml_train('cl_flowers', '{"scale_label": "standardize"}');
SELECT osml_train('cl_flowers', '{"model_type": "softmax", "loss": "logloss"}');
SELECT osml_evaluate('cl_number', 'SELECT species AS number, petal, sepal FROM cl_flowers');
-- what only the rows tell
CREATE FUNCTION pg_temp.outcome(source text, hparams text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE hint text;
BEGIN
	PERFORM osml_train(source, hparams::jsonb, 'cl_bad');
	RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE || ': ' || regexp_replace(SQLERRM, 'run \d+', 'run N'), nullif(hint, ''));
END $$;
SELECT pg_temp.outcome('cl_flowers', '{"model_type": "logistic"}');
SELECT pg_temp.outcome('cl_flowers', '{"classes": 4}');
SELECT pg_temp.outcome('SELECT ''a'' AS y, petal FROM cl_flowers', '{}');
SELECT pg_temp.outcome('SELECT md5(i::text) AS y, i FROM generate_series(1, 3000) i', '{}');
SELECT pg_temp.outcome('SELECT repeat(species, 200) AS y, petal FROM cl_flowers', '{}');
SELECT pg_temp.outcome('SELECT petal - 1 AS y, sepal FROM cl_flowers', '{"model_type": "poisson"}');
SELECT pg_temp.outcome('SELECT y, a, b - 1 AS w FROM cl_weighed', '{"sample_weight": "w"}');
SELECT pg_temp.outcome('SELECT n, a, w AS hours FROM cl_weighed', '{"model_type": "poisson", "exposure": "hours"}');
SELECT pg_temp.outcome('SELECT y, a FROM cl_weighed', '{"class_weight": {"yes": 2}}');
SELECT pg_temp.outcome('SELECT NULL::text AS y, petal FROM cl_flowers', '{}');

SELECT osml_drop_dataset('cl_data');
SELECT count(osml_drop_model(model)) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 'cl\_%') m;
DROP TABLE cl_flowers, cl_pairs, cl_weighed;
