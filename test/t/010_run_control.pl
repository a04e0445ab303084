# Every way to end a run: a true status, the right error, nothing left.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('control');
my ($session, $run, $pid, $out, $err);

osml_sql($node, q{
	CREATE ROLE bob LOGIN;
	CREATE ROLE monitor LOGIN IN ROLE pg_monitor;
	CREATE VIEW broken AS SELECT y, 1 / (50 - x) AS x FROM line;
	CREATE TABLE wide AS
		SELECT random() AS y, random() AS a, random() AS b, random() AS c, random() AS d
		FROM generate_series(1, 60000);
});

# --- wait and cancel -----------------------------------------------------------

$run = osml_sql($node, q{SELECT osml_train('line', '{"max_epochs": 5}', wait => false)});
is(osml_sql($node, "SELECT osml_wait($run)"), 'finished', 'osml_wait sees a run through');

$out = osml_sql($node, q{
	BEGIN ISOLATION LEVEL REPEATABLE READ;
	SELECT count(*) FROM osml.runs WHERE run_id < 0;
	SELECT osml_train('line', '{"max_epochs": 5}', wait => false) AS run \gset
	SELECT osml_wait(:run);
	SELECT count(*) FROM osml.runs WHERE run_id = :run;
	COMMIT;
});
is($out, "0\nfinished\n0",
	'osml_wait sees commits that the snapshot of its transaction does not');

$run = osml_sql($node, "SELECT osml_train('line', '{$ENDLESS}', wait => false)");
is(osml_sql($node, "SELECT osml_wait($run, '300 ms')"),
	'running', 'osml_wait gives up after its timeout');
is(osml_sql($node, "SELECT osml_wait($run, '0')"), 'running', 'a timeout of 0 only looks');
is(osml_sql($node, "SELECT count(*) FROM osml.progress WHERE run_id = $run"),
	'1', 'osml.progress shows the run');
osml_fails($node, "SELECT osml_wait($run, '-1 s')", '22023', 'timeout must not be negative',
	'a negative timeout');
osml_fails($node, 'SELECT osml_wait(4000000000)', '42704', 'run 4000000000 does not exist',
	'osml_wait on an unknown run');
osml_fails($node, 'SELECT osml_cancel(4000000000)', '42704', 'run 4000000000 does not exist',
	'osml_cancel on an unknown run');
osml_fails($node, 'SELECT osml_wait(NULL)', '22004', '"run" must not be null',
	'osml_wait without a run');
osml_fails($node, "SELECT osml_cancel($run)", '42704', "run $run does not exist",
	'a run of another role does not exist', user => 'bob');
osml_fails($node, "SELECT osml_wait($run)", '42704', "run $run does not exist",
	'nor for osml_wait', user => 'bob');
osml_fails($node, "SELECT osml_cancel($run)", '42501',
	qr/permission denied to cancel run $run.*belongs to role "postgres"/s,
	'pg_monitor sees a run of another role and may not cancel it', user => 'monitor');
is(osml_run($node, $run, 'status'), 'running', 'the run has survived all that');

is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'osml_cancel');
is(osml_run($node, $run, 'status'), 'cancelled', 'its status in osml.runs');
is(osml_run($node, $run, 'error'), 'canceled by role "postgres"', 'and its reason');
is(osml_run($node, $run, 'ended_at >= started_at'), 't', 'and its end');
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'a second cancel changes nothing');
is(osml_sql($node, "SELECT osml_wait($run)"), 'cancelled', 'osml_wait on a run that is over');
osml_no_leftovers($node, 'osml_cancel');

($session, $run) = osml_train_session($node, "SELECT osml_train('line', '{$ENDLESS}')");
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'cancel of a run with a waiting client');
($out, $err) = $session->finish;
like($err, qr/ERROR:  57014: osml run $run cancelled: canceled by role "postgres"/,
	'its client is told');

$run = osml_sql($node, q{SELECT osml_train('slow', '{"num_workers": 2}', wait => false)});
osml_pid($node, $run, 'reader 1');
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'cancel while readers read');
osml_no_leftovers($node, 'cancel while readers read');

($session, $run) = osml_train_session($node, q{SELECT osml_train('slow')});
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'cancel while the client reads');
($out, $err) = $session->finish;
like($err, qr/ERROR:  57014: osml run $run cancelled: canceled by role/,
	'the reading client is told');
osml_no_leftovers($node, 'cancel while the client reads');

# --- Ctrl-C and timeouts ---------------------------------------------------------

foreach my $case (
	[ 'waiting', "osml_train('line', '{$ENDLESS}')" ],
	[ 'reading', "osml_train('slow')" ])
{
	my ($what, $call) = @$case;

	($session, $run) = osml_train_session($node, "SELECT $call");
	$session->signal('INT');
	($out, $err) = $session->finish;
	like($err, qr/ERROR:  57014: canceling statement due to user request.*osml run $run/s,
		"Ctrl-C while $what: error with the run");
	osml_wait_status($node, $run, 'cancelled', "Ctrl-C while $what: status");
	is(osml_run($node, $run, 'error'), 'canceling statement due to user request',
		"Ctrl-C while $what: reason");
	osml_no_leftovers($node, "Ctrl-C while $what");
}

($session, $run) = osml_train_session($node, "SELECT osml_train('line', '{$ENDLESS}')");
osml_sql($node, q{SELECT pg_cancel_backend(pid) FROM pg_stat_activity
	WHERE query LIKE 'SELECT osml_train%' AND backend_type = 'client backend'});
($out, $err) = $session->finish;
like($err, qr/ERROR:  57014: /, 'pg_cancel_backend of the client: error');
osml_wait_status($node, $run, 'cancelled', 'pg_cancel_backend of the client: status');

# the error is caught: the session goes on, and so could its transaction
($session, $run) = osml_train_session($node, qq{
	SET statement_timeout = '3s';
	DO \$\$BEGIN PERFORM osml_train('line', '{$ENDLESS}');
	EXCEPTION WHEN query_canceled THEN RAISE NOTICE 'caught'; END\$\$;
	SELECT 'alive'});
($out, $err) = $session->finish;
like($err, qr/NOTICE:  00000: caught/, 'statement_timeout can be caught');
is($out, 'alive', 'the session goes on');
osml_wait_status($node, $run, 'cancelled', 'statement_timeout: status');
is(osml_run($node, $run, 'error'), 'canceling statement due to statement timeout',
	'statement_timeout: reason');
osml_no_leftovers($node, 'statement_timeout');

$run = osml_sql($node, "SELECT osml_train('line', '{$ENDLESS}', wait => false)");
$pid = osml_pid($node, $run, 'trainer');
osml_sql($node, "SELECT pg_cancel_backend($pid)");
osml_wait_status($node, $run, 'cancelled', 'pg_cancel_backend of the trainer: status');

# --- a lost client -----------------------------------------------------------------

foreach my $case (
	[ 'waiting', "osml_train('line', '{$ENDLESS}')" ],
	[ 'reading', "osml_train('slow')" ],
	[ 'waiting with readers', q{osml_train('slow', '{"num_workers": 1}')} ])
{
	my ($what, $call) = @$case;

	($session, $run) = osml_train_session($node, "SELECT $call");
	$session->signal('KILL');
	osml_wait_status($node, $run, 'cancelled', "client lost while $what: status");
	is(osml_run($node, $run, 'error'), 'the session that waited for the run ended',
		"client lost while $what: reason");
	osml_no_leftovers($node, "client lost while $what");
}

# Its end must not be near when the client goes, and be near enough then.
($session, $run) = osml_train_session($node,
	q{SELECT osml_train('line', '{"on_disconnect": "continue", "max_time": 6, "max_epochs": 1000000000}')},
	loaded => 1);
$session->signal('KILL');
osml_poll($node, q{SELECT NOT EXISTS (SELECT FROM pg_stat_activity
	WHERE query LIKE 'SELECT osml_train%' AND backend_type = 'client backend')});
is(osml_run($node, $run, 'status'), 'running', 'on_disconnect continue: the run goes on');
osml_wait_status($node, $run, 'finished', 'on_disconnect continue: and finishes');
osml_no_leftovers($node, 'on_disconnect continue');

($session, $run) = osml_train_session($node,
	q{SELECT osml_train('SELECT y, x + length(pg_sleep(0.05)::text) AS x FROM line',
		'{"on_disconnect": "continue", "num_workers": 1}', 'alone')});
$session->signal('KILL');
osml_wait_status($node, $run, 'finished',
	'on_disconnect continue: a run whose readers still read goes on too');

($session, $run) = osml_train_session($node,
	q{SELECT osml_train('slow', '{"on_disconnect": "continue"}')});
$session->signal('KILL');
osml_wait_status($node, $run, 'cancelled',
	'on_disconnect continue: a run whose client still read cannot go on');

# --- terminated processes ------------------------------------------------------------

foreach my $case (
	[ 'with a waiting client', "osml_train('line', '{$ENDLESS}')" ],
	[ 'with a reading client', "osml_train('slow')" ],
	[ 'with readers', q{osml_train('slow', '{"num_workers": 2}')} ])
{
	my ($what, $call) = @$case;

	($session, $run) = osml_train_session($node, "SELECT $call");
	$pid = osml_pid($node, $run, 'trainer');
	osml_pid($node, $run, 'reader 1') if $what eq 'with readers';
	osml_sql($node, "SELECT pg_terminate_backend($pid)");
	($out, $err) = $session->finish;
	like($err, qr/ERROR:  57P01: osml run $run interrupted: the trainer was terminated/,
		"trainer terminated $what: the client is told");
	is(osml_run($node, $run, 'status'), 'interrupted', "trainer terminated $what: status");
	is(osml_sql($node, "SELECT status FROM osml.run WHERE run_id = $run"),
		'interrupted', "trainer terminated $what: the row itself says so");
	osml_no_leftovers($node, "trainer terminated $what");
}

$run = osml_sql($node, "SELECT osml_train('line', '{$ENDLESS}', wait => false)");
$pid = osml_pid($node, $run, 'trainer');
osml_sql($node, "SELECT pg_terminate_backend($pid)");
osml_wait_status($node, $run, 'interrupted', 'trainer terminated, nobody waiting: status');

# a view is one shard, so only reader 1 has anything to read
foreach my $reader ('reader 1', 'reader 2')
{
	($session, $run) = osml_train_session($node,
		q{SELECT osml_train('slow', '{"num_workers": 2}')});
	$pid = osml_pid($node, $run, $reader);
	osml_sql($node, "SELECT pg_terminate_backend($pid)");
	($out, $err) = $session->finish;
	like($err, qr/ERROR:  57P01: osml run $run interrupted: a reader was terminated/,
		"$reader terminated: the client is told");
	is(osml_run($node, $run, 'status'), 'interrupted', "$reader terminated: status");
	osml_no_leftovers($node, "$reader terminated");
}

($session, $run) = osml_train_session($node, "SELECT osml_train('line', '{$ENDLESS}')");
osml_sql($node, q{SELECT pg_terminate_backend(pid) FROM pg_stat_activity
	WHERE query LIKE 'SELECT osml_train%' AND backend_type = 'client backend'});
$session->finish;
osml_wait_status($node, $run, 'cancelled', 'client terminated: status');
osml_no_leftovers($node, 'client terminated');

# --- errors from rows ------------------------------------------------------------------

foreach my $case ([ 0, 'the client' ], [ 1, 'a reader' ], [ 2, 'one of two readers' ])
{
	my ($workers, $who) = @$case;

	$session = osml_session($node, qq{SELECT osml_train('broken', '{"num_workers": $workers}')});
	($out, $err) = $session->finish;
	$run = osml_sql($node, q{SELECT max(run_id) FROM osml.run});
	like($err, qr/ERROR:  22012: .*division by zero/, "error in a row, $who reading: SQLSTATE");
	like($err, qr/osml run $run/, "error in a row, $who reading: run id");
	is(osml_run($node, $run, "status || ': ' || error"), 'failed: division by zero',
		"error in a row, $who reading: status");
	osml_no_leftovers($node, "error in a row, $who reading");
}
$run = osml_sql($node, q{SELECT osml_train('broken', wait => false)});
is(osml_sql($node, "SELECT osml_wait($run)"), 'failed', 'error in a row, nobody waiting');
is(osml_run($node, $run, 'error'), 'division by zero', 'and its message');

# an error of the trainer's own
($out, $err) = osml_sql($node, q{
	SET osml.max_memory = '1MB';
	SET temp_file_limit = '100kB';
	SELECT osml_train('wide', '{"max_epochs": 1}')});
$run = osml_sql($node, q{SELECT max(run_id) FROM osml.run});
like($err, qr/ERROR:  53400: osml run $run failed: temporary file size exceeds temp_file_limit/,
	'temp_file_limit of the client holds in its trainer');
osml_no_leftovers($node, 'temp_file_limit');

# --- temp files ---------------------------------------------------------------------------

($session, $run) = osml_train_session($node,
	"SET osml.max_memory = '1MB'; SELECT osml_train('wide', '{$ENDLESS}')", loaded => 1);
cmp_ok(scalar(my @files = osml_temp_files($node)), '>', 0, 'a run beyond osml.max_memory spills');
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'cancel of a run that spills');
$session->finish;
osml_no_leftovers($node, 'cancel of a run that spills');

# --- no slot for a worker -------------------------------------------------------------------

$node->append_conf('postgresql.conf', 'max_worker_processes = 2');
$node->append_conf('postgresql.conf', 'max_logical_replication_workers = 0');
$node->restart;

# readers alone fit, and so does a trainer alone, but not both
foreach my $workers (2, 3)
{
	($out, $err) = osml_sql($node,
		qq{SELECT osml_train('line', '{"max_batches": 3, "num_workers": $workers}')});
	like($err, qr/NOTICE: .*this session reads/, "no slot for $workers readers: notice");
	unlike($err, qr/ERROR/, "no slot for $workers readers: the client reads");
	is(osml_run($node, $out, 'status'), 'finished', "no slot for $workers readers: status");
}
osml_fails($node,
	q{SELECT osml_train('line', '{"max_batches": 3, "num_workers": 2}', wait => false)},
	'53400', 'no background worker slot is free.*max_worker_processes',
	'no slot, nobody waiting: error');
osml_no_leftovers($node, 'no slot, nobody waiting');

$node->append_conf('postgresql.conf', 'max_worker_processes = 0');
$node->restart;
osml_fails($node, q{SELECT osml_train('line')}, '53400',
	'no background worker slot is free for the trainer.*max_worker_processes',
	'no slot for the trainer: error');
$node->append_conf('postgresql.conf', 'max_worker_processes = 32');
$node->restart;

# --- a server that dies -----------------------------------------------------------------------

($session, $run) = osml_train_session($node,
	"SET osml.max_memory = '1MB'; SELECT osml_train('wide', '{$ENDLESS}')", loaded => 1);
kill 'KILL', osml_pid($node, $run, 'trainer');
$session->finish;
$node->poll_query_until('postgres', 'SELECT NOT pg_is_in_recovery()');
osml_wait_status($node, $run, 'interrupted', 'trainer killed: status after the crash restart');
is(osml_sql($node, "SELECT osml_wait($run)"), 'interrupted', 'osml_wait says so too');
is(osml_sql($node, "SELECT osml_cancel($run)"), 'interrupted', 'and osml_cancel');
osml_no_leftovers($node, 'trainer killed');

foreach my $mode ('immediate', 'fast')
{
	my $stored = $mode eq 'fast' ? 'interrupted' : 'running';

	$run = osml_sql($node,
		"SET osml.max_memory = '1MB'; SELECT osml_train('wide', '{$ENDLESS}', wait => false)");
	osml_poll($node, "SELECT steps > 0 FROM osml.runs WHERE run_id = $run");
	$node->stop($mode);
	$node->start;
	is(osml_run($node, $run, 'status'), 'interrupted', "$mode shutdown: status");
	is(osml_sql($node, "SELECT status FROM osml.run WHERE run_id = $run"),
		$stored, "$mode shutdown: what the row itself says");
	osml_no_leftovers($node, "$mode shutdown");
}

$node->stop;
done_testing();
