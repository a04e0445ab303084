# A database that moves: pg_dump and pg_restore as plain owners, into another
# database and another owner's server; what DROP EXTENSION leaves; a trusted install.
use strict;
use warnings;

use IPC::Run ();
use OsmlTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('dump');
my $dir = $node->basedir;
my %before;

# Plain owners, who install the extension themselves.
osml_sql($node, q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE bert LOGIN;
	CREATE DATABASE a OWNER alice;
	CREATE DATABASE b OWNER bert;
	CREATE DATABASE c OWNER alice;
});
is(osml_sql($node, "SELECT rolsuper OR rolcreatedb OR rolcreaterole FROM pg_roles WHERE rolname = 'alice'"), 'f', 'alice is nobody special');

sub as
{
	my ($user, $dbname, $sql) = @_;
	my ($out, $err) = osml_sql($node, "SET client_min_messages = warning; SET osml.progress_interval = 0; $sql", user => $user, dbname => $dbname);

	return $err ? "$out$err" : $out;
}

# --- what there is to lose ----------------------------------------------------------

is(as('alice', 'a', q{
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
}), "1\n1\n1|1\nt\nt\n1|1\n1\n1\n1\n1", 'a database with everything in it');

# Each as one text: what must be the same afterwards.
my %questions = (
	predictions => q{SELECT md5(string_agg(osml_predict('set', r)::text || osml_predict('net', r)::text, ',' ORDER BY id)) FROM rows r},
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
	parts => q{SELECT string_agg(part || rows, ',' ORDER BY part) FROM (SELECT DISTINCT part, rows FROM osml_split('set', '{"train": 0.8, "val": 0.1, "test": 0.1}', seed => 3)) s},
);

# The base table is the owner's to read; its weights are what predictions are made of.
foreach my $name (sort keys %questions)
{
	$before{$name} = as('alice', 'a', $questions{$name});
	unlike($before{$name}, qr/ERROR/, "$name: there is an answer");
}

sub moved
{
	my ($user, $dbname, $where) = @_;

	is(as($user, $dbname, $questions{$_}), $before{$_}, "$where: $_") foreach sort grep { $_ ne 'parts' } keys %questions;
	is(as($user, $dbname, $questions{parts}), $before{parts}, "$where: the split gives the same parts");
	is(as($user, $dbname, q{SELECT osml_train('set', '{"max_epochs": 1}') - max(run_id) FROM osml.runs}), '1', "$where: training goes on");
	is(as($user, $dbname, q{SELECT max(version), count(DISTINCT version) = count(*) FROM osml.models WHERE model = 'set'}), '3|t', "$where: with the next version");
	is(as($user, $dbname, q{SELECT osml_create_dataset('another', 'rows') > 1}), 't', "$where: and the next data set");
}

sub run_program
{
	my ($name, @command) = @_;
	my ($out, $err) = ('', '');
	my $done = IPC::Run::run(\@command, '>', \$out, '2>', \$err);

	ok($done, $name) or diag($err);
	is($err, '', "$name: nothing to complain of");
	return $out;
}

# --- another database, another owner --------------------------------------------------

my @to = ('-h', $node->host, '-p', $node->port);
run_program('pg_dump as the owner', 'pg_dump', @to, '-U', 'alice', '-Fc', '-f', "$dir/a.dump", 'a');
run_program('pg_restore as another owner', 'pg_restore', @to, '-U', 'bert', '--no-owner', '--no-privileges', '-d', 'b', "$dir/a.dump");
moved('bert', 'b', 'another owner');
run_program('pg_restore as the same owner', 'pg_restore', @to, '-U', 'alice', '-d', 'c', "$dir/a.dump");
moved('alice', 'c', 'another database');

# --- another server, where nobody is superuser but one ----------------------------------

my $other = PostgreSQL::Test::Cluster->new('dump_other');
$other->init;
$other->append_conf('postgresql.conf', 'max_worker_processes = 16');
$other->start;
osml_sql($other, q{CREATE ROLE alice LOGIN; CREATE DATABASE a OWNER alice});
@to = ('-h', $other->host, '-p', $other->port);
run_program('pg_restore on another server', 'pg_restore', @to, '-U', 'alice', '-d', 'a', "$dir/a.dump");
{
	my $first = $node;

	$node = $other;
	moved('alice', 'a', 'another server');
	$node = $first;
}
$other->stop;

# --- gone, and back -----------------------------------------------------------------------

my $objects = q{SELECT string_agg(c || ' ' || n, ', ' ORDER BY c) FROM (SELECT 'namespace' AS c, count(*) AS n FROM pg_namespace UNION ALL SELECT 'class', count(*) FROM pg_class
	UNION ALL SELECT 'proc', count(*) FROM pg_proc UNION ALL SELECT 'type', count(*) FROM pg_type UNION ALL SELECT 'trigger', count(*) FROM pg_trigger
	UNION ALL SELECT 'default_acl', count(*) FROM pg_default_acl UNION ALL SELECT 'init_privs', count(*) FROM pg_init_privs UNION ALL SELECT 'depend', count(*) FROM pg_depend WHERE deptype = 'e') s};
osml_sql($node, 'CREATE DATABASE d OWNER alice');
my $empty = as('alice', 'd', $objects);
as('alice', 'd', q{CREATE EXTENSION osml; CREATE TABLE t AS SELECT i AS y, i AS x FROM generate_series(1, 9) i; SELECT osml_train('t'); DROP TABLE t; DROP EXTENSION osml});
is(as('alice', 'd', $objects), $empty, 'DROP EXTENSION leaves nothing behind');
is(as('alice', 'd', q{CREATE EXTENSION osml; CREATE TABLE t AS SELECT i AS y, i AS x FROM generate_series(1, 9) i; SELECT osml_train('t'), (SELECT count(*) FROM osml.models)}), '1|0', 'and it can be created again');
osml_no_leftovers($node, 'after all that');

done_testing();
