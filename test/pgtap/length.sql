-- length.sql: what ends a run and what puts the end off: max_steps, min_epochs,
-- min_steps; and in which epochs it validates.
\pset fieldsep '\n'
SET client_min_messages = warning;
SET osml.progress_interval = 0;

SELECT plan(28);

\ir lib/error_of.sql
CREATE TABLE rows AS SELECT 3.0::float8 * (i % 17) + i % 5 AS y, (i % 17)::float8 AS x FROM generate_series(1, 900) i;
SELECT osml_create_dataset('data', train => 'rows', val => 'rows') > 0 AS made \gset
CREATE TABLE done (name text PRIMARY KEY, run_id bigint);
-- nine batches an epoch
CREATE FUNCTION train(name text, hparams jsonb) RETURNS void LANGUAGE sql
	AS $$ INSERT INTO done SELECT $1, osml_train('data', '{"batch_size": 100}'::jsonb || $2, $1) $$;
-- 'steps epochs validations'
CREATE FUNCTION went(name text) RETURNS text LANGUAGE sql
	RETURN (SELECT format('%s %s %s', r.steps, r.epoch + 1, (SELECT count(*) FROM osml.metrics m WHERE m.run_id = r.run_id AND m.name = 'val_rmse'))
		FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = $1);
CREATE FUNCTION stored(name text, key text) RETURNS text LANGUAGE sql
	RETURN (SELECT r.hparams ->> $2 FROM osml.runs r JOIN done d USING (run_id) WHERE d.name = $1);

-- --- max_steps ------------------------------------------------------------------------

SELECT train('steps', '{"max_steps": 20}'), train('sum', '{"max_steps": 20, "accumulate_grad_batches": 4}'),
	train('short', '{"max_steps": 20, "max_epochs": 1}'), train('long', '{"max_steps": 20, "max_epochs": 10}'),
	train('both', '{"max_steps": 20, "max_batches": 12}'), train('swa', '{"max_steps": 20, "weight_averaging": "swa"}'),
	train('one', '{"max_steps": 1}'), train('ends', '{"max_steps": 3, "accumulate_grad_batches": 4, "max_epochs": 10}');
SELECT is(went('steps'), '20 3 3', 'steps end a run within an epoch, which is validated'),
	is(stored('steps', 'max_epochs'), '3', 'and make epochs'),
	is(went('sum'), '20 7 7', 'a step at the end of an epoch is of the batches that are left'),
	is(went('short'), '9 1 1', 'epochs end it first'), is(went('long'), '20 3 3', 'or steps'), is(went('both'), '12 2 2', 'or batches'),
	is(went('swa'), '20 3 3', 'epochs that swa averages'), is(went('one'), '1 1 1', 'one step'), is(went('ends'), '3 1 1', 'the last of an epoch');
SELECT is((SELECT round(value::numeric, 12) FROM osml.metrics m JOIN done USING (run_id) WHERE done.name = 'steps' AND m.name = 'lr' ORDER BY step DESC LIMIT 1), 0.0015,
	'the rate falls to its end by the last of them');
SELECT matches((SELECT message FROM osml_check('data', '{"max_steps": 20, "batch_size": 100}') WHERE "check" = 'time'), ' for 20 steps', 'osml_check counts them');

-- --- min_epochs, min_steps --------------------------------------------------------------

SELECT train('stop', '{"max_epochs": 50, "early_stopping": true, "min_delta": 1000}'),
	train('min_epochs', '{"max_epochs": 50, "early_stopping": true, "min_delta": 1000, "min_epochs": 12}'),
	train('min_steps', '{"max_epochs": 50, "early_stopping": true, "min_delta": 1000, "min_steps": 100}'),
	train('train_loss', '{"max_epochs": 50, "early_stopping": true, "min_delta": 1000, "min_epochs": 12, "monitor": "train_loss"}'),
	train('stream', '{"max_batches": 500, "early_stopping": true, "min_delta": 1000, "min_epochs": 12, "monitor": "train_loss"}'),
	train('threshold', '{"max_epochs": 50, "stopping_threshold": 1e9, "min_epochs": 2}'),
	train('between', '{"max_epochs": 50, "stopping_threshold": 1e9, "min_epochs": 2, "val_check_interval": 2}');
SELECT is(went('stop'), '36 4 4', 'without them three values after the first end the run'), is(went('min_epochs'), '108 12 12', 'min_epochs puts the end off'),
	is(went('min_steps'), '108 12 12', 'min_steps does'), is(went('train_loss'), '108 12 12', 'where the loss of training is watched'),
	is(went('stream'), '109 13 1', 'in an endless stream'), is(went('threshold'), '18 2 2', 'a threshold that was reached before'),
	-- batches 2, 4, ... 18, the last of the second epoch
	is(went('between'), '20 3 10', 'validations within the second epoch end nothing');
SELECT matches(error_of($$SELECT osml_train('data', '{"min_steps": 4, "max_steps": 3}')$$), '^22023 hyperparameter "min_steps" must not be above "max_steps" \| Raise "max_steps"', 'steps that contradict each other'),
	matches(error_of($$SELECT osml_train('data', '{"min_epochs": 4, "max_epochs": 3}')$$), '^22023 hyperparameter "min_epochs" must not be above "max_epochs"', 'and epochs');

-- time that is over at once
SELECT train('time', '{"max_epochs": 50, "max_time": 1e-9}'), train('time_epochs', '{"max_epochs": 50, "max_time": 1e-9, "min_epochs": 12}'),
	train('time_steps', '{"max_time": 1e-9, "min_steps": 30}');
SELECT is(went('time'), '1 1 1', 'max_time ends a run'), is(went('time_epochs'), '108 12 12', 'after min_epochs'), is(went('time_steps'), '30 4 1', 'and min_steps, in an endless stream');
SELECT is(string_agg(message, ', ' ORDER BY run_id), 'max_time, 1e-09 s, is over after step 1, max_time, 1e-09 s, is over after step 108, max_time, 1e-09 s, is over after step 30', 'events say so')
	FROM osml.events JOIN done USING (run_id) WHERE kind = 'max_time';

-- --- check_val_every_n_epoch --------------------------------------------------------------

SELECT train('third', '{"max_epochs": 10, "check_val_every_n_epoch": 3}'), train('within', '{"max_epochs": 10, "check_val_every_n_epoch": 3, "val_check_interval": 4}');
SELECT is(went('third'), '90 10 4', 'epochs 3, 6, 9 and the end'), is(went('within'), '90 10 7', 'each fourth batch of all that is in those epochs, and the end');
SELECT ok(array_agg(step ORDER BY step) = '{27,54,81,90}', 'at their ends') FROM osml.metrics m JOIN done USING (run_id) WHERE done.name = 'third' AND m.name = 'val_rmse';
-- an epoch that can fill no batch ends at once, which no limit would
SELECT matches(error_of($$SELECT osml_train('data', '{"overfit_batches": 1, "batch_size": 2000, "drop_last": true, "max_time": 3600}')$$), '^22000 .*no step was taken', 'no batch and no end');

SELECT * FROM finish();
