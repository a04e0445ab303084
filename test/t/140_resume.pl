# A run goes on where it was: the server is killed at random steps, and in the end
# the weights are those of a run that nobody touched, bit for bit.
use strict;
use warnings;

use OsmlTest;
use Test::More;

my $seed = $ENV{OSML_TEST_SEED} || 1;
my $node = osml_node('resume');
my ($run, $out, $err);
my $survived = 0;

srand($seed);
note("OSML_TEST_SEED=$seed");
osml_sql($node, q{
	CREATE TABLE rows AS SELECT sin(i) * 3 + i % 7 + CASE i % 5 WHEN 2 THEN 4 ELSE 0 END AS y,
		sin(i) AS a, (i % 7)::float8 AS b, abs(hashint4(i)) % 1000 / 1000.0::float8 AS c, 'k' || i % 5 AS k
		FROM generate_series(1, 40000) i;
	-- all that a run made: weights to the bit, losses, steps
	CREATE VIEW made AS SELECT m.name AS model, string_agg(concat_ws(' ', v.steps, v.train_loss, v.val_loss,
			v.fingerprint, md5(v.weights),
			v.calibration_rows, md5(concat(v.residuals_below, v.residuals_above))), '; ' ORDER BY v.version) AS versions
		FROM osml.model_version v JOIN osml.model m USING (model_id) GROUP BY m.name;
});

# Start a run, kill the server so many times on its way, go on each time.
sub survive
{
	my ($name, $kills, $hparams, $settings) = @_;
	my $set = $settings || '';
	my ($whole, $steps);

	$whole = osml_sql($node, "$set SELECT osml_train('rows', '$hparams', 'whole')");
	$steps = osml_run($node, $whole, 'steps');
	$run = osml_sql($node, "$set SELECT osml_train('rows', '$hparams', 'killed', wait => false)");
	for my $kill (1 .. $kills)
	{
		my $at = int($steps * ($kill - rand) / ($kills + 2));
		my $done = "SELECT status <> 'running' FROM osml.runs WHERE run_id = $run";

		osml_poll($node, "SELECT coalesce(max(step), 0) >= $at OR ($done) FROM osml.checkpoints"
			. " WHERE run_id = $run AND kind = 'last'");
		$node->stop('immediate');
		$node->start;
		# a fast machine may have been at its end: what counts is how many there are
		last if osml_run($node, $run, 'status') eq 'finished';
		is(osml_run($node, $run, 'status'), 'interrupted', "$name, kill $kill after step $at of $steps");
		$survived++;
		($out, $err) = osml_sql($node, "$set SELECT osml_resume($run, wait => "
			. ($kill == $kills ? 'true' : 'false') . ')');
		is($out, $kill == $kills ? 'finished' : 'running', "$name, resumed") or diag($err);
	}
	is(osml_sql($node, "SELECT osml_wait($run)"), 'finished', "$name: finished");
	is(osml_run($node, $run, 'steps'), $steps, "$name: as many steps as without a kill");
	is(osml_sql($node, "SELECT versions FROM made WHERE model = 'killed'"),
		osml_sql($node, "SELECT versions FROM made WHERE model = 'whole'"), "$name: the same weights, to the bit");
	is(osml_sql($node, "SELECT count(*) FROM osml.checkpoints WHERE run_id = $run"), 0, "$name: no checkpoint is left");
	is(osml_sql($node, "SELECT count(*) FROM (SELECT FROM osml.metrics WHERE run_id = $run"
		. ' GROUP BY name, step, phase HAVING count(*) > 1) twice'), 0, "$name: no metric is there twice");
	osml_sql($node, "SELECT osml_drop_model('killed'), osml_drop_model('whole')");
}

survive('network', 8, '{"model_type": "mlp", "num_hidden_neurons": [16, 8], "dropout": 0.1,
	"batch_norm_linear_layers": true, "shuffle": "epoch", "val_fraction": 0.1, "batch_size": 100, "max_epochs": 40,
	"lr_schedule": "reduce_on_plateau", "plateau_patience": 3, "lr": 0.01, "every_n_train_steps": 37, "num_workers": 1,
	"save_top_k": 3, "save_last": true, "monitor": "val_mae"}');
survive('running average', 2, '{"model_type": "mlp", "num_hidden_neurons": [8], "batch_norm_linear_layers": true, "val_fraction": 0.1,
	"batch_size": 100, "max_epochs": 30, "weight_averaging": "ema", "ema_decay": 0.99, "every_n_train_steps": 41, "save_top_k": 2}');
survive('averages of epochs', 2, '{"model_type": "mlp", "num_hidden_neurons": [8], "batch_norm_linear_layers": true, "val_fraction": 0.1,
	"batch_size": 100, "max_epochs": 30, "weight_averaging": "swa", "swa_epoch_start": 5, "swa_lrs": 0.001, "every_n_train_steps": 41}');
survive('the same batches', 2, '{"overfit_batches": 50, "max_epochs": 1500, "batch_size": 20, "every_n_train_steps": 41}');
survive('endless lanes', 5, '{"max_batches": 150000, "lanes": 4, "batch_size": 64, "accumulate_grad_batches": 3,
	"optimizer": "SGD", "momentum": 0.9, "lr": 0.001, "lr_schedule": "one_cycle", "every_n_train_steps": 100}');
survive('streamed', 3, '{"max_epochs": 1, "batch_size": 1, "shuffle": "none", "scale": "none", "scale_label": "none",
	"lr": 0.001, "lr_schedule": "exponential", "gamma": 0.99, "lr_interval": "step", "every_n_train_steps": 10}');
survive('read again each epoch', 4, '{"max_epochs": 300, "batch_size": 200, "shuffle": "epoch", "precision": "float32",
	"train_time_interval": 0.01, "weight_decay": 0.1, "num_workers": 2}', q{SET osml.max_memory = '4MB'; SET osml.max_spill = 0;});
cmp_ok($survived, '>=', 15, "the server was killed $survived times");

# --- Other rows -----------------------------------------------------------------------

my $hparams = '{"max_epochs": 10000, "every_n_train_steps": 10}';

$run = osml_sql($node, "SELECT osml_train('rows', '$hparams', 'changed', wait => false)");
osml_poll($node, "SELECT count(*) = 1 FROM osml.checkpoints WHERE run_id = $run");
osml_fails($node, "SELECT osml_resume($run)", '55000', 'cannot resume run \d+, which is running', 'a run that goes on');
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'a cancelled run');
is(osml_sql($node, "SELECT count(*) = 1 AND min(model) = 'changed' FROM osml.checkpoints WHERE run_id = $run"),
	't', 'keeps its checkpoint');
osml_sql($node, 'UPDATE rows SET y = 0 WHERE ctid = (SELECT min(ctid) FROM rows)');
osml_fails($node, "SELECT osml_resume($run)", '55000', 'the training rows of run \d+ have changed since its checkpoint.*on_changed_data',
	'other rows: an error that says what can be done');
is(osml_run($node, $run, 'status'), 'failed', 'the run has failed');
is(osml_sql($node, "SELECT count(*) FROM osml.checkpoints WHERE run_id = $run"), 1, 'and may be resumed once more');
osml_sql($node, 'ALTER TABLE rows RENAME a TO aa');
osml_fails($node, "SELECT osml_resume($run)", '42703', 'column "a" does not exist', 'another column');
osml_sql($node, 'ALTER TABLE rows RENAME aa TO a');
my $before = osml_sql($node, "SELECT step FROM osml.checkpoints WHERE run_id = $run");
is(osml_sql($node, qq{SELECT osml_resume($run, '{"on_changed_data": "continue", "max_time": 0.001}')}), 'finished',
	'it goes on over other rows where that is asked for');
is(osml_sql($node, "SELECT count(*) FROM osml.events WHERE run_id = $run AND kind = 'data_changed'"), 1, 'and says so');
cmp_ok(osml_run($node, $run, 'steps'), '>=', $before, 'from its checkpoint');
osml_fails($node, "SELECT osml_resume($run)", '55000', 'cannot resume run \d+, which is finished', 'a finished run');

# validation rows too: the best weights and the end of a run hang on them
osml_sql($node, q{CREATE TABLE vals AS SELECT * FROM rows LIMIT 500; SELECT osml_create_dataset('judged', 'rows', label => 'y', val => 'vals')});
$run = osml_sql($node, "SELECT osml_train('judged', '$hparams', 'judged', wait => false)");
osml_poll($node, "SELECT count(*) = 1 FROM osml.checkpoints WHERE run_id = $run");
osml_sql($node, "SELECT osml_cancel($run)");
osml_sql($node, 'UPDATE vals SET y = y + 100');
osml_fails($node, "SELECT osml_resume($run)", '55000', 'the validation rows of run \d+ have changed since its checkpoint.*on_changed_data',
	'other validation rows are an error');
is(osml_sql($node, qq{SELECT osml_resume($run, '{"on_changed_data": "continue", "max_time": 0.001}')}), 'finished', 'unless that is asked for');
is(osml_sql($node, "SELECT message LIKE 'the validation rows are others than before step %' FROM osml.events WHERE run_id = $run AND kind = 'data_changed'"), 't', 'which is said');

# --- Two at once, and whose run it is --------------------------------------------------

$run = osml_sql($node, "SELECT osml_train('rows', '$hparams', 'twice', wait => false)");
osml_poll($node, "SELECT count(*) = 1 FROM osml.checkpoints WHERE run_id = $run");
osml_sql($node, "SELECT osml_cancel($run)");
my @sessions = map { osml_session($node, "SELECT osml_resume($run, wait => false)") } 1 .. 4;
my @ends = map { [ $_->finish ] } @sessions;
is(scalar(grep { $_->[0] eq 'running' } @ends), 1, 'of four sessions one resumes the run')
	or diag(join "\n", map { "@$_" } @ends);
is(scalar(grep { $_->[1] =~ /(55006|55000): .*(going on already|which is running)/ } @ends), 3, 'the others are told');
osml_sql($node, "CREATE ROLE other LOGIN");
osml_fails($node, "SELECT osml_resume($run)", '42704', 'does not exist', 'a run of somebody else', user => 'other');
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'it can be cancelled as before');
is(osml_sql($node, "SELECT osml_drop_checkpoints($run)"), 1, 'checkpoints can be dropped');
is(osml_sql($node, "SELECT osml_resume($run, '{\"max_time\": 0.001}')"), 'finished', 'then the run begins anew');
is(osml_sql($node, "SELECT message FROM osml.events WHERE run_id = $run AND kind = 'resumed' ORDER BY event_id DESC LIMIT 1"),
	'there is no checkpoint: the run begins anew', 'and says so');
osml_no_leftovers($node, 'after all of it');

$node->stop;
done_testing();
