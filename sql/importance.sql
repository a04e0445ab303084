-- osml_permutation_importance: against closed forms, and which rows and columns count.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

-- all combinations of a, b and c, so that they are independent to the row
CREATE TABLE pi_rows AS SELECT (3 * a - 2 * b + c / 2.0)::float8 AS y, a::float8, b, c::numeric, 'unread' AS unread
	FROM generate_series(0, 19) a, generate_series(0, 19) b, generate_series(1, 20) c;
CREATE FUNCTION pi_train(model text, source text, hparams jsonb DEFAULT '{"optimizer": "exact"}') RETURNS boolean
	LANGUAGE sql AS $$ SELECT osml_train($2, $3, $1) > 0 $$;
SELECT pi_train('pi_sum', 'SELECT y, a, b, c FROM pi_rows');

-- the mean of (w x - w x')^2 over all pairs of rows is 2 w^2 var(x).  Over n rows and k repeats
-- the standard error of the mean is at most its 1 / sqrt(n k) th: 1 % are four of these
CREATE FUNCTION pi_near(model text, source text, expected jsonb, within float8 DEFAULT 0.01, OUT feature text, OUT near boolean)
RETURNS SETOF record LANGUAGE sql AS $$
	SELECT i.feature, abs(importance_mean / (expected->>i.feature)::float8 - 1) < within AND importance_std > 0
	FROM osml_permutation_importance($1, $2, 'mse', 20) i
$$;
SELECT n.* FROM (SELECT jsonb_build_object('a', 18 * var_pop(a), 'b', 8 * var_pop(b), 'c', 0.5 * var_pop(c)) AS expected
	FROM pi_rows) s, pi_near('pi_sum', 'pi_rows', expected) n;
-- two rows are as they were or swapped: squares of 3 * 10 and 2 * 4, so many times of forty
SELECT feature, importance_mean > 0 AND abs(t - round(t)) < 1e-9 AND t BETWEEN 8 AND 32 AS swaps,
		abs(importance_std - squared * sqrt(t / 40 * (1 - t / 40))) < 1e-9 AS deviation
	FROM (SELECT i.*, squared, 40 * importance_mean / squared AS t FROM osml_permutation_importance('pi_sum',
			'SELECT * FROM pi_rows WHERE (a, b, c) IN ((4, 7, 3), (14, 3, 5))', 'mse', 40) i
		JOIN (VALUES ('a', 900), ('b', 64), ('c', 1)) v (feature, squared) USING (feature)) s;

-- what is made of a column moves with it, and is no feature of its own: a category, a cross, an
-- expression, a column both as it is and binned; a column whose values change nothing has exactly 0
CREATE TABLE pi_kinds AS SELECT (CASE p WHEN 'k0' THEN 6 WHEN 'k1' THEN 1 ELSE -2 END)::float8 AS by_category,
		(p = q)::int::float8 AS by_cross, (a * b)::float8 AS by_product, ARRAY[a, b]::float8[] AS v, (a + b)::float8 AS by_array,
		(a + a / 5)::float8 AS by_bins, p, q, a, b
	FROM generate_series(0, 9) a, generate_series(0, 9) b, (SELECT 'k' || generate_series(0, 2)) p (p),
		(SELECT 'k' || generate_series(0, 2)) q (q), generate_series(1, 10);
SELECT pi_train('pi_category', 'SELECT by_category, p FROM pi_kinds');
SELECT n.* FROM (SELECT jsonb_build_object('p', 2 * var_pop(by_category)) AS expected FROM pi_kinds) s,
	pi_near('pi_category', 'SELECT *, by_category AS label FROM pi_kinds', expected) n;
-- equal or not changes in 2 * 1/3 * 2/3 of the rows, whichever is permuted
SELECT osml_create_dataset('pi_cross', 'SELECT by_cross AS y, p, q FROM pi_kinds', options => '{"optimizer": "exact"}') > 0 AS created;
SELECT osml_transform('pi_cross', c, 'category') FROM unnest('{p,q}'::text[]) c;
SELECT osml_cross('pi_cross', 'cell', ARRAY['p', 'q']);
SELECT osml_train('pi_cross') > 0 AS trained;
SELECT * FROM pi_near('pi_cross', 'pi_cross', jsonb_build_object('p', 4 / 9.0, 'q', 4 / 9.0));
-- var(a) mean(b^2), and b likewise, for a and b are alike
SELECT osml_create_dataset('pi_product', 'SELECT by_product AS y, a, b, p FROM pi_kinds', features => '{a}',
	options => '{"optimizer": "exact"}') > 0 AS created;
SELECT osml_transform('pi_product', 'area', 'sql', '{"expression": "a * b"}'),
	osml_transform('pi_product', 'never', 'sql', '{"expression": "CASE WHEN true THEN a * b ELSE p::float8 END"}');
SELECT osml_train('pi_product') > 0 AS trained;
SELECT n.* FROM (SELECT to_jsonb(2 * var_pop(a) * avg(b * b)) AS v FROM pi_kinds) s,
	pi_near('pi_product', 'pi_product', jsonb_build_object('a', v, 'b', v)) n WHERE feature <> 'p';
SELECT feature, importance_mean, importance_std FROM osml_permutation_importance('pi_product', 'pi_product') WHERE feature = 'p';
-- an array is one feature: the sum of its elements moves
SELECT pi_train('pi_array', 'SELECT by_array, v FROM pi_kinds');
SELECT n.* FROM (SELECT jsonb_build_object('v', 2 * var_pop(by_array)) AS expected FROM pi_kinds) s,
	pi_near('pi_array', 'SELECT by_array AS y, v, by_array FROM pi_kinds', expected) n;
SELECT osml_create_dataset('pi_bins', 'SELECT by_bins AS y, a FROM pi_kinds', options => '{"optimizer": "exact"}') > 0 AS created;
SELECT osml_bin('pi_bins', 'a', edges => '{0, 5, 9}');
SELECT osml_train('pi_bins') > 0 AS trained;
SELECT n.* FROM (SELECT jsonb_build_object('a', 2 * var_pop(by_bins)) AS expected FROM pi_kinds) s,
	pi_near('pi_bins', 'pi_bins', expected) n;

-- scikit-learn 1.2.1, permutation_importance(n_repeats=400) of LinearRegression and of
-- LogisticRegression(C=1e12), whose weights are given here.  Over 400 and 100 repeats means differ by
-- 0.11 deviations (one standard error), and these by 8 %: half a deviation, a third of it
CREATE TABLE pi_sklearn AS SELECT a, b, 2 * a - b + noise AS y, 2 * a - b + noise > 12.5 AS t
	FROM (SELECT (i * 7919 % 101) / 10.0::float8 AS a, (i * 104729 % 89) / 10.0::float8 AS b, (i * 1299709 % 61) / 10.0::float8 AS noise
		FROM generate_series(1::bigint, 4000) i) s;
SELECT pi_train('pi_linear', 'SELECT y, a, b FROM pi_sklearn'),
	pi_train('pi_logistic', 'SELECT t, a, b FROM pi_sklearn', '{"scale": "none", "optimizer": "SGD", "lr": 1e-12, "max_batches": 1,
		"initial_weights": [2.05659656, -1.05583689, -9.70368763]}');
SELECT metric, feature, i.baseline, abs(importance_mean - mean) < std / 2 AS mean, abs(importance_std / std - 1) < 0.33 AS std
	FROM (VALUES ('pi_linear', 'r2', 'a', 1.5548012, 0.02653208), ('pi_linear', 'r2', 'b', 0.30314887, 0.00553512),
			('pi_linear', NULL, 'a', 6.66097814, 0.06873764), ('pi_linear', NULL, 'b', 2.27967243, 0.02989926),
			('pi_linear', 'median_ae', 'a', 4.50871583, 0.11589435), ('pi_linear', 'median_ae', 'b', 1.35568481, 0.05288596),
			('pi_logistic', NULL, 'a', 1.95069682, 0.04398254), ('pi_logistic', NULL, 'b', 0.35097126, 0.01283251),
			('pi_logistic', 'accuracy', 'a', 0.315495, 0.00685207), ('pi_logistic', 'accuracy', 'b', 0.091095, 0.00415869),
			('pi_logistic', 'roc_auc', 'a', 0.41380278, 0.0095288), ('pi_logistic', 'roc_auc', 'b', 0.0750792, 0.00280427)) v (model, given, f, mean, std),
		osml_permutation_importance(model, 'pi_sklearn', given, 100) i WHERE feature = f;

-- by any of these metrics losing a column that matters is above 0; names in any case; what each task has by default
\set known '{accuracy,balanced_accuracy,brier_score,calibration_error,cross_entropy,d2_poisson,explained_variance,f1,huber,logloss,mae,mape,median_ae,mse,poisson,poisson_deviance,pr_auc,precision,r2,recall,rmse,roc_auc}'
SELECT pi_train('pi_huber', 'SELECT y, a, b FROM pi_rows', '{"loss": "huber", "max_epochs": 3}'),
	pi_train('pi_count', 'SELECT round(exp(a / 8))::int AS y, a::int, b FROM pi_rows', '{"model_type": "poisson", "max_epochs": 5}'),
	pi_train('pi_class', 'SELECT (a::int / 7)::text AS y, a, b FROM pi_rows', '{"max_epochs": 20}'),
	pi_train('pi_binary', 'SELECT a > 9 AS y, a, b FROM pi_rows', '{"max_epochs": 20}');
SELECT model, count(*) AS metrics, bool_and(importance_mean > 0 AND feature = 'a' AND i.metric = e.metric) AS above,
		bool_and(abs(i.baseline - e.value) <= 1e-12 * abs(e.value)) AS baseline, string_agg(e.metric, ' ' ORDER BY e.metric)
	FROM (VALUES ('pi_huber', 'y'), ('pi_count', 'round(exp(a / 8))::int'), ('pi_class', '(a::int / 7)::text'), ('pi_binary', 'a > 9')) m (model, label),
		format('SELECT %s AS y, a, b FROM pi_rows', label) source, osml_evaluate(model, source) e,
		osml_permutation_importance(model, source, upper(e.metric), 2) i
	WHERE e.metric = ANY (:'known') AND i.feature = 'a' GROUP BY model ORDER BY model;
SELECT model, metric FROM (VALUES ('pi_huber', 'y'), ('pi_count', 'round(exp(a / 8))::int'), ('pi_class', '(a::int / 7)::text'), ('pi_binary', 'a > 9')) m (model, label),
	osml_permutation_importance(model, format('SELECT %s AS y, a, b FROM pi_rows', label)) WHERE feature = 'a';

-- the same seed gives the same figures, to the bit, in whatever order the rows come
CREATE TABLE pi_turned AS SELECT y, c, b, a, i FROM (SELECT *, row_number() OVER (ORDER BY c, a DESC, b) AS i FROM pi_rows) s ORDER BY i;
CREATE FUNCTION pi_figures(source text, seed bigint) RETURNS text LANGUAGE sql AS $$
	SELECT md5(string_agg(i::text, ';' ORDER BY feature)) FROM osml_permutation_importance('pi_huber', $1, NULL, 3, $2) i $$;
SELECT pi_figures('pi_rows', 7) = pi_figures('pi_rows', 7) AS same, pi_figures('pi_rows', 7) = pi_figures('pi_turned', 7) AS turned,
	pi_figures('pi_rows', 7) = pi_figures('pi_rows', 8) AS other_seed, pi_figures('pi_rows', 0) = pi_figures('pi_rows', NULL) AS usual;

-- rows that osml_evaluate leaves out lend their values to none; those that are lost once mixed are counted
SELECT i.* FROM osml_permutation_importance('pi_sum', $$SELECT * FROM (VALUES (1.0, 1, 1, 1), (NULL, 1e9, 1, 1), (2, 2, NULL, 1),
	('NaN', 3, 1, 1), (3, 'infinity', 1, 1)) v (y, a, b, c)$$) i;
SELECT pi_train('pi_gaps', 'SELECT a AS y, nullif(a, 3) AS a, b FROM pi_rows', '{"on_null": "mean", "max_epochs": 2}');
SELECT feature, importance_mean > 0 AS above, rows_used, rows_skipped, rows_lost
	FROM osml_permutation_importance('pi_gaps', 'SELECT nullif(a, 4) AS y, nullif(a, 3) AS a, b FROM pi_rows');
SELECT osml_create_dataset('pi_ratio', 'SELECT y, a, c, b FROM pi_rows WHERE a <> b', features => '{c}', options => '{"optimizer": "exact"}') > 0 AS created;
SELECT osml_transform('pi_ratio', 'ratio', 'sql', '{"expression": "1 / nullif(a - b, 0)"}');
SELECT osml_train('pi_ratio') > 0 AS trained;
-- a twentieth of 7,600 rows in 5 repeats
SELECT feature, rows_used, rows_skipped, CASE WHEN abs(rows_lost - 1900) < 200 THEN 'a twentieth' ELSE rows_lost::text END AS rows_lost
	FROM osml_permutation_importance('pi_ratio', 'pi_rows');
-- weights and exposures belong to the row
SELECT pi_train('pi_weighted', 'SELECT y, a, b, c FROM pi_rows', '{"max_epochs": 1, "sample_weight": "c"}'),
	pi_train('pi_rate', 'SELECT a::int AS y, b, c FROM pi_rows', '{"model_type": "poisson", "exposure": "c", "max_epochs": 1}');
SELECT feature, abs(baseline - value) < 1e-12 AS as_evaluated FROM (VALUES ('pi_weighted', 'y'), ('pi_rate', 'a::int')) m (model, label),
	format('SELECT %s AS y, a, b, c FROM pi_rows', label) source, osml_permutation_importance(model, source) i JOIN osml_evaluate(model, source) e USING (metric);
-- no rows, one row
SELECT * FROM osml_permutation_importance('pi_class', 'SELECT ''none'' AS y, a, b FROM pi_rows WHERE a < 3');
SELECT feature, importance_mean, importance_std, rows_used FROM osml_permutation_importance('pi_sum', 'SELECT * FROM pi_rows LIMIT 1');
-- a dataset stands for its test source
SELECT osml_create_dataset('pi_tested', 'pi_rows', test => 'SELECT * FROM pi_rows WHERE a = 1', label => 'y') > 0 AS created;
SELECT DISTINCT rows_used FROM osml_permutation_importance('pi_sum', 'pi_tested');

-- what does not fit is a sample, the same each time
SET osml.max_memory = '1MB';
SET client_min_messages = notice;
SELECT count(*) FROM osml_permutation_importance('pi_sum', 'SELECT pi_rows.* FROM pi_rows, generate_series(1, 5)');
SET client_min_messages = warning;
-- the variance of the sample has a standard error of 0.9 %
SELECT n.* FROM (SELECT jsonb_build_object('a', 18 * var_pop(a), 'b', 8 * var_pop(b), 'c', 0.5 * var_pop(c)) AS expected
	FROM pi_rows) s, pi_near('pi_sum', 'SELECT pi_rows.* FROM pi_rows, generate_series(1, 5)', expected, 0.04) n;
SELECT bool_and(a = b) AS same FROM osml_permutation_importance('pi_sum', 'SELECT pi_rows.* FROM pi_rows, generate_series(1, 5)', seed => 3) a
	JOIN osml_permutation_importance('pi_sum', 'SELECT pi_rows.* FROM pi_rows, generate_series(1, 5)', seed => 3) b USING (feature);
SELECT * FROM osml_permutation_importance('pi_category', 'SELECT 1.0::float8 AS by_category, repeat(''x'', 2000000) AS p');
\echo :LAST_ERROR_SQLSTATE
RESET osml.max_memory;

-- a mixed row may be what no row is
SELECT osml_create_dataset('pi_root', 'SELECT y, a, b, c FROM pi_rows WHERE a >= b', features => '{c}') > 0 AS created;
SELECT osml_transform('pi_root', 'root', 'sql', '{"expression": "sqrt(a - b)"}');
SELECT osml_train('pi_root', '{"optimizer": "exact"}') > 0 AS trained;
\set SHOW_CONTEXT errors
SELECT * FROM osml_permutation_importance('pi_root', 'pi_root');
\set SHOW_CONTEXT never

-- errors
SELECT * FROM osml_permutation_importance('pi_sums', 'pi_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_nowhere');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_permutation_importance('pi_sum', 'SELECT a, b, c FROM pi_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_rows', 'rsme');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_rows', 'calibration_error');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_rows', 'huber');
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_rows', n_repeats => 0);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_permutation_importance(NULL, 'pi_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_permutation_importance('pi_sum', NULL);
-- it can be cancelled
SET statement_timeout = '100ms';
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_rows', n_repeats => 2000000000);
\echo :LAST_ERROR_SQLSTATE
RESET statement_timeout;

-- the rights of osml_evaluate: to the model, and to the rows
CREATE ROLE regress_osml_importance;
SET ROLE regress_osml_importance;
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_rows');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
SELECT osml_grant('pi_sum', 'regress_osml_importance', 'predict');
GRANT SELECT (y, a, b) ON pi_rows TO regress_osml_importance;
SET ROLE regress_osml_importance;
SELECT * FROM osml_permutation_importance('pi_sum', 'pi_rows');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
GRANT SELECT (c) ON pi_rows TO regress_osml_importance;
SET ROLE regress_osml_importance;
SELECT feature, importance_mean > 0 AS above FROM osml_permutation_importance('pi_sum', 'pi_rows');
RESET ROLE;

SELECT count(osml_drop_model(m)) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 'pi\_%') s (m);
SELECT count(osml_drop_dataset(d)) FROM (SELECT dataset FROM osml.datasets WHERE dataset LIKE 'pi\_%') s (d);
DROP TABLE pi_rows, pi_kinds, pi_sklearn, pi_turned;
DROP FUNCTION pi_train, pi_near, pi_figures;
DROP ROLE regress_osml_importance;
