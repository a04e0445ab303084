# OsmlKills.pm: the processes of a run, as the system shows them, and ways to end them.
#
# What a trainer does stands in its title (osml_run_phase() in the sources), which is
# read here without asking the server: at once, and in whatever state that is.
package OsmlKills;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

our @EXPORT = qw(osml_postmaster osml_children osml_gone osml_kill_postmaster osml_watch osml_phase osml_find);

my $PHASES = qr/^(learning features|loading rows|shuffling rows|training|validating|writing a checkpoint|storing the model)$/;

sub _slurp
{
	my ($path) = @_;
	my $text = '';

	open(my $handle, '<', $path) or return '';
	local $/;
	$text = <$handle> // '';
	close($handle);
	$text =~ s/\0+$//;
	return $text;
}

sub osml_postmaster
{
	my ($node) = @_;

	return (split /\n/, slurp_file($node->data_dir . '/postmaster.pid'))[0];
}

# Its children: pid => title.
sub osml_children
{
	my ($postmaster) = @_;
	my %title;

	opendir(my $proc, '/proc') or die $!;
	foreach my $pid (grep { /^\d+$/ && $_ != $postmaster } readdir($proc))
	{
		# behind the name, which may hold blanks: state, parent
		next unless _slurp("/proc/$pid/stat") =~ /^.*\) (\S) (\d+) /s && $2 == $postmaster && $1 ne 'Z';
		$title{$pid} = _slurp("/proc/$pid/cmdline");
	}
	closedir($proc);
	return %title;
}

# Are they gone, soon?
sub osml_gone
{
	my @pids = @_;

	for (1 .. 10 * $PostgreSQL::Test::Utils::timeout_default)
	{
		return 1 unless grep { kill(0, $_) } @pids;
		usleep(100_000);
	}
	return 0;
}

# Kill the postmaster.  One ok: its processes follow it, and a server can be started.
sub osml_kill_postmaster
{
	my ($node, $name) = @_;
	my $postmaster = osml_postmaster($node);
	my %children = osml_children($postmaster);

	kill 'KILL', $postmaster;
	ok(osml_gone($postmaster, keys %children), "$name: all processes end with their postmaster")
	  or diag(join "\n", values %children);
	$node->{_pid} = undef;
}

# Keeps an eye on whatever trainer the postmaster starts next.
sub osml_watch
{
	my ($postmaster) = @_;
	my %known = osml_children($postmaster);

	return { postmaster => $postmaster, known => \%known, phase => 'starting' };
}

# What the trainer does, or 'no trainer', 'queued', 'starting' (until its run's row is
# there), 'gone'.
sub osml_phase
{
	my ($watch) = @_;
	my $title;

	if (!$watch->{trainer})
	{
		my %now = osml_children($watch->{postmaster});

		foreach my $pid (grep { !exists $watch->{known}{$_} } keys %now)
		{
			next unless $now{$pid} =~ /osml (trainer|queue) for run (\d+)/;
			$watch->{$1} = $pid;
			$watch->{run} = $2;
		}
		return 'queued' if $watch->{queue} && !$watch->{trainer} && exists $now{ $watch->{queue} };
		return $watch->{queue} ? 'gone' : 'no trainer' unless $watch->{trainer};
	}
	$title = _slurp("/proc/$watch->{trainer}/cmdline");
	return $watch->{phase} = 'gone' unless $title =~ /osml trainer for run \d+ *(.*?) *$/;
	# a title that is being written is no news
	$watch->{phase} = $1 if $1 =~ $PHASES;
	return $watch->{phase};
}

# A process of the run: 'trainer', 'reader'; or 'caller', whose pid is known.
sub osml_find
{
	my ($watch, $who) = @_;
	my %now;
	my @found;

	return $watch->{caller} if $who eq 'caller';
	return $watch->{trainer} || $watch->{queue} if $who eq 'trainer';
	%now = osml_children($watch->{postmaster});
	@found = sort { $a <=> $b } grep { !exists $watch->{known}{$_} && $now{$_} =~ /osml $who for run/ } keys %now;
	return @found ? $found[ rand @found ] : undef;
}

1;
