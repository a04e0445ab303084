# A hot standby reads what its primary has, says why it changes nothing, and after promotion
# is a server like any other.
use strict;
use warnings;

use OsmlMove;
use OsmlTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $primary = osml_node('primary', allows_streaming => 1, shared_preload_libraries => 'osml');
my $long = '"max_epochs": 100, "batch_size": 50, "every_n_train_steps": 20, "restart": true';
my (%run, $out, $err, $session);

osml_sql($primary, q{CREATE ROLE alice LOGIN; CREATE ROLE bert LOGIN; CREATE DATABASE a OWNER alice});
osml_furnish($primary, 'alice', 'a');
$run{done} = osml_as($primary, 'alice', 'a', q{
	GRANT SELECT ON rows TO PUBLIC;
	SELECT osml_train('set', '{"max_epochs": 1}', 'done')});
osml_sql($primary, 'CREATE TABLE long AS SELECT sin(i) * 3 + i % 7 AS y, sin(i) AS a FROM generate_series(1, 20000) i');
osml_sql($primary, q{SELECT osml_train('long', '{"max_epochs": 100, "batch_size": 50}', 'whole')});
osml_sql($primary, q{SELECT osml_train('line', '{"optimizer": "exact"}', 'exact')});
$run{again} = osml_sql($primary, qq{SELECT osml_train('long', '{$long}', 'again', wait => false)});

# A lock holds it at a step after its first checkpoint.  The folder is copied while it goes
# on, and with it what would restart it.
osml_poll($primary, "SELECT count(*) = 1 FROM osml.checkpoint WHERE run_id = $run{again}") or die 'no checkpoint';
my $holder = osml_session($primary, 'BEGIN; LOCK TABLE osml.checkpoint IN SHARE MODE; SELECT pg_sleep(3600)');
osml_poll($primary, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'osml trainer' AND wait_event_type = 'Lock'}) or die 'not held';
$primary->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($primary, 'base', has_streaming => 1);
$standby->start;
$primary->wait_for_catchup($standby);

# --- what changes something ----------------------------------------------------------

# [function, arguments]: all that exist are here or among those that only read
my @writes = (
	[ 'osml_create_dataset', q{'new', 'rows'} ],
	[ 'osml_drop_dataset', q{'set'} ],
	[ 'osml_split', q{'set', '{"train": 0.5, "val": 0.5}'} ],
	[ 'osml_unsplit', q{'set'} ],
	[ 'osml_declare_feature', q{'set', 'x', true} ],
	[ 'osml_analyze', q{'set'} ],
	[ 'osml_bin', q{'set', 'x', 4} ],
	[ 'osml_bin', q{'set', '{x}'::text[], 4} ],
	[ 'osml_cross', q{'set', 'both', '{mood,word}'} ],
	[ 'osml_transform', q{'set', 'root', 'log1p', '{"input": "x"}'} ],
	[ 'osml_drop_feature', q{'set', 'made'} ],
	[ 'osml_copy_features', q{'set', 'set'} ],
	[ 'osml_fit_features', q{'set'} ],
	[ 'osml_train', q{'set'} ],
	[ 'osml_find_lr', q{'set'} ],
	[ 'osml_cancel', '%d' ],
	[ 'osml_resume', '%d' ],
	[ 'osml_drop_checkpoints', '%d' ],
	[ 'osml_deploy', q{'set', 2} ],
	[ 'osml_deploy', q{'set', 'latest'} ],
	[ 'osml_drop_model', q{'net'} ],
	[ 'osml_grant', q{'set', 'bert', 'predict'} ],
	[ 'osml_revoke', q{'net', 'public', 'predict'} ],
);
my %reads = (
	osml_analyze => q{SELECT * FROM osml_analyze('rows') ORDER BY 1},
	osml_feature_report => q{SELECT * FROM osml_feature_report('set', '{x * x}') ORDER BY 1},
	osml_feature_pairs => q{SELECT * FROM osml_feature_pairs('set') ORDER BY 1, 2},
	osml_check => q{SELECT "check", verdict, subject, message FROM osml_check('set') WHERE "check" <> 'time' ORDER BY 1, 3, 4},
	osml_transforms => 'SELECT * FROM osml_transforms() ORDER BY 1, 2',
	osml_apply_bins => q{SELECT osml_apply_bins('set', 'x_bin', x) FROM generate_series(0, 2000, 100) x},
	osml_transform_row => q{SELECT t.* FROM rows r, osml_transform_row('set', r) t WHERE id < 9 ORDER BY id, 1, 2},
	osml_wait => 'SELECT osml_wait(%d)',
	osml_hparams => 'SELECT * FROM osml_hparams() ORDER BY 1',
	osml_predict => q{SELECT osml_predict('set', r) FROM rows r WHERE id < 9 ORDER BY id},
	osml_predict_proba => q{SELECT osml_predict_proba('classes', r) FROM rows r WHERE id < 9 ORDER BY id},
	osml_predict_class => q{SELECT osml_predict_class('classes', r) FROM rows r WHERE id < 9 ORDER BY id},
	osml_predict_interval => q{SELECT osml_predict_interval('set', r) FROM rows r WHERE id < 9 ORDER BY id},
	osml_predict_batch => q{SELECT count(*), sum(prediction) FROM osml_predict_batch('set', 'rows', 'id')},
	osml_explain => q{SELECT e.* FROM rows r, osml_explain('net', r) e WHERE id < 9 ORDER BY id, 1, 2},
	osml_evaluate => q{SELECT * FROM osml_evaluate('net', 'rows') ORDER BY 1},
	osml_permutation_importance => q{SELECT * FROM osml_permutation_importance('set', 'rows') ORDER BY 1},
	osml_confusion_matrix => q{SELECT * FROM osml_confusion_matrix('classes', 'rows') ORDER BY 1, 2},
	osml_curve => q{SELECT * FROM osml_curve('classes', 'rows', 'c1') ORDER BY 1, 2, 3},
	osml_calibration => q{SELECT * FROM osml_calibration('classes', 'rows') ORDER BY 1, 2},
	osml_model_summary => q{SELECT * FROM osml_model_summary('net')},
);
my %known = (%reads, map { $_->[0] => 1 } @writes);

is(join(' ', sort keys %known), osml_as($primary, 'alice', 'a', q{
	SELECT string_agg(DISTINCT proname, ' ' ORDER BY proname) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname ~ '^osml_'}),
	'each function is here');
foreach my $case (@writes)
{
	my ($function, $arguments) = @$case;
	my $call = "$function(" . sprintf($arguments, $run{done}) . ')';

	osml_fails($standby, "SELECT $call", '25006', "cannot execute $function\\(\\) during recovery.*DETAIL: .*standby.*HINT: .*primary server", "$call", user => 'alice', dbname => 'a');
	# a primary's own read-only transactions
	osml_fails($primary, "BEGIN READ ONLY; SELECT $call", '25006', "cannot execute $function\\(\\) in a read-only transaction", "$call, read only", user => 'alice', dbname => 'a')
	  if $function ne 'osml_cancel';
}
osml_fails($standby, q{UPDATE osml.definitions SET params = '{"bins": 3}' WHERE feature = 'x_bin'}, '25006', 'read-only', 'changing a definition by hand', user => 'alice', dbname => 'a');

# --- what reads ----------------------------------------------------------------------

foreach my $function (sort keys %reads)
{
	my $sql = sprintf($reads{$function}, $run{done});
	my $there = osml_as($standby, 'alice', 'a', $sql);

	unlike($there, qr/ERROR|^$/, "$function reads");
	is($there, osml_as($primary, 'alice', 'a', $sql), "$function: as on the primary");
}
my %answers = osml_answers($primary, 'alice', 'a');
delete $answers{parts};			# makes the split again
$primary->wait_for_catchup($standby);
osml_same_answers($standby, 'alice', 'a', \%answers, 'standby');
is(osml_as($standby, 'bert', 'a', q{SELECT count(osml_predict('net', r)) FROM rows r}), '5000', 'another role predicts with what all may');
osml_fails($standby, q{SELECT osml_predict('set', r) FROM rows r}, '42501', '"set"', 'and with nothing else', user => 'bert', dbname => 'a');

# --- runs of the primary -------------------------------------------------------------

is(osml_run($standby, $run{again}, 'status'), 'running', 'a run of the primary runs');
is(osml_sql($standby, "SELECT osml_wait($run{again}, '10 ms')"), 'running', 'one may wait for it');
$run{short} = osml_sql($primary, qq{SELECT osml_train('line', '{$ENDLESS}', 'short', wait => false)});
$primary->wait_for_catchup($standby);
osml_fails($standby, "SELECT osml_wait($run{short})", '55000', 'cannot wait for the end of run \d+ during recovery.*HINT: .*timeout', 'but not for ever, in the way of its end');
osml_sql($primary, "SELECT osml_cancel($run{short})");
$primary->wait_for_catchup($standby);
is(osml_sql($standby, "SELECT osml_wait($run{short})"), 'cancelled', 'an end is seen');

# --- conflicts with what the primary does ----------------------------------------------

$standby->append_conf('postgresql.conf', 'max_standby_streaming_delay = 0');
$standby->reload;
$primary->wait_for_catchup($standby);
$session = osml_session($standby, q{SELECT * FROM osml_evaluate('exact', 'slow')});
$standby->poll_query_until('postgres', q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query ~ '^SELECT . FROM osml_evaluate' AND wait_event = 'PgSleep'});
osml_sql($primary, 'ALTER TABLE line ADD COLUMN z int; ALTER TABLE line DROP COLUMN z');
($out, $err) = $session->finish;
like($err, qr/ERROR:  40001: .*conflict with recovery/, 'a lock of the primary ends what is in its way');
is(osml_sql($standby, q{SELECT osml_predict('exact', 1000.0) IS NOT NULL}), 't', 'and no more than that');

# --- promoted ------------------------------------------------------------------------

$run{queued} = osml_sql($primary, qq{SELECT osml_train('line', '{"if_running": "queue", "max_batches": 3}', 'again', wait => false)});
is(osml_run($primary, $run{queued}, 'status'), 'queued', 'one waits for the other');
$primary->wait_for_catchup($standby);
$primary->stop('immediate');
$holder->{run}->kill_kill;
is(osml_run($standby, $run{queued}, 'status'), 'queued', 'on the standby, too');
$standby->promote;
is(osml_run($standby, $run{$_}, 'status'), 'interrupted', "$_: after promotion nobody trains it") foreach 'again', 'queued';
for (1 .. 100) { last unless glob($standby->data_dir . '/osml_restart/*'); select(undef, undef, undef, 0.1); }
like(slurp_file($standby->logfile), qr/osml run $run{again} is not restarted/, 'what the primary launched is not restarted here');
is(osml_run($standby, $run{again}, 'status'), 'interrupted', 'but waits');
is(osml_sql($standby, qq{SELECT osml_resume($run{again}, '{"every_n_train_steps": 100000}')}), 'finished', 'to be resumed');
is(osml_sql($standby, q{SELECT count(DISTINCT weights) FROM osml.model_version JOIN osml.model m USING (model_id) WHERE m.name IN ('whole', 'again')}), '1',
	'to the weights of a run that nobody touched');
is(osml_sql($standby, "SELECT count(*) FROM osml.events WHERE run_id = $run{again} AND kind = 'resumed' AND message LIKE 'the run goes on%'"), '1', 'from the checkpoint of the primary');
is(osml_sql($standby, "SELECT osml_resume($run{queued})"), 'finished', 'and the one that was queued');
osml_same_answers($standby, 'alice', 'a', \%answers, 'promoted');
osml_goes_on($standby, 'alice', 'a', 'promoted');

# A run of its own is restarted as anywhere.
$run{own} = osml_sql($standby, qq{SELECT osml_train('long', '{$long}', 'own', wait => false)});
osml_poll($standby, "SELECT count(*) = 1 FROM osml.checkpoint WHERE run_id = $run{own}") or die 'no checkpoint';
$standby->stop('immediate');
$standby->start;
osml_wait_status($standby, $run{own}, 'finished', 'a run launched here is restarted here');
osml_no_leftovers($standby, 'promoted');

# The old primary comes back beside it: its run is its own, and goes on.
$primary->start;
osml_wait_status($primary, $run{again}, 'finished', 'what the old primary launched goes on there');
osml_no_leftovers($primary, 'the old primary');

$standby->stop;
$primary->stop;
done_testing();
