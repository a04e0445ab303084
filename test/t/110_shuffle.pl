# A table sorted by its label trains as well as a shuffled one, wherever its
# rows are kept; splits and fingerprints depend on values, not on their order.
use strict;
use warnings;

use Test::More;

use OsmlNumbers;
use PostgreSQL::Test::Utils;

# memory and temp files that hold a part of the rows, or not even that
use constant {
	SPILL => "SET osml.max_memory = '2MB'; SET osml.max_spill = '1GB'",
	REREAD => "SET osml.max_memory = '2MB'; SET osml.max_spill = '1MB'"
};

my $node = numbers_node();

# 200,000 rows, 16 MB, whose label is linear in eight columns but for noise.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE sorted AS
	SELECT 3 + 2 * x1 - x2 + 0.0005 * x3 + 0.1 * x4 + 1.5 * x5 + x6 - 2 * x7 + 2 * e AS y,
		x1, x2, x3, x4, x5, x6, x7, x8
	FROM (SELECT hashint4(i) / 2^31 AS x1, 10 + hashint4(i + 1000000) / 2^31 AS x2,
			1e3 * hashint4(i + 2000000) / 2^31 AS x3, hashint4(i + 3000000) / 2^31 AS x4,
			hashint4(i + 4000000) / 2^31 AS x5, hashint4(i + 5000000) / 2^31 AS x6,
			hashint4(i + 6000000) / 2^31 AS x7, hashint4(i + 7000000) / 2^31 AS x8,
			hashint4(i + 8000000) / 2^31 AS e
		FROM generate_series(1, 200000) i) s
	ORDER BY y;
CREATE TABLE mixed AS TABLE sorted ORDER BY hashfloat8(y);
CREATE VIEW seen AS SELECT * FROM sorted;
CREATE TABLE parted (LIKE sorted) PARTITION BY RANGE (x1);
CREATE TABLE parted_low PARTITION OF parted FOR VALUES FROM (-1) TO (0.3);
CREATE TABLE parted_high PARTITION OF parted FOR VALUES FROM (0.3) TO (1);
CREATE TABLE parted_next PARTITION OF parted FOR VALUES FROM (1) TO (2);
INSERT INTO parted SELECT * FROM sorted ORDER BY y;
VACUUM ANALYZE sorted, mixed, parted;
SQL
train($node, 'sorted', '{"optimizer":"exact"}', 'exact');
my $exact = measured($node, 'exact', 'sorted', 'mse');
my $variance = $node->safe_psql('postgres', 'SELECT var_pop(y) FROM sorted');

cmp_ok($variance, '>', 3 * $exact, 'the columns explain much of the label');

# Share of what exact least squares explains that a training does.
my $models = 0;
sub share
{
	my ($source, $hparams, $before) = @_;
	my $model = 'shuffle_' . ++$models;
	my $run = train($node, $source, $hparams, $model, $before);
	my $mse = measured($node, $model, 'sorted', 'mse');

	return (($variance - $mse) / ($variance - $exact), $run);
}

# --- in memory, spilled, read again -----------------------------------------------

# Several seeds: one good draw proves little.
foreach my $seed (0 .. 2)
{
	my ($share, $run) = share('sorted', qq({"seed":$seed}));

	cmp_ok($share, '>=', 0.98, "seed $seed: in memory");
	is(summary($node, $run, 'spilled_kb'), 0, 'and in memory it is');
	diag(sprintf 'seed %d, in memory: %.4f', $seed, $share);

	($share, $run) = share('sorted', qq({"seed":$seed}), SPILL);
	cmp_ok($share, '>=', 0.98, "seed $seed: spilled");
	cmp_ok(summary($node, $run, 'spilled_kb'), '>', 10000, 'most rows are on disk');
	is(summary($node, $run, 'reread'), 'false', 'and read but once from the table');
	diag(sprintf 'seed %d, spilled: %.4f', $seed, $share);

	($share, $run) = share('sorted', qq({"seed":$seed}), REREAD);
	cmp_ok($share, '>=', 0.98, "seed $seed: read again each epoch");
	is(summary($node, $run, 'reread'), 'true', 'it says so in the summary');
	is(summary($node, $run, 'spilled_kb'), 0, 'no temp file is left');
	like($node->safe_psql('postgres', <<"SQL"), qr/^warning\|.*drawn at random/, 'and in an event');
SELECT severity, message FROM osml.events WHERE run_id = $run AND kind = 'reread'
SQL
	diag(sprintf 'seed %d, read again: %.4f', $seed, $share);
}

foreach my $place ([ 'in memory', '' ], [ 'spilled', SPILL ], [ 'read again', REREAD ])
{
	my ($name, $before) = @$place;
	my ($share) = share('sorted', '{"shuffle":"epoch"}', $before);
	my %bits;

	cmp_ok($share, '>=', 0.98, "shuffle epoch, $name");
	diag(sprintf 'shuffle epoch, %s: %.4f', $name, $share);

	($share) = share('sorted', '{"shuffle":"none", "max_epochs":3}', $before);
	cmp_ok($share, '<', 0.9, "shuffle none does not train on a sorted table, $name");
	diag(sprintf 'shuffle none, %s: %.4f', $name, $share);

	foreach my $reader ('', '', ', "num_workers":2')
	{
		share('sorted', qq({"shuffle":"epoch", "max_epochs":2 $reader}), $before);
		$bits{ weight_bytes($node, "shuffle_$models") }++;
	}
	is(scalar keys %bits, 1, "a seed draws the same order each time, $name");
	share('sorted', '{"shuffle":"epoch", "max_epochs":2, "seed":1, "init":"zeros"}', $before);
	share('sorted', '{"shuffle":"epoch", "max_epochs":2, "seed":2, "init":"zeros"}', $before);
	isnt(weight_bytes($node, 'shuffle_' . ($models - 1)), weight_bytes($node, "shuffle_$models"),
		"another seed draws another, $name");
}

# --- batches ---------------------------------------------------------------------------

# With lr 0 and weights of 0 a batch's loss is its mean square of labels, so equal
# losses tell equal batches, and their mean that no row was lost or doubled.
my $square = $node->safe_psql('postgres', 'SELECT avg(y ^ 2) FROM sorted');
my $still = '"lr":0, "initial_weights":[0,0,0,0,0,0,0,0,0], "scale":"none", "scale_label":"none",
	"batch_size":2000, "log_every_n_steps":1';

foreach my $place ([ 'in memory', '' ], [ 'spilled', SPILL ], [ 'read again', REREAD ])
{
	my ($name, $before) = @$place;

	foreach my $shuffle (qw(none once epoch))
	{
		my $run = train($node, 'sorted', qq({$still, "shuffle":"$shuffle", "max_epochs":2}),
			'still', $before);
		my @batches = metric_rows($node, $run, 'train_mse');
		my @epochs = metric_rows($node, $run, 'train_mse_epoch');
		my $changed =
		  grep { abs($batches[$_] - $batches[ $_ + 100 ]) > 1e-9 * $square } 0 .. 99;

		is(scalar @batches, 200, "two epochs of 100 batches, $shuffle, $name");
		cmp_ok(relative_error(\@epochs, [ $square, $square ]), '<', 1e-10,
			'each epoch has each row once');
		cmp_ok($changed, $shuffle eq 'epoch' ? '>' : '==', $shuffle eq 'epoch' ? 90 : 0,
			$shuffle eq 'epoch' ? 'batches are drawn anew' : 'batches are kept');
	}

	# An endless stream wraps where the data end: 200,000 = 66 * 3,000 + 2,000.
	my $run = train($node, 'sorted', qq({$still, "batch_size":3000, "shuffle":"none", "max_batches":134})
			=~ s/"batch_size":2000, //r, 'still', $before);
	my $want = $node->safe_psql('postgres', <<'SQL');
SELECT avg(y ^ 2) FROM (SELECT y, row_number() OVER (ORDER BY ctid) AS n FROM sorted) s
	WHERE n <= 1000 OR n > 198000
SQL
	cmp_ok(relative_error([ (metric_rows($node, $run, 'train_mse'))[66] ], [$want]), '<', 1e-12,
		"batch 67 ends the data and begins them again, $name");
}

# --- other sources -------------------------------------------------------------------

{
	my ($share, $run) = share('parted', '{}', REREAD);

	is(summary($node, $run, 'reread'), 'true', 'partitions are read again');
	cmp_ok($share, '>=', 0.98, 'and sampled over all, an empty one among them');
	like($node->safe_psql('postgres',
			"SELECT message FROM osml.events WHERE run_id = $run AND kind = 'reread'"),
		qr/drawn at random/, 'as the event says');

	($share, $run) = share('seen', '{}', REREAD);
	is($node->safe_psql('postgres', "SELECT status FROM osml.runs WHERE run_id = $run"),
		'finished', 'a view cannot be sampled but trained on');
	like($node->safe_psql('postgres',
			"SELECT message FROM osml.events WHERE run_id = $run AND kind = 'reread'"),
		qr/cannot be sampled.*within a window of osml\.max_memory/, 'and the event warns');

	($share, $run) = share('seen', '{}', SPILL);
	cmp_ok($share, '>=', 0.98, 'a view that may spill trains well');
	($share, $run) = share('SELECT * FROM sorted', '{}');
	cmp_ok($share, '>=', 0.98, 'a query too');
}

# --- val_fraction ----------------------------------------------------------------------

# With lr 0 the model is the same whatever the rows, so val_mse tells which rows
# were held out.
my %split;
sub split_of
{
	my ($source, $more, $before) = (@_, '', '');
	my $model = 'split_' . ++$models;
	my $run = train($node, $source,
		qq({"val_fraction":0.2, "scale":"none", "lr":0, "max_epochs":1, "init":"normal",
			"initial_weights":[0,0,0,0,0,0,0,0,0] $more}), $model, $before);
	my ($mse) = metric_rows($node, $run, 'val_mse');
	my ($rows) = $node->safe_psql('postgres', <<"SQL");
SELECT train_rows, val_rows FROM osml.models WHERE run_id = $run
SQL

	return { rows => $rows, mse => sprintf('%.10g', $mse) };
}

my $split = split_of('sorted');
my ($train_rows, $val_rows) = split /\|/, $split->{rows};
is($train_rows + $val_rows, 200000, 'each row is either trained on or held out');
cmp_ok(abs($val_rows - 40000), '<', 5 * sqrt(200000 * 0.2 * 0.8), 'about a fifth is held out');
is_deeply(split_of('mixed'), $split, 'the same rows in another order of the table');
is_deeply(split_of('parted'), $split, 'in a partitioned table');
is_deeply(split_of('sorted', ', "num_workers":3'), $split, 'with readers');
is_deeply(split_of('sorted', '', SPILL), $split, 'spilled');
is_deeply(split_of('sorted', '', REREAD), $split, 'read again');
is_deeply(split_of('sorted', ', "shuffle":"none", "seed":0'), $split, 'unshuffled');
isnt(split_of('sorted', ', "seed":1')->{mse}, $split->{mse}, 'another seed holds out others');

# Equal rows stay together, so no row of the training rows is in the other half.
$split = split_of('TABLE sorted UNION ALL TABLE sorted');
is_deeply([ map { $_ / 2 } split /\|/, $split->{rows} ], [ $train_rows, $val_rows ],
	'twins go to the same side');

# Held out means not seen: the statistics are those of the training rows.
is($node->safe_psql('postgres', <<"SQL"), 't', 'statistics leave out the held-out rows');
SELECT bool_and(rows = 2 * $train_rows) FROM osml.features WHERE model = 'split_$models'
SQL

# --- fingerprint -------------------------------------------------------------------------

sub fingerprint
{
	my ($source, $hparams) = @_;
	my $model = 'finger_' . ++$models;

	train($node, $source, $hparams || '{"max_epochs":1}', $model);
	return $node->safe_psql('postgres', "SELECT fingerprint FROM osml.models WHERE model = '$model'");
}

my $print = fingerprint('sorted');
like($print, qr/^[0-9a-f]{16}$/, 'a fingerprint');
is(fingerprint('mixed'), $print, 'is that of the rows in any order');
is(fingerprint('parted'), $print, 'in partitions');
is(fingerprint('sorted', '{"max_epochs":1, "num_workers":3}'), $print, 'with three readers');
is(fingerprint('sorted', '{"max_epochs":1, "scale":"none", "shuffle":"none"}'), $print, 'streamed');
is(fingerprint('sorted', '{"optimizer":"exact"}'), $print, 'solved');
is(fingerprint('sorted', '{"max_epochs":1, "seed":7, "shuffle":"epoch"}'), $print, 'shuffled');

# One bit of one value; two values exchanged; a row more, equal to another.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE changed AS TABLE sorted;
UPDATE changed SET x5 = x5 + 1e-15 WHERE ctid = '(100,5)';
CREATE TABLE exchanged AS
	SELECT y, CASE ctid WHEN '(7,1)' THEN (SELECT x1 FROM sorted WHERE ctid = '(7,2)')
			WHEN '(7,2)' THEN (SELECT x1 FROM sorted WHERE ctid = '(7,1)') ELSE x1 END AS x1,
		x2, x3, x4, x5, x6, x7, x8
	FROM sorted;
SQL
isnt(fingerprint('changed'), $print, 'changes with one value');
isnt(fingerprint('exchanged'), $print, 'with values in the wrong rows');
isnt(fingerprint('TABLE sorted UNION ALL SELECT * FROM sorted WHERE ctid IN (\'(7,1)\', \'(7,2)\')'),
	$print, 'with rows that are there twice');

$node->stop;
done_testing();
