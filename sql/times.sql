-- Dates and times as numbers: a date counts days, a timestamp seconds since 1970, and
-- neither is ever read as the other.
CREATE SCHEMA stimes;
SET search_path = stimes, public;
SET client_min_messages = warning;
SET TimeZone = 'UTC';
\pset tuples_only
\pset format unaligned

CREATE DOMAIN birthday AS date;
CREATE TABLE days AS SELECT i::float8 AS y, i AS n, i % 2 = 0 AS b, date '2024-01-01' + i AS d,
	timestamp '2024-01-01 13:30' + i * interval '1 day' AS t, i % 3 AS o
	FROM generate_series(0, 999) i;
CREATE FUNCTION pg_temp.feature(feature text, VARIADIC steps text[]) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. array_length(steps, 1) / 2 LOOP
		PERFORM osml_transform('days', feature, steps[2 * i - 1], steps[2 * i]::jsonb);
	END LOOP;
	RETURN NULL;
END
$$;

-- The unit goes through each step that keeps values, from columns, features and expressions.
SELECT osml_create_dataset('days', 'days', label => 'y', features => '{o}') > 0;
SELECT pg_temp.feature('plain', 'date_part', '{"input": "d", "part": "month"}'),
	pg_temp.feature('none', 'none', '{"input": "d"}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('clip', 'clip', '{"input": "d", "lo": 19732}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('impute', 'impute', '{"input": "d", "method": "median"}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('long', 'impute', '{"input": "d"}', 'clip', '{"hi": 20800}', 'none', '{}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('of_none', 'date_part', '{"input": "long_days", "part": "month"}')
	WHERE pg_temp.feature('long_days', 'impute', '{"input": "d"}', 'clip', '{"hi": 20800}') IS NULL;
SELECT pg_temp.feature('d', 'impute', '{"method": "median"}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('sql_date', 'sql', '{"expression": "d + 0"}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('sql_none', 'sql', '{"expression": "d + 0"}', 'none', '{}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('sql_stamp', 'sql', '{"expression": "d + interval ''0 days''"}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('sql_zone', 'sql', '{"expression": "to_timestamp(extract(epoch FROM d)::float8)"}', 'date_part', '{"part": "month"}'),
	pg_temp.feature('stamp', 'date_part', '{"input": "t", "part": "month"}'),
	pg_temp.feature('stamp_hour', 'clip', '{"input": "t", "lo": 0}', 'date_part', '{"part": "hour"}'),
	pg_temp.feature('date_hour', 'none', '{"input": "d"}', 'date_part', '{"part": "hour"}'),
	pg_temp.feature('said', 'sql', '{"expression": "19723 + n"}', 'date_part', '{"part": "month", "unit": "days"}'),
	pg_temp.feature('said_seconds', 'sql', '{"expression": "86400 * (19723::bigint + n)"}', 'date_part', '{"part": "month", "unit": "seconds"}');
SELECT osml_train('days', '{"max_epochs": 1, "on_null": "mean"}', 'months') > 0;
CREATE FUNCTION pg_temp.values_of(model text, day date) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s %s', feature, round(value::numeric, 4)::float8), ', ' ORDER BY feature)
	FROM days, osml_transform_row(model, days) WHERE d = day AND feature NOT IN ('o', 'long_days')
$$;
SELECT osml_fit_features('days');
SELECT pg_temp.values_of('days', '2024-08-05');
SELECT pg_temp.values_of('months', '2024-08-05');
SELECT feature, params FROM osml.model_definitions WHERE model = 'months' AND transform = 'date_part' ORDER BY feature;
-- a dataset's own definitions say what was written
SELECT DISTINCT params FROM osml.definitions WHERE dataset = 'days' AND transform = 'date_part' ORDER BY params;
-- each day's month
SELECT count(*), count(*) FILTER (WHERE value = extract(month FROM d)) FROM days, osml_transform_row('months', days)
	WHERE feature IN ('plain', 'none', 'impute', 'long', 'of_none', 'd', 'sql_date', 'sql_stamp');

-- What is no date or time is none.
\set SHOW_CONTEXT never
SELECT osml_transform('days', 'x', 'date_part', '{"input": "n", "part": "month"}');
SELECT osml_transform('days', 'x', 'date_part', '{"input": "b", "part": "month"}');
SELECT osml_transform('days', 'x', 'date_part', '{"input": "said", "part": "month"}');
SELECT osml_transform('days', 'x', 'date_part', '{"input": "d", "part": "month", "unit": "seconds"}');
SELECT osml_transform('days', 'x', 'date_part', '{"input": "t", "part": "month", "unit": "days"}');
SELECT osml_transform('days', 'x', 'date_part', '{"input": "n", "part": "month", "unit": "weeks"}');
SELECT osml_transform('days', 'x', 'sql', '{"expression": "n + 1"}');
SELECT osml_transform('days', 'x', 'date_part', '{"part": "month"}');
SELECT osml_drop_feature('days', 'x');
CREATE FUNCTION pg_temp.refused(transform text, params text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM osml_transform('days', 'x', transform, params::jsonb || '{"input": "d"}');
	PERFORM osml_transform('days', 'x', 'date_part', '{"part": "month"}');
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ': ' || SQLERRM;
END
$$;
SELECT pg_temp.refused(transform, params) FROM (VALUES ('standardize', '{}'), ('minmax', '{}'), ('log1p', '{}'),
	('cyclic', '{"period": 7}'), ('bin', '{"bins": 3}')) v (transform, params);
-- edges are days, as they were
SELECT osml_bin('days', 'd', edges => '{19723, 20000, 20723}', name => 'd_bin');
SELECT code, category FROM days, osml_transform_row('days', days) f WHERE d = '2024-08-05' AND feature = 'd_bin';

-- A version that is older than the unit reads a column in seconds for date_part, and its
-- weights are those of what other steps gave then.
CREATE TABLE olds AS SELECT y, d FROM days;
SELECT osml_create_dataset('olds', 'olds', label => 'y') > 0;
SELECT osml_transform('olds', 'd', 'date_part', '{"part": "month"}'), osml_transform('olds', 'm', 'none', '{"input": "d"}'),
	osml_transform('olds', 'm', 'date_part', '{"part": "month"}');
SELECT osml_train('olds', '{"max_epochs": 1}', 'older') > 0;
UPDATE osml.model_version v SET program = jsonb_set(replace(program::text, ', "unit": "days"', '')::jsonb, '{inputs}',
		program -> 'inputs' || jsonb_set(program #> '{inputs,0}', '{kind}', '"time"'))
	FROM osml.model m WHERE m.model_id = v.model_id AND m.name = 'older';
SELECT jsonb_path_query_array(program, '$.inputs.kind'), d FROM osml.model_version v JOIN osml.model m USING (model_id),
	jsonb_path_query_array(program, '$.definitions.params') d WHERE m.name = 'older';
SELECT feature, value FROM olds, osml_transform_row('older', olds) WHERE d = '2024-08-05';

-- A date or time is read as what a model was trained on.
CREATE TABLE ds AS SELECT i::float8 AS y, date '2024-01-01' + i AS d FROM generate_series(1, 600) i;
CREATE TABLE ts AS SELECT y, d::timestamp AS d FROM ds;
CREATE TABLE zs AS SELECT y, d::timestamptz AS d FROM ds;
SELECT osml_train('ds', '{"optimizer": "exact"}', 'of_date') > 0;
SELECT osml_train('ts', '{"optimizer": "exact"}', 'of_stamp') > 0;
SELECT osml_train('zs', '{"optimizer": "exact"}', 'of_zone') > 0;
CREATE FUNCTION pg_temp.outcome(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
	detail text;
	hint text;
BEGIN
	EXECUTE command INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE || ': ' || SQLERRM, 'DETAIL: ' || NULLIF(detail, ''), 'HINT: ' || NULLIF(hint, ''));
END
$$;
-- the rows are on a line, and each prediction is its label: of date, of stamp
SELECT model, value, pg_temp.outcome(format('SELECT round(osml_predict(%L, r)::numeric, 4) FROM (SELECT %s AS d) r', model, value))
	FROM unnest('{of_date,of_stamp,of_zone}'::text[]) model, unnest(ARRAY[$$date '2024-08-05'$$, $$birthday '2024-08-05'$$,
	$$timestamp '2024-08-05'$$, $$timestamp '2024-08-05 12:00'$$, $$timestamptz '2024-08-05'$$, '19940', '19940.0::numeric', 'true']) value;
SELECT round(avg(abs(prediction - b.key::float8))::numeric, 4) FROM osml_predict_batch('of_date', 'SELECT y::int, d FROM ts', 'y') b;
SELECT round(avg(abs(prediction - b.key::float8))::numeric, 4) FROM osml_predict_batch('of_stamp', 'SELECT y::int, d FROM ds', 'y') b;
SELECT round(value::numeric, 6) FROM osml_evaluate('of_date', 'ts') WHERE metric = 'mse';
SELECT round(value::numeric, 6) FROM osml_evaluate('of_stamp', 'ds') WHERE metric = 'mse';
SELECT * FROM osml_evaluate('of_date', 'zs');
SELECT * FROM osml_predict_batch('of_zone', 'ts');
-- in an array each is of its own type too, and numbers are the model's
SELECT pg_temp.outcome(format('SELECT round(osml_predict(%L, ARRAY[%s])::numeric, 4)', model, value))
	FROM unnest('{of_date,of_stamp}'::text[]) model, unnest(ARRAY[$$date '2024-08-05'$$, $$timestamp '2024-08-05'$$, '19940', '19940.0::float8']) value;
SELECT osml_predict('of_stamp', r) IS NULL FROM (SELECT NULL::date AS d) r;
-- the table itself changes
ALTER TABLE ds ALTER d TYPE timestamp;
SELECT round(max(abs(osml_predict('of_date', ds) - y))::numeric, 4) FROM ds;
ALTER TABLE ds ALTER d TYPE timestamptz;
SELECT max(abs(osml_predict('of_date', ds) - y)) FROM ds;
ALTER TABLE ds ALTER d TYPE date;
-- so is what date_part reads
SELECT osml_create_dataset('hours', 'SELECT y, d AS at FROM ts', label => 'y') > 0;
SELECT osml_transform('hours', 'at', 'date_part', '{"part": "day"}');
SELECT osml_train('hours', '{"max_epochs": 1}', 'of_day') > 0;
SELECT value FROM (SELECT date '2024-08-05' AS at) r, osml_transform_row('of_day', r);
SELECT value FROM (SELECT timestamptz '2024-08-05' AS at) r, osml_transform_row('of_day', r);
-- a version that does not know its types takes them as they come, as it did
SELECT osml_train('zs', '{"optimizer": "exact"}', 'untyped') > 0;
UPDATE osml.model_version v SET program = jsonb_set(program, '{columns}', '[{"name": "d"}]')
	FROM osml.model m WHERE m.model_id = v.model_id AND m.name = 'untyped';
SELECT round(osml_predict('untyped', r)::numeric, 4) FROM (SELECT timestamp '2024-08-05' AS d) r;

-- Other sources of a dataset, and what osml_check says of them.
SELECT osml_create_dataset('mixed', 'ts', val => 'ds', label => 'y') > 0;
SELECT verdict, message FROM osml_check('mixed', '{"max_epochs": 1}') WHERE "check" = 'reading' ORDER BY subject;
SELECT osml_train('mixed', '{"optimizer": "exact"}', 'mixed') > 0;
SELECT round(value::numeric, 6) FROM osml.metrics JOIN osml.models USING (run_id) WHERE model = 'mixed' AND name = 'val_mse';
SELECT osml_create_dataset('zoned', 'ts', val => 'zs', test => 'ds', label => 'y') > 0;
SELECT verdict, subject, message, hint FROM osml_check('zoned', '{"max_epochs": 1}') WHERE "check" = 'reading' ORDER BY subject;
SELECT osml_train('zoned', '{"max_epochs": 1}', 'zoned');
CREATE TABLE arrays AS SELECT y, ARRAY[d, d + 1] AS a FROM ds;
SELECT osml_train('arrays', '{"max_epochs": 1}', 'arrays') > 0;
SELECT osml_predict('arrays', r) IS NOT NULL FROM (SELECT ARRAY[date '2024-08-05', '2024-08-06'] AS a) r;
SELECT osml_predict('arrays', r) IS NOT NULL FROM (SELECT ARRAY[timestamp '2024-08-05', '2024-08-06'] AS a) r;
-- labels are what they are, too
SELECT osml_train('SELECT d, y FROM ds', '{"max_epochs": 1}', 'label_date') > 0;
SELECT * FROM osml_evaluate('label_date', 'SELECT d, y FROM ts');
SELECT osml_create_dataset('labels', 'SELECT d, y FROM ds', val => 'SELECT d, y FROM ts') > 0;
SELECT verdict, message FROM osml_check('labels', '{"max_epochs": 1}') WHERE verdict = 'error';
SELECT osml_train('labels', '{"max_epochs": 1}', 'labels');
-- and a version to go on from
SELECT osml_train('ts', '{"warm_start": true, "max_epochs": 1}', 'of_date');
SELECT osml_train('SELECT d, y FROM ts', '{"warm_start": true, "max_epochs": 1}', 'label_date');

-- What is wrong with a type is said with the model and the feature that needs the number.
SELECT osml_predict('of_day', r) FROM (SELECT 'x'::text AS at) r;
-- a number's domain may be in a schema that who predicts cannot see
CREATE ROLE times_user;
CREATE DOMAIN amount AS numeric;
CREATE TABLE amounts AS SELECT y, y::amount AS a FROM ds;
SELECT osml_train('amounts', '{"optimizer": "exact", "features": ["a"]}', 'of_amount') > 0;
SELECT osml_grant('of_amount', 'times_user', 'predict');
SET ROLE times_user;
SELECT round(osml_predict('of_amount', r)::numeric, 4) FROM (SELECT 5::numeric AS a) r;
RESET ROLE;
-- numbers of any other type are numbers
SELECT osml_train('SELECT y, y::int AS n FROM ds', '{"optimizer": "exact"}', 'of_int') > 0;
SELECT round(osml_predict('of_int', a)::numeric, 4), round(osml_predict('of_int', b)::numeric, 4), round(osml_predict('of_int', c)::numeric, 4)
	FROM (SELECT 2.5 AS n) a, (SELECT 7::real AS n) b, (SELECT true AS n) c;
SELECT count(osml_drop_model(m)) FROM unnest('{months,older,of_date,of_stamp,of_zone,of_day,untyped,mixed,arrays,label_date,of_int,of_amount}'::text[]) m;
SELECT count(osml_drop_dataset(d)) FROM unnest('{days,olds,hours,mixed,zoned,labels}'::text[]) d;
DROP SCHEMA stimes CASCADE;
DROP ROLE times_user;
