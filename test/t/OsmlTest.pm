# OsmlTest.pm: what the TAP tests share.
#
# A server with the extension in it, sessions that run beside the test, and the
# question that every way to end a run has to answer: is anything left?
#
# Tests never assert on time: a run that should be ended from outside would go
# on for hours, so that it ends at all is the proof, and all waiting is polling
# with the test modules' generous limit.
package OsmlTest;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(osml_node osml_sql osml_fails osml_session osml_train_session
  osml_wait_status osml_run osml_no_leftovers osml_left osml_poll osml_pid osml_temp_files
  $ENDLESS);

# hyperparameters of a run that ends only from outside
our $ENDLESS = '"max_batches": 1000000000000';

# First four bytes of the shared memory of a run (segment.c).
my $SEGMENT_MAGIC = pack('L', 0x6f736d6c);

# A server with the extension and a small table y = 3x + 1.
sub osml_node
{
	my ($name, %conf) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);

	%conf = (
		max_worker_processes => 32,
		# segments as files in the data folder, where others' do not mix in
		dynamic_shared_memory_type => 'mmap',
		restart_after_crash => 'on',
		'osml.progress_interval' => 0,
		%conf);
	$node->init(map { $_ => delete $conf{$_} } grep { exists $conf{$_} } "allows_streaming", "extra");
	$node->append_conf('postgresql.conf', "$_ = $conf{$_}") foreach sort keys %conf;
	$node->start;
	$node->safe_psql(
		'postgres', q{
		CREATE EXTENSION osml;
		CREATE TABLE line AS SELECT 3.0::float8 * i + 1 AS y, i::float8 AS x
			FROM generate_series(1, 100) i;
		GRANT SELECT ON line TO PUBLIC;
		-- 20 rows a second, so a run over it is at its first block for a minute
		CREATE VIEW slow AS
			SELECT y, x + length(pg_sleep(0.05)::text) AS x
			FROM line, generate_series(1, 20);
		GRANT SELECT ON slow TO PUBLIC;
	});
	return $node;
}

sub _psql
{
	my ($node, %params) = @_;
	my @command = ('psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose',
		'-d', $node->connstr($params{dbname} || 'postgres'));

	push @command, '-U', $params{user} if $params{user};
	return (@command, '-f', '-');
}

# Run SQL to its end, as user => or in dbname =>; returns output and messages,
# the latter with SQLSTATEs.
sub osml_sql
{
	my ($node, $sql, %params) = @_;
	my ($out, $err) = ('', '');

	IPC::Run::run([ _psql($node, %params) ], '<', \$sql, '>', \$out, '2>', \$err,
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	chomp $out;
	return wantarray ? ($out, $err) : $out;
}

# SQL that must fail with this SQLSTATE and a message that matches.
sub osml_fails
{
	my ($node, $sql, $sqlstate, $pattern, $name, %params) = @_;
	my ($out, $err) = osml_sql($node, $sql, %params);

	like($err, qr/ERROR:  $sqlstate: .*$pattern/s, $name);
}

# A psql that runs SQL beside the test.  finish() gives output and messages.
sub osml_session
{
	my ($node, $sql, %params) = @_;
	my $session = bless { in => "$sql;\n", out => '', err => '' }, 'OsmlTest::Session';

	$session->{run} = IPC::Run::start(
		[ _psql($node, %params) ], '<', \$session->{in}, '>', \$session->{out},
		'2>', \$session->{err},
		IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
	$session->{run}->pump while length $session->{in};
	$session->{pid} = $session->{run}->{KIDS}[0]{PID};
	return $session;
}

# The same for SQL that trains: returns the session and the id of its run once
# that is running, and with loaded => 1 once it has taken a step.
sub osml_train_session
{
	my ($node, $sql, %params) = @_;
	my $before = osml_sql($node, 'SELECT coalesce(max(run_id), 0) FROM osml.run');
	my $session = osml_session($node, $sql, %params);
	my $steps = $params{loaded} ? 'AND steps > 0' : '';
	my $which = "FROM osml.run WHERE run_id > $before AND status = 'running' $steps";

	osml_poll($node, "SELECT count(*) > 0 $which") or die 'no run has started';
	return ($session, scalar osml_sql($node, "SELECT max(run_id) $which"));
}

sub osml_poll
{
	my ($node, $sql) = @_;

	return $node->poll_query_until('postgres', $sql);
}

# One ok: the run has this status, soon.
sub osml_wait_status
{
	my ($node, $run, $status, $name) = @_;
	my $reached = osml_poll($node,
		"SELECT status <> 'running' FROM osml.runs WHERE run_id = $run");

	is(osml_run($node, $run, 'status'), $status, $name);
	return $reached;
}

# A column of a run.
sub osml_run
{
	my ($node, $run, $column) = @_;

	return scalar osml_sql($node, "SELECT $column FROM osml.runs WHERE run_id = $run");
}

# Process of a run's trainer, reader 1, reader 2, ..., once it is there.
sub osml_pid
{
	my ($node, $run, $role) = @_;
	my $which = "FROM pg_stat_activity WHERE backend_type = 'osml "
	  . ($role =~ /^reader/ ? 'reader' : 'trainer')
	  . "' AND application_name = 'osml run $run $role'";

	osml_poll($node, "SELECT count(*) = 1 $which") or die "no $role of run $run";
	return scalar osml_sql($node, "SELECT pid $which");
}

# Temp files of the server.
sub osml_temp_files
{
	my ($node) = @_;

	# in a list, for otherwise glob goes through its answer call by call
	my @files = glob($node->data_dir . '/base/pgsql_tmp/*');

	return @files;
}

# Segments of runs that are still there.
sub _segments
{
	my ($node) = @_;
	my $n = 0;

	foreach my $file (glob($node->data_dir . '/pg_dynshmem/mmap.*'))
	{
		my $bytes = '';

		open(my $handle, '<', $file) or next;
		$n++ if read($handle, $bytes, 4) && $bytes eq $SEGMENT_MAGIC;
		close($handle);
	}
	return $n;
}

# What is left of runs: workers, segments, temp files, locks.  Nothing, soon.
sub osml_left
{
	my ($node) = @_;
	my $locks = q{FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE pid <> pg_backend_pid() AND backend_type <> 'autovacuum worker'};
	my @left;

	osml_poll($node, q{
		SELECT NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type LIKE 'osml%')
	}) or push @left, 'a worker';
	# a worker is out of pg_stat_activity shortly before it has unmapped
	for (1 .. 100)
	{
		last unless _segments($node) || osml_temp_files($node);
		select(undef, undef, undef, 0.1);
	}
	push @left, _segments($node) . ' segments' if _segments($node);
	push @left, 'temp files ' . join(' ', osml_temp_files($node))
	  if osml_temp_files($node);
	osml_poll($node, "SELECT count(*) = 0 $locks")
	  or push @left, 'locks ' . osml_sql($node, "SELECT l $locks");
	return @left;
}

# One ok: nothing is left, and the next run works.
sub osml_no_leftovers
{
	my ($node, $name) = @_;
	my @left = osml_left($node);
	my ($run, $err) = osml_sql($node,
		q{SELECT osml_train('line', '{"max_batches": 3}', 'next')});
	my $status = $err ? $err : osml_run($node, $run, 'status');
	push @left, "the next run is $status" if $status ne 'finished';
	ok(!@left, "$name: nothing is left, the next run works");
	diag('left: ' . join(', ', @left)) if @left;
	return !@left;
}

package OsmlTest::Session;

# Wait for its end; returns output and messages.
sub finish
{
	my ($self) = @_;

	$self->{run}->finish;
	chomp $self->{out};
	return ($self->{out}, $self->{err});
}

# Until it has said something that matches.
sub await
{
	my ($self, $pattern) = @_;

	$self->{run}->pump until $self->{err} =~ $pattern;
}

# What a signal sent to the psql process does is up to psql: INT is Ctrl-C.
sub signal
{
	my ($self, $signal) = @_;

	kill $signal, $self->{pid};
}

1;
