# pg_upgrade, with copies of files and with links: what was trained is what it was, what was
# interrupted goes on, and the old server's runs are left alone meanwhile.
use strict;
use warnings;

use OsmlMove;
use OsmlTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $old = osml_node('upgrade_old', shared_preload_libraries => 'osml');
my $bindir = $old->config_data('--bindir');
my $long = '"max_epochs": 100, "batch_size": 50';
my $saved = qq($long, "every_n_train_steps": 20);	# which slows it down, too
my %run;

# --- what is to be upgraded ----------------------------------------------------------

osml_sql($old, q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE bert LOGIN;
	CREATE ROLE carol LOGIN;
	CREATE DATABASE a OWNER alice;
	ALTER DATABASE a SET osml.progress_interval = '3s';
	ALTER ROLE carol SET osml.max_runs = 2;
	ALTER ROLE alice IN DATABASE a SET osml.max_memory = '333MB'});
osml_furnish($old, 'alice', 'a');
is(osml_as($old, 'alice', 'a', q{
	GRANT SELECT ON rows TO PUBLIC;
	SELECT count(osml_grant('set', 'carol', 'predict'));
	CREATE FUNCTION quietly() RETURNS text LANGUAGE sql SET osml.progress_interval = 0
		AS $$SELECT current_setting('osml.progress_interval')$$;
	CREATE TABLE long AS SELECT sin(i) * 3 + i % 7 AS y, sin(i) AS a, 'k' || i % 5 AS k FROM generate_series(1, 20000) i}), '1', 'rights and a function with a setting');
osml_sql($old, 'CREATE TABLE long AS SELECT sin(i) * 3 + i % 7 AS y, sin(i) AS a FROM generate_series(1, 20000) i');

osml_sql($old, qq{SELECT osml_train('long', '{$long}', 'whole')}, dbname => $_) foreach 'a', 'postgres';

# Interrupted by the shutdown: one that alice has, one that is to be restarted, of hers and
# of a superuser.
foreach my $case ([ 'alice', 'a', 'mine', '' ], [ 'alice', 'a', 'again', ', "restart": true' ], [ undef, 'postgres', 'again', ', "restart": true' ])
{
	my ($user, $dbname, $model, $more) = @$case;
	my @as = (user => $user, dbname => $dbname);

	$run{"$dbname $model"} = osml_sql($old, qq{SELECT osml_train('long', '{$saved$more}', '$model', wait => false)}, @as);
}
foreach my $which (keys %run)
{
	my ($dbname) = split / /, $which;

	$old->poll_query_until($dbname, "SELECT count(*) = 1 FROM osml.checkpoint WHERE run_id = $run{$which}") or die "no checkpoint of $which";
}
$old->stop('fast');
is(scalar(my @tickets = glob($old->data_dir . '/osml_restart/*')), 2, 'two runs are to be restarted');

# How it stands is asked while nothing is restarted.
$old->append_conf('postgresql.conf', "shared_preload_libraries = ''");
$old->start;
my %before = osml_answers($old, 'alice', 'a');
my $unfinished = q{SELECT string_agg(concat_ws('|', run_id, status, r.steps, r.epoch, c.step, md5(c.state),
		(SELECT count(*) FROM osml.event e WHERE e.run_id = r.run_id)), ',' ORDER BY run_id)
	FROM osml.runs r LEFT JOIN osml.checkpoint c USING (run_id) WHERE status <> 'finished'};
my %unfinished = map { $_ => scalar osml_sql($old, $unfinished, dbname => $_) } 'a', 'postgres';
like($unfinished{a}, qr/^\d+\|interrupted.*,\d+\|interrupted/, 'two of her runs are interrupted');
like($unfinished{postgres}, qr/^\d+\|interrupted/, 'and one of the superuser');
$old->append_conf('postgresql.conf', "shared_preload_libraries = 'osml'");
$old->stop;

# --- upgraded -------------------------------------------------------------------------

sub upgraded
{
	my ($mode, %conf) = @_;
	my $new = PostgreSQL::Test::Cluster->new("upgrade_$mode");
	my $faster = '"every_n_train_steps": 100000' . ($conf{shared_preload_libraries} ? '' : ', "restart": false');
	my $weights = q{SELECT count(DISTINCT weights) FROM osml.model_version JOIN osml.model m USING (model_id) WHERE m.name IN ('whole', '%s')};

	%conf = (max_worker_processes => 16, 'osml.progress_interval' => 0, %conf);
	$new->init;
	$new->append_conf('postgresql.conf', "$_ = $conf{$_}") foreach sort keys %conf;
	osml_program("$mode: pg_upgrade", "$bindir/pg_upgrade", ($mode eq 'link' ? '--link' : ()), '-d', $old->data_dir, '-D', $new->data_dir,
		'-b', $bindir, '-B', $bindir, '-s', $new->host, '-p', $old->port, '-P', $new->port);
	$new->start;

	osml_same_answers($new, 'alice', 'a', \%before, $mode);
	is(osml_sql($new, $unfinished, dbname => $_), $unfinished{$_}, "$mode: database $_: no unfinished run went on meanwhile") foreach sort keys %unfinished;

	is(osml_sql($new, q{SHOW osml.progress_interval; SHOW osml.max_memory; SELECT quietly()}, user => 'alice', dbname => 'a'), "3s\n333MB\n0", "$mode: settings of a database, of a role in it, of a function");
	is(osml_sql($new, q{SELECT count(osml_predict('set', r)) FROM rows r; SHOW osml.max_runs}, user => 'carol', dbname => 'a'), "5000\n2", "$mode: a grant and a setting of a role");
	osml_fails($new, q{SELECT osml_predict('set', r) FROM rows r}, '42501', '"set"', "$mode: bert may not predict", user => 'bert', dbname => 'a');
	is(osml_sql($new, q{SELECT count(osml_predict('net', r)) FROM rows r}, user => 'bert', dbname => 'a'), '5000', "$mode: but with what all may");
	osml_goes_on($new, 'alice', 'a', $mode);

	osml_fails($new, "SELECT osml_resume($run{'postgres again'})", '55000', 'HINT: .*set "restart" to false', "$mode: a run to be restarted says what that takes")
	  if $faster =~ /restart/;
	foreach my $which (sort keys %run)
	{
		my ($dbname, $model) = split / /, $which;

		is(osml_sql($new, qq{SELECT osml_resume($run{$which}, '{$faster}')}, user => $dbname eq 'a' ? 'alice' : undef, dbname => $dbname), 'finished', "$mode: $which: resumed");
		is(osml_sql($new, sprintf($weights, $model), dbname => $dbname), '1', "$mode: $which: to the weights of a run that nobody touched");
		is(osml_sql($new, "SELECT count(*) FROM osml.events WHERE run_id = $run{$which} AND kind = 'resumed' AND message LIKE 'the run goes on%'", dbname => $dbname), '1', "$mode: $which: from its checkpoint");
	}
	osml_no_leftovers($new, $mode);
	$new->stop;
}

upgraded('copy');
upgraded('link', shared_preload_libraries => 'osml');

done_testing();
