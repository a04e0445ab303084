# pg_cron calls osml_train as its job's owner: from a background worker, and as a client.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Cluster;
use Test::More;

my $control = PostgreSQL::Test::Cluster->new('probe')->config_data('--sharedir') . '/extension/pg_cron.control';

plan skip_all => 'pg_cron is not installed' unless -e $control;

# Both at once, for pg_cron's shortest step is a minute.
my @nodes = map {
	my $node = osml_node($_ eq 'on' ? 'cron_worker' : 'cron_client',
		shared_preload_libraries => "'pg_cron, osml'",
		'cron.use_background_workers' => $_);

	osml_sql($node, q{
		CREATE EXTENSION pg_cron;
		CREATE ROLE alice LOGIN;
		CREATE ROLE bert LOGIN;
		GRANT USAGE ON SCHEMA cron TO alice;
		GRANT CREATE ON SCHEMA public TO alice;
		CREATE TABLE hers (id int, y float8, x float8);
		INSERT INTO hers SELECT i, 3 * i + 1, i FROM generate_series(1, 1000) i;
		ALTER TABLE hers OWNER TO alice});
	$node
} 'on', 'off';
my %jobs = (
	trained => q{SELECT osml_train('SELECT y, x FROM hers', '{"optimizer": "exact"}', 'line')},
	new => q{SELECT osml_train('hers', '{"label": "y", "features": ["x"], "since": "id", "warm_start": true, "if_running": "skip"}', 'new')},
	wrong => q{SELECT osml_train('hers', '{"label": "y", "optimiser": "exact"}')},
	failed => q{SELECT osml_train('hers', '{"label": "y", "lr": 1e300, "max_epochs": 3}', 'failed')},
	whose => q{SELECT osml_train('SELECT y, x FROM line', '{"optimizer": "exact"}', 'readable')},
);

foreach my $node (@nodes)
{
	# clients of pg_cron come by a host, and that is the socket's folder here
	$node->append_conf('postgresql.conf', "cron.host = '" . $node->host . "'");
	$node->restart;
	osml_sql($node, "SELECT cron.schedule('$_', '* * * * *', \$job\$$jobs{$_}\$job\$)", user => 'alice') foreach sort keys %jobs;
}
foreach my $node (@nodes)
{
	my $name = $node->name;
	my $n = keys %jobs;
	my $ended = "status IN ('succeeded', 'failed')";

	osml_poll($node, "SELECT count(DISTINCT jobid) = $n FROM cron.job_run_details WHERE $ended") or diag('jobs that have not ended');
	osml_sql($node, 'UPDATE cron.job SET active = false');
	my %outcome = map { split /\|/, $_, 2 } split /\n/, scalar osml_sql($node, qq{
		SELECT DISTINCT ON (jobname) jobname, d.status || '|' || d.username || '|' || translate(return_message, E'\\n', ' ')
		FROM cron.job_run_details d JOIN cron.job USING (jobid) WHERE $ended ORDER BY jobname, runid});

	like($outcome{trained}, qr/^succeeded\|alice/, "$name: a job trains");
	is(osml_sql($node, q{SELECT round(osml_predict('line', 1000.0)::numeric, 6)}, user => 'alice'), '3001.000000', "$name: a model of its owner's");
	like($outcome{new}, qr/^succeeded/, "$name: and one with what is new");
	is(osml_sql($node, q{SELECT string_agg(DISTINCT owner, ',') FROM osml.runs}), 'alice', "$name: whose runs they are");
	like($outcome{wrong}, qr/^failed\|alice\|.*"optimiser"/, "$name: a wrong key is in the job's row");
	like($outcome{failed}, qr/^failed\|alice\|.*run \d+/, "$name: and a run that fails, with its number");
	like($outcome{whose}, qr/^succeeded/, "$name: of what she may read");
	osml_no_leftovers($node, $name);
	$node->stop;
}

done_testing();
