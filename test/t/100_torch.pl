# Linear runs against PyTorch, step by step, and runs against each other.
#
# Reference: fixtures/torch_runs.json, made with PyTorch 1.13 (CPU).  Tolerance:
# 1e-9 (float64) or 1e-5 (float32) of the greater of the reference value and a
# thousandth of its tensor's norm; a loss and a gradient norm are tensors of
# one value.  The test loss of the fixtures is that of the first batch_size rows
# of the wrapped stream, hence limit_test_batches 1.
use strict;
use warnings;

use JSON::PP;
use Test::More;

use OsmlNumbers;
use PostgreSQL::Test::Utils;

plan skip_all => 'OSML_SHARED is not set: reference runs and data are not there'
  unless $ENV{OSML_SHARED};

my $fixtures = decode_json(slurp_file("$ENV{OSML_SHARED}/fixtures/torch_runs.json"));
my @names = grep { !/logistic|softmax|poisson|mlp/ } sort keys %{ $fixtures->{runs} };
my $node = numbers_node();
my @features;

load_trips($node, qw(train synthetic));
@features = split /\n/, $node->safe_psql('postgres', <<'SQL');
SELECT attname FROM pg_attribute
	WHERE attrelid = 'train'::regclass AND attnum > 1 ORDER BY attnum
SQL

# The fixture's hyperparameters with what else its run was made with.
sub hparams_of
{
	my ($run, %more) = @_;

	return encode_json(
		{
			scale => 'none', scale_label => 'none', shuffle => 'none', init => 'torch_linear',
			log_every_n_steps => 1, limit_test_batches => 1,
			batch_size => $run->{batch_size}, max_batches => $run->{max_batches},
			%{ $run->{hparams} }, %more
		});
}

# Weight and bias as the fixture names them, or as osml.weights has them.
sub tensors_of
{
	my ($parameters) = @_;
	my ($weight) = grep { defined } @$parameters{qw(weight w)};
	my ($bias) = grep { defined } @$parameters{qw(bias b)};

	return ($weight->{values}, $bias->{values});
}

sub tensors_in
{
	my ($model) = @_;
	my $weights = weights($node, $model);

	return ([ @$weights{@features} ], [ $weights->{'(intercept)'} ]);
}

sub larger { return $_[0] > $_[1] ? $_[0] : $_[1]; }

sub error_of_parameters
{
	my ($model, $reference) = @_;
	my @got = tensors_in($model);
	my @want = tensors_of($reference);

	return larger(relative_error($got[0], $want[0]), relative_error($got[1], $want[1]));
}

# Largest error of the values of one step each.
sub error_of_steps
{
	my ($got, $want) = @_;
	my $worst = 0;

	return 'inf' if @$got != @$want;
	$worst = larger($worst, relative_error([ $got->[$_] ], [ $want->[$_] ]))
	  foreach 0 .. $#$want;
	return $worst;
}

# --- every linear run ---------------------------------------------------------

cmp_ok(scalar @names, '>=', 13, 'the fixtures have linear runs');

$node->safe_psql('postgres', "SELECT osml_create_dataset('of_$_', train => '$_', test => '$_')")
  foreach qw(train synthetic);

foreach my $name (@names)
{
	my $run = $fixtures->{runs}{$name};
	my ($table) = $run->{source} =~ m{([a-z]+)\.csv$};
	my $float32 = ($run->{hparams}{precision} || '') eq 'float32';
	my $tolerance = $float32 ? 1e-5 : 1e-9;
	my $loss = $run->{hparams}{loss} || 'mse';
	my (%error, $id);

	# lr 0 leaves the parameters where they start
	train($node, "of_$table", hparams_of($run, lr => 0, max_batches => 1), "${name}_0");
	is(error_of_parameters("${name}_0", $run->{initial}), 0,
		"$name: initial parameters have PyTorch's bits");

	$id = train($node, "of_$table", hparams_of($run), $name);
	$error{loss} = error_of_steps([ metric_rows($node, $id, "train_$loss") ],
		$run->{train_loss});
	$error{'grad_norm'} = error_of_steps([ metric_rows($node, $id, 'grad_norm') ],
		$run->{grad_norm});
	$error{weights} = error_of_parameters($name, $run->{final});
	$error{'test loss'} =
	  error_of_steps([ metric_rows($node, $id, "test_$loss") ], [ $run->{test_loss} ]);
	$error{predictions} = relative_error(
		[
			split /\n/,
			$node->safe_psql('postgres',
				"SELECT osml_predict('$name', t) FROM $table t ORDER BY t.ctid LIMIT 5")
		],
		$run->{test_predictions_first5});
	cmp_ok($error{$_}, '<=', $tolerance, "$name: $_") foreach sort keys %error;
	diag(sprintf '%-26s %s', $name, join ', ',
		map { sprintf '%s %.1e', $_, $error{$_} } sort keys %error);
}

# --- classes and counts ---------------------------------------------------------

# Labels as the fixtures' notes say; of classes as texts, booleans and numbers.
$node->safe_psql('postgres', <<'SQL');
CREATE VIEW labels AS SELECT ctid AS place, fareamount_double AS fare, s.* FROM synthetic s;
SQL
{
	my $columns = join ', ', @features;
	my %label = (
		logistic => [ 'fare > 12', q{CASE WHEN fare > 12 THEN 'yes' ELSE 'no' END}, '(fare > 12)::int + 9' ],
		softmax => [ 'CASE WHEN fare > 14 THEN 2 WHEN fare > 9 THEN 1 ELSE 0 END',
			q{CASE WHEN fare > 14 THEN 'C' WHEN fare > 9 THEN 'B' ELSE 'A' END} ],
		poisson => [ 'round(fare)' ]);
	my %loss = (logistic => 'logloss', softmax => 'cross_entropy', poisson => 'poisson');

	foreach my $type (qw(logistic softmax poisson))
	{
		my $run = $fixtures->{runs}{"taxi_std_$type"};

		foreach my $i (0 .. $#{ $label{$type} })
		{
			my $name = "${type}_$i";
			my $source = "SELECT $label{$type}[$i] AS y, $columns FROM labels";
			my (%error, $id, @out);

			$node->safe_psql('postgres', sprintf "SELECT osml_create_dataset(%s, %s, test => %s)",
				map { literal($_) } $name, $source, $source);
			$id = train($node, $name, hparams_of($run), $name);
			$error{loss} = error_of_steps([ metric_rows($node, $id, "train_$loss{$type}") ],
				$run->{train_loss});
			$error{grad_norm} = error_of_steps([ metric_rows($node, $id, 'grad_norm') ],
				$run->{grad_norm});
			foreach (
				[ weight => q{feature <> '(intercept)'} ],
				[ bias => q{feature = '(intercept)'} ])
			{
				$error{ $_->[0] } = relative_error(
					[
						split /\n/,
						$node->safe_psql('postgres', "SELECT scaled_weight FROM osml.weights
							WHERE model = '$name' AND $_->[1] ORDER BY position")
					],
					$run->{final}{ $_->[0] }{values});
			}
			$error{'test loss'} = error_of_steps([ metric_rows($node, $id, "test_$loss{$type}") ],
				[ $run->{test_loss} ]);
			cmp_ok($error{$_}, '<=', 1e-9, "$name: $_") foreach sort keys %error;
			@out = split /\n/, $node->safe_psql('postgres', $type eq 'poisson' ?
				  "SELECT ln(osml_predict('$name', s)) FROM synthetic s LIMIT 5" :
				  $type eq 'logistic' ?
				  "SELECT ln(p / (1 - p)) FROM (SELECT osml_predict('$name', s) AS p FROM synthetic s LIMIT 5) p" :
				  # logits less their mean
				  "SELECT unnest(ARRAY[ln(p[1]), ln(p[2]), ln(p[3])]) - (ln(p[1]) + ln(p[2]) + ln(p[3])) / 3
				   FROM (SELECT osml_predict_proba('$name', s) AS p FROM synthetic s LIMIT 5) p");
			cmp_ok(relative_error(\@out, centred($type, $run->{test_predictions_first5})), '<=', 1e-9,
				"$name: predictions");
		}
	}
}

# --- networks ---------------------------------------------------------------------

# Weights come back as safetensors; compare tensor by tensor.
foreach my $name (grep { /mlp/ } sort keys %{ $fixtures->{runs} })
{
	my $run = $fixtures->{runs}{$name};
	my (%error, $id, $tensors);

	$id = train($node, 'of_synthetic', hparams_of($run), $name);
	$error{loss} = error_of_steps([ metric_rows($node, $id, 'train_mse') ], $run->{train_loss});
	$error{grad_norm} = error_of_steps([ metric_rows($node, $id, 'grad_norm') ], $run->{grad_norm});
	$error{'test loss'} = error_of_steps([ metric_rows($node, $id, 'test_mse') ], [ $run->{test_loss} ]);
	$error{predictions} = relative_error(
		[ split /\n/, $node->safe_psql('postgres', "SELECT osml_predict('$name', s) FROM synthetic s LIMIT 5") ],
		$run->{test_predictions_first5});
	$tensors = tensors_of_model($name);
	is(join(' ', sort keys %$tensors), join(' ', sort keys %{ $run->{final} }), "$name: tensors are named as nn.Sequential's");
	foreach (keys %{ $run->{final} })
	{
		my $of = relative_error($tensors->{$_}, $run->{final}{$_}{values});

		$error{tensors} = $of if !defined $error{tensors} || $of > $error{tensors};
	}
	cmp_ok($error{$_}, '<=', 1e-9, "$name: $_") foreach sort keys %error;
	diag(sprintf '%-26s %s', $name, join ', ', map { sprintf '%s %.1e', $_, $error{$_} } sort keys %error);
}

# The deployed version's tensors by name, out of its safetensors bytes.
sub tensors_of_model
{
	my ($model) = @_;
	my $bytes = pack 'H*', $node->safe_psql('postgres', "SELECT encode(v.weights, 'hex')
		FROM osml.model_version v JOIN osml.model m USING (model_id)
		WHERE m.name = '$model' AND v.version = m.deployed");
	my $length = unpack 'Q<', $bytes;
	my $header = decode_json(substr $bytes, 8, $length);
	my %tensors;

	delete $header->{__metadata__};
	foreach (keys %$header)
	{
		my ($from, $to) = @{ $header->{$_}{data_offsets} };

		$tensors{$_} = [ unpack 'd<*', substr $bytes, 8 + $length + $from, $to - $from ];
	}
	return \%tensors;
}

# Probabilities tell logits but for what is added to all of a row.
sub centred
{
	my ($type, $logits) = @_;
	my @rows = @$logits;
	my @out;

	return $logits unless $type eq 'softmax';
	while (my @row = splice @rows, 0, 3)
	{
		my $mean = ($row[0] + $row[1] + $row[2]) / 3;

		push @out, map { $_ - $mean } @row;
	}
	return \@out;
}

# --- the worked example -----------------------------------------------------------

is($node->safe_psql('postgres', <<'SQL'), '9.40231', 'worked example: test_mse');
SELECT round(m.value::numeric, 5) FROM osml.metrics m JOIN osml.runs r USING (run_id)
	WHERE r.model = 'taxi_linear_adamw' AND m.name = 'test_mse'
SQL

# Its SGD run explodes, as the user is told; clipping saves it.
{
	my $explodes = $fixtures->{runs}{taxi_linear_sgd_explodes};
	my %given = (%{ $explodes->{hparams} });
	my ($error, $stored, $status);

	delete $given{divergence_factor};
	$error = train_fails($node, 'of_train',
		hparams_of({ %$explodes, hparams => \%given }), 'explodes');
	like($error, qr/ERROR:  22003: osml run \d+ diverged: training diverged at step 2: loss/,
		'unclipped SGD raises an error with run, status and step');
	like($error, qr/DETAIL: .* rows 1 to 99 of .*train.*year_integer/s,
		'the error names rows, table and columns');
	like($error, qr/HINT: .*gradient_clip_val.*scale/, 'the error has a hint');

	($status, $stored) = split /\|/, $node->safe_psql('postgres', <<'SQL'), 2;
SELECT status, error FROM osml.runs WHERE model = 'explodes'
SQL
	is($status, 'diverged', 'the run is diverged');
	like($stored, qr/step 2: loss.*rows 1 to 99 of .*train.*year_integer.*gradient_clip_val/s,
		'and its row says the same');
	is($node->safe_psql('postgres', "SELECT count(*) FROM osml.models WHERE model = 'explodes'"),
		0, 'a diverged run makes no version');

	$given{gradient_clip_val} = 0.5;
	train($node, 'of_train', hparams_of({ %$explodes, hparams => \%given }, max_batches => 50),
		'clipped');
	is($node->safe_psql('postgres', "SELECT status FROM osml.runs WHERE model = 'clipped'"),
		'finished', 'clipped SGD finishes');
}

# Without divergence_factor only what is not finite counts.
{
	my $explodes = $fixtures->{runs}{taxi_linear_sgd_explodes};
	my $error = train_fails($node, 'of_train',
		hparams_of($explodes, max_batches => 100), 'overflows');

	like($error, qr/22003: .*diverged at step 29: loss (Infinity|inf)/i,
		'divergence_factor 0: the first infinite loss, at step 29');
}

# --- the same batches by another way ----------------------------------------------

my $adamw = '"scale":"none", "shuffle":"none", "seed":3, "lr":0.02';

# Train synthetic, return the stored bits; $more and $before vary.
my $models = 0;
sub bits
{
	my ($more, $before, $table) = @_;
	my $id = train($node, $table || 'synthetic', "{$adamw, $more}",
		'bits_' . ++$models, $before);

	return (weight_bytes($node, "bits_$models"), $id);
}

# A short last batch; on_null mean needs the means first, so cannot stream.
foreach my $limits ('"batch_size":1000, "max_epochs":1', '"batch_size":300, "max_epochs":1, "drop_last":true',
	'"batch_size":100, "accumulate_grad_batches":3, "max_epochs":1')
{
	my ($streamed, $streamed_id) = bits($limits);
	my ($loaded, $loaded_id) = bits("$limits, \"on_null\":\"mean\"");

	is(summary($node, $streamed_id, 'streamed') . summary($node, $loaded_id, 'streamed'),
		'truefalse', "one run streams, the other does not: $limits");
	is($streamed, $loaded, 'and both end in the same bits');
}

# Where the rows are kept does not matter.
{
	my $run = '"batch_size":500, "max_epochs":3';
	my ($memory, $memory_id) = bits($run);
	my ($spilled, $spilled_id) =
	  bits($run, "SET osml.max_memory = '1MB'; SET osml.max_spill = '1GB'");
	my ($reread, $reread_id) =
	  bits($run, "SET osml.max_memory = '1MB'; SET osml.max_spill = 0");

	is(summary($node, $memory_id, 'spilled_kb'), 0, 'rows fit the memory');
	cmp_ok(summary($node, $spilled_id, 'spilled_kb'), '>', 0, 'rows are spilled');
	is(summary($node, $reread_id, 'reread'), 'true', 'rows are read again');
	is($spilled, $memory, 'spilled rows give the same bits');
	is($reread, $memory, 'rows read again give the same bits');
}

# Nor who reads them.  Shards have 512 pages, so this table has several.
$node->safe_psql('postgres', <<'SQL');
CREATE TABLE many AS
	SELECT (a + 2 * b - c) / 1e9 + d AS y, a / 1e9 AS a, b / 1e9 AS b, c / 1e9 AS c,
		d, repeat('x', 150) AS filler
	FROM (SELECT hashint4(i)::float8 AS a, hashint4(i + 1000000)::float8 AS b,
			hashint4(i + 2000000)::float8 AS c, i % 7 AS d
		FROM generate_series(1, 60000) i) s;
VACUUM ANALYZE many;
SQL
cmp_ok($node->safe_psql('postgres',
		"SELECT pg_relation_size('many') / 8192 / 512"), '>=', 3, 'several shards');
foreach my $way ('"shuffle":"none", "scale":"none", "max_epochs":1',
	'"shuffle":"epoch", "max_epochs":2', '"shuffle":"once", "max_batches":300, "val_fraction":0.2')
{
	my %seen;

	foreach my $workers (0, 1, 3)
	{
		train($node, 'many', qq({"features":["a","b","c","d"], "num_workers":$workers, $way}),
			"by_$workers");
		$seen{ weight_bytes($node, "by_$workers") }++;
	}
	is(scalar keys %seen, 1, "0, 1 and 3 readers, $way: the same bits");
	is($node->safe_psql('postgres', <<'SQL'), 1, 'and the same fingerprint');
SELECT count(DISTINCT fingerprint) FROM osml.models WHERE model LIKE 'by\__' AND deployed
SQL
}

# The caller need not wait.
{
	my ($waited) = bits('"batch_size":500, "max_epochs":3');
	my $status = $node->safe_psql('postgres', <<"SQL");
SELECT osml_wait(osml_train('synthetic', '{$adamw, "batch_size":500, "max_epochs":3}', 'unwaited', false))
SQL

	is($status, 'finished', 'a run that nobody waits for finishes');
	is(weight_bytes($node, 'unwaited'), $waited, 'with the same bits');
}

# Weights of two runs, close to rounding.
sub close_to
{
	my ($one, $other, $what) = @_;
	my @got = map { @$_ } tensors_in($one);
	my @want = map { @$_ } tensors_in($other);
	my $error = relative_error(\@got, \@want);

	cmp_ok($error, '<=', 1e-12, $what);
	diag(sprintf '%s: %.1e', $what, $error);
}

# k batches of b rows accumulated are a batch of k b rows, across wraps too.
{
	my $sgd = '"optimizer":"SGD", "lr":0.05, "scale_label":"none", "shuffle":"none"';

	train($node, 'synthetic', qq({$sgd, "batch_size":300, "max_batches":40}), 'whole');
	train($node, 'synthetic',
		qq({$sgd, "batch_size":100, "accumulate_grad_batches":3, "max_batches":120}), 'parts');
	close_to('parts', 'whole', 'accumulated batches are the unsplit batch');
	is($node->safe_psql('postgres', <<'SQL'), '40 40', 'and take as many steps');
SELECT string_agg(steps::text, ' ') FROM osml.runs WHERE model IN ('whole', 'parts')
SQL

	# An epoch's last step holds what is left: 4,096 = 13 * 300 + 196.
	train($node, 'synthetic', qq({$sgd, "batch_size":300, "max_epochs":2}), 'whole_epochs');
	train($node, 'synthetic',
		qq({$sgd, "batch_size":100, "accumulate_grad_batches":3, "max_epochs":2}), 'part_epochs');
	close_to('part_epochs', 'whole_epochs', 'the same by epochs');

	# drop_last leaves out the rows of the short batch, and only those.
	$node->safe_psql('postgres', 'CREATE TABLE whole_batches AS TABLE synthetic ORDER BY ctid LIMIT 4000');
	train($node, 'synthetic',
		qq({$sgd, "scale":"none", "gradient_clip_val":1, "batch_size":100, "accumulate_grad_batches":3,
			"max_epochs":2, "drop_last":true}), 'dropped');
	train($node, 'whole_batches',
		qq({$sgd, "scale":"none", "gradient_clip_val":1, "batch_size":100, "accumulate_grad_batches":3,
			"max_epochs":2}), 'never_there');
	close_to('dropped', 'never_there', 'drop_last among accumulated batches');
	is($node->safe_psql('postgres', "SELECT rows_seen FROM osml.runs WHERE model = 'dropped'"),
		8000, 'and the dropped rows are not counted');
}

# Lanes deal out blocks of 1,024 rows: with two, a batch is half from blocks 0,
# 2, ..., half from blocks 1, 3, ...
{
	my $run = '"optimizer":"SGD", "lr":0.05, "scale_label":"none", "shuffle":"none",
		"batch_size":256, "max_batches":40';

	$node->safe_psql('postgres', <<'SQL');
CREATE TABLE dealt AS
	SELECT s.* FROM (SELECT *, row_number() OVER (ORDER BY ctid) - 1 AS n FROM synthetic) s
	ORDER BY (n / 2048 * 1024 + n % 1024) / 128, n / 1024 % 2, n;
ALTER TABLE dealt DROP COLUMN n;
SQL
	train($node, 'synthetic', qq({$run, "lanes":2}), 'two_lanes');
	train($node, 'dealt', qq({$run}), 'one_lane');
	train($node, 'synthetic', qq({$run}), 'no_lanes');
	close_to('two_lanes', 'one_lane', 'two lanes are half a batch from each');
	cmp_ok(relative_error([ map { @$_ } tensors_in('two_lanes') ],
			[ map { @$_ } tensors_in('no_lanes') ]), '>', 1e-9,
		'which is another composition of batches');
}

# --- initial_weights ----------------------------------------------------------------

{
	my $run = '"scale_label":"none", "shuffle":"none", "batch_size":500, "max_batches":20';
	my ($given, $list);

	train($node, 'synthetic', qq({$run, "seed":5, "lr":0}), 'start');
	$given = weights($node, 'start');
	$list = join ', ', @$given{ @features, '(intercept)' };
	train($node, 'synthetic', qq({$run, "seed":5}), 'own_start');
	train($node, 'synthetic', qq({$run, "seed":6, "initial_weights":[$list]}), 'given_start');
	train($node, 'synthetic', qq({$run, "seed":6}), 'other_start');
	is(weight_bytes($node, 'given_start'), weight_bytes($node, 'own_start'),
		'initial_weights are where training starts, to the bit');
	isnt(weight_bytes($node, 'other_start'), weight_bytes($node, 'own_start'),
		'and another seed starts elsewhere');
}

$node->stop;
done_testing();
