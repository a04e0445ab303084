# A server whose postmaster dies: no process of a run stays behind, and the run can go on.
use strict;
use warnings;

use OsmlKills;
use OsmlTest;
use Test::More;

my $node = osml_node('postmaster');

osml_sql($node, q{CREATE TABLE rows AS SELECT sin(i) * 3 + i % 7 AS y, sin(i) AS a, (i % 7)::float8 AS b FROM generate_series(1, 20000) i});
is(osml_sql($node, q{SELECT osml_train('rows', '{"max_epochs": 60, "batch_size": 50}', 'whole') > 0}), 't', 'a run that nobody touches');
foreach my $workers (0, 2)
{
	my $run = osml_sql($node, qq{SELECT osml_train('rows', '{"max_epochs": 60, "batch_size": 50, "every_n_train_steps": 20, "num_workers": $workers}', 'killed $workers', wait => false)});
	osml_poll($node, "SELECT count(*) = 1 FROM osml.checkpoints WHERE run_id = $run");
	osml_kill_postmaster($node, "$workers workers");
	$node->start;
	is(osml_run($node, $run, 'status'), 'interrupted', "$workers workers: the server starts and says what became of the run");
	is(osml_sql($node, "SELECT osml_resume($run)"), 'finished', "$workers workers: the run goes on");
	is(osml_sql($node, qq{SELECT count(DISTINCT v.weights) FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name IN ('whole', 'killed $workers')}), 1,
		"$workers workers: to the same weights");
}

# The session that waits hears of it too, and would cancel the run on its way out.
foreach my $kill (1 .. 5)
{
	my ($session, $run) = osml_train_session($node, qq{SELECT osml_train('rows', '{$ENDLESS}', 'awaited');\n\\q\n}, loaded => 1);

	osml_kill_postmaster($node, "awaited, kill $kill");
	$node->start;
	eval { $session->finish };
	is(osml_run($node, $run, 'status'), 'interrupted', "awaited, kill $kill: the run was not cancelled");
}

$node->stop;
done_testing();
