-- twins.sql: the same rows in train and in a part that is held out, where the source has twins.
\pset fieldsep '\n'
SET client_min_messages = error;

SELECT plan(20);

-- number k of row i: uniform in [0, 1)
CREATE FUNCTION u(i bigint, k int) RETURNS float8 LANGUAGE sql IMMUTABLE
	RETURN (hashint8extended(i, k) & 1073741823) / 1073741824.0::float8;
-- the row about rows, of a source with y and id that is split by what split says
CREATE FUNCTION judged(query text, split text DEFAULT 'group_by => ''{id}''') RETURNS text LANGUAGE plpgsql AS $$
DECLARE found text;
BEGIN
	EXECUTE 'CREATE TABLE judged AS ' || query;
	PERFORM osml_create_dataset('judged', 'judged', label => 'y');
	EXECUTE format('SELECT count(*) FROM osml_split(''judged'', ''{"train": 0.7, "val": 0.3}'', tries => 1, %s)', split) INTO found;
	SELECT verdict || ' ' || regexp_replace(reason, '[0-9]+\.[0-9] %', '# %', 'g') || ' ' || coalesce(
			(SELECT verdict || ' ' || coalesce(hint, '') FROM osml_check('judged') WHERE "check" = 'duplicates' AND subject = 'val'), '') INTO found
		FROM osml_feature_report('judged') WHERE feature = '(rows)';
	PERFORM osml_drop_dataset('judged');
	DROP TABLE judged;
	RETURN found;
END $$;

-- rows that were put in twice, with an identifier each time
CREATE VIEW twice AS SELECT k * 5000 + i AS id, floor(1e6 * u(i, 1))::int AS a, u(i, 2) AS b, u(i, 3) AS y FROM generate_series(1, 2000) i, generate_series(0, 1) k;
\set found '''look # % of the val rows are in train too; # % of the rows of train have a twin there, identifiers aside, copies rather than rows alike by chance; split the whole with osml_split and group_by => ARRAY[''''a'''', ''''b'''', ''''y''''] warn Split the whole with osml_split and group_by => ARRAY[''''a'''', ''''b'''', ''''y''''].'''
SELECT is(judged('SELECT * FROM twice', 'seed => 1'), :found, 'a hash of rows with an identifier');
SELECT is(judged('SELECT * FROM twice'), :found, 'a hash of the identifier');
SELECT is(judged('SELECT id, a, b, y > 0.5 AS y FROM twice'), :found, 'a label of two classes');
SELECT is(judged('SELECT id, a, b, CASE WHEN y > 0.3 THEN ''one'' ELSE ''two'' END AS y FROM twice'), :found, 'of texts');
SELECT is(judged('SELECT id, a, b, (y < 0.03)::int AS y FROM twice'), :found, 'a rare one');
SELECT is(judged('SELECT id, a, b, y FROM twice WHERE id < 5000 OR a % 8 = 0'), :found, 'an eighth of the rows');
SELECT is(judged('SELECT k * 10000 + i AS id, u(i, 1) AS a, u(i, 2) AS b, (i % 20 = 0)::int AS y FROM generate_series(1, 5000) i, generate_series(0, 19) k WHERE k = 0 OR i % 20 = 0'), :found,
	'a rare class twenty times, to balance the two');
SELECT is(judged('SELECT k * 10000 + i AS id, i % 7 AS a, i % 5 AS b, u(i, 1) AS y FROM generate_series(1, 3000) i, generate_series(0, 1) k'), :found, 'coarse features, but not the label');
SELECT is(judged('SELECT * FROM twice', 'group_by => ARRAY[''a'', ''b'', ''y'']'), 'keep # % of the val rows are in train too; # % of the rows of train have a twin there, identifiers aside, copies rather than rows alike by chance ok ',
	'the split that keeps them together');
SELECT osml_create_dataset('twice', 'twice', label => 'y') > 0 AS created \gset
SELECT is((SELECT verdict || ' ' || hint FROM osml_check('twice') WHERE "check" = 'duplicates'), 'warn A split tears them apart, unless it is by osml_split and group_by => ARRAY[''a'', ''b'', ''y''].', 'before there is a split');
SELECT count(*) > 0 AS done FROM osml_split('twice', '{"train": 0.7, "val": 0.3}', group_by => '{id}') \gset
SELECT osml_bin('twice', 'a', 3), osml_transform('twice', 'b_log', 'log1p', '{"input": "b"}');
UPDATE osml.dataset SET features = '{a_bin,b_log}' WHERE name = 'twice';
SELECT is((SELECT string_agg(verdict, ' ') FROM osml_feature_report('twice') WHERE feature = '(rows)'), 'look', 'rows are compared by the columns behind their features');

-- rows of few values are alike by chance
SELECT matches(judged(query), '^keep .* aside ok $', what) FROM (VALUES
	('three small numbers, and a label that differs', 'SELECT i AS id, floor(5 * u(i, 1))::int AS a, floor(7 * u(i, 2))::int AS b, floor(6 * u(i, 3))::int AS c, (u(i, 4) < 0.3)::int AS y FROM generate_series(1, 6000) i'),
	('a label that is rare', 'SELECT i AS id, floor(5 * u(i, 1))::int AS a, floor(30 * u(i, 2))::int AS b, floor(25 * u(i, 3))::int AS c, (u(i, 4) < 0.02)::int AS y FROM generate_series(1, 5000) i'),
	('a label that they tell', 'SELECT i AS id, a, b, c, (a + b + c) % 2 AS y FROM (SELECT i, floor(9 * u(i, 1))::int AS a, floor(13 * u(i, 2))::int AS b, floor(16 * u(i, 3))::int AS c FROM generate_series(1, 5000) i) i'),
	('a count', 'SELECT i AS id, floor(5 * u(i, 1))::int AS a, floor(7 * u(i, 2))::int AS b, floor(6 * u(i, 3))::int AS c, floor(-3 * ln(1 - u(i, 4)))::int AS y FROM generate_series(1, 6000) i'),
	('texts, some of them rare', 'SELECT i AS id, ''c'' || floor(1 / (u(i, 1) + 1e-3)) AS a, ''d'' || floor(1 / (u(i, 2) + 1e-2)) AS b, CASE WHEN u(i, 3) < 0.4 THEN ''one'' ELSE ''two'' END AS y FROM generate_series(1, 6000) i'),
	('a ZIP code and what it tells', 'SELECT i AS id, z AS zip, z / 100 AS state, (u(i, 1) < 0.01)::int AS y FROM (SELECT i, floor(800 * u(i, 2))::int AS z FROM generate_series(1, 2000) i) i'),
	('a plan of experiments, each twice', 'SELECT i AS id, i % 40 AS a, i / 40 % 25 AS b, (u(i, 1) < 0.3)::int AS y FROM generate_series(1, 2000) i'),
	('each eight times, with a rare label', 'SELECT i AS id, i % 40 AS a, i / 40 % 25 AS b, (u(i, 1) < 0.02)::int AS y FROM generate_series(1, 8000) i'),
	('no two alike', 'SELECT i AS id, u(i, 1) AS a, u(i, 2) AS b, u(i, 3) AS y FROM generate_series(1, 2000) i')) v (what, query);

SELECT * FROM finish();
