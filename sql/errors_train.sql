-- Errors of osml_train that no other file raises: where it may not run, whose
-- model it is, what does not fit, and how messages travel.
CREATE SCHEMA serrors;
SET search_path = serrors, public;
SET client_min_messages = warning;
\pset tuples_only
\pset format unaligned
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

CREATE TABLE line AS SELECT 2 * i + 1 AS y, i AS x FROM generate_series(1, 100) i;

-- --- Where it may not run -----------------------------------------------------------

BEGIN READ ONLY;
SELECT pg_temp.outcome($$SELECT osml_train('line')$$);
COMMIT;

-- As a table's owner, in an index expression or a materialized view.
CREATE FUNCTION trainer(x int) RETURNS bigint IMMUTABLE PARALLEL SAFE LANGUAGE plpgsql AS
	$$ BEGIN RETURN serrors.trains('serrors.line'); END $$;
CREATE FUNCTION trains(source text) RETURNS bigint VOLATILE LANGUAGE plpgsql AS
	$$ BEGIN RETURN public.osml_train(source, '{"max_epochs": 1}'); END $$;
SELECT pg_temp.outcome('CREATE INDEX ON line (trainer(x))');
SELECT pg_temp.outcome($$CREATE MATERIALIZED VIEW trained AS SELECT osml_train('line')$$);

-- In a parallel plan, through a function that is said to be safe.
SET min_parallel_table_scan_size = 0;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET max_parallel_workers_per_gather = 2;
SELECT pg_temp.outcome('SELECT max(trainer(x)) FROM line WHERE x < 3');
RESET min_parallel_table_scan_size;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET max_parallel_workers_per_gather;

-- A database that takes no connections: workers cannot connect either.
UPDATE pg_database SET datallowconn = false WHERE datname = current_database();
SELECT pg_temp.outcome($$SELECT osml_train('line')$$);
SELECT pg_temp.outcome($$SELECT osml_train('line', '{"num_workers": 8}', wait => false)$$);
UPDATE pg_database SET datallowconn = true WHERE datname = current_database();
SELECT count(*) FROM osml.runs WHERE model = 'line';
-- Readers that came through after all do not wait for a trainer for ever.
CREATE PROCEDURE pg_temp.wait_for_workers() LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1..300 LOOP
		PERFORM pg_stat_clear_snapshot();
		EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type LIKE 'osml %');
		PERFORM pg_sleep(0.1);
	END LOOP;
	IF EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND backend_type LIKE 'osml %') THEN
		RAISE 'a worker of osml is still there';
	END IF;
END
$$;
CALL pg_temp.wait_for_workers();

-- In the middle of work, nothing is in the way: a function, a subtransaction, a
-- trigger, a query that goes on.
SELECT trains('line') > 0;
DO $$ BEGIN PERFORM osml_train('line', '{"max_epochs": 1}'); EXCEPTION WHEN division_by_zero THEN NULL; END $$;
CREATE FUNCTION on_insert() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM osml_train('line', '{"max_epochs": 1}'); RETURN NULL; END $$;
CREATE TABLE work (done int);
CREATE TRIGGER train AFTER INSERT ON work FOR EACH STATEMENT EXECUTE FUNCTION on_insert();
INSERT INTO work SELECT generate_series(1, 5);
SELECT count(osml_train('line', '{"max_epochs": 1}')) FROM generate_series(1, 3);
SELECT count(*), count(DISTINCT status), min(status) FROM osml.runs WHERE model = 'line';

-- --- Locks of the caller's own ------------------------------------------------------

-- Its readers would wait for it while it waits for them.
BEGIN;
LOCK TABLE line;
SELECT split_part(pg_temp.outcome($$SELECT osml_train('line', '{"max_epochs": 1, "num_workers": 1}')$$), E'\n', 1);
SELECT osml_train('line', '{"max_epochs": 1}') > 0;			-- reading itself it may
COMMIT;
-- So would the trainer, for a model that this transaction has changed.
BEGIN;
SELECT osml_deploy('line', 1);
SELECT split_part(pg_temp.outcome($$SELECT osml_train('line', '{"max_epochs": 1}')$$), E'\n', 1);
COMMIT;
SELECT status, count(*) FROM osml.runs WHERE model = 'line' GROUP BY 1 ORDER BY 1;

-- --- Roles --------------------------------------------------------------------------

CREATE ROLE osml_errors_user;
GRANT USAGE ON SCHEMA serrors TO osml_errors_user;
CREATE SCHEMA closed;
CREATE TABLE closed.line AS TABLE line;
SELECT osml_train('SELECT y, x FROM line', '{"max_epochs": 1}', 'theirs') > 0;
SET ROLE osml_errors_user;
SELECT pg_temp.outcome($$SELECT osml_train('line')$$);
SELECT pg_temp.outcome($$SELECT osml_train('closed.line')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, x FROM line', model => 'mine')$$);
-- Somebody else's model: its owner is named, and what to ask for.
SELECT pg_temp.outcome($$SELECT osml_train('SELECT 2 AS y, 1 AS x', model => 'theirs')$$);
RESET ROLE;
GRANT SELECT (y) ON line TO osml_errors_user;
CREATE TABLE allowed AS SELECT y, x, x AS hidden FROM line;
GRANT SELECT (y, x) ON allowed TO osml_errors_user;
SET ROLE osml_errors_user;
SELECT pg_temp.outcome($$SELECT osml_train('allowed')$$);
SELECT osml_train('allowed', '{"features": ["x"], "max_epochs": 1}') > 0;
SELECT osml_train('allowed', '{"features": ["x"], "max_epochs": 1, "num_workers": 1}') > 0;
-- Runs of others are not there; one's own name may be taken.
SELECT count(*) FROM osml.runs WHERE model = 'line';
RESET ROLE;
SELECT max(run_id) AS run FROM osml.runs WHERE model = 'line' \gset
SET ROLE osml_errors_user;
SELECT regexp_replace(pg_temp.outcome('SELECT osml_wait(' || :run || ')'), '\d+ does', 'N does');
SELECT regexp_replace(pg_temp.outcome('SELECT osml_cancel(' || :run || ')'), '\d+ does', 'N does');
RESET ROLE;
GRANT pg_monitor TO osml_errors_user;
SET ROLE osml_errors_user;
SELECT osml_wait(:run);
SELECT pg_temp.outcome('SELECT osml_cancel(' || :run || ')');
RESET ROLE;
SELECT pg_temp.outcome('SELECT osml_wait(NULL)');
SELECT pg_temp.outcome('SELECT osml_wait(0)');
SELECT pg_temp.outcome('SELECT osml_wait(-9223372036854775808)');
SELECT pg_temp.outcome('SELECT osml_wait(' || :run || $$, '-1 second')$$);
SELECT osml_wait(:run, '0'), osml_cancel(:run), osml_cancel(NULL);

-- --- Limits ---------------------------------------------------------------------------

SET osml.max_memory = '1MB';
SELECT regexp_replace(pg_temp.outcome($$SELECT osml_train('SELECT i AS y, array_fill(i, ARRAY[100]) AS x FROM generate_series(1, 10) i', model => 'big')$$), '\d+ kB', 'N kB');
SET osml.max_memory = '70MB';
SELECT regexp_replace(pg_temp.outcome($$SELECT osml_train('SELECT i AS y, array_fill(i, ARRAY[1000]) AS x FROM generate_series(1, 10) i', '{"optimizer": "exact"}', 'big')$$), '\d+ kB', 'N kB');
RESET osml.max_memory;
-- Rows that have to be read again cannot be dealt to lanes, nor validation rows
-- be read in the middle of the training pass.
CREATE TABLE many_rows AS SELECT 2 * i + 1 AS y, i AS x FROM generate_series(1, 60000) i;
SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
SELECT pg_temp.outcome($$SELECT osml_train('many_rows', '{"lanes": 2, "max_epochs": 1}')$$);
SELECT osml_create_dataset('many rows', 'many_rows', val => 'many_rows') > 0;
SELECT pg_temp.outcome($$SELECT osml_train('many rows', '{"val_check_interval": 10, "max_epochs": 1}')$$);
SELECT osml_drop_dataset('many rows');
RESET osml.max_memory;
RESET osml.max_spill;
-- Nothing but a short last batch, which is left out.
SELECT pg_temp.outcome($$SELECT osml_train('line', '{"drop_last": true, "batch_size": 101, "max_epochs": 3}')$$);
-- More readers than the server has slots: a waiting session reads itself.
SELECT setting::int <= 64 AS enough_readers FROM pg_settings WHERE name = 'max_worker_processes';
SET client_min_messages = notice;
SELECT osml_train('line', '{"num_workers": 64, "max_epochs": 1}') > 0;
SET client_min_messages = warning;
SELECT regexp_replace(pg_temp.outcome($$SELECT osml_train('line', '{"num_workers": 64, "max_epochs": 1}', wait => false)$$), 'now \d+', 'now N');
SELECT pg_temp.outcome('SET osml.max_memory = 100');
SELECT pg_temp.outcome('SET osml.max_spill = -1');
SET ROLE osml_errors_user;
SELECT pg_temp.outcome($$SET osml.max_memory = '10GB'$$);
RESET ROLE;
SELECT pg_temp.outcome('SET osml.max_memroy = 1024');

-- --- How messages travel ----------------------------------------------------------------

-- Detail, hint and SQLSTATE of an error in a reader; the row says the same.
CREATE FUNCTION fails(x int, message text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	IF x = 50 THEN
		RAISE EXCEPTION '%', message USING ERRCODE = 'AB123', DETAIL = 'A detail.', HINT = 'A hint.';
	END IF;
	RETURN x;
END
$$;
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, fails(x, ''fifty'') AS x FROM line', model => 'failing')$$);
SELECT pg_temp.outcome($$SELECT osml_train('SELECT y, fails(x, ''fifty'') AS x FROM line', '{"num_workers": 1}', 'failing')$$);
SELECT status, error FROM osml.runs WHERE model = 'failing' ORDER BY run_id;
-- As psql shows it.
\set VERBOSITY terse
SELECT osml_train('SELECT y, 1 / (50 - x) AS x FROM line', model => 'failing');
\set VERBOSITY default
\echo :LAST_ERROR_SQLSTATE
-- A message longer than there is room for is cut between characters.
SELECT left(pg_temp.outcome($$SELECT osml_train('SELECT y, fails(x, repeat(''ß'', 4000)) AS x FROM line', '{"num_workers": 1}', 'long')$$), 30);
SELECT left(pg_temp.outcome($$SELECT osml_train('SELECT y, fails(x, repeat(''ß'', 4000)) AS x FROM line', model => 'long')$$), 30);
SELECT status, octet_length(error) > 1000, error ~ E'^ß+\nDETAIL: A detail.\nHINT: A hint.$' FROM osml.runs WHERE model = 'long';

-- What only the number of rows tells.
SELECT pg_temp.outcome($$SELECT osml_train('line', '{"drop_last": true, "batch_size": 200, "max_epochs": 1}', 'failing')$$);
SELECT pg_temp.outcome($$SELECT osml_train('line', '{"lanes": 2, "batch_size": 200}', 'failing')$$);
SET osml.max_memory = '1MB';
SET osml.max_spill = 0;
SELECT pg_temp.outcome($$SELECT osml_train('many_rows', '{"lanes": 2}', 'failing')$$);
SELECT osml_create_dataset('held_out', 'many_rows', val => 'many_rows') > 0;
SELECT pg_temp.outcome($$SELECT osml_train('held_out', '{"val_check_interval": 5}', 'failing')$$);
SELECT osml_drop_dataset('held_out');
RESET osml.max_memory;
RESET osml.max_spill;

-- A failed run leaves no model, no running row and no worker.
CALL pg_temp.wait_for_workers();
SELECT count(*) FROM osml.models WHERE model IN ('failing', 'long', 'big');
SELECT count(*) FROM osml.runs WHERE osml_wait(run_id) IN ('running', 'interrupted');

DO $$ BEGIN PERFORM osml_drop_model(m) FROM (SELECT DISTINCT model AS m FROM osml.models) s; END $$;
DROP SCHEMA serrors, closed CASCADE;
DROP ROLE osml_errors_user;
