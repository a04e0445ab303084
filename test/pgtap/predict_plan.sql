-- predict_plan.sql: what the planner makes of predictions are the same numbers by a shorter way.
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(48);

CREATE TABLE pp (gone int, y float8, word text, a float8, b numeric, at date, flag boolean, also float8);
INSERT INTO pp SELECT i, sin(i) * 3 + i % 7, CASE WHEN i % 11 > 0 THEN 'w' || i % 5 END, CASE WHEN i % 13 > 0 THEN i END, i % 9,
	date '2024-01-01' + i % 400, i % 3 = 0, i % 4 FROM generate_series(1, 2000) i;
ALTER TABLE pp DROP COLUMN gone;
ALTER TABLE pp ADD COLUMN late float8 DEFAULT 7;
-- a text that is kept elsewhere
UPDATE pp SET word = repeat(md5(y::text), 400) WHERE y > 8.9;
SELECT count(osml_train('SELECT y, word, a, b, at, flag, late FROM pp', m || '{"max_epochs": 2, "on_null": "mean", "label": "y"}', n))
	FROM (VALUES ('pp', '{}'::jsonb), ('pp net', '{"model_type": "mlp", "num_hidden_neurons": [4]}')) v(n, m);
SELECT count(osml_train('SELECT word, a, b FROM pp WHERE length(word) < 9 AND a IS NOT NULL', '{"max_epochs": 2, "label": "word"}', 'pp class'));
SELECT count(osml_train('SELECT y, a, b::float8, also FROM pp WHERE a IS NOT NULL', '{"max_epochs": 2, "label": "y"}', 'pp numbers'));

-- rows that are values before they come to the function
CREATE VIEW pp_whole AS SELECT p AS row, ctid AS id FROM pp p OFFSET 0;

CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE line text; plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE) ' || query LOOP plan := plan || line || E'\n'; END LOOP;
	RETURN plan;
END$$;
-- estimated cost of a row of a plan's only scan
CREATE FUNCTION pg_temp.cost(query text) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Total Cost')::float8;
END$$;
CREATE FUNCTION pg_temp.same(query text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT alike(pg_temp.plan(query), '%osml.predict%columns(%', what || ': columns');
	RETURN NEXT bag_eq(query, format('SELECT osml_predict(%L, row) FROM pp_whole', 'pp'), what || ': the same numbers');
END$$;

SELECT alike(pg_temp.plan($$SELECT osml_predict('pp', row) FROM pp_whole$$), '%osml_predict(''pp''%', 'a row that is a value stays one');
SELECT pg_temp.same($$SELECT osml_predict('pp', pp) FROM pp$$, 'a table');
SELECT pg_temp.same($$SELECT osml_predict('pp', p) FROM (SELECT * FROM pp) p$$, 'a subquery');
SELECT pg_temp.same($$SELECT osml_predict('pp', ROW(p.*)::pp) FROM pp p$$, 'a row of a type');
CREATE VIEW pp_view AS SELECT late, flag, at, b, a, word FROM pp;
SELECT pg_temp.same($$SELECT osml_predict('pp', v) FROM pp_view v$$, 'a view with columns in another order');
SELECT pg_temp.same($$SELECT osml_predict('pp', p) FROM pp p JOIN (VALUES (1)) v(i) ON true$$, 'a join');
CREATE TABLE pp_parent (late float8, y float8, word text, flag boolean, a float8, b numeric, at date) PARTITION BY LIST (flag);
CREATE TABLE pp_yes PARTITION OF pp_parent FOR VALUES IN (true);
CREATE TABLE pp_no (y float8, at date, b numeric, a float8, extra int, flag boolean, word text, late float8);
ALTER TABLE pp_no DROP COLUMN extra;
ALTER TABLE pp_parent ATTACH PARTITION pp_no FOR VALUES IN (false);
INSERT INTO pp_parent SELECT late, y, word, flag, a, b, at FROM pp;
SELECT pg_temp.same($$SELECT osml_predict('pp', p) FROM pp_parent p$$, 'partitions with columns in another order');
SELECT bag_eq($$SELECT osml_predict('pp net', p) FROM pp p$$, $$SELECT osml_predict('pp net', row) FROM pp_whole$$, 'a network');
SELECT bag_eq($$SELECT osml_predict_proba('pp class', p)::text FROM pp p$$, $$SELECT osml_predict_proba('pp class', row)::text FROM pp_whole$$, 'probabilities');
SELECT bag_eq($$SELECT osml_predict_class('pp class', p) FROM pp p$$, $$SELECT osml_predict_class('pp class', row) FROM pp_whole$$, 'classes');
SELECT alike(pg_temp.plan($$SELECT osml_predict_proba('pp class', p), osml_predict_class('pp class', p) FROM pp p$$), '%osml.predict_proba_columns(%osml.predict_class_columns(%', 'by columns');
SELECT bag_eq($$SELECT osml_predict('pp numbers', a, b::float8, also) FROM pp$$, $$SELECT osml_predict('pp numbers', row) FROM pp_whole$$, 'elements');
SELECT bag_eq($$SELECT osml_predict('pp numbers', ARRAY[a, b, also]::numeric[]) FROM pp$$, $$SELECT osml_predict('pp numbers', row) FROM pp_whole$$, 'elements of another type');
SELECT alike(pg_temp.plan($$SELECT osml_predict('pp numbers', a, b::float8, also) FROM pp$$), '%osml.predict_columns(''pp numbers''::text, NULL::text[], %', 'by their place');

-- a row that is not there is no row of missing values
SELECT is(osml_predict('pp', ROW(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)::pp) IS NULL, false, 'a row of missing values is predicted for');
SELECT is(osml_predict('pp', p), NULL, 'one that an outer join has not found is not') FROM (VALUES (1)) v(i) LEFT JOIN pp p ON false;
SELECT is(count(osml_predict('pp', s)), 2::bigint, 'nor within a subquery')
	FROM (VALUES (1), (2), (3)) v(i) LEFT JOIN (SELECT *, row_number() OVER () AS n FROM pp_view LIMIT 2) s ON s.n = i;
SELECT is(count(osml_predict('pp', s)), 2::bigint, 'nor where that becomes part of the query')
	FROM (VALUES (1), (2), (7)) v(i) LEFT JOIN (SELECT word, a, b, at, flag, late, 1 + (a > 1)::int AS n FROM pp WHERE a < 3) s ON s.n = i;
SELECT is(count(osml_predict(n, p)), 0::bigint, 'no name, no prediction') FROM pp p, (VALUES (NULL::text)) v(n);
SELECT bag_eq($$SELECT osml_predict(n, p) FROM pp p, (VALUES ('pp'), ('pp net')) v(n)$$,
	$$SELECT osml_predict(n, row) FROM pp_whole, (VALUES ('pp'), ('pp net')) v(n)$$, 'names that differ from row to row');
SELECT is((SELECT osml_predict('pp', p) FROM pp q WHERE q.ctid = p.ctid), osml_predict('pp', p.*), 'the row of an outer query') FROM pp p LIMIT 1;

-- the places of rows
CREATE TEMP TABLE pp_out AS SELECT * FROM pp LIMIT 0;
PREPARE fill AS WITH i AS (INSERT INTO pp_out SELECT * FROM pp RETURNING osml_predict('pp', pp_out) AS p) SELECT p FROM i;
SELECT bag_eq('EXECUTE fill', $$SELECT osml_predict('pp', row) FROM pp_whole$$, 'RETURNING');
SELECT is(count(*), (SELECT count(*) FROM pp_whole WHERE osml_predict('pp', row) > 3), 'WHERE') FROM pp p WHERE osml_predict('pp', p) > 3;
CREATE SEQUENCE pp_calls;
SELECT is((SELECT sum(p) IS NOT NULL FROM (SELECT osml_predict('pp numbers', s) AS p FROM (SELECT a, 1.0 AS b, nextval('pp_calls')::float8 AS also FROM pp WHERE a IS NOT NULL) s) z)::text || currval('pp_calls'),
	'true' || (SELECT count(a) FROM pp), 'what a row is made of is made once');

-- a plan that is kept finds what is deployed, with other columns, and rights that are gone
PREPARE kept AS SELECT osml_predict('pp', p) FROM pp p ORDER BY ctid LIMIT 1;
SET plan_cache_mode = force_generic_plan;
SELECT isnt_empty('EXECUTE kept', 'a plan');
SELECT count(osml_train('SELECT y, also, b FROM pp', '{"max_epochs": 2, "label": "y"}', 'pp'));
SELECT results_eq('EXECUTE kept', $$SELECT osml_predict('pp', row) FROM pp_whole ORDER BY id LIMIT 1$$, 'finds a version that reads other columns');
CREATE ROLE pp_bert;
GRANT SELECT ON pp TO pp_bert;
SET ROLE pp_bert;
SELECT throws_ok('EXECUTE kept', '42501', NULL, 'and a right that is not there');
SELECT lives_ok($$EXPLAIN SELECT osml_predict('pp', p) FROM pp p$$, 'a plan tells nothing of it');
RESET ROLE;
RESET plan_cache_mode;

-- errors are those of rows
SELECT throws_ok($$SELECT osml_predict('pp', p) FROM (SELECT also FROM pp) p$$, '42703', 'the row has no column "b", which model "pp" needs', 'a column that lacks');
SELECT throws_ok($$SELECT osml_predict('pp', p) FROM (SELECT a AS b, b, also FROM pp) p$$, '42702', NULL, 'two of a name');
SELECT throws_ok($$SELECT osml_predict('pp numbers', a, a) FROM pp$$, '22023', 'model "pp numbers" takes 3 values, not 2', 'too few values');
SELECT throws_ok($$SELECT osml_predict('pp no', p) FROM pp p$$, '42704', NULL, 'no such model');
SELECT throws_ok($$SELECT osml.predict_columns('pp', '{b}', VARIADIC ARRAY[1.0])$$, '22023', NULL, 'an array in the place of values');
SELECT throws_ok($$SELECT osml.predict_columns('pp', ARRAY[w], 1.0) FROM (VALUES ('a'), ('b')) v(w)$$, '22023', NULL, 'names that vary');
SELECT throws_ok($$SELECT osml.predict_columns('pp', '{a,b,c}', 1.0, 2.0)$$, 'XX000', NULL, 'names of more values than there are');

-- more columns than a function takes
DO $$BEGIN EXECUTE 'CREATE TABLE pp_wide AS SELECT p.*, ' || (SELECT string_agg('0 AS c' || i, ', ') FROM generate_series(1, 120) i) || ' FROM pp p'; END$$;
SELECT bag_eq($$SELECT osml_predict('pp', w) FROM pp_wide w$$, $$SELECT osml_predict('pp', row) FROM pp_whole$$, 'a wide table');
SELECT unalike(pg_temp.plan($$SELECT osml_predict('pp', w) FROM pp_wide w$$), '%predict_columns%', 'as a row');

-- cost
SELECT count(osml_train('SELECT y, a, b::float8, also FROM pp WHERE a IS NOT NULL', '{"model_type": "mlp", "num_hidden_neurons": [256, 256], "max_batches": 1, "label": "y"}', 'pp big'));
SELECT cmp_ok(pg_temp.cost($$SELECT osml_predict('pp big', p) FROM pp p$$), '>', 20 * pg_temp.cost($$SELECT osml_predict('pp numbers', p) FROM pp p$$), 'a large network costs more');
SELECT cmp_ok(pg_temp.cost($$SELECT osml_predict('pp big', row) FROM pp_whole$$), '>', 20 * pg_temp.cost($$SELECT osml_predict('pp numbers', row) FROM pp_whole$$), 'as a row, too');
CREATE TYPE pp_code AS (code text);
CREATE TABLE pp_codes AS SELECT a::text AS c FROM pp;
-- a category looks up one line of its table, and then meets all layers
SELECT count(osml_train('SELECT y, (a / 2)::int::text AS code FROM pp WHERE a IS NOT NULL', m || '{"max_batches": 1, "label": "y"}', n))
	FROM (VALUES ('pp codes', '{}'::jsonb), ('pp code net', '{"model_type": "mlp", "num_hidden_neurons": [256, 256]}')) v(n, m);
SELECT cmp_ok(pg_temp.cost($$SELECT osml_predict('pp codes', ROW(c)::pp_code) FROM pp_codes$$), '<', 2 * pg_temp.cost($$SELECT osml_predict('pp numbers', p) FROM pp p$$), 'a category of many costs no more than a number');
SELECT cmp_ok(pg_temp.cost($$SELECT osml_predict('pp code net', ROW(c)::pp_code) FROM pp_codes$$), '>', 20 * pg_temp.cost($$SELECT osml_predict('pp codes', ROW(c)::pp_code) FROM pp_codes$$), 'but a network of categories does');
SELECT cmp_ok(pg_temp.cost($$SELECT osml_predict('pp no', p) FROM pp p$$), '>', 0::float8, 'of a model that is not there, something');

DROP OWNED BY pp_bert;
DROP ROLE pp_bert;
SELECT * FROM finish();
