# OsmlNumbers.pm: what the tests of osml's numbers share.
#
#   my $node = numbers_node();              # a server with the extension
#   load_trips($node, 'train', 'synthetic') # CSV files of $OSML_SHARED
#   my $w = weights($node, $model);         # { feature => scaled weight }
#   my $md5 = weight_bytes($node, $model);  # hash of the stored tensors
package OsmlNumbers;

use strict;
use warnings;

use Exporter 'import';
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(numbers_node load_trips train train_fails weights weight_bytes
  metric_rows summary relative_error measured literal);

# Columns of the taxi files, label first.
my @trip_columns = (
	(map { "${_}_double double precision" }
		  qw(fareamount origin_block_latitude origin_block_longitude
		  destination_block_latitude destination_block_longitude)),
	map { "${_}_integer integer" } qw(year month dow hour));

# A server with the extension; progress messages would only fill the log.
sub numbers_node
{
	my $node = PostgreSQL::Test::Cluster->new('numbers');

	$node->init;
	$node->append_conf('postgresql.conf', <<'CONF');
fsync = off
max_worker_processes = 16
max_wal_size = 2GB
osml.progress_interval = 0
CONF
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION osml');
	return $node;
}

# The named files of data/dc_taxi as tables of the same name.
sub load_trips
{
	my ($node, @names) = @_;
	my $columns = join ', ', @trip_columns;

	$node->safe_psql('postgres', <<"SQL") foreach @names;
CREATE TABLE $_ ($columns);
\\copy $_ FROM '$ENV{OSML_SHARED}/data/dc_taxi/$_.csv' CSV HEADER
SQL
}

# Text as an SQL literal.
sub literal
{
	my ($text) = @_;

	$text =~ s/'/''/g;
	return "'$text'";
}

# Train and return the run's id.  hparams is JSON text; before: SQL that the
# session runs first, such as SET.
sub train
{
	my ($node, $source, $hparams, $model, $before) = @_;
	my $sql = sprintf "SELECT osml_train(%s, %s, %s)", literal($source),
	  literal($hparams), literal($model);

	return $node->safe_psql('postgres', ($before ? "$before;\n" : '') . $sql);
}

# The error of a training that must fail, SQLSTATE and all; '' if it does not.
sub train_fails
{
	my ($node, $source, $hparams, $model) = @_;
	my ($stdout, $stderr);
	my $rc = $node->psql('postgres',
		sprintf("\\set VERBOSITY verbose\nSELECT osml_train(%s, %s, %s)",
			literal($source), literal($hparams), literal($model)),
		stdout => \$stdout, stderr => \$stderr);

	return $rc == 0 ? '' : $stderr;
}

# Weights in the scaled columns' units by feature, of the deployed version.
sub weights
{
	my ($node, $model, $column) = @_;

	$column ||= 'scaled_weight';
	return {
		map { split /\|/ } split /\n/,
		$node->safe_psql('postgres', <<"SQL") };
SELECT w.feature, w.$column FROM osml.weights w
	JOIN osml.models m USING (model, version)
	WHERE m.deployed AND w.model = @{[literal($model)]} ORDER BY w.position
SQL
}

# What is stored of the newest version, as a hash: equal means equal bits.
sub weight_bytes
{
	my ($node, $model) = @_;

	return $node->safe_psql('postgres', <<"SQL");
SELECT md5(v.weights) FROM osml.model_version v JOIN osml.model m USING (model_id)
	WHERE m.name = @{[literal($model)]} ORDER BY v.version DESC LIMIT 1
SQL
}

# Values of a run's metric, in the order of the steps.
sub metric_rows
{
	my ($node, $run, $name) = @_;

	return split /\n/, $node->safe_psql('postgres', <<"SQL");
SELECT value FROM osml.metrics WHERE run_id = $run AND name = '$name' ORDER BY step
SQL
}

# One value of a run's summary.
sub summary
{
	my ($node, $run, $key) = @_;

	return $node->safe_psql('postgres',
		"SELECT summary ->> '$key' FROM osml.runs WHERE run_id = $run");
}

# A metric of osml_evaluate().
sub measured
{
	my ($node, $model, $source, $metric) = @_;

	return $node->safe_psql('postgres', sprintf <<'SQL', literal($model),
SELECT value FROM osml_evaluate(%s, %s) WHERE metric = %s
SQL
		literal($source), literal($metric));
}

# Largest error of a list of values, as a share of the greater of each
# reference value and a thousandth of the norm of all.
sub relative_error
{
	my ($got, $want) = @_;
	my $norm = 0;
	my $worst = 0;

	return 'inf' if @$got != @$want;
	$norm += $_ * $_ foreach @$want;
	$norm = sqrt $norm;
	for my $i (0 .. $#$want)
	{
		my $unit = abs $want->[$i];
		my $error = abs($got->[$i] - $want->[$i]);

		$unit = $norm / 1000 if $norm / 1000 > $unit;
		$error /= $unit if $error != 0;
		# written so that NaN counts as large
		$worst = $error unless $error <= $worst;
	}
	return $worst;
}

1;
