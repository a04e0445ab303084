-- exact.sql: "optimizer":"exact" is the least-squares solution itself.
--
-- Constants come from numpy 1.24.2 (linalg.lstsq with rcond 1e-10, linalg.inv,
-- linalg.cond) and scipy 1.10.1 (stats.t.sf) on the same rows; minimum-norm
-- solutions are lstsq's on centred columns, for "scale":"standardize" on columns
-- of deviation 1.  Everything else is a closed form computed in SQL.
-- several checks in a row are a line each
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

-- a plan: a SELECT that finds no row checks nothing and must be noticed
SELECT plan(201);

-- --- helpers ---------------------------------------------------------------------

-- how far got is from want, as a share of want
CREATE FUNCTION off(got float8, want float8) RETURNS float8 LANGUAGE sql
	RETURN abs(got - want) / CASE want WHEN 0 THEN 1 ELSE abs(want) END;

-- passes when got is within tolerance of want; prints both when not
CREATE FUNCTION near(got float8, want float8, name text, tolerance float8 DEFAULT 1e-9)
RETURNS text LANGUAGE sql
	RETURN CASE WHEN off(got, want) <= tolerance THEN ok(true, name)
		ELSE ok(false, name) || E'\n' || diag(format('got %s, expected %s', got, want)) END;

CREATE FUNCTION weight_of(model text, feature text) RETURNS float8 LANGUAGE sql
	RETURN (SELECT w.weight FROM osml.weights w JOIN osml.models m USING (model, version)
		WHERE m.deployed AND w.model = $1 AND w.feature = $2);

CREATE FUNCTION summary_of(model text, key text) RETURNS text LANGUAGE sql
	RETURN (SELECT m.summary ->> key FROM osml.models m WHERE m.deployed AND m.model = $1);

-- train into a model that is named after the relation
CREATE FUNCTION solve(relation text, more jsonb DEFAULT '{}', model text DEFAULT NULL)
RETURNS bigint LANGUAGE sql
	RETURN osml_train(relation, '{"optimizer":"exact"}' || more, model);

-- 40 rows, every column a short decimal fraction
CREATE TABLE rows40 AS
	SELECT 2 + 3 * a - b / 2 + ((i * 37 % 17) - 8) / 4.0::float8 AS y, a, b, c
	FROM (SELECT i, (i * 7 % 11) + i / 10.0::float8 AS a, (i * i % 13)::float8 AS b,
			(i * 5 % 17) / 4.0::float8 AS c
		FROM generate_series(1, 40) i) s;

-- --- one column: SQL's own aggregates ----------------------------------------------

CREATE VIEW one AS SELECT y, a FROM rows40;
SELECT ok(solve('one') > 0, 'one column: solved');
SELECT near(weight_of('one', 'a'), regr_slope(y, a), 'one column: slope', 1e-12) FROM one;
SELECT near(weight_of('one', '(intercept)'), regr_intercept(y, a), 'one column: intercept', 1e-12)
	FROM one;
SELECT near(summary_of('one', 'r2')::float8, regr_r2(y, a), 'one column: R2', 1e-12) FROM one;
SELECT near(summary_of('one', 'r2')::float8, corr(y, a) ^ 2, 'one column: R2 is the squared correlation', 1e-12)
	FROM one;
SELECT near(w.std_error, sqrt((regr_syy(y, a) - regr_sxy(y, a) ^ 2 / regr_sxx(y, a))
		/ (count(*) - 2) / regr_sxx(y, a)), 'one column: standard error', 1e-11)
	FROM one, osml.weights w WHERE w.model = 'one' AND w.feature = 'a' GROUP BY w.std_error;
SELECT near(summary_of('one', 'condition_number')::float8, 1, 'one column: condition number');
SELECT near(e.value, regr_syy(y, a) * (1 - regr_r2(y, a)) / count(*), 'one column: osml_evaluate''s mse', 1e-11)
	FROM one, osml_evaluate('one', 'one') e WHERE e.metric = 'mse' GROUP BY e.value;
SELECT near(e.value, summary_of('one', 'r2')::float8, 'one column: osml_evaluate''s r2', 1e-11)
	FROM osml_evaluate('one', 'one') e WHERE e.metric = 'r2';
SELECT near(m.value, e.value, 'one column: train_mse of the run', 1e-11)
	FROM osml.metrics m JOIN osml.runs r USING (run_id), osml_evaluate('one', 'one') e
	WHERE r.model = 'one' AND m.name = 'train_mse' AND e.metric = 'mse';

-- --- two columns: the normal equations solved by hand ------------------------------

CREATE VIEW two AS SELECT y, a, b FROM rows40;
SELECT ok(solve('two', '{"scale":"none"}') > 0, 'two columns: solved');
WITH s AS (
	SELECT regr_sxx(y, a) AS aa, regr_sxx(y, b) AS bb, regr_sxy(a, b) AS ab,
		regr_sxy(y, a) AS ay, regr_sxy(y, b) AS "by", regr_syy(y, a) AS yy,
		avg(a) AS a, avg(b) AS b, avg(y) AS y FROM two
), w AS (
	SELECT s.*, (bb * ay - ab * "by") / (aa * bb - ab * ab) AS wa,
		(aa * "by" - ab * ay) / (aa * bb - ab * ab) AS wb FROM s
)
SELECT near(got, want, 'two columns: ' || name, 1e-11) FROM w, LATERAL (VALUES
	('first weight', weight_of('two', 'a'), wa),
	('second weight', weight_of('two', 'b'), wb),
	('intercept', weight_of('two', '(intercept)'), y - wa * a - wb * b),
	('R2', summary_of('two', 'r2')::float8, (wa * ay + wb * "by") / yy),
	('condition number', summary_of('two', 'condition_number')::float8,
		sqrt((1 + abs(ab) / sqrt(aa * bb)) / (1 - abs(ab) / sqrt(aa * bb))))
	) AS v (name, got, want);

-- --- the regression table: numpy and scipy -----------------------------------------

SELECT ok(solve('rows40') > 0, 'three columns: solved');
SELECT near(w.weight, v.weight, format('%s: weight', feature)),
		near(w.std_error, v.std_error, format('%s: standard error', feature)),
		near(w.t_stat, v.t_stat, format('%s: t', feature)),
		near(w.p_value, v.p_value, format('%s: p', feature), 1e-8),
		ok(NOT w.collinear, format('%s: not collinear', feature))
	FROM osml.weights w JOIN (VALUES
		('a', 2.900179487313479, 0.059820780134335644, 48.481137838736544, 2.177197754529116e-34),
		('b', -0.5239513625779693, 0.046246673374621836, -11.329493006636257, 1.9977614426672533e-13),
		('c', 0.07805967073187889, 0.16321377045150426, 0.4782664509001878, 0.635352315926828),
		('(intercept)', 2.690370880189492, 0.6907183939592361, 3.895032916045767, 0.0004090719156195074)
		) AS v (feature, weight, std_error, t_stat, p_value) USING (feature)
	WHERE w.model = 'rows40';
SELECT near(summary_of('rows40', key)::float8, value, 'three columns: ' || key) FROM (VALUES
	('r2', 0.9867265489568364), ('adjusted_r2', 0.9856204280365728),
	('residual_std_error', 1.235311784093949), ('degrees_of_freedom', 36), ('rank', 3),
	('condition_number', 1.1746514420137635), ('train_rows', 40)) AS v (key, value);
SELECT ok(bool_and(summary ? k AND summary -> k = m.summary -> k), 'the run has the same summary')
	FROM osml.runs r JOIN osml.models m USING (run_id, summary), unnest(ARRAY['r2', 'condition_number']) k
	WHERE m.model = 'rows40';
SELECT is(steps || ' ' || rows_seen, '1 40', 'one step over every row') FROM osml.runs WHERE model = 'rows40';
SELECT near(w.scaled_weight, w.weight * f.scale / (SELECT stddev_pop(y) FROM rows40),
		format('%s: scaled_weight is in deviations of column and label', feature), 1e-12)
	FROM osml.weights w JOIN osml.features f USING (model, feature) WHERE w.model = 'rows40';

-- through the origin; R2 is then against zero
SELECT ok(solve('rows40', '{"bias":false}', 'origin') > 0, 'bias false: solved');
SELECT near(w.weight, v.weight, format('bias false, %s: weight', feature)),
		near(w.std_error, v.std_error, format('bias false, %s: standard error', feature)),
		near(w.t_stat, v.t_stat, format('bias false, %s: t', feature)),
		near(w.p_value, v.p_value, format('bias false, %s: p', feature), 1e-8)
	FROM osml.weights w JOIN (VALUES
		('a', 3.068862304218899, 0.0485312627974907, 63.234750701306176, 2.6252273642318094e-39),
		('b', -0.4343403949911624, 0.047179352508933875, -9.206154215637355, 4.160712591877817e-11),
		('c', 0.4363624677001001, 0.15855101648770853, 2.7521896570996036, 0.00911564424390021)
		) AS v (feature, weight, std_error, t_stat, p_value) USING (feature)
	WHERE w.model = 'origin';
SELECT is(weight_of('origin', '(intercept)'), 0::float8, 'bias false: no intercept');
SELECT near(summary_of('origin', key)::float8, value, 'bias false: ' || key) FROM (VALUES
	('r2', 0.9963373422817768), ('adjusted_r2', 0.9960403700343533),
	('residual_std_error', 1.4527432579571198), ('degrees_of_freedom', 37)) AS v (key, value);
SELECT is(osml_predict('origin', 0, 0, 0), 0::float8, 'bias false: zeros predict zero');

-- --- huge means, tiny spreads ------------------------------------------------------

-- Every value is exact in binary, so the sums lose digits only if they are
-- badly taken: the squares of the first column's values need 60 bits.
CREATE TABLE far AS
	SELECT 5000 * k - 3000 * m + ((i * 37 % 17) - 8) / 64.0::float8 AS y,
		1000000 + k AS x1, -77000000 + m AS x2
	FROM (SELECT i, ((i * 29 % 41) - 20) / 1024.0::float8 AS k,
		((i * 17 % 41) - 20) / 4096.0::float8 AS m FROM generate_series(1, 40) i) s;
SELECT ok(solve('far') > 0, 'huge means: solved');
SELECT near(w.weight, v.weight, format('huge means, %s: weight', feature)),
		near(w.std_error, v.std_error, format('huge means, %s: standard error', feature)),
		near(w.p_value, v.p_value, format('huge means, %s: p', feature), 1e-6)
	FROM osml.weights w JOIN (VALUES
		('x1', 5001.925692279482, 1.2127872662920745, 2.283355505740003e-106),
		('x2', -3005.944617641667, 4.851149065168298, 6.558998417244434e-76)
		) AS v (feature, weight, std_error, p_value) USING (feature)
	WHERE w.model = 'far';
SELECT near(1 - summary_of('far', 'r2')::float8, 1 - 0.9999980632984868, 'huge means: R2', 1e-6);
-- the intercept is of the order of 2e11, so a prediction is good to 1e-4
SELECT ok(max(abs(osml_predict('far', f) - y)) < 0.15, 'huge means: predictions') FROM far f;
SELECT near(e.value, 0.21770239808505648 / 40, 'huge means: mse of predictions', 1e-3)
	FROM osml_evaluate('far', 'far') e WHERE e.metric = 'mse';

-- like latitudes and longitudes: means of some thousand deviations
CREATE TABLE places AS
	SELECT 12 + 300 * (lat - 38.9) - 200 * (lon + 77.03) + (hashint4(-i) / 2147483648.0::float8) AS y, lat, lon
	FROM (SELECT i, 38.9 + 0.012 * hashint4(i) / 2147483648.0::float8 AS lat,
			-77.03 + 0.014 * hashint4(i + 100000) / 2147483648.0::float8 AS lon
		FROM generate_series(1, 5000) i) s;
SELECT ok(solve('places') > 0, 'places: solved');
WITH s AS (
	SELECT regr_sxx(y, lat - 38.9) AS aa, regr_sxx(y, lon + 77.03) AS bb,
		regr_sxy(lat - 38.9, lon + 77.03) AS ab, regr_sxy(y, lat - 38.9) AS ay,
		regr_sxy(y, lon + 77.03) AS "by" FROM places
)
SELECT near(weight_of('places', 'lat'), (bb * ay - ab * "by") / (aa * bb - ab * ab),
		'places: as the closed form on centred columns'),
	near(weight_of('places', 'lon'), (aa * "by" - ab * ay) / (aa * bb - ab * ab),
		'places: longitude too')
	FROM s;

-- --- collinear columns -------------------------------------------------------------

SELECT ok(solve('SELECT y, a, a AS again, c FROM rows40', '{}', 'twice') > 0, 'a column twice: solved');
SELECT ok(solve('SELECT y, a, c FROM rows40', '{}', 'once') > 0, 'the column once: solved');
SELECT near(weight_of('twice', f), weight_of('once', 'a') / 2, format('%s has half the weight', f))
	FROM unnest(ARRAY['a', 'again']) f;
SELECT near(weight_of('twice', f), weight_of('once', f), format('%s keeps its weight', f))
	FROM unnest(ARRAY['c', '(intercept)']) f;
SELECT is(string_agg(feature, ' ' ORDER BY position), 'a again', 'both are flagged, no other')
	FROM osml.weights WHERE model = 'twice' AND collinear;
SELECT is(string_agg(feature, ' ' ORDER BY position), 'a again', 'and have no standard error, t and p')
	FROM osml.weights WHERE model = 'twice' AND std_error IS NULL AND t_stat IS NULL AND p_value IS NULL;
SELECT near(w.std_error, o.std_error, format('%s keeps its standard error', feature))
	FROM osml.weights w JOIN osml.weights o USING (feature)
	WHERE w.model = 'twice' AND o.model = 'once' AND feature = 'c';
SELECT is(count(*)::int, 0, 'a regular run has no such event') FROM osml.events e JOIN osml.runs r USING (run_id)
	WHERE r.model = 'once';
SELECT is(severity, 'warning', 'an event warns'),
		matches(message, 'linearly dependent.*minimum norm.*"a", "again"$', 'and names them')
	FROM osml.events e JOIN osml.runs r USING (run_id) WHERE r.model = 'twice' AND e.kind = 'collinear';
SELECT is(summary_of('twice', 'condition_number'), 'Infinity', 'the condition number is infinite');
SELECT is(value, 'Infinity'::float8, 'in the metrics too') FROM osml.metrics m JOIN osml.runs r USING (run_id)
	WHERE r.model = 'twice' AND m.name = 'condition_number';
SELECT is(summary_of('twice', 'rank') || summary_of('twice', 'degrees_of_freedom'), '237', 'rank 2, 37 degrees of freedom');
SELECT near(summary_of('twice', k)::float8, summary_of('once', k)::float8, k || ' is that without the copy')
	FROM unnest(ARRAY['r2', 'adjusted_r2', 'residual_std_error']) k;

-- minimum norm in raw units without scaling, in deviations with it
SELECT ok(solve('SELECT y, a, 2 * a AS a2, c FROM rows40', '{"scale":"none"}', 'double') > 0, 'x and 2 x: solved');
SELECT near(weight_of('double', f), v, format('scale none, %s: numpy''s minimum norm', f)) FROM (VALUES
	('a', 0.5973428547598689), ('a2', 1.1946857095197383), ('c', 0.17108627209263613),
	('(intercept)', -1.2025989075890138)) AS w (f, v);
SELECT ok(solve('SELECT y, a, 2 * a AS a2, c FROM rows40', '{}', 'double_scaled') > 0, 'the same scaled: solved');
SELECT near(weight_of('double_scaled', 'a'), 2 * weight_of('double_scaled', 'a2'),
	'scaled: equal shares in deviations');
SELECT ok(solve('SELECT y, a, b, a + b AS ab, c FROM rows40', '{"scale":"none"}', 'total') > 0, 'a, b, a + b: solved');
SELECT near(weight_of('total', f), v, format('a, b, a + b, scale none, %s', f)) FROM (VALUES
	('a', 2.1081034457349737), ('b', -1.3160274041564715), ('ab', 0.792076041578502),
	('c', 0.07805967073187987), ('(intercept)', 2.6903708801895085)) AS w (f, v);
SELECT ok(solve('SELECT y, a, b, a + b AS ab, c FROM rows40', '{}', 'total_scaled') > 0, 'the same scaled: solved');
SELECT near(weight_of('total_scaled', f), v, format('a, b, a + b, scaled, %s', f)) FROM (VALUES
	('a', 2.494448762214127), ('b', -0.9296820876773171), ('ab', 0.4057307250993484),
	('c', 0.07805967073188004), ('(intercept)', 2.6903708801895014)) AS w (f, v);
SELECT near(w.std_error, 0.16321377045150426, format('%s: c keeps its standard error', model))
	FROM osml.weights w WHERE w.model IN ('total', 'total_scaled') AND feature = 'c';
SELECT is(string_agg(feature, ' ' ORDER BY position), 'a b ab', model || ': three columns are flagged')
	FROM osml.weights WHERE model IN ('total', 'total_scaled') AND collinear GROUP BY model;

-- more columns than rows
CREATE TABLE short (y float8, p float8, q float8, r float8, s float8, t float8);
INSERT INTO short VALUES (1, 1, 2, 0, 1, 3), (5, 2, 0, 1, 5, 1), (2, 4, 1, 1, 0, 2);
SELECT ok(solve('short', '{"scale":"none"}') > 0 AND solve('short', '{}', 'short_scaled') > 0,
	'more columns than rows: solved');
SELECT near(weight_of('short', f), raw, format('more columns than rows, scale none, %s', f)),
		near(weight_of('short_scaled', f), scaled, format('more columns than rows, scaled, %s', f))
	FROM (VALUES ('p', 0.2422360248447204, -0.15517241379310373),
		('q', -0.32919254658385094, -0.6168582375478927), ('r', 0.18012422360248448, 0.5229885057471274),
		('s', 0.5652173913043478, 0.29118773946360144), ('t', -0.3291925465838509, -0.6168582375478929),
		('(intercept)', 1.8385093167701865, 3.948275862068966)) AS w (f, raw, scaled);
SELECT ok(max(abs(osml_predict('short', h) - y)) < 1e-12, 'more columns than rows: fits every row') FROM short h;
SELECT is(summary_of('short', 'r2')::float8, 1::float8, 'R2 is 1');
SELECT is(summary_of('short', 'adjusted_r2'), NULL, 'there is no adjusted R2');
SELECT is(summary_of('short', 'rank') || ' ' || summary_of('short', 'degrees_of_freedom'), '2 0', 'rank 2, no degree of freedom');
SELECT ok(bool_and(std_error IS NULL AND p_value IS NULL), 'and no standard error') FROM osml.weights WHERE model = 'short';

-- --- columns and labels that do not vary -------------------------------------------

SELECT ok(solve('SELECT y, a, 0.1::float8 AS k, b, c FROM rows40', '{}', 'constant') > 0, 'a constant column: solved');
SELECT is(weight_of('constant', 'k'), 0::float8, 'its weight is 0');
SELECT near(w.weight, o.weight, format('%s keeps its weight', feature)),
		near(w.std_error, o.std_error, format('%s keeps its standard error', feature))
	FROM osml.weights w JOIN osml.weights o USING (feature) WHERE w.model = 'constant' AND o.model = 'rows40';
SELECT is(string_agg(feature, ' '), 'k', 'it is flagged and without standard error')
	FROM osml.weights WHERE model = 'constant' AND collinear AND std_error IS NULL;
SELECT matches(message, '"k" \(constant\)$', 'and the event calls it constant')
	FROM osml.events e JOIN osml.runs r USING (run_id) WHERE r.model = 'constant' AND e.kind = 'collinear';
SELECT is(osml_predict('constant', 1, 0.1, 2, 3), osml_predict('constant', 1, 1e6, 2, 3),
	'its value does not move a prediction');
-- a constant that is not a short binary fraction, over many blocks
SELECT ok(solve('SELECT (i % 10)::float8 AS y, 1e9 / 3 AS k, (i % 7)::float8 AS a FROM generate_series(1, 5000) i',
	'{}', 'third') > 0, 'a constant column over several blocks: solved');
SELECT is(weight_of('third', 'k'), 0::float8, 'its weight is 0');
SELECT near(weight_of('third', 'a'), regr_slope(i % 10, i % 7), 'and the other is right')
	FROM generate_series(1, 5000) i;

SELECT ok(solve('SELECT 7.25::float8 AS y, a, b FROM rows40', '{}', 'flat') > 0, 'a constant label: solved');
SELECT ok(bool_and(abs(weight) < 1e-15), 'no column explains it') FROM osml.weights WHERE model = 'flat' AND position > 0;
SELECT is(osml_predict('flat', 1, 2), 7.25::float8, 'it is what is predicted');
SELECT is(summary_of('flat', 'r2'), NULL, 'R2 is not defined');

SELECT ok(solve('SELECT * FROM rows40 LIMIT 1', '{}', 'single') > 0, 'one row: solved');
SELECT is(osml_predict('single', r), (SELECT y FROM rows40 LIMIT 1), 'one row: its label is predicted')
	FROM rows40 r LIMIT 1;
SELECT ok(bool_and(weight = 0), 'one row: no weight') FROM osml.weights WHERE model = 'single' AND position > 0;

SELECT ok(solve('SELECT 3 + 2 * a - c AS y, a, c FROM rows40', '{}', 'perfect') > 0, 'a perfect fit: solved');
SELECT near(weight_of('perfect', f), v, format('a perfect fit: %s', f), 1e-13) FROM (VALUES
	('a', 2), ('c', -1), ('(intercept)', 3)) AS w (f, v);
SELECT is(summary_of('perfect', 'r2')::float8, 1::float8, 'a perfect fit: R2');

-- --- many columns: LAPACK, where its module is there -----------------------------------

CREATE TABLE wide AS
	SELECT y + 10 * (hashint4(-i) / 2147483648.0::float8) AS y, x
	FROM (SELECT i, array_agg(hashint4(i * 1000 + j) / 2147483648.0::float8 + j ORDER BY j) AS x,
			sum((j % 5 - 2.0) * (hashint4(i * 1000 + j) / 2147483648.0::float8)) AS y
		FROM generate_series(1, 1000) i, generate_series(1, 200) j GROUP BY i) s;
SELECT ok(solve('wide') > 0 AND solve('wide', '{"scale":"none"}', 'wide_raw') > 0, '200 columns: solved');
-- least squares means that the residual is orthogonal to each column and to 1
CREATE FUNCTION largest_cosine(model text, first int, last int) RETURNS float8 LANGUAGE sql AS $$
	WITH r AS MATERIALIZED (SELECT osml_predict($1, w.x[first:last]) - y AS e, x FROM wide w)
	SELECT greatest(max(abs(dot) / sqrt(ee * xx)), max(abs(total) / sqrt(ee * n)))
	FROM (SELECT sum(e * (v - j)) AS dot, sum(e * e) AS ee, sum((v - j) ^ 2) AS xx, sum(e) AS total, count(*) AS n
		FROM r, unnest(x[first:last]) WITH ORDINALITY AS u (v, k), LATERAL (SELECT first + k - 1 AS j) s GROUP BY j) s
$$;
SELECT cmp_ok(largest_cosine(m, 1, 200), '<', 1e-10::float8, m || ': the residual is orthogonal to every column')
	FROM unnest(ARRAY['wide', 'wide_raw']) m;
SELECT cmp_ok(max(off(a.weight, b.weight)), '<', 1e-9::float8, 'the same weights with and without scaling')
	FROM osml.weights a JOIN osml.weights b USING (feature) WHERE a.model = 'wide' AND b.model = 'wide_raw';
SELECT is(summary_of('wide', 'rank'), '200', '200 columns: full rank');
-- 64 columns are left to the built-in eigensolver; a constant 65th is dropped
-- after the choice, so the two solve one problem by two ways
SELECT ok(solve('SELECT y, x[1:64] AS x FROM wide', '{}', 'narrow') > 0
	AND solve('SELECT y, x[1:64] AS x, 1 AS k FROM wide', '{}', 'narrow_and_one') > 0, '64 columns and 65: solved');
SELECT cmp_ok(max(off(a.weight, b.weight)), '<', 1e-9::float8, 'two eigensolvers agree on the weights'),
		cmp_ok(max(off(a.std_error, b.std_error)), '<', 1e-9::float8, 'and on the standard errors')
	FROM osml.weights a JOIN osml.weights b USING (feature) WHERE a.model = 'narrow' AND b.model = 'narrow_and_one';
SELECT cmp_ok(largest_cosine('narrow', 1, 64), '<', 1e-10::float8, '64 columns: orthogonal');
SELECT cmp_ok(largest_cosine('narrow', 65, 128), '>', 1e-3::float8, 'which columns left out are not');

-- --- readers, val and test sources -----------------------------------------------------

-- more than a shard of 512 pages
CREATE TABLE long AS
	SELECT a - 2 * b + hashint4(i) / 1e9::float8 AS y, a, b, repeat('x', 200) AS filler
	FROM (SELECT i, hashint4(i + 1000000) / 1e9::float8 AS a, hashint4(i + 2000000) / 1e9::float8 AS b
		FROM generate_series(1, 40000) i) s;
SELECT ok(bool_and(solve('long', format('{"features":["a","b"], "num_workers":%s}', n)::jsonb, 'long_' || n) > 0),
	'by the session, one and three readers: solved') FROM unnest(ARRAY[0, 1, 3]) n;
SELECT is(count(DISTINCT v.weights)::int, 1, 'all in the same bits')
	FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name LIKE 'long\__';
SELECT near(weight_of('long_3', 'a'), (regr_sxx(y, b) * regr_sxy(y, a) - regr_sxy(a, b) * regr_sxy(y, b))
		/ (regr_sxx(y, a) * regr_sxx(y, b) - regr_sxy(a, b) ^ 2), 'which are right', 1e-11)
	FROM long;

SELECT ok(osml_create_dataset('parts', train => 'SELECT * FROM rows40 WHERE b < 9',
	val => 'SELECT * FROM rows40 WHERE b = 9', test => 'SELECT * FROM rows40 WHERE b > 9') > 0, 'a dataset of three parts');
SELECT ok(solve('parts') > 0, 'exact with val and test: solved');
SELECT near(m.value, e.value, format('%s is osml_evaluate''s %s', m.name, e.metric), 1e-12)
	FROM osml.metrics m JOIN osml.runs r USING (run_id)
		JOIN (SELECT 'val' AS phase, * FROM osml_evaluate('parts', 'SELECT * FROM rows40 WHERE b = 9')
			UNION ALL
			SELECT 'test', * FROM osml_evaluate('parts', 'SELECT * FROM rows40 WHERE b > 9')) e
			ON m.phase = e.phase AND m.name = concat(e.phase, '_', e.metric)
	WHERE r.model = 'parts' AND e.metric IN ('explained_variance', 'mae', 'mape', 'median_ae', 'mse', 'r2', 'rmse') ORDER BY m.name;
SELECT is(string_agg(DISTINCT m.phase || '_' || e.metric, ' '), string_agg(DISTINCT m.name, ' '), 'all metrics of both') FROM osml.metrics m JOIN osml.runs r USING (run_id),
	osml_evaluate('parts', 'SELECT * FROM rows40 WHERE b = 9') e WHERE r.model = 'parts' AND m.phase IN ('val', 'test') AND e.metric !~ '^rows_';
SELECT is(train_rows || ' ' || val_rows || ' ' || test_rows, concat_ws(' ', a, b, c), 'row counts of the parts')
	FROM osml.models, (SELECT count(*) FILTER (WHERE b < 9), count(*) FILTER (WHERE b = 9),
		count(*) FILTER (WHERE b > 9) FROM rows40) AS n (a, b, c) WHERE model = 'parts';
SELECT near(val_loss, v.value, 'val_loss of the version') , near(test_loss, t.value, 'test_loss of the version')
	FROM osml.models m JOIN osml.metrics v ON v.run_id = m.run_id AND v.name = 'val_mse'
		JOIN osml.metrics t ON t.run_id = m.run_id AND t.name = 'test_mse'
	WHERE m.model = 'parts';

SELECT * FROM finish();
