-- find_lr.sql: the learning-rate range test.
--
-- Of a line through 0 the loss is A w^2 - 2 B w + C, so steps of gradient descent over
-- all rows, and with them the whole curve, are a recursion in SQL.
-- test/unit/test_range.c compares smoothing and suggestion with numpy.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(42);

-- 'SQLSTATE message | hint', or that there was none
CREATE FUNCTION error_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text;
BEGIN
	EXECUTE sql;
	RETURN 'no error';
EXCEPTION WHEN OTHERS OR query_canceled THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' | ', SQLSTATE || ' ' || regexp_replace(message, 'run \d+', 'run N'), nullif(hint, ''));
END $$;

CREATE TABLE rows AS SELECT 3.0::float8 * x + (hashint4(i) & 255) / 256.0 AS y, x FROM (SELECT i, (i % 17) / 8.0::float8 - 1 AS x FROM generate_series(1, 200) i) s;

-- --- the curve ------------------------------------------------------------------------

CREATE FUNCTION replay(lo float8, hi float8, n int, linear bool) RETURNS TABLE (step int, lr float8, loss float8, raw_loss float8) LANGUAGE sql AS $$
	WITH RECURSIVE sums AS (SELECT avg(x * x) AS a, avg(x * y) AS b, avg(y * y) AS c FROM rows),
	rates AS (SELECT s AS step, CASE WHEN linear THEN lo + (hi - lo) * (s - 1) / (n - 1) ELSE lo * (hi / lo) ^ ((s - 1) / (n - 1.0::float8)) END AS lr FROM generate_series(1, n) s),
	steps AS (
		SELECT 1 AS step, -2.0::float8 AS w, 0.0::float8 AS average
		UNION ALL
		SELECT p.step + 1, p.w - r.lr * 2 * (a * p.w - b), 0.98 * p.average + 0.02 * (a * p.w ^ 2 - 2 * b * p.w + c)
			FROM steps p JOIN rates r USING (step), sums WHERE p.step < n),
	losses AS (SELECT step, w, a * w ^ 2 - 2 * b * w + c AS raw_loss, average FROM steps, sums)
	SELECT step, lr, (0.98 * average + 0.02 * raw_loss) / (1 - 0.98 ^ step), raw_loss FROM losses JOIN rates USING (step) $$;
CREATE FUNCTION test(source text, hparams jsonb DEFAULT '{}', lo float8 DEFAULT 1e-4, hi float8 DEFAULT 1, n int DEFAULT 100, mode text DEFAULT 'exponential', threshold float8 DEFAULT 4)
RETURNS TABLE (step bigint, lr float8, loss float8, raw_loss float8, suggestion boolean) LANGUAGE sql AS $$
	SELECT * FROM osml_find_lr(source, '{"optimizer": "SGD", "scale": "none", "scale_label": "none", "bias": false, "initial_weights": [-2], "batch_size": 200, "shuffle": "none"}'::jsonb || hparams, lo, hi, n, mode, threshold) $$;
CREATE FUNCTION far(a float8, b float8) RETURNS bool LANGUAGE sql RETURN abs(a - b) > 1e-10 * abs(b);

CREATE TEMP TABLE exponential AS SELECT * FROM test('rows');
CREATE TEMP TABLE linear AS SELECT * FROM test('rows', lo => 0.001, hi => 0.5, n => 60, mode => 'LINEAR');
SELECT is(count(*), 100::bigint, 'a row for each step'), is(min(step), 1::bigint, 'from 1'), is(min(lr), 1e-4::float8, 'lr begins at min_lr'), is(max(lr), 1::float8, 'and ends at max_lr') FROM exponential;
SELECT is(count(*) FILTER (WHERE far(e.lr, r.lr)), 0::bigint, 'exponential: lr'), is(count(*) FILTER (WHERE far(e.raw_loss, r.raw_loss)), 0::bigint, 'exponential: losses'),
	is(count(*) FILTER (WHERE far(e.loss, r.loss)), 0::bigint, 'exponential: smoothed'), is(count(*), 100::bigint, 'all were compared')
	FROM exponential e JOIN replay(1e-4, 1, 100, false) r USING (step);
SELECT is(count(*) FILTER (WHERE far(e.lr, r.lr)), 0::bigint, 'linear: lr'), is(count(*) FILTER (WHERE far(e.raw_loss, r.raw_loss)), 0::bigint, 'linear: losses'),
	is(count(*) FILTER (WHERE far(e.loss, r.loss)), 0::bigint, 'linear: smoothed'), is(count(*), 60::bigint, 'all were compared')
	FROM linear e JOIN replay(0.001, 0.5, 60, true) r USING (step);
-- the steepest descent of steps 11 to n - 1
SELECT is((SELECT step FROM exponential WHERE suggestion), (SELECT step FROM
		(SELECT step, (coalesce(lead(loss) OVER w, loss) - coalesce(lag(loss) OVER w, loss)) / (count(*) OVER (w ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) - 1) AS slope
			FROM exponential WHERE step BETWEEN 11 AND 99 WINDOW w AS (ORDER BY step)) s ORDER BY slope, step LIMIT 1), 'the suggestion is the steepest descent'),
	is(count(*) FILTER (WHERE suggestion), 1::bigint, 'there is one') FROM exponential;

-- --- where it ends -----------------------------------------------------------------------

-- a rate far too high: steps go on until the smoothed loss is four times its best
CREATE TEMP TABLE ended AS SELECT * FROM test('rows', lo => 0.1, hi => 1000);
CREATE TEMP TABLE never AS SELECT * FROM test('rows', lo => 0.1, hi => 1000, n => 60, threshold => NULL);
SELECT cmp_ok(count(*), '<', 100::bigint, 'it ends early'), is(bool_or(loss > 4 * best AND step < last), false, 'not before the loss is four times the best'),
	is(bool_or(loss > 4 * best AND step = last), true, 'but then at once')
	FROM (SELECT step, loss, max(step) OVER () AS last, min(loss) OVER (ORDER BY step) AS best FROM ended) s;
SELECT is(count(*), 60::bigint, 'NULL: never') FROM never;
SET client_min_messages = error;
CREATE TEMP TABLE overflown AS SELECT * FROM test('rows', lo => 1, hi => 1e300, threshold => NULL);
SET client_min_messages = warning;
SELECT cmp_ok(count(*), '<', 100::bigint, 'a loss that is not finite ends it'), is(count(*) FILTER (WHERE loss IN ('inf', 'nan')), 0::bigint, 'without a row') FROM overflown;

-- --- a run like others ---------------------------------------------------------------------

SELECT is(r.status, 'finished', 'the run is there'), is(r.version, NULL, 'it has no version'), is(r.steps, 100::bigint, 'with its steps'),
	is(r.summary ->> 'find_lr', 'exponential', 'the summary says what it was'), is((r.summary ->> 'suggested_lr')::float8, (SELECT lr FROM exponential WHERE suggestion)::numeric(16, 15)::float8, 'and what came of it')
	FROM osml.runs r ORDER BY run_id LIMIT 1;
SELECT is(count(*), 0::bigint, 'there is no model') FROM osml.model;
SELECT is(count(*), 300::bigint, 'the curve is in osml.metrics') FROM osml.metrics WHERE name IN ('lr', 'train_loss', 'train_loss_smoothed') AND run_id = (SELECT min(run_id) FROM osml.runs);
SELECT results_eq($$SELECT * FROM osml_find_lr('rows', '{"seed": 3, "shuffle": "epoch", "batch_size": 32, "model_type": "mlp", "dropout": 0.1}', num_training => 40)$$,
	$$SELECT * FROM osml_find_lr('rows', '{"seed": 3, "shuffle": "epoch", "batch_size": 32, "model_type": "mlp", "dropout": 0.1, "num_workers": 2}', num_training => 40)$$, 'the same for the same seed, readers or not');
SELECT osml_create_dataset('both', train => 'rows', val => 'SELECT y / (x - x) AS y, x FROM rows', test => 'SELECT y / (x - x) AS y, x FROM rows', options => '{"max_epochs": 3, "early_stopping": true, "weight_averaging": "swa", "fast_dev_run": true, "lr_schedule": "cosine"}') > 0 AS made \gset
SELECT results_eq($$SELECT * FROM test('both')$$, $$SELECT * FROM exponential$$, 'validation and test rows are not read, and what would end or change the steps does not count');
SELECT osml_drop_dataset('both');
SELECT is(count(*) FILTER (WHERE NOT far(a.loss, e.loss)), 100::bigint, 'of accumulated batches each step is one')
	FROM test('SELECT * FROM rows', '{"batch_size": 50, "accumulate_grad_batches": 4}') a JOIN exponential e USING (step);
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT is((SELECT count(*) FROM osml_find_lr('rows', num_training => 20)), 20::bigint, 'the curve is seen whatever the isolation');
COMMIT;

-- --- refused ----------------------------------------------------------------------------

SELECT matches(error_of($$SELECT osml_find_lr('rows', '{"optimizer": "exact"}')$$), '^22023 optimizer "exact" has no learning rate \| Choose another "optimizer"', 'exact'),
	matches(error_of($$SELECT osml_find_lr('rows', min_lr => 0)$$), '^22023 argument "min_lr" must be a number above 0 \| ', 'min_lr'),
	matches(error_of($$SELECT osml_find_lr('rows', min_lr => 1)$$), '^22023 argument "max_lr" must be more than "min_lr" \| ', 'max_lr'),
	matches(error_of($$SELECT osml_find_lr('rows', num_training => 12)$$), '^22023 argument "num_training" must be from 13 to 10000 \| ', 'num_training'),
	matches(error_of($$SELECT osml_find_lr('rows', mode => 'lineer')$$), '^22023 unknown mode "lineer" \| Perhaps you meant "linear"', 'mode'),
	matches(error_of($$SELECT osml_find_lr('rows', early_stop_threshold => 1)$$), '^22023 argument "early_stop_threshold" must be above 1 \| ', 'early_stop_threshold'),
	matches(error_of($$SELECT osml_find_lr('rows', '{"batchsize": 3}')$$), 'Perhaps you meant "batch_size"', 'hyperparameters are checked as ever');
BEGIN READ ONLY;
SELECT matches(error_of($$SELECT osml_find_lr('rows')$$), '^25006 cannot execute osml_find_lr\(\) in a read-only transaction', 'in a read-only transaction');
COMMIT;
-- a run that is waited for can be interrupted
CREATE VIEW slow AS SELECT y, x + length(pg_sleep(0.05)::text) AS x FROM rows, generate_series(1, 100);
SET statement_timeout = '500ms';
SELECT matches(error_of($$SELECT osml_find_lr('slow')$$), '^57014 ', 'a timeout ends it');
RESET statement_timeout;
SELECT is(status, 'cancelled', 'as the row says') FROM osml.runs ORDER BY run_id DESC LIMIT 1;
CREATE ROLE find_lr_user;
GRANT pg_read_all_stats TO find_lr_user;
SET ROLE find_lr_user;
SELECT matches(public.error_of($$SELECT public.osml_find_lr('public.rows')$$), '^42501 permission denied for table rows', 'rights are the caller''s');
RESET ROLE;
DROP OWNED BY find_lr_user;
DROP ROLE find_lr_user;

SELECT finish();
