-- Who sees and uses what: owners, grants, pg_monitor, installing owner.
\set VERBOSITY default
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

CREATE ROLE regress_osml_alice;
CREATE ROLE regress_osml_bob;
CREATE ROLE regress_osml_team;
CREATE ROLE regress_osml_watch;
CREATE ROLE regress_osml_gone;
GRANT regress_osml_team TO regress_osml_bob;
GRANT pg_monitor TO regress_osml_watch;
CREATE SCHEMA ri;
GRANT ALL ON SCHEMA ri TO regress_osml_alice, regress_osml_bob;
SET search_path = ri, public;

-- a role that cannot log in trains, and owns what comes of it
SET ROLE regress_osml_alice;
CREATE TABLE ri_rows AS SELECT i AS id, (1 + 2 * i)::float8 AS y, i AS x FROM generate_series(1, 30) i;
SELECT osml_train('ri_rows', '{"label":"y", "features":["x"], "optimizer":"exact"}', 'ri_model') > 0 AS trained;
SELECT osml_create_dataset('ri_data', 'SELECT * FROM ri_rows', label => 'y') > 0 AS created;
RESET ROLE;
SELECT DISTINCT owner FROM osml.runs WHERE model = 'ri_model'
	UNION ALL SELECT owner FROM osml.models WHERE model = 'ri_model'
	UNION ALL SELECT owner FROM osml.datasets WHERE dataset = 'ri_data';

-- what a role sees: of each view, its rows about alice's things
CREATE FUNCTION ri_sees(OUT runs bigint, OUT metrics boolean, OUT models bigint, OUT features bigint,
	OUT weights bigint, OUT datasets bigint) LANGUAGE sql AS $$
	SELECT (SELECT count(*) FROM osml.runs WHERE model = 'ri_model'),
		(SELECT count(*) > 0 FROM osml.metrics JOIN osml.runs USING (run_id) WHERE model = 'ri_model'),
		(SELECT count(*) FROM osml.models WHERE model = 'ri_model'),
		(SELECT count(*) FROM osml.features WHERE model = 'ri_model'),
		(SELECT count(*) FROM osml.weights WHERE model = 'ri_model'),
		(SELECT count(*) FROM osml.datasets WHERE dataset = 'ri_data')
$$;
GRANT EXECUTE ON FUNCTION ri_sees TO PUBLIC;
GRANT USAGE ON SCHEMA ri TO PUBLIC;
SET ROLE regress_osml_alice;
SELECT * FROM ri_sees();
SET ROLE regress_osml_bob;
SELECT * FROM ri_sees();
SET ROLE regress_osml_watch;
SELECT * FROM ri_sees();
RESET ROLE;
SELECT * FROM ri_sees();

-- nobody touches the tables themselves
SET ROLE regress_osml_alice;
SELECT * FROM osml.run;
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml.usable_model;
\echo :LAST_ERROR_SQLSTATE
INSERT INTO osml.model_grant VALUES (1, 'regress_osml_alice', 'manage');
\echo :LAST_ERROR_SQLSTATE
-- a function that a reader brings is not shown others' rows
CREATE FUNCTION ri_leak(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001 AS $$
BEGIN RAISE WARNING 'saw %', $1; RETURN true; END $$;
SET ROLE regress_osml_bob;
SELECT count(*) FROM osml.models WHERE ri_leak(model);
SELECT count(*) FROM osml.datasets WHERE ri_leak(train);

-- without a grant
SELECT osml_predict('ri_model', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_predict_batch('ri_model', 'SELECT 1 AS x');
\echo :LAST_ERROR_SQLSTATE
SELECT * FROM osml_evaluate('ri_model', 'SELECT 1 AS x, 2 AS y');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_deploy('ri_model', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_model('ri_model');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_grant('ri_model', 'regress_osml_bob', 'predict');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_revoke('ri_model', 'regress_osml_alice', 'predict');
\echo :LAST_ERROR_SQLSTATE
-- nor are others' models offered as what was meant
SELECT osml_predict('ri_mode', 1);
\echo :LAST_ERROR_SQLSTATE
-- the name is taken
CREATE TABLE ri_mine AS SELECT 7.0::float8 AS y, x FROM generate_series(1, 5) x;
SELECT osml_train('ri_mine', '{"optimizer":"exact"}', 'ri_model');
\echo :LAST_ERROR_SQLSTATE

-- predict, through a role that bob is a member of
SET ROLE regress_osml_alice;
SELECT osml_grant('ri_model', 'regress_osml_team', 'Predict');
SELECT osml_grant('ri_model', 'regress_osml_team', 'predict');
SET ROLE regress_osml_bob;
SELECT * FROM ri_sees();
SELECT round(osml_predict('ri_model', 10)::numeric, 6) AS prediction;
SELECT round(prediction::numeric, 6) AS prediction FROM osml_predict_batch('ri_model', 'SELECT 10 AS x');
SELECT osml_predict('ri_mode', 1);
SELECT osml_deploy('ri_model', 1);
\echo :LAST_ERROR_SQLSTATE
SELECT osml_train('ri_mine', '{"optimizer":"exact"}', 'ri_model');
\echo :LAST_ERROR_SQLSTATE

-- manage: deploy, train into it, grant; the owner stays the same
SET ROLE regress_osml_alice;
SELECT osml_grant(model => 'ri_model', role => 'regress_osml_bob', privilege => 'manage');
SET ROLE regress_osml_bob;
SELECT osml_train('ri_mine', '{"optimizer":"exact"}', 'ri_model') > 0 AS trained;
SELECT version, owner, deployed FROM osml.models WHERE model = 'ri_model' ORDER BY 1;
SELECT osml_deploy('ri_model', 1);
SELECT osml_grant('ri_model', 'public', 'predict');
SELECT * FROM ri_sees();
SET ROLE regress_osml_watch;
SELECT round(osml_predict('ri_model', 10)::numeric, 6) AS prediction;

-- taken back
SET ROLE regress_osml_alice;
SELECT osml_revoke('ri_model', 'public', 'predict'), osml_revoke('ri_model', 'regress_osml_bob', 'manage'),
	osml_revoke('ri_model', 'regress_osml_team', 'predict'), osml_revoke('ri_model', 'regress_osml_team', 'predict');
SET ROLE regress_osml_bob;
SELECT osml_predict('ri_model', 1);
\echo :LAST_ERROR_SQLSTATE
SET ROLE regress_osml_alice;
SELECT osml_grant('ri_model', 'regress_osml_nobody', 'predict');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_revoke('ri_model', 'regress_osml_nobody', 'predict');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_grant('ri_model', 'regress_osml_bob', 'select');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_grant('ri_nothing', 'regress_osml_bob', 'predict');
\echo :LAST_ERROR_SQLSTATE
-- a grant to a role that was dropped can be removed
SELECT osml_grant('ri_model', 'regress_osml_gone', 'predict');
RESET ROLE;
DROP ROLE regress_osml_gone;
SET ROLE regress_osml_alice;
SELECT osml_revoke('ri_model', 'regress_osml_gone', 'predict');
SELECT osml_revoke('ri_model', 'regress_osml_gone', 'predict');

-- the right is checked on each query and for the user of the moment, whatever is cached
PREPARE ri_predict AS SELECT round(osml_predict('ri_model', 10)::numeric, 6) AS prediction;
EXECUTE ri_predict;
BEGIN ISOLATION LEVEL REPEATABLE READ;
EXECUTE ri_predict;
SAVEPOINT s;
SET LOCAL ROLE regress_osml_bob;
EXECUTE ri_predict;
ROLLBACK TO s;
EXECUTE ri_predict;
COMMIT;
RESET ROLE;
CREATE FUNCTION ri_for_others(float8) RETURNS numeric LANGUAGE sql SECURITY DEFINER
	SET search_path = public AS $$ SELECT round(osml_predict('ri_model', $1)::numeric, 6) $$;
ALTER FUNCTION ri_for_others OWNER TO regress_osml_alice;
SET ROLE regress_osml_bob;
SELECT ri_for_others(10);

-- the key of a batch is one only if it may be read
RESET ROLE;
ALTER TABLE ri_rows ADD PRIMARY KEY (id);
GRANT SELECT (x, y) ON ri_rows TO regress_osml_bob;
SET ROLE regress_osml_alice;
SELECT osml_grant('ri_model', 'regress_osml_bob', 'predict');
SELECT row_number, key FROM osml_predict_batch('ri_model', 'ri_rows') LIMIT 1;
SET ROLE regress_osml_bob;
SELECT row_number, key FROM osml_predict_batch('ri_model', 'ri_rows') LIMIT 1;
SELECT row_number, key FROM osml_predict_batch('ri_model', 'ri_rows', 'y') LIMIT 1;
SELECT row_number, key FROM osml_predict_batch('ri_model', 'ri_rows', 'id') LIMIT 1;
\echo :LAST_ERROR_SQLSTATE

-- a dataset's text runs for its owner only: to others its name means nothing
SELECT * FROM osml_evaluate('ri_model', 'ri_data');
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE ri_data AS SELECT 1 AS x, 3 AS y;
SELECT value FROM osml_evaluate('ri_model', 'ri_data') WHERE metric = 'rows_used';
SELECT osml_create_dataset('ri_data', 'ri_mine');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_dataset('ri_data');
\echo :LAST_ERROR_SQLSTATE
DROP TABLE ri_data;
RESET ROLE;
SELECT * FROM osml_evaluate('ri_model', 'ri_data');
\echo :LAST_ERROR_SQLSTATE
SET ROLE regress_osml_alice;
SELECT value FROM osml_evaluate('ri_model', 'ri_data') WHERE metric = 'rows_used';
SELECT osml_create_dataset('ri_data', 'ri_rows');
\echo :LAST_ERROR_SQLSTATE
SELECT osml_drop_dataset('ri_data');
SELECT osml_drop_model('ri_model');
RESET ROLE;
RESET search_path;

-- whoever owns a database may install the extension there, and then dump and
-- restore its tables, but not change them
CREATE ROLE regress_osml_dba;
CREATE DATABASE regress_osml_rights OWNER regress_osml_dba;
\set home :DBNAME
\c regress_osml_rights
SET client_min_messages = warning;
SET ROLE regress_osml_dba;
CREATE EXTENSION osml;
SELECT has_schema_privilege('osml', 'USAGE') AS usage,
	bool_and(has_table_privilege(oid, 'SELECT')) FILTER (WHERE relkind = 'r') AS read,
	bool_and(has_table_privilege(oid, 'INSERT')) FILTER (WHERE relkind = 'r') AS restore,
	bool_or(has_table_privilege(oid, 'UPDATE, DELETE, TRUNCATE')) FILTER (WHERE relkind = 'r') AS change,
	bool_and(has_sequence_privilege(oid, 'SELECT')) FILTER (WHERE relkind = 'S') AS read_sequences,
	bool_and(has_sequence_privilege(oid, 'UPDATE')) FILTER (WHERE relkind = 'S') AS set_sequences
	FROM pg_class WHERE relnamespace = 'osml'::regnamespace;
UPDATE osml.run SET status = 'finished';
\echo :LAST_ERROR_SQLSTATE
CREATE TABLE ri_rows AS SELECT (1 + 2 * i)::float8 AS y, i AS x FROM generate_series(1, 30) i;
SELECT osml_train('ri_rows', '{"optimizer":"exact"}') > 0 AS trained;
SELECT round(osml_predict('ri_rows', 10)::numeric, 6) AS prediction;
-- one backend, another installation
DROP EXTENSION osml;
CREATE EXTENSION osml;
SELECT count(*) FROM osml.models;
SELECT osml_train('SELECT y + 100 AS y, x FROM ri_rows', '{"optimizer":"exact"}', 'ri_rows') > 0 AS trained;
SELECT round(osml_predict('ri_rows', 10)::numeric, 6) AS prediction;
DROP EXTENSION osml;
-- somebody else's schema is not moved into
CREATE SCHEMA osml;
CREATE EXTENSION osml;
\echo :LAST_ERROR_SQLSTATE
\c :home
SET client_min_messages = warning;
DROP DATABASE regress_osml_rights;
DROP SCHEMA ri CASCADE;
DELETE FROM osml.run WHERE model LIKE 'ri\_%';
REVOKE pg_monitor FROM regress_osml_watch;
DROP ROLE regress_osml_alice, regress_osml_bob, regress_osml_team, regress_osml_watch, regress_osml_dba;
