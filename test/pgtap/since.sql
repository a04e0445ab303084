-- since.sql: runs that read only what is newer than the last run's rows.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(70);

\ir lib/error_of.sql
CREATE FUNCTION newest(name text) RETURNS osml.runs LANGUAGE sql AS $$ SELECT r FROM osml.runs r WHERE r.model = $1 ORDER BY run_id DESC LIMIT 1 $$;
CREATE FUNCTION rows_of(name text) RETURNS int LANGUAGE sql RETURN ((newest($1)).summary ->> 'train_rows')::int;
CREATE FUNCTION since_of(name text) RETURNS text LANGUAGE sql RETURN (newest($1)).summary #>> '{since,value}';

-- --- one run after another ---------------------------------------------------------------

CREATE TABLE trips (fare float8, miles float8, at timestamptz);
INSERT INTO trips SELECT 2 * i % 7, i % 7, '2026-01-01 00:00+00'::timestamptz + i * interval '1 hour' FROM generate_series(1, 50) i;
INSERT INTO trips SELECT 1, 1, NULL FROM generate_series(1, 5);
SELECT osml_train('trips', '{"since": "at", "warm_start": true, "max_epochs": 3}') > 0 AS ran \gset
SELECT is(rows_of('trips'), 50, 'the first run reads all rows that have a value'), is(since_of('trips'), '2026-01-03 02:00:00+00', 'and keeps the greatest'),
	is((newest('trips')).hparams ->> 'since', 'at', 'the stored set names the column'), is((newest('trips')).summary #>> '{since,column}', 'at', 'so does the summary'),
	is((newest('trips')).summary #>> '{since,type}', 'pg_catalog.timestamptz'::regtype::text, 'with its type') ;
SELECT is(array_agg(feature ORDER BY position), '{miles}', 'it is no feature') FROM osml.features WHERE model = 'trips';
-- nothing new
SET client_min_messages = error;
SELECT is(osml_train('trips', '{"since": "at", "warm_start": true, "max_epochs": 3}'), NULL, 'without new rows nothing is trained');
SET client_min_messages = warning;
SELECT is(count(*), 1::bigint, 'there is no run of it') FROM osml.runs WHERE model = 'trips';
SELECT is(count(*), 1::bigint, 'nor a version') FROM osml.models WHERE model = 'trips';
SELECT matches(message, 'no row of relation public.trips has a "at" above 2026-01-03 02:00:00\+00', 'osml_check says so') FROM osml_check('trips', '{"since": "at", "warm_start": true}') WHERE "check" = 'since';
-- new ones, whatever the session's settings
SET DateStyle = 'SQL, DMY';
SET TimeZone = 'Asia/Tokyo';
INSERT INTO trips SELECT 2 * i % 7, i % 7, '2026-01-01 00:00+00'::timestamptz + i * interval '1 hour' FROM generate_series(51, 60) i;
INSERT INTO trips VALUES (3, 3, NULL), (4, 4, '2025-12-31 00:00+00');
SELECT is(verdict, 'ok', 'osml_check reads new rows') FROM osml_check('trips', '{"since": "at", "warm_start": true}') WHERE "check" = 'reading' AND figure = 10;
SELECT osml_train('trips', '{"since": "at", "warm_start": true, "max_epochs": 3}') > 0 AS ran \gset
SELECT is(rows_of('trips'), 10, 'the next run reads the new ones'), is(since_of('trips'), '2026-01-03 12:00:00+00', 'and keeps the greatest in the same form');
RESET DateStyle;
RESET TimeZone;
-- a run that ends badly moves nothing
INSERT INTO trips VALUES (1, 1, '2026-02-01 00:00+00'), (2, 'NaN', '2026-02-01 00:00:01+00');
SELECT matches(error_of($$SELECT osml_train('trips', '{"since": "at", "warm_start": true, "max_epochs": 3}')$$), '"miles" is NaN', 'a run fails');
DELETE FROM trips WHERE miles = 'NaN';
SELECT osml_train('trips', '{"since": "at", "warm_start": true, "fast_dev_run": true}') > 0 AS ran \gset
SELECT osml_train('trips', '{"since": "at", "warm_start": true, "max_epochs": 3}') > 0 AS ran \gset
SELECT is(rows_of('trips'), 1, 'the next reads its rows again');
-- an older version has older rows behind it
INSERT INTO trips VALUES (1, 1, '2026-02-02 00:00+00');
SELECT osml_train('trips', '{"since": "at", "warm_start": 1, "max_epochs": 3}') > 0 AS ran \gset
SELECT is(rows_of('trips'), 12, 'from version 1 on: what came after it');
-- without warm_start: after the newest version, from new weights
INSERT INTO trips VALUES (1, 1, '2026-02-03 00:00+00'), (2, 2, '2026-02-03 01:00+00');
SELECT osml_train('trips', '{"since": "at", "max_epochs": 3}') > 0 AS ran \gset
SELECT is(rows_of('trips'), 2, 'without warm_start: after the newest version');
-- another model begins with all
SELECT osml_train('trips', '{"since": "at", "max_epochs": 3}', 'others') > 0 AS ran \gset
SELECT is(rows_of('others'), (SELECT count(at)::int FROM trips), 'another model begins with all');
SELECT is(figure, (SELECT count(at)::float8 FROM trips), 'osml_check goes by the model that is named') FROM osml_check('trips', '{"since": "at"}', 'a third') WHERE "check" = 'reading';
SELECT is(count(*), 1::bigint, 'and finds nothing new for the one that has read all') FROM osml_check('trips', '{"since": "at"}', 'others') WHERE "check" = 'since';
-- readers, passes that are read again, held-out rows: the same rows
INSERT INTO trips SELECT i % 5, i % 7, '2026-03-01 00:00+00'::timestamptz + i * interval '1 s' FROM generate_series(1, 60000) i;
SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
SELECT osml_train('trips', '{"since": "at", "warm_start": true, "max_epochs": 2, "num_workers": 2}', 'others') > 0 AS ran \gset
RESET osml.max_memory;
RESET osml.max_spill;
SELECT is(rows_of('others'), 60000, 'by readers, again each epoch'), is((newest('others')).summary ->> 'reread', 'true', 'they were read again'), is((newest('others')).rows_seen, 120000::bigint, 'twice');
INSERT INTO trips SELECT i % 5, i % 7, '2026-04-01 00:00+00'::timestamptz + i * interval '1 s' FROM generate_series(1, 1000) i;
SELECT osml_train('trips', '{"since": "at", "warm_start": true, "max_epochs": 2, "val_fraction": 0.3, "features": ["miles"]}', 'others') > 0 AS ran \gset
SELECT is(train_rows + val_rows, 1000::bigint, 'with rows held out') FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'others' ORDER BY version DESC LIMIT 1;
INSERT INTO trips VALUES (1, 1, '2026-05-01 00:00+00'), (2, 2, '2026-05-01 01:00+00');
SELECT osml_train('trips', '{"since": "at", "optimizer": "exact"}', 'others') > 0 AS ran \gset
SELECT is(rows_of('others'), 2, 'with least squares');
INSERT INTO trips SELECT i % 5, i % 7, '2026-05-02 00:00+00'::timestamptz + i * interval '1 s' FROM generate_series(1, 40) i;
SELECT is(count(*), 20::bigint, 'a learning rate is looked for on new rows') FROM osml_find_lr('trips', '{"since": "at"}', num_training => 20);
SELECT is(((newest('trips')).summary ->> 'train_rows')::int, 61042, 'and all of those');

-- --- types ---------------------------------------------------------------------------------

CREATE FUNCTION twice(type text, old text, new text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE model text := 'type ' || type;
BEGIN
	EXECUTE format('CREATE TABLE "odd ""table" AS SELECT i AS y, i AS x, %L::%s AS "it''s ""new""?" FROM generate_series(1, 7) i', old, type);
	PERFORM osml_train('"odd ""table"', '{"since": "it''s \"new\"?", "max_epochs": 1}', model);
	RETURN NEXT is(rows_of(model), 7, model || ': all');
	EXECUTE format('INSERT INTO "odd ""table" SELECT i, i, %L::%s FROM generate_series(1, 3) i', new, type);
	PERFORM osml_train('"odd ""table"', '{"since": "it''s \"new\"?", "max_epochs": 1, "warm_start": true}', model);
	RETURN NEXT is(rows_of(model), 3, model || ': those above');
	DROP TABLE "odd ""table";
END $$;
SELECT twice('integer', '9', '10');
SELECT twice('numeric(30, 10)', '12345678901234567890.0000000001', '12345678901234567890.0000000002');
SELECT twice('float8', '0.1', '0.10000000000000002');
SELECT twice('text', 'it''s \a', 'it''s \b');
SELECT twice('char(5)', 'ab', 'b');
SELECT twice('date', '2026-12-31', '2027-01-01');
SELECT twice('timestamp(3)', '2026-12-31 23:59:59.998', '2026-12-31 23:59:59.999');
SELECT twice('interval', '23 hours', '1 day 1 s');
SELECT twice('uuid', '00000000-0000-0000-0000-00000000000f', '00000000-0000-0000-0000-000000000010');
CREATE DOMAIN sequence_number AS bigint CHECK (VALUE > 0);
CREATE TYPE stage AS ENUM ('zero', 'first', 'next');
SELECT twice('sequence_number', '99', '100');
SELECT twice('stage', 'zero', 'first');
SELECT twice('inet', '10.0.0.9', '10.0.0.10');
-- partitions, a dataset, a query
CREATE TABLE parts (y float8, x float8, n int) PARTITION BY RANGE (n);
CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (100);
CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (100) TO (200);
INSERT INTO parts SELECT i, i, i FROM generate_series(1, 90) i;
SELECT osml_create_dataset('parted', 'SELECT * FROM parts', options => '{"since": "n", "warm_start": true, "num_workers": 2, "max_epochs": 1}') > 0 AS made \gset
SET client_min_messages = error;
SELECT osml_train('parted') > 0 AS ran_first, osml_train('parts', '{"since": "n", "num_workers": 2, "max_epochs": 1}') > 0 AS ran \gset
INSERT INTO parts SELECT i, i, i FROM generate_series(91, 190) i;
SELECT osml_train('parted') > 0 AS ran_first, osml_train('parts', '{"since": "n", "num_workers": 2, "max_epochs": 1, "warm_start": true}') > 0 AS ran \gset
SET client_min_messages = warning;
SELECT is(rows_of('parted'), 100, 'a dataset of a query'), is(rows_of('parts'), 100, 'partitions');

-- rights on the columns that are read are enough
CREATE TABLE columns AS SELECT i AS y, i AS x, i AS n, i AS secret FROM generate_series(1, 9) i;
CREATE ROLE since_user;
GRANT SELECT (y, x, n) ON columns TO since_user;
SET ROLE since_user;
SELECT osml_train('columns', '{"since": "n", "features": ["x"], "max_epochs": 1}') > 0 AS ran \gset
RESET ROLE;
SELECT is(rows_of('columns'), 9, 'rights on the columns that are read are enough');
-- rows that only the transaction sees are read by it
BEGIN;
INSERT INTO columns VALUES (10, 10, 10);
SELECT osml_train('columns', '{"since": "n", "features": ["x"], "num_workers": 2, "max_epochs": 1}', 'columns') > 0 AS ran \gset
SELECT is(rows_of('columns'), 1, 'rows that are not committed are read by the session'), is((newest('columns')).version, 2, 'and make a version');
INSERT INTO columns VALUES (11, 11, 11);
SELECT matches(error_of($$SELECT osml_train('columns', '{"since": "n", "features": ["x"], "max_epochs": 1}', 'columns', false)$$), '^0A000 "since" does not go with workers in a transaction that has written.* \| Commit first', 'workers do not see them');
COMMIT;
DROP OWNED BY since_user;
SELECT osml_drop_model('columns');
DROP ROLE since_user;

-- --- refused ----------------------------------------------------------------------------------

CREATE TABLE odd AS SELECT i::float8 AS y, i AS x, '{}'::json AS j, CASE WHEN i = 3 THEN 'NaN' ELSE i::float8 END AS nan, NULL::date AS empty FROM generate_series(1, 5) i;
SELECT matches(error_of($$SELECT osml_train('odd', '{"since": "jj", "features": ["x"]}')$$), '^42703 column "jj" does not exist in relation public.odd', 'no such column'),
	matches(error_of($$SELECT osml_train('odd', '{"since": "j", "features": ["x"]}')$$), '^42804 hyperparameter "since" names "j" of relation public.odd, but values of type json have no order \| Name', 'a type without an order'),
	matches(error_of($$SELECT osml_train('odd', '{"since": "nan", "features": ["x"]}')$$), '^22000 hyperparameter "since" names "nan" of relation public.odd, which has the value NaN \| Filter', 'NaN'),
	matches(error_of($$SELECT osml_train('odd', '{"since": "empty", "features": ["x"]}')$$), '^22000 relation public.odd has no row with a "empty" to train on', 'no value at all'),
	matches(error_of($$SELECT osml_train('trips', '{"since": "miles", "warm_start": true, "features": ["miles"]}')$$), '^22023 hyperparameter "since" is "miles", but version \d+ of model "trips" has been trained since a value of "at" \| Name "at"', 'another column than the version');
SELECT osml_drop_dataset('parted');

-- --- a run that goes on -------------------------------------------------------------------

-- its rows are those it began with, whatever has come since and whoever has read that
CREATE TABLE later (id bigint, x float8, y float8);
INSERT INTO later SELECT i, i % 7, i % 11 FROM generate_series(1, 20000) i;
SELECT osml_train('later', '{"since": "id", "label": "y", "max_epochs": 30, "batch_size": 10, "shuffle": "epoch"}', 'whole') AS whole \gset
SELECT osml_train('later', '{"since": "id", "label": "y", "max_epochs": 30, "batch_size": 10, "shuffle": "epoch", "every_n_train_steps": 50}', 'later', wait => false) AS run \gset
DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM osml.checkpoints c JOIN osml.runs r USING (run_id) WHERE r.model = 'later') LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
SELECT osml_cancel(:run) AS status \gset
SELECT is(:'status'::text, 'cancelled', 'a run is cancelled'), is(summary #>> '{since,value}', '20000', 'and keeps how new its rows are') FROM osml.runs WHERE run_id = :run;
INSERT INTO later SELECT i, i % 7, i % 11 FROM generate_series(20001, 20100) i;
SELECT osml_train('later', '{"since": "id", "label": "y", "max_epochs": 1}', 'later') > 0 AS ran \gset
SELECT is(osml_resume(:run), 'finished', 'it goes on over those'), is(since_of('later'), '20100', 'which a later run does not change');
SELECT is(count(DISTINCT v.weights), 1::bigint, 'and ends as if nothing had happened') FROM osml.model_version v JOIN osml.model m USING (model_id) JOIN osml.models s ON s.model = m.name AND s.version = v.version WHERE s.run_id IN (:run, :whole);
SELECT is((SELECT summary -> 'since' FROM osml.runs WHERE run_id = :run), '{"type": "bigint", "value": "20000", "column": "id"}', 'its own mark is kept');
-- texts may say what no number can be above
CREATE TABLE words AS SELECT 'a' || i AS k, i AS y, i::float8 AS x FROM generate_series(1, 9) i UNION ALL SELECT 'nan', 1, 1;
SELECT osml_train('words', '{"since": "k", "label": "y", "max_epochs": 1}') > 0 AS ran \gset
SELECT is(since_of('words'), 'nan', 'a text like any other');
-- rows are numbered as the run reads them
INSERT INTO words VALUES ('o', 1, 2), ('p', 1, 'NaN');
SELECT matches(error_of($$SELECT osml_train('words', '{"since": "k", "label": "y", "max_epochs": 1}')$$), 'column "x" is NaN in row 2 of the new rows of relation public.words', 'a bad row is one of the new ones');
SELECT finish();
