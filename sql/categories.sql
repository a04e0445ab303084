-- Categories: texts and whatever is made one. Least squares over one of them has a closed form, the mean of each.
CREATE SCHEMA scat;
SET search_path = scat, public;
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
\pset null (null)

CREATE TYPE size AS ENUM ('small', 'large', 'huge');
CREATE DOMAIN word AS text;
CREATE TABLE sales AS
	SELECT i, (i * 7919 % 1000) / 8.0 + (i % 5) * 3 AS y, (ARRAY['café', 'bar', '', ' bar', 'a "b"'])[1 + i % 5] AS t,
		((ARRAY['small', 'large', 'huge'])[1 + i % 3])::size AS e, (ARRAY['x', 'y'])[1 + i % 2]::word AS w,
		('c' || i % 4)::char(9) AS c, ('n' || i % 3)::name AS n, ('v' || i % 6)::varchar(4) AS v,
		md5((i % 4)::text)::uuid AS u, i % 2 = 0 AS b, CASE WHEN i % 10 > 0 THEN 20000 + i % 7 END AS zip,
		(i % 3)::numeric(5,2) AS num, date '2024-01-01' + i % 4 AS d
	FROM generate_series(1, 3000) i;

-- One category alone: each prediction is the mean of its group, whatever the type.
CREATE FUNCTION group_means(feature text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	worst float8;
	groups int;
	codes int;
BEGIN
	PERFORM osml_create_dataset('cat', 'scat.sales', 'y');
	IF feature IN ('b', 'zip', 'num', 'd') THEN
		PERFORM osml_transform('cat', feature, 'category');
	END IF;
	PERFORM osml_train('cat', jsonb_build_object('optimizer', 'exact', 'features', jsonb_build_array(feature)), 'cat');
	EXECUTE format('SELECT max(abs(p - m)), count(DISTINCT coalesce(%1$I::text, ''NULL''))
		FROM (SELECT %1$I, osml_predict(''cat'', s) AS p, avg(y) OVER (PARTITION BY %1$I)::float8 AS m FROM scat.sales s) q', feature)
		INTO worst, groups;
	SELECT categories INTO codes FROM osml.features WHERE model = 'cat';
	PERFORM osml_drop_model('cat'), osml_drop_dataset('cat');
	RETURN format('%s: %s groups, %s codes, means are predicted: %s', feature, groups, codes, worst < 1e-9);
END
$$;
SELECT group_means('t');
SELECT group_means('e');
SELECT group_means('w');
SELECT group_means('c');
SELECT group_means('n');
SELECT group_means('v');
SELECT group_means('u');
SELECT group_means('b');
SELECT group_means('zip');
SELECT group_means('num');
SELECT group_means('d');

-- Texts are told apart to the byte; char(n) goes without its padding; an unknown one is predicted like the mean row.
SELECT osml_train('sales', '{"label": "y", "features": ["t", "c"], "optimizer": "exact"}', 'm') > 0;
SELECT feature, category, weight IS NOT NULL FROM osml.weights WHERE model = 'm' ORDER BY feature, category;
SELECT round(osml_predict('m', r)::numeric, 6) = (SELECT round(avg(y), 6) FROM sales) FROM (SELECT 'never seen' AS t, 'nor this' AS c) r;
SELECT osml_predict('m', r) = osml_predict('m', s) FROM (SELECT 'bar'::text AS t, 'c1' AS c) r, (SELECT 'bar'::varchar AS t, 'c1'::char(20) AS c) s;
SELECT osml_predict('m', r) = osml_predict('m', s) FROM (SELECT 'bar' AS t, 'c1' AS c) r, (SELECT ' bar' AS t, 'c1' AS c) s;
-- A numeric category is its value, not its digits.
SELECT osml_create_dataset('nums', 'sales', 'y') > 0;
SELECT osml_transform('nums', 'num', 'category');
SELECT osml_train('nums', '{"features": ["num"], "optimizer": "exact"}') > 0;
SELECT count(DISTINCT osml_predict('nums', r)) FROM (SELECT 1.00 AS num UNION ALL SELECT 1.0 UNION ALL SELECT 1) r;
SELECT osml_predict('nums', r) = osml_predict('nums', s) FROM (SELECT 1.00 AS num) r, (SELECT 1::int AS num) s;

-- NULL is a category, and does not cost the row, whatever on_null says.
SELECT osml_create_dataset('zips', 'sales', 'y') > 0;
SELECT osml_transform('zips', 'zip', 'category');
SELECT osml_train('zips', '{"features": ["zip"], "on_null": "error", "optimizer": "exact"}') > 0;
SELECT train_rows, skipped_rows FROM osml.models WHERE model = 'zips';
SELECT category, count, round(mean_label::numeric, 9) = (SELECT round(avg(y), 9) FROM sales WHERE coalesce(zip::text, '(null)') = category) AS mean
	FROM osml.bins WHERE model = 'zips' AND count > 0 ORDER BY bin;

-- Adam finds what least squares does, in float32 too.
SELECT osml_train('sales', '{"label": "y", "features": ["t", "e", "i"], "optimizer": "exact"}', 'best') > 0;
SELECT osml_train('sales', '{"label": "y", "features": ["t", "e", "i"]}', 'adam') > 0;
SELECT osml_train('sales', '{"label": "y", "features": ["t", "e", "i"], "precision": "float32"}', 'adam32') > 0;
SELECT model, e.value / b.value < 1.0001 AS as_good
	FROM (VALUES ('adam'), ('adam32')) v (model), osml_evaluate(model, 'scat.sales') e, osml_evaluate('best', 'scat.sales') b
	WHERE e.metric = 'mse' AND b.metric = 'mse';

-- More categories than are kept: the most frequent stay, and the run says how many rows lost theirs.
SELECT osml_create_dataset('few', 'SELECT i % 5 AS y, ''k'' || floor(sqrt(i)) AS k FROM generate_series(1, 10000) i', 'y') > 0;
SELECT osml_transform('few', 'k', 'category', '{"max_categories": 20}');
SELECT osml_train('few') AS run \gset
SELECT message FROM osml.events WHERE run_id = :run AND kind = 'categories_left_out';
SELECT params -> 'categories' FROM osml.model_definitions WHERE model = 'few';
SELECT osml_transform('few', 'k', 'category', '{"max_categories": 20, "min_count": 180}');
SELECT osml_train('few') > 0;
SELECT jsonb_array_length(params -> 'categories') FROM osml.model_definitions WHERE model = 'few' AND version = 2;

-- Many more, in little memory: as a vocabulary and in buckets.
CREATE TABLE users AS SELECT (hashint4(i) & 255) / 256.0 + i % 2 AS y, 'user ' || i AS u FROM generate_series(1, 300000) i;
SET osml.max_memory = '64MB';
SELECT osml_train('users', '{"max_epochs": 1}') > 0;
SELECT categories FROM osml.features WHERE model = 'users';
SELECT osml_create_dataset('buckets', 'users') > 0;
SELECT osml_transform('buckets', 'u', 'hash', '{"buckets": 524288}');
SELECT osml_train('buckets', '{"max_epochs": 1}') > 0;
SELECT categories FROM osml.features WHERE model = 'buckets';
SELECT message FROM osml.events e JOIN osml.runs USING (run_id) WHERE model = 'buckets';
SELECT count(*), min(count), sum(count) > 20000 AS most_frequent, count(*) = count(mean_label) AS with_label FROM osml.bins WHERE model = 'buckets';
SELECT count(*) FROM osml.weights w JOIN osml.bins USING (model, version, feature, category) WHERE model = 'buckets';
-- Equally frequent texts: as many are learned as there may be, the same ones whoever reads.
CREATE TABLE alike AS SELECT i % 10 AS y, 'u' || i AS u FROM generate_series(1, 160003) i;
SELECT osml_train('alike', '{"max_epochs": 1, "batch_size": 4096}') > 0;
SELECT count(*), sum(count), min(category COLLATE "C"), max(category COLLATE "C") FROM osml.bins WHERE model = 'alike' AND category NOT LIKE '(%';
SET osml.max_memory = '24MB';
SELECT osml_train('alike', '{"max_epochs": 1, "batch_size": 4096}') > 0;
SELECT osml_train('alike', '{"max_epochs": 1, "batch_size": 4096, "num_workers": 2}') > 0;
SELECT version, count(*), sum(count), count(*) FILTER (WHERE category IN (SELECT category FROM osml.bins WHERE model = 'alike' AND version = 2)) AS same
	FROM osml.bins WHERE model = 'alike' AND version > 1 AND category NOT LIKE '(%' GROUP BY version ORDER BY version;
-- Of many more texts than there is room to count, those that are more frequent.
CREATE TABLE uneven AS SELECT 'u' || CASE WHEN i % 20 = 0 THEN 9000000 + i / 20 % 1500 ELSE i END AS u, i % 10 AS y FROM generate_series(1, 400000) i;
SELECT osml_create_dataset('uneven', 'uneven', label => 'y') > 0;
SELECT osml_transform('uneven', 'u', 'category', '{"max_categories": 1500}');
SELECT osml_train('uneven', '{"max_epochs": 1, "batch_size": 4096}') > 0;
SELECT count(*), min(count), max(count), min(category COLLATE "C") FROM osml.bins WHERE model = 'uneven' AND category NOT LIKE '(%';
SET osml.max_memory = '64MB';
SELECT osml_transform('buckets', 'u', 'hash', '{"buckets": 16777215}');
DO $$ BEGIN
	PERFORM osml_train('buckets', '{"max_epochs": 1}', 'too_many');
EXCEPTION WHEN OTHERS THEN RAISE WARNING '%', regexp_replace(SQLERRM, 'run \d+', 'run N'); END $$;
-- A vocabulary counts for what it takes when it is stored, not only while it is learned.
SELECT osml_create_dataset('vocabulary', 'SELECT i % 7 AS y, md5(i::text) AS u FROM generate_series(1, 100000) i') > 0;
SELECT osml_transform('vocabulary', 'u', 'category', '{"max_categories": 100000}');
SET osml.max_memory = '48MB';
DO $$ BEGIN
	PERFORM osml_train('vocabulary', '{"max_epochs": 1}');
EXCEPTION WHEN OTHERS THEN RAISE WARNING '%', regexp_replace(SQLERRM, 'run \d+', 'run N'); END $$;
SELECT osml_transform('vocabulary', 'u', 'category', '{"max_categories": 10000}');
SELECT osml_train('vocabulary', '{"max_epochs": 1}') > 0;
RESET osml.max_memory;

-- A model keeps what it was trained with.
SELECT osml_predict('few', r) AS before FROM (SELECT 'k90' AS k) r \gset
SELECT osml_transform('few', 'k', 'category', '{"max_categories": 2}');
SELECT osml_predict('few', r) = :before FROM (SELECT 'k90' AS k) r;
SELECT osml_drop_dataset('few');
SELECT osml_predict('few', r) = :before FROM (SELECT 'k90' AS k) r;

-- A value's text is the same under any settings, -0 is 0, and what tells the time is no feature.
CREATE TABLE settings AS SELECT i % 4 AS y, timestamptz '2024-01-31 23:30+00' + i % 4 * interval '1 hour' AS at,
	date '2024-01-30' + i % 4 AS d, (i % 4) / 3.0::float8 AS g, (i % 4) * interval '25 hours' AS span, -0.0::float8 * (i % 2) AS zero
	FROM generate_series(1, 400) i;
SELECT osml_create_dataset('settings', 'settings', features => '{g}') > 0;
SELECT format($$SELECT osml_transform('settings', %L, 'category')$$, c) FROM unnest('{at, d, g, span, zero}'::text[]) c \gexec
SELECT osml_transform('settings', 'hour', 'sql', '{"expression": "''h'' || extract(hour from at)::text || at::text"}');
SET timezone = 'Asia/Tokyo';
SET datestyle = 'SQL, DMY';
SET extra_float_digits = -5;
SET intervalstyle = 'iso_8601';
SELECT osml_train('settings', '{"optimizer": "exact", "num_workers": 1}') > 0;
RESET timezone;
RESET datestyle;
RESET extra_float_digits;
RESET intervalstyle;
SELECT value < 1e-20 FROM osml_evaluate('settings', 'settings') WHERE metric = 'mse';
SELECT feature, params -> 'categories' FROM osml.model_definitions WHERE model = 'settings' AND transform = 'category' ORDER BY feature;
SELECT osml_transform('settings', 'never', 'sql', '{"expression": "at < now()"}');
SELECT osml_transform('settings', 'never', 'sql', '{"expression": "d < current_date"}');

-- Texts that are written as `other` and NULL are: those two yield.
CREATE TABLE words AS SELECT i, CASE WHEN i % 5 < 4 THEN (ARRAY['(other)', '(null)', '((null))', 'rare ' || i])[1 + i % 5] END AS t,
	(i % 5)::float8 AS y FROM generate_series(1, 500) i;
SELECT osml_create_dataset('words', 'words', 'y', '{t}') > 0;
SELECT osml_transform('words', 't', 'category', '{"min_count": 2}');
SELECT osml_fit_features('words');
SELECT bin, category, count, mean_label FROM osml.bins WHERE dataset = 'words' ORDER BY bin;
SELECT osml_train('words', '{"optimizer": "exact"}') > 0;
SELECT bin, category, count, mean_label FROM osml.bins WHERE model = 'words' ORDER BY bin;
SELECT count(DISTINCT category) FROM osml.weights WHERE model = 'words' AND feature = 't';
SELECT r.t, round(osml_predict('words', r)::numeric, 6) AS y, s.category, e.category
	FROM (VALUES (1, '(other)'), (2, '(null)'), (3, '((null))'), (4, '((other))'), (5, 'new'), (6, NULL)) r (i, t),
	osml_transform_row('words', r) s, osml_explain('words', r) e ORDER BY r.i;
SELECT osml_drop_dataset('words'), osml_drop_model('words');

-- Values of citext are equal in any case, and so one category, class, group or part of a split.
CREATE EXTENSION citext SCHEMA scat;
SET client_min_messages = warning;
CREATE TABLE cities AS SELECT i, (ARRAY['Rome', 'ROME', 'rome', 'Oslo', 'oslo', 'Bern'])[1 + i % 6]::citext AS city,
	(ARRAY['Rome', 'ROME', 'rome', 'Oslo', 'oslo', 'Bern'])[1 + i % 6] AS as_text,
	(CASE WHEN i % 6 < 3 THEN 10 WHEN i % 6 < 5 THEN 20 ELSE 30 END)::float8 AS y,
	(ARRAY['Yes', 'YES', 'yes', 'No', 'no', 'NO'])[1 + i % 6]::citext AS answer FROM generate_series(1, 600) i;
SELECT osml_create_dataset('cities', 'cities', 'y', '{city}') > 0;
SELECT column_name, distinct_values, top_values, top_counts FROM osml_analyze('cities') WHERE column_name = 'city';
SELECT osml_train('cities', '{"optimizer": "exact"}', 'cities') > 0;
SELECT bin, category, count, mean_label FROM osml.bins WHERE model = 'cities' ORDER BY bin;
-- in rows of texts, too
SELECT round(osml_predict('cities', r)::numeric, 6), s.category FROM (VALUES ('roME'::citext), ('OSLO'), ('Rom')) r (city), osml_transform_row('cities', r) s;
SELECT round(osml_predict('cities', r)::numeric, 6), s.category FROM (VALUES ('roME'::text), ('OSLO'), ('Rom')) r (city), osml_transform_row('cities', r) s;
SELECT prediction::numeric(9, 6), count(*) FROM osml_predict_batch('cities', 'SELECT city FROM cities') GROUP BY 1 ORDER BY 1;
-- but a model of texts keeps them apart, in rows of citext, too
SELECT osml_train('SELECT y, as_text AS city FROM cities', '{"optimizer": "exact"}', 'by_text') > 0;
SELECT s.category FROM (VALUES ('ROME'::citext), ('Rome'), ('roME')) r (city), osml_transform_row('by_text', r) s;
-- categories that are given, of columns and expressions
SELECT osml_transform('cities', 'city', 'category', '{"categories": ["OSLO", "Rome"]}');
SELECT osml_transform('cities', 'place', 'sql', '{"expression": "city"}'), osml_transform('cities', 'place', 'category', '{"categories": ["BERN"]}');
SELECT osml_train('cities', '{"features": ["city", "place"], "max_steps": 5}', 'cities') > 0;
SELECT feature, bin, category, count FROM osml.bins WHERE model = 'cities' AND version = 2 ORDER BY feature, bin;
-- classes
SELECT osml_train('SELECT answer, city FROM cities', '{"class_weight": {"YES": 2}, "max_epochs": 5}', 'answers') > 0;
SELECT classes FROM osml.models WHERE model = 'answers';
SELECT osml_predict_class('answers', r) FROM (SELECT 'Oslo'::citext AS city) r;
SELECT value FROM osml_evaluate('answers', 'SELECT answer, city FROM cities') WHERE metric = 'rows_used';
SELECT * FROM osml_evaluate('answers', 'SELECT answer::text, city FROM cities');
-- splits and reports
SELECT osml_create_dataset('cities split', 'cities', 'y', '{city}') > 0;
SELECT count(DISTINCT part) FROM (SELECT osml.split_unit(1, ROW(c::citext)) AS part FROM unnest('{Rome, ROME, rome}'::text[]) c) s;
SET client_min_messages = error;
SELECT part, part_mean, whole_mean FROM osml_split('cities split', '{"train": 0.5, "test": 0.5}', group_by => '{i}', tries => 1) WHERE "column" = 'city' AND part = 'train';
SET client_min_messages = warning;
SELECT distinct_values FROM osml_feature_report('cities split') WHERE feature = 'city';
SELECT osml_drop_dataset('cities'), osml_drop_dataset('cities split'), osml_drop_model('cities'), osml_drop_model('by_text'), osml_drop_model('answers');

-- What a renamed column breaks is mended or dropped piece by piece.
ALTER TABLE settings RENAME at TO at2;
SELECT osml_transform('settings', 'g', 'hash');
SELECT osml_transform('settings', 'hour', 'sql', '{"expression": "extract(hour from at2)"}');
SELECT osml_drop_feature('settings', 'at');
SELECT osml_train('settings', '{"optimizer": "exact"}') > 0;
SELECT osml_drop_dataset('settings');

-- By position there is no way to give a text.
SELECT osml_predict('m', 1.0, 2.0);

-- A date is no category of timestamps: all of them would be unknown.
CREATE TABLE days AS SELECT i % 5 AS y, date '2024-01-01' + i % 5 AS d FROM generate_series(1, 100) i;
SELECT osml_create_dataset('days', 'days') > 0;
SELECT osml_transform('days', 'd', 'category');
SELECT osml_train('days') > 0;
SELECT round(osml_predict('days', r)::numeric, 1) FROM (SELECT date '2024-01-03' AS d) r;
SELECT osml_predict('days', r) FROM (SELECT timestamp '2024-01-03' AS d) r;
SELECT * FROM osml_predict_batch('days', 'SELECT now() AS d');
SELECT osml_drop_dataset('days'), osml_drop_model('days');
-- What a source makes of the session's settings, readers make too.
SET bytea_output = escape;
SELECT osml_train('SELECT i % 2 AS y, decode(lpad(to_hex(i % 3 + 1), 2, ''0''), ''hex'')::text AS b FROM generate_series(1, 90) i', format('{"num_workers": %s, "max_epochs": 1}', w)::jsonb, 'by_' || w) > 0
	FROM unnest('{0,2}'::int[]) w;
SELECT model, string_agg(category, ' ' ORDER BY position) FROM osml.weights WHERE model IN ('by_0', 'by_2') AND feature = 'b' GROUP BY model ORDER BY model;
RESET bytea_output;

SELECT osml_drop_dataset(d) FROM unnest('{nums, zips, buckets, vocabulary, uneven}'::text[]) d;
DROP SCHEMA scat CASCADE;
