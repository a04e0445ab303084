# Runs that go on by themselves once the server is back, as whoever launched them.
use strict;
use warnings;

use OsmlTest;
use Test::More;

my $node = osml_node('restart', shared_preload_libraries => 'osml');
my $hparams = '"max_epochs": 60, "batch_size": 50, "every_n_train_steps": 20, "restart": true';
my ($run, $out, $err);

osml_sql($node, q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE team NOLOGIN;
	GRANT team TO alice;
	GRANT CREATE ON SCHEMA public TO team;
	CREATE SCHEMA hers AUTHORIZATION team;
	SET ROLE team;
	CREATE TABLE hers.rows AS SELECT sin(i) * 3 + i % 7 AS y, sin(i) AS a, (i % 7)::float8 AS b FROM generate_series(1, 20000) i;
});

# Files that say which runs are to be restarted.
sub tickets
{
	my @files = glob($node->data_dir . '/osml_restart/*');

	return scalar @files;
}

# Started under SET ROLE and a search_path: both come back with the run.
my $as = 'SET ROLE team; SET search_path = hers, public;';

is(osml_sql($node, qq{$as SELECT osml_train('rows', '{"max_epochs": 60, "batch_size": 50}', 'whole') > 0}, user => 'alice'),
	't', 'a run that nobody touches');
foreach my $mode ('immediate', 'fast')
{
	$run = osml_sql($node, qq{$as SELECT osml_train('rows', '{$hparams}', '$mode', wait => false)}, user => 'alice');
	osml_poll($node, "SELECT count(*) = 1 FROM osml.checkpoints WHERE run_id = $run");
	is(tickets(), 1, "$mode: the run has a ticket");
	$node->stop($mode);
	$node->start;
	osml_poll($node, "SELECT status = 'finished' FROM osml.runs WHERE run_id = $run");
	is(osml_run($node, $run, 'status'), 'finished', "$mode: it has gone on by itself");
	is(osml_run($node, $run, 'owner'), 'team', "$mode: as the role that launched it");
	is(osml_sql($node, "SELECT count(*) FROM osml.events WHERE run_id = $run AND kind = 'resumed' AND message LIKE 'the run goes on%'"),
		1, "$mode: from its checkpoint");
	is(osml_sql($node, "SELECT author FROM osml.models WHERE model = '$mode'"), 'team', "$mode: whose model it is");
	is(osml_sql($node, qq{SELECT count(DISTINCT v.weights) FROM osml.model_version v JOIN osml.model m USING (model_id)
		WHERE m.name IN ('whole', '$mode')}), 1, "$mode: the same weights, to the bit");
	is(tickets(), 0, "$mode: the ticket is gone");
}

# Runs that did not ask for it stay interrupted; a cancelled one is over.
my $other = osml_sql($node, q{SELECT osml_train('hers.rows', '{"max_epochs": 100000, "every_n_train_steps": 20}', 'other', wait => false)});
$run = osml_sql($node, q{SELECT osml_train('hers.rows', '{"max_epochs": 100000, "restart": true}', 'cancelled', wait => false)});
osml_poll($node, "SELECT count(*) = 1 FROM osml.checkpoints WHERE run_id = $other");
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'a cancelled run');
is(tickets(), 0, 'has no ticket any more');
$node->restart;
is(osml_run($node, $other, 'status'), 'interrupted', 'a run that did not ask is not restarted');
is(osml_run($node, $run, 'status'), 'cancelled', 'nor is a cancelled one');

# A file is no more than what the server wrote.
my $folder = $node->data_dir . '/osml_restart';
open(my $handle, '>', "$folder/5.$other") or die $!;
print $handle 'nonsense';
close($handle);
open($handle, '>', "$folder/readme") or die $!;
close($handle);
$node->restart;
for (1 .. 100) { last unless -e "$folder/5.$other"; select(undef, undef, undef, 0.1); }
ok(!-e "$folder/5.$other", 'a damaged ticket is thrown away');
unlink("$folder/readme");
is(osml_run($node, $other, 'status'), 'interrupted', 'and nothing comes of it');

# What a run needs may be gone.
$run = osml_sql($node, qq{$as SELECT osml_train('rows', '{"max_epochs": 100000, "restart": true, "every_n_train_steps": 20}', 'lost', wait => false)},
	user => 'alice');
osml_poll($node, "SELECT count(*) = 1 FROM osml.checkpoints WHERE run_id = $run");
$node->stop('immediate');
$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$node->start;
is(osml_run($node, $run, 'status'), 'interrupted', 'not preloaded: the run stays interrupted');
osml_fails($node, q{SELECT osml_train('line', '{"restart": true}')}, '55000', 'needs osml to be preloaded.*shared_preload_libraries',
	'and restart is an error');
osml_sql($node, 'ALTER TABLE hers.rows RENAME TO gone');
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'osml'");
$node->restart;
osml_poll($node, q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE application_name LIKE 'osml run%')});
is(osml_run($node, $run, 'status'), 'interrupted', 'the table is gone: the run stays interrupted');
is(tickets(), 1, 'and may be tried again');
$node->restart for 1 .. 6;
for (1 .. 100) { last unless tickets(); select(undef, undef, undef, 0.1); }
is(tickets(), 0, 'but not for ever');
osml_no_leftovers($node, 'after all of it');

$node->stop;
done_testing();
