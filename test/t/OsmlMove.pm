# OsmlMove.pm: a database with something of everything in it, and the questions whose
# answers must be the same wherever it has moved to.
package OsmlMove;

use strict;
use warnings;

use Exporter 'import';
use IPC::Run ();
use OsmlTest;
use Test::More;

our @EXPORT = qw(osml_as osml_furnish osml_answers osml_same_answers osml_goes_on osml_program);

# Output and errors as one text.
sub osml_as
{
	my ($node, $user, $dbname, $sql) = @_;
	my ($out, $err) = osml_sql($node, "SET client_min_messages = warning; SET osml.progress_interval = 0; $sql", user => $user, dbname => $dbname);

	return $err ? "$out$err" : $out;
}

# One ok: what there is to lose, made by a plain owner, who installs the extension himself.
sub osml_furnish
{
	my ($node, $user, $dbname) = @_;

	is(osml_as($node, $user, $dbname, q{
		CREATE EXTENSION osml;
		CREATE SCHEMA lib;
		CREATE FUNCTION lib.half(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT x / 2';
		CREATE TYPE lib.mood AS ENUM ('sad', 'ok', 'glad');
		CREATE TABLE rows AS SELECT i AS id, (i % 7) + sqrt(i) AS y, (ARRAY['sad', 'ok', 'glad'])[1 + i % 3]::lib.mood AS mood, i * 0.37::float8 AS x,
			date '2024-01-01' + i % 300 AS day, 't' || i % 5 AS word, 'c' || i % 3 AS class FROM generate_series(1, 5000) i;
		SELECT count(osml_create_dataset('set', 'rows', label => 'y', features => '{mood,x,day,word}'));
		SELECT count(osml_transform('set', 'made', 'sql', '{"expression": "lib.half(x) + extract(dow FROM day)"}'));
		SELECT count(osml_bin('set', 'x', 8, method => 'quantile')), count(osml_cross('set', 'cells', '{x_bin,word}'));
		SELECT count(*) > 0 FROM osml_split('set', '{"train": 0.8, "val": 0.1, "test": 0.1}', seed => 3);
		SELECT count(*) > 0 FROM osml_analyze('set');
		SELECT count(osml_train('set', '{"max_epochs": 3}')), count(osml_train('set', '{"model_type": "mlp", "num_hidden_neurons": [4], "batch_norm_linear_layers": true, "max_epochs": 2}', 'net'));
		SELECT count(osml_train('SELECT class, x, word FROM rows', '{"max_epochs": 2}', 'classes'));
		SELECT count(osml_grant('net', 'public', 'predict'));
		SELECT count(osml_train('set', '{"max_epochs": 1}'));
		SELECT count(osml_deploy('set', 1));
		CREATE VIEW asked AS SELECT id, osml_predict('set', r) AS predicted FROM rows r;
		CREATE MATERIALIZED VIEW kept AS SELECT * FROM asked;
	}), "1\n1\n1|1\nt\nt\n1|1\n1\n1\n1\n1", 'a database with everything in it');
}

# Each as one text.
my %questions = (
	predictions => q{SELECT md5(string_agg(osml_predict('set', r)::text || osml_predict('net', r)::text, ',' ORDER BY id)) FROM rows r},
	views => q{SELECT md5(string_agg(concat_ws('|', id, a.predicted, k.predicted), ',' ORDER BY id)) || every(a.predicted = k.predicted) FROM asked a JOIN kept k USING (id)},
	probabilities => q{SELECT md5(string_agg(osml_predict_proba('classes', r)::text, ',' ORDER BY id)) FROM rows r},
	intervals => q{SELECT md5(string_agg(i::text, ',' ORDER BY id)) FROM rows r, osml_predict_interval('set', r) i},
	evaluation => q{SELECT md5(string_agg(e::text, ',' ORDER BY metric)) FROM osml_evaluate('net', 'rows') e},
	models => q{SELECT md5(string_agg(concat_ws('|', model, version, deployed, steps, train_loss, val_loss, calibration_rows), ',' ORDER BY model, version)) FROM osml.models},
	weights => q{SELECT md5(string_agg(md5(v.weights), ',' ORDER BY version_id)) FROM osml.model_version v},
	definitions => q{SELECT md5(string_agg(concat_ws('|', dataset, feature, step, transform, inputs::text, params::text, fitted), ',' ORDER BY dataset, position, step)) FROM osml.definitions},
	bins => q{SELECT md5(string_agg(concat_ws('|', dataset, model, feature, bin, low, high, count, mean_label), ',' ORDER BY dataset, model, version, feature, bin, category)) FROM osml.bins},
	statistics => q{SELECT md5(string_agg((to_jsonb(s) - 'owner')::text, ',' ORDER BY dataset, column_name)) FROM osml.statistics s},
	runs => q{SELECT md5(string_agg(concat_ws('|', run_id, dataset, model, version, status, steps, hparams::text, summary::text), ',' ORDER BY run_id)) FROM osml.runs},
	metrics => q{SELECT count(*) || md5(string_agg(m::text, ',' ORDER BY run_id, step, phase, name)) FROM osml.metrics m},
	events => q{SELECT count(*) || md5(string_agg(e::text, ',' ORDER BY run_id, at, kind)) FROM osml.events e},
	parts => q{SELECT string_agg(part || rows, ',' ORDER BY part) FROM (SELECT DISTINCT part, rows FROM osml_split('set', '{"train": 0.8, "val": 0.1, "test": 0.1}', seed => 3)) s},
);

# By the name of the question.  The split is asked last: it is made again.
sub osml_answers
{
	my ($node, $user, $dbname) = @_;

	return map { $_ => osml_as($node, $user, $dbname, $questions{$_}) } (sort(grep { $_ ne 'parts' } keys %questions), 'parts');
}

sub osml_same_answers
{
	my ($node, $user, $dbname, $before, $where) = @_;
	my %now = osml_answers($node, $user, $dbname);

	foreach my $name (sort keys %$before)
	{
		unlike($now{$name}, qr/ERROR/, "$where: $name: there is an answer");
		is($now{$name}, $before->{$name}, "$where: $name are the same");
	}
}

# The next of everything: run, version, data set.
sub osml_goes_on
{
	my ($node, $user, $dbname, $where) = @_;

	is(osml_as($node, $user, $dbname, q{SELECT osml_train('set', '{"max_epochs": 1}') - max(run_id) FROM osml.runs}), '1', "$where: training goes on");
	is(osml_as($node, $user, $dbname, q{SELECT max(version), count(DISTINCT version) = count(*) FROM osml.models WHERE model = 'set'}), '3|t', "$where: with the next version");
	is(osml_as($node, $user, $dbname, q{SELECT osml_create_dataset('another', 'rows') > 1}), 't', "$where: and the next data set");
}

# Two ok: a program does what it should, in silence.
sub osml_program
{
	my ($name, @command) = @_;
	my ($out, $err) = ('', '');
	my $done = IPC::Run::run(\@command, '>', \$out, '2>', \$err);

	ok($done, $name) or diag($out, $err);
	is($err, '', "$name: nothing to complain of");
	return $out;
}

1;
