-- Rows that are not numbers: NULL, NaN, infinities; and tables with next to
-- nothing in them.
CREATE SCHEMA sdirty;
SET search_path = sdirty, public;
SET client_min_messages = warning;
\pset tuples_only
\pset format unaligned
\pset null '(null)'

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

-- What a run counted, in each place where it says so, and the line it found.
CREATE FUNCTION pg_temp.counts(run bigint) RETURNS text LANGUAGE sql AS $$
	SELECT format('run: %s skipped (%s NULL, %s not finite); model: %s rows, %s skipped; %s%s',
		r.rows_skipped, r.summary ->> 'rows_skipped_null', r.summary ->> 'rows_skipped_nonfinite',
		m.train_rows, m.skipped_rows,
		(SELECT string_agg(concat(feature, ' ', round(weight::numeric, 6)::float8), ', ' ORDER BY position)
			FROM osml.weights w WHERE w.model = m.model AND w.version = m.version),
		(SELECT string_agg(concat(E'\n', severity, ' ', kind, ': ', message), '' ORDER BY event_id)
			FROM osml.events e WHERE e.run_id = r.run_id))
	FROM osml.runs r JOIN osml.models m ON m.run_id = r.run_id WHERE r.run_id = run
$$;
CREATE FUNCTION pg_temp.learn(source text, hparams jsonb DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.counts(osml_train(source, '{"optimizer": "exact"}' || hparams, 'dirty'))
$$;

-- --- on_null ---------------------------------------------------------------------

-- 100 clean rows of y = 2x + 3z + 1; each dirty row would bend the line.
CREATE TABLE clean AS SELECT (2 * i + 3 * (i % 7) + 1)::float8 AS y, i::float8 AS x, (i % 7)::int AS z FROM generate_series(1, 100) i;
CREATE TABLE holes AS TABLE clean;
INSERT INTO holes VALUES (NULL, 1, 1), (999, NULL, 1), (999, 1, NULL), (NULL, NULL, NULL);
SELECT pg_temp.learn('holes');
SELECT pg_temp.learn('holes', '{"on_null": "skip", "num_workers": 2}');
SELECT pg_temp.outcome($$SELECT osml_train('holes', '{"on_null": "error"}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('holes', '{"on_null": "error", "num_workers": 1}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x, z FROM holes WHERE y > 900', '{"on_null": "error"}', 'dirty')$$);
SELECT pg_temp.learn('clean', '{"on_null": "error"}');
SELECT status, error, rows_skipped FROM osml.runs WHERE hparams ->> 'on_null' = 'error' AND dataset ~ 'holes|clean' ORDER BY run_id;

-- A column that is not named does not count.
SELECT pg_temp.learn('SELECT y, x, z, NULL::float8 AS empty FROM clean', '{"features": ["x", "z"]}');

-- NULLs in every block of several, and a whole block of them.
CREATE TABLE blocks AS
	SELECT CASE WHEN i % 3 <> 0 AND i NOT BETWEEN 3000 AND 6000 THEN 2 * i + 1 END AS y, i AS x FROM generate_series(1, 9000) i;
SELECT pg_temp.learn('blocks');
SELECT pg_temp.learn('blocks', '{"num_workers": 2}');
SELECT count(*) FROM blocks WHERE y IS NULL;

-- The same through the step loop: rows seen are the rows used.
SELECT osml_train('blocks', '{"max_epochs": 2, "batch_size": 100}', 'steps') AS run \gset
SELECT steps, rows_seen, rows_skipped FROM osml.runs WHERE run_id = :run;
SELECT severity, kind, message FROM osml.events WHERE run_id = :run;
-- Streamed, rows are counted in the first pass only.
SELECT osml_train('blocks', '{"max_epochs": 1, "batch_size": 100, "scale": "none", "shuffle": "none", "lr": 0}', 'steps') AS run \gset
SELECT steps, rows_seen, rows_skipped, summary ->> 'streamed' FROM osml.runs WHERE run_id = :run;
SELECT severity, kind, message FROM osml.events WHERE run_id = :run;
-- Read again each epoch, they are still counted once.
SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
CREATE TABLE too_big AS SELECT CASE WHEN i % 10 <> 0 THEN i % 100 END AS y, i % 50 AS x FROM generate_series(1, 60000) i;
SELECT osml_train('too_big', '{"max_epochs": 3, "batch_size": 1000}', 'steps') AS run \gset
RESET osml.max_memory;
RESET osml.max_spill;
SELECT steps, rows_seen, rows_skipped, summary ->> 'reread' FROM osml.runs WHERE run_id = :run;
SELECT severity, kind, left(message, 60) FROM osml.events WHERE run_id = :run ORDER BY event_id;

-- Held-out rows that do not fit are read again where the training rows fit.
SELECT osml_create_dataset('held_again', 'blocks', 'y', val => 'too_big', test => 'too_big') > 0;
SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
SELECT osml_train('held_again', '{"max_epochs": 2, "batch_size": 100}', 'again') > 0;
RESET osml.max_memory;
RESET osml.max_spill;
SELECT osml_train('held_again', '{"max_epochs": 2, "batch_size": 100}', 'kept') > 0;
SELECT count(DISTINCT summary ->> 'reread'), count(DISTINCT (val_rows, test_rows)), count(DISTINCT (val_loss, test_loss)) FROM osml.models WHERE model IN ('again', 'kept');
SELECT osml_drop_dataset('held_again');

-- Validation and test rows are judged alike.
SELECT osml_create_dataset('three', 'holes', val => 'SELECT NULL::int AS y, 1 AS x, 2 AS z UNION ALL TABLE clean',
	test => 'SELECT 1 AS y, NULL::int AS x, i AS z FROM generate_series(1, 3) i UNION ALL TABLE clean') > 0;
SELECT osml_train('three', '{"optimizer": "exact"}') AS run \gset
SELECT rows_skipped FROM osml.runs WHERE run_id = :run;
SELECT message FROM osml.events WHERE run_id = :run ORDER BY message;
SELECT train_rows, val_rows, test_rows, round(val_loss::numeric, 9) AS val, round(test_loss::numeric, 9) AS test FROM osml.models WHERE run_id = :run;
SELECT pg_temp.outcome($$SELECT osml_train('three', '{"on_null": "error"}')$$);
SELECT osml_drop_dataset('three');

-- --- on_nonfinite ------------------------------------------------------------------

CREATE TABLE wild AS TABLE clean;
INSERT INTO wild VALUES ('NaN', 1, 1), (9, 'Infinity', 1), ('-Infinity', 9, 9), ('NaN', 'NaN', 1);
SELECT pg_temp.outcome($$SELECT osml_train('wild')$$);
SELECT pg_temp.outcome($$SELECT osml_train('wild', '{"num_workers": 1}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM wild WHERE y = 9', model => 'dirty')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM wild WHERE y = ''-Infinity''', model => 'dirty')$$);
SELECT pg_temp.learn('wild', '{"on_nonfinite": "skip"}');
SELECT pg_temp.learn('wild', '{"on_nonfinite": "skip", "num_workers": 2}');

-- Both kinds at once; a row with both counts for its NULL or for its NaN, once.
INSERT INTO wild VALUES (NULL, 1, 1), (1, 'NaN', NULL);
SELECT pg_temp.learn('wild', '{"on_nonfinite": "skip"}');

-- Of every type that has them.
CREATE TABLE wild_types AS SELECT 2 * i AS y, i::real AS f, i::numeric AS n, date '2000-01-01' + i AS d,
	timestamp '2000-01-01' + i * interval '1 h' AS t, timestamptz '2000-01-01' + i * interval '1 h' AS tz,
	ARRAY[i, i % 5]::float8[] AS a FROM generate_series(1, 20) i;
CREATE FUNCTION pg_temp.spoil(col text, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('CREATE TABLE spoilt AS TABLE wild_types');
	EXECUTE format('INSERT INTO spoilt (y, %s) VALUES (5, %L)', col, value);
	result := pg_temp.outcome(format('SELECT osml_train(%L, model => ''dirty'')',
		format('SELECT y, %1$s FROM spoilt ORDER BY %1$s IS DISTINCT FROM %2$L', col, value)));
	PERFORM osml_train('spoilt', jsonb_build_object('optimizer', 'exact', 'on_nonfinite', 'skip', 'features', ARRAY[col]), 'dirty');
	DROP TABLE spoilt;
	RETURN (SELECT concat(split_part(result, E'\n', 1), '; then ', r.rows_skipped, ' skipped')
		FROM osml.runs r ORDER BY run_id DESC LIMIT 1);
END
$$;
SELECT pg_temp.spoil(c, v) FROM (VALUES ('f', 'NaN'), ('f', '-Infinity'), ('n', 'NaN'), ('n', 'Infinity'), ('n', '-1e999'),
	('d', 'infinity'), ('d', '-infinity'), ('t', 'infinity'), ('t', '-infinity'), ('tz', 'infinity'), ('tz', '-infinity'),
	('a', '{1,NaN}'), ('a', '{-Infinity,1}')) s(c, v);

-- Prediction: NaN gives NaN, as in SQL.
SELECT pg_temp.learn('clean');
SELECT osml_predict('dirty', r) FROM (SELECT 'NaN'::float8 AS x, 1 AS z) r;
SELECT osml_predict('dirty', r) FROM (SELECT 'Infinity'::float8 AS x, 1 AS z) r;
SELECT round(prediction::numeric, 9) FROM osml_predict_batch('dirty', $$SELECT * FROM (VALUES (1::float8, 1), ('NaN', 1), (NULL, 1), (2, NULL), (2, 2)) v(x, z)$$) b ORDER BY row_number;
SELECT metric, round(value::numeric, 9) FROM osml_evaluate('dirty', 'wild') WHERE metric IN ('mse', 'rows_used', 'rows_skipped') ORDER BY 1;

-- --- on_null mean ------------------------------------------------------------------

-- Missing features take the column's mean over the rows that have it.  The
-- same imputed by hand in SQL must train to the same weights.
CREATE TABLE gaps AS
	SELECT (2 * x + 3 * z + 1 + sin(x * 10))::float8 AS y, CASE WHEN x::int % 5 <> 0 THEN x END AS x,
		CASE WHEN x::int % 9 <> 0 THEN z END AS z FROM clean;
INSERT INTO gaps VALUES (NULL, 1, 1);			-- a label is never made up
CREATE TABLE filled AS SELECT y, COALESCE(x, (SELECT avg(x) FROM gaps WHERE y IS NOT NULL)) AS x,
	COALESCE(z, (SELECT avg(z) FROM gaps WHERE y IS NOT NULL)) AS z FROM gaps WHERE y IS NOT NULL;
SELECT osml_train('gaps', '{"on_null": "mean", "shuffle": "none", "batch_size": 25, "max_epochs": 40, "scale": "none", "gradient_clip_val": 5}', 'gaps') AS run \gset
SELECT osml_train('filled', '{"shuffle": "none", "batch_size": 25, "max_epochs": 40, "scale": "none", "gradient_clip_val": 5}', 'filled') > 0;
SELECT rows_seen, rows_skipped, summary ->> 'rows_skipped_null' FROM osml.runs WHERE run_id = :run;
SELECT message FROM osml.events WHERE run_id = :run;
SELECT count(*), bool_and(abs(a.weight - b.weight) <= 1e-12 * abs(b.weight)) FROM osml.weights a
	JOIN osml.weights b USING (feature) WHERE a.model = 'gaps' AND b.model = 'filled' AND b.weight <> 0;
SELECT f.feature, f.rows, round(mean::numeric, 9), round(s.avg, 9) FROM osml.features f
	JOIN (SELECT 'x' AS feature, avg(x)::numeric FROM gaps WHERE y IS NOT NULL
		UNION ALL SELECT 'z', avg(z) FROM gaps WHERE y IS NOT NULL) s(feature, avg) USING (feature) WHERE model = 'gaps' ORDER BY 1;
-- Prediction imputes, too: from a row, an array, a batch; and evaluation.
SELECT count(*) FROM gaps g JOIN filled f ON f.y = g.y
	WHERE abs(osml_predict('gaps', g) - osml_predict('filled', f)) <= 1e-9;
SELECT osml_predict('gaps', NULL, 3.0) = osml_predict('gaps', r) FROM (SELECT NULL::float8 AS x, 3 AS z) r;
SELECT count(*) FROM osml_predict_batch('gaps', 'gaps', 'y') b JOIN gaps g ON g.y::text = b.key
	WHERE b.prediction = osml_predict('gaps', g);
SELECT count(*), count(prediction) FROM osml_predict_batch('gaps', 'gaps');
SELECT count(*) >= 8 AS metrics, string_agg(metric, ', ') FILTER (WHERE g.value <> f.value AND abs(g.value - f.value) >= 1e-9 * abs(f.value)) AS differ
	FROM osml_evaluate('gaps', 'gaps') g JOIN osml_evaluate('filled', 'filled') f USING (metric) WHERE metric <> 'rows_skipped';
SELECT value FROM osml_evaluate('gaps', 'gaps') WHERE metric = 'rows_skipped';
-- A model that does not impute gives NULL.
SELECT count(*), count(osml_predict('filled', g)) FROM gaps g;
SELECT count(*), count(prediction) FROM osml_predict_batch('filled', 'gaps');

-- The same with scaling: mean and deviation are those of the values there are.
SELECT osml_train('gaps', '{"on_null": "mean", "shuffle": "none", "batch_size": 25, "max_epochs": 40}', 'gaps') > 0;
SELECT f.feature, abs(f.center - f.mean) < 1e-12, abs(f.scale - s.std) < 1e-9 FROM osml.features f
	JOIN (SELECT 'x' AS feature, stddev_pop(x) FROM gaps WHERE y IS NOT NULL
		UNION ALL SELECT 'z', stddev_pop(z) FROM gaps WHERE y IS NOT NULL) s(feature, std) USING (feature)
	WHERE model = 'gaps' AND version = 2 ORDER BY 1;
SELECT count(*) FROM gaps g WHERE osml_predict('gaps', g) IS NULL;
-- Split, spilled, or read by workers: the same rows, the same means.
SELECT osml_train('gaps', '{"on_null": "mean", "max_epochs": 5, "num_workers": 2}', 'gaps') > 0;
SELECT osml_train('gaps', '{"on_null": "mean", "max_epochs": 5}', 'gaps') > 0;
SELECT count(DISTINCT weight) FROM osml.weights WHERE model = 'gaps' AND version IN (3, 4) AND feature = 'x';
-- An array with a NULL in it counts as missing as a whole.
CREATE TABLE array_gaps AS SELECT y, CASE WHEN i % 10 = 0 THEN ARRAY[x, NULL] WHEN i % 10 = 1 THEN NULL ELSE ARRAY[x, z] END AS a
	FROM (SELECT y, x, z, row_number() OVER () AS i FROM clean) s;
SELECT osml_train('array_gaps', '{"on_null": "mean", "max_epochs": 5}', 'array gaps') > 0;
SELECT feature, rows, round(mean::numeric, 6) FROM osml.features WHERE model = 'array gaps' ORDER BY position;
SELECT round(avg(a[1])::numeric, 6), round(avg(a[2])::numeric, 6) FROM array_gaps WHERE a[2] IS NOT NULL;
-- A column with no value at all has no mean.
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x, NULL::float8 AS nothing FROM clean', '{"on_null": "mean", "max_epochs": 5}', 'nothing')$$);
SELECT feature, rows, mean, center, scale, weight IS NOT NULL FROM osml.features JOIN osml.weights USING (model, version, feature) WHERE model = 'nothing' ORDER BY 1;
SELECT severity, kind, message FROM osml.events JOIN osml.runs USING (run_id) WHERE model = 'nothing';
-- NaN is no missing value.
SELECT pg_temp.outcome($$SELECT osml_train('wild', '{"on_null": "mean"}')$$);
SELECT osml_train('wild', '{"on_null": "mean", "on_nonfinite": "skip", "max_epochs": 1}', 'dirty') AS run \gset
SELECT rows_skipped, summary ->> 'rows_skipped_null', summary ->> 'rows_skipped_nonfinite' FROM osml.runs WHERE run_id = :run;

-- --- Next to nothing -----------------------------------------------------------------

CREATE TABLE nothing (y float8, x float8);
SELECT pg_temp.outcome($$SELECT osml_train('nothing')$$);
SELECT pg_temp.outcome($$SELECT osml_train('nothing', '{"optimizer": "exact"}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('nothing', '{"num_workers": 2}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('nothing', '{"scale": "none", "shuffle": "none", "max_epochs": 1}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('nothing', '{"val_fraction": 0.5}')$$);
SELECT DISTINCT status, error FROM osml.runs WHERE model = 'nothing' AND dataset = 'nothing';

-- All rows skipped.
INSERT INTO nothing VALUES (NULL, 1), (NULL, 2), (1, NULL);
SELECT pg_temp.outcome($$SELECT osml_train('nothing')$$);
SELECT pg_temp.outcome($$SELECT osml_train('nothing', '{"optimizer": "exact", "num_workers": 1}')$$);
INSERT INTO nothing VALUES ('NaN', 1);
SELECT pg_temp.outcome($$SELECT osml_train('nothing', '{"on_nonfinite": "skip"}')$$);
-- An all-NULL label, even with means to fill in.
UPDATE nothing SET y = NULL, x = 1;
SELECT pg_temp.outcome($$SELECT osml_train('nothing')$$);
SELECT pg_temp.outcome($$SELECT osml_train('nothing', '{"on_null": "mean"}')$$);
SELECT status, rows_skipped, error FROM osml.runs WHERE model = 'nothing' AND rows_skipped > 0 ORDER BY run_id;

-- Rows that were skipped elsewhere do not count.
CREATE TABLE no_rows (y float8, x float8);
SELECT osml_create_dataset('none', 'no_rows', val => 'SELECT NULL::int AS y, 1 AS x UNION ALL VALUES (1, 1)') > 0;
SELECT pg_temp.outcome($$SELECT osml_train('none')$$);
INSERT INTO no_rows VALUES ('NaN', 1);
SELECT pg_temp.outcome($$SELECT osml_train('none', '{"on_nonfinite": "skip"}')$$);
SELECT osml_drop_dataset('none');

-- One row: the line through it of least norm is its label.
TRUNCATE nothing;
INSERT INTO nothing VALUES (5, 3);
SELECT pg_temp.learn('nothing');
SELECT osml_predict('dirty', 3::float8), osml_predict('dirty', 100::float8);
SELECT osml_train('nothing', model => 'one') > 0;
SELECT round(osml_predict('one', 3::float8)::numeric, 6);
SELECT train_rows, train_loss < 1e-20 FROM osml.models WHERE model = 'one';
-- A validation source without a usable row: nothing is measured.
SELECT osml_create_dataset('no val', 'clean', val => 'SELECT y, x, 1 AS z FROM no_rows', test => 'SELECT 1 AS y, 1 AS x, 1 AS z WHERE false') > 0;
SELECT osml_train('no val', '{"max_epochs": 1, "on_nonfinite": "skip", "num_sanity_val_steps": 1}') AS run \gset
SELECT train_rows, val_rows, test_rows, val_loss, test_loss FROM osml.models WHERE run_id = :run;
SELECT severity, kind, message FROM osml.events WHERE run_id = :run;
SELECT osml_drop_dataset('no val');
-- val_fraction on one row: all of it is held out, or none.
SELECT pg_temp.outcome(format($$SELECT osml_train('nothing', '{"val_fraction": 0.5, "seed": %s, "max_epochs": 1}', 'split')$$, seed)) AS outcome, count(*) > 5
	FROM generate_series(1, 40) seed GROUP BY 1 ORDER BY 1;

-- A constant column, a constant label, and both.
SELECT pg_temp.learn('SELECT y, x, z, 7.5 AS same FROM clean');
SELECT osml_train('SELECT y, x, z, 7.5 AS same FROM clean', '{"max_epochs": 200, "lr": 0.05}', 'steps') AS run \gset
SELECT feature, scale, scaled_weight IS NOT NULL FROM osml.features JOIN osml.weights USING (model, version, feature)
	WHERE model = 'steps' AND feature = 'same' ORDER BY version DESC LIMIT 1;
SELECT abs(osml_predict('steps', 50::float8, 1, 7.5) - 104) < 1;
SELECT pg_temp.learn('SELECT 4 AS y, x, z FROM clean');
SELECT osml_train('SELECT 4 AS y, x, z FROM clean', '{"max_epochs": 300, "lr": 0.05}', 'steps') > 0;
SELECT round(osml_predict('steps', 50::float8, 1)::numeric, 2);
SELECT pg_temp.learn('SELECT 4 AS y, 2 AS x FROM clean');
SELECT pg_temp.learn('SELECT 4 AS y, 2 AS x FROM clean', '{"bias": false}');
-- Two columns that are the same share the weight.
SELECT pg_temp.learn('SELECT 6 * x + 1 AS y, x, x AS again FROM clean');
-- Values whose squares are beyond float64.
SELECT pg_temp.outcome($$SELECT osml_train('SELECT x * 1e200 AS y, x * 1e200 AS x FROM clean', '{"optimizer": "exact"}', 'dirty')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT x AS y, x * 1e200 AS x FROM clean', '{"max_epochs": 2}', 'dirty')$$);

-- What was filled in for a column without a value is filled in again.
SELECT osml_train('SELECT i AS y, NULL::float8 AS x, i AS z FROM generate_series(1, 100) i', '{"on_null": "mean"}', 'no_mean') > 0;
SELECT osml_predict('no_mean', s) = osml_predict('no_mean', 0, 7) FROM (SELECT NULL::float8 AS x, 7 AS z) s;

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s; END $$;
DROP SCHEMA sdirty CASCADE;
