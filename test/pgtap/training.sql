-- training.sql: hyperparameters, batches, epochs, validation and metrics.
--
-- Many checks train with lr 0 and initial weights of 0: the model is known then
-- (it predicts 0, or the label's mean where the label is scaled), so every metric
-- has a closed form in SQL that depends on which rows were taken and on nothing
-- else.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

-- a plan: a SELECT that finds no row checks nothing and must be noticed
SELECT plan(240 + (SELECT count(*) FROM osml_hparams() WHERE name <> 'max_batches' AND type <> 'column')::int);

-- --- helpers ---------------------------------------------------------------------

CREATE FUNCTION near(got float8, want float8, name text, tolerance float8 DEFAULT 1e-12)
RETURNS text LANGUAGE sql
	RETURN CASE WHEN abs(got - want) <= tolerance * greatest(abs(want), 1e-300) THEN ok(true, name)
		ELSE ok(false, name) || E'\n' || diag(format('got %s, expected %s', got, want)) END;

-- 'SQLSTATE message | hint', or how many runs there were if it did not fail
CREATE FUNCTION error_of(sql text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE message text; hint text;
BEGIN
	EXECUTE sql;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, hint = PG_EXCEPTION_HINT;
	RETURN concat(SQLSTATE, ' ', message, ' | ', hint);
END $$;

CREATE FUNCTION hparam_error(hparams text, relation text DEFAULT 'trips') RETURNS text LANGUAGE sql
	RETURN error_of(format('SELECT osml_train(%L, %L)', relation, hparams));

-- train, and remember the run under a name
CREATE TABLE done (name text PRIMARY KEY, run_id bigint);
CREATE FUNCTION train(name text, source text, hparams jsonb) RETURNS void LANGUAGE sql
	AS $$ INSERT INTO done SELECT $1, osml_train($2, $3, $1) $$;

-- a metric's values in the order of steps
CREATE FUNCTION metric(run text, metric text) RETURNS float8[] LANGUAGE sql
	RETURN (SELECT array_agg(m.value ORDER BY m.step) FROM osml.metrics m JOIN done d USING (run_id)
		WHERE d.name = $1 AND m.name = $2);
-- the steps it has, as text
CREATE FUNCTION steps_of(run text, metric text) RETURNS text LANGUAGE sql
	RETURN (SELECT string_agg(m.step::text, ' ' ORDER BY m.step) FROM osml.metrics m JOIN done d USING (run_id)
		WHERE d.name = $1 AND m.name = $2);
CREATE FUNCTION hparam(run text, key text) RETURNS text LANGUAGE sql
	RETURN (SELECT r.hparams ->> $2 FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = $1);
CREATE FUNCTION run_steps(run text) RETURNS text LANGUAGE sql
	RETURN (SELECT concat_ws(' ', r.status, r.steps, r.rows_seen) FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = $1);

-- 105 rows to train, 30 to validate, 12 to test; labels of the order of 1,000
CREATE TABLE trips AS
	SELECT 1000 + 200 * a - 30 * b + hashint4(i) % 50 AS y, a, b
	FROM (SELECT i, (i * 7 % 11) / 4.0::float8 AS a, (i * i % 13)::float8 AS b FROM generate_series(1, 105) i) s;
CREATE TABLE held AS SELECT 900 + 10.0::float8 * i AS y, (i % 5)::float8 AS a, (i % 3)::float8 AS b FROM generate_series(1, 30) i;
CREATE TABLE last AS SELECT 1100 - 7.5::float8 * i AS y, (i % 4)::float8 AS a, (i % 5)::float8 AS b FROM generate_series(1, 12) i;
SELECT ok(osml_create_dataset('all_three', train => 'trips', val => 'held', test => 'last') > 0, 'a dataset of three tables');
-- rows first .. last of an endless repetition of held, from 0
CREATE FUNCTION wrapped(relation regclass, n int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE mse float8;
BEGIN
	EXECUTE format('SELECT avg(t.y ^ 2) FROM generate_series(0, $1 - 1) g
		JOIN (SELECT y, row_number() OVER (ORDER BY ctid) - 1 AS n, count(*) OVER () AS total FROM %s) t
		ON t.n = g %% t.total', relation) INTO mse USING n;
	RETURN mse;
END $$;

-- --- losses by name, in the label's own units ------------------------------------------

-- predicts zero, so the losses are those of the label
SELECT train('still_' || loss, 'all_three', format('{"loss":"%s", "huber_delta":950, "lr":0, "initial_weights":[0,0,0],
	"scale":"none", "scale_label":"none", "batch_size":105, "max_epochs":1}', loss)::jsonb)
	FROM unnest(ARRAY['mse', 'mae', 'huber']) loss;
SELECT near((metric('still_mse', 'train_mse'))[1], avg(y ^ 2), 'train_mse'),
	near((metric('still_mse', 'train_rmse'))[1], sqrt(avg(y ^ 2)), 'train_rmse'),
	near((metric('still_mae', 'train_mae'))[1], avg(abs(y)), 'train_mae'),
	near((metric('still_huber', 'train_huber'))[1],
		avg(CASE WHEN abs(y) <= 950 THEN y ^ 2 / 2 ELSE 950 * (abs(y) - 475) END), 'train_huber'),
	ok(bool_or(y < 950) AND bool_or(y > 950), 'some labels are on each side of huber_delta')
	FROM trips;
SELECT near((metric('still_mse', 'grad_norm'))[1],
	2 * sqrt(avg(y) ^ 2 + avg(y * a) ^ 2 + avg(y * b) ^ 2), 'grad_norm of mse') FROM trips;
SELECT near((metric('still_mae', 'grad_norm'))[1],
	sqrt(1 + avg(a) ^ 2 + avg(b) ^ 2), 'grad_norm of mae') FROM trips;
SELECT near((metric('still_' || loss, 'val_' || m))[1], want, format('loss %s: val_%s', loss, m))
	FROM (SELECT avg(y ^ 2), sqrt(avg(y ^ 2)), avg(abs(y)), 1 - sum(y ^ 2) / regr_syy(y, a) FROM held) AS s (mse, rmse, mae, r2),
		unnest(ARRAY['mse', 'mae', 'huber']) loss,
		LATERAL (VALUES ('mse', mse), ('rmse', rmse), ('mae', mae), ('r2', r2)) AS v (m, want);
SELECT near((metric('still_' || loss, 'test_' || m))[1], want, format('loss %s: test_%s', loss, m))
	FROM (SELECT avg(y ^ 2), sqrt(avg(y ^ 2)), avg(abs(y)), 1 - sum(y ^ 2) / regr_syy(y, a) FROM last) AS s (mse, rmse, mae, r2),
		unnest(ARRAY['mse', 'mae', 'huber']) loss,
		LATERAL (VALUES ('mse', mse), ('rmse', rmse), ('mae', mae), ('r2', r2)) AS v (m, want);
SELECT near((metric('still_huber', 'val_huber'))[1],
		avg(CASE WHEN abs(y) <= 950 THEN y ^ 2 / 2 ELSE 950 * (abs(y) - 475) END), 'val_huber'),
	is(metric('still_mse', 'val_huber'), NULL, 'which only a huber run has'),
	is(metric('still_mae', 'train_rmse'), NULL, 'and train_rmse only an mse run')
	FROM held;

-- the same with a scaled label: the model predicts the label's mean
SELECT train('scaled_' || loss, 'all_three', format('{"loss":"%s", "huber_delta":150, "lr":0, "initial_weights":[0,0,0],
	"scale_label":"standardize", "batch_size":105, "max_epochs":1}', loss)::jsonb)
	FROM unnest(ARRAY['mse', 'mae', 'huber']) loss;
WITH m AS (SELECT avg(y) AS mean FROM trips)
SELECT near((metric('scaled_mse', 'train_mse'))[1], avg((y - mean) ^ 2), 'scaled label: train_mse'),
	near((metric('scaled_mse', 'train_mse'))[1], var_pop(y), 'scaled label: which is the variance'),
	near((metric('scaled_mse', 'train_rmse'))[1], stddev_pop(y), 'scaled label: train_rmse'),
	near((metric('scaled_mae', 'train_mae'))[1], avg(abs(y - mean)), 'scaled label: train_mae'),
	near((metric('scaled_huber', 'train_huber'))[1], avg(CASE WHEN abs(y - mean) <= 150
		THEN (y - mean) ^ 2 / 2 ELSE 150 * (abs(y - mean) - 75) END), 'scaled label: train_huber, delta in dollars'),
	ok(bool_or(abs(y - mean) < 150) AND bool_or(abs(y - mean) > 150), 'some residuals are on each side of huber_delta')
	FROM trips, m;
WITH m AS (SELECT avg(y) AS mean FROM trips)
SELECT near((metric('scaled_mse', 'val_mse'))[1], avg((y - mean) ^ 2), 'scaled label: val_mse'),
	near((metric('scaled_mae', 'val_mae'))[1], avg(abs(y - mean)), 'scaled label: val_mae'),
	near((metric('scaled_huber', 'val_huber'))[1], avg(CASE WHEN abs(y - mean) <= 150
		THEN (y - mean) ^ 2 / 2 ELSE 150 * (abs(y - mean) - 75) END), 'scaled label: val_huber')
	FROM held, m;
SELECT near(v.train_loss, (metric(d.name, 'train_' || v.loss || '_epoch'))[1], d.name || ': train_loss of the version'),
	near(v.val_loss, (metric(d.name, 'val_' || v.loss))[1], d.name || ': val_loss of the version'),
	near(v.test_loss, (metric(d.name, 'test_' || v.loss))[1], d.name || ': test_loss of the version')
	FROM osml.models v JOIN done d USING (run_id);
-- auto scales the label for a squared loss and not for others
SELECT train('auto_' || loss, 'trips', format('{"loss":"%s", "lr":0, "initial_weights":[0,0,0], "batch_size":105, "max_epochs":1}',
	loss)::jsonb) FROM unnest(ARRAY['mse', 'mae', 'huber']) loss;
SELECT is(metric('auto_mse', 'train_mse'), metric('scaled_mse', 'train_mse'), 'scale_label auto: scaled for mse'),
	is(metric('auto_mae', 'train_mae'), metric('still_mae', 'train_mae'), 'scale_label auto: not for mae');
-- however scaled, a trained model is in the label's own units
SELECT train('units', 'trips', '{"optimizer":"SGD", "lr":0.1, "max_epochs":300, "batch_size":105}');
SELECT near(w.weight, v.want, 'trained weights are dollars per unit: ' || feature, 1e-9)
	FROM (SELECT regr_sxx(y, a) AS aa, regr_sxx(y, b) AS bb, regr_sxy(a, b) AS ab, regr_sxy(y, a) AS ay, regr_sxy(y, b) AS "by",
			avg(y) AS my, avg(a) AS ma, avg(b) AS mb FROM trips) s,
		LATERAL (VALUES ('a', (bb * ay - ab * "by") / (aa * bb - ab * ab)), ('b', (aa * "by" - ab * ay) / (aa * bb - ab * ab))) AS v (feature, want)
		JOIN osml.weights w USING (feature) WHERE w.model = 'units';
SELECT near((metric('units', 'train_mse'))[array_length(metric('units', 'train_mse'), 1)], e.value,
	'and train_mse is osml_evaluate''s mse', 1e-9) FROM osml_evaluate('units', 'trips') e WHERE e.metric = 'mse';
-- without an intercept, zeros predict zero
SELECT train('origin', 'trips', '{"bias":false, "optimizer":"SGD", "lr":0.2, "max_epochs":2000, "batch_size":105}'),
	train('origin_exact', 'trips', '{"bias":false, "optimizer":"exact"}');
SELECT near(osml_predict('origin', t), osml_predict('origin_exact', t), 'bias false: as the exact solution', 1e-9) FROM trips t LIMIT 3;
SELECT is(osml_predict('origin', 0, 0), 0::float8, 'bias false: zeros predict zero'),
	is(weight, 0::float8, 'bias false: no intercept') FROM osml.weights WHERE model = 'origin' AND position = 0;

-- --- metrics: names, phases, steps, epochs ----------------------------------------------

-- eleven batches an epoch, the last of five rows
SELECT train('full', 'all_three', '{"batch_size":10, "max_epochs":3, "log_every_n_steps":1, "lr":0.02,
	"gradient_clip_val":0.25, "num_sanity_val_steps":2}');
SELECT is(run_steps('full'), 'finished 33 315', 'three epochs of 105 rows by ten');
SELECT ok(array_agg(m.name) @> string_to_array(names, ' '), phase || ' metrics')
	FROM (VALUES ('train', 'grad_norm grad_norm_clipped lr rows_per_s step_seconds train_mse train_mse_epoch train_rmse'),
		('sanity', 'sanity_explained_variance sanity_mae sanity_mape sanity_median_ae sanity_mse sanity_r2 sanity_rmse'),
		('val', 'val_explained_variance val_mae val_mape val_median_ae val_mse val_r2 val_rmse'),
		('test', 'test_explained_variance test_mae test_mape test_median_ae test_mse test_r2 test_rmse')) AS v (phase, names)
		JOIN osml.metrics m USING (phase) JOIN done d USING (run_id) WHERE d.name = 'full' GROUP BY phase, names ORDER BY phase;
SELECT is(string_agg(DISTINCT phase, ' ' ORDER BY phase), 'sanity test train val', 'all phases')
	FROM osml.metrics JOIN done USING (run_id) WHERE done.name = 'full';
SELECT is(steps_of('full', m), steps, m || ' at its steps')
	FROM (SELECT string_agg(s::text, ' ' ORDER BY s) FROM generate_series(1, 33) s) AS every (steps),
		unnest(ARRAY['train_mse', 'train_rmse', 'lr', 'grad_norm', 'grad_norm_clipped', 'step_seconds', 'rows_per_s']) m;
SELECT is(steps_of('full', 'sanity_mse'), '0', 'sanity before the first step'),
	is(steps_of('full', 'val_mse'), '11 22 33', 'validation at the end of each epoch'),
	is(steps_of('full', 'train_mse_epoch'), '11 22 33', 'the epoch''s mean loss too'),
	is(steps_of('full', 'test_mse'), '33', 'the test at the end');
SELECT ok(bool_and(m.epoch = (m.step - 1) / 11), 'steps 1 to 11 are epoch 0, and so on')
	FROM osml.metrics m JOIN done d USING (run_id) WHERE d.name = 'full' AND m.name = 'train_mse';
SELECT is(string_agg(m.epoch::text, ' ' ORDER BY step), '0 1 2', 'validations belong to the epoch that ends')
	FROM osml.metrics m JOIN done d USING (run_id) WHERE d.name = 'full' AND m.name = 'val_mse';
SELECT ok(bool_and(abs(r - sqrt(m)) <= 1e-12 * r), 'train_rmse is the root of train_mse')
	FROM unnest(metric('full', 'train_mse'), metric('full', 'train_rmse')) AS v (m, r);
SELECT ok(bool_and(v = 0.02), 'lr is constant') FROM unnest(metric('full', 'lr')) v;
SELECT ok(bool_and(CASE WHEN before > 0.25 THEN after BETWEEN 0.24999 AND 0.25 ELSE after = before END),
		'the norm is clipped where it is above gradient_clip_val'),
	ok(bool_or(before > 0.25), 'as it is sometimes')
	FROM unnest(metric('full', 'grad_norm'), metric('full', 'grad_norm_clipped')) AS v (before, after);
SELECT near((r.summary ->> 'clipped_share')::float8, (SELECT avg((v > 0.25)::int) FROM unnest(metric('full', 'grad_norm')) v),
	'clipped_share in the summary') FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = 'full';
SELECT ok(bool_and(v > 0), m || ' is positive')
	FROM unnest(ARRAY['step_seconds', 'rows_per_s', 'grad_norm', 'train_mse']) m, unnest(metric('full', m)) v GROUP BY m;
SELECT near((metric('full', 'train_mse_epoch'))[e + 1], sum(m * n) / sum(n), 'mean loss of epoch ' || e)
	FROM unnest(metric('full', 'train_mse')) WITH ORDINALITY AS v (m, step),
		LATERAL (SELECT (step - 1) / 11 AS e, CASE WHEN step % 11 = 0 THEN 5 ELSE 10 END AS n) s GROUP BY e ORDER BY e;

SELECT train('seldom', 'trips', '{"batch_size":10, "max_batches":33, "log_every_n_steps":8}');
SELECT is(steps_of('seldom', 'train_mse'), '1 8 16 24 32 33', 'log_every_n_steps: the first, every eighth, the last');

-- --- what ends a run -----------------------------------------------------------------

SELECT train('epochs', 'trips', '{"batch_size":10, "max_epochs":2}'),
	train('dropped', 'trips', '{"batch_size":10, "max_epochs":2, "drop_last":true}'),
	train('batches', 'trips', '{"batch_size":10, "max_batches":25}'),
	train('alias', 'trips', '{"batch_size":10, "limit_train_batches":25}'),
	train('sooner', 'trips', '{"batch_size":10, "max_batches":25, "max_epochs":2}'),
	train('later', 'trips', '{"batch_size":10, "max_batches":15, "max_epochs":2}'),
	train('parts', 'trips', '{"batch_size":10, "max_batches":25, "accumulate_grad_batches":4}'),
	train('part_epochs', 'trips', '{"batch_size":10, "max_epochs":2, "accumulate_grad_batches":4}'),
	train('one_batch', 'trips', '{"batch_size":1000, "max_epochs":3}'),
	train('wide_batch', 'trips', '{"batch_size":1000, "max_batches":3}');
SELECT is(run_steps(name), want, format('%s: status, steps, rows', name)) FROM (VALUES
	('epochs', 'finished 22 210'),		-- the last batch of an epoch is short
	('dropped', 'finished 20 200'),		-- or left out
	('batches', 'finished 25 250'),		-- an endless stream has full ones only
	('alias', 'finished 25 250'),
	('sooner', 'finished 22 210'),		-- whichever comes first
	('later', 'finished 15 145'),
	('parts', 'finished 7 250'),		-- the rest makes a last step
	('part_epochs', 'finished 6 210'),	-- of every epoch
	('one_batch', 'finished 3 315'),
	('wide_batch', 'finished 3 3000')	-- rows come more than once
	) AS v (name, want);
SELECT is(hparam('alias', 'max_batches'), '25', 'the alias is stored under the name');
SELECT ok(bool_and(a IS NOT DISTINCT FROM b), 'and trains the same')
	FROM unnest(metric('alias', 'train_mse'), metric('batches', 'train_mse')) AS v (a, b);
-- a wrapped batch of 1,000 rows holds 105 rows nine times and 55 of them again
SELECT train('wrapped', 'trips', '{"batch_size":1000, "max_batches":1, "shuffle":"none", "lr":0, "initial_weights":[0,0,0],
	"scale":"none", "scale_label":"none"}');
SELECT near((metric('wrapped', 'train_mse'))[1], wrapped('trips', 1000), 'a batch larger than the data repeats it');
-- a run that only its time ends
SELECT train('timed', 'trips', '{"max_batches":1000000000000, "max_time":0.2}');
SELECT matches(run_steps('timed'), '^finished', 'max_time ends a run as finished'),
	ok(r.steps < 1000000000000, 'before its last batch') FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = 'timed';
SELECT train('time_' || n, 'trips', jsonb_build_object('max_batches', 1, 'max_time', t::jsonb))
	FROM (VALUES (1, '"90"'), (2, '"01:30"'), (3, '"00:01:30"'), (4, '"00:00:01:30"'), (5, '90'), (6, '"02:03:04:05"')) AS v (n, t);
SELECT is(string_agg(hparam('time_' || n, 'max_time'), ' ' ORDER BY n), '90 90 90 90 90 183845', 'max_time as seconds or DD:HH:MM:SS')
	FROM generate_series(1, 6) n;
-- nothing given: enough epochs for some 2,000 steps, as the stored set says
SELECT train('nothing', 'trips', NULL), train('empty', 'trips', '{}');
SELECT is(run_steps('nothing'), run_steps('empty'), 'hparams NULL is as {}'),
	is(run_steps('empty'), 'finished 1000 105000', 'a table smaller than a batch has 1,000 epochs'),
	is(hparam('empty', 'max_epochs'), '1000', 'which is stored');

-- --- validation ---------------------------------------------------------------------------

SELECT train('by_batches', 'all_three', '{"batch_size":10, "max_batches":23, "val_check_interval":5}'),
	train('by_parts', 'all_three', '{"batch_size":10, "max_batches":24, "val_check_interval":8, "accumulate_grad_batches":4}'),
	train('by_share', 'all_three', '{"batch_size":10, "max_epochs":2, "val_check_interval":0.5}'),
	train('at_end', 'all_three', '{"batch_size":10, "max_batches":23}'),
	train('per_epoch', 'all_three', '{"batch_size":105, "max_epochs":4}'),
	train('streamed', 'all_three', '{"batch_size":10, "max_epochs":1, "scale":"none", "shuffle":"none"}');
SELECT is(steps_of(name, 'val_mse'), want, name || ': validated at these steps') FROM (VALUES
	('by_batches', '5 10 15 20 23'), ('by_parts', '2 4 6'),
	('by_share', '5 10 15 20 22'),	-- 11 batches an epoch, half of them is 5
	('at_end', '23'), ('per_epoch', '1 2 3 4'), ('streamed', '11')) AS v (name, want);

-- without a limit each row once; with one, full batches of the wrapped rows
SELECT train('limit_' || k, 'all_three', format('{"lr":0, "initial_weights":[0,0,0], "scale":"none", "batch_size":7, "max_batches":1,
	"limit_val_batches":%s, "limit_test_batches":%s, "num_sanity_val_steps":%s}', k, k + 1, k + 2)::jsonb)
	FROM unnest(ARRAY[1, 4, 10]) k;
SELECT near((metric('limit_' || k, 'val_mse'))[1], wrapped('held', 7 * k), format('limit_val_batches %s', k)),
	near((metric('limit_' || k, 'test_mse'))[1], wrapped('last', 7 * (k + 1)), format('limit_test_batches %s', k + 1)),
	near((metric('limit_' || k, 'sanity_mse'))[1], wrapped('held', 7 * (k + 2)), format('num_sanity_val_steps %s', k + 2))
	FROM unnest(ARRAY[1, 4, 10]) k;
-- the model that is tested is the last one, the one that is stored
SELECT near((metric('full', 'test_mse'))[1], e.value, 'test_mse is osml_evaluate''s', 1e-11)
	FROM osml_evaluate('full', 'last') e WHERE e.metric = 'mse';
SELECT near((metric('full', 'val_mse'))[3], e.value, 'the last val_mse too', 1e-11)
	FROM osml_evaluate('full', 'held') e WHERE e.metric = 'mse';
SELECT is(error_of($$SELECT osml_train('all_three', '{"val_fraction":0.1}')$$),
	'22023 hyperparameter "val_fraction" is given, but the dataset has a val source | Leave one of them out.',
	'val_fraction beside a val source');

-- --- forms of values ----------------------------------------------------------------------

SELECT train('texts', 'trips', '{"lr":"0.03", "batch_size":"50", "betas":"[0.8, 0.99]", "bias":"true", "optimizer":"adamw", "loss":"MSE",
	"initial_weights":"[1,2,3]", "features":"[\"b\",\"a\"]", "max_batches":"2e1", "seed":" 7", "label":"y"}'),
	train('values', 'trips', '{"lr":0.03, "batch_size":50, "betas":[0.8, 0.99], "bias":true, "optimizer":"AdamW", "loss":"mse",
	"initial_weights":[1,2,3], "features":["b","a"], "max_batches":20, "seed":7, "label":"y"}');
SELECT is(t.hparams, v.hparams, 'numbers and lists may come as text')
	FROM osml.runs t, osml.runs v WHERE t.model = 'texts' AND v.model = 'values';
SELECT is(t.weights, v.weights, 'and train the same')
	FROM osml.model_version t JOIN osml.model m USING (model_id), osml.model_version v JOIN osml.model n USING (model_id)
	WHERE m.name = 'texts' AND n.name = 'values';
SELECT is(r.hparams -> key, value::jsonb, format('stored: %s', key)) FROM osml.runs r, (VALUES
	('lr', '0.03'), ('batch_size', '50'), ('betas', '[0.8, 0.99]'), ('bias', 'true'), ('optimizer', '"AdamW"'), ('loss', '"mse"'),
	('initial_weights', '[1, 2, 3]'), ('features', '["b", "a"]'), ('max_batches', '20'), ('seed', '7'), ('label', '"y"'),
	('weight_decay', '0.01'), ('shuffle', '"once"')) AS v (key, value) WHERE r.model = 'texts';
-- the resolved set holds every hyperparameter, and no other key
SELECT set_eq($$SELECT jsonb_object_keys(hparams) FROM osml.runs WHERE model = 'empty'$$,
	$$SELECT name FROM osml_hparams()$$, 'the stored set has every hyperparameter');
SELECT is(m.hparams, r.hparams, 'the version has the same set') FROM osml.models m JOIN osml.runs r USING (run_id) WHERE m.model = 'texts';
-- and can be given again
SELECT train('again', 'trips', (SELECT hparams FROM osml.runs WHERE model = 'texts'));
SELECT is(t.weights, v.weights, 'a stored set trains the same again')
	FROM osml.model_version t JOIN osml.model m USING (model_id), osml.model_version v JOIN osml.model n USING (model_id)
	WHERE m.name = 'texts' AND n.name = 'again';
-- a dataset's options come first, the call's own keys over them
SELECT ok(osml_create_dataset('optioned', train => 'trips', options => '{"lr":0.5, "batch_size":21, "max_batches":2}') > 0, 'a dataset with options');
SELECT train('optioned', 'optioned', '{"lr":0.25}');
SELECT is(concat_ws(' ', hparam('optioned', 'lr'), hparam('optioned', 'batch_size')), '0.25 21', 'options of the dataset, then of the call');
SELECT is(hparam('still_mae', 'weight_decay'), '0.01', 'weight_decay of AdamW by default');
SELECT is(hparam('units', 'weight_decay'), '0', 'and of SGD');

-- --- errors -------------------------------------------------------------------------------

SELECT is(count(*)::int, (SELECT count(*)::int FROM done), 'each run so far was one of ours') FROM osml.runs;
SELECT matches(hparam_error(hparams), '^22023 ' || want, hparams) FROM (VALUES
	-- wrong kind of value
	('{"lr":"fast"}', 'invalid value for hyperparameter "lr": "fast" \| .*number'),
	('{"lr":[0.1]}', 'invalid value for hyperparameter "lr": not a single value'),
	('{"lr":{"value":1}}', '.*"lr".* \| .+'),
	('{"momentum":null}', 'invalid value for hyperparameter "momentum": null \| .+'),
	('{"lr":true}', 'invalid value for hyperparameter "lr": "true"'),
	('{"lr":""}', 'invalid value for hyperparameter "lr":'),
	('{"lr":"0.1x"}', 'invalid value for hyperparameter "lr": "0.1x"'),
	('{"batch_size":1.5}', 'invalid value for hyperparameter "batch_size": "1.5" \| .*whole number'),
	('{"bias":"perhaps"}', 'invalid value for hyperparameter "bias": "perhaps" \| .*true and false'),
	('{"label":5}', 'invalid value for hyperparameter "label": "5"'),
	('{"features":"a"}', 'invalid value for hyperparameter "features": "a" \| .*lists of strings'),
	('{"features":[]}', 'invalid value for hyperparameter "features"'),
	('{"features":[1]}', 'invalid value for hyperparameter "features": "1"'),
	('{"betas":0.9}', 'invalid value for hyperparameter "betas": "0.9" \| .*lists of numbers'),
	('{"betas":[0.9,"x"]}', 'invalid value for hyperparameter "betas": "x"'),
	('{"betas":[0.9,[1]]}', 'invalid value for hyperparameter "betas"'),
	('{"max_time":"1:x"}', 'invalid value for hyperparameter "max_time": "1:x"'),
	('{"max_time":"1:2:3:4:5"}', 'invalid value for hyperparameter "max_time"'),
	('{"initial_weights":"1,2,3"}', 'invalid value for hyperparameter "initial_weights"'),
	-- out of range
	('{"lr":-0.1}', 'invalid value for hyperparameter "lr": "-0.1" \| .*from 0'),
	('{"lr":"NaN"}', 'invalid value for hyperparameter "lr": "NaN"'),
	('{"lr":1e400}', 'invalid value for hyperparameter "lr"'),
	('{"batch_size":0}', 'invalid value for hyperparameter "batch_size": "0" \| .*from 1'),
	('{"batch_size":-5}', 'invalid value for hyperparameter "batch_size": "-5"'),
	('{"batch_size":1e12}', 'invalid value for hyperparameter "batch_size"'),
	('{"betas":[0.9,1]}', 'invalid value for hyperparameter "betas": "1"'),
	('{"val_fraction":1}', 'invalid value for hyperparameter "val_fraction": "1" \| .*from 0 to 0.95'),
	('{"seed":-1}', 'invalid value for hyperparameter "seed": "-1"'),
	('{"momentum":-1}', 'invalid value for hyperparameter "momentum"'),
	('{"huber_delta":0}', 'invalid value for hyperparameter "huber_delta": "0"'),
	('{"max_epochs":0}', 'invalid value for hyperparameter "max_epochs": "0"'),
	('{"num_workers":65}', 'invalid value for hyperparameter "num_workers": "65"'),
	-- choices name what is valid
	('{"optimizer":"RMSprop"}', 'invalid value for hyperparameter "optimizer": "RMSprop" \| .*AdamW, Adam, SGD, .*exact'),
	('{"loss":"l2"}', 'invalid value for hyperparameter "loss": "l2" \| .*mse, mae, huber'),
	('{"shuffle":"yes"}', 'invalid value for hyperparameter "shuffle": "yes" \| .*none, once, epoch'),
	('{"scale":"auto"}', 'invalid value for hyperparameter "scale": "auto" \| .*none, standardize'),
	('{"precision":64}', 'invalid value for hyperparameter "precision": "64" \| .*float64, float32'),
	('{"init":"xavier"}', 'invalid value for hyperparameter "init": "xavier" \| .*torch_linear'),
	('{"gradient_clip_algorithm":"norms"}', 'invalid value for hyperparameter "gradient_clip_algorithm"'),
	-- unknown keys come with the nearest known one
	('{"batchsize":10}', 'unknown hyperparameter "batchsize" \| Perhaps you meant "batch_size"'),
	('{"learning_rate":1}', 'unknown hyperparameter "learning_rate" \| .*osml_hparams\(\)'),
	('{"Lr":1}', 'unknown hyperparameter "Lr" \| Perhaps you meant "lr"'),
	('{"optimiser":"SGD"}', 'unknown hyperparameter "optimiser" \| Perhaps you meant "optimizer"'),
	('{"limit_train_batch":1}', 'unknown hyperparameter "limit_train_batch" \| Perhaps you meant "limit_train_batches"'),
	('{"zzz":1}', 'unknown hyperparameter "zzz" \| osml_hparams\(\) lists all'),
	('{"max_batches":1, "limit_train_batches":2}', 'hyperparameter "max_batches" is given twice'),
	-- contradictions
	('{"optimizer":"SGD", "nesterov":true}', 'hyperparameter "nesterov" needs momentum and no dampening \| .*"momentum" above 0'),
	('{"optimizer":"SGD", "nesterov":true, "momentum":0.9, "dampening":0.1}', 'hyperparameter "nesterov" needs momentum and no dampening'),
	('{"betas":[0.9]}', 'hyperparameter "betas" must have two members \| .+'),
	('{"betas":[0.9,0.99,0.999]}', 'hyperparameter "betas" must have two members'),
	('{"lanes":3, "batch_size":512}', 'hyperparameter "lanes" must divide "batch_size" \| .+'),
	('{"optimizer":"exact", "loss":"mae"}', 'optimizer "exact" solves least squares only \| Set "loss" to mse'),
	('{"optimizer":"exact", "max_batches":5}', 'optimizer "exact" takes every row once \| .+'),
	('{"optimizer":"exact", "val_fraction":0.1}', 'optimizer "exact" takes every row once \| .+'),
	('{"optimizer":"exact", "on_null":"mean"}', 'optimizer "exact" cannot fill in means'),
	('{"optimizer":"exact", "precision":"float32"}', 'optimizer "exact" computes in float64'),
	('{"val_check_interval":2.5}', 'hyperparameter "val_check_interval" must be a whole number where it is 1 or more \| .+'),
	-- against the data
	('{"num_features":3}', 'hyperparameter "num_features" is 3, but .*trips gives 2 feature values \| .+'),
	-- not an object
	('[]', 'hyperparameters must be a JSON object \| .+'),
	('3', 'hyperparameters must be a JSON object \| .+')
	) AS v (hparams, want);
SELECT matches(hparam_error('{"label":"z"}'), '^42703 column "z" does not exist in relation public.trips', 'no such label'),
	matches(hparam_error('{"features":["a","bb"]}'), '^42703 .*"bb".* \| .*"b"', 'no such feature, with the nearest');
SELECT is(count(*)::int, (SELECT count(*)::int FROM done), 'none of these errors left a run: all was checked before') FROM osml.runs;
-- what depends on the model is checked by the trainer, before it asks for rows
SELECT matches(hparam_error('{"initial_weights":[1,2]}'), '^22023 .*hyperparameter "initial_weights" has 2 members, but the model has 3 parameters \| .*each feature value and one for the intercept',
		'initial_weights without the intercept'),
	matches(hparam_error('{"initial_weights":[1,2,3], "bias":false}'), '^22023 .*hyperparameter "initial_weights" has 3 members, but the model has 2 parameters \| .*each feature value\.',
		'initial_weights with an intercept too many');
SELECT matches(error_of($$SELECT osml_train('SELECT 1 AS y, 1 / (i - 1) AS a, 2 AS b FROM generate_series(1, 3) i',
	'{"initial_weights":[1,2]}', 'never')$$), 'initial_weights', 'rows that fail to be read are not reached');
SELECT matches(hparam_error('{"batch_size":106, "drop_last":true, "max_epochs":2}'),
	'^22000 osml run \d+ failed: no step was taken \| Lower "batch_size", or leave out "drop_last"', 'drop_last that drops every row');
SELECT is(status, 'failed', 'is a failed run') FROM osml.runs ORDER BY run_id DESC LIMIT 1;
-- a value that is right for one optimizer may stay beside another
SELECT train('numbered', 'trips', '{"num_features":2, "optimizer":"SGD", "nesterov":true, "momentum":0.9, "max_batches":1}');
SELECT matches(run_steps('numbered'), '^finished', 'num_features that is right, nesterov with momentum');
-- each hyperparameter's default is a value that it takes; auto may be a column
SELECT is(error_of(format('SELECT osml_train(%L, %L)', 'trips', jsonb_build_object(name, "default", 'max_batches', 1))), 'no error',
	'the default of ' || name || ' can be given') FROM osml_hparams() WHERE name <> 'max_batches' AND type <> 'column';

-- where the time went, and what memory it took
SELECT osml_train('trips', '{"max_epochs":3, "num_workers":1, "gram": "off"}', 'accounted') AS with_reader, osml_train('trips', '{"max_epochs":1, "gram": "off"}', 'accounted') AS without,
	osml_train('SELECT y, a, b + coalesce(length(pg_sleep(0.3)::text), 0) AS b FROM trips LIMIT 2', '{"max_epochs":1, "num_workers":1}', 'accounted') AS waiting \gset
CREATE VIEW accounts AS SELECT run_id, summary, extract(epoch FROM ended_at - started_at) AS whole FROM osml.runs;
SELECT ok((summary -> 'phase_seconds') ?& '{loading rows,shuffling rows,training}', 'phases are told'),
	ok((SELECT sum(value::float8) FROM jsonb_each_text(summary -> 'phase_seconds')) BETWEEN 1e-6 AND whole, 'they make no more than the run'),
	ok((summary ->> 'waited_for_rows_seconds')::float8 BETWEEN 0 AND (summary -> 'phase_seconds' ->> 'loading rows')::float8, 'nor is more of it waiting for rows than loading them'),
	ok((summary ->> 'peak_rss_kb')::bigint BETWEEN 1000 AND 10000000, 'the memory of the trainer is'),
	ok((summary ->> 'reader_peak_rss_kb')::bigint BETWEEN 1000 AND 10000000, 'and of a reader')
	FROM accounts WHERE run_id = :with_reader;
SELECT ok((summary ->> 'waited_for_rows_seconds')::float8 > 0, 'rows that are slow to come are waited for') FROM accounts WHERE run_id = :waiting;
SELECT ok(NOT summary ? 'reader_peak_rss_kb', 'but not where there is none') FROM accounts WHERE run_id = :without;

SELECT * FROM finish();
