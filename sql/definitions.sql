-- Definitions: the features of a dataset, as functions and a view make them.
CREATE SCHEMA sdefs;
SET search_path = sdefs, public;
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only
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

-- The definitions of a dataset, and its bins, a line each.
CREATE FUNCTION pg_temp.defs(d text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s. %s.%s: %s %s%s %s fitted %s', position, feature, step, transform, inputs,
			' sharing ' || shared, params, COALESCE(fitted::text, 'not'))
	FROM osml.definitions WHERE dataset = d ORDER BY position, step
$$;
CREATE FUNCTION pg_temp.bins(d text, f text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT format('%s: %s..%s "%s" count %s mean %s', bin, low, high, category, count, round(mean_label::numeric, 6))
	FROM osml.bins WHERE dataset = d AND feature = f ORDER BY bin
$$;

CREATE TABLE defs_trips (
	fare float8, lat float8, lon float8, lat2 float8, lon2 float8, miles float8, zip text, at timestamp
);
INSERT INTO defs_trips SELECT i, 38.30 + 0.06 * (i % 11), -76.48 + 0.036 * (i % 11),
		38.35 + 0.05 * (i % 10), -76.40 + 0.02 * (i % 10), i % 7, 'zip ' || i % 3,
		timestamp '2024-01-01' + i * interval '5 hours'
	FROM generate_series(1, 110) i;

SELECT osml_create_dataset('defs', 'defs_trips', 'fare') > 0;

-- --- Bins ------------------------------------------------------------------------

-- Three bins of latitude 38.30 to 38.90 and of longitude -76.48 to -76.12.
SELECT osml_bin('defs', 'lat', 3, lo => 38.30, hi => 38.90);
SELECT osml_bin('defs', 'lon', 3, lo => -76.48, hi => -76.12);
SELECT pg_temp.defs('defs');
SELECT pg_temp.bins('defs', 'lat_bin');
SELECT pg_temp.bins('defs', 'lon_bin');
SELECT osml_apply_bins('defs', 'lat', 38.31), osml_apply_bins('defs', 'lon', -76.47);
SELECT osml_apply_bins('defs', 'lat_bin', 38.61), osml_apply_bins('defs', 'lon_bin', -76.14);
-- Half-open, the last one closed; what is beyond goes to the edge, NaN with NULL.
SELECT string_agg(osml_apply_bins('defs', 'lat', x)::text, ' ' ORDER BY n)
	FROM unnest('{38.30,38.4999,38.5,38.7,38.9,0,100,Infinity,-Infinity,NaN}'::float8[]) WITH ORDINALITY u(x, n);
-- NULL has the bin that a row's NULL has
SELECT osml_apply_bins('defs', 'lat', NULL), osml_apply_bins(NULL, 'lat', 1), osml_apply_bins('defs', NULL, 1);

-- Edges as given, another name, and a code of its own for what is beyond.
SELECT osml_bin('defs', 'miles', edges => '{0,1,5}', outside => 'other', name => 'distance');
SELECT pg_temp.bins('defs', 'distance');
SELECT string_agg(osml_apply_bins('defs', 'miles', x)::text, ' ') FROM unnest('{-1,0,1,5,6}'::float8[]) x;
-- The same again replaces it.
SELECT osml_bin('defs', 'lat2', edges => '{0,2}', name => 'distance');
SELECT pg_temp.defs('defs');
SELECT pg_temp.bins('defs', 'distance');
-- Nothing is known of learned edges before rows are read.
SELECT osml_bin('defs', 'miles', 2, 'quantile', name => 'distance');
SELECT pg_temp.bins('defs', 'distance');
SELECT pg_temp.outcome($$SELECT osml_apply_bins('defs', 'miles', 3)$$);

-- One grid for two columns.
SELECT osml_create_dataset('defs grid', 'defs_trips', 'fare') > 0;
SELECT osml_bin('defs grid', ARRAY['lat', 'lat2'], 2);
SELECT pg_temp.defs('defs grid');
UPDATE osml.definitions SET params = params || '{"bins": 3}' WHERE dataset = 'defs grid' AND feature = 'lat_bin';
SELECT pg_temp.defs('defs grid');
SELECT osml_fit_features('defs grid');
SELECT pg_temp.defs('defs grid');
SELECT feature, min(low), max(high), sum(count) FROM osml.bins WHERE dataset = 'defs grid' AND low IS NOT NULL
	GROUP BY feature ORDER BY feature;
SELECT osml_transform('defs grid', 'lat2_bin', 'bin', '{"bins": 2, "lo": 38, "hi": 39}');	-- of both
SELECT pg_temp.defs('defs grid');
SELECT pg_temp.bins('defs grid', 'lat_bin');
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform, inputs, shared, params)
	VALUES ('defs grid', 'third', 'bin', '{miles}', 'lat_bin+lat2_bin', '{"bins": 2}')$$);
SELECT osml_bin('defs grid', 'lat', 4);		-- leaves it
SELECT pg_temp.defs('defs grid');

-- --- Chains, crosses, expressions -------------------------------------------------

SELECT osml_transform('defs', 'miles', 'log1p');			-- in place of the column
SELECT osml_transform('defs', 'miles', 'standardize');		-- its second step
SELECT osml_transform('defs', 'route', 'great_circle', '{"inputs": ["lat", "lon", "lat2", "lon2"], "unit": "mi"}');
SELECT osml_transform('defs', 'far', 'clip', '{"input": "route", "quantile": 0.1}');
SELECT osml_transform('defs', 'half', 'sql', '{"expression": "miles / 2"}');
SELECT osml_transform('defs', 'hour', 'date_part', '{"part": "hour", "cyclic": true, "input": "at"}');
SELECT osml_transform('defs', 'at', 'date_part', '{"part": "hour"}');
SELECT osml_cross('defs', 'cell', ARRAY['lat_bin', 'lon_bin']);
SELECT osml_transform('defs', 'miles', 'log1p', '{}');		-- the same once more
SELECT osml_transform('defs', 'route', 'great_circle', '{"unit": "km"}');	-- keeps its inputs
SELECT pg_temp.defs('defs');
-- Bins behind other steps.
SELECT osml_transform('defs grid', 'm', 'log1p', '{"input": "miles"}');
SELECT osml_transform('defs grid', 'm', 'bin', '{"bins": 2, "lo": 0, "hi": 2}');
SELECT osml_apply_bins('defs grid', 'm', 1.7), osml_apply_bins('defs grid', 'miles', 1.8);	-- e - 1 = 1.718
SELECT pg_temp.outcome($$SELECT osml_transform('defs grid', 'm', 'standardize')$$);
SELECT osml_transform('defs grid', 'trip', 'great_circle', '{"inputs": ["lat", "lon", "lat2", "lon2"]}');
SELECT osml_transform('defs grid', 'trip', 'bin', '{"bins": 2, "lo": 0, "hi": 60}');
SELECT pg_temp.outcome($$SELECT osml_apply_bins('defs grid', 'trip', 3)$$);
DELETE FROM osml.definitions WHERE dataset = 'defs grid' AND feature IN ('m', 'trip');

-- --- Fitting ----------------------------------------------------------------------

SELECT osml_fit_features('defs');
SELECT feature, step, (SELECT string_agg(key || ' ' || CASE WHEN jsonb_typeof(value) = 'number'
		THEN round(value::numeric, 6)::text ELSE value::text END, ', ' ORDER BY key) FROM jsonb_each(fitted))
	FROM osml.definitions WHERE dataset = 'defs' ORDER BY position, step;
SELECT pg_temp.bins('defs', 'lat_bin');
SELECT pg_temp.bins('defs', 'zip');			-- a category that nobody defined
SELECT count(*), sum(count) FROM osml.bins WHERE dataset = 'defs' AND feature = 'cell';
-- Stated otherwise: the counts and means are those of plain SQL.
SELECT b.bin, b.count = count(*), abs(b.mean_label - avg(t.fare)) < 1e-9
	FROM osml.bins b JOIN defs_trips t ON osml_apply_bins('defs', 'lat', t.lat) = b.bin
	WHERE dataset = 'defs' AND b.feature = 'lat_bin' GROUP BY b.bin, b.count, b.mean_label ORDER BY 1;
SELECT osml_apply_bins('defs', 'distance', 0), osml_apply_bins('defs', 'distance', 6);

-- A row as a model would see it, before scaling.
SELECT r.feature, r.column, round(r.value::numeric, 4), r.code, r.category
	FROM (SELECT * FROM defs_trips WHERE fare = 10) t, osml_transform_row('defs', t) r;
SELECT r.feature, r.column, r.value, r.code, r.category
	FROM (SELECT NULL::float8 AS lat, -76.14 AS lon, NULL::int AS miles, 38.4 AS lat2, -76.3 AS lon2,
		'zip 9' AS zip, NULL::timestamp AS at) t, osml_transform_row('defs', t) r;
-- And for a model, with what its run learned.
SELECT osml_train('defs', '{"max_epochs": 1, "seed": 1}', 'defs model') > 0;
SELECT d.feature, d.column, abs(d.value - m.value) < 1e-12, d.code = m.code, d.category = m.category
	FROM defs_trips t, osml_transform_row('defs', t) d JOIN osml_transform_row('defs model', t) m USING (feature, "column")
	WHERE fare = 20;
SELECT feature, step, transform, inputs, implied FROM osml.model_definitions WHERE model = 'defs model' ORDER BY position;
SELECT params FROM osml.model_definitions WHERE model = 'defs model' AND feature = 'lat_bin';
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs', t) FROM (SELECT 1 AS lat) t$$);
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs model', t) FROM (SELECT 1 AS lat) t$$);
SELECT count(*) FROM osml_transform_row(NULL, ROW(1));

-- A change makes what was learned void, for what is made of it too.
UPDATE osml.definitions SET params = params || '{"bins": 5}' WHERE dataset = 'defs' AND feature = 'lat_bin';
SELECT feature, step FROM osml.definitions WHERE dataset = 'defs' AND fitted IS NULL ORDER BY position, step;
SELECT feature, count(*), count(count) FROM osml.bins WHERE dataset = 'defs' GROUP BY feature ORDER BY feature;
SELECT pg_temp.bins('defs', 'lat_bin');
UPDATE osml.definitions SET params = '{"quantile": 0.2}' WHERE dataset = 'defs' AND feature = 'far';
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs', t) FROM defs_trips t$$);
SELECT osml_create_dataset('defs plain', 'defs_trips', 'fare', '{miles,zip}') > 0;
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs plain', t) FROM defs_trips t$$);
SELECT osml_fit_features('defs plain');
SELECT r.* FROM (SELECT 3 AS miles, 'zip 1' AS zip) t, osml_transform_row('defs plain', t) r;

-- --- The view ---------------------------------------------------------------------

INSERT INTO osml.definitions (dataset, feature, step, transform, inputs, params)
	SELECT 'defs plain', feature, step, transform, inputs, params FROM osml.definitions
	WHERE dataset = 'defs' AND feature IN ('cell', 'lat_bin', 'lon_bin', 'miles')
	ORDER BY position DESC, step;
SELECT pg_temp.defs('defs plain');
SELECT pg_temp.bins('defs plain', 'lat_bin');
-- inputs and params have defaults, a step comes last
INSERT INTO osml.definitions (dataset, feature, transform) VALUES ('defs plain', 'lat2', 'log1p'),
	('defs plain', 'lat2', 'standardize');
UPDATE osml.definitions SET transform = 'clip', params = '{"lo": 1, "hi": 5}' WHERE dataset = 'defs plain' AND feature = 'lat2' AND step = 2;
UPDATE osml.definitions SET inputs = '{lat}' WHERE dataset = 'defs plain' AND feature = 'lat2' AND step = 1;
SELECT pg_temp.defs('defs plain');
DELETE FROM osml.definitions WHERE dataset = 'defs plain' AND feature = 'lat2' AND step = 1;
SELECT pg_temp.defs('defs plain');
-- RETURNING has the rows as they are stored.
BEGIN;
INSERT INTO osml.definitions (dataset, feature, step, transform) VALUES ('defs plain', 'lon2', NULL, 'log1p'), ('defs plain', 'lon2', 7, 'minmax')
	RETURNING feature, step, position, inputs, params, owner = current_user;
INSERT INTO osml.definitions (dataset, feature, step, transform) VALUES ('defs plain', 'at', 2, 'log1p'), ('defs plain', 'at', 1, 'minmax');
SELECT step, transform, inputs FROM osml.definitions WHERE dataset = 'defs plain' AND feature = 'at' ORDER BY step;
INSERT INTO osml.definitions (dataset, feature, transform, params) VALUES ('defs plain', 'half', 'sql', '{"expression": "lon2 / 2"}')
	RETURNING feature, step, position, inputs, params;
UPDATE osml.definitions SET params = NULL WHERE dataset = 'defs plain' AND feature = 'cell' RETURNING step, position, params;
ROLLBACK;
-- The order of rows does not matter, only what they make together.
DELETE FROM osml.definitions WHERE dataset = 'defs plain' AND feature <> 'lat2';
SELECT pg_temp.defs('defs plain');
SELECT count(*) FROM osml.bins WHERE dataset = 'defs plain' AND feature <> 'zip';
BEGIN;
SAVEPOINT one;
INSERT INTO osml.definitions (dataset, feature, transform) VALUES ('defs plain', 'lon2', 'log1p'), ('defs plain', 'lon2', 'logp');
ROLLBACK TO one;
DELETE FROM osml.definitions WHERE dataset = 'defs plain';
COMMIT;
SELECT pg_temp.defs('defs plain');

SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform) VALUES ('def', 'lat', 'log1p')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform) VALUES ('defs', NULL, 'log1p')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform) VALUES ('defs', '', 'log1p')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, step, transform) VALUES ('defs', 'lat', 0, 'log1p')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, step, transform) VALUES ('defs', 'miles', 1, 'log1p')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform, inputs) VALUES ('defs', 'miles', 'log1p', '{lat}')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, step, transform) VALUES ('defs', 'lon', 2, 'log1p')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, step, transform) VALUES ('defs', 'lon', 3, 'log1p'), ('defs', 'lon', 2, 'minmax')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform, inputs) VALUES ('defs', 'x', 'log1p', '{NULL}')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform, fitted) VALUES ('defs', 'lat', 'log1p', '{}')$$);
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform, params) VALUES ('defs', 'lat', 'log1p', '[]')$$);
SELECT pg_temp.outcome($$UPDATE osml.definitions SET feature = 'x' WHERE dataset = 'defs'$$);
SELECT pg_temp.outcome($$UPDATE osml.definitions SET params = '{"bins": 0}' WHERE dataset = 'defs' AND feature = 'lat_bin'$$);
SELECT pg_temp.outcome($$UPDATE osml.definitions SET transform = NULL WHERE dataset = 'defs' AND feature = 'lat_bin'$$);
SELECT pg_temp.outcome($$DELETE FROM osml.definitions WHERE dataset = 'defs' AND feature = 'lat_bin'$$);
SELECT pg_temp.outcome($$CREATE TRIGGER t BEFORE INSERT ON defs_trips FOR EACH ROW EXECUTE FUNCTION osml.definitions_change();
	INSERT INTO defs_trips VALUES (1)$$);

-- --- Drop and copy ----------------------------------------------------------------

SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', 'lat_bin')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', 'route')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', 'cel')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', 'nothing of the kind')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', 'miles', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', NULL)$$);
SELECT osml_drop_feature('defs', 'miles', 1);		-- the other step takes its inputs over
SELECT osml_drop_feature('defs', 'half');
SELECT osml_drop_feature('defs', 'hour');
SELECT osml_drop_feature('defs', 'at');
SELECT pg_temp.defs('defs');
SELECT osml_copy_features('defs', 'defs plain', ARRAY['cell', 'far']);		-- with what they are made of
SELECT pg_temp.defs('defs plain');
SELECT osml_transform('defs plain', 'far', 'log1p');
SELECT osml_copy_features('defs', 'defs plain');		-- all, in place of those there
SELECT pg_temp.defs('defs plain');
SELECT pg_temp.outcome($$SELECT osml_copy_features('defs', 'defs plain', '{cells}')$$);
SELECT pg_temp.outcome($$SELECT osml_copy_features('defs', 'defs', '{cell}')$$);
SELECT pg_temp.outcome($$SELECT osml_copy_features('defs', 'defs grind')$$);
SELECT osml_create_dataset('defs narrow', 'SELECT fare, lat FROM sdefs.defs_trips') > 0;
SELECT pg_temp.outcome($$SELECT osml_copy_features('defs', 'defs narrow', '{cell}')$$);
-- A grid that is shared stays so.
SELECT osml_bin('defs grid', ARRAY['lat', 'lat2'], 4);
SELECT osml_fit_features('defs grid');
SELECT osml_copy_features('defs grid', 'defs plain', '{lat2_bin}');
SELECT osml_copy_features('defs grid', 'defs plain', '{lat_bin}');
SELECT pg_temp.defs('defs plain');
SELECT osml_drop_feature('defs grid', 'lat_bin');		-- what is left must be learned again
SELECT pg_temp.defs('defs grid');

-- --- Errors ------------------------------------------------------------------------

SELECT pg_temp.outcome($$SELECT osml_bin('nothing of the kind', 'lat', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('def', 'lat', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', NULL::text, 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', '{}'::text[], 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', '{lat,lat}'::text[], 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', '{lat,lat2}'::text[], 3, name => 'x')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3, 'wide')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3, lo => 'Infinity')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3, lo => 2, hi => 1)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', edges => '{1,NULL}')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', edges => '{2,1}')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3, outside => 'drop')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'latt', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'zip', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3, name => 'far')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3, name => 'fare')$$);
SELECT pg_temp.outcome($$SELECT osml_cross('defs', 'far', '{lat_bin,lon_bin}')$$);
SELECT pg_temp.outcome($$SELECT osml_cross('defs', 'c', '{lat_bin,lon}')$$);
SELECT pg_temp.outcome($$SELECT osml_cross('defs', 'c', '{lat_bin,lom_bin}')$$);
SELECT pg_temp.outcome($$SELECT osml_cross('defs', 'c', '{lat_bin,lon_bin,lat_bin}')$$);
SELECT pg_temp.outcome($$SELECT osml_cross('defs', 'c', NULL)$$);
SELECT pg_temp.outcome($$SELECT osml_cross('defs', 'cell', '{cell,lat_bin}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'lat', 'log')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'lat', 'clip', '{"low": 1}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'lat', 'clip', '{"lo": "x"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'lat', 'clip', '[1]')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'x', 'log1p', '{"input": 1}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'x', 'log1p', '{"inputs": [1]}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'x', 'log1p', '{"inputs": ["lat"], "input": "lat"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'x', 'log1p', '{"inputs": ["lat", "lon"]}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'x', 'log1p')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'fare', 'log1p', '{"input": "lat"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'far', 'log1p', '{"input": "lat"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'far', 'sql', '{"expression": "lat"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'x', 'sql', '{"expression": "lat +"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'x', 'sql', '{}')$$);
SELECT pg_temp.outcome($$SELECT osml_apply_bins('defs', 'lat_bun', 1)$$);
SELECT pg_temp.outcome($$SELECT osml_apply_bins('defs', 'nothing of the kind', 1)$$);
SELECT osml_bin('defs', 'lat', 7, name => 'lat_fine');
SELECT pg_temp.outcome($$SELECT osml_apply_bins('defs', 'lat', 1)$$);
SELECT pg_temp.outcome($$SELECT osml_apply_bins('def', 'lat', 1)$$);
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs mode', t) FROM defs_trips t$$);
SELECT pg_temp.outcome($$SELECT osml_fit_features('def')$$);
BEGIN READ ONLY;
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', 'lat_bin')$$);
SELECT pg_temp.outcome($$DELETE FROM osml.definitions WHERE dataset = 'defs'$$);
SELECT pg_temp.outcome($$SELECT osml_fit_features('defs')$$);
COMMIT;

-- Values are read as hyperparameters are: numbers and lists may be strings.
SELECT osml_create_dataset('defs forms', 'defs_trips', 'fare') > 0;
SELECT osml_transform('defs forms', 'a', 'bin', '{"input": "lat", "bins": "3", "lo": " 38.25 ", "hi": 39}');
SELECT osml_transform('defs forms', 'b', 'bin', '{"input": "lat", "method": "EDGES", "edges": " [38, \"38.5\", 39]"}');
SELECT osml_transform('defs forms', 'c', 'category', '{"input": "zip", "categories": "[\"zip 1\"]"}');
SELECT osml_transform('defs forms', 'd', 'impute', '{"input": "lat", "flag": "yes", "value": null}');
SELECT pg_temp.bins('defs forms', f) FROM unnest('{a,b,c}'::text[]) f;
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'bin', '{"input": "lat", "method": "edges", "edges": "38"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'cyclic', '{"input": "lat", "period": -1}')$$);
-- a category is one code; what is no text is none
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'category', '{"input": "zip", "categories": ["zip 2", "zip 1", "zip 2"]}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'category', '{"input": "zip", "categories": "[\"\", \"\"]"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'category', '{"input": "zip", "categories": ["1", 1]}')$$);
SELECT pg_temp.outcome($$UPDATE osml.definitions SET params = '{"categories": ["a", "A", "a"]}' WHERE dataset = 'defs forms' AND feature = 'c'$$);
-- a long value is cut between characters
SELECT pg_temp.outcome(format($$SELECT osml_transform('defs forms', 'e', 'clip', '{"input": "lat", "lo": "x%s"}')$$, repeat('é', 50)));
SELECT pg_temp.outcome(format($$SELECT osml_cross('defs forms', 'e', %L)$$, array_fill('a'::text, ARRAY[17])));
-- Nothing is made of what is to be predicted.
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'log1p', '{"input": "fare"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'category', '{"input": "fare"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs forms', 'e', 'sql', '{"expression": "lat + fare"}')$$);
-- An error in an expression says whose it is.
SELECT osml_transform('defs forms', 'e', 'sql', '{"expression": "latt + 1"}');
-- An expression gives one value, made of the row.
SELECT e, pg_temp.outcome(format($$SELECT osml_transform('defs forms', 'f', 'sql', %L)$$, jsonb_build_object('expression', e)))
	FROM unnest(ARRAY['generate_series(1, 3)', 'unnest(ARRAY[lat, lon])', 'sum(lat)', 'row_number() OVER ()', '(SELECT 1)',
		'lat + random()', 'lat AS f', 'lat, lon', '*', 'lat.*', '(lat).*', 'abs(lat.*)', 'lat; SELECT 1', 'DISTINCT lat', '']) e;
-- What is copied along is what is read: not a feature that hides a column.
SELECT osml_transform('defs forms', 'lat', 'standardize');
SELECT osml_transform('defs forms', 'zip', 'category', '{"max_categories": 2}');
SELECT osml_cross('defs forms', 'ab', '{a,zip}');
SELECT osml_create_dataset('defs copy', 'defs_trips', 'fare') > 0;
SELECT osml_copy_features('defs forms', 'defs copy', '{ab}');
SELECT pg_temp.defs('defs copy');
-- A statement within a statement does not change what that one changes.
CREATE FUNCTION pg_temp.within(d text, f text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO osml.definitions (dataset, feature, transform, inputs) VALUES (d, f, 'log1p', '{lat}');
	RETURN 'log1p';
END
$$;
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform, inputs)
	SELECT 'defs copy', f, pg_temp.within('defs copy', f || ' inner'), '{lat}' FROM unnest('{l1,l2}'::text[]) f$$);
INSERT INTO osml.definitions (dataset, feature, transform, inputs)
	SELECT 'defs copy', f, pg_temp.within('defs forms', f || ' inner'), '{lat}' FROM unnest('{l1,l2}'::text[]) f;
SELECT dataset, feature FROM osml.definitions WHERE feature ~ '^l[12]' ORDER BY 1, 2;

-- --- Nothing to learn from ---------------------------------------------------------------

-- A value that several quantiles fall on is a bin of its own, and what is as frequent as a bin.
CREATE TABLE defs_ties AS SELECT i::float8 AS y, i % 2 AS flag, CASE WHEN i % 10 = 0 THEN i / 2000.0 ELSE 0 END AS low, CASE WHEN i % 10 = 0 THEN i / 2000.0 ELSE 9 END AS high, i % 10 AS ten, i % 3 AS three, 4 AS one, i AS spread FROM generate_series(1, 1000) i;
SELECT osml_create_dataset('defs ties', 'defs_ties', 'y', '{spread}') > 0;
SELECT osml_bin('defs ties', f, CASE f WHEN 'ten' THEN 50 WHEN 'three' THEN 3 ELSE 4 END, method => 'quantile') FROM unnest('{flag,low,high,ten,three,one,spread}'::text[]) f;
SELECT osml_fit_features('defs ties');
SELECT feature, count(*), string_agg(round(low::numeric, 4)::text, ' ' ORDER BY bin) AS low, string_agg(count::text, ' ' ORDER BY bin) AS count FROM osml.bins WHERE dataset = 'defs ties' AND count > 0 GROUP BY feature ORDER BY feature;
SELECT osml_drop_dataset('defs ties');
DROP TABLE defs_ties;
-- Other columns are fitted all the same; a run has nothing it could go by.
CREATE TABLE defs_empty AS SELECT i::float8 AS y, i % 7 AS x, NULL::float8 AS e, 'NaN'::float8 AS n,
	NULL::text AS w FROM generate_series(1, 100) i;
SELECT osml_create_dataset('defs empty', 'defs_empty', 'y', '{x}') > 0;
SELECT osml_bin('defs empty', 'x', 2), osml_bin('defs empty', 'e', 3);
SELECT osml_bin('defs empty', 'n', 3, method => 'quantile');
SELECT osml_transform('defs empty', f, transform, params) FROM (VALUES
	('mean', 'impute', '{"input": "e"}'::jsonb), ('median', 'impute', '{"input": "e", "method": "median"}'),
	('std', 'standardize', '{"input": "e"}'), ('range', 'minmax', '{"input": "e"}'),
	('clipped', 'clip', '{"input": "e", "quantile": 0.1}'), ('none', 'sql', '{"expression": "e + 1"}'),
	('word', 'category', '{"input": "w"}'), ('given', 'impute', '{"input": "e", "method": "constant", "value": 3}')) v (f, transform, params);
SELECT osml_transform('defs empty', 'none', 'standardize');
SELECT osml_transform('defs empty', 'mean', 'standardize');
SELECT osml_cross('defs empty', 'both', '{x_bin,e_bin}');
SELECT count(*) FROM osml_analyze('defs empty');
SELECT osml_fit_features('defs empty');
-- what is made up is not stored
SELECT feature, step, fitted FROM osml.definitions WHERE dataset = 'defs empty' ORDER BY 1, 2;
SELECT DISTINCT feature FROM osml.bins WHERE dataset = 'defs empty' ORDER BY 1;
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs empty', t) FROM defs_empty t$$);
SELECT pg_temp.outcome(format($$SELECT osml_train('defs empty', '{"features": [%s], "max_epochs": 1}')$$, to_json(f)))
	FROM unnest('{e_bin,n_bin,mean,median,std,range,clipped,none,word,both}'::text[]) f;
-- values that were there once are forgotten
UPDATE defs_empty SET e = y;
SELECT osml_drop_feature('defs empty', f) FROM unnest('{n_bin,word}'::text[]) f;
SELECT osml_fit_features('defs empty');
SELECT count(*) FROM osml.definitions WHERE dataset = 'defs empty' AND fitted IS NULL;
UPDATE defs_empty SET e = 'Infinity';
SELECT osml_drop_feature('defs empty', f) FROM unnest('{both,mean,median,std,range,clipped,none}'::text[]) f;
SELECT osml_fit_features('defs empty');
SELECT feature, fitted FROM osml.definitions WHERE dataset = 'defs empty' AND feature = 'e_bin';
SELECT osml_drop_feature('defs empty', 'e_bin');
UPDATE defs_empty SET e = NULL;
SELECT osml_train('defs empty', '{"max_epochs": 1}', 'defs empty') > 0;
SELECT osml_drop_model('defs empty'), osml_drop_dataset('defs empty');
-- a text column that nobody defined is one category: NULL
SELECT osml_train('SELECT y, x, w FROM defs_empty', '{"label": "y", "max_epochs": 1}', 'defs empty') > 0;
SELECT osml_drop_model('defs empty');
DROP TABLE defs_empty;

-- --- Other roles see nothing and change nothing ----------------------------------------

CREATE ROLE osml_defs_reader;
GRANT USAGE ON SCHEMA sdefs TO osml_defs_reader;
GRANT SELECT ON defs_trips TO osml_defs_reader;
SET ROLE osml_defs_reader;
SELECT count(*) FROM osml.definitions;
SELECT count(*) FROM osml.bins;
SELECT count(*) FROM osml.model_definitions;
UPDATE osml.definitions SET params = '{}';
DELETE FROM osml.definitions;
SELECT pg_temp.outcome($$INSERT INTO osml.definitions (dataset, feature, transform) VALUES ('defs', 'lat', 'log1p')$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs', 'lat', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_cross('defs', 'c', '{lat_bin,lon_bin}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs', 'lat', 'log1p')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_feature('defs', 'cell')$$);
SELECT pg_temp.outcome($$SELECT osml_copy_features('defs', 'defs')$$);
SELECT pg_temp.outcome($$SELECT osml_fit_features('defs')$$);
SELECT pg_temp.outcome($$SELECT osml_apply_bins('defs', 'lat', 1)$$);
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs', t) FROM defs_trips t$$);
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs model', t) FROM defs_trips t$$);
SELECT pg_temp.outcome($$SELECT * FROM osml.definition$$);
SELECT pg_temp.outcome($$SELECT * FROM osml.bin$$);
RESET ROLE;
SELECT osml_grant('defs model', 'osml_defs_reader', 'predict');
SET ROLE osml_defs_reader;
SELECT count(*) > 0 FROM osml.model_definitions;
SELECT count(*) FROM (SELECT * FROM defs_trips LIMIT 1) t, osml_transform_row('defs model', t);
SELECT osml_create_dataset('defs theirs', 'defs_trips', 'fare') > 0;
SELECT osml_transform('defs theirs', 'half', 'sql', '{"expression": "miles / 2"}');
RESET ROLE;
-- Seen by a superuser, but changed by its owner only: its text runs as its owner.
SELECT pg_temp.defs('defs theirs');
SELECT pg_temp.outcome($$UPDATE osml.definitions SET params = '{"expression": "1"}' WHERE dataset = 'defs theirs'$$);

-- Whoever can become its owner is told how, and is not offered the name that was typed, or one that is not to be used.
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs theirs', t) FROM defs_trips t$$);
SELECT pg_temp.outcome($$SELECT osml_transform_row('defs their', t) FROM defs_trips t$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs theirs', 'miles', 3)$$);
SELECT pg_temp.outcome($$SELECT osml_bin('defs their', 'miles', 3)$$);
SELECT pg_temp.outcome(format('SELECT %s', call)) FROM unnest('{osml_train($$defs theirs$$),osml_analyze($$defs theirs$$),
	osml_feature_report($$defs theirs$$),"osml_evaluate($$defs model$$, $$defs theirs$$)"}'::text[]) call;
SELECT pg_temp.outcome($$SELECT osml_predict('defs theirs', t) FROM defs_trips t$$);
SELECT pg_temp.outcome($$SELECT osml_drop_dataset('defs their')$$);

-- --- The list of transforms ------------------------------------------------------------

-- one query may make and use a data set, and what it changed is what it sees
SELECT osml_create_dataset('defs same', 'SELECT i AS y, i::float8 AS x FROM generate_series(1, 9) i', features => '{x}') > 0,
	osml_transform('defs same', 'x', 'log1p'), (SELECT value::numeric(9, 6) FROM osml_transform_row('defs same', (SELECT r FROM (SELECT 1::float8 AS x) r)));

-- a flag ends its feature's steps, and takes no other feature's name, whichever was first, nor that of a column that is one
SELECT osml_create_dataset('defs flag', 'SELECT 1 AS y, 2 AS x, 3 AS x_missing', features => '{x}') > 0;
SELECT pg_temp.outcome($$SELECT osml_transform('defs flag', 'x', 'impute', '{"flag": true}'), osml_transform('defs flag', 'x', 'standardize')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs flag', 'x', 'impute', '{"flag": true}'), osml_transform('defs flag', 'x_missing', 'sql', '{"expression": "x * 2"}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs flag', 'x_missing', 'sql', '{"expression": "x * 2"}'), osml_transform('defs flag', 'x', 'impute', '{"flag": true}')$$);
SELECT pg_temp.outcome($$SELECT osml_transform('defs flag', 'x', 'standardize'), osml_transform('defs flag', 'x', 'impute', '{"flag": true}')$$), osml_drop_dataset('defs flag');
SELECT pg_temp.outcome($$SELECT osml_create_dataset('defs flag', 'SELECT 1 AS y, 2 AS x, 3 AS x_missing'), osml_transform('defs flag', 'x', 'impute', '{"flag": true}')$$);
SET client_min_messages = notice;
-- a model of the dataset's name stands in for it until it is fitted, and says so
CREATE TABLE defs_both AS SELECT i AS y, i::float8 AS x FROM generate_series(1, 50) i;
SELECT osml_create_dataset('defs both', 'defs_both') > 0, osml_bin('defs both', 'x', 2), osml_train('defs both', '{"max_epochs": 1}') > 0;
SELECT osml_bin('defs both', 'x', 5);
SELECT t.x, r.category FROM defs_both t, osml_transform_row('defs both', t) r WHERE x IN (1, 50) ORDER BY 1;
SELECT osml_analyze('defs both') \g /dev/null
SELECT t.x, r.category FROM defs_both t, osml_transform_row('defs both', t) r WHERE x IN (1, 50) ORDER BY 1;

-- what is there already is changed where it stands, and a source that is gone keeps no definition
CREATE TABLE defs_gone AS SELECT i::float8 AS y, i::float8 AS a, i::float8 AS b FROM generate_series(1, 9) i;
SELECT osml_create_dataset('defs gone', 'defs_gone') > 0;
SELECT osml_transform('defs gone', 'a', 'clip', '{"lo": 0, "hi": 9}'), osml_transform('defs gone', 'a', 'log1p'),
	osml_transform('defs gone', 'a', 'clip', '{"lo": 0, "hi": 9}'), osml_transform('defs gone', 'a', 'clip', '{"lo": 2, "hi": 5}');
SET client_min_messages = warning;
INSERT INTO osml.definitions (dataset, feature, step, transform, params) VALUES ('defs gone', 'a', 3, 'clip', '{"lo": 0, "hi": 1}');
SELECT osml_cross('defs gone', 'cell', '{a_bin,b_bin}') FROM (SELECT osml_bin('defs gone', 'a', 3, name => 'a_bin'), osml_bin('defs gone', 'b', 3)) s;
SELECT feature, step, transform, params FROM osml.definitions WHERE dataset = 'defs gone' AND feature = 'a';
ALTER TABLE defs_gone RENAME TO defs_lost;
SELECT pg_temp.outcome(format('SELECT osml_drop_feature(''defs gone'', %L)', feature)) FROM unnest('{a_bin,cell,a_bin,b_bin,a}'::text[]) feature;
SELECT pg_temp.outcome($$SELECT osml_transform('defs gone', 'a', 'log1p')$$);
SELECT feature FROM osml.definitions WHERE dataset = 'defs gone';
DROP TABLE defs_lost;

-- what a renamed column broke is mended feature by feature, whatever else is broken; names still must differ
CREATE TABLE defs_parts AS SELECT i::float8 AS y, i::float8 AS x, i::float8 AS z, i % 3 AS x_flag FROM generate_series(1, 9) i;
SELECT osml_create_dataset('defs parts', 'defs_parts') > 0;
SELECT osml_transform('defs parts', 'x', 'sql', '{"expression": "x / z"}'), osml_transform('defs parts', 'x_of_z', 'sql', '{"expression": "z + 1"}');
ALTER TABLE defs_parts RENAME z TO z2;
ALTER TABLE defs_parts ADD x_span interval;
UPDATE osml.definitions SET params = '{"expression": "x / z2"}' WHERE dataset = 'defs parts' AND feature = 'x';
SELECT osml_transform('defs parts', 'x', 'impute', '{"flag": true, "method": "mean"}');
SELECT pg_temp.outcome($$SELECT osml_transform('defs parts', 'x_missing', 'sql', '{"expression": "x_flag"}')$$);
SELECT pg_temp.outcome($$SELECT osml_train('defs parts')$$);
UPDATE osml.definitions SET params = '{"expression": "z2 + 1"}' WHERE dataset = 'defs parts' AND feature = 'x_of_z';
SELECT osml_transform('defs parts', 'x_span', 'sql', '{"expression": "extract(epoch from x_span)"}');
SELECT feature, step, transform FROM osml.definitions WHERE dataset = 'defs parts' ORDER BY position, step;

SELECT name, parameter, type, "default", range FROM osml_transforms() WHERE name IN ('bin', 'hash', 'log1p', 'impute', 'sql');
SELECT count(DISTINCT name), bool_and(meaning <> '') FROM osml_transforms();

SELECT osml_drop_dataset(d) FROM unnest('{defs,defs grid,defs plain,defs narrow,defs theirs,defs forms,defs copy,defs same,defs gone,defs both,defs parts}'::text[]) d;
SELECT count(*) FROM osml.definitions WHERE dataset LIKE 'defs%';
SELECT count(*) FROM osml.bins WHERE dataset LIKE 'defs%';
SELECT osml_drop_model(m) FROM unnest('{defs model,defs both}'::text[]) m;
DROP SCHEMA sdefs CASCADE;
DROP ROLE osml_defs_reader;
