# Features in company: expressions as their owner, learning passes that are cut
# short, and a dump that brings everything along.
use strict;
use warnings;

use IPC::Run;
use OsmlTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('features');
my ($session, $run, $out, $err);

# --- Expressions run as the owner of dataset or model ---------------------------

osml_sql($node, q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE bob LOGIN;
	GRANT CREATE ON DATABASE postgres TO alice, bob;
	GRANT CREATE ON SCHEMA public TO alice, bob;
});
($out, $err) = osml_sql($node, q{
	CREATE SCHEMA tools;
	-- tells by its value who runs it
	CREATE FUNCTION tools.mine(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
		AS $$ BEGIN RETURN x + CASE current_user WHEN 'alice' THEN 0 ELSE 1000 END; END $$;
	-- finds its helper by search_path, as careless functions do
	CREATE FUNCTION tools.helper(x float8) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT x';
	CREATE FUNCTION tools.careless(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
		AS $$ BEGIN RETURN helper(x); END $$;
	CREATE FUNCTION tools.greedy(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE
		AS $$ BEGIN PERFORM set_config('role', 'none', false); RETURN x; END $$;
	CREATE TABLE own AS SELECT 3.0::float8 * i + 2 AS y, i::float8 AS x FROM generate_series(1, 100) i;
	SELECT osml_create_dataset('mine', 'own');
	SELECT osml_transform('mine', 'm', 'sql', '{"expression": "tools.mine(x)"}');
	SELECT osml_train('mine', '{"optimizer": "exact", "features": ["m"]}');
	SELECT osml_grant('mine', 'bob', 'predict');
	SELECT osml_create_dataset('careless', 'own');
	SELECT osml_transform('careless', 'm', 'sql', '{"expression": "tools.careless(x)"}');
}, user => 'alice');
is($err, '', 'alice trains on her expressions');

is(osml_sql($node, q{SELECT round(osml_predict('mine', r)) FROM (SELECT 5.0::float8 AS x) r}, user => 'alice'),
	17, 'she predicts');
is(osml_sql($node, q{SELECT round(osml_predict('mine', r)) || ' ' || current_user FROM (SELECT 5.0::float8 AS x) r}, user => 'bob'),
	'17 bob', 'bob predicts the same: the expression runs as alice, and he is himself again');
is(osml_sql($node, q{SELECT string_agg(round(prediction)::text, ' ') FROM osml_predict_batch('mine', 'SELECT generate_series(1, 3)::float8 AS x')},
		user => 'bob'), '5 8 11', 'in batches too');
is(osml_sql($node, q{SELECT round(value) FROM osml_evaluate('mine', 'SELECT 2.0::float8 AS y, 1.0::float8 AS x') WHERE metric = 'mae'},
		user => 'bob'), 3, 'and where he evaluates');
# what a careless function finds must not depend on who calls, so its owner does not get by either
osml_fails($node, q{SET search_path = public, tools; SELECT osml_train('careless', '{"optimizer": "exact", "features": ["m"]}')},
	'42883', 'expression of feature "m" of dataset "careless": function helper\(double precision\) does not exist',
	'no search_path but the pinned one has a say, and the error names dataset and feature', user => 'alice');
osml_fails($node, q{SELECT osml_predict('mine', r) FROM (SELECT 1.0 / 0 AS x) r}, '22012', 'division by zero',
	'an error of the caller is the caller\'s', user => 'bob');
is(osml_sql($node, q{
	CREATE FUNCTION pg_temp.trap() RETURNS float8 LANGUAGE plpgsql AS $$ BEGIN RAISE 'trapped as %', current_user; END $$;
	CREATE TEMP VIEW own AS SELECT pg_temp.trap() AS y;
	GRANT SELECT ON own TO alice;
	SELECT round(osml_predict('mine', r)) || ' ' || current_user FROM (SELECT 5.0::float8 AS x) r}, user => 'bob'),
	'17 bob', "nor have bob's temporary objects");
is(osml_sql($node, q{
	DO $$ BEGIN PERFORM osml_predict('mine', r) FROM (SELECT 'x'::text AS x) r;
	EXCEPTION WHEN OTHERS THEN NULL; END $$;
	SELECT current_user || ' ' || current_setting('search_path')}, user => 'bob'),
	'bob "$user", public', 'an error on the way leaves bob who he was');
($out, $err) = osml_sql($node, q{
	SELECT osml_create_dataset('greedy', 'own');
	SELECT osml_transform('greedy', 'm', 'sql', '{"expression": "tools.greedy(x)"}');
	SELECT osml_train('greedy', '{"features": ["m"]}');
}, user => 'alice');
like($err, qr/cannot set parameter "role" within security-/, 'what runs for an expression is restricted');
osml_fails($node, q{SELECT osml_transform('mine', 'z', 'log1p', '{"input": "x"}')}, '42501',
	'dataset "mine" belongs to role "alice"', "bob cannot define features of alice's dataset", user => 'bob');
osml_fails($node, q{UPDATE osml.definitions SET params = '{"expression": "1.0"}' WHERE dataset = 'mine'; SELECT 1/0}, '22012',
	'division by zero', "and sees none to change", user => 'bob');
is(osml_sql($node, q{SELECT params ->> 'expression' FROM osml.definitions WHERE dataset = 'mine'}, user => 'alice'),
	'tools.mine(x)', 'it is as it was');
is(osml_sql($node, q{SELECT count(*) FROM osml.definitions}, user => 'bob'), 0, 'bob sees none');

# --- Learning passes cut short --------------------------------------------------

osml_sql($node, q{CREATE VIEW slow_text AS
	SELECT i AS y, 'w' || i % 10 AS word FROM generate_series(1, 100000) i, LATERAL (SELECT pg_sleep(0.001 + 0 * i)) s});
osml_fails($node, q{SET statement_timeout = '1s'; SELECT osml_train('slow_text')}, '57014', 'statement timeout',
	'a timeout ends a pass that learns');
osml_no_leftovers($node, 'after the timeout');
($session, $run) = osml_train_session($node, q{SELECT osml_train('slow_text', wait => false)});
$session->finish;
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'osml_cancel ends it');
osml_no_leftovers($node, 'after the cancel');
($session, $run) = osml_train_session($node, q{SELECT osml_train('slow_text', '{"num_workers": 2}')});
kill 'TERM', osml_pid($node, $run, 'reader 1');
($out, $err) = $session->finish;
like($err, qr/osml run $run interrupted/, 'a reader that is terminated while texts are learned interrupts the run');
osml_wait_status($node, $run, 'interrupted', 'and its row says so');
osml_no_leftovers($node, 'after the reader');

# --- The same weights whoever reads ------------------------------------------------

osml_sql($node, q{CREATE TABLE many_words WITH (fillfactor = 10) AS
	SELECT i % 97 + i % 7 AS y, 'word ' || (i * 7919) % 3001 AS word, (i % 1000)::float8 AS x, i % 12 AS month
	FROM generate_series(1, 60000) i;
	SELECT osml_create_dataset('words', 'many_words');
	SELECT osml_bin('words', 'x', 20, method => 'quantile');
	SELECT osml_transform('words', 'month', 'category');
	SELECT osml_cross('words', 'both', ARRAY['x_bin', 'month'])});
my %weights;
foreach my $readers (0, 1, 3)
{
	osml_sql($node, qq{SELECT osml_train('words', '{"num_workers": $readers, "val_fraction": 0.2, "max_epochs": 2}', 'words$readers')});
	$weights{osml_sql($node, qq{SELECT md5(weights) || md5(program::text) || fingerprint FROM osml.model_version v
		JOIN osml.model m USING (model_id) WHERE m.name = 'words$readers'})} = 1;
}
is(scalar keys %weights, 1, 'weights, definitions and fingerprint are the same to the bit with 0, 1 and 3 readers');

# --- Dump and restore ------------------------------------------------------------------

osml_sql($node, q{SELECT osml_analyze('words'), osml_declare_feature('words', 'month', true, 'printed on the ticket')});
my $seen = q{SELECT md5(string_agg(p::text, ',' ORDER BY w.word, x, month)) FROM
	(SELECT w.*, osml_predict('words3', w) AS p FROM many_words w) w};
my $before = osml_sql($node, "SET extra_float_digits = 1; $seen");
my $definitions = q{SELECT md5(string_agg(d::text, ',' ORDER BY position, step)) FROM osml.definitions d WHERE dataset = 'words'};
my $bins = q{SELECT count(*) FROM osml.bins WHERE dataset = 'words' OR model LIKE 'words%'};
my @catalog = (osml_sql($node, $definitions), osml_sql($node, $bins));
my $dump = '';
osml_sql($node, 'CREATE DATABASE copy');
IPC::Run::run([ 'pg_dump', '-d', $node->connstr('postgres') ], '>', \$dump) or die 'pg_dump';
($out, $err) = osml_sql($node, $dump, dbname => 'copy');
is($err, '', 'a dump is restored without a word');
is(osml_sql($node, "SET extra_float_digits = 1; $seen", dbname => 'copy'), $before, 'predictions are the same to the last bit');
is_deeply([ osml_sql($node, $definitions, dbname => 'copy'), osml_sql($node, $bins, dbname => 'copy') ], \@catalog,
	'definitions and bins are there');
($out, $err) = osml_sql($node, q{SELECT osml_bin('words', 'y', 3, name => 'never')}, dbname => 'copy');
like($err, qr/reads the label "y"/, 'definitions can be changed there');

done_testing();
