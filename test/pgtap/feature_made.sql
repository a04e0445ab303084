-- feature_made.sql: the feature report of what definitions make of rows, and osml_check beside it.
\pset fieldsep '\n'
SET client_min_messages = warning;

SELECT plan(29);

-- number k of row i: uniform in [0, 1)
CREATE FUNCTION u(i bigint, k int) RETURNS float8 LANGUAGE sql IMMUTABLE
	RETURN (hashint8extended(i, k) & 1073741823) / 1073741824.0::float8;
-- verdicts of a data set's report, features in their order
CREATE FUNCTION verdicts(dataset text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(feature || ' ' || verdict, ', ' ORDER BY n) FROM osml_feature_report(dataset) WITH ORDINALITY AS r (feature, verdict, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, s, t, v, n)
$$;
CREATE FUNCTION reason(dataset text, feature text) RETURNS text LANGUAGE sql AS $$
	SELECT verdict || coalesce(' ' || reason, '') FROM osml_feature_report(dataset) r WHERE r.feature = $2
$$;

-- --- a leak through a definition ---------------------------------------------------------

CREATE TABLE fr AS SELECT u(i, 1) AS a, CASE WHEN u(i, 2) < 0.3 THEN 'b' || i % 70 END AS boat, u(i, 2) < 0.3 AS y, u(i, 3) < 0.5 AS unused FROM generate_series(1, 4000) i;
SELECT osml_create_dataset('fr', 'fr', label => 'y', features => '{a}') > 0 AS created \gset
SELECT osml_transform('fr', 'has_boat', 'sql', '{"expression": "(boat IS NOT NULL)::int"}');
SELECT osml_transform('fr', 'onlyconst', 'sql', '{"expression": "1"}');
SELECT is(verdicts('fr'), 'a look, has_boat drop, onlyconst drop', 'what a definition makes is judged, what it is made of is no feature');
SELECT is(reason('fr', 'has_boat'), (SELECT verdict || ' ' || reason FROM osml_feature_report('SELECT y, boat FROM fr', ARRAY['(boat IS NOT NULL)::int']) WHERE feature LIKE '(boat%'),
	'as a candidate of the same text is');
SELECT is(reason('fr', 'onlyconst'), 'drop constant', 'a constant expression');
SELECT osml_transform('fr', 'rescued', 'impute', '{"input": "len", "method": "constant", "value": 0}')
	FROM osml_transform('fr', 'len', 'sql', '{"expression": "length(boat) + 5"}');
SELECT osml_transform('fr', 'boat', 'category');
SELECT osml_bin('fr', 'a', 4);
SELECT osml_cross('fr', 'cell', '{a_bin,boat}');
SELECT is(verdicts('fr'), 'a look, has_boat drop, onlyconst drop, len drop, rescued drop, boat drop, a_bin look, cell drop', 'every kind of definition');
SELECT matches(reason('fr', 'boat'), '^drop filled only where the label is 1', 'a category that is there for one class');
SELECT is((SELECT count(*) FROM osml_feature_report('fr') WHERE reason LIKE '%"a%' AND feature LIKE 'a%'), 0::bigint, 'a bin and its column do not call each other redundant');
SELECT is((SELECT string_agg(DISTINCT verdict || ' ' || reason, ', ') FROM osml_feature_pairs('fr') WHERE feature = 'a' AND other IN ('a_bin', 'cell')),
	'keep one is made of the other, or both of one column', 'among pairs they say so');
SELECT is((SELECT string_agg("check" || ' ' || message, ', ' ORDER BY "check") FROM osml_check('fr') WHERE "check" IN ('features', 'rows')),
	'features 8 features: 5 numbers and 3 categories or bins, rows 4000 rows for 8 features', 'the check counts features alike');
SELECT is((SELECT string_agg(subject, ', ') FROM osml_check('fr') WHERE "check" = 'constant'), 'onlyconst', 'and finds what is constant among them');
SELECT is((SELECT message FROM osml_check('SELECT i % 7 AS y, ARRAY[i, i % 3, i % 5] AS a FROM generate_series(1, 20) i') WHERE "check" = 'rows'),
	'20 rows for 1 features of 3 values', 'values of an array are counted besides');

-- the cells are those of osml_transform_row
SELECT osml_analyze('fr') IS NOT NULL AS analysed LIMIT 1 \gset
SELECT is((SELECT string_agg(format('%s %s', feature, distinct_values), ', ' ORDER BY feature) FROM osml_feature_report('fr')
		WHERE feature IN ('a_bin', 'boat', 'cell', 'has_boat', 'rescued', 'len')),
	(SELECT string_agg(format('%s %s', "column", n), ', ' ORDER BY "column") FROM (SELECT "column", count(DISTINCT coalesce(nullif(category, '(null)'), value::text)) AS n
		FROM fr, osml_transform_row('fr', fr) WHERE "column" IN ('a_bin', 'boat', 'cell', 'has_boat', 'rescued', 'len') GROUP BY 1) t), 'as many different values as osml_transform_row has')
	|| E'\n' || is((SELECT min_rows FROM osml_feature_report('fr') WHERE feature = 'a_bin'),
	(SELECT min(n) FROM (SELECT count(*) AS n FROM fr, osml_transform_row('fr', fr) WHERE "column" = 'a_bin' GROUP BY category) t), 'and as many rows of the rarest');

-- --- advice that is followed -------------------------------------------------------------

CREATE TABLE hx AS SELECT cos(h / 12.0 * pi()) + u(i, 1) + z.e AS y, h AS hour, 10000 + 97 * z.k AS zip, CASE WHEN u(i, 4) < 0.8 THEN u(i, 5) END AS gaps
	FROM (SELECT i, floor(24 * u(i, 2))::int AS h, floor(300 * u(i, 3))::int AS k FROM generate_series(1, 8000) i) i
	JOIN (SELECT k, 3 * u(k, 9) AS e FROM generate_series(0, 299) k) z USING (k) ORDER BY i;
SELECT osml_create_dataset('hx', 'hx') > 0 AS created \gset
SELECT is(verdicts('hx'), 'hour look, zip look, gaps look', 'hours, codes and gaps are to be looked at');
SELECT osml_transform('hx', 'hour', 'category');
SELECT osml_transform('hx', 'zip', 'category');
SELECT osml_transform('hx', 'gaps', 'impute', '{"method": "median", "flag": true}');
SELECT is((SELECT string_agg(feature || ' ' || verdict || ' ' || meaning, ', ') FROM osml_feature_report('hx') WHERE feature NOT LIKE 'gaps%'),
	'hour keep category, zip keep category', 'categories of that name do away with the advice');
SELECT is((SELECT count(*) FROM osml_feature_report('hx') WHERE feature LIKE 'gaps%' AND reason ~ 'missing in'), 0::bigint, 'so does an impute, whose flag is a feature too');
SELECT osml_drop_feature('hx', 'hour'), osml_drop_feature('hx', 'zip'), osml_drop_feature('hx', 'gaps');
SELECT osml_transform('hx', 'hour', 'cyclic', '{"period": 24}');
SELECT is((SELECT string_agg(feature || ' ' || verdict, ', ') FROM osml_feature_report('hx') WHERE feature LIKE 'hour%'), 'hour_sin keep, hour_cos keep', 'a circle is two numbers');
SELECT osml_drop_feature('hx', 'hour'), osml_bin('hx', 'hour', 24), osml_transform('hx', 'area', 'hash', '{"input": "zip", "buckets": 5000}'), osml_bin('hx', 'gaps', 5);
SELECT is(verdicts('hx'), 'hour keep, zip keep, gaps look, hour_bin keep, area keep, gaps_bin look', 'so do bins and hashes of other names');
SELECT matches(reason('hx', 'gaps_bin'), '^look no relation to the label found in [0-9]+ rows$', 'NULL is one bin more');

-- --- what is known of a column counts for what is made of it -------------------------------

CREATE TABLE ts AS SELECT i / 900.0 + u(i, 1) + cos(floor(24 * u(i, 2)) / 12 * pi()) AS y, i AS id, timestamp '2024-01-01' + (i * 24 + floor(24 * u(i, 2))) * interval '1 hour' AS made_at, u(i, 3) AS x
	FROM generate_series(1, 3000) i;
SELECT osml_create_dataset('ts', 'ts', features => '{x}') > 0 AS created \gset
SELECT osml_bin('ts', 'made_at', 20, name => 'period'), osml_transform('ts', 'who', 'hash', '{"input": "id", "buckets": 50}'),
	osml_transform('ts', 'id_log', 'log1p', '{"input": "id"}'), osml_transform('ts', 'hour', 'date_part', '{"input": "made_at", "part": "hour", "cyclic": true}'),
	osml_transform('ts', 'round', 'cyclic', '{"input": "id", "period": 24}');
SELECT matches(reason('ts', 'period'), '^drop "made_at", which it is made of: a point in time .* grows with the order of rows', 'a bin of a point in time');
SELECT matches(reason('ts', 'who'), '^drop .*"id", which it is made of, is an identifier', 'a hash of an identifier');
SELECT matches(reason('ts', 'id_log'), '^drop .*"id", which it is made of, is an identifier', 'its logarithm');
SELECT is((SELECT count(*) FROM osml_feature_report('ts') WHERE feature ~ '^(hour|round)_' AND (verdict = 'drop' OR reason ~ 'made of')), 0::bigint, 'but not what goes round');
SELECT osml_declare_feature('ts', 'made_at', false, 'written at night');
SELECT matches(reason('ts', 'hour_cos'), '^drop declared as not available: "made_at", which it is made of: written at night', 'what is made of an unavailable column is not available');
SELECT osml_declare_feature('ts', 'hour', true, 'known from the plan');
SELECT matches(reason('ts', 'hour_cos'), '^(keep|look no relation)', 'unless somebody says so of the feature');
SELECT is((SELECT available_reason FROM osml_feature_report('ts') WHERE feature = 'hour_cos'), 'known from the plan', 'whose note is shown');

-- --- roles, types, rows that a definition fails on -------------------------------------------

SELECT osml_create_dataset('weighted', 'SELECT y, x, id FROM ts', options => '{"sample_weight": "id"}') > 0 AS created \gset
SELECT is(verdicts('weighted'), 'x look', 'what weights rows is no feature');
SELECT osml_create_dataset('odd', 'SELECT y, x, made_at - made_at AS took, made_at FROM ts', features => '{x,made_at}') > 0 AS created \gset
SELECT osml_transform('odd', 'took', 'sql', '{"expression": "extract(epoch FROM took)"}'), osml_transform('odd', 'day', 'sql', '{"expression": "made_at::date"}');
SELECT is((SELECT string_agg(format('%s %s %s %s', feature, verdict, type, meaning), ', ') FROM osml_feature_report('odd') WHERE feature <> 'x'),
	'made_at drop timestamp without time zone time, took drop numeric constant, day drop date time', 'columns that no model takes, and expressions of any type');
SELECT osml_transform('odd', 'broken', 'sql', '{"expression": "1 / (x - x)"}');
SELECT throws_like('SELECT * FROM osml_feature_report(''odd'')', 'expression of feature "broken" of dataset "odd"%division by zero', 'a row that it fails on');
SELECT is((SELECT string_agg("check", ',') FROM osml_check('odd') WHERE "check" IN ('rows', 'order', 'label')), 'rows,label,order', 'the check goes on without it');

SELECT * FROM finish();
