-- osml_check beside osml_train: an error row where the run fails, none where it finishes.
\pset format unaligned
\pset tuples_only on
\set SHOW_CONTEXT never
SET client_min_messages = warning;
SET osml.progress_interval = 0;

CREATE TABLE ca_rows AS
	SELECT i, i::float8 AS y, hashint4(i) / 1e9 AS a, hashint4(i + 1) / 1e9 AS b, 'k' || i % 5 AS kind, 'c' || i % 3 AS cls, i % 2 = 0 AS flag, i % 7 AS n
	FROM generate_series(1, 60) i;

-- one line a call: what is foretold, what the run says, and whether that is the same
CREATE FUNCTION pg_temp.agrees(dataset text, hparams jsonb DEFAULT '{}') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	foretold text;
	said text := 'finished';
BEGIN
	IF NOT hparams ? 'optimizer' THEN hparams := '{"max_epochs":2}' || hparams; END IF;
	SELECT string_agg(format('%s %s: %s', "check", subject, message || coalesce(' (' || hint || ')', '')), '; ') INTO foretold
		FROM osml_check(dataset, hparams) WHERE verdict = 'error';
	BEGIN
		PERFORM osml_train(dataset, hparams, 'ca_model');
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS said = MESSAGE_TEXT;
	END;
	RETURN format('%s: %s', CASE WHEN (foretold IS NULL) = (said = 'finished') THEN 'agree' ELSE 'DISAGREE, run: ' || said END, coalesce(foretold, 'no error'));
END $$;

-- a definition without a value to learn from
CREATE TABLE ca_values (name text, expression text);
INSERT INTO ca_values VALUES ('null', 'NULL'), ('nan', '''NaN'''), ('infinite', '''Infinity'''), ('constant', '3'), ('one', 'CASE WHEN i = 11 THEN 2 END');
CREATE TABLE ca_transforms (name text, params jsonb);
INSERT INTO ca_transforms VALUES ('impute', '{"method":"median"}'), ('impute', '{"method":"mean"}'), ('standardize', '{}'), ('minmax', '{}'),
	('bin', '{"bins":4}'), ('bin', '{"bins":4, "method":"quantile"}');
CREATE FUNCTION pg_temp.transform(v ca_values, t ca_transforms) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM osml_create_dataset('ca_made', format('SELECT y, a, %s::float8 AS v FROM ca_rows', v.expression));
	PERFORM osml_transform('ca_made', 'made', t.name, t.params || '{"input":"v"}');
	RETURN NEXT format('%s of %s %s', t.name, v.name, pg_temp.agrees('ca_made'));
	-- the one value is held out, or it is not
	IF v.name = 'one' THEN
		RETURN QUERY SELECT format('%s, seed %s %s', t.name, seed, pg_temp.agrees('ca_made', jsonb_build_object('val_fraction', 0.5, 'on_null', 'mean', 'seed', seed)))
			FROM generate_series(3, 5) seed;
	END IF;
	PERFORM osml_drop_dataset('ca_made');
END $$;
SELECT pg_temp.transform(v, t) FROM ca_values v, ca_transforms t WHERE v.name IN ('null', 'one') ORDER BY v.name, t.name, t.params;
SELECT pg_temp.transform(v, t) FROM ca_values v, ca_transforms t WHERE v.name NOT IN ('null', 'one') AND t.name IN ('impute', 'bin') ORDER BY v.name, t.name, t.params;
-- categories of nothing; a chain; the only values, and those too large, are beyond the rows of a trial
SELECT osml_create_dataset('ca_chain', 'SELECT y, a, NULL::float8 AS v, NULL::text AS word FROM ca_rows') > 0;
SELECT osml_transform('ca_chain', 'twice', 'sql', '{"expression": "v * 2"}'), osml_transform('ca_chain', 'word', 'category');
SELECT pg_temp.agrees('ca_chain', '{"on_null":"mean"}');
SELECT osml_drop_feature('ca_chain', 'word');
SELECT pg_temp.agrees('ca_chain', '{"on_null":"mean"}');
SELECT osml_transform('ca_chain', 'twice', 'standardize');
SELECT pg_temp.agrees('ca_chain', '{"on_null":"mean"}');
SELECT osml_create_dataset('ca_late', 'SELECT i AS y, CASE WHEN i > 39000 THEN i END AS v FROM generate_series(1, 40000) i') > 0;
SELECT osml_transform('ca_late', 'v', 'impute', '{"method":"median"}');
SELECT pg_temp.agrees('ca_late');
SELECT osml_create_dataset('ca_huge', 'SELECT i AS y, CASE WHEN i > 39000 THEN 1e308 * (1 - 2 * (i % 2)) ELSE i END AS v FROM generate_series(1, 40000) i') > 0;
SELECT osml_transform('ca_huge', 'v', 'standardize');
SELECT pg_temp.agrees('ca_huge');

-- labels: constant ones, of amounts, counts and classes; too many classes; names of none
CREATE TABLE ca_labels (label text, hparams jsonb[]);
INSERT INTO ca_labels VALUES ('3.0::float8', '{"{}", "{\"loss\":\"mae\"}", "{\"model_type\":\"poisson\"}", "{\"model_type\":\"logistic\"}", "{\"optimizer\":\"exact\"}"}'), ('true', '{"{}", "{\"optimizer\":\"exact\"}"}'), ('''x''::text', '{"{}", "{\"model_type\":\"softmax\"}"}'),
	('NULL::text', '{"{}"}'), ('cls', '{"{}", "{\"model_type\":\"logistic\"}", "{\"classes\":2}", "{\"class_weight\":{\"zz\":2}}"}'), ('n - 3', '{"{}", "{\"model_type\":\"poisson\"}"}');
SELECT label, h, pg_temp.agrees(format('SELECT %s AS y, a, kind FROM ca_rows', label), h) FROM ca_labels, unnest(hparams) h;
SELECT pg_temp.agrees('SELECT n AS y, a, kind FROM ca_rows', h) FROM unnest('{"{\"classes\":7}", "{\"classes\":7, \"model_type\":\"softmax\"}", "{\"divergence_factor\":0.5}", "{\"divergence_factor\":1}"}'::jsonb[]) h;
SELECT "check", verdict, message, hint FROM osml_check('SELECT 3.0 AS y, a FROM ca_rows') WHERE "check" = 'label';
SELECT pg_temp.agrees(format('SELECT ''c'' || i AS y, i::float8 AS a FROM generate_series(1, %s) i', n)) FROM unnest('{1000,1001}'::int[]) n;
SELECT pg_temp.agrees('SELECT y, a FROM ca_rows', '{"scale_label":"none"}');

-- held-out rows that are of no use do not end a run
SELECT osml_create_dataset('ca_val', 'SELECT y, a FROM ca_rows', val => 'SELECT y, NULL::float8 AS a FROM ca_rows', test => 'SELECT y, NULL::float8 AS a FROM ca_rows') > 0;
SELECT h, pg_temp.agrees('ca_val', h) FROM unnest('{"{}", "{\"on_null\":\"error\"}", "{\"early_stopping\":true}"}'::jsonb[]) h;
SELECT "check", verdict, subject, figure FROM osml_check('ca_val') WHERE "check" = 'nulls';

-- an outlier ends a run where it is trained on, not where it is held out
SELECT i, pg_temp.agrees(format('SELECT y, CASE WHEN i = %s THEN 1e308 ELSE a END AS a FROM ca_rows', i), '{"val_fraction":0.5}') FROM generate_series(1, 4) i;
SELECT i, pg_temp.agrees(format('SELECT CASE WHEN i = %s THEN -1 ELSE n END AS y, a FROM ca_rows', i), '{"val_fraction":0.5, "model_type":"poisson"}') FROM generate_series(1, 4) i;

-- exact: squares that are beyond float64, about the mean, or about zero
SELECT h, pg_temp.agrees('SELECT y, CASE WHEN i = 5 THEN 1e308 ELSE a END AS a, b FROM ca_rows', h) FROM unnest('{"{\"optimizer\":\"exact\"}", "{\"optimizer\":\"exact\", \"scale\":\"none\"}"}'::jsonb[]) h;
SELECT h, pg_temp.agrees('SELECT y, 1e200::float8 AS a, b FROM ca_rows', h) FROM unnest('{"{\"optimizer\":\"exact\"}", "{\"optimizer\":\"exact\", \"bias\":false, \"scale\":\"none\"}"}'::jsonb[]) h;

-- more categories than it has memory for
SET osml.max_memory = '3MB';
SELECT n, pg_temp.agrees(format('SELECT i AS y, ''k'' || i AS k FROM generate_series(1, %s) i', n), '{"optimizer":"exact"}') FROM unnest('{100,350}'::int[]) n;
RESET osml.max_memory;
-- and what the step loop takes is foretold too: gradient and optimiser, copies of weights
SET osml.max_memory = '12MB';
SELECT h, pg_temp.agrees('ca_rows', '{"model_type":"mlp", "num_hidden_neurons":[256,256], "features":["a"], "batch_size":60}' || h)
	FROM unnest('{"{}", "{\"save_top_k\":3}", "{\"save_top_k\":3, \"save_last\":true, \"on_nonfinite\":\"rollback\", \"weight_averaging\":\"ema\", \"every_n_train_steps\":1, \"drop_last\":true}"}'::jsonb[]) h;
RESET osml.max_memory;

-- values so large that the first step is infinite; where others may come before it nothing is sure
SELECT h, pg_temp.agrees('SELECT y, CASE WHEN i = 5 THEN 1e200 ELSE a END AS a, b FROM ca_rows', h) FROM unnest('{"{\"scale\":\"none\"}", "{\"scale\":\"none\", \"model_type\":\"mlp\", \"num_hidden_neurons\":[4]}"}'::jsonb[]) h;
SELECT pg_temp.agrees('SELECT CASE WHEN i = 5 THEN 1e308 ELSE n END AS y, a FROM ca_rows', '{"model_type":"poisson"}');
SELECT i, pg_temp.agrees(format('SELECT y, CASE WHEN i = %s THEN 1e200 ELSE a END AS a, b FROM ca_rows', i), '{"val_fraction":0.5, "scale":"none"}') FROM generate_series(1, 4) i;
SELECT "check", verdict, message, hint FROM osml_check('SELECT y, CASE WHEN i = 50 THEN 1e200 ELSE a END AS a, b FROM ca_rows', '{"scale":"none", "batch_size":8}') WHERE "check" = 'training';

-- rows that weigh nothing, counts that would be standardized, numbers that were meant as classes
SELECT h, pg_temp.agrees('SELECT n, a, 0 * a AS w, a / a AS one, cls FROM ca_rows', h) FROM unnest('{"{\"sample_weight\":\"w\"}", "{\"sample_weight\":\"w\", \"model_type\":\"poisson\", \"scale\":\"none\", \"shuffle\":\"none\", \"max_epochs\":1}",
	"{\"exposure\":\"one\", \"model_type\":\"poisson\"}", "{\"model_type\":\"poisson\", \"scale_label\":\"standardize\"}", "{\"classes\":7}", "{\"label\":\"cls\", \"sample_weight\":\"w\"}",
	"{\"label\":\"cls\", \"class_weight\":{\"c0\":0, \"c1\":0, \"c2\":0}}", "{\"label\":\"cls\", \"class_weight\":{\"c0\":0, \"c1\":0}}"}'::jsonb[]) h;

SELECT osml_drop_model('ca_model');
SELECT osml_drop_dataset(d) FROM unnest('{ca_chain,ca_late,ca_huge,ca_val}'::text[]) d;
DROP FUNCTION pg_temp.transform;
DROP TABLE ca_rows, ca_values, ca_transforms, ca_labels;
