-- osml_feature_report, osml_feature_pairs, osml_declare_feature, osml_check: shapes, errors, rights.
-- What they find is tested in test/pgtap/feature_report.sql.
\set VERBOSITY default
\set SHOW_CONTEXT errors
SET client_min_messages = warning;

-- 400 rows by arithmetic: a is the label's line with a wiggle, b goes its own way
CREATE TABLE fr_rows AS
	SELECT (i % 7 + i % 5)::float8 AS y, (3 * (i % 7) + i % 3)::float8 AS a, i % 4 AS b, 'k' || i % 3 AS kind,
		1 AS one, CASE WHEN i % 50 = 0 THEN i % 2 = 0 END AS seldom, ARRAY[i % 7, i % 11] AS pair, y.y AS again
	FROM generate_series(1, 400) i, LATERAL (SELECT (i % 7 + i % 5)::numeric AS y) y;

-- columns as features: any type, arrays by element, candidates by their text
SELECT feature, verdict, reason, type, round(association::numeric, 3) AS association, measure, rows, round(present::numeric, 3) AS present,
	distinct_values, min_rows, meaning
	FROM osml_feature_report('fr_rows', ARRAY['a * a', 'kind || b -- both']);
SELECT feature, round(leak::numeric, 3) AS leak, leak_kind, partner, round(redundancy::numeric, 3) AS redundancy
	FROM osml_feature_report('SELECT y, a, a + 1 AS a1, again FROM fr_rows');
SELECT feature, other, verdict, reason, measure, round(redundancy::numeric, 3) AS redundancy
	FROM osml_feature_pairs('SELECT y, a, a + 1 AS a1, kind FROM fr_rows');
-- a label of texts, NULL labels, no labels, no rows
SELECT feature, verdict, rows, min_rows, min_class_rows FROM osml_feature_report('SELECT kind, a, nullif(b, 3) AS b FROM fr_rows');
SELECT feature, rows, round(present::numeric, 3) AS present FROM osml_feature_report('SELECT nullif(y, 3) AS y, a FROM fr_rows');
SET client_min_messages = notice;
SELECT * FROM osml_feature_report('SELECT NULL::int AS y, a FROM fr_rows');
SELECT * FROM osml_feature_report('SELECT y, a FROM fr_rows WHERE false');
SET client_min_messages = warning;
-- the same rows give the same report, whatever their order
SELECT count(*) FROM (SELECT feature, verdict, reason, round(association::numeric, 9), round(redundancy::numeric, 9)
		FROM osml_feature_report('SELECT y, a, b, kind FROM fr_rows')
	EXCEPT SELECT feature, verdict, reason, round(association::numeric, 9), round(redundancy::numeric, 9)
		FROM osml_feature_report('SELECT y, a, b, kind FROM fr_rows ORDER BY md5(a::text || b)')) d;

-- long reasons are cut between characters, whatever the names; of many copies three are named
SELECT min(octet_length(reason)) AS shortest, max(octet_length(reason)) AS longest,
	bool_and(reason = convert_from(convert_to(reason, 'UTF8'), 'UTF8')) AS valid
	FROM generate_series(1, 3) k, LATERAL osml_feature_report('SELECT y, a FROM fr_rows', (SELECT array_agg(format('a + %s /* %s%s */', i, repeat('x', k), repeat('ä€', 120)))
		FROM generate_series(1, 6) i)) WHERE feature <> 'a';

-- errors name the dataset, and the candidate
SELECT * FROM osml_feature_report(NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_nothing');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['aa + 1']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['a +']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['a, b']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['a) FROM fr_rows WHERE (true']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['sum(a)']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['fr_rows']);
\echo :LAST_ERROR_SQLSTATE
-- what no definition may be is no candidate: rows that become several, what other rows, the time or chance decide, an alias
SELECT * FROM osml_feature_report('fr_rows', ARRAY['generate_series(1, 3)']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['unnest(ARRAY[a, b])']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['row_number() OVER ()']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['(SELECT max(a) FROM fr_rows)']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['a + random()']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['a AS c']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['(a, b)']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['*']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY['1 / (b - 1)']);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', ARRAY[NULL]);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows', sample_rows => 5);
\echo :LAST_ERROR_SQLSTATE

-- notes
SELECT osml_create_dataset('fr_data', 'SELECT y, a, b, again FROM fr_rows', test => 'SELECT y, a, b, again FROM fr_rows LIMIT 50') > 0 AS created;
SELECT osml_declare_feature('fr_data', 'a', available => true, reason => 'on the form');
SELECT osml_declare_feature('fr_data', 'a', rationale => 'who pays more stays longer');
SELECT osml_declare_feature('fr_data', 'b', false, 'the law forbids it');
SELECT osml_declare_feature('fr_data', 'again', true, 'asked at the door');
SELECT osml_declare_feature('fr_data', 'ln(a + 1)', rationale => 'effects wear off');
SELECT dataset, feature, available, reason, rationale FROM osml.feature_notes ORDER BY feature;
SELECT feature, verdict, reason, available, available_reason, rationale FROM osml_feature_report('fr_data', ARRAY['ln(a + 1)']);
SELECT osml_declare_feature('fr_data', 'b');
SELECT count(*) FROM osml.feature_notes WHERE feature = 'b';
SELECT osml_declare_feature('fr_dat', 'b', true);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_declare_feature('fr_rows', 'b', true);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_declare_feature('fr_data', 'agian', true);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_declare_feature('fr_data', 'ln(agian)', true);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_declare_feature('fr_data', NULL, true);
\echo :LAST_ERROR_SQLSTATE

-- rights: notes are the owner's, a dataset's queries run for its owner only
CREATE ROLE regress_osml_reporter;
SET ROLE regress_osml_reporter;
SELECT count(*) FROM osml.feature_notes;
SELECT * FROM osml.feature_note;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_declare_feature('fr_data', 'a', true);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_data');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_feature_report('fr_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_check('fr_rows');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
GRANT SELECT (y, a) ON fr_rows TO regress_osml_reporter;
SET ROLE regress_osml_reporter;
SELECT feature FROM osml_feature_report('SELECT y, a FROM fr_rows');
SELECT * FROM osml_feature_report('SELECT y, a FROM fr_rows', ARRAY['(SELECT max(b) FROM fr_rows)']);
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;

-- preflight; figures of time and memory are the machine's
SELECT "check", verdict, subject, round(figure::numeric, 3) AS figure, message, hint FROM osml_check('fr_data', '{"shuffle":"none"}')
	WHERE "check" NOT IN ('memory', 'disk', 'time');
SELECT "check", verdict, figure > 0 AS positive FROM osml_check('fr_data') WHERE "check" IN ('memory', 'time');
SELECT "check", verdict, message, hint FROM osml_check('fr_data', '{"lr":-1}') LIMIT 1;
SELECT "check", verdict, message, hint FROM osml_check('fr_data', '{"learning":1}') LIMIT 1;
CREATE TABLE fr_bad AS
	SELECT CASE WHEN i > 900 THEN 1 ELSE 0 END AS y, CASE WHEN i % 5 > 0 THEN i % 13 END AS gaps, CASE i WHEN 7 THEN 'NaN'::float8 ELSE i % 11 END AS odd,
		CASE i WHEN 9 THEN 1e6 ELSE i % 17 END AS far, 3 AS one, 'k' || i AS word
	FROM generate_series(1, 1000) i;
SELECT "check", verdict, subject, round(figure::numeric, 3) AS figure, message, hint FROM osml_check('fr_bad', '{"shuffle":"none", "scale":"none"}')
	WHERE "check" NOT IN ('memory', 'disk', 'time');
SELECT "check", verdict, hint FROM osml_check('fr_bad', '{"on_null":"error", "on_nonfinite":"skip"}') WHERE "check" IN ('nulls', 'nonfinite', 'order');
SELECT "check", verdict, message FROM osml_check('SELECT * FROM fr_bad WHERE y < 0') WHERE "check" = 'rows';
SELECT "check", verdict, message, hint FROM osml_check('SELECT one, far FROM fr_bad') WHERE "check" = 'label';
-- definitions: what they take is not left out, and the report judges what they make
SELECT osml_create_dataset('fr_made', 'fr_bad', label => 'y', features => '{gaps,far}') > 0 AS created;
SELECT "check", verdict, figure, message FROM osml_check('fr_made') WHERE "check" IN ('features', 'nulls');
SELECT osml_transform('fr_made', 'gaps', 'impute', '{"method": "mean"}'), osml_bin('fr_made', 'far', 4);
SELECT "check", verdict, figure, message FROM osml_check('fr_made') WHERE "check" IN ('features', 'nulls');
UPDATE osml.dataset SET features = '{gaps,far_bin}' WHERE name = 'fr_made';
SELECT feature FROM osml_feature_report('fr_made');
SELECT "check", verdict, figure, message FROM osml_check('fr_made') WHERE "check" IN ('features', 'nulls');
SELECT "check", verdict, message, hint FROM osml_check('SELECT 1 AS y, NULL::json AS j') WHERE "check" = 'features';
SELECT osml_drop_dataset('fr_made');
SELECT count(*) FROM osml.runs WHERE dataset LIKE 'fr\_%';

SELECT osml_drop_dataset('fr_data');
SELECT count(*) FROM osml.feature_notes;
-- columns without a value, of one row, of none
SELECT feature, verdict, reason FROM osml_feature_report('SELECT y, a, NULL::int AS n, NULL::float8 AS f, NULL::text AS t, ''NaN''::float8 AS nan FROM fr_rows');
SELECT verdict, count(*) FROM osml_feature_pairs('SELECT y, a, NULL::int AS n, NULL::text AS t FROM fr_rows') GROUP BY verdict ORDER BY verdict;
SELECT "check", verdict FROM osml_check('SELECT y, a, NULL::int AS n FROM fr_rows') WHERE verdict <> 'ok';
SELECT feature, verdict FROM osml_feature_report('SELECT y, a, kind FROM fr_rows LIMIT 1');
SELECT feature, verdict FROM osml_feature_report('SELECT y, a, kind FROM fr_rows LIMIT 0');
SELECT column_name, rows, nulls, mean, distinct_values FROM osml_analyze('SELECT y, NULL::int AS n, NULL::text AS t FROM fr_rows');

-- every element of a long array, and an error where there are more than a report has columns
SELECT count(*), max(substring(feature FROM '\d+')::int) FROM osml_feature_report('SELECT i % 7 AS y, array_fill(i % 5, ARRAY[150]) AS a FROM generate_series(1, 200) i');
SELECT count(*) FROM osml_feature_pairs('SELECT i % 7 AS y, array_fill(i % 5, ARRAY[110]) AS a FROM generate_series(1, 200) i');
SELECT figure FROM osml_check('SELECT i % 7 AS y, array_fill(i % 5, ARRAY[110]) AS a FROM generate_series(1, 200) i') WHERE "check" = 'features';
SELECT osml_feature_report('SELECT i AS y, array_fill(i, ARRAY[1000]) AS a FROM generate_series(1, 200) i');

DROP TABLE fr_rows, fr_bad;
DROP ROLE regress_osml_reporter;
