# Runs of every kind, cancelled, terminated or killed at random moments: every run's row
# ends true, nothing that was committed is lost, nothing is left, the next run works.
#
#	ROUNDS	how many; without it each way to end a run once
#	SEED	what to draw kinds, ways and moments from.  It is printed; the draws are
#			repeated with it, the microsecond is not.
#	ROUND	only this one
#
# What each round hit is counted and printed, by way, by kind and by what the trainer was
# doing.  Half of the moments are drawn from a run's length, half from that of one phase,
# since most of the short ones would never be met.
use strict;
use warnings;

use OsmlKills;
use OsmlKinds;
use OsmlTest;
use IPC::Run ();
use List::Util qw(shuffle sum0);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

plan skip_all => 'reads titles of processes in /proc' unless -r '/proc/self/cmdline';

# way => whom, with which signal, and the statuses that may come of it beside finished.
# "whom" may be the server, which is stopped in a mode or killed.
my %ways = (
	'osml_cancel' => [ 'canceller', 'CALL', 'cancelled' ],
	'cancel the trainer' => [ 'trainer', 'INT', 'cancelled' ],
	'terminate the trainer' => [ 'trainer', 'TERM', 'interrupted' ],
	'kill the trainer' => [ 'trainer', 'KILL', 'interrupted' ],
	'cancel a reader' => [ 'reader', 'INT', 'cancelled' ],
	'terminate a reader' => [ 'reader', 'TERM', 'interrupted', 'cancelled' ],
	'kill a reader' => [ 'reader', 'KILL', 'interrupted' ],
	'cancel the caller' => [ 'caller', 'INT', 'cancelled' ],
	'terminate the caller' => [ 'caller', 'TERM', 'cancelled' ],
	'kill the caller' => [ 'caller', 'KILL', 'interrupted' ],
	'Ctrl-C' => [ 'client', 'INT', 'cancelled' ],
	'kill the client' => [ 'client', 'KILL', 'cancelled' ],
	'fast shutdown' => [ 'server', 'fast', 'interrupted', 'cancelled' ],
	'immediate shutdown' => [ 'server', 'immediate', 'interrupted' ],
	'kill the postmaster' => [ 'server', 'KILL', 'interrupted' ]);

# What the rows of runs may say of their end.
my %reason = (
	finished => qr/^$/,
	cancelled => qr/^(canceled by role "postgres"|canceling statement due to user request|the session that waited for the run ended|a reader could not start)$/,
	interrupted => qr/^(the trainer was terminated|a reader was terminated|the worker that waited for the run's turn was terminated|the trainer or the server died)$/);

# Phases in which a run that is told to end has so much before it that it must.
my $EARLY = qr/^(learning features|loading rows)$/;

my $seed = $ENV{SEED} || ($ENV{ROUNDS} ? int(time) : 1);
my $rounds = $ENV{ROUNDS} || keys %ways;
my $node = osml_node('kills', shared_preload_libraries => 'osml');
my %kinds;
my %count;				# figures
my %version;			# committed: "model version run" => md5 of weights
my %metrics;			# of finished runs: run => count and md5
my $log_read = 0;		# bytes of the server's log

diag("SEED=$seed ROUNDS=$rounds");
%kinds = osml_kinds($node);

# --- asking --------------------------------------------------------------------------

# Rows of a query as arrays.
sub rows
{
	my ($sql) = @_;
	my ($out, $err) = osml_sql($node, $sql);

	die "$sql: $err" if $err =~ /ERROR|FATAL/;
	return map { [ split /\|/, $_, -1 ] } split /\n/, $out;
}

# What the server's log says since the last time.
sub fresh_log
{
	my $text = slurp_file($node->logfile, $log_read);

	$log_read += length $text;
	return $text;
}

sub tickets
{
	my @files = glob($node->data_dir . '/osml_restart/*');

	return scalar @files;
}

# Runs after this one, as osml.runs has them.
sub runs_after
{
	my ($last) = @_;

	return map { { id => $_->[0], status => $_->[1], stored => $_->[2], error => $_->[3] } }
	  rows(qq{SELECT r.run_id, r.status, b.status, translate(coalesce(r.error, ''), E'|\\n', '/ ')
		FROM osml.runs r JOIN osml.run b USING (run_id) WHERE run_id > $last ORDER BY 1});
}

# --- one run -------------------------------------------------------------------------

# A session that makes a run of the kind; it says its process first.
sub launch
{
	my ($kind, $resumed) = @_;
	my $call = $resumed ? "osml_resume($resumed)" : $kind->{call};
	my $sql = "$kind->{set}; SELECT pg_backend_pid();";
	my $session;

	$sql .= $kind->{waits} || $resumed ? "SELECT $call" :
	  "SELECT $call AS run \\gset\nSELECT osml_wait(:run)";
	# a server that is started meanwhile has the other end of its input, so that
	# the end of that would never come
	$session = osml_session($node, "$sql;\n\\q\n");
	$session->{run}->pump until $session->{out} =~ /^(\d+)\n/;
	$session->{backend} = $1;
	return $session;
}

# A run that somebody interrupted after its first checkpoint.
sub interrupted_run
{
	my ($kind) = @_;
	my $last = osml_sql($node, 'SELECT coalesce(max(run_id), 0) FROM osml.run');
	my $watch = osml_watch(osml_postmaster($node));
	my $session = launch($kind);

	# the end of a checkpoint is the beginning of something else
	until (osml_phase($watch) =~ /writing|gone/) { usleep(200) }
	while (osml_phase($watch) =~ /writing/) { usleep(200) }
	kill 'TERM', $watch->{trainer};
	eval { $session->finish };
	osml_gone($watch->{trainer});
	return (runs_after($last))[0]{id};
}

# How long a kind takes, what it does how long, and what comes of it.
sub measure
{
	my ($name) = @_;
	my $kind = $kinds{$name};
	my ($last, $watch, $session, $start, $phase, $now);

	return if $kind->{seconds};
	osml_sql($node, $kind->{before}) if $kind->{before};
	$last = osml_sql($node, 'SELECT coalesce(max(run_id), 0) FROM osml.run');
	$watch = osml_watch(osml_postmaster($node));
	$session = launch($kind);
	$start = $now = time;
	do
	{
		my $before = $now;

		$phase = osml_phase($watch);
		usleep(200);
		$now = time;
		$kind->{phases}{$phase} += $now - $before unless $phase eq 'gone';
		$session->{run}->pump_nb if $session->{run}->pumpable;
		die "$name: $session->{err}" if $session->{err} =~ /ERROR/;
	} until ($phase eq 'gone');
	$kind->{seconds} = $now - $start;
	$session->finish;
	$kind->{made} = made((runs_after($last))[0]{id});
	is(scalar(split(/ /, $kind->{made})), $kind->{versions}, "$name: makes $kind->{versions} versions");
	note(sprintf '%s: %.2f s: %s', $name, $kind->{seconds},
		join ', ', map { sprintf '%s %.3f', $_, $kind->{phases}{$_} } sort keys %{ $kind->{phases} });
	remember();
}

# The weights that a run has stored.
sub made
{
	my ($run) = @_;

	return scalar osml_sql($node, qq{SELECT coalesce(string_agg(md5(weights), ' ' ORDER BY version), '')
		FROM osml.model_version WHERE run_id = $run});
}

# --- ending it -----------------------------------------------------------------------

# Sleep until the moment; says how it was drawn.
sub await_moment
{
	my ($kind, $watch, $whom) = @_;
	my @phases = grep { $whom ne 'reader' || /^(starting|learning features|loading rows)$/ } sort keys %{ $kind->{phases} };
	my $phase;

	if (rand() < 0.4)
	{
		my $end = time + rand($kind->{seconds});

		do { usleep(200); $phase = osml_phase($watch) } until (time > $end || $phase eq 'gone');
		return;
	}
	my $wanted = $phases[ rand @phases ];
	do { $phase = osml_phase($watch); usleep(100) if $phase ne $wanted }
	  until ($phase eq $wanted || $phase eq 'gone' || time > $watch->{start} + 3 * $kind->{seconds});
	usleep(1e6 * rand($kind->{phases}{$wanted}));
}

# Do it; where the process is not there, to the next that is.  Returns whom it hit.
sub strike
{
	my ($way, $watch, $session, $canceller) = @_;
	my ($whom, $signal) = @{ $ways{$way} };
	my $pid;

	if ($whom eq 'server')
	{
		$signal eq 'KILL' ? osml_kill_postmaster($node, $way) : $node->stop($signal);
		return $whom;
	}
	if ($whom eq 'client')
	{
		$session->signal($signal);
		return $whom;
	}
	if ($whom eq 'canceller')
	{
		return 'nobody' unless $watch->{run};
		print $canceller "SELECT osml_cancel($watch->{run});\n";
		return $whom;
	}
	foreach my $who ($whom eq 'reader' ? ('reader', 'trainer', 'caller') : $whom eq 'trainer' ? ('trainer', 'caller') : ('caller'))
	{
		$pid = osml_find($watch, $who);
		next unless $pid && kill $signal, $pid;
		$watch->{killed} = $pid if $signal eq 'KILL';
		return $who;
	}
	return 'nobody';
}

# A server whose process was killed starts anew; wait for that.
sub await_server
{
	my ($watch) = @_;
	my $start = $log_read;

	osml_gone($watch->{killed}) if $watch->{killed};
	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		my $text = slurp_file($node->logfile, $start);

		last if $text =~ /terminated by signal 9.*database system is ready to accept connections/s;
		# one that was over already is no crash
		last if $_ > 10 && $text !~ /terminated by signal 9/;
		usleep(100_000);
	}
}

# --- what must hold then --------------------------------------------------------------

# Keep what is committed now, to be asked for from here on.
sub remember
{
	%version = map { ("$_->[0] $_->[1] $_->[2]" => $_->[3]) }
	  rows('SELECT m.name, v.version, v.run_id, md5(v.weights) FROM osml.model_version v JOIN osml.model m USING (model_id)');
	%metrics = map { ($_->[0] => "$_->[1] $_->[2]") }
	  rows(q{SELECT run_id, count(*), md5(string_agg(concat_ws(' ', step, phase, name, value), ',' ORDER BY step, phase, name))
		FROM osml.metric JOIN osml.run USING (run_id) WHERE status = 'finished' GROUP BY run_id});
}

# Of all that was committed nothing is lost, nothing has changed.
sub lost
{
	my %before = (%version);
	my %measured = (%metrics);
	my @lost;

	remember();
	push @lost, map { "version $_" } grep { ($version{$_} // '') ne $before{$_} } sort keys %before;
	push @lost, map { "metrics of run $_" } grep { ($metrics{$_} // '') ne $measured{$_} } sort keys %measured;
	return @lost;
}

# The row of a run, and what there is of it beside, agree with each other and with what was done.
sub untrue
{
	my ($run, $kind, $allowed, $what) = @_;
	my $made = made($run->{id});
	my @wrong;

	push @wrong, "status $run->{status} ($run->{error})" unless grep { $_ eq $run->{status} } @$allowed;
	push @wrong, "reason \"$run->{error}\" of status $run->{status}"
	  unless $run->{error} =~ ($reason{ $run->{status} } // qr/^\0$/);
	push @wrong, "stored status $run->{stored}" unless $run->{stored} eq $run->{status}
	  || ($run->{stored} =~ /^(running|queued)$/ && $run->{status} eq 'interrupted');
	if ($run->{status} ne 'finished')
	{
		push @wrong, 'versions of a run that did not finish' if $made ne '';
	}
	elsif (split(/ /, $made) != $kind->{versions} || ($kind->{same} && $made ne $kind->{made}))
	{
		push @wrong, "versions \"$made\" in the place of \"$kind->{made}\"";
	}
	elsif ($kind->{holds} && osml_sql($node, $kind->{holds}) ne 't')
	{
		push @wrong, "not true: $kind->{holds}";
	}
	return @wrong;
}

# The statuses that what was done may have led to.
sub allowed
{
	my ($kind, $strikes, $early, $phase) = @_;
	my %allowed;
	my $must_end = 0;

	foreach my $strike (@$strikes)
	{
		my ($way, $hit) = @$strike;
		my ($whom, $signal, @statuses) = @{ $ways{$way} };
		my $caller = $whom =~ /caller|client/ || $hit eq 'caller';
		# a session waits for the start of its run at least
		my $waits = $kind->{waits} || $phase =~ /^(no trainer|starting)$/;
		my $ends = $hit ne 'nobody' && !($caller && $signal ne 'KILL' && !$waits);

		# what is meant for a process that is not there hits another
		@statuses = ('interrupted') if $hit eq 'trainer' && $signal eq 'TERM';
		@statuses = ('cancelled') if $hit eq 'caller' && $signal ne 'KILL';
		$ends = 0 if $whom eq 'client' && $signal eq 'KILL' && !$waits;
		next unless $ends;
		$allowed{$_} = 1 foreach @statuses;
		# a session that only waits may be lost, a lost client is not noticed at once, and
		# a reader may have done its part
		$must_end = 1 unless ($whom eq 'client' && $signal eq 'KILL') || $hit eq 'reader' || ($kind->{continue} && $caller) || ($kind->{restarts} && grep { $_ eq 'interrupted' } @statuses);
	}
	$allowed{finished} = 1 unless $must_end && $early;
	return sort keys %allowed;
}

# A run that is to be restarted goes on when the server is back, and to its end.
sub restart_rest
{
	my ($kind) = @_;

	return unless $kind->{restarts} && tickets();
	$node->restart;
	$count{restarts}++;
}

# --- a round ---------------------------------------------------------------------------

# Wait for the run's end and for that of its processes.  The session's is one of them: it
# may not have heard yet that its client is gone, and start the run only now.
sub settle
{
	my ($kind, $watch) = @_;

	osml_poll($node, qq{SELECT NOT EXISTS (SELECT FROM osml.runs WHERE status IN ('running', 'queued'))
		AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type LIKE 'osml%' OR pid = $watch->{caller} AND pid <> pg_backend_pid() AND backend_type = 'client backend')});
	for (1 .. 100) { last unless $kind->{restarts} && tickets(); usleep(20_000) }
}

sub one_round
{
	my ($round, $name, $way) = @_;
	my $kind = $kinds{$name};
	my $resumed = $kind->{resumes} ? interrupted_run($kind) : 0;
	my ($last, $watch, $session, $canceller, $phase, $after, @strikes, @wrong, $run, $outcome);

	osml_sql($node, $kind->{before}) if $kind->{before};
	$last = $resumed ? $resumed - 1 : osml_sql($node, 'SELECT coalesce(max(run_id), 0) FROM osml.run');
	remember();
	fresh_log();
	$watch = osml_watch(osml_postmaster($node));
	open($canceller, '|-', 'psql -XAtq -d "' . $node->connstr('postgres') . '" >/dev/null 2>&1') or die $!;
	$session = launch($kind, $resumed);
	$watch->{caller} = $session->{backend};
	$watch->{start} = time;
	await_moment($kind, $watch, $ways{$way}[0]);
	$phase = osml_phase($watch);
	push @strikes, [ $way, strike($way, $watch, $session, $canceller) ];
	$after = $ways{$way}[0] eq 'server' ? $phase : osml_phase($watch);
	# now and then once more, into whatever the first has set off
	if ($ways{$way}[0] ne 'server' && rand() < 0.2)
	{
		my $second = (sort keys %ways)[ rand keys %ways ];

		usleep(rand(30_000));
		push @strikes, [ $second, strike($second, $watch, $session, $canceller) ];
	}
	{
		local $SIG{PIPE} = 'IGNORE';
		close($canceller);
	}
	await_server($watch) if $watch->{killed} && !grep { $ways{ $_->[0] }[0] eq 'server' } @strikes;
	$node->start if grep { $ways{ $_->[0] }[0] eq 'server' } @strikes;
	eval { $session->finish };
	settle($kind, $watch);
	if ($kind->{restarts} && tickets())
	{
		restart_rest($kind);
		settle($kind, $watch);
		push @wrong, 'a ticket is left' if tickets();
	}

	my @runs = runs_after($last);
	($run) = grep { !$resumed || $_->{id} == $resumed } @runs;
	push @wrong, scalar(@runs) . ' runs' if @runs > 1;
	$outcome = $run ? $run->{status} : 'no run';
	my @allowed = allowed($kind, \@strikes, $phase eq $after && $phase =~ $EARLY ? 1 : 0, $phase);
	# it was interrupted before
	push @allowed, 'interrupted' if $resumed && $phase =~ /^(no trainer|starting)$/;
	@allowed = ('finished', grep { $_ ne 'interrupted' } @allowed) if $kind->{restarts} && $run;
	push @wrong, untrue($run, $kind, \@allowed) if $run;
	push @wrong, "no run, though it was $phase" unless $run || $phase =~ /^(no trainer|starting)$/;
	push @wrong, map { "lost: $_" } lost();
	push @wrong, map { "left: $_" } osml_left($node);
	my $log = fresh_log();
	push @wrong, "log: $1" while $log =~ /^(.*(?:PANIC|TRAP:|terminated by signal (?!9:)\d+|[Ll]eak|still referenced|stuck|wrong magic|row of run).*)$/mg;
	my ($next, $err) = osml_sql($node, q{SELECT osml_train('line', '{"max_batches": 3}', 'next')});
	push @wrong, "the next run: $err" if $err || osml_run($node, $next, 'status') ne 'finished';
	# an interrupted run goes on to where it would have been
	if ($run && $outcome =~ /interrupted|cancelled|failed/ && $kind->{same} && $kind->{versions} && rand() < 0.3)
	{
		my ($out, $message) = osml_sql($node, "$kind->{set}; SELECT osml_resume($run->{id})");

		$count{resumed}++;
		push @wrong, "resumed: $out $message" if $out ne 'finished';
		push @wrong, 'resumed: other weights' if $out eq 'finished' && made($run->{id}) ne $kind->{made};
	}

	my $what = join ', then ', map { "$_->[0]" . ($ways{ $_->[0] }[0] eq $_->[1] ? '' : " ($_->[1])") } @strikes;
	$phase = 'over' if $phase eq 'gone';
	ok(!@wrong, "round $round: $name, $what while $phase: $outcome") or diag(join "\n", @wrong, $log);
	$count{way}{$way}{$outcome}++;
	$count{phase}{$phase}{$outcome}++;
	$count{kind}{$name}{$outcome}++;
	$count{rounds}++;
	$count{twice}++ if @strikes > 1;
}

# --- all rounds ------------------------------------------------------------------------

# Kinds and ways in an order of their own, each as often as any other.
sub draws
{
	my @list;

	srand($seed);
	while (@list < $rounds)
	{
		my @kinds = shuffle sort keys %kinds;

		foreach my $way (shuffle sort keys %ways)
		{
			my ($i) = grep { $ways{$way}[0] ne 'reader' || $kinds{ $kinds[$_] }{readers} } 0 .. $#kinds;

			push @list, [ splice(@kinds, $i, 1), $way ];
		}
	}
	return @list[ 0 .. $rounds - 1 ];
}

sub table
{
	my ($what) = @_;
	my @statuses = ('finished', 'cancelled', 'interrupted', 'failed', 'no run');
	my $format = '%-26s %6s' . ' %11s' x @statuses;

	diag(sprintf $format, $what, 'rounds', @statuses);
	foreach my $name (sort keys %{ $count{$what} })
	{
		my $n = $count{$what}{$name};

		diag(sprintf $format, $name, sum0(values %$n), map { $n->{$_} // '' } @statuses);
	}
}

my $round = 0;
foreach my $draw (draws())
{
	my ($name, $way) = @$draw;

	next if ++$round != ($ENV{ROUND} // $round);
	measure($kinds{$name}{resumes} || $name);
	@{ $kinds{$name} }{qw(seconds phases made)} = @{ $kinds{ $kinds{$name}{resumes} } }{qw(seconds phases made)}
	  if $kinds{$name}{resumes};
	srand($seed * 100_003 + $round);
	one_round($round, $name, $way);
}
table($_) foreach ('way', 'phase', 'kind');
diag(sprintf '%d rounds, %d with two strikes, %d runs resumed to the same weights, %d restarted by hand',
	map { $count{$_} // 0 } qw(rounds twice resumed restarts));

$node->stop;
done_testing();
