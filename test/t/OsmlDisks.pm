# OsmlDisks.pm: small disks, for tests of what happens when one is full.
#
#	use OsmlDisks spill => '8m', wal => '20m';
#
# Each is a tmpfs that only this test and its servers see: before anything else the test
# starts again within namespaces of its own, in the first as their root, who may mount,
# then in a second as whom it was, since no server runs as root.  Where the system does not
# allow that there are no disks, and osml_disk() says so.
package OsmlDisks;

use strict;
use warnings;

use File::Temp ();

our @EXPORT = qw(osml_disk osml_fill osml_free);

my %path;

sub import
{
	my ($class, %disks) = @_;
	my $caller = caller;

	no strict 'refs';
	*{"${caller}::$_"} = \&$_ foreach @EXPORT;
	if (defined $ENV{OSML_DISKS})
	{
		%path = map { $_ => "$ENV{OSML_DISKS}/$_" } keys %disks if $ENV{OSML_DISKS};
		return;
	}
	# no core of a server that ends because a disk is full
	my $mounts = 'set -e; ulimit -c 0; cd "$OSML_DISKS";'
	  . join('', map { "mkdir -p $_; mount -t tmpfs -o size=$disks{$_} tmpfs $_;" } sort keys %disks)
	  . " cd - >/dev/null; exec unshare -U --map-user=$> --map-group=" . (split ' ', $))[0] . ' -- "$@"';
	my $folder = $ENV{OSML_DISKS} = File::Temp::tempdir('osml_disks.XXXXXX', TMPDIR => 1);
	my @start = ('unshare', '-Urm', '--', 'bash', '-c', $mounts, 'bash');

	if (system("@{[map { quotemeta } @start]} true >/dev/null 2>&1") != 0)
	{
		$ENV{OSML_DISKS} = '';
		rmdir $folder;
		return;
	}
	# the folder is this process's to remove, when the other is done
	my $rc = system(@start, $^X, (map { "-I$_" } @INC), $0, @ARGV);
	rmdir $_ foreach map("$folder/$_", keys %disks), $folder;
	exit($rc == -1 ? 127 : $rc >> 8);
}

# Where the disk is; undef: there is none.
sub osml_disk
{
	my ($name) = @_;

	return $path{$name};
}

# Leave no room on a disk.
sub osml_fill
{
	my ($name) = @_;

	open(my $file, '>', "$path{$name}/filler") or die "filler: $!";
	for (;;)
	{
		last unless syswrite($file, "\0" x 4096);
	}
	close($file);
}

sub osml_free
{
	my ($name) = @_;

	unlink "$path{$name}/filler";
}

1;
