-- resume.sql: what osml.runs, osml.events and osml.metrics say of a run that goes on.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(37);

\ir lib/error_of.sql
CREATE TABLE rows AS SELECT sin(i) AS y, i % 7 AS a, i % 11 AS b FROM generate_series(1, 4000) i;
SELECT osml_train('rows', '{"max_epochs": 1}', 'warm') > 0 AS ran \gset

-- long enough to be met half-way
\set hparams '{"warm_start": true, "overfit_batches": 40, "batch_size": 100, "num_sanity_val_steps": 1, "max_epochs": 5000, "every_n_train_steps": 100, "val_check_interval": 0}'
SELECT osml_train('rows', :'hparams', 'warm', wait => false) AS run \gset
DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM osml.checkpoints) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
SELECT osml_cancel(:run) AS status \gset
SELECT is(:'status'::text, 'cancelled', 'a run is cancelled');
SELECT step, epoch FROM osml.checkpoints WHERE run_id = :run \gset

-- refused: it stands where it would have gone on
UPDATE rows SET y = 2 WHERE a = 3 AND b = 3;
SELECT matches(error_of(format('SELECT osml_resume(%s)', :run)), '^55000 osml run N failed: the training rows of run \d+ have changed since its checkpoint', 'it is refused on other rows');
SELECT is(status, 'failed', 'the run says so'), is(steps, :step::bigint, 'its steps are those of the checkpoint'), is(rows_seen, :step * 100::bigint, 'and so are its rows') FROM osml.runs WHERE run_id = :run;
SELECT is(count(*), 1::bigint, 'the checkpoint is kept') FROM osml.checkpoints WHERE run_id = :run AND step = :step;
SELECT is(step, :step::bigint, 'events are at its step') FROM osml.events WHERE run_id = :run AND kind = 'resumed';

-- or goes on all the same
SELECT matches(error_of(format($$SELECT osml_resume(%s, '{"on_changed_data": "continue"}')$$, :run)), '^no error$', 'it goes on where that is asked for');
SELECT is(status, 'finished', 'to its end'), is(steps, 200000::bigint, 'all steps') FROM osml.runs WHERE run_id = :run;
SELECT is(count(*) FILTER (WHERE kind = 'warm_start'), 1::bigint, 'where it started from was said once'),
	is(count(*) FILTER (WHERE kind = 'overfit_batches'), 1::bigint, 'so was which rows it takes') FROM osml.events WHERE run_id = :run;
SELECT is(string_agg(DISTINCT step::text, ' '), '0', 'it was sane before the first step') FROM osml.metrics WHERE run_id = :run AND phase = 'sanity';

-- where a rollback goes is in the checkpoint: the same weights and losses as without a stop
CREATE TABLE exploding AS SELECT y, CASE WHEN row_number() OVER () = 2500 THEN 1e200 ELSE a END AS a, b FROM rows;
\set hparams '{"optimizer": "SGD", "lr": 0.001, "scale": "none", "batch_size": 1, "max_epochs": 25, "on_nonfinite": "rollback", "weight_averaging": "ema"}'
SELECT osml_train('exploding', :'hparams', 'whole') AS whole \gset
SELECT osml_train('exploding', :'hparams'::jsonb || '{"every_n_train_steps": 37}', 'parts', wait => false) AS run \gset
DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM osml.checkpoints c JOIN osml.runs r USING (run_id) WHERE r.model = 'parts' AND c.epoch > 2) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
SELECT osml_cancel(:run) AS status \gset
SELECT is(:'status'::text, 'cancelled', 'a run with rollbacks is cancelled');
SELECT osml_resume(:run) AS run \gset
CREATE FUNCTION pg_temp.result(name text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', m.steps, train_loss, r.summary -> 'rollbacks', (SELECT array_agg(weight ORDER BY feature) FROM osml.weights WHERE model = name))
	FROM osml.models m JOIN osml.runs r USING (run_id) WHERE m.model = name
$$;
SELECT is(pg_temp.result('parts'), pg_temp.result('whole'), 'it has the rollbacks and the bits of one that was not');

-- batches go by the places of rows: the same rows elsewhere are not the same data
CREATE FUNCTION pg_temp.as_it_was(name text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('DROP TABLE IF EXISTS %I', name);
	EXECUTE format('CREATE TABLE %I AS SELECT 3 * a - b AS y, a, b FROM (SELECT sin(i) AS a, i %% 11 AS b FROM generate_series(1, 4000) i) s', name);
END $$;
SELECT pg_temp.as_it_was('places'), pg_temp.as_it_was('held');
SELECT osml_create_dataset('places', 'places', label => 'y', features => '{a,b}', val => 'held') > 0 AS made \gset
PREPARE stopped AS SELECT osml_train('places', '{"scale": "none", "lr": 1e-4, "batch_size": 10, "max_epochs": 2000, "every_n_train_steps": 100, "val_check_interval": 100000}'::jsonb || $1, 'places', wait => false);
CREATE FUNCTION pg_temp.met() RETURNS text LANGUAGE plpgsql AS $$
DECLARE run bigint := (SELECT max(run_id) FROM osml.runs);
BEGIN
	WHILE NOT EXISTS (SELECT FROM osml.checkpoints WHERE run_id = run) LOOP PERFORM pg_sleep(0.01); END LOOP;
	RETURN osml_cancel(run);
END $$;
EXECUTE stopped('{"shuffle": "none"}') \g /dev/null
SELECT pg_temp.met() AS status, max(run_id) AS run FROM osml.runs \gset
SELECT is(:'status'::text, 'cancelled', 'a run is cancelled');
UPDATE places SET a = a WHERE ctid = '(0,5)';
SELECT matches(error_of(format('SELECT osml_resume(%s)', :run)), '^55000 osml run N failed: the training rows of run \d+ are in another order than before its checkpoint', 'rows in another order are refused');
SELECT pg_temp.as_it_was('places');
DELETE FROM held WHERE ctid = '(0,5)';
INSERT INTO held SELECT 3 * sin(5) - 5, sin(5), 5;
SELECT matches(error_of(format('SELECT osml_resume(%s)', :run)), 'the validation rows of run \d+ are in another order', 'so are held-out rows, whose losses are added up in it');
DELETE FROM places WHERE ctid = '(0,7)';
SELECT matches(error_of(format('SELECT osml_resume(%s)', :run)), 'the training rows of run \d+ have changed', 'other rows are what they were');
INSERT INTO places SELECT 3 * sin(7) - 7, sin(7), 7;
SELECT is(osml_resume(:run, '{"on_changed_data": "continue"}'), 'finished', 'it goes on where that is asked for');
SELECT is(string_agg(regexp_replace(message, '\d+', 'N'), ', ' ORDER BY event_id),
	'the training rows are in another order than before step N, the validation rows are in another order than before step N', 'events say so')
	FROM osml.events WHERE run_id = :run AND kind = 'data_changed';
-- whoever reads them, rows that stayed are in the order that they were in
SELECT pg_temp.as_it_was('places'), pg_temp.as_it_was('held');
EXECUTE stopped('{"num_workers": 3}') \g /dev/null
SELECT pg_temp.met() AS status, max(run_id) AS run FROM osml.runs \gset
SELECT is(osml_resume(:run), 'finished', 'rows that stayed, by several readers');
SELECT osml_drop_dataset('places');

-- rows that nobody keeps: they go by once, or are read again each epoch
CREATE TABLE laid (i int, a float8, b float8);
-- a gate, at which a reader waits while this session has it shut; it has sent the rows
-- of the block before, as one of them was slow to come
CREATE VIEW gated AS SELECT 3 * a - b AS y, a, b FROM laid
	WHERE CASE i WHEN 4000 THEN length(pg_sleep(0.05)::text) = 0
		WHEN 5000 THEN length(pg_advisory_xact_lock_shared(20)::text) = 0 ELSE true END;
CREATE VIEW ungated AS SELECT 3 * a - b AS y, a, b FROM laid;
-- in this order, the rows from i = 1 to n
CREATE FUNCTION pg_temp.lay(n int, places text DEFAULT 'i') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	TRUNCATE laid;
	EXECUTE format('INSERT INTO laid SELECT i, sin(i), i %% 11 FROM generate_series(1, %s) i ORDER BY %s', n, places);
END $$;
CREATE FUNCTION pg_temp.refused(run bigint, what text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT matches(error_of(format('SELECT osml_resume(%s)', run)), '^55000 osml run N failed: the training rows of run \d+ ' || what, 'refused: the rows ' || what)
$$;
CREATE FUNCTION pg_temp.same_bits(name text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT is(array_agg(weight ORDER BY feature) FILTER (WHERE version = 2), array_agg(weight ORDER BY feature) FILTER (WHERE version = 1),
		'to the bits of one that was not cancelled') FROM osml.weights WHERE model = name
$$;
\set exchanged 'CASE i WHEN 200 THEN 700 WHEN 700 THEN 200 ELSE i END'
\set unkept '{"scale": "none", "shuffle": "none", "lr": 1e-4, "batch_size": 100}'
\set streamed '{"max_epochs": 1, "every_n_train_steps": 15}'
\set again '{"max_epochs": 60, "every_n_train_steps": 700}'

SELECT pg_temp.lay(6000);
SELECT osml_train('gated', :'unkept'::jsonb || :'streamed', 'stream') AS whole \gset
SELECT is(summary ->> 'streamed', 'true', 'rows are streamed') FROM osml.runs WHERE run_id = :whole;
SELECT pg_advisory_lock(20) \g /dev/null
SELECT osml_train('gated', :'unkept'::jsonb || :'streamed', 'stream', wait => false) AS run \gset
-- 3000 rows, which end within a block
DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM osml.checkpoints WHERE step = 30) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$;
SELECT is(osml_cancel(:run), 'cancelled', 'a run is cancelled whose rows are streamed');
SELECT pg_advisory_unlock(20) \g /dev/null
SELECT pg_temp.lay(6000, :'exchanged');
SELECT pg_temp.refused(:run, 'are in another order');
SELECT pg_temp.lay(6000);
UPDATE laid SET a = 0 WHERE i = 200;
SELECT pg_temp.refused(:run, 'have changed');
SELECT pg_temp.lay(2000);
SELECT pg_temp.refused(:run, 'have changed');
SELECT pg_temp.lay(0);
SELECT pg_temp.refused(:run, 'have changed');
SELECT pg_temp.lay(6000);
SELECT is(osml_resume(:run), 'finished', 'it goes on over rows that stayed');
SELECT pg_temp.same_bits('stream');

SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
SELECT pg_temp.lay(60000);
SELECT osml_train('ungated', :'unkept'::jsonb || :'again', 'again') AS whole \gset
SELECT osml_train('ungated', :'unkept'::jsonb || :'again', 'again', wait => false) AS run \gset
SELECT is(pg_temp.met(), 'cancelled', 'a run is cancelled whose rows are read again');
SELECT is(count(*), 1::bigint, 'as an event says') FROM osml.events WHERE run_id = :run AND kind = 'reread';
SELECT pg_temp.lay(60000, :'exchanged');
SELECT pg_temp.refused(:run, 'are in another order');
SELECT pg_temp.lay(60000);
UPDATE laid SET a = 0 WHERE i = 50000;
SELECT pg_temp.refused(:run, 'have changed');
SELECT pg_temp.lay(2000);
SELECT pg_temp.refused(:run, 'have changed');
SELECT pg_temp.lay(60000);
SELECT is(osml_resume(:run), 'finished', 'it goes on over rows that stayed');
SELECT pg_temp.same_bits('again');
SELECT finish();
