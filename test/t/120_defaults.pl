# What osml_train does without a hyperparameter: on ordinary tables the model
# explains at least 98 % of what exact least squares explains,
#
#	mse(mean) - mse >= 0.98 (mse(mean) - mse(exact)),
#
# measured by osml_evaluate on the training rows.
use strict;
use warnings;

use Test::More;

use OsmlNumbers;
use PostgreSQL::Test::Utils;

my $node = numbers_node();

# The share explained with these hyperparameters.
sub share
{
	my ($table, $hparams) = @_;
	my ($label, $mean, $mse, $exact);

	$label = $node->safe_psql('postgres', <<"SQL");
SELECT attname FROM pg_attribute WHERE attrelid = '$table'::regclass AND attnum = 1
SQL
	$mean = $node->safe_psql('postgres', "SELECT var_pop($label) FROM $table");
	train($node, $table, '{"optimizer":"exact"}', "exact_$table");
	$exact = measured($node, "exact_$table", $table, 'mse');
	train($node, $table, $hparams, "default_$table");
	$mse = measured($node, "default_$table", $table, 'mse');
	return (($mean - $mse) / ($mean - $exact), 1 - $exact / $mean);
}

sub explains
{
	my ($table, $what, @seeds) = @_;

	foreach my $hparams ('{}', map { qq({"seed":$_}) } @seeds)
	{
		my ($share, $r2) = share($table, $hparams);

		cmp_ok($share, '>=', 0.98, "$what, $hparams");
		diag(sprintf '%-45s %-10s R2 %.4f, share %.5f', $what, $hparams, $r2, $share);
	}
}

# --- the demo and the sample data -----------------------------------------------------

$node->command_ok(
	[
		'psql', '-Xq', '-d', $node->connstr('postgres'), '-v', 'ON_ERROR_STOP=1',
		'-v', 'rows=200000', '-v', 'test_rows=10000',
		'-f', "$ENV{OSML_SRC}/demo/dc_taxi.sql"
	],
	'the demo makes its tables');
explains('dc_taxi', 'demo, 200,000 rows', 1 .. 4);
{
	my $mean = $node->safe_psql('postgres', <<'SQL');
SELECT avg((fareamount - (SELECT avg(fareamount) FROM dc_taxi)) ^ 2) FROM dc_taxi_test
SQL
	my $exact = measured($node, 'exact_dc_taxi', 'dc_taxi_test', 'mse');
	my $mse = measured($node, 'default_dc_taxi', 'dc_taxi_test', 'mse');

	cmp_ok($mean - $mse, '>=', 0.98 * ($mean - $exact), 'demo, on rows it has not seen');
}

# The label of 'train' is constant, so only 'valid' says something.
SKIP:
{
	skip 'OSML_SHARED is not set: the sample data is not there', 4 unless $ENV{OSML_SHARED};
	load_trips($node, qw(synthetic valid));
	explains('synthetic', 'synthetic.csv', 1, 2);
	explains('valid', 'valid.csv, 100 rows');
}

# --- other plausible tables -------------------------------------------------------------

# normal(i, k): number i of the k-th independent column of normal deviates
$node->safe_psql('postgres', <<'SQL');
CREATE FUNCTION unit(i int, k int) RETURNS float8 IMMUTABLE LANGUAGE sql
	RETURN (hashint4(i * 1000 + k) + 2147483648.5) / 4294967296;
CREATE FUNCTION normal(i int, k int) RETURNS float8 IMMUTABLE LANGUAGE sql
	RETURN sqrt(-2 * ln(unit(i, k))) * cos(2 * pi() * unit(i, k + 500));

CREATE TABLE five AS
	SELECT 3 + 2 * normal(i, 1) + normal(i, 3) / 4 AS y, normal(i, 1) AS a, normal(i, 2) AS b
	FROM generate_series(1, 5) i;
CREATE TABLE hundred AS
	SELECT 10 + 2 * normal(i, 1) - normal(i, 2) + normal(i, 3) AS y,
		normal(i, 1) AS a, normal(i, 2) AS b, normal(i, 4) AS c
	FROM generate_series(1, 100) i;
CREATE TABLE scales AS
	SELECT 1e6 * a + b - 1e-9 * c + e AS y, a, b, c
	FROM (SELECT 1e-6 * normal(i, 1) AS a, normal(i, 2) AS b, 1e9 * normal(i, 4) AS c,
			normal(i, 3) AS e FROM generate_series(1, 10000) i) s;
-- correlation 0.9975; the label goes with both
CREATE TABLE correlated AS
	SELECT a + b + e AS y, a, b
	FROM (SELECT z + 0.05 * normal(i, 2) AS a, z + 0.05 * normal(i, 4) AS b, normal(i, 3) AS e
		FROM (SELECT i, normal(i, 1) AS z FROM generate_series(1, 10000) i) r) s;
CREATE TABLE powers AS
	SELECT 1 + x - 2 * x ^ 2 + 0.5 * x ^ 3 + e / 10 AS y, x, x ^ 2 AS x2, x ^ 3 AS x3, x ^ 4 AS x4
	FROM (SELECT 2 + 2 * unit(i, 1) AS x, normal(i, 3) AS e FROM generate_series(1, 10000) i) s;
CREATE TABLE far_label AS
	SELECT 1e12 + normal(i, 1) + normal(i, 3) AS y, normal(i, 1) AS a, normal(i, 2) AS b
	FROM generate_series(1, 10000) i;
CREATE TABLE constant AS
	SELECT 3 + normal(i, 1) + normal(i, 3) AS y, normal(i, 1) AS a, 7 AS k, normal(i, 2) AS b
	FROM generate_series(1, 10000) i;
CREATE TABLE noise_free AS
	SELECT 3 + normal(i, 1) - 2 * normal(i, 2) + 1e-6 * normal(i, 3) AS y,
		normal(i, 1) AS a, normal(i, 2) AS b
	FROM generate_series(1, 10000) i;
CREATE TABLE places AS
	SELECT 5 * (latitude - 38.9) / 0.012 + e AS y, latitude, longitude
	FROM (SELECT 38.9 + 0.012 * normal(i, 1) AS latitude, -77.03 + 0.014 * normal(i, 2) AS longitude,
			normal(i, 3) AS e FROM generate_series(1, 20000) i) s;
CREATE TABLE flags AS
	SELECT 10 * (unit(i, 1) > 0.9)::int + normal(i, 3) AS y, unit(i, 1) > 0.99 AS rare,
		unit(i, 1) > 0.9 AS b, i % 7 = 0 AS c
	FROM generate_series(1, 20000) i;
CREATE TABLE weak AS
	SELECT 0.03 * normal(i, 1) + normal(i, 3) AS y, normal(i, 1) AS a, normal(i, 2) AS b, normal(i, 4) AS c
	FROM generate_series(1, 50000) i;
CREATE TABLE skewed AS
	SELECT exp(1.5 * (0.3 * normal(i, 1) + 0.3 * normal(i, 2) + normal(i, 3))) AS y,
		normal(i, 1) AS a, normal(i, 2) AS b
	FROM generate_series(1, 20000) i;
CREATE TABLE counting AS
	SELECT 3.7 * i + 12 AS y, i FROM generate_series(1, 1000) i;
SQL

explains(@$_)
  foreach [ 'five', 'five rows' ], [ 'hundred', 'a hundred rows' ],
  [ 'scales', 'scales from 1e-6 to 1e9' ], [ 'correlated', 'correlated columns' ],
  [ 'powers', 'powers of one column' ], [ 'far_label', 'label 1e12 with noise 1' ],
  [ 'constant', 'a constant column' ], [ 'noise_free', 'a label all but free of noise' ],
  [ 'places', 'latitudes and longitudes' ], [ 'flags', 'booleans, some rare' ],
  [ 'weak', 'R2 of a thousandth', 1, 2 ], [ 'skewed', 'a label of long tail' ],
  [ 'counting', 'one integer column, in order' ];

# --- what the defaults are --------------------------------------------------------------

is($node->safe_psql('postgres', <<'SQL'), <<'EXPECTED' =~ s/\n$//r, 'the defaults that people rely on');
SELECT key || ' ' || value FROM osml.runs, jsonb_each_text(hparams)
	WHERE run_id = (SELECT max(run_id) FROM osml.runs WHERE model = 'default_dc_taxi')
	AND key IN ('optimizer', 'scale', 'shuffle', 'val_fraction', 'log_every_n_steps',
		'precision', 'num_workers', 'loss', 'weight_decay', 'betas', 'deploy', 'on_null',
		'on_nonfinite', 'divergence_factor', 'init', 'lr', 'lr_schedule')
	ORDER BY key
SQL
betas [0.9, 0.999]
deploy true
divergence_factor 100000000
init auto
log_every_n_steps 50
loss mse
lr 0.03
lr_schedule linear
num_workers 0
on_nonfinite stop
on_null skip
optimizer AdamW
precision float64
scale standardize
shuffle once
val_fraction 0
weight_decay 0.01
EXPECTED

# --- a constant column counts for nothing, whatever it is later --------------------------

is($node->safe_psql('postgres', <<'SQL'), "0|t", 'a constant column has no weight');
SELECT scaled_weight, osml_predict('default_constant', 1, 7, 2) = osml_predict('default_constant', 1, 8, 2)
	FROM osml.weights WHERE model = 'default_constant' AND feature = 'k' AND version = 1
SQL

$node->stop;
done_testing();
