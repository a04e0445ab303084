-- As whom SQL of a model runs: as the role that trained the version, over the types that it was trained on;
-- and rows that a dump restores are those of who restores them.
\set VERBOSITY default
SET client_min_messages = warning;
CREATE ROLE regress_osml_author;
CREATE ROLE regress_osml_reader;
CREATE ROLE regress_osml_second;
CREATE SCHEMA au_author AUTHORIZATION regress_osml_author;
CREATE SCHEMA au_reader AUTHORIZATION regress_osml_reader;
CREATE SCHEMA au_second AUTHORIZATION regress_osml_second;
GRANT USAGE ON SCHEMA au_author, au_reader TO PUBLIC;

SET ROLE regress_osml_author;
CREATE TABLE au_author.trips AS SELECT i::float8 AS y, 'c' || i % 3 AS t, i AS k, date '2024-01-01' + i AS d FROM generate_series(1, 60) i;
CREATE TABLE au_author.secret AS SELECT 'top'::text AS s;
SELECT osml_create_dataset('au_data', 'SELECT y, t, k, d FROM au_author.trips', features => '{k}') > 0 AS created;
SELECT osml_transform('au_data', 'tt', 'sql', '{"expression": "upper(t)"}'), osml_transform('au_data', 'half', 'sql', '{"expression": "k / 2"}'),
	osml_transform('au_data', 'days', 'sql', '{"expression": "d - date ''2024-01-01''"}');
SELECT osml_train('au_data', model => 'au_model') > 0 AS trained;
SELECT osml_grant('au_model', 'regress_osml_reader', 'predict');
SELECT owner, author FROM osml.models WHERE model = 'au_model';

-- a cast of the caller's own type is the caller's code, and is not called as the author
SET ROLE regress_osml_reader;
CREATE TYPE au_reader.c AS (v int);
CREATE TABLE au_reader.loot (who text, s text);
GRANT INSERT ON au_reader.loot TO PUBLIC;
CREATE FUNCTION au_reader.steal() RETURNS text LANGUAGE plpgsql AS
	$$BEGIN INSERT INTO au_reader.loot SELECT current_user, s FROM au_author.secret; RETURN 'c1'; END$$;
CREATE FUNCTION au_reader.to_text(au_reader.c) RETURNS text LANGUAGE plpgsql STABLE AS $$BEGIN RETURN au_reader.steal(); END$$;
CREATE CAST (au_reader.c AS text) WITH FUNCTION au_reader.to_text(au_reader.c) AS IMPLICIT;
SELECT osml_predict('au_model', r) FROM (SELECT row(1)::au_reader.c AS t, 1 AS k, date '2024-02-01' AS d) r;
SELECT * FROM osml_predict_batch('au_model', 'SELECT row(1)::au_reader.c AS t, 1 AS k, date ''2024-02-01'' AS d');
SELECT * FROM osml_transform_row('au_model', (SELECT r FROM (SELECT row(1)::au_reader.c AS t, 1 AS k, date '2024-02-01' AS d) r));
SELECT count(*) FROM au_reader.loot;
-- other types of numbers and texts become what the expression is written over: 3 / 2 is 1 here
SELECT feature, value, category FROM osml_transform_row('au_model', (SELECT r FROM (SELECT 'c1'::varchar AS t, 3.0::numeric AS k, date '2024-02-01' AS d) r));
SELECT count(DISTINCT p) FROM (
	SELECT osml_predict('au_model', r) AS p FROM (SELECT 'c1' AS t, 3 AS k, date '2024-02-01' AS d) r
	UNION ALL SELECT osml_predict('au_model', r) FROM (SELECT 'c1'::name AS t, 3::bigint AS k, date '2024-02-01' AS d) r
	UNION ALL SELECT osml_predict('au_model', r) FROM (SELECT 'c1'::varchar(5) AS t, 3.0::float8 AS k, date '2024-02-01' AS d) r
	UNION ALL SELECT prediction FROM osml_predict_batch('au_model', 'SELECT ''c1''::text AS t, 3::smallint AS k, date ''2024-02-01'' AS d')) s;
-- a conversion that depends on the session is none
SELECT osml_predict('au_model', r) FROM (SELECT 'c1' AS t, 3 AS k, timestamptz '2024-02-01 00:00Z' AS d) r;
SELECT osml_predict('au_model', r) FROM (SELECT 'c1' AS t, 3 AS k, '2024-02-01'::text AS d) r;
RESET ROLE;

-- names are looked up at each load, and nobody but the author and superusers may have a say in what they find
CREATE SCHEMA au_shared;
GRANT CREATE, USAGE ON SCHEMA au_shared TO PUBLIC;
CREATE FUNCTION au_shared.common(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT x + 1';
SET ROLE regress_osml_author;
CREATE FUNCTION au_shared.g(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN x * 2; END';
CREATE TYPE au_shared.mood AS ENUM ('c0', 'c1', 'c2');
SELECT osml_create_dataset('au_names', 'SELECT y, t, k FROM au_author.trips', features => '{k}') > 0 AS created;
SELECT osml_transform('au_names', 'twice', 'sql', '{"expression": "au_shared.g(k) + au_shared.common(k)"}'),
	osml_transform('au_names', 'mood', 'sql', '{"expression": "(t::au_shared.mood)::text"}');
CREATE FUNCTION au_shared.h(x float8, w int[]) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT x * w[1]';
SELECT osml_transform('au_names', 'weighted', 'sql', '{"expression": "au_shared.h(k, ''{2,3}'')"}');
SELECT osml_train('au_names', model => 'au_named') > 0 AS trained;
SELECT osml_grant('au_named', 'regress_osml_reader', 'predict');
CREATE VIEW au_author.seen AS SELECT feature, value, category FROM osml_transform_row('au_named', (SELECT r FROM (SELECT 'c1' AS t, 3 AS k) r));
SELECT * FROM au_author.seen;
SET ROLE regress_osml_reader;
CREATE FUNCTION au_shared.g(x int) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN PERFORM au_reader.steal(); RETURN 1; END';
SELECT osml_predict('au_named', r) FROM (SELECT 'c1' AS t, 3 AS k) r;
DROP FUNCTION au_shared.g(int);
-- nor do literals run his checks before he is found out
CREATE FUNCTION au_reader.tell(int) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
	$$BEGIN RAISE WARNING 'runs as %', current_user; RETURN true; END$$;
CREATE DOMAIN au_reader.told AS int CHECK (au_reader.tell(VALUE));
CREATE FUNCTION au_shared.h(x int, w au_reader.told[]) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 1.0::float8';
SELECT osml_predict('au_named', r) FROM (SELECT 'c1' AS t, 3 AS k) r;
DROP FUNCTION au_shared.h(int, au_reader.told[]);
CREATE TYPE au_reader.pair AS (a au_reader.told, b int);
CREATE TYPE au_reader.told_range AS RANGE (SUBTYPE = au_reader.told);
GRANT USAGE ON SCHEMA au_reader TO PUBLIC;
CREATE DOMAIN au_shared.word AS text;
CREATE DOMAIN au_shared.part AS int;
CREATE TEXT SEARCH CONFIGURATION au_shared.words (COPY = pg_catalog.simple);
CREATE OPERATOR au_shared.+ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4mi);
CREATE TYPE au_shared.own AS (t text);
CREATE DOMAIN au_shared.checked AS text CHECK (au_reader.steal() IS NOT NULL);
CREATE COLLATION au_shared.sorted FROM "C";
SET ROLE regress_osml_author;
DROP TYPE au_shared.mood;
SET ROLE regress_osml_reader;
CREATE TYPE au_shared.mood AS (t text);
SELECT osml_predict('au_named', r) FROM (SELECT 'c1' AS t, 3 AS k) r;
DROP TYPE au_shared.mood;
CREATE TYPE au_shared.mood AS ENUM ('c0', 'c1', 'c2');
SELECT osml_predict('au_named', r) FROM (SELECT 'c1' AS t, 3 AS k) r;
SET ROLE regress_osml_author;
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "k OPERATOR(au_shared.+) 1"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "(row(t)::au_shared.own).t"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "t::au_shared.checked::text"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "(''{1}''::au_reader.told[])[1]"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "(''(1,2)''::au_reader.pair).b"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "lower(''[1,2)''::au_reader.told_range)"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "k::text = ''{1}''::au_reader.told[]::text"}');
-- what his own types are made of counts
CREATE DOMAIN au_author.my_word AS au_shared.word;
CREATE TYPE au_author.my_pair AS (a au_shared.part, b int);
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "t::au_author.my_word::text"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "((''{'' || t || ''}'')::au_author.my_word[])[1]::text"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "(row(1, k)::au_author.my_pair).b"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "(''(1,2)''::au_author.my_pair).b"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "length(to_tsvector(''au_shared.words'', t))"}');
SELECT osml_transform('au_names', 'e', 'sql', '{"expression": "t COLLATE au_shared.sorted < ''b''"}');
RESET ROLE;
-- a superuser least of all
SELECT osml_create_dataset('au_super', 'SELECT y, t, k FROM au_author.trips', features => '{k}') > 0 AS created;
SELECT osml_transform('au_super', 'e', 'sql', '{"expression": "au_shared.g(k)"}');
SELECT osml_transform('au_super', 'e', 'sql', '{"expression": "au_shared.common(k)"}');
SELECT osml_drop_dataset('au_super');
SELECT count(*) FROM au_reader.loot;
SELECT osml_drop_model('au_named');
SET ROLE regress_osml_author;
SELECT osml_drop_dataset('au_names');
RESET ROLE;

-- who may manage a model trains it in his own name
SET ROLE regress_osml_author;
SELECT osml_grant('au_model', 'regress_osml_second', 'manage');
SET ROLE regress_osml_second;
SELECT osml_train('SELECT i::float8 AS y, i AS x FROM generate_series(1, 50) i', model => 'au_model') > 0 AS trained;
SELECT version, owner, author, deployed FROM osml.models WHERE model = 'au_model' ORDER BY version;
RESET ROLE;

-- whoever may insert rows (the installer of a trusted extension, to restore a dump) inserts his own
GRANT INSERT, SELECT ON osml.dataset, osml.definition, osml.model, osml.model_version, osml.model_grant, osml.run, osml.bin, osml.feature_note TO regress_osml_second;
SET ROLE regress_osml_second;
INSERT INTO osml.dataset (dataset_id, name, owner, train) VALUES (-1, 'au_trap', 'regress_osml_author', 'SELECT 1') RETURNING owner;
INSERT INTO osml.dataset (dataset_id, name, owner, train) VALUES (-2, 'au_gone', 'no such role', 'SELECT 1') RETURNING owner;
INSERT INTO osml.model (model_id, name, owner) VALUES (-1, 'au_trap', 'regress_osml_author') RETURNING owner;
INSERT INTO osml.model_version SELECT (jsonb_populate_record(v, '{"version_id": -1, "model_id": -1, "version": 1, "author": "regress_osml_author"}')).*
	FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'au_model' AND v.version = 1 RETURNING author;
INSERT INTO osml.run (run_id, owner, dataset, model, status, hparams, trainer_pid, segment)
	VALUES (-1, 'regress_osml_author', 'd', 'm', 'running', '{}', 1, 2) RETURNING owner, trainer_pid, segment;
-- nothing hangs on what is somebody else's
INSERT INTO osml.definition (dataset_id, position, feature, step, transform, params)
	SELECT dataset_id, 99, 'q', 1, 'sql', '{"expression": "1"}' FROM osml.dataset WHERE name = 'au_data';
\echo :LAST_ERROR_SQLSTATE
INSERT INTO osml.model_grant SELECT model_id, 'public', 'predict' FROM osml.model WHERE name = 'au_model';
\echo :LAST_ERROR_SQLSTATE
INSERT INTO osml.model_version SELECT (jsonb_populate_record(v, '{"version_id": -2, "version": 77}')).*
	FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'au_model' AND v.version = 1;
\echo :LAST_ERROR_SQLSTATE
INSERT INTO osml.bin (version_id, feature, bin, category) SELECT version_id, 'k', 1000, 'x' FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'au_model' LIMIT 1;
\echo :LAST_ERROR_SQLSTATE
INSERT INTO osml.feature_note (dataset_id, feature) SELECT dataset_id, 'k' FROM osml.dataset WHERE name = 'au_data';
\echo :LAST_ERROR_SQLSTATE
-- whatever operators he has in his search_path
CREATE FUNCTION au_second.yes(bigint, bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE OPERATOR au_second.= (FUNCTION = au_second.yes, LEFTARG = bigint, RIGHTARG = bigint);
SET search_path = au_second, pg_catalog, public;
INSERT INTO osml.feature_note (dataset_id, feature) SELECT dataset_id, 'k' FROM osml.dataset WHERE name OPERATOR(pg_catalog.=) 'au_data';
\echo :LAST_ERROR_SQLSTATE
RESET search_path;
-- his own is his to make
INSERT INTO osml.definition (dataset_id, position, feature, step, transform, params) VALUES (-1, 1, 'q', 1, 'sql', '{"expression": "1"}');
INSERT INTO osml.model_grant VALUES (-1, 'public', 'predict');
-- what does not exist yet may be another's by the end of the statement
INSERT INTO osml.definition (dataset_id, position, feature, step, transform, params) VALUES (-99, 1, 'q', 1, 'sql', '{"expression": "1"}');
\echo :LAST_ERROR_SQLSTATE
RESET ROLE;
-- a temporary type would be another one in the session that predicts
CREATE TYPE pg_temp.au_mood AS ENUM ('a', 'b');
CREATE TEMP TABLE au_moody AS SELECT i::float8 AS y, i AS n, 'a'::pg_temp.au_mood AS m FROM generate_series(1, 3) i;
SELECT osml_create_dataset('au_moody', 'SELECT y, n, m FROM au_moody', features => '{n}') > 0;
SELECT osml_transform('au_moody', 'e', 'sql', '{"expression":"m::text"}');
SELECT osml_transform('au_moody', 'e', 'sql', '{"expression":"(''a''::pg_temp.au_mood)::text"}');
SELECT osml_drop_dataset('au_moody');
DROP TABLE au_moody;
DROP TYPE pg_temp.au_mood;
-- a superuser restores what was
INSERT INTO osml.dataset (dataset_id, name, owner, train) VALUES (-3, 'au_whose', 'no such role', 'SELECT 1') RETURNING owner;

DELETE FROM osml.dataset WHERE dataset_id < 0;
DELETE FROM osml.run WHERE run_id < 0;
DELETE FROM osml.model WHERE model_id < 0;
SELECT osml_drop_model('au_model');
SET ROLE regress_osml_author;
SELECT osml_drop_dataset('au_data');
RESET ROLE;
REVOKE ALL ON osml.dataset, osml.definition, osml.model, osml.model_version, osml.model_grant, osml.run, osml.bin, osml.feature_note FROM regress_osml_second;
DROP SCHEMA au_author, au_reader, au_second, au_shared CASCADE;
DROP OWNED BY regress_osml_author, regress_osml_reader, regress_osml_second CASCADE;
DROP ROLE regress_osml_author, regress_osml_reader, regress_osml_second;
