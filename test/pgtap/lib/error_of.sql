-- error_of.sql: what a statement raises, for tests to compare; to be included.
-- 'SQLSTATE message | hint', or that there was none
CREATE FUNCTION error_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text;
BEGIN
	EXECUTE sql;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE || ' ' || regexp_replace(message, 'run \d+', 'run N'), nullif(hint, ''));
END $$;
