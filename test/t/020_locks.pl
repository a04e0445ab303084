# Where osml_train is called from, and which locks its caller holds: it works or
# says why not, and never waits for itself.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('locks');
my $quick = '"max_batches": 3';
my ($run, $out, $err, @sessions);

sub last_run
{
	return scalar osml_sql($node, 'SELECT max(run_id) FROM osml.run');
}

# --- the run waits for its caller --------------------------------------------------

# [what, statements before, arguments of osml_train, whom the error names]
osml_sql($node, "SELECT osml_train('line', '{$quick}', 'm'), osml_train('line', '{$quick}', 'n')");
foreach my $case (
	[ 'a locked table', 'LOCK TABLE line IN ACCESS EXCLUSIVE MODE',
		qq('line', '{$quick, "num_workers": 1}'), 'a reader' ],
	[ 'a locked table, two readers', 'LOCK TABLE line IN ACCESS EXCLUSIVE MODE',
		qq('line', '{$quick, "num_workers": 2}'), 'a reader' ],
	[ 'a deployed model', q{SELECT osml_deploy('m', 1)},
		qq('line', '{$quick}', 'm'), 'the trainer' ],
	[ 'a dropped model', q{SELECT osml_drop_model('n')},
		qq('line', '{$quick}', 'n'), 'the trainer' ])
{
	my ($what, $before, $arguments, $who) = @$case;

	osml_fails($node, "BEGIN; $before; SELECT osml_train($arguments)", '40P01',
		"$who waits for a lock that this transaction holds.*HINT:  Commit before",
		"$what: the cycle is seen");
	$run = last_run();
	osml_wait_status($node, $run, 'cancelled', "$what: status");
	like(osml_run($node, $run, 'error'),
		qr/^$who waits for a lock that this transaction holds/, "$what: reason");
	osml_no_leftovers($node, $what);
}

$out = osml_sql($node, qq{
	BEGIN;
	SELECT osml_deploy('m', 1);
	DO \$\$BEGIN PERFORM osml_train('line', '{$quick}', 'm');
	EXCEPTION WHEN deadlock_detected THEN NULL; END\$\$;
	COMMIT;
	SELECT osml_train('line', '{$quick}', 'm') > 0;
	SELECT count(*) FROM osml.models WHERE model = 'm'});
is($out, "1\nt\n2", 'a cycle that is caught, and a second call after the commit');

# without waiting, the run waits until the caller has committed
$out = osml_sql($node, qq{
	BEGIN;
	LOCK TABLE line IN ACCESS EXCLUSIVE MODE;
	SELECT osml_train('line', '{$quick}', wait => false) AS run \\gset
	SELECT osml_wait(:run, '1 s');
	COMMIT;
	SELECT osml_wait(:run)});
is($out, "running\nfinished", 'a run that does not have to wait goes on after the commit');
osml_fails($node, qq{
	BEGIN;
	LOCK TABLE line IN ACCESS EXCLUSIVE MODE;
	SELECT osml_train('line', '{$quick}', wait => false) AS run \\gset
	SELECT osml_wait(:run)}, '40P01', 'a reader waits for a lock that this transaction holds',
	'osml_wait sees the cycle too');
osml_wait_status($node, last_run(), 'finished', 'and leaves the run to finish');

# Sessions in a ring: each holds a lock that the run of the one before waits for, and waits
# for its own run.  A gate lets none of them start one before all have their locks.
foreach my $case (
	[ 'two sessions', q{SELECT osml_train('line', '{%s}', '%s')}, 2 ],
	[ 'three sessions', q{SELECT osml_train('line', '{%s}', '%s')}, 3 ],
	[ 'two sessions in osml_wait', q{SELECT osml_wait(osml_train('line', '{%s}', '%s', wait => false))}, 2 ])
{
	my ($what, $call, $n) = @$case;
	my $gate = $node->background_psql('postgres');
	my $before;

	osml_sql($node, "SELECT osml_train('line', '{$quick}', 'ring $_')") foreach 1 .. $n;
	$before = last_run();
	$gate->query_safe('SELECT pg_advisory_lock(1)');
	@sessions = map { osml_session($node, "BEGIN; SELECT osml_deploy('ring $_', 1);
		SELECT pg_advisory_lock_shared(1);" . sprintf($call, $quick, 'ring ' . ($_ % $n + 1)) . '; COMMIT') } 1 .. $n;
	osml_poll($node, qq{SELECT count(*) = $n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	$gate->quit;
	$err = join('', map { ($_->finish)[1] } @sessions);
	is(scalar(() = $err =~ /ERROR:/g), 1, "$what in a ring: one of them gives way") or diag($err);
	like($err, qr/40P01: .*waits for a lock that this transaction holds.*It waits behind process \d+, which waits for this transaction/s,
		"$what in a ring: and says why");
	# osml_wait leaves its run to finish
	is(osml_sql($node, "SELECT string_agg(status, ' ' ORDER BY run_id) FROM osml.runs WHERE run_id > $before"),
		join(' ', ('finished') x ($n - 1), $call =~ /osml_wait/ ? 'finished' : 'cancelled'),
		"$what in a ring: it is the one with the newest run");
	osml_no_leftovers($node, "$what in a ring");
}

# --- what only the caller sees -------------------------------------------------------

$out = osml_sql($node, qq{
	BEGIN;
	CREATE TABLE fresh AS SELECT * FROM line;
	INSERT INTO fresh SELECT * FROM line;
	SELECT osml_train('fresh', '{$quick}');
	SELECT train_rows FROM osml.runs JOIN osml.models USING (run_id) WHERE dataset = 'fresh';
	ROLLBACK;
	SELECT count(*) FROM osml.models WHERE model = 'fresh'});
like($out, qr/^\d+\n200\n1$/, 'a table that is not committed; its model outlives a rollback');
osml_fails($node, qq{
	BEGIN;
	CREATE TABLE fresh AS SELECT * FROM line;
	SELECT osml_train('fresh', '{$quick, "num_workers": 1}')}, '40P01',
	'a reader waits for a lock that this transaction holds.*HINT:  .*set "num_workers" to 0', 'readers do not see it');
osml_no_leftovers($node, 'readers do not see it');

# --- the same model from several sessions ----------------------------------------------

@sessions = map {
	osml_session($node, q{SELECT osml_train('line', '{"max_epochs": 300}', 'busy')})
} 1 .. 6;
$err = join('', map { ($_->finish)[1] } @sessions);
is($err, '', 'six sessions train a model at once: no error');
is( osml_sql($node, q{SELECT string_agg(version::text, ' ' ORDER BY version)
		FROM osml.models WHERE model = 'busy'}),
	'1 2 3 4 5 6', 'six sessions train a model at once: each makes a version');

# --- defaults of the database that do not suit a trainer -----------------------------------

# the row of the model changes between the trainer's look and its lock
osml_sql($node, q{ALTER DATABASE postgres SET default_transaction_isolation = 'serializable'});
my $deployer = $node->background_psql('postgres');
$deployer->query_safe(q{BEGIN; SELECT osml_deploy('busy', 1)});
$run = osml_sql($node, "SELECT osml_train('line', '{$quick}', 'busy', wait => false)");
osml_poll($node, 'SELECT count(*) = 1 FROM pg_locks WHERE NOT granted AND pid = '
	  . osml_pid($node, $run, 'trainer'));
$deployer->query_safe('COMMIT');
$deployer->quit;
is(osml_sql($node, "SELECT osml_wait($run)"), 'finished',
	'a database that is serializable by default');
osml_sql($node, 'ALTER DATABASE postgres RESET default_transaction_isolation');

osml_sql($node, 'ALTER DATABASE postgres SET default_transaction_read_only = on');
$out = osml_sql($node, qq{
	SET transaction_read_only = off;
	BEGIN READ WRITE; SELECT osml_train('line', '{$quick}') > 0; COMMIT});
is($out, 't', 'a database that is read-only by default, and a transaction that is not');
osml_sql($node, 'BEGIN READ WRITE; ALTER DATABASE postgres RESET default_transaction_read_only; COMMIT');

# --- where it is called from -----------------------------------------------------------

osml_sql($node, qq{
	CREATE VIEW broken AS SELECT y, 1 / (50 - x) AS x FROM line;
	CREATE FUNCTION by_sql() RETURNS bigint LANGUAGE sql
		AS \$\$SELECT osml_train('line', '{$quick}')\$\$;
	CREATE FUNCTION by_plpgsql(source text) RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		RETURN osml_train(source, '{$quick}', 'nested');
	EXCEPTION WHEN division_by_zero THEN RETURN sqlstate;
	END\$\$;
	CREATE PROCEDURE by_procedure(n int) LANGUAGE plpgsql AS \$\$
	BEGIN
		FOR i IN 1 .. n LOOP
			PERFORM osml_train('line', '{$quick}', 'looped');
			COMMIT;
		END LOOP;
	END\$\$;
	CREATE FUNCTION lying(x float8) RETURNS bigint LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
		AS \$\$BEGIN RETURN osml_train('line', '{$quick}'); END\$\$});

is(osml_sql($node, 'SELECT by_sql() > 0'), 't', 'in an SQL function');
is(osml_sql($node, q{SELECT by_plpgsql('line')::int > 0}), 't', 'in a block with an exception handler');
is(osml_sql($node, q{SELECT by_plpgsql('broken'); SELECT by_plpgsql('line')::int > 0}),
	"22012\nt", 'in a block that catches its error, and again');
osml_sql($node, 'CALL by_procedure(3)');
is(osml_sql($node, q{SELECT count(*) FROM osml.models WHERE model = 'looped'}),
	'3', 'in a procedure that commits');
($out, $err) = osml_sql($node, qq{
	BEGIN;
	SAVEPOINT s;
	SELECT osml_train('line', '{$quick}', 'saved');
	ROLLBACK TO s;
	SELECT osml_train('line', '{$quick}', 'saved');
	COMMIT;
	SELECT max(version) FROM osml.models WHERE model = 'saved'});
like($out, qr/^\d+\n\d+\n2$/, 'in a savepoint that is rolled back: the run stays');
is(osml_sql($node, qq{
		SELECT count(DISTINCT osml_train('line', '{$quick}', 'each')) FROM generate_series(1, 3)}),
	'3', 'in a query over rows');
is(osml_sql($node, qq{
		BEGIN;
		SELECT osml_create_dataset('mine', 'line') > 0;
		SELECT osml_train('mine', '{$quick}') > 0;
		ROLLBACK}),
	"t\nt", 'on a dataset that is not committed');
osml_no_leftovers($node, 'calls from everywhere');

osml_fails($node, q{BEGIN READ ONLY; SELECT osml_train('line')}, '25006',
	'cannot execute osml_train\(\) in a read-only transaction', 'in a read-only transaction');
osml_fails($node, q{
	CREATE MATERIALIZED VIEW trained AS SELECT osml_train('line') WITH NO DATA;
	REFRESH MATERIALIZED VIEW trained}, '42501',
	'cannot train within a security-restricted operation', 'in a materialized view');
osml_fails($node, q{CREATE INDEX ON line (lying(x))}, '42501',
	'cannot train within a security-restricted operation', 'in an index expression');
osml_fails($node, q{SET force_parallel_mode = on; SELECT max(lying(x)) FROM line}, '25000',
	'cannot execute osml_train\(\) during a parallel operation', 'in a parallel worker');
osml_fails($node, q{
	BEGIN;
	DROP EXTENSION osml CASCADE;
	CREATE EXTENSION osml;
	SELECT osml_train('line')}, '40P01',
	'the trainer waits for a lock that this transaction holds',
	'with an extension that is not committed');
osml_no_leftovers($node, 'refusals');

$node->stop;
done_testing();
