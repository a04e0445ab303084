-- Errors of features name the dataset or model, the feature and what makes it.
CREATE SCHEMA sef;
SET search_path = sef, public;
\pset format unaligned
\pset tuples_only
CREATE FUNCTION trained(dataset text, hparams jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	PERFORM osml_train(dataset, hparams);
	RETURN 'trained';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN SQLSTATE || ': ' || regexp_replace(SQLERRM, 'run \d+', 'run N') || E'\n' || detail || E'\n' || hint;
END $$;

-- What is learned must be a number; the other definitions are fitted all the same.
CREATE TABLE large AS SELECT i::float8 AS y, (i % 2 * 2 - 1) * 1.7e308::float8 AS x, i::float8 AS z FROM generate_series(1, 9) i;
SELECT osml_create_dataset('large', 'large') > 0;
SELECT osml_transform('large', 'a', 'standardize', '{"input": "x"}');
SELECT osml_transform('large', 'b', 'none', '{"input": "x"}');
SELECT osml_transform('large', 'b', 'impute');
SELECT osml_transform('large', 'z', 'standardize');
SELECT osml_fit_features('large');
SELECT feature, transform, fitted FROM osml.definitions WHERE dataset = 'large' AND fitted IS NOT NULL ORDER BY feature;
SELECT count(*) FROM osml_analyze('large');
SELECT trained('large');
UPDATE osml.definitions SET params = '{"mean": 0, "std": 1e308}' WHERE dataset = 'large' AND feature = 'a';
SELECT osml_fit_features('large');

-- A bound that leaves all values on its wrong side, where the other bound is to be learned.
CREATE TABLE low AS SELECT i::float8 AS y, i::float8 AS a, i::float8 AS b FROM generate_series(1, 1000) i;
SELECT osml_create_dataset('low', 'low') > 0;
SELECT osml_bin('low', 'a', 10, lo => 5000);
SELECT osml_bin('low', ARRAY['a', 'b'], 10, hi => 1);
SELECT osml_transform('low', 'b', 'minmax', '{"min": 5000}');
SELECT osml_fit_features('low');
SELECT feature, fitted FROM osml.definitions WHERE dataset = 'low' ORDER BY feature;
SELECT count(*) FROM osml.bins WHERE dataset = 'low';
SELECT trained('low');
SELECT * FROM osml_check('low') WHERE verdict = 'error';
SELECT osml_drop_feature('low', 'b');
SELECT osml_bin('low', ARRAY['a', 'b'], 10, lo => 500);
SELECT trained('low');
-- Bounds between which numbers have no room for the bins.
SELECT osml_bin('low', 'a', 10, lo => 1, hi => 1.0000000000000002);
SELECT osml_bin('low', 'a', 4, lo => 1, hi => 1.000000000000001);
SELECT category FROM osml.bins WHERE dataset = 'low' AND feature = 'a_bin' ORDER BY bin;

-- A row's feature that is no number.
CREATE TABLE odd AS SELECT i::float8 AS y, i - 5::float8 AS x FROM generate_series(1, 9) i;
SELECT osml_create_dataset('odd', 'odd') > 0;
SELECT osml_transform('odd', 'lx', 'sql', '{"expression": "x * 2"}');
SELECT osml_transform('odd', 'lx', 'log1p');
SELECT trained('odd', '{"on_null": "error"}');
UPDATE odd SET x = CASE WHEN x < 0 THEN 0 WHEN x = 3 THEN 'infinity' ELSE x END;
SELECT osml_drop_feature('odd', 'lx');
SELECT osml_transform('odd', 'x', 'log1p');
SELECT trained('odd');

-- Columns of other sources that have another type.
CREATE TABLE good AS SELECT i::float8 AS y, i::float8 AS x FROM generate_series(1, 9) i;
CREATE TABLE wrong AS SELECT i::float8 AS y, 'k' || i AS x FROM generate_series(1, 9) i;
SELECT osml_create_dataset('typed', 'good', val => 'wrong');
SELECT osml_create_dataset('typed', 'good') > 0;
SELECT osml_bin('typed', 'x', 3);
SELECT osml_train('typed') > 0;
SELECT count(*) FROM osml_evaluate('typed', 'SELECT * FROM wrong');

-- A function that a model needs and that is gone.
CREATE FUNCTION helper(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT x';
SELECT osml_transform('typed', 'h', 'sql', '{"expression": "sef.helper(x)"}');
SELECT osml_train('typed') > 0;
DROP FUNCTION helper;
SELECT osml_predict('typed', g) FROM good g;
SELECT osml_train('typed');

-- A column that a step makes beside its feature's own is no other feature.
SELECT osml_create_dataset('flags', 'good') > 0;
SELECT osml_transform('flags', 'x_missing', 'none', '{"input": "x"}');
SELECT osml_transform('flags', 'x', 'impute', '{"flag": true}');
SELECT osml_drop_feature('flags', 'x_missing');
SELECT osml_train('flags', '{"optimizer": "exact"}') > 0;

-- What can be learned, but is never meant.
SELECT osml_transform('flags', 'm', 'minmax', '{"input": "x", "min": 3, "max": 3}');
SELECT osml_transform('flags', 'm', 'minmax', '{"input": "x", "min": 3, "max": 4}');
SELECT osml_create_dataset('constant', 'SELECT i AS y, 3 AS x, i % 2 AS z FROM generate_series(1, 9) i') > 0;
SELECT osml_transform('constant', 'x', 'minmax');
SELECT osml_train('constant') > 0;
SELECT osml_bin('flags', 'x', edges => '{{0, 3}, {6, 9}}');

-- An element of an array: the hint says how it is a feature, and that works.
CREATE TABLE arrays AS SELECT i AS y, ARRAY[i, i * i]::float8[] AS a, ARRAY[i, 2]::int[] AS "B c", ARRAY['x'] AS t FROM generate_series(1, 9) i;
SELECT osml_create_dataset('arrays', 'arrays', features => '{a}') > 0;
SELECT osml_bin('arrays', 'a[1]', 3);
SELECT osml_bin('arrays', 'a', 3);
SELECT osml_transform('arrays', 'a[2]', 'log1p');
SELECT osml_transform('arrays', 'c', 'log1p', '{"input": "B c[2]"}');
SELECT osml_transform('arrays', 'c', 'log1p', '{"input": "t[1]"}');
SELECT osml_transform('arrays', 'first', 'sql', '{"expression": "a[1]"}');
SELECT osml_transform('arrays', 'c', 'sql', '{"expression": "\"B c\"[2]"}');
SELECT osml_bin('arrays', 'first', 3);
-- A feature is not what it is made of: a column that there is not is what is wrong.
SELECT osml_transform('arrays', 'fist', 'log1p');
SELECT osml_transform('arrays', 'aa', 'log1p');

-- NULL params are none, as in an INSERT without them.
UPDATE osml.definitions SET params = NULL WHERE dataset = 'flags' AND feature = 'm';
SELECT feature, params FROM osml.definitions WHERE dataset = 'flags' AND feature = 'm';

SELECT osml_drop_model(m) FROM unnest('{typed, flags, constant}'::text[]) m;
SELECT osml_drop_dataset(d) FROM unnest('{low, large, odd, typed, flags, constant, arrays}'::text[]) d;
SET client_min_messages = warning;
DROP SCHEMA sef CASCADE;
