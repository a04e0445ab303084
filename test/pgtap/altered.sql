-- Rows of the catalog that somebody has altered, by mistake or on purpose: whoever installed the extension
-- inserts what a dump has. A model of them predicts or is an error, and no server goes down over it.
CREATE SCHEMA altered;
SET search_path = altered, public;
SET client_min_messages = error;
SET osml.progress_interval = 0;
SELECT plan(6);

CREATE TABLE rows AS SELECT i % 7 + sin(i) AS y, i::float8 AS a, ARRAY[i, i % 5, 1.5]::float8[] AS v, 'c' || i % 4 AS t,
	date '2024-01-01' + i AS d, (ARRAY['u', 'v', 'w'])[i % 3 + 1] AS k FROM generate_series(1, 300) i;
SELECT osml_create_dataset('altered', 'altered.rows', features => '{a,v,t}') > 0 AS made \gset
SELECT osml_transform('altered', 'e', 'sql', '{"expression": "a / 2"}'), osml_bin('altered', 'a', 5),
	osml_transform('altered', 'w', 'date_part', '{"input": "d", "part": "dow", "cyclic": true}'),
	osml_transform('altered', 'tt', 'category', '{"input": "t"}'), osml_transform('altered', 'h', 'hash', '{"input": "t", "buckets": 7}'),
	osml_cross('altered', 'x', ARRAY['tt', 'a_bin']), osml_transform('altered', 'mm', 'minmax', '{"input": "a"}'),
	osml_transform('altered', 'im', 'impute', '{"input": "a", "method": "median", "flag": true}') \gset
SELECT osml_train('altered', '{"max_batches": 20, "val_fraction": 0.3}', 'altered linear') AS one,
	osml_train('altered', '{"max_batches": 20, "model_type": "mlp", "num_hidden_neurons": [5, 3], "batch_norm_linear_layers": true}', 'altered mlp') AS two,
	osml_train('SELECT k, a, v, t FROM altered.rows', '{"max_batches": 20, "model_type": "softmax"}', 'altered softmax') AS three,
	osml_train('SELECT k, a, v, t FROM altered.rows', '{"max_batches": 20, "model_type": "mlp", "precision": "float32"}', 'altered float32') AS four \gset

-- all that reads a model; SQLSTATEs of what failed
CREATE FUNCTION use(m text) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	q text;
	states text[] = '{}';
BEGIN
	FOREACH q IN ARRAY ARRAY['SELECT osml_predict($1, r) FROM altered.rows r LIMIT 3', 'SELECT osml_predict_class($1, r) FROM altered.rows r LIMIT 3',
		'SELECT osml_predict($1, ARRAY[1,2,3,4,5,6,7]::float8[])', 'SELECT osml_predict_interval($1, r) FROM altered.rows r LIMIT 3',
		'SELECT osml_explain($1, r) FROM (SELECT * FROM altered.rows LIMIT 3) r', 'SELECT osml_transform_row($1, r) FROM (SELECT * FROM altered.rows LIMIT 3) r',
		'SELECT osml_model_summary($1)', 'SELECT count(*) FROM osml_predict_batch($1, ''altered.rows'')', 'SELECT osml_evaluate($1, ''altered.rows'')',
		'SELECT count(*) FROM osml.model_definitions WHERE model = $1'] LOOP
		BEGIN
			EXECUTE q USING m;
		EXCEPTION WHEN OTHERS THEN states := states || SQLSTATE::text;
		END;
	END LOOP;
	RETURN states;
END$$;

-- an array's columns are named after its elements
UPDATE osml.model_version v SET program = jsonb_set(program, ARRAY['features', (SELECT (n - 1)::text FROM jsonb_array_elements(program -> 'features') WITH ORDINALITY f(f, n) WHERE f ->> 'name' = 'v'), 'n_elements'], '0')
	FROM osml.model m WHERE m.model_id = v.model_id AND m.name = 'altered softmax';
SELECT ok(use('altered softmax') @> ARRAY['XX001'] AND NOT use('altered softmax') @> ARRAY['XX000'], 'an array without elements is an error');
UPDATE osml.model_version v SET program = jsonb_set(program, ARRAY['features', (SELECT (n - 1)::text FROM jsonb_array_elements(program -> 'features') WITH ORDINALITY f(f, n) WHERE f ->> 'name' = 'v'), 'n_elements'], '3')
	FROM osml.model m WHERE m.model_id = v.model_id AND m.name = 'altered softmax';
SELECT is(array_length(use('altered softmax'), 1), 3, 'and as it was, what fails is what does so of a model of classes');
UPDATE osml.model_version v SET program = jsonb_set(program, '{inputs}', (SELECT jsonb_agg(i) FROM (
		SELECT i FROM jsonb_array_elements(program -> 'inputs') i UNION ALL
		SELECT '{"name": "v", "kind": "array", "column": 1, "n_elements": 10000}' FROM generate_series(1, 220000)) i))
	FROM osml.model m WHERE m.model_id = v.model_id AND m.name = 'altered float32';
SELECT ok(use('altered float32') @> ARRAY['XX001'], 'so are more inputs than there may be');

-- at random
CREATE FUNCTION paths(j jsonb, at text[]) RETURNS SETOF text[] LANGUAGE plpgsql AS $$
DECLARE k text;
BEGIN
	IF at <> '{}' THEN RETURN NEXT at; END IF;
	FOR k IN SELECT jsonb_object_keys(CASE jsonb_typeof(j) WHEN 'object' THEN j ELSE '{}' END)
		UNION ALL SELECT (n - 1)::text FROM generate_series(1, CASE jsonb_typeof(j) WHEN 'array' THEN least(jsonb_array_length(j), 12) ELSE 0 END) n LOOP
		RETURN QUERY SELECT * FROM altered.paths(CASE jsonb_typeof(j) WHEN 'array' THEN j -> k::int ELSE j -> k END, at || k);
	END LOOP;
END$$;
CREATE FUNCTION mutate(j jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
	p text[];
	q text[];
	pool jsonb = '[null, -1, 0, 1, 2, 3, 7, 2147483647, -2147483648, 1e300, 0.5, "", "x", "number", "array", "key", "time", "a", "t", "category", "bin", "hash", "cross", "sql", "impute", "cyclic", [], {}, [1], [[]], ["a", "t"], [3, 2, 1], true, "pg_catalog.text", "pg_catalog.float8[]", "NaN"]';
	r float8 = random();
BEGIN
	SELECT x INTO p FROM altered.paths(j, '{}') x ORDER BY random() LIMIT 1;
	SELECT x INTO q FROM altered.paths(j, '{}') x ORDER BY random() LIMIT 1;
	RETURN CASE WHEN r < 0.15 THEN j #- p WHEN r < 0.35 THEN jsonb_set(j, p, j #> q)
		WHEN r < 0.45 AND jsonb_typeof(j #> p) = 'array' THEN jsonb_set(j, p, (j #> p) || (j #> p))
		WHEN r < 0.55 AND jsonb_typeof(j #> p) = 'number' THEN jsonb_set(j, p, to_jsonb((j #>> p)::numeric + (random() * 4 - 2)::int))
		ELSE jsonb_set(j, p, pool -> (random() * (jsonb_array_length(pool) - 1))::int) END;
END$$;
CREATE FUNCTION mutate(b bytea) RETURNS bytea LANGUAGE plpgsql AS $$
BEGIN
	IF random() < 0.2 THEN RETURN substr(b, 1, (random() * length(b))::int); END IF;
	FOR k IN 1 .. 2 LOOP
		b := set_byte(b, (random() * least(length(b) - 1, 400))::int, (random() * 255)::int);
	END LOOP;
	RETURN b;
END$$;
CREATE FUNCTION go(n int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	m text;
	id bigint;
	used int = 0;
BEGIN
	PERFORM setseed(0.7);
	FOR i IN 1 .. n LOOP
		m := (ARRAY['altered linear', 'altered mlp', 'altered softmax'])[1 + i % 3];
		SELECT version_id INTO id FROM osml.model_version JOIN osml.model USING (model_id) WHERE name = m;
		BEGIN
			CASE (random() * 7)::int
				WHEN 0 THEN UPDATE osml.model_version SET weights = altered.mutate(weights) WHERE version_id = id;
				WHEN 1 THEN UPDATE osml.model_version SET hparams = altered.mutate(hparams) WHERE version_id = id;
				WHEN 2 THEN UPDATE osml.feature SET codes = CASE WHEN codes IS NULL THEN 5 END, average = average || average WHERE version_id = id AND random() < 0.3;
				WHEN 3 THEN UPDATE osml.model_version SET model_type = (ARRAY['mlp', 'linear', 'softmax', 'logistic'])[1 + (random() * 3)::int],
					loss = (ARRAY['mse', 'logloss', 'cross_entropy', 'poisson'])[1 + (random() * 3)::int], calibration_rows = calibration_rows + 1 WHERE version_id = id;
				ELSE UPDATE osml.model_version SET program = altered.mutate(program) WHERE version_id = id;
			END CASE;
			PERFORM altered.use(m);
			used := used + 1;
			RAISE EXCEPTION 'undo';
		EXCEPTION WHEN raise_exception OR check_violation OR not_null_violation THEN NULL;
		END;
	END LOOP;
	RETURN used;
END$$;
SELECT cmp_ok(go(400), '>', 300, 'versions altered at random');

-- a checkpoint
SELECT osml_train('altered.rows', '{"max_batches": 1000000000000, "every_n_train_steps": 20, "features": ["a"]}', 'altered run', wait => false) AS run \gset
CREATE PROCEDURE stop(r bigint) LANGUAGE plpgsql AS $$
BEGIN
	WHILE NOT EXISTS (SELECT FROM osml.checkpoint WHERE run_id = r) LOOP COMMIT; PERFORM pg_sleep(0.01); END LOOP;
	PERFORM osml_cancel(r);
END$$;
CALL stop(:run);
CREATE FUNCTION error_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN EXECUTE sql; RETURN 'none'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || ' ' || SQLERRM; END$$;
UPDATE osml.checkpoint SET state = set_byte(state, 8, 0) WHERE run_id = :run;
SELECT matches(error_of('SELECT osml_resume(' || :run || ')'), '^XX001 osml run \d+ failed: stored weights cannot be read', 'a checkpoint that is none');
SELECT osml_drop_checkpoints(:run) AS dropped \gset
SELECT is(:dropped, 1, 'can still be dropped');
SELECT * FROM finish();
