# Inside of transactions of every kind, and beside statements that change the table: a run
# gives the weights of the rows that it should read, or says why not; nothing waits forever.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('transactions', max_prepared_transactions => 3);
my $exact = '"optimizer": "exact"';
my ($run, $out, $err, @sessions);

# "slope intercept" of the newest version of a model, to six decimals: least squares on
# points of a line is exact to some 1e-12
sub weights
{
	my ($model) = @_;

	return scalar osml_sql($node, qq{SELECT string_agg(round(weight::numeric, 6)::float8::text, ' '
		ORDER BY feature = '(intercept)') FROM osml.weights WHERE model = '$model'
		AND version = (SELECT max(version) FROM osml.models WHERE model = '$model')});
}

sub newest_run
{
	return scalar osml_sql($node, 'SELECT max(run_id) FROM osml.run');
}

sub points
{
	my ($table, $slope) = @_;

	osml_sql($node, qq{DROP TABLE IF EXISTS $table;
		CREATE TABLE $table AS SELECT $slope * i + 1.0::float8 AS y, i::float8 AS x FROM generate_series(1, 3000) i;
		CREATE INDEX ON $table (x)});
}

# --- isolation levels --------------------------------------------------------------

foreach my $level ('READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE')
{
	my $begin = "BEGIN ISOLATION LEVEL $level";
	my $model = lc $level;

	# [what, statements before, table, weights]
	foreach my $case (
		[ 'a table that it created', 'CREATE TABLE mine AS SELECT y + x AS y, x FROM line', 'mine', '4 1' ],
		[ 'a table that it locked', 'LOCK TABLE line IN ACCESS EXCLUSIVE MODE', 'line', '3 1' ],
		[ 'a table that it changed', 'UPDATE line SET y = 5 * x + 2', 'line', '5 2' ],
		[ 'a table that it rewrote', 'DROP VIEW slow; ALTER TABLE line ALTER y TYPE numeric USING 6 * x', 'line', '6 0' ],
		[ 'a table that it emptied and filled',
			'TRUNCATE line; INSERT INTO line SELECT 7 * i + 1, i FROM generate_series(1, 50) i', 'line', '7 1' ])
	{
		my ($what, $before, $table, $weights) = @$case;

		($out, $err) = osml_sql($node, qq{$begin; $before;
			SELECT osml_train('$table', '{$exact}', '$model') > 0; ROLLBACK});
		is("$out$err", 't', "$level, $what");
		is(weights($model), $weights, "$level, $what: the model outlives the rollback");
	}
	($out, $err) = osml_sql($node, qq{$begin; SELECT count(*) FROM line;
		SELECT osml_train('line', '{$exact, "num_workers": 2}', '$model') > 0; COMMIT});
	is("$out$err", "100\nt", "$level, with readers");
	is(weights($model), '3 1', "$level, with readers: weights");

	# rows that come after the snapshot: the session's own reading keeps to that
	points('grown', 2);
	my $session = $node->background_psql('postgres');
	$session->query_safe("$begin; SELECT count(*) FROM grown");
	osml_sql($node, 'UPDATE grown SET y = 9 * x');
	$session->query_safe("SELECT osml_train('grown', '{$exact}', '$model')");
	is(weights($model), $level eq 'READ COMMITTED' ? '9 0' : '2 1', "$level, a snapshot from before a change");
	$session->query_safe("SELECT osml_train('grown', '{$exact, \"num_workers\": 1}', '$model')");
	is(weights($model), '9 0', "$level, a snapshot from before a change, with readers");
	$session->query_safe('COMMIT');
	$session->quit;

	($out, $err) = osml_sql($node, qq{$begin; SELECT count(*) FROM line;
		SELECT osml_train('line', '{$exact}', 'new $model') > 0;
		SELECT round(osml_predict('new $model', 10.0)::numeric, 6)});
	$level eq 'READ COMMITTED' ? is($out, "100\nt\n31.000000", "$level, predicts with what it has trained") :
	  like($err, qr/42704: model "new $model" does not exist.*HINT:  It was made after the snapshot/s, "$level, says why it does not see what it has trained");
}

@sessions = map { osml_session($node, qq{BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT count(*) FROM osml.runs;
	SELECT osml_train('line', '{$exact}', 'serial'); SELECT count(*) FROM osml.models; COMMIT}) } 1 .. 4;
is(join('', map { ($_->finish)[1] } @sessions), '', 'serializable transactions at once: none fails for what the runs write');
is(osml_sql($node, q{SELECT count(*) FROM osml.models WHERE model = 'serial'}), 4, 'and all have their versions');
osml_no_leftovers($node, 'isolation levels');

# --- where it is called from -----------------------------------------------------------

osml_sql($node, qq{
	CREATE TABLE calls (at int, run bigint);
	CREATE FUNCTION called(model text) RETURNS bigint LANGUAGE sql
		AS \$\$SELECT osml_train('line', '{$exact}', model)\$\$;
	CREATE FUNCTION called_stable(model text) RETURNS bigint LANGUAGE plpgsql STABLE
		AS \$\$BEGIN RETURN osml_train('line', '{$exact}', model); END\$\$;
	CREATE FUNCTION called_setof(model text) RETURNS SETOF bigint LANGUAGE plpgsql
		AS \$\$BEGIN RETURN QUERY SELECT osml_train('line', '{$exact}', model); END\$\$;
	-- trains, then throws it all away
	CREATE FUNCTION called_in_vain(model text) RETURNS text LANGUAGE plpgsql AS \$\$
	BEGIN
		PERFORM osml_train('line', '{$exact}', model);
		RAISE division_by_zero;
	EXCEPTION WHEN division_by_zero THEN RETURN 'caught';
	END\$\$;
	CREATE PROCEDURE called_between(model text) LANGUAGE plpgsql AS \$\$
	BEGIN
		CREATE TABLE passing AS SELECT * FROM line;
		COMMIT;
		PERFORM osml_train('passing', '{$exact, "num_workers": 1}', model);
		ROLLBACK;
		PERFORM osml_train('passing', '{$exact}', model);
		DROP TABLE passing;
		COMMIT;
	END\$\$;
	CREATE FUNCTION called_by_trigger() RETURNS trigger LANGUAGE plpgsql AS \$\$
	BEGIN
		PERFORM osml_train('line', '{$exact}', TG_ARGV[0]);
		RETURN NEW;
	END\$\$;
	CREATE TABLE before_row (i int); CREATE TABLE after_row (i int);
	CREATE TABLE after_statement (i int); CREATE TABLE at_commit (i int);
	CREATE TRIGGER t BEFORE INSERT ON before_row FOR EACH ROW EXECUTE FUNCTION called_by_trigger('before row');
	CREATE TRIGGER t AFTER INSERT ON after_row FOR EACH ROW EXECUTE FUNCTION called_by_trigger('after row');
	CREATE TRIGGER t AFTER INSERT ON after_statement EXECUTE FUNCTION called_by_trigger('after statement');
	CREATE CONSTRAINT TRIGGER t AFTER INSERT ON at_commit DEFERRABLE INITIALLY DEFERRED
		FOR EACH ROW EXECUTE FUNCTION called_by_trigger('at commit');
	CREATE VIEW trains AS SELECT osml_train('line', '{$exact}', 'a view') AS run;
});

# [what, which is the model's name too; statements; runs]
foreach my $case (
	[ 'an SQL function', q{SELECT called('an SQL function')}, 1 ],
	[ 'a stable function', q{SELECT called_stable('a stable function')}, 1 ],
	[ 'a set-returning function', q{SELECT * FROM called_setof('a set-returning function')}, 1 ],
	[ 'a block that fails later', q{SELECT called_in_vain('a block that fails later')}, 1 ],
	[ 'a procedure', q{CALL called_between('a procedure')}, 2 ],
	[ 'a DO block', qq{DO \$\$BEGIN FOR i IN 1..2 LOOP PERFORM osml_train('line', '{$exact}', 'a DO block'); COMMIT; END LOOP; END\$\$}, 2 ],
	[ 'before row', 'INSERT INTO before_row VALUES (1), (2)', 2 ],
	[ 'after row', 'INSERT INTO after_row VALUES (1), (2)', 2 ],
	[ 'after statement', 'INSERT INTO after_statement VALUES (1), (2)', 1 ],
	[ 'at commit', 'BEGIN; INSERT INTO at_commit VALUES (1), (2); COMMIT', 2 ],
	# seven times, so that its plan is the generic one in the end
	[ 'a prepared statement', q{PREPARE p(jsonb, text) AS SELECT osml_train('line', $1, $2);}
		. qq{EXECUTE p('{$exact}', 'a prepared statement');} x 7, 7 ],
	[ 'a cursor', qq{BEGIN; DECLARE c CURSOR FOR SELECT i, osml_train('line', '{$exact}', 'a cursor') FROM generate_series(1, 5) i;
		FETCH 1 FROM c; FETCH 1 FROM c; CLOSE c; COMMIT}, 2 ],
	[ 'a held cursor', qq{BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT osml_train('line', '{$exact}', 'a held cursor') FROM generate_series(1, 2);
		COMMIT; FETCH 1 FROM c; CLOSE c}, 2 ],
	[ 'while a cursor reads the table', qq{BEGIN; DECLARE c CURSOR FOR SELECT * FROM line; FETCH 5 FROM c;
		SELECT osml_train('line', '{$exact}', 'while a cursor reads the table'); FETCH 5 FROM c; COMMIT}, 1 ],
	[ 'a CTE', qq{WITH t AS MATERIALIZED (SELECT osml_train('line', '{$exact}', 'a CTE') AS run) SELECT run, run FROM t}, 1 ],
	[ 'a CTE that writes', qq{WITH t AS (INSERT INTO calls SELECT 1, osml_train('line', '{$exact}', 'a CTE that writes') RETURNING run) SELECT run FROM t}, 1 ],
	[ 'an INSERT', qq{INSERT INTO calls SELECT i, osml_train('line', '{$exact}', 'an INSERT') FROM generate_series(1, 2) i}, 2 ],
	[ 'an UPDATE', qq{UPDATE calls SET run = osml_train('line', '{$exact}', 'an UPDATE') WHERE at = 2}, 1 ],
	[ 'a view', 'SELECT * FROM trains', 1 ],
	[ 'a LATERAL', qq{SELECT r FROM generate_series(1, 2) i, LATERAL (SELECT osml_train('line', '{$exact}', 'a LATERAL') AS r, i) t}, 2 ],
	[ 'CREATE TABLE AS', qq{CREATE TABLE made AS SELECT osml_train('line', '{$exact}', 'CREATE TABLE AS')}, 1 ],
	[ 'COPY', qq{COPY (SELECT osml_train('line', '{$exact}', 'COPY')) TO STDOUT}, 1 ],
	[ 'EXPLAIN ANALYZE', qq{EXPLAIN ANALYZE SELECT osml_train('line', '{$exact}', 'EXPLAIN ANALYZE')}, 1 ],
	[ 'its own source', qq{SELECT osml_train('SELECT y, x FROM line, (SELECT osml_train(''line'', ''{$exact}'', ''its own source'')) r', '{$exact}', 'its own source')}, 2 ],
	[ 'savepoints', qq{BEGIN; SAVEPOINT a; SELECT osml_train('line', '{$exact}', 'savepoints'); ROLLBACK TO a;
		SAVEPOINT b; SELECT osml_train('line', '{$exact}', 'savepoints'); RELEASE b; ROLLBACK}, 2 ],
	[ 'after another was prepared', qq{BEGIN; INSERT INTO line SELECT 1, 1; LOCK TABLE calls; PREPARE TRANSACTION 'other';
		SELECT osml_train('line', '{$exact}', 'after another was prepared');
		SELECT osml_train('line', '{$exact, "num_workers": 1}', 'after another was prepared'); ROLLBACK PREPARED 'other'}, 2 ],
	[ 'in one that is prepared', qq{BEGIN; INSERT INTO calls SELECT 1, osml_train('line', '{$exact, "num_workers": 1, "if_running": "error"}', 'in one that is prepared');
		PREPARE TRANSACTION 'own'; SELECT osml_train('line', '{$exact, "if_running": "error"}', 'in one that is prepared'); ROLLBACK PREPARED 'own'}, 2 ])
{
	my ($what, $sql, $runs) = @$case;

	$run = newest_run();
	($out, $err) = osml_sql($node, $sql);
	is($err, '', "$what: no error");
	is(osml_sql($node, qq{SELECT count(*), count(*) FILTER (WHERE status = 'finished' AND model = '$what') FROM osml.runs WHERE run_id > $run}),
		"$runs|$runs", "$what: each call is a run");
	is(weights($what), '3 1', "$what: weights");
}
osml_no_leftovers($node, 'calls from everywhere');

foreach my $where ('BEGIN READ ONLY', 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE', 'SET default_transaction_read_only = on')
{
	$run = newest_run();
	osml_fails($node, "$where; SELECT osml_train('line')", '25006', 'cannot execute osml_train\(\) in a read-only transaction', "$where: refused");
	is(newest_run(), $run, "$where: there is no run of it");
}
# a lock that a prepared transaction holds is waited for, as in a query
osml_fails($node, q{BEGIN; LOCK TABLE line; PREPARE TRANSACTION 'locks'; SET lock_timeout = '200 ms'; SELECT osml_train('line')}, '55P03',
	'canceling statement due to lock timeout', 'a table that a prepared transaction has locked');
osml_sql($node, q{ROLLBACK PREPARED 'locks'});
osml_no_leftovers($node, 'refusals');

# --- what a rollback leaves ------------------------------------------------------------

$run = newest_run();
($out, $err) = osml_sql($node, q{BEGIN;
	SELECT osml_create_dataset('passing', 'line') > 0;
	SELECT osml_train('passing', '{"max_epochs": 3, "log_every_n_steps": 1}', 'stays') > 0;
	SELECT osml_deploy('stays', 1);
	ROLLBACK;
	SELECT run_id > } . $run . q{, status, dataset, version FROM osml.runs WHERE model = 'stays';
	SELECT count(*) > 0 FROM osml.metrics JOIN osml.runs USING (run_id) WHERE model = 'stays';
	SELECT deployed FROM osml.models WHERE model = 'stays';
	SELECT count(*) FROM osml.weights WHERE model = 'stays';
	SELECT osml_predict('stays', 1.0) IS NOT NULL;
	SELECT count(*) FROM osml.datasets});
like($out, qr/^t\nt\n(1\n)?\n?t\|finished\|passing\|1\nt\nt\n2\nt\n0$/, 'after a rollback run, metrics, version and weights are there, and the data set is not') or diag($err);
osml_fails($node, q{BEGIN; SELECT osml_train('SELECT y, 1 / (50 - x) AS x FROM line', '{}', 'half')}, '22012', 'division by zero', 'a run that fails in a transaction');
is(osml_sql($node, q{SELECT status, error, version FROM osml.runs WHERE model = 'half'}), 'failed|division by zero|', 'its row stays and says so');
is(osml_sql($node, q{SELECT count(*) FROM osml.model WHERE name = 'half'}), 0, 'and there is no model of it');

# --- statements that wait for the table, or have it ---------------------------------------

# Somebody reads the table, the statement waits for him, the run for the statement.
# [statement, features; what becomes of the run: weights or what the error says]
my @statements = (
	[ 'VACUUM FULL t', '2 1' ],
	[ 'CLUSTER t USING t_x_idx', '2 1' ],
	[ 'REINDEX TABLE t', '2 1' ],
	[ 'REINDEX TABLE CONCURRENTLY t', '2 1' ],
	[ 'ALTER TABLE t ALTER y TYPE numeric', '2 1' ],
	[ 'ALTER TABLE t ADD z text', '2 1' ],
	[ 'ALTER TABLE t ALTER y TYPE float8 USING 3 * x', '3 0' ],
	[ 'TRUNCATE t', 'has no rows to train on' ],
	[ 'ALTER TABLE t RENAME x TO z', '"x" does not exist|has no column "x"' ],
	[ 'DROP TABLE t', '(neither a dataset nor a relation|does not exist)' ]);

foreach my $case (@statements)
{
	my ($statement, $outcome) = @$case;

	points('t', 2);
	my $reader = $node->background_psql('postgres');
	$reader->query_safe('BEGIN; SELECT count(*) FROM t');
	my $changer = osml_session($node, $statement);
	# CONCURRENTLY waits for the reader's snapshot, not for his lock
	osml_poll($node, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'}) or die "$statement does not wait";
	my $before = newest_run();
	@sessions = map { osml_session($node, qq{SELECT osml_train('t', '{$exact, "features": ["x"], "num_workers": $_}', 'beside $_')}) } 0, 2;
	# each waits, or, where the lock does not keep it out, has come to its end
	osml_poll($node, qq{SELECT (SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'SELECT osml_train%')
		+ (SELECT count(*) FROM osml.runs WHERE run_id > $before AND status <> 'running') >= 2}) or die "$statement does not keep runs out";
	$reader->query_safe('COMMIT');
	$reader->quit;
	$changer->finish;
	foreach my $workers (0, 2)
	{
		($out, $err) = (shift @sessions)->finish;
		if ($outcome =~ /^\d/)
		{
			is($err, '', "$statement, $workers readers: no error");
			is(weights("beside $workers"), $outcome, "$statement, $workers readers: weights");
		}
		else
		{
			like($err, qr/ERROR:  .*$outcome/, "$statement, $workers readers: error");
		}
	}
}
osml_no_leftovers($node, 'statements that wait for the table');

# The one who waits for the table waits for us, and our readers for him.
points('t', 2);
my $caller = $node->background_psql('postgres', on_error_stop => 0);
$caller->query_safe('BEGIN; SELECT count(*) FROM t');
my $changer = osml_session($node, 'ALTER TABLE t ADD z int');
osml_poll($node, q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted});
($out, $err) = $caller->query(qq{SELECT osml_train('t', '{$exact, "num_workers": 2}', 'cycle')});
like($caller->{stderr} // $err, qr/a reader waits for a lock that this transaction holds.*It waits behind process \d+, which waits for this transaction.*"num_workers" to 0/s,
	'a cycle by way of somebody else is seen');
$caller->quit;
is(($changer->finish)[1], '', 'who goes on then');
is(osml_run($node, newest_run(), 'status'), 'cancelled', 'the run is cancelled');
osml_no_leftovers($node, 'a cycle by way of somebody else');

# --- statements that come between plan and reading ------------------------------------------

# The session keeps its readers out until it has changed what they are to read.
foreach my $case (
	[ 'another order', '2 1', 'CLUSTER t USING t_x_idx' ],
	[ 'a wider type', '', 'ALTER TABLE t ALTER x TYPE numeric', 'column "x" of relation public.t has become numeric.*was double precision when the run was planned.*Start a new run' ],
	[ 'a text', '', 'ALTER TABLE t ALTER x TYPE text', 'column "x" of relation public.t has become text' ],
	[ 'a number that was a text', '', 'ALTER TABLE t ALTER k DROP DEFAULT, ALTER k TYPE float8 USING 1', 'column "k" of relation public.t has become double precision' ],
	[ 'no column', '', 'ALTER TABLE t DROP x', 'column "x" does not exist' ],
	[ 'no table', '', 'DROP TABLE t', 'relation "public.t" does not exist' ],
	[ 'another table', '', q{DROP TABLE t; CREATE TABLE t AS SELECT 'a' AS x, 2 AS y, 'b' AS k}, 'column "x" of relation public.t has become text' ],
	[ 'no rows', '', 'TRUNCATE t', 'no rows to train on' ],
	[ 'new rows', '8 1', 'TRUNCATE t; INSERT INTO t SELECT 8 * i + 1, i, NULL FROM generate_series(1, 20) i' ],
	[ 'more columns', '2 1', q{ALTER TABLE t ADD z text DEFAULT 'z'} ])
{
	my ($what, $weights, $statement, $error) = @$case;
	my $features = $what =~ /was a text/ ? '"x", "k"' : '"x"';
	my $hparams = $weights ? $exact : '"max_epochs": 2';

	points('t', 2);
	osml_sql($node, q{ALTER TABLE t ADD k text DEFAULT 'k'});
	($out, $err) = osml_sql($node, qq{BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE;
		SELECT osml_train('t', '{"label": "y", "features": [$features], $hparams, "num_workers": 2}', 'between', wait => false) AS run \\gset
		$statement; COMMIT; SELECT osml_wait(:run), error FROM osml.runs WHERE run_id = :run});
	is(osml_run($node, newest_run(), 'status'), $error ? 'failed' : 'finished', "$what between plan and reading: status") or diag("$out$err");
	like(osml_run($node, newest_run(), 'error'), qr/$error/s, "$what between plan and reading: error") if $error;
	is(weights('between'), $weights, "$what between plan and reading: weights") if $weights;
}
# the same where the source is no table, but reads it
points('t', 2);
osml_sql($node, q{ALTER TABLE t ADD CHECK (x > 0);
	CREATE VIEW t_view AS SELECT y, x FROM t;
	CREATE TABLE t_parent (y float8, x float8) PARTITION BY RANGE (x);
	ALTER TABLE t_parent ATTACH PARTITION t DEFAULT;
	CREATE VIEW t_parent_view AS SELECT y, x FROM t_parent});
foreach my $source ('SELECT y, x FROM t', 't_view', 't_parent', 'SELECT * FROM t_parent_view')
{
	my $new = 'TRUNCATE t; INSERT INTO t SELECT %s * i + 1, i FROM generate_series(1, 20) i';

	($out, $err) = osml_sql($node, sprintf(qq{BEGIN; LOCK TABLE t IN ACCESS EXCLUSIVE MODE;
		SELECT osml_train('$source', '{$exact, "num_workers": 2}', 'behind', wait => false) AS run \\gset
		$new; COMMIT; SELECT osml_wait(:run), error FROM osml.runs WHERE run_id = :run}, 8));
	# a notice says how many read a query
	is($out, 'finished|', "new rows between plan and reading of $source: status") or diag($err);
	is(weights('behind'), '8 1', "new rows between plan and reading of $source: weights");
	# and where the session reads, which waits for who puts them there
	my $reader = $node->background_psql('postgres');
	$reader->query_safe('BEGIN; SELECT count(*) FROM t');
	my $changer = osml_session($node, sprintf("BEGIN; $new; COMMIT", 9));
	osml_poll($node, q{SELECT count(*) = 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'});
	@sessions = map { osml_session($node, qq{SELECT osml_train('$source', '{$exact, "num_workers": $_}', 'behind $_')}) } 0, 2;
	osml_poll($node, q{SELECT count(*) = 2 FROM pg_stat_activity WHERE wait_event_type = 'Lock'
		AND (query LIKE 'SELECT osml_train%' OR backend_type = 'osml reader' AND application_name LIKE '%1')});
	$reader->query_safe('COMMIT');
	$reader->quit;
	$changer->finish;
	foreach my $workers (0, 2)
	{
		unlike(((shift @sessions)->finish)[1], qr/ERROR/, "new rows that $source waits for, $workers readers: no error");
		is(weights("behind $workers"), '9 1', "new rows that $source waits for, $workers readers: weights");
	}
}
osml_sql($node, 'DROP VIEW t_view, t_parent_view; ALTER TABLE t_parent DETACH PARTITION t; DROP TABLE t_parent');
# a table that nobody else sees yet
($out, $err) = osml_sql($node, qq{BEGIN; CREATE TABLE newborn AS SELECT y + x AS y, x FROM line;
	SELECT osml_train('newborn', '{$exact}', wait => false) AS run \\gset
	COMMIT; SELECT osml_wait(:run)});
is("$out$err", 'finished', 'a table that is committed between plan and reading: status');
is(weights('newborn'), '4 1', 'a table that is committed between plan and reading: weights');
osml_no_leftovers($node, 'statements between plan and reading');

# --- statements that come while a run goes on ------------------------------------------------

# [what, settings, arguments, does the run hold on to the table]
foreach my $case (
	[ 'a waiting session', '', '', 1 ],
	[ 'rows in memory', '', ', wait => false', 0 ],
	[ 'rows that are read again', q{SET osml.max_memory = '1MB'; SET osml.max_spill = 0;}, ', wait => false', 1 ])
{
	my ($what, $settings, $arguments, $holds) = @$case;

	points('t', 2);
	osml_sql($node, 'INSERT INTO t SELECT 2 * i + 1, i FROM generate_series(1, 97000) i') if $settings;
	my $session = osml_session($node, qq{$settings SELECT osml_train('t', '{$ENDLESS}', 'beside'$arguments)});
	osml_poll($node, q{SELECT count(*) = 1 FROM osml.runs WHERE model = 'beside' AND status = 'running' AND steps > 0});
	$run = newest_run();
	my $dropper = osml_session($node, 'DROP TABLE t');
	if ($holds)
	{
		osml_poll($node, q{SELECT count(*) = 1 FROM pg_locks WHERE NOT granted});
		is(osml_sql($node, q{SELECT count(*) FROM pg_class WHERE relname = 't'}), 1, "$what: DROP TABLE waits");
	}
	else
	{
		is(($dropper->finish)[1], '', "$what: DROP TABLE does not wait");
	}
	is(osml_run($node, $run, 'status'), 'running', "$what: the run goes on");
	osml_sql($node, "SELECT osml_cancel($run)");
	$session->finish;
	is(($dropper->finish)[1], '', "$what: DROP TABLE is done after the run") if $holds;
	is(osml_run($node, $run, 'status'), 'cancelled', "$what: the run ended as it was told to");
	osml_fails($node, "SELECT osml_resume($run)", '42P01', 'neither a dataset nor a relation', "$what: it cannot be resumed without its table");
}
# a run that waits for a lock to read can be cancelled
points('t', 2);
$caller = $node->background_psql('postgres');
$run = $caller->query_safe(qq{BEGIN; LOCK TABLE t; SELECT osml_train('t', '{"num_workers": 2}', wait => false)});
osml_poll($node, q{SELECT count(*) >= 1 FROM pg_stat_activity WHERE backend_type = 'osml reader' AND wait_event_type = 'Lock'});
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'a run whose readers wait for a lock is cancelled');
is(osml_sql($node, q{SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'osml trainer'}), 0, 'at once');
$caller->query_safe('COMMIT');
$caller->quit;
osml_no_leftovers($node, 'statements while a run goes on');

is(osml_sql($node, q{SELECT count(*) FROM osml.model m WHERE NOT EXISTS (SELECT FROM osml.model_version v WHERE v.model_id = m.model_id)}), 0,
	'no model is without a version');
is(osml_sql($node, q{SELECT count(*) FROM osml.runs WHERE status IN ('running', 'queued', 'interrupted')}), 0, 'no run is left open');

$node->stop;
done_testing();
