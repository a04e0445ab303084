-- Expressions of features: settings have no say, and the row alone makes the value.
CREATE SCHEMA sexpr;
SET search_path = sexpr, public;
SET client_min_messages = warning;
\pset format unaligned
\pset tuples_only
CREATE TABLE rows AS
	SELECT (i % 7)::float8 AS y, (i % 5) / 3.0::float8 AS x, 'k' || i % 5 || '\n' AS t, nullif(i % 3, 0) AS n, i::float4 AS f4,
		date '2024-01-01' + i AS d, timestamptz '2024-01-01 00:00+00' + i * interval '1 hour' AS at, decode('dead', 'hex') AS b
	FROM generate_series(1, 300) i;
SELECT osml_create_dataset('expr', 'rows', features => '{x}') > 0;

-- --- Settings ---------------------------------------------------------------------
-- Each expression would be another one, or have another value, under the session's.
SELECT osml_transform('expr', 'f' || i, 'sql', jsonb_build_object('expression', e)) FROM unnest(ARRAY[
	$$t = 'k1\n'$$,
	$$E'it\'s ' || t$$,
	$$coalesce(('{NULL}'::text[])[1], 'none') || t$$,
	$$CASE WHEN n = NULL THEN 1 ELSE 0 END$$,
	$$length(to_tsvector('the running dogs ' || t)::text)$$,
	$$x::text$$,
	$$b::text$$,
	$$(at - '2024-01-01')::text$$,
	$$age(at, '2024-01-01 00:00+00'::timestamptz)::text$$,
	$$to_char(at, 'HH24 TMDay') || quote_ident(t)$$,
	$$to_char(x, '9D99')$$,
	$$xmlelement(name v, b)::text$$,
	$$'01/02/03'::date - d$$,
	$$('0' || n::text || '/02/03 10:00 EST')::timestamptz > at$$,
	$$at::text$$,
	$$x::numeric::money::text$$,
	$$point(x, x)::text$$,
	$$concat(f4, at, b)$$]) WITH ORDINALITY AS u(e, i);
SELECT count(*) > 0 FROM osml_analyze('expr');
CREATE FUNCTION features(r rows) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(coalesce(f.category, round(f.value::numeric, 3)::text), '; ' ORDER BY f."column") FROM osml_transform_row('expr', r) f$$;
CREATE TABLE plain AS SELECT d, features(r) AS v FROM rows r WHERE d < '2024-01-08';
SELECT v FROM plain ORDER BY d LIMIT 1;
CREATE FUNCTION differ(setting text, value text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before text := current_setting(setting);
	n bigint;
BEGIN
	PERFORM set_config(setting, value, false);
	EXECUTE 'SELECT count(*) FROM sexpr.rows r JOIN sexpr.plain USING (d) WHERE sexpr.features(r) IS DISTINCT FROM v' INTO n;
	PERFORM set_config(setting, before, false);
	RETURN n;
END $$;
SELECT setting, differ(setting, value) FROM (VALUES ('standard_conforming_strings', 'off'), ('backslash_quote', 'off'),
	('array_nulls', 'off'), ('transform_null_equals', 'on'), ('default_text_search_config', 'english'), ('extra_float_digits', '-10'),
	('bytea_output', 'escape'), ('IntervalStyle', 'iso_8601'), ('TimeZone', 'Asia/Tokyo'), ('DateStyle', 'SQL, DMY'),
	('timezone_abbreviations', 'Australia'), ('quote_all_identifiers', 'on'), ('xmlbinary', 'hex'), ('xmloption', 'document')) s (setting, value);

-- Who reads makes no difference either.
SELECT osml_create_dataset('expr2', 'rows', features => '{x}') > 0;
SELECT osml_transform('expr2', 'z', 'sql', '{"expression": "length(to_tsvector(''the running dogs '' || t)::text) * x"}');
SET default_text_search_config = 'english';
SELECT osml_train('expr2', '{"optimizer": "exact"}', 'by_caller') > 0, osml_train('expr2', '{"optimizer": "exact", "num_workers": 2}', 'by_readers') > 0;
RESET default_text_search_config;
SELECT count(*), count(DISTINCT weight) FROM osml.weights WHERE model IN ('by_caller', 'by_readers') AND feature = 'z';

SET timezone_abbreviations = 'Australia';
SELECT osml_train('SELECT y, (''2024-01-01 00:00:0'' || n || '' EST'')::timestamptz AS at FROM sexpr.rows WHERE n IS NOT NULL', jsonb_build_object('max_epochs', 1, 'num_workers', w), 'by_' || w) > 0
	FROM generate_series(0, 1) w;
SELECT count(DISTINCT mean) FROM osml.features WHERE model IN ('by_0', 'by_1');
SELECT osml_drop_model('by_0'), osml_drop_model('by_1');
RESET timezone_abbreviations;

-- --- The row alone ----------------------------------------------------------------
CREATE FUNCTION plain(x float8) RETURNS float8 LANGUAGE plpgsql AS 'BEGIN RETURN x; END';
CREATE FUNCTION stable(x float8) RETURNS float8 LANGUAGE plpgsql STABLE PARALLEL SAFE AS 'BEGIN RETURN x; END';
CREATE FUNCTION serial(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN x; END';
CREATE FUNCTION good(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN x; END';
CREATE FUNCTION hidden(x float8, r float8 DEFAULT random()) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT x * r';
CREATE FUNCTION inlined(x date) RETURNS int LANGUAGE sql STABLE PARALLEL SAFE AS 'SELECT current_date - x';
CREATE FUNCTION pg_temp.mine(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT x';
CREATE DOMAIN checked AS float8 CHECK (sexpr.serial(value) >= 0);
CREATE DOMAIN sound AS float8 CHECK (sexpr.good(value) >= 0);
CREATE OPERATOR @@@ (RIGHTARG = float8, FUNCTION = serial);
CREATE FUNCTION outcome(e text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	PERFORM osml_transform('expr2', 'new', 'sql', jsonb_build_object('expression', e));
	PERFORM osml_drop_feature('expr2', 'new');
	RETURN 'ok';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || regexp_replace(SQLERRM, 'pg_temp_\d+', 'pg_temp') || ' | ' || detail;
END $$;
SELECT e, outcome(e) FROM unnest(ARRAY['sexpr.plain(x)', 'sexpr.stable(x)', 'sexpr.serial(x)', 'sexpr.good(x)', 'sexpr.serial(1)',
	'sexpr.hidden(x)', 'sexpr.hidden(x, 2)', 'sexpr.inlined(d)', 'pg_temp.mine(x)', 'x::sexpr.checked', 'x::sexpr.sound',
	'OPERATOR(sexpr.@@@) x']) e;
SELECT osml_transform('expr2', 'new', 'sql', '{"expression": "sexpr.serial(x)"}');
SELECT osml_transform('expr2', 'new', 'sql', '{"expression": "current_setting(''app.x'', true)"}');
SELECT osml_transform('expr2', 'new', 'sql', '{"expression": "d - ''today''"}');
SELECT e, outcome(e) FROM unnest(ARRAY['random()', 'now() > at', 'clock_timestamp() > at', 'age(at)', 'age(d)', 'current_user', 'localtime::text',
	'pg_backend_pid()', 'pg_postmaster_start_time() > at', 'pg_conf_load_time() > at', 'txid_current()::text', $$has_schema_privilege('sexpr', 'usage')$$,
	'version()', 'pg_column_size(t)', 'current_database()', 't::regclass::text', $$concat(x, 'pg_class'::regclass)$$, $$nextval('s')$$]) e;
SELECT e, outcome(e) FROM unnest(ARRAY[$$extract(epoch FROM 'now'::timestamptz) + x$$, $$'today'::date - d$$, $$d > 'Yesterday'$$,
	$$at < timestamptz 'tomorrow 10:00'$$, $$('no' || 'w')::timestamptz > at$$, $$'{2024-01-01,now}'::timestamptz[] @> ARRAY[at]$$,
	$$'[2024-01-01,now)'::tstzrange @> at$$, $$t = 'now'$$, $$'today ' || t$$, $$d > '2024-01-01'$$]) e;
-- Checks of a domain and casts to json run unseen.
CREATE TYPE mood AS ENUM ('k0', 'k1');
CREATE TYPE pair AS (m mood, n int);
CREATE FUNCTION tell(mood) RETURNS json LANGUAGE sql VOLATILE AS 'SELECT to_json(random())';
CREATE CAST (mood AS json) WITH FUNCTION tell(mood);
CREATE DOMAIN again AS text CHECK ((value::text)::sexpr.checked IS NOT NULL);
SELECT e, outcome(e) FROM unnest(ARRAY[$$(('{' || x || '}')::sexpr.checked[])[1]$$, $$(('{' || x || '}')::sexpr.sound[])[1]$$, 't::sexpr.again::text',
	$$to_json('k1'::sexpr.mood) ->> 0$$, $$to_jsonb(row('k1', n)::sexpr.pair)::text$$, $$jsonb_build_object('a', ARRAY['k1'::sexpr.mood])::text$$,
	$$to_jsonb(n) ->> 0$$, $$('k1'::sexpr.mood)::text$$]) e;
-- Domains over domains, and literals of all kinds of types.
CREATE DOMAIN checked_too AS sexpr.checked;
CREATE DOMAIN plain_number AS float8;
CREATE DOMAIN plain_too AS sexpr.plain_number CHECK (VALUE > -1);
SELECT e, outcome(e) FROM unnest(ARRAY['x::sexpr.checked_too', $$('{1}'::sexpr.checked_too[])[1]$$, 'x::sexpr.plain_too', $$('{1}'::sexpr.plain_too[])[1]$$,
	$$'[1,2)'::int4range @> n$$, $$('{"a": 1}'::jsonb ->> 'a')::int + n$$, $$t IN ('k1', 'k2') OR t LIKE 'a%' ESCAPE 'x'$$, $$CASE t WHEN 'a' THEN '1' ELSE '2' END$$,
	$$extract(hour FROM at) + date_part('day', d)$$, $$interval '1 day' > '2 hours'$$, $$x::numeric(10, 2) || 'a'$$, $$'a' || 'b'$$, $$'a'$$, $$E'\\x01'::bytea = b$$,
	$$'pg_class'::regclass::oid::int8$$, $$'postgres'::regrole::oid::int8$$, $$ts_lexize('simple', t)::text$$, $$'k1'::sexpr.mood = t::sexpr.mood$$, '$1', '$1000000 || t', $$x || $1000001$$]) e;
-- Texts of rows tell the time in the row's stead, and are refused with it.
CREATE FUNCTION seen(t text, e text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	seen text;
BEGIN
	PERFORM osml_transform('expr2', 'new', 'sql', jsonb_build_object('expression', e));
	SELECT value INTO seen FROM osml_transform_row('expr2', (SELECT r FROM (SELECT seen.t, 1::float8 AS x) r)) WHERE feature = 'new';
	RETURN seen;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
SELECT t, e, seen(t, e) FROM (VALUES ('2024-01-03', $$(ARRAY[t, 'z'])[1]::date - '2024-01-01'$$), ('Today', $$(ARRAY[t, 'z'])[1]::date - '2024-01-01'$$),
	('w', $$lower('NO' || t)::timestamptz > '2024-01-01'$$), ('w', $$(ARRAY['no' || t]::timestamptz[])[1] > '2024-01-01'$$),
	('tomorrow', 't::varchar(20)::date > $$2024-01-01$$'), ('w', $$(CASE WHEN t = 'w' THEN 'now' ELSE '2024-01-01' END)::date > '2024-01-01'$$),
	('w', $$('[2024-01-01,no' || t || ']')::tstzrange @> '2024-01-02 UTC'::timestamptz$$), ('w', $$(t || '2024-01-01')::date > '2024-01-01'$$)) v (t, e);
-- What looks at nothing but a pinned setting may stay.
SELECT e, outcome(e) FROM unnest(ARRAY['extract(hour FROM at)', $$date_trunc('day', at) < d$$, $$at AT TIME ZONE 'Asia/Tokyo' > d$$, 'at::date - d',
	$$at + interval '1 day' > at$$, $$to_char(at, 'Day')$$, $$to_date(t, 'YYYY') > d$$, $$to_tsvector('english', t)::text$$, 't::date - d', 'n || t',
	$$format('%s %s', t, x)$$, $$to_jsonb(at) ->> 0$$, 'ARRAY[d]::text', $$('[' || x || ',)')::numrange::text$$]) e;

-- Candidates of a report are held to the same.
SELECT count(*) FROM osml_feature_report('expr2', ARRAY['sexpr.serial(x)']);
SELECT count(*) FROM osml_feature_report('expr2', ARRAY['''today'' - d']);
-- The report's query looks names up in the session, which must mean the same.
CREATE FUNCTION length(t varchar) RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 777';
SELECT count(*) FROM osml_feature_report('expr2', ARRAY['length(t::varchar)']);
SET DateStyle = 'ISO, DMY';
SELECT count(*) FROM osml_feature_report('expr2', ARRAY[$$d - '01/02/03'$$]);
RESET DateStyle;
CREATE FUNCTION lower(t varchar) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 1.0';
SET search_path = sexpr, pg_catalog, public;
SELECT count(*) FROM osml_feature_report('expr2', ARRAY['lower(t::varchar)']);
SET search_path = sexpr, public;

-- A function that is no longer what it was said to be.
SELECT osml_transform('expr2', 'z', 'sql', '{"expression": "sexpr.good(x)"}');
SELECT osml_train('expr2', '{"optimizer": "exact"}', 'by_caller') > 0;
ALTER FUNCTION good VOLATILE;
SELECT osml_predict('by_caller', r) FROM rows r LIMIT 1;

SELECT osml_drop_model(m) FROM unnest('{by_caller, by_readers}'::text[]) m;
SELECT osml_drop_dataset(d) FROM unnest('{expr, expr2}'::text[]) d;
DROP SCHEMA sexpr CASCADE;
