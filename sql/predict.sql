-- osml_predict and osml_predict_batch: every way to pass values, one answer.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

-- y = 3 + 2a - b/2, which least squares finds exactly
CREATE TABLE pr_rows AS
	SELECT i AS id, 3 + 2 * a - 0.5 * b AS y, a, b, 'row ' || i AS note
	FROM (SELECT i, (i % 13)::float8 AS a, (i % 7)::integer AS b
		FROM generate_series(1, 2500) i) s;
SELECT osml_train('pr_rows', '{"label":"y", "features":["a","b"], "optimizer":"exact"}',
	'pr_line') > 0 AS trained;

-- by name: order and further columns do not matter
SELECT round(osml_predict('pr_line', r)::numeric, 6) AS from_table
	FROM pr_rows r ORDER BY id LIMIT 3;
SELECT round(osml_predict('pr_line', s)::numeric, 6) AS other_order
	FROM (SELECT 'x' AS note, 4::numeric AS b, 10::bigint AS a) s;
CREATE TYPE pr_pair AS (b real, a smallint);
SELECT round(osml_predict('pr_line', (4, 10)::pr_pair)::numeric, 6) AS from_type;
CREATE VIEW pr_view AS SELECT id, b, a FROM pr_rows;
SELECT round(osml_predict('pr_line', v)::numeric, 6) AS from_view
	FROM pr_view v WHERE id = 2;

-- by position
SELECT round(osml_predict('pr_line', 10, 4)::numeric, 6) AS "values",
	round(osml_predict('pr_line', VARIADIC ARRAY[10, 4]::float8[])::numeric, 6) AS variadic,
	round(osml_predict('pr_line', ARRAY[10, 4])::numeric, 6) AS integers,
	round(osml_predict('pr_line', ARRAY[10, 4]::numeric[])::numeric, 6) AS numerics,
	round(osml_predict('pr_line', ARRAY[10, 4]::real[])::numeric, 6) AS reals,
	round(osml_predict('pr_line', ARRAY[[10], [4]]::float8[])::numeric, 6) AS nested,
	round(osml_predict(model => 'pr_line', features => ARRAY[10, 4])::numeric, 6) AS named;

-- all ways give the same bits
SELECT count(*) AS rows,
	count(*) FILTER (WHERE osml_predict('pr_line', r) IS DISTINCT FROM osml_predict('pr_line', a, b)) AS by_position,
	count(*) FILTER (WHERE osml_predict('pr_line', r) IS DISTINCT FROM osml_predict('pr_line', ARRAY[a, b])) AS by_array,
	count(*) FILTER (WHERE osml_predict('pr_line', r) IS DISTINCT FROM p.prediction) AS by_batch,
	max(abs(p.prediction - y)) < 1e-9 AS exact
	FROM pr_rows r JOIN osml_predict_batch('pr_line', 'pr_rows', key => 'id') p ON p.key::int = id;

-- a NULL gives NULL
SELECT osml_predict('pr_line', s) AS null_column FROM (SELECT 1 AS a, NULL::int AS b) s;
SELECT osml_predict('pr_line', NULL::pr_rows) AS null_row,
	osml_predict(NULL, 1, 2) AS null_model,
	osml_predict('pr_line', 1, NULL) AS null_value,
	osml_predict('pr_line', ARRAY[1, NULL]::int[]) AS null_element,
	osml_predict('pr_line', VARIADIC NULL::float8[]) AS null_array;
-- NaN and infinity stay what they are
SELECT osml_predict('pr_line', 'NaN', 1) AS nan, osml_predict('pr_line', 1, 'infinity') AS inf;

-- each type of feature
CREATE TABLE pr_types AS
	SELECT i::float8 + 0.25 * (i % 3) AS y, i::smallint AS s, (i % 3)::bigint AS l,
		(i * i % 5)::real AS r, (i % 4)::numeric AS n, i % 2 = 0 AS flag,
		date '2020-01-01' + i AS d, timestamp '2020-01-01' + i * i * interval '1 minute' AS t,
		timestamptz '2020-01-01 00:00+00' + (i * 7 % 11) * interval '1 hour' AS tz
	FROM generate_series(1, 60) i;
CREATE DOMAIN pr_domain AS float8 CHECK (VALUE > -1);
SELECT osml_train('pr_types', '{"max_epochs":2}', 'pr_types') > 0 AS trained;
SELECT count(*), count(p.prediction), count(*) FILTER (WHERE p.prediction = q.prediction) AS equal
	FROM osml_predict_batch('pr_types', 'pr_types') p
	JOIN (SELECT row_number() OVER () AS row_number, osml_predict('pr_types', o) AS prediction
		FROM pr_types o) q USING (row_number);
-- another type with the same value is the same value
SELECT osml_predict('pr_types', o) = osml_predict('pr_types', u) AS same
	FROM pr_types o, LATERAL (SELECT s::int AS s, l::pr_domain AS l, r::float8 AS r,
		n::int AS n, flag::int AS flag, d, t, tz) u LIMIT 1;

-- array columns
CREATE TABLE pr_arrays AS
	SELECT i::float8 AS y, ARRAY[i, i % 3]::float8[] AS v, ARRAY[i % 5, 1, i % 2]::real[] AS w, i % 7 AS c
	FROM generate_series(1, 50) i;
SELECT osml_train('pr_arrays', '{"max_epochs":3, "precision":"float32"}', 'pr_arrays') > 0 AS trained;
SELECT feature, "position" FROM osml.features WHERE model = 'pr_arrays' ORDER BY 2;
SELECT count(*) AS rows,
	count(*) FILTER (WHERE osml_predict('pr_arrays', t) = osml_predict('pr_arrays', v[1], v[2], w[1], w[2], w[3], c)) AS by_position,
	count(*) FILTER (WHERE osml_predict('pr_arrays', t) = osml_predict('pr_arrays', v || w::float8[] || c::float8)) AS by_array
	FROM pr_arrays t;
SELECT osml_predict('pr_arrays', s) AS null_inside
	FROM (SELECT ARRAY[1, NULL]::int[] AS v, ARRAY[1, 2, 3] AS w, 1 AS c) s;

-- a model trained with on_null mean fills in the training means
CREATE TABLE pr_gaps AS
	SELECT i::float8 AS y, CASE WHEN i % 10 > 0 THEN i END AS a, i % 3 AS b FROM generate_series(1, 40) i;
SELECT osml_train('pr_gaps', '{"max_epochs":3, "on_null":"mean"}', 'pr_gaps') > 0 AS trained;
SELECT osml_predict('pr_gaps', s) = osml_predict('pr_gaps', f.mean, 1) AS in_row,
	osml_predict('pr_gaps', NULL, 1) = osml_predict('pr_gaps', f.mean, 1) AS in_values,
	osml_predict('pr_gaps', ARRAY[NULL, 1]::int[]) = osml_predict('pr_gaps', f.mean, 1) AS in_array
	FROM (SELECT NULL::int AS a, 1 AS b) s, osml.features f
	WHERE f.model = 'pr_gaps' AND f.feature = 'a';
SELECT count(*), count(prediction) FROM osml_predict_batch('pr_gaps', 'pr_gaps');

-- batch: keys, sources, order
CREATE TABLE pr_keyed (k2 text, a float8, b int, k1 int, PRIMARY KEY (k1, k2));
INSERT INTO pr_keyed VALUES ('x y', 10, 4, 1), ('z', 10, NULL, 2), (',', 'NaN', 1, 3);
SELECT row_number, key, round(prediction::numeric, 6) AS prediction, class, proba
	FROM osml_predict_batch('pr_line', 'pr_keyed');
SELECT row_number, key, round(prediction::numeric, 6) AS prediction
	FROM osml_predict_batch('pr_line', 'SELECT a, b, k2 AS "the key" FROM pr_keyed WHERE b > 1', key => 'the key');
SELECT row_number, key, round(prediction::numeric, 6) AS prediction
	FROM osml_predict_batch(model => 'pr_line', source => 'VALUES (1)') LIMIT 0;
CREATE TABLE pr_parts (id int PRIMARY KEY, a float8, b int) PARTITION BY RANGE (id);
CREATE TABLE pr_parts1 PARTITION OF pr_parts FOR VALUES FROM (0) TO (2);
CREATE TABLE pr_parts2 PARTITION OF pr_parts FOR VALUES FROM (2) TO (9);
INSERT INTO pr_parts VALUES (0, 1, 2), (1, 3, 4), (2, 5, 6), (3, 7, 8);
SELECT row_number, key, round(prediction::numeric, 6) AS prediction
	FROM osml_predict_batch('pr_line', 'pr_parts') ORDER BY 1;
CREATE TEMP TABLE pr_temp AS SELECT 10 AS a, 4 AS b;
SELECT row_number, key, round(prediction::numeric, 6) AS prediction
	FROM osml_predict_batch('pr_line', 'pr_temp');
TRUNCATE pr_temp;
SELECT count(*) FROM osml_predict_batch('pr_line', 'pr_temp');

-- a parallel plan
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
EXPLAIN (COSTS OFF) SELECT round(sum(osml_predict('pr_line', r))::numeric, 3) FROM pr_rows r;
SELECT round(sum(osml_predict('pr_line', r))::numeric, 3) AS parallel FROM pr_rows r;
SET max_parallel_workers_per_gather = 0;
SELECT round(sum(osml_predict('pr_line', r))::numeric, 3) AS serial FROM pr_rows r;
RESET max_parallel_workers_per_gather;

-- a second version, 100 higher, is deployed when its run ends
CREATE VIEW pr_higher AS SELECT y + 100 AS y, a, b FROM pr_rows;
PREPARE pr_predict AS SELECT round(osml_predict('pr_line', 10, 4)::numeric, 6) AS prepared;
EXECUTE pr_predict;
SET plan_cache_mode = force_generic_plan;
EXECUTE pr_predict;
SELECT osml_train('pr_higher', '{"optimizer":"exact"}', 'pr_line') > 0 AS trained;
EXECUTE pr_predict;
SET plan_cache_mode = force_custom_plan;
EXECUTE pr_predict;
SELECT osml_deploy('pr_line', 'previous');
EXECUTE pr_predict;
RESET plan_cache_mode;

-- REPEATABLE READ: the snapshot decides; the trainer commits elsewhere
BEGIN ISOLATION LEVEL REPEATABLE READ;
EXECUTE pr_predict;
SELECT osml_train('pr_higher', '{"optimizer":"exact"}', 'pr_line') > 0 AS trained;
EXECUTE pr_predict;
SELECT round(prediction::numeric, 6) AS batch FROM osml_predict_batch('pr_line', 'SELECT 10 AS a, 4 AS b');
COMMIT;
EXECUTE pr_predict;
SELECT round(prediction::numeric, 6) AS batch FROM osml_predict_batch('pr_line', 'SELECT 10 AS a, 4 AS b');
-- one's own deployment counts at once, and is undone with its subtransaction
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT osml_deploy('pr_line', 1);
EXECUTE pr_predict;
ROLLBACK;
EXECUTE pr_predict;
DO $$
DECLARE
	p float8;
	seen text[];
BEGIN
	FOR i IN 1..4 LOOP
		p := osml_predict('pr_line', 10, 4);
		seen := seen || round(p)::text;
		PERFORM osml_deploy('pr_line', 1 + i % 2);
	END LOOP;
	PERFORM osml_deploy('pr_line', 1);
	BEGIN
		PERFORM osml_deploy('pr_line', 2);
		p := osml_predict('pr_line', 10, 4);
		seen := seen || ('inside ' || round(p));
		RAISE EXCEPTION 'undo';
	EXCEPTION WHEN raise_exception THEN
		NULL;
	END;
	p := osml_predict('pr_line', 10, 4);
	seen := seen || ('after ' || round(p));
	RAISE WARNING '%', seen;
END
$$;
SELECT osml_deploy('pr_line', 1);

-- models that change from row to row, more than a call site remembers
SELECT count(*) AS rows, count(*) FILTER (WHERE model = 'pr_line') AS line,
	bool_and(p = CASE model WHEN 'pr_line' THEN osml_predict('pr_line', a, b)
		ELSE osml_predict('pr_gaps', a, b) END) AS right
	FROM (SELECT a, b, model, osml_predict(model, a, b) AS p FROM pr_rows,
		LATERAL (SELECT CASE WHEN id % 3 = 0 THEN 'pr_line' ELSE 'pr_gaps' END AS model) m) s;
-- rows of several types at one call site
SELECT round(osml_predict('pr_line', r)::numeric, 6) AS mixed
	FROM (SELECT s AS r FROM (SELECT 10 AS a, 4 AS b) s
		UNION ALL SELECT s FROM (SELECT 4::real AS b, 'z' AS z, 10 AS a) s
		UNION ALL SELECT s FROM (SELECT 11 AS a, 4 AS b) s) u;
-- where planner and executor may call it
SELECT count(*) FROM pr_rows WHERE osml_predict('pr_line', a, b) > 20;
SELECT count(*) FROM pr_rows WHERE y > osml_predict('pr_line', 10, 4);

-- errors
SELECT osml_predict('pr_lin', 1, 2);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('nothing like it', 1, 2);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_line', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_line', ARRAY[1, 2, 3]);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_line', ARRAY['1', '2']);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_line', '{1,2}');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_line', ROW(1, 2));
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_line', s) FROM (SELECT 1 AS b, 2 AS c) s;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_gaps', s) FROM (SELECT 1 AS a, 'x' AS b) s;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_arrays', s) FROM (SELECT 1 AS v, ARRAY[1, 2, 3] AS w, 1 AS c) s;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_arrays', s) FROM (SELECT ARRAY[1] AS v, ARRAY[1, 2, 3] AS w, 1 AS c) s;
\echo :LAST_ERROR_SQLSTATE
SELECT osml_predict('pr_types', o) FROM (SELECT 1 AS s, 1 AS l, 1 AS r, 1 AS n, true AS flags,
	current_date AS d, now() AS t, now() AS tz) o;
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_predict_batch('pr_lines', 'pr_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_predict_batch('pr_line', 'pr_rows', 'idd');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_predict_batch('pr_line', 'SELECT 1 AS a');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_predict_batch('pr_line', 'pr_nowhere');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_predict_batch(NULL, 'pr_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_predict_batch('pr_line', NULL);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_train('pr_rows', '{"label":"y", "features":["a"], "optimizer":"exact", "deploy":false}',
	'pr_idle') > 0 AS trained;
SELECT osml_predict('pr_idle', 1);
\echo :LAST_ERROR_SQLSTATE

-- what another server may have written does not crash this one
CREATE FUNCTION pr_damage(change text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text;
	detail text;
BEGIN
	EXECUTE change;
	PERFORM osml_predict('pr_idle', 1);
	RAISE EXCEPTION 'predicted';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL;
	RETURN concat_ws(' | ', SQLSTATE, message, nullif(detail, ''));
END
$$;
SELECT osml_deploy('pr_idle', 1);
SELECT pr_damage(format(change, 'version_id = (SELECT version_id FROM osml.model_version
	JOIN osml.model USING (model_id) WHERE name = ''pr_idle'')')) AS damage
FROM (VALUES
	(1, 'UPDATE osml.model_version SET weights = ''nonsense'' WHERE %s'),
	(2, 'UPDATE osml.model_version SET weights = substr(weights, 1, length(weights) - 1) WHERE %s'),
	(3, 'UPDATE osml.model_version SET weights = decode(replace(encode(weights, ''hex''), ''776569676874'', ''686569676874''), ''hex'') WHERE %s'),
	(4, 'UPDATE osml.model_version SET weights = decode(replace(encode(weights, ''hex''), ''62696173'', ''70696173''), ''hex'') WHERE %s'),
	(5, 'UPDATE osml.model_version SET model_type = ''oracle'' WHERE %s'),
	(6, 'UPDATE osml.model_version SET loss = ''regret'' WHERE %s'),
	(7, 'UPDATE osml.model_version SET label_scale = ''NaN'' WHERE %s'),
	(8, 'UPDATE osml.feature SET center = ''infinity'' WHERE %s; UPDATE osml.model_version SET loss = loss WHERE %1$s'),
	(9, 'UPDATE osml.feature SET n_elements = 2, element = 1 WHERE %s; UPDATE osml.model_version SET loss = loss WHERE %1$s'),
	(10, 'INSERT INTO osml.feature SELECT version_id, 2, ''b'', 0, 0, ''real'', 1, 1, 1, 1, 1, 0, 1 FROM osml.model_version WHERE %s; UPDATE osml.model_version SET loss = loss WHERE %1$s'),
	(11, 'DELETE FROM osml.feature WHERE %s; UPDATE osml.model_version SET loss = loss WHERE %1$s'),
	(12, 'UPDATE osml.model_version SET program = ''{}'' WHERE %s'),
	(13, 'UPDATE osml.model_version SET program = ''[1]'' WHERE %s'),
	(14, 'UPDATE osml.model_version SET program = jsonb_set(program, ''{inputs,0,column}'', ''7'') WHERE %s'),
	(15, 'UPDATE osml.model_version SET program = jsonb_set(program, ''{inputs,0,kind}'', ''"array"'') WHERE %s'),
	(16, 'UPDATE osml.model_version SET program = jsonb_set(program, ''{features,0,name}'', ''"b"'') WHERE %s'),
	(17, 'UPDATE osml.model_version SET program = jsonb_set(program, ''{definitions}'', ''[{"feature": "a", "step": 1, "transform": "log2p", "inputs": ["a"], "params": {}}]'') WHERE %s'),
	(18, 'UPDATE osml.model_version SET program = jsonb_set(program, ''{definitions}'', ''[{"feature": "a", "step": 1, "transform": "standardize", "inputs": ["a"], "params": {}}]'') WHERE %s'),
	(19, 'UPDATE osml.model_version SET program = jsonb_set(program, ''{definitions}'', ''[{"feature": "a", "step": 2, "transform": "log1p", "inputs": [], "params": {}}]'') WHERE %s')
) v (n, change) ORDER BY n;
SELECT round(osml_predict('pr_idle', 1)::numeric) IS NOT NULL AS whole_again;

-- a model that is dropped and made again under its name is the new one
SELECT osml_drop_model('pr_line');
EXECUTE pr_predict;
SELECT osml_train('pr_higher', '{"optimizer":"exact"}', 'pr_line') > 0 AS trained;
EXECUTE pr_predict;

SELECT osml_drop_model(m) FROM (SELECT DISTINCT model FROM osml.models WHERE model LIKE 'pr\_%') s (m);
DROP FUNCTION pr_damage;
DROP VIEW pr_view, pr_higher;
DROP TABLE pr_rows, pr_types, pr_arrays, pr_gaps, pr_keyed, pr_parts, pr_temp;
DROP TYPE pr_pair;
DROP DOMAIN pr_domain;
