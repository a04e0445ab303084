-- Queries as sources.  Each holds a line of its own.
CREATE SCHEMA squery;
SET search_path = squery, public;
SET client_min_messages = warning;
\pset tuples_only
\pset format unaligned

-- Train by least squares, and say what came out: model, weights, rows.
CREATE FUNCTION pg_temp.learn(source text, hparams jsonb DEFAULT '{}', model text DEFAULT 'q')
	RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	run bigint := osml_train(source, '{"optimizer": "exact"}' || hparams, model);
BEGIN
	RETURN (SELECT format('model %s: %s; %s rows', v.model,
			string_agg(concat(w.feature, ' ', round(w.weight::numeric, 6)::double precision), ', '
				ORDER BY w.position), v.train_rows)
		FROM osml.models v JOIN osml.weights w USING (model, version)
		WHERE v.run_id = run GROUP BY v.model, v.train_rows);
END
$$;

-- Run a command and return its error as the user sees it.
CREATE FUNCTION pg_temp.outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
	hint text;
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
		hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', concat(SQLSTATE, ': ', regexp_replace(message, 'run \d+', 'run N')),
		'DETAIL: ' || NULLIF(detail, ''), 'HINT: ' || NULLIF(hint, ''));
END
$$;

CREATE TABLE line AS SELECT i AS x, 2 * i + 1 AS y FROM generate_series(1, 100) i;

-- --- Forms -----------------------------------------------------------------------

SELECT pg_temp.learn('SELECT 2 * i + 1, i FROM generate_series(1, 50) i');
SELECT pg_temp.learn('select 3 * x + 1 as y, x from line where x > 60');
SELECT pg_temp.learn('SELECT y, x FROM line ORDER BY x DESC LIMIT 10');
SELECT pg_temp.learn('SELECT * FROM line', '{"label": "y"}');
SELECT pg_temp.learn('WITH l AS (SELECT * FROM line WHERE x <= 20) SELECT 4 * x + 1 AS y, x FROM l');
SELECT pg_temp.learn('WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 30) SELECT 5 * i + 1 AS y, i FROM n');
SELECT pg_temp.learn('VALUES (7, 1), (13, 2), (19, 3), (25, 4)');
SELECT pg_temp.learn('TABLE line', '{"label": "y"}');
SELECT pg_temp.learn('(SELECT 7 * x + 1 AS y, x FROM line)');
SELECT pg_temp.learn('((TABLE line)) LIMIT 5', '{"label": "y"}');
SELECT pg_temp.learn('SELECT 1 AS y, 0 AS x UNION ALL SELECT 8 * i + 1, i FROM generate_series(1, 9) i');
SELECT pg_temp.learn('SELECT a.y + b.y AS y, a.x AS xa, b.x AS xb FROM line a JOIN line b ON b.x = a.x % 10 + 1');
SELECT pg_temp.learn('SELECT 9 * avg(x) + 1 AS y, avg(x) AS x FROM line GROUP BY x % 10');
SELECT pg_temp.learn('SELECT sum(y) OVER (ORDER BY x) AS y, x, x * x AS xx FROM line');
SELECT pg_temp.learn('SELECT a.y, b.x AS other, a.x, a.x FROM line a JOIN line b ON b.x = a.x', '{"features": ["other"]}');
SELECT pg_temp.learn('SELECT 10 * x + 1 AS "a label", x AS "say ""x""" FROM line');

-- Space, comments, semicolons, and words that only look like a query.
SELECT pg_temp.learn(E'\n\t SELECT 2 * x AS y, x FROM line ; ');
SELECT pg_temp.learn('SELECT 3 * x AS y, x FROM line;; ;');
SELECT pg_temp.learn('SELECT 4 * x AS y, x FROM line -- the end');
SELECT pg_temp.learn('SELECT 5 * x AS y, x FROM line; -- the end');
SELECT pg_temp.learn('SELECT 6 * x AS y, x FROM line /* a ; in a comment */');
SELECT pg_temp.learn('SELECT 7 * x AS y, x FROM line /* a ; in a comment */ ; /* and one more ; */');
SELECT pg_temp.learn(E'-- first words\nSELECT 8 * x AS y, x FROM line');
SELECT pg_temp.learn(E'/* first /* nested */ words */\n ( -- and\n SELECT 9 * x AS y, x FROM line)');
SELECT pg_temp.learn('SELECT/* joined */10 * x AS y, x FROM line');
SELECT pg_temp.learn('SELECT-11 * x AS y, x FROM line');
SELECT pg_temp.learn('SELECT"y", x FROM line');
SELECT pg_temp.learn(E'SELECT CASE WHEN '';'' = E''\\x3b'' THEN 12 * x END AS y, x FROM line WHERE ''--'' <> ''/*''');
SELECT pg_temp.outcome($$SELECT osml_train('selectx FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('select', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('/* no end', model => 'q')$$);

-- Readers take queries as a whole; a URL inside a query is no source.
SELECT pg_temp.learn('SELECT 13 * x AS y, x FROM line', '{"num_workers": 2}');
SELECT pg_temp.learn($$SELECT 14 * x AS y, x FROM line WHERE 's3://a' <> 'b'$$);
-- The query means what it means here and now: settings travel to readers.
SET TimeZone = 'Asia/Kathmandu';
SET IntervalStyle = 'sql_standard';
SELECT pg_temp.learn($$SELECT extract(hour FROM timestamptz 'epoch') * x AS y, x FROM line$$, '{"num_workers": 1}');
SELECT pg_temp.learn($$SELECT CASE WHEN (interval '1 day 2 hours')::text = '1 2:00:00' THEN 15 ELSE 16 END * x AS y, x FROM line$$, '{"num_workers": 1}');
RESET TimeZone;
RESET IntervalStyle;
SET DateStyle = 'SQL, DMY';
SELECT pg_temp.learn($$SELECT extract(month FROM '02/07/2024'::date) * x AS y, x FROM line$$, '{"num_workers": 1}');
RESET DateStyle;

-- A volatile function is evaluated once a row and pass: a query that cannot be
-- repeated still trains on the rows it gave.
CREATE SEQUENCE calls;
SELECT pg_temp.learn($$SELECT 17 * nextval('calls') AS y, lastval() AS x FROM line$$);
SELECT last_value >= 100 FROM calls;
SELECT pg_temp.learn('SELECT 18 * r AS y, r FROM (SELECT random() AS r FROM line) s');
CREATE FUNCTION slope() RETURNS int LANGUAGE sql VOLATILE AS 'SELECT 19';
SELECT pg_temp.learn('SELECT slope() * x AS y, x FROM line', '{"num_workers": 1}');

-- Around the call: a value of the session's, a prepared statement, a function's
-- argument, a CTE.
SELECT format('SELECT %s * x AS y, x FROM line WHERE x < %L', 20, '40') AS source \gset
SELECT pg_temp.learn(:'source');
PREPARE learn(text) AS SELECT pg_temp.learn($1);
EXECUTE learn('SELECT 21 * x AS y, x FROM line');
EXECUTE learn('SELECT 22 * x AS y, x FROM line');
WITH s(source) AS (VALUES ('SELECT 23 * x AS y, x FROM line'), ('SELECT 24 * x AS y, x FROM line'))
	SELECT pg_temp.learn(source) FROM s;

-- --- A model's name ---------------------------------------------------------------

SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line', model => '')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line', model => repeat('m', 201))$$);
SELECT pg_temp.learn('SELECT y, x FROM line', model => repeat('m', 200)) LIKE 'model mmm%m: (intercept) 1, x 2; 100 rows';
SELECT pg_temp.learn('SELECT y, x FROM line', model => E'a name\nof two "lines"');
SELECT pg_temp.learn('line', '{"label": "y"}', model => 'another name');

-- --- Not a query, or not one that can be read ------------------------------------

SELECT pg_temp.outcome($$SELECT osml_train('SELECT 1, 2; SELECT 3, 4', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT 1, 2; DROP TABLE line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('INSERT INTO line VALUES (0, 0) RETURNING y, x', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('WITH a AS (SELECT 1 AS b) INSERT INTO line SELECT b, b FROM a RETURNING y, x', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('WITH gone AS (DELETE FROM line RETURNING *) SELECT y, x FROM gone', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x INTO elsewhere FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x INTO elsewhere FROM line UNION ALL TABLE line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line FOR UPDATE', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('EXPLAIN SELECT y, x FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line) AS a, (SELECT 1', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line) --', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM nowhere', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, z FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line WHERE x > $1', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT;', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line WHERE', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT 1, 2, 3', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x, x FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x, y FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT NULL, NULL', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line WHERE false', model => 'q')$$);
-- An error of the query's own, at row 50.
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, 1 / (50 - x) AS x FROM line', model => 'q')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, 1 / (50 - x) AS x FROM line', '{"num_workers": 1}', 'q')$$);
SELECT status, error FROM osml.runs WHERE model = 'q' AND status <> 'finished' ORDER BY run_id;

-- Nothing was written.
SELECT count(*) FROM line;
SELECT to_regclass('elsewhere') IS NULL;

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s; END $$;
DROP SCHEMA squery CASCADE;
