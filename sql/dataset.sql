-- Data sets: names for sources, columns and defaults.
CREATE SCHEMA sdata;
SET search_path = sdata, public;
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only
\pset null '(null)'

-- Train by least squares, and say what came out: model, weights, rows.
CREATE FUNCTION pg_temp.learn(source text, hparams jsonb DEFAULT '{}', model text DEFAULT NULL)
	RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	run bigint := osml_train(source, '{"optimizer": "exact"}' || hparams, model);
BEGIN
	RETURN (SELECT format('model %s: %s; %s rows', v.model,
			string_agg(concat(w.feature, ' ', round(w.weight::numeric, 6)::double precision), ', '
				ORDER BY w.position), concat_ws('+', v.train_rows, v.val_rows, v.test_rows))
		FROM osml.models v JOIN osml.weights w USING (model, version)
		WHERE v.run_id = run GROUP BY v.model, v.train_rows, v.val_rows, v.test_rows);
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

CREATE TABLE trips AS
	SELECT i AS id, (2 * i + 3 * (i % 7) + 5 * (i % 11) + 1)::float8 AS fare, i AS miles,
		i % 7 AS people, i % 11 AS tolls, '[]'::json AS note
	FROM generate_series(1, 300) i;
CREATE VIEW new_trips AS SELECT * FROM trips WHERE id > 250;

-- --- Forms ---------------------------------------------------------------------

CREATE TABLE bare AS SELECT fare, miles, people, tolls FROM trips;
SELECT osml_create_dataset('by relation', 'bare') > 0;
SELECT pg_temp.learn('by relation');
SELECT osml_create_dataset('labelled', 'sdata.bare', 'tolls') > 0;
SELECT pg_temp.learn('labelled');
SELECT osml_create_dataset('full', 'trips', 'fare', ARRAY['miles', 'people', 'tolls'], 'new_trips',
	'SELECT * FROM trips WHERE id < 11', '{"log_every_n_steps": 7, "scale": "none"}') > 0;
SELECT pg_temp.learn('full');
SELECT osml_create_dataset(name => 'by query', train => 'SELECT 3 * miles AS triple, miles FROM trips;',
	test => 'SELECT 3 * miles AS triple, miles FROM trips LIMIT 20') > 0;
SELECT pg_temp.learn('by query');
SELECT osml_create_dataset('val only', 'trips', 'fare', '{tolls,miles,people}', val => 'new_trips') > 0;
SELECT pg_temp.learn('val only');
SELECT osml_create_dataset('ordered', 'trips', features => '{tolls,miles}', label => 'fare') > 0;
SELECT feature, position FROM osml.weights WHERE model = 'val only' ORDER BY position;
SELECT osml_create_dataset('"Odd" name; of .a dataset', 'bare') > 0;
SELECT pg_temp.learn('"Odd" name; of .a dataset');

SELECT dataset, owner = current_user AS mine, train, val, test, label, features, options
	FROM osml.datasets ORDER BY created_at, dataset COLLATE "C";

-- Relations are kept by their qualified name: search_path may change.
SET search_path = public;
SELECT pg_temp.learn('val only');
SELECT pg_temp.outcome($$SELECT osml_train('full')$$);		-- but its test query is text
SET search_path = sdata, public;
ALTER TABLE bare RENAME TO bare2;
SELECT pg_temp.outcome($$SELECT osml_train('by relation')$$);
ALTER TABLE bare2 RENAME TO bare;

-- A dataset goes before a relation of its name, and the model is named after it.
SELECT osml_create_dataset('trips', 'SELECT 7 * id AS y, id FROM trips') > 0;
SELECT pg_temp.learn('trips');
SELECT pg_temp.learn('trips', model => 'other');
SELECT pg_temp.learn('sdata.trips', '{"label": "fare", "features": ["miles"]}') LIKE 'model trips: %';
-- Its name is not folded.
SELECT osml_create_dataset('TRIPS', 'SELECT 8 * id AS y, id FROM trips') > 0;
SELECT pg_temp.learn('TRIPS');

-- --- Options are defaults, which a call overrides --------------------------------

SELECT osml_create_dataset('defaults', 'bare',
	options => '{"label": "fare", "features": ["miles"], "max_batches": 30, "batch_size": 10, "lr": "0.5", "optimizer": "sgd"}') > 0;
SELECT osml_train('defaults') > 0;
SELECT osml_train('defaults', '{"lr": 0.25, "limit_train_batches": 12}') > 0;
SELECT osml_train('defaults', '{"features": ["tolls", "people"], "label": "miles", "max_batches": null, "max_epochs": 1}') > 0;
SELECT hparams -> 'optimizer', hparams -> 'lr', hparams -> 'max_batches', hparams -> 'batch_size', steps,
	(SELECT string_agg(feature, ',' ORDER BY position) FROM osml.features f WHERE f.model = r.model AND f.version = r.version)
	FROM osml.runs r WHERE dataset = 'defaults' ORDER BY run_id;
-- Label and features among them are the dataset's own.
SELECT label, features FROM osml.datasets WHERE dataset = 'defaults';
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', 'fare', options => '{"label": "miles"}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', features => '{miles}', options => '{"features": ["tolls"]}')$$);

-- --- Drop ------------------------------------------------------------------------

SELECT osml_drop_dataset('by relation');
SELECT count(*) FROM osml.datasets WHERE dataset = 'by relation';
SELECT count(*) FROM osml.runs WHERE dataset = 'by relation';		-- its runs stay
SELECT count(*) FROM osml.models WHERE model = 'by relation';		-- its model, too
SELECT osml_drop_dataset('trips');
SELECT pg_temp.outcome($$SELECT osml_train('trips', '{"label": "fare"}')$$);
SELECT osml_create_dataset('by relation', 'trips', 'fare', '{miles}') > 0;
BEGIN;
SELECT osml_drop_dataset('full');
ROLLBACK;
SELECT count(*) FROM osml.datasets WHERE dataset = 'full';
SELECT osml_drop_dataset(NULL);

-- One that is not yet committed is found by the call itself.
BEGIN;
SELECT osml_create_dataset('fleeting', 'bare') > 0;
SELECT pg_temp.learn('fleeting');
ROLLBACK;
SELECT count(*) FROM osml.datasets WHERE dataset = 'fleeting';

-- --- Errors ------------------------------------------------------------------------

SELECT pg_temp.outcome($$SELECT osml_create_dataset('full', 'bare')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('', 'bare')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset(NULL, 'bare')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', NULL)$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'nowhere')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 's3://bucket/*.csv')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'full')$$);		-- no dataset of datasets
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'SELECT 1; SELECT 2')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'fair')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'note')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'fare')$$);	-- note is json
-- All columns that cannot be used are named, and the others to choose; osml_train says the same.  A definition can use them.
CREATE VIEW odd AS SELECT fare, people, tolls AS "to\ll", note, tolls * interval '1 minute' AS took, point(people, tolls) AS place FROM trips;
SELECT pg_temp.outcome($$SELECT osml_create_dataset('odd', 'odd', 'fare')$$);
SELECT pg_temp.outcome($$SELECT osml_train('odd', '{"label": "fare"}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('odd', 'SELECT fare, note, took FROM sdata.odd', 'fare')$$);
SELECT osml_create_dataset('odd', 'odd', 'fare', options => '{"features": ["people", "to\\ll"]}') > 0;
SELECT osml_transform('odd', 'minutes', 'sql', '{"expression": "extract(epoch FROM took) / 60"}');
SELECT osml_transform('odd', 'note', 'sql', '{"expression": "json_array_length(note)"}');
SELECT osml_train('odd', '{"max_epochs": 1}') > 0;
SELECT feature FROM osml.features WHERE model = 'odd' ORDER BY position;
SELECT osml_drop_dataset('odd'), osml_drop_model('odd');
DROP VIEW odd;
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'fare', '{miles,peopel}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'fare', '{miles,miles}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'fare', '{miles,fare}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'fare', '{miles,NULL}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', 'fare', '{}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'trips', '', '{miles}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', val => 'nowhere')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', val => 'SELECT fare, miles, people FROM trips')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', test => 'SELECT fare, miles, people, tolls::text FROM trips')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', test => 'SELECT miles, people, tolls FROM trips')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', options => '{"learning_rate": 1}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', options => '{"lr": -1}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', options => '[]')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', options => 'null')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', options => '{"label": "fair"}')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare', options => '{"features": ["mils"]}')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_dataset('fool')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_dataset('nothing of the kind')$$);
SELECT pg_temp.outcome($$SELECT osml_train('full', '{"val_fraction": 0.2}')$$);
BEGIN READ ONLY;
SELECT pg_temp.outcome($$SELECT osml_create_dataset('d', 'bare')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_dataset('full')$$);
COMMIT;
SELECT count(*) FROM osml.datasets WHERE dataset = 'd';

-- A source that changed after the dataset was made is judged anew.
CREATE TABLE moving AS SELECT fare, miles, people FROM trips;
CREATE VIEW moving_val AS SELECT fare, miles, people AS persons FROM trips;
SELECT osml_create_dataset('moving', 'moving', val => 'SELECT fare, miles, persons AS people FROM moving_val') > 0;
ALTER TABLE moving RENAME people TO person;
SELECT pg_temp.outcome($$SELECT osml_train('moving')$$);
DROP TABLE moving;
SELECT pg_temp.outcome($$SELECT osml_train('moving')$$);

-- --- Owners --------------------------------------------------------------------------

CREATE ROLE osml_sdata_reader;
GRANT USAGE ON SCHEMA sdata TO osml_sdata_reader;
GRANT SELECT ON bare TO osml_sdata_reader;
SET ROLE osml_sdata_reader;
SELECT count(*) FROM osml.datasets;
SELECT pg_temp.outcome($$SELECT osml_train('full')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('full', 'bare')$$);
SELECT pg_temp.outcome($$SELECT osml_drop_dataset('full')$$);
SELECT pg_temp.outcome($$SELECT osml_create_dataset('theirs', 'trips', 'fare', '{miles}')$$);
SELECT osml_create_dataset('theirs', 'bare') > 0;
SELECT dataset FROM osml.datasets;
RESET ROLE;
SELECT pg_temp.outcome($$SELECT osml_train('theirs')$$);		-- its text runs for its owner only
SELECT pg_temp.outcome($$SELECT osml_create_dataset('theirs', 'bare')$$);
-- Somebody's dataset does not hide a relation.
SET ROLE osml_sdata_reader;
SELECT osml_create_dataset('bare', 'SELECT 1 AS y, 2 AS x') > 0;
RESET ROLE;
SELECT pg_temp.learn('bare');
SELECT osml_drop_dataset('theirs');
SELECT osml_drop_dataset('bare');

DO $$ BEGIN
	PERFORM osml_drop_dataset(dataset) FROM osml.datasets;
	PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s;
END $$;
DROP SCHEMA sdata CASCADE;
DROP ROLE osml_sdata_reader;
