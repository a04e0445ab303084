-- Every transform, at every odd value: one row means the same to osml_predict, to
-- osml_predict_batch, to the trainer's blocks and to osml_transform_row.
CREATE SCHEMA strans;
SET search_path = strans, public;
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only on
\pset null (null)

-- Values below, on, next to and above the edges 0, 0.1, 0.2, 0.3 (as a double each), and none.
CREATE TABLE odd_values (id serial, y float8, x float8, z float8, t text, at timestamptz);
INSERT INTO odd_values (y, x, z, t, at)
	SELECT i % 9, x, 1 - x, t, timestamptz '2024-02-29 23:59:59.5+00' + i * interval '31 hours'
	FROM (SELECT row_number() OVER () AS i, v.x FROM (
		SELECT e + d AS x
		FROM unnest('{0, 0.1, 0.2, 0.3, 0.09999999999999999, 0.10000000000000002, 0.19999999999999998, 0.20000000000000004,
			0.30000000000000004, 0.29999999999999993, -1e-300, 1e-300}'::float8[]) e, unnest('{0, -0.05, 0.05}'::float8[]) d
		UNION ALL SELECT unnest('{NULL, NaN, Infinity, -Infinity, -0.0, -1, -2, 1e60, -1e60, 5e-324, 7, 1e9}'::float8[])) v) w,
	unnest('{a, b, a, "", NULL, "  a", "ä", other, null}'::text[]) t;
UPDATE odd_values SET at = NULL WHERE id % 37 = 0;
UPDATE odd_values SET at = 'infinity' WHERE id % 41 = 0;
SELECT count(*), count(x), count(t), count(at) FROM odd_values;

-- A model that takes no step: its weights are random, so every value of a feature shows in a prediction.
CREATE FUNCTION check_feature(label text, VARIADIC steps text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	step text;
	run bigint;
	rows bigint;
	mse float8;
	trained float8;
	blocks bigint;
	unlike bigint;
	unexplained bigint;
BEGIN
	PERFORM osml_create_dataset('trans', 'strans.odd_values', test => 'strans.odd_values', features => '{y}', label => 'id');
	FOREACH step IN ARRAY steps LOOP
		EXECUTE 'SELECT ' || step;
	END LOOP;
	run := osml_train('trans', jsonb_build_object('optimizer', 'SGD', 'lr', 0, 'init', 'normal', 'max_epochs', 1,
		'scale', 'none', 'scale_label', 'none', 'on_nonfinite', 'skip', 'divergence_factor', 0,
		'features', (SELECT to_jsonb(array_agg(DISTINCT feature)) FROM osml.definitions WHERE dataset = 'trans')), 'transm');
	SELECT count(*), avg((id - p) ^ 2) INTO rows, mse
		FROM (SELECT id, osml_predict('transm', o) AS p FROM odd_values o) s
		WHERE p IS NOT NULL AND abs(p) < 'infinity';
	SELECT value INTO trained FROM osml.metrics WHERE run_id = run AND name = 'test_mse';
	SELECT test_rows INTO blocks FROM osml.models WHERE model = 'transm';
	SELECT count(*) INTO unlike
		FROM (SELECT row_number() OVER (), osml_predict('transm', o) AS p FROM odd_values o) s
			JOIN osml_predict_batch('transm', 'strans.odd_values') b USING (row_number)
		WHERE p IS DISTINCT FROM b.prediction;
	-- what the model sees, times its weights, is what it predicts
	SELECT count(*) INTO unexplained
		FROM odd_values o, LATERAL (
			SELECT sum(CASE WHEN r.code IS NULL THEN r.value * w.weight ELSE w.weight END) AS seen, bool_or(r.code IS NULL AND r.value IS NULL) AS gap
			FROM osml_transform_row('transm', o) r LEFT JOIN osml.weights w ON w.model = 'transm' AND w.version = 1
				AND w.feature = r."column" AND (w.category IS NOT DISTINCT FROM r.category)) s,
			(SELECT weight AS bias FROM osml.weights WHERE model = 'transm' AND feature = '(intercept)') i
		WHERE NOT COALESCE(gap, false) AND abs(osml_predict('transm', o) - seen - bias) > 1e-9 * greatest(1, abs(seen))
			AND abs(osml_predict('transm', o)) < 'infinity';
	PERFORM osml_drop_model('transm'), osml_drop_dataset('trans');
	RETURN format('%s: %s rows predicted, in blocks: %s, same mse: %s, unlike in batch: %s, unexplained: %s', label, rows,
		blocks, abs(mse - trained) <= 1e-12 * mse, unlike, unexplained);
END
$$;

SELECT check_feature('none', $$osml_transform('trans', 'x', 'none')$$);
SELECT check_feature('standardize', $$osml_transform('trans', 'n', 'sql', '{"expression": "CASE WHEN abs(x) < 8 THEN x END"}')$$,
	$$osml_transform('trans', 'n', 'standardize')$$);
SELECT check_feature('minmax', $$osml_transform('trans', 'n', 'sql', '{"expression": "CASE WHEN abs(x) < 8 THEN x END"}')$$,
	$$osml_transform('trans', 'n', 'minmax')$$);
SELECT check_feature('log1p', $$osml_transform('trans', 'x', 'log1p')$$);
SELECT check_feature('clip', $$osml_transform('trans', 'x', 'clip', '{"lo": 0, "hi": 0.2}')$$);
SELECT check_feature('clip by quantile', $$osml_transform('trans', 'x', 'clip', '{"quantile": 0.1}')$$);
SELECT check_feature('impute mean', $$osml_transform('trans', 'x', 'clip', '{"lo": -9, "hi": 9}')$$,
	$$osml_transform('trans', 'x', 'impute')$$);
SELECT check_feature('impute median with a flag', $$osml_transform('trans', 'x', 'impute', '{"method": "median", "flag": true}')$$);
SELECT check_feature('impute constant', $$osml_transform('trans', 'x', 'impute', '{"method": "constant", "value": 3}')$$);
SELECT check_feature('cyclic', $$osml_transform('trans', 'x', 'cyclic', '{"period": 0.7}')$$);
SELECT format($$SELECT check_feature('date_part %s', 'osml_transform(''trans'', ''p'', ''date_part'', ''{"input": "at", "part": "%1$s"}'')')$$, part)
	FROM unnest('{year, month, day, dow, hour, minute}'::text[]) part \gexec
SELECT check_feature('date_part hour, cyclic', $$osml_transform('trans', 'p', 'date_part', '{"input": "at", "part": "hour", "cyclic": true}')$$);
SELECT check_feature('great_circle', $$osml_transform('trans', 'far', 'great_circle', '{"inputs": ["x", "y", "z", "y"]}')$$);
SELECT check_feature('bin width', $$osml_bin('trans', 'x', 3, lo => 0, hi => 0.3)$$);
SELECT check_feature('bin width, other', $$osml_bin('trans', 'x', 3, lo => 0, hi => 0.3, outside => 'other')$$);
SELECT check_feature('bin edges', $$osml_bin('trans', 'x', edges => '{0, 0.1, 0.2, 0.3}', method => 'edges', outside => 'other')$$);
SELECT check_feature('bin quantile', $$osml_bin('trans', 'x', 7, method => 'quantile')$$);
SELECT check_feature('bin observed width', $$osml_bin('trans', 'y', 4)$$);
SELECT check_feature('shared grid', $$osml_bin('trans', ARRAY['x', 'z'], 5, method => 'quantile')$$);
SELECT check_feature('category of a text', $$osml_transform('trans', 't', 'category')$$);
SELECT check_feature('category of a text, two at most', $$osml_transform('trans', 't', 'category', '{"max_categories": 2}')$$);
SELECT check_feature('category of a number', $$osml_transform('trans', 'x', 'category')$$);
SELECT check_feature('hash', $$osml_transform('trans', 't', 'hash', '{"buckets": 5}')$$);
SELECT check_feature('cross', $$osml_bin('trans', 'x', 3, lo => 0, hi => 0.3)$$, $$osml_bin('trans', 'z', 4, lo => 0, hi => 1, outside => 'other')$$,
	$$osml_transform('trans', 't', 'category', '{"min_count": 60}')$$,
	$$osml_cross('trans', 'xz', ARRAY['x_bin', 'z_bin'])$$, $$osml_cross('trans', 'xzt', ARRAY['xz', 't'])$$);
SELECT check_feature('cross, hashed', $$osml_bin('trans', 'x', 300, lo => 0, hi => 0.3)$$, $$osml_bin('trans', 'z', 400, lo => 0, hi => 1)$$,
	$$osml_cross('trans', 'xz', ARRAY['x_bin', 'z_bin'], 100)$$);
SELECT check_feature('sql number', $$osml_transform('trans', 'f', 'sql', '{"expression": "2 * x + coalesce(length(t), 0)"}')$$);
SELECT check_feature('sql text', $$osml_transform('trans', 'f', 'sql', '{"expression": "upper(t) || (y > 3)"}')$$);
SELECT check_feature('sql boolean', $$osml_transform('trans', 'f', 'sql', '{"expression": "x > 0.1 AND t IS NOT NULL"}')$$);
SELECT check_feature('chain', $$osml_transform('trans', 'x', 'impute', '{"method": "median"}')$$, $$osml_transform('trans', 'x', 'clip', '{"lo": -0.5, "hi": 9}')$$,
	$$osml_transform('trans', 'x', 'log1p')$$, $$osml_transform('trans', 'x', 'standardize')$$);

DROP SCHEMA strans CASCADE;
