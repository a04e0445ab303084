# Roles that mean harm: mallory is any role, and a superuser goes on with his work.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('hostile', shared_preload_libraries => 'osml');
my ($run, $other, $out, $err);

osml_sql($node, q{
	CREATE ROLE mallory LOGIN;
	CREATE SCHEMA m AUTHORIZATION mallory;
	GRANT USAGE ON SCHEMA m TO PUBLIC;
	SET ROLE mallory;
	-- who ran what: all that mallory's code comes to run as ends up here
	CREATE TABLE m.loot (how text, who text DEFAULT current_user);
	GRANT INSERT ON m.loot TO PUBLIC});

# what mallory's code has run as, since the last look
sub loot
{
	return scalar osml_sql($node, q{
		WITH gone AS (DELETE FROM m.loot RETURNING *)
		SELECT string_agg(DISTINCT how || ' as ' || who, ', ' ORDER BY how || ' as ' || who) FROM gone});
}

# --- types of hers -------------------------------------------------------------------------

# A table without a function in it: its columns' types have them, as checks and as casts.
osml_sql($node, q{
	CREATE FUNCTION m.take(how text) RETURNS void LANGUAGE plpgsql AS
		$$BEGIN
			IF current_user <> 'mallory' THEN INSERT INTO m.loot VALUES (how); END IF;
		EXCEPTION WHEN OTHERS THEN
			-- what may not write may still have been called
			RAISE WARNING '% as %', how, current_user;
		END$$;
	CREATE FUNCTION m.checked(float8) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS
		$$BEGIN PERFORM m.take('check'); RETURN true; END$$;
	CREATE DOMAIN m.number AS float8 CHECK (m.checked(VALUE));
	CREATE DOMAIN m.word AS text CHECK (m.checked(length(VALUE)));
	CREATE TYPE m.span AS RANGE (SUBTYPE = m.number, SUBTYPE_OPCLASS = float8_ops);
	CREATE TYPE m.mood AS ENUM ('sad', 'ok', 'test');
	CREATE TYPE m.pair AS (a int, b m.number)}
	. join('', map { my ($from, $to, $value) = @$_; qq{;
	CREATE FUNCTION m.${from}_$to(m.$from) RETURNS $to LANGUAGE plpgsql IMMUTABLE AS
		\$\$BEGIN PERFORM m.take('cast to $to'); RETURN $value; END\$\$;
	CREATE CAST (m.$from AS $to) WITH FUNCTION m.${from}_$to(m.$from) AS IMPLICIT}}
	[ 'mood', 'text', q{'a'} ], [ 'mood', 'float8', 1 ], [ 'mood', 'date', q{'2024-01-01'} ], [ 'mood', 'bool', 'true' ],
	[ 'mood', 'jsonb', q{'1'} ], [ 'pair', 'text', q{'a'} ], [ 'pair', 'float8', 1 ])
	. q{;
	CREATE TABLE m.typed AS SELECT i::float8 AS y, i::float8 AS x, (i % 9)::m.number AS number, ('w' || i % 3)::m.word AS word,
		CASE WHEN i % 3 = 0 THEN 'test' ELSE 'sad' END::m.mood AS mood, CASE WHEN i % 3 = 0 THEN 'test' ELSE 'train' END::m.word AS part,
		ROW(i, i)::m.pair AS pair, ARRAY[i]::m.number[] AS numbers, m.span(i, i + 1) AS span, 'c' || i % 5 AS code, i AS id
		FROM generate_series(1, 600) i;
	CREATE TABLE m.key (mood m.mood PRIMARY KEY, x float8);
	INSERT INTO m.key VALUES ('sad', 1), ('test', 2)}, user => 'mallory');
osml_sql($node, q{SELECT osml_create_dataset('typed', 'm.typed', label => 'y', features => '{x,number,word,mood,code}'), osml_create_dataset('plain', 'm.typed', label => 'y', features => '{x}');
	SELECT osml_train('plain', '{"max_batches": 3}', 'plain')});
foreach my $case (
	[ q{SELECT osml_train('typed', '{"since": "number", "max_batches": 3}', 's1') IS NOT NULL}, 't' ],
	[ q{INSERT INTO m.typed SELECT (t).* FROM (SELECT t FROM m.typed t LIMIT 1) s}, '' ],
	[ q{SELECT osml_train('plain', '{"since": "mood", "max_batches": 3}', 's2') IS NOT NULL, count(*) FROM osml_check('plain', '{"since": "mood"}', 's2') WHERE verdict = 'error'}, 't|0' ],
	[ q{SELECT osml_train('plain', '{"since": "mood", "max_batches": 3}', 's2') IS NULL}, 't' ],
	[ q{SELECT osml_train('plain', '{"since": "word", "max_batches": 3}', 's3') IS NOT NULL}, 't' ],
	(map { [ qq{SELECT osml_train('plain', '{"since": "$_", "max_batches": 3}', 's4')}, qr/42804: .*no order/ ] } qw(numbers span pair)),
	[ q{SELECT count(*) > 0 FROM osml_split('typed')}, 't' ],
	[ q{SELECT count(*) > 0 FROM osml_split('typed', group_by => '{mood,word,number}')}, 't' ],
	[ q{SELECT string_agg(DISTINCT part, ',') FROM osml_split('plain', '{"train": 0.5, "test": 0.5}', 'time', 'mood')}, 'test,train' ],
	[ q{SELECT string_agg(DISTINCT part, ',') FROM osml_split('plain', '{"train": 0.5, "test": 0.5}', 'time', 'number', gap => '1')}, 'test,train' ],
	[ q{SELECT string_agg(DISTINCT part || rows, ',') FROM osml_split('plain', method => 'column', "by" => 'part')}, 'test200,train401' ],
	(map { [ qq{SELECT osml_split('plain', '{"train": 0.5, "test": 0.5}', 'time', '$_')}, qr/42804: .*no order/ ] } qw(numbers span pair)),
	[ q{SELECT osml_split('plain', method => 'column', "by" => 'mood')}, qr/holds values that name no part.*"sad" .401 rows/s ],
	[ q{SELECT osml_unsplit('typed'), osml_unsplit('plain')}, '|' ],
	[ q{SELECT string_agg(key, ',' ORDER BY key) FROM osml_predict_batch('plain', 'm.key')}, 'sad,test' ],
	(map { [ qq{SELECT count(DISTINCT key) > 1 FROM osml_predict_batch('plain', 'm.typed', '$_')}, 't' ] } qw(mood word number pair numbers span)),
	[ q{SELECT count(*) > 0 FROM osml_predict_batch('plain', 'm.typed')}, 't' ],
	(map { [ qq{SELECT count(*) > 0 FROM osml_$_}, 't' ] } q{analyze('typed')}, q{feature_report('m.typed')}, q{feature_pairs('typed')},
		q{check('plain')}, q{evaluate('plain', 'm.typed')}, q{permutation_importance('plain', 'm.typed')}),
	[ q{SELECT osml_train('SELECT y, x, number, word, mood FROM m.typed', '{"max_batches": 3, "label": "y"}', 'all') IS NOT NULL}, 't' ])
{
	my ($sql, $expected) = @$case;

	($out, $err) = osml_sql($node, $sql);
	ref $expected ? like($err, $expected, $sql) : is($out, $expected, $sql);
	unlike($err, qr/ as postgres/, 'runs nothing of hers');
	is(loot(), '', 'and leaves nothing');
}

# --- code that waits for a worker to be its session's user again ---------------------------

# A view whose rows leave behind what runs at commit: a deferred trigger, a held cursor.
osml_sql($node, q{
	CREATE TABLE m.queue (a int);
	CREATE FUNCTION m.fired() RETURNS trigger LANGUAGE plpgsql AS
		$$BEGIN
			INSERT INTO m.loot VALUES ('deferred');
			RESET ROLE;
			RETURN NULL;
		EXCEPTION WHEN OTHERS THEN
			INSERT INTO m.loot VALUES ('deferred'), (SQLERRM);
			RETURN NULL;
		END$$;
	CREATE CONSTRAINT TRIGGER fired AFTER INSERT ON m.queue DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION m.fired();
	CREATE FUNCTION m.held() RETURNS int LANGUAGE plpgsql AS
		$$BEGIN INSERT INTO m.loot VALUES ('held'); RETURN 1; END$$;
	CREATE FUNCTION m.leave(x float8) RETURNS float8 LANGUAGE plpgsql AS
		$$BEGIN
			IF x = 1 THEN
				INSERT INTO m.loot VALUES ('row');
				INSERT INTO m.queue VALUES (1);
				EXECUTE 'DECLARE later CURSOR WITH HOLD FOR SELECT m.held()';
			END IF;
			RETURN x;
		END$$;
	CREATE VIEW m.view AS SELECT y, m.leave(x) AS x FROM line}, user => 'mallory');
$run = osml_sql($node, qq{SET ROLE mallory; SELECT osml_train('line', '{$ENDLESS}', 'queue', wait => false)});
$other = osml_sql($node, q{SET ROLE mallory; SELECT osml_train('m.view', '{"if_running": "queue", "max_batches": 3}', 'queue', wait => false)});
osml_sql($node, "SELECT osml_cancel($run)");
is(osml_sql($node, "SELECT osml_wait($other)"), 'finished', 'a superuser who has become mallory queues a run over her view');
is(loot(), 'cannot set parameter "role" within security-definer function as mallory, deferred as mallory, held as mallory, row as mallory',
	'what it leaves behind is not run as the superuser');
osml_sql($node, q{SET ROLE mallory; SELECT osml_wait(osml_train('m.view', '{"max_batches": 3}', 'read', wait => false))});
like(osml_sql($node, q{SELECT error FROM osml.runs WHERE model = 'read'}), qr/read-only transaction/, 'readers write nothing at all');

# --- a table's name that leads into somebody else's model --------------------------------------

# mallory has a model of the name and lets everybody train into it, to see what is learned
sub take_name
{
	my ($name) = @_;

	return osml_sql($node, qq{SELECT osml_train('line', '{"max_batches": 3}', '$name');
		SELECT osml_grant('$name', 'public', 'manage')}, user => 'mallory');
}

osml_sql($node, q{
	CREATE ROLE victim LOGIN;
	CREATE ROLE friend LOGIN IN ROLE mallory;
	CREATE SCHEMA v AUTHORIZATION victim;
	GRANT USAGE ON SCHEMA v TO PUBLIC;
	SET ROLE victim;
	CREATE TABLE v.orders AS SELECT y, x FROM line;
	CREATE TABLE v.resumed AS SELECT y, x FROM line;
	CREATE TABLE v.queued AS SELECT y, x FROM line;
	GRANT SELECT ON ALL TABLES IN SCHEMA v TO PUBLIC;
	-- rows come once nobody has the lock
	CREATE FUNCTION v.await(x float8) RETURNS float8 LANGUAGE plpgsql AS
		'BEGIN PERFORM pg_advisory_lock_shared(1); PERFORM pg_advisory_unlock_shared(1); RETURN x; END';
	CREATE VIEW v.late AS SELECT y, v.await(x) AS x FROM line LIMIT 10});
take_name('orders');
my $own = 'model "orders" belongs to role "mallory".*which alone does not lead into.*model => \'orders\'';
foreach my $who ('victim', undef)
{
	my @as = $who ? (user => $who) : ();
	my $name = $who || 'a superuser';

	osml_fails($node, q{SELECT osml_train('v.orders')}, '42501', $own, "$name trains a table that has its name", @as);
	osml_fails($node, q{SELECT osml_train('v.orders', wait => false)}, '42501', $own, "$name, who does not wait", @as);
	osml_fails($node, q{SELECT osml_train('v.orders', '{"warm_start": true}')}, '42501', $own, "$name, with its version", @as);
	osml_fails($node, q{SELECT * FROM osml_check('v.orders')}, '42501', $own, "osml_check tells $name the same", @as);
	is(osml_sql($node, q{SELECT verdict FROM osml_check('v.orders', model => 'orders') WHERE "check" = 'hyperparameters'}, @as),
		'ok', "unless $name names the model");
	isnt(osml_sql($node, q{SELECT osml_train('v.orders', '{"max_batches": 3}', 'orders')}, @as), '', "and $name trains it so");
}
is(osml_sql($node, q{SELECT verdict FROM osml_check('v.orders') WHERE "check" = 'hyperparameters'}, user => 'friend'),
	'ok', 'to a member of its role osml_check says nothing');
isnt(osml_sql($node, q{SELECT osml_train('v.orders', '{"max_batches": 3}')}, user => 'friend'), '', 'who trains it by the name of the table');
osml_sql($node, q{SELECT osml_create_dataset('orders', 'v.orders')}, user => 'victim');
osml_fails($node, q{SELECT osml_train('orders')}, '42501', $own, 'nor does the name of a data set', user => 'victim');
is(osml_sql($node, q{SELECT string_agg(author, ' ' ORDER BY version) FROM osml.models WHERE model = 'orders'}),
	'mallory victim postgres friend', 'nobody else has trained it');

# she takes the name when the run has begun, when it is to go on, and while it waits for its turn
my $lock = osml_session($node, 'SELECT pg_advisory_lock(1); SELECT pg_sleep(1000)');
osml_poll($node, q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND granted});
$run = osml_sql($node, q{SELECT osml_train('v.late', '{"max_batches": 3}', wait => false)}, user => 'victim');
take_name('late');
osml_sql($node, q{SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock'});
$lock->{run}->finish;
is(osml_sql($node, "SELECT osml_wait($run)", user => 'victim'), 'failed', 'a name that is taken during the run');
like(osml_run($node, $run, 'error'), qr/model "late" belongs to role "mallory"/, 'is not trained into in the end');

$run = osml_sql($node, qq{SELECT osml_train('v.resumed', '{$ENDLESS}', wait => false)}, user => 'victim');
osml_sql($node, "SELECT osml_cancel($run)", user => 'victim');
take_name('resumed');
osml_fails($node, "SELECT osml_resume($run)", '42501', 'model "resumed" belongs to role "mallory"', 'nor by a run that goes on',
	user => 'victim');
$run = osml_sql($node, qq{SELECT osml_train('v.resumed', '{$ENDLESS}', 'resumed', wait => false)}, user => 'victim');
osml_sql($node, "SELECT osml_cancel($run)", user => 'victim');
is(osml_sql($node, "SELECT osml_resume($run, wait => false)", user => 'victim'), 'running', 'which goes on if its call named the model');
osml_sql($node, "SELECT osml_cancel($run)", user => 'victim');

$run = osml_sql($node, qq{SELECT osml_train('v.queued', '{$ENDLESS}', wait => false)}, user => 'victim');
$other = osml_sql($node, q{SELECT osml_train('v.queued', '{"if_running": "queue", "max_batches": 3}', wait => false)}, user => 'victim');
take_name('queued');
osml_sql($node, "SELECT osml_cancel($run)", user => 'victim');
is(osml_sql($node, "SELECT osml_wait($other)", user => 'victim'), 'failed', 'nor by a run that has waited for its turn');
like(osml_run($node, $other, 'error'), qr/model "queued" belongs to role "mallory"/, 'which says so');

# --- what others have, by name and by number ----------------------------------------------------

# A run's number can be guessed: whose run it is sees it, nobody else.
$run = osml_sql($node, q{SELECT osml_create_dataset('hers', 'line') > 0; SELECT osml_transform('hers', 'lx', 'log1p', '{"input": "x"}');
	SELECT osml_train('hers', '{"max_batches": 3}', 'hers')}, user => 'victim');
$run =~ s/.*\s//s;
foreach my $function ('osml_cancel', 'osml_wait', 'osml_resume', 'osml_drop_checkpoints')
{
	osml_fails($node, "SELECT $function($run)", '42704', "run $run does not exist", "$function of a number that she guesses", user => 'mallory');
	osml_fails($node, "SELECT $function(99999)", '42704', 'run 99999 does not exist', 'is answered as of none', user => 'mallory');
}
is(osml_sql($node, "SELECT osml.run_status($run, 'running')", user => 'mallory'), 'interrupted', 'nor does the status tell one from none');
foreach my $view ('runs', 'metrics', 'events', 'checkpoints')
{
	is(osml_sql($node, "SELECT count(*) FROM osml.$view WHERE run_id = $run", user => 'mallory'), '0', "osml.$view shows nothing of it");
}

# A data set and its features are its owner's, whichever way one asks for them.
foreach my $call ('osml_train(%s)', 'osml_check(%s)', 'osml_analyze(%s)', 'osml_feature_report(%s)', 'osml_feature_pairs(%s)', 'osml_find_lr(%s)',
	'osml_split(%s)', 'osml_unsplit(%s)', 'osml_fit_features(%s)', q{osml_apply_bins(%s, 'x', 1)}, q{osml_drop_feature(%s, 'lx')},
	q{osml_transform(%s, 'e', 'sql', '{"expression": "x"}')}, q{osml_bin(%s, 'x', 3)}, q{osml_cross(%s, 'c', '{x}')},
	q{osml_copy_features(%s, %s)}, q{osml_declare_feature(%s, 'x', true)}, 'osml_drop_dataset(%s)', q{osml_transform_row(%s, row(1))})
{
	osml_fails($node, 'SELECT ' . $call =~ s/%s/'hers'/gr, '42501', '"hers" (belongs to|of) role "victim"', $call, user => 'mallory');
}
osml_fails($node, q{INSERT INTO osml.definitions (dataset, feature, transform, params) VALUES ('hers', 'e', 'sql', '{"expression": "x"}')},
	'42501', 'dataset "hers" belongs to role "victim"', 'INSERT into its definitions', user => 'mallory');
osml_sql($node, q{UPDATE osml.definitions SET params = '{}', transform = 'sql' WHERE dataset = 'hers'; DELETE FROM osml.definitions}, user => 'mallory');
is(osml_sql($node, q{SELECT string_agg(feature || ' ' || transform, ' ') FROM osml.definitions}, user => 'victim'), 'lx log1p', 'UPDATE and DELETE reach none');

# Settings that limit a run are a superuser's, set before the library is loaded or after.
foreach my $preload ('osml', '')
{
	$node->append_conf('postgresql.conf', "shared_preload_libraries = '$preload'");
	$node->restart;
	foreach my $setting ('max_memory', 'max_spill', 'max_runs', 'max_metric_rows')
	{
		my $sql = "SET osml.$setting = 7777; SELECT count(*) FROM osml.runs; SELECT setting::int = 7777 FROM pg_settings WHERE name = 'osml.$setting'";

		local $ENV{PGOPTIONS} = $preload ? '' : "-c osml.$setting=7777";
		($out, $err) = osml_sql($node, $preload ? $sql : $sql =~ s/^SET[^;]*;//r, user => 'mallory');
		like($err . $out, qr/42501: permission denied to set parameter "osml.$setting"(?!.*\nt$)/s, "osml.$setting, preloaded: '$preload'");
	}
}
$node->append_conf('postgresql.conf', "shared_preload_libraries = 'osml'");
$node->restart;

# No source is read from where the server can reach and she cannot.
foreach my $url ('file:///etc/passwd', 'http://169.254.169.254/latest/meta-data', 's3://bucket/x.csv')
{
	foreach my $call ("osml_train('$url', model => 'url')", "osml_create_dataset('url', '$url')", "osml_check('$url')", "osml_analyze('$url')",
		"osml_create_dataset('url', 'line', val => '$url')")
	{
		osml_fails($node, "SELECT $call", '0A000', 'is a URL, which this version cannot read', $call, user => 'mallory');
	}
}

# Names and documents of any size and depth.
foreach my $case (
	[ q{osml_create_dataset(repeat('n', 10000000), 'line')}, '42602', 'name of a dataset must have at most 200 bytes' ],
	[ q{osml_train('line', '{}', repeat('n', 10000000))}, '42602', 'model name must have 1 to 200 bytes' ],
	[ q{osml_transform('own', repeat('n', 10000000), 'log1p', '{"input": "x"}')}, '42602', 'name of a feature must have at most 200 bytes' ],
	[ q{osml_train(repeat('n', 10000000))}, '42P01', 'is neither' ],
	[ q{osml_train('line', jsonb_build_object(repeat('k', 10000000), 1))}, '22023', 'unknown hyperparameter' ],
	[ q{osml_train('line', jsonb_build_object('num_hidden_neurons', repeat('[', 1000000)))}, '54001', 'stack depth limit exceeded' ],
	[ q{osml_train('line', ('{"num_hidden_neurons": ' || repeat('[', 5000) || repeat(']', 5000) || '}')::jsonb)}, '22023', 'a member that is not a scalar' ],
	[ q{osml_train('line', jsonb_build_object('initial_weights', (SELECT jsonb_agg(i) FROM generate_series(1, 1000000) i)))}, '22023', 'has 1000000 members' ],
	[ q{osml_transform('own', 'e', 'sql', jsonb_build_object('expression', 'x' || repeat(' + x', 100000)))}, '54001', 'stack depth limit exceeded' ])
{
	osml_fails($node, "SELECT osml_create_dataset('own', 'line'); SELECT $case->[0]" =~ s/^SELECT osml_create_dataset\('own', 'line'\); (?!.*'own')//r,
		$case->[1], $case->[2], $case->[0], user => 'mallory');
	osml_sql($node, q{SELECT osml_drop_dataset('own')}, user => 'mallory');
}

# An expression runs as the model's author, and leaves nothing in the session that predicts.
osml_sql($node, q{
	CREATE FUNCTION m.poison(x float8) RETURNS float8 LANGUAGE plpgsql AS
		$$BEGIN
			PERFORM set_config('search_path', 'm, pg_catalog', false), set_config('DateStyle', 'SQL', false), set_config('app.tenant', 'mallory', false);
			RETURN x;
		END$$;
	CREATE FUNCTION m.calm(x float8) RETURNS float8 LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS 'BEGIN RETURN m.poison(x); END';
	SELECT osml_create_dataset('poison', 'line');
	SELECT osml_transform('poison', 'p', 'sql', '{"expression": "m.calm(x)"}');
	SELECT osml_train('poison', '{"max_batches": 3}');
	SELECT osml_grant('poison', 'public', 'predict')}, user => 'mallory');
foreach my $call (q{count(osml_predict('poison', r)) FROM line r}, q{count(*) FROM osml_predict_batch('poison', 'line')},
	q{count(*) FROM osml_evaluate('poison', 'line')}, q{count(*) FROM osml_explain('poison', (SELECT r FROM line r LIMIT 1))},
	q{count(*) FROM osml_transform_row('poison', (SELECT r FROM line r LIMIT 1))}, q{count(*) FROM osml_permutation_importance('poison', 'line')})
{
	is(osml_sql($node, qq{SET app.tenant = 'victim'; SELECT $call \\g /dev/null
			SELECT current_setting('search_path'), current_setting('DateStyle'), current_setting('app.tenant')}, user => 'victim'),
		'"$user", public|ISO, MDY|victim', $call);
}

# Whatever operators and functions come first in search_path, SQL of ours means PostgreSQL's.
osml_sql($node, q{
	CREATE SCHEMA o;
	GRANT USAGE ON SCHEMA o TO PUBLIC;
	CREATE FUNCTION o.tell() RETURNS void LANGUAGE plpgsql AS $$BEGIN RAISE LOG 'tricked: %', current_user; END$$;
	DO $do$
	DECLARE
		t text;
		op text;
	BEGIN
		FOREACH t IN ARRAY ARRAY['float8', 'int8', 'int4', 'text', 'jsonb', 'name', 'tid', 'date'] LOOP
			EXECUTE format('CREATE FUNCTION o.compare(%1$s, %1$s) RETURNS boolean LANGUAGE plpgsql AS $$BEGIN PERFORM o.tell(); RETURN true; END$$', t);
			FOREACH op IN ARRAY ARRAY['=', '<>', '<', '>', '<=', '>='] LOOP
				EXECUTE format('CREATE OPERATOR o.%1$s (LEFTARG = %2$s, RIGHTARG = %2$s, FUNCTION = o.compare)', op, t);
			END LOOP;
		END LOOP;
		FOREACH t IN ARRAY ARRAY['count', 'cardinality', 'max', 'min', 'avg', 'now', 'row_number'] LOOP
			EXECUTE format('CREATE FUNCTION o.%I(VARIADIC "any") RETURNS bigint LANGUAGE internal AS $$pg_num_nulls$$', t);
		END LOOP;
	END$do$});
osml_sql($node, q{
	CREATE TABLE v.dated AS SELECT i::float8 AS y, i::float8 AS x, i AS n, 'c' || i % 3 AS t, date '2026-01-01' + i AS d FROM generate_series(1, 100) i;
	SELECT osml_create_dataset('dated', 'v.dated', features => '{x,t}');
	SELECT osml_train('dated', '{"max_batches": 3}')}, user => 'victim');
my $from = -s $node->logfile;
foreach my $call (q{osml_train('dated', '{"max_batches": 3, "since": "d", "num_workers": 2}')}, q{osml_split('dated', '{"train": 0.8, "test": 0.2}', 'time', 'd')},
	q{osml_split('dated')}, q{osml_analyze('dated')}, q{osml_feature_report('dated')}, q{osml_feature_pairs('dated')}, q{osml_check('dated')},
	q{osml_fit_features('dated')}, q{osml_evaluate('dated', 'v.dated')}, q{osml_predict_batch('dated', 'v.dated')},
	q{osml_permutation_importance('dated', 'v.dated')}, q{osml_deploy('dated', 'best')}, q{osml_grant('dated', 'mallory', 'predict')}, q{osml_find_lr('dated')})
{
	($out, $err) = osml_sql($node, "SET search_path = o, pg_catalog, public; SELECT $call", user => 'victim');
	unlike($err, qr/ERROR/, "$call goes well");
}
unlike(PostgreSQL::Test::Utils::slurp_file($node->logfile, $from), qr/tricked: /, 'and calls no operator of others');
is(osml_sql($node, 'SET search_path = o, pg_catalog; SELECT 1::float8 > 2::float8, count(1, NULL)'), 't|1', 'which a query of the session does');

# Rows that a policy hides have no say in errors, statistics or expressions.
osml_sql($node, q{
	CREATE TABLE v.shared AS SELECT CASE WHEN i % 2 = 0 THEN 'mallory' ELSE 'victim' END AS whose, i::float8 AS y,
		CASE WHEN i % 2 = 0 THEN i ELSE 'NaN'::float8 END AS x, CASE WHEN i % 2 = 0 THEN 'open' ELSE 'veiled' END AS t FROM generate_series(1, 100) i;
	ALTER TABLE v.shared ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON v.shared USING (whose = current_user);
	GRANT SELECT ON v.shared TO mallory}, user => 'victim');
osml_sql($node, q{
	CREATE FUNCTION m.told(t text) RETURNS text LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE COST 0.0001 AS 'BEGIN RAISE WARNING ''told %'', t; RETURN t; END';
	SELECT osml_create_dataset('shared', 'v.shared', label => 'y', features => '{x,t}');
	SELECT osml_transform('shared', 'told', 'sql', '{"expression": "m.told(t)"}')}, user => 'mallory');
foreach my $call (q{osml_train('shared', '{"max_batches": 3, "on_nonfinite": "stop"}')}, q{osml_train('shared', '{"max_batches": 3, "num_workers": 2}')},
	q{osml_check('shared')}, q{osml_analyze('shared')}, q{osml_fit_features('shared')}, q{osml_feature_report('shared', ARRAY['m.told(t)'])},
	q{osml_split('shared')}, q{osml_evaluate('shared', 'v.shared')}, q{osml_predict_batch('shared', 'v.shared')})
{
	($out, $err) = osml_sql($node, "SELECT $call", user => 'mallory');
	unlike($out . $err, qr/ERROR|veiled/, "$call of what a policy shows");
}
my $views = q{SELECT jsonb_agg(s) FROM osml.statistics s; SELECT jsonb_agg(b) FROM osml.bins b; SELECT jsonb_agg(d) FROM osml.model_definitions d;
	SELECT jsonb_agg(f) FROM osml.features f; SELECT jsonb_agg(r) FROM osml.runs r; SELECT jsonb_agg(e) FROM osml.events e};
$out = osml_sql($node, $views, user => 'mallory');
like($out, qr/open/, 'the views tell of them');
unlike($out, qr/veiled/, 'and of no others');

# What a run reads is its owner's business: others see that there is one.
$run = osml_sql($node, qq{SELECT osml_train('SELECT y, x FROM line WHERE x <> 7654.5', '{$ENDLESS}', 'secret', wait => false)}, user => 'victim');
is(osml_sql($node, q{SELECT count(*) FILTER (WHERE application_name LIKE 'osml%') > 0, count(*) FILTER (WHERE a::text LIKE '%' || '7654' || '.5%') FROM pg_stat_activity a}, user => 'mallory'),
	't|0', 'pg_stat_activity has no query of it');
osml_sql($node, "SELECT osml_cancel($run)", user => 'victim');

# A run's words are counted: of what happens at each step the first ten are told, and metrics of a second are limited.
$run = osml_sql($node, q{SELECT osml_train('line', '{"on_nonfinite": "skip", "lr": 1e300, "optimizer": "SGD", "max_batches": 5000}', 'loud', wait => false)}, user => 'mallory');
osml_sql($node, "SELECT osml_wait($run)");
is(osml_sql($node, "SELECT kind, count(*) FROM osml.events WHERE run_id = $run GROUP BY kind"), 'step_skipped|10', 'steps that are left out are no flood of events');
osml_sql($node, 'ALTER ROLE mallory SET osml.max_metric_rows = 1');
$run = osml_sql($node, q{SELECT osml_train('line', '{"max_batches": 20000, "log_every_n_steps": 1}', 'loud')}, user => 'mallory');
is(osml_sql($node, "SELECT count(*) FILTER (WHERE kind = 'metrics_thinned'), (SELECT count(*) < 20000 FROM osml.metrics WHERE run_id = $run) FROM osml.events WHERE run_id = $run"),
	'1|t', 'nor are all steps metrics');

# --- rows that are large, one by one ----------------------------------------------------------

# What osml.max_memory limits must not come in through the texts of a block: 4 MB each, 100 of them.
osml_sql($node, q{CREATE TABLE m.fat AS SELECT i::float8 AS y, repeat(chr(96 + i % 20), 4000000) AS t FROM generate_series(1, 100) i}, user => 'mallory');
is(osml_sql($node, q{
	CREATE FUNCTION peak() RETURNS bigint LANGUAGE sql AS
		$$SELECT substring(pg_read_file('/proc/self/status') FROM 'VmHWM:\s+(\d+)')::bigint$$;
	SELECT peak() AS before \gset
	SELECT osml_train('SELECT y, t FROM m.fat', '{"max_batches": 3}', 'fat') AS run \gset
	SELECT peak() - :before < 100000}), 't', 'a block of large texts takes no large memory');

# --- names that look alike to locks --------------------------------------------------------------

# Another name with the same 32-bit hash, which anybody can find, must not hold up a model's runs.
my ($mine, $victims) = split /\|/, osml_sql($node, q{
	SELECT min(name), max(name) FROM (SELECT 'name ' || i AS name, hashtext('name ' || i) AS hash FROM generate_series(1, 400000) i) n
	GROUP BY hash HAVING count(*) > 1 LIMIT 1});
$run = osml_sql($node, qq{SELECT osml_train('line', '{$ENDLESS}', '$mine', wait => false)}, user => 'mallory');
isnt(osml_sql($node, qq{SELECT osml_train('line', '{"if_running": "error", "max_batches": 3}', '$victims')}, user => 'victim'), '',
	"a run of '$mine' does not hold up one of '$victims'");
osml_fails($node, qq{SELECT osml_train('line', '{"if_running": "error", "max_batches": 3}', '$mine')}, '55006', 'being trained',
	'but one of its own', user => 'mallory');
osml_sql($node, "SELECT osml_cancel($run)", user => 'mallory');

# --- look-alikes of the catalog ---------------------------------------------------------------

# Who owns a database and has installed the trusted extension may drop it, and put in its place
# what she likes, into which the superuser's processes then run.
osml_sql($node, 'CREATE DATABASE hers OWNER mallory');

sub hers
{
	my ($sql, @as) = @_;

	return scalar osml_sql($node, $sql, dbname => 'hers', @as);
}

hers(q{
	CREATE EXTENSION osml;
	CREATE SCHEMA m;
	GRANT USAGE ON SCHEMA m TO PUBLIC;
	-- the log keeps what is rolled back, too
	CREATE FUNCTION m.written() RETURNS trigger LANGUAGE plpgsql AS
		$$BEGIN RAISE LOG 'loot: % as %', TG_TABLE_NAME, current_user; RETURN NULL; END$$;
	CREATE FUNCTION m.leave(x float8) RETURNS float8 LANGUAGE plpgsql AS
		$$BEGIN RAISE LOG 'loot: read as %', current_user; RETURN x; END$$;
	CREATE PROCEDURE m.make() LANGUAGE plpgsql AS
		$$DECLARE
			t name;
			k "char";
		BEGIN
			DROP SCHEMA IF EXISTS lookalike CASCADE;
			CREATE SCHEMA lookalike;
			GRANT USAGE ON SCHEMA lookalike TO PUBLIC;
			FOR t, k IN SELECT relname, relkind FROM pg_class WHERE relnamespace = 'osml'::regnamespace LOOP
				IF k = 'r' THEN
					EXECUTE format('CREATE TABLE lookalike.%I (LIKE osml.%1$I INCLUDING INDEXES)', t);
					EXECUTE format('GRANT ALL ON lookalike.%I TO PUBLIC', t);
					EXECUTE format('CREATE TRIGGER loot BEFORE INSERT OR UPDATE OR DELETE ON lookalike.%I FOR EACH STATEMENT EXECUTE FUNCTION m.written()', t);
				ELSIF k = 'S' THEN
					EXECUTE format('CREATE SEQUENCE lookalike.%I START 1000', t);
				END IF;
			END LOOP;
			CREATE FUNCTION lookalike.split_unit(bigint, record) RETURNS float8 LANGUAGE plpgsql AS
				'BEGIN RAISE LOG ''loot: split as %'', current_user; RETURN 0.1; END';
		END$$}, user => 'mallory');
hers(q{CREATE TABLE line AS SELECT 3.0::float8 * i + 1 AS y, i::float8 AS x FROM generate_series(1, 100) i});
my $swap = 'DROP EXTENSION osml CASCADE; ALTER SCHEMA lookalike RENAME TO osml';
my $trap = q{INSERT INTO osml.run (run_id, owner, dataset, model, status, hparams, steps, epoch, rows_read, rows_seen, rows_skipped, model_named, started_at)
	VALUES (%d, 'postgres', 'SELECT y, m.leave(x) AS x FROM public.line', 'trap', 'running', '{"max_batches": 3}', 0, 0, 0, 0, 0, true, now())};

# what her code there has run as, since the last look
my $log_seen = 0;
sub hers_loot
{
	my $log = PostgreSQL::Test::Utils::slurp_file($node->logfile, $log_seen);
	my %seen = map { $_ => 1 } $log =~ /loot: (\w+ as \w+)/g;

	$log_seen = -s $node->logfile;
	return join(', ', sort keys %seen);
}

# her database as it was
sub install
{
	hers('DROP EXTENSION IF EXISTS osml CASCADE; DROP SCHEMA IF EXISTS osml CASCADE; CREATE EXTENSION osml; CALL m.make()', user => 'mallory');
	hers_loot();
}

# A call finds out as whom its statement is to run, and then waits for a table that she drops.
install();
my $gate = osml_session($node, 'SELECT pg_advisory_lock(2); SELECT pg_sleep(1000)', dbname => 'hers');
osml_poll($node, q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND granted});
my $drop = osml_session($node, "BEGIN; $swap; SELECT pg_advisory_lock_shared(2); COMMIT", dbname => 'hers', user => 'mallory');
osml_poll($node, q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
my $call = osml_session($node, q{SELECT osml_create_dataset('raced', 'line')}, dbname => 'hers');
osml_poll($node, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE query LIKE '%raced%' AND wait_event_type = 'Lock'});
osml_sql($node, q{SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted});
$gate->{run}->finish;
$drop->finish;
($out, $err) = $call->finish;
like($err, qr/42704: extension "osml" is not installed/, 'a call that begins while the extension is dropped and replaced');
is(hers_loot(), '', 'does not run as the owner of what was there before');

# A run that goes on meanwhile tells her nothing.
install();
$run = hers(qq{SELECT osml_train('line', '{$ENDLESS}', 'told', wait => false)});
osml_poll($node, q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'osml reader'});
hers($swap, user => 'mallory');
ok(osml_poll($node, q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type LIKE 'osml trainer'}),
	'a run ends whose extension is dropped and replaced');
is(hers_loot(), '', 'without a word into the tables that are there instead');

# Nor do readers call her functions in the place of the extension's.
install();
hers(q{CREATE TABLE many AS SELECT i::float8 AS y, i::float8 AS x FROM generate_series(1, 200000) i;
	SELECT osml_create_dataset('cut', 'many');
	SELECT count(*) FROM osml_split('cut', '{"train": 0.9, "test": 0.1}', seed => 1)});
$run = hers(qq{SET osml.max_memory = '2MB'; SET osml.max_spill = 0;
	SELECT osml_train('cut', '{$ENDLESS}', wait => false)});
osml_poll($node, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'osml reader'});
hers($swap, user => 'mallory');
ok(osml_poll($node, q{SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type LIKE 'osml %er' AND datname = 'hers'}),
	'a run ends that reads its rows again, whose extension is dropped and replaced');
is(hers_loot(), '', 'before it calls the functions that are there instead');

# A run that is to go on when the server is back finds a row of hers under its number.
sub restart_over
{
	my ($how, $sql, $says) = @_;

	install();
	$run = hers(qq{SELECT osml_train('line', '{$ENDLESS, "restart": true}', 'restarted', wait => false)});
	$node->stop('immediate');
	$node->append_conf('postgresql.conf', "shared_preload_libraries = ''");
	$node->start;
	hers(sprintf("$sql; $trap", $run), user => 'mallory');
	hers_loot();
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'osml'");
	$node->restart;
	ok(eval { $node->wait_for_log($says, $log_seen) }, "$how: the run is not restarted");
	osml_poll($node, q{SELECT count(*) = 0 FROM pg_stat_activity WHERE application_name LIKE 'osml run%'});
	is(hers_loot(), '', "$how: nor what her row says");
	unlink glob($node->data_dir . '/osml_restart/*');
}
restart_over('tables that look alike', $swap, qr/extension "osml" is not installed/);
restart_over('the extension, created again', 'DROP EXTENSION osml CASCADE; CREATE EXTENSION osml',
	qr/extension "osml" is not the one that the run began with/);
osml_sql($node, 'DROP DATABASE hers');

osml_no_leftovers($node, 'all attacks');
$node->stop;
done_testing();
