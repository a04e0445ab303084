# Runs that would be beside others: if_running, osml.max_runs, many sessions at once.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('scheduling');
my ($run, $other, $out, $err, $pid, $holder, @queued, @sessions);

osml_sql($node, q{
	CREATE ROLE bob LOGIN;
	CREATE ROLE eve LOGIN;
	ALTER ROLE bob SET osml.max_runs = 2;
	-- does the status of a run ever read so until it is over?
	CREATE FUNCTION ever(run bigint, word text) RETURNS boolean LANGUAGE plpgsql AS $$
	DECLARE found boolean := false; now text;
	BEGIN
		LOOP
			now := osml_wait(run, '0');
			found := found OR now = word;
			EXIT WHEN now NOT IN ('queued', 'running');
		END LOOP;
		RETURN found;
	END $$;
});

sub train
{
	my ($hparams, $model, $more, %params) = @_;

	return osml_sql($node, "SELECT osml_train('line', '{$hparams}', '$model'" . ($more // '') . ')', %params);
}

sub endless
{
	my ($model) = @_;

	return scalar train($ENDLESS, $model, ', wait => false');
}

sub queue
{
	my ($model, $hparams) = @_;

	return scalar train('"if_running": "queue", ' . ($hparams // '"max_epochs": 2'), $model, ', wait => false');
}

# Runs that come to their end wait there, before they store a version, until let_end().
sub hold_ends
{
	$holder = $node->background_psql('postgres');
	$holder->query_safe('BEGIN; LOCK TABLE osml.model_version IN SHARE MODE');
}

sub let_end
{
	$holder->query_safe('COMMIT');
	$holder->quit;
}

# --- one model ---------------------------------------------------------------------

is(train('"max_epochs": 1, "if_running": "error"', 'm'), 1, 'error: nothing is going on');
is(train('"max_epochs": 1, "if_running": "skip"', 'm'), 2, 'skip: nothing is going on');
is(train('"max_epochs": 1, "if_running": "queue"', 'm'), 3, 'queue: nothing is going on');
$run = endless('m');
osml_fails($node, qq{SELECT osml_train('line', '{"if_running": "error"}', 'm')}, '55006',
	qr/model "m" is being trained by run $run.*HINT:  Wait for it with osml_wait\($run\), or set "if_running" to skip or queue/s,
	'error: a run is going on');
($out, $err) = train('"if_running": "skip"', 'm');
is($out, '', 'skip: nothing is started');
like($err, qr/NOTICE:  00000: model "m" is being trained by run $run: nothing is started/, 'and a notice says why');
is(osml_sql($node, 'SELECT max(run_id) FROM osml.runs'), $run, 'nor is there a run of it');
is((train('"max_epochs": 1, "if_running": "skip"', 'n'))[0], osml_sql($node, 'SELECT max(run_id) FROM osml.runs'), 'another model is another matter');
like((train('"max_epochs": 1', 'm'))[0], qr/^\d+$/, 'start: beside the other');
osml_fails($node, q{SELECT osml_train('line', '{"if_running": "queue", "bacth_size": 3}', 'm', wait => false)}, '22023',
	'unknown hyperparameter "bacth_size"', 'what is wrong with a queued run is said at once');
osml_fails($node, q{SELECT osml_train('line', '{"if_running": "queue", "features": ["z"]}', 'm', wait => false)}, '42703',
	'"z"', 'its features too');

# first come, first served
@queued = map { queue('m') } 1 .. 3;
is(osml_sql($node, "SELECT string_agg(status, ' ') FROM osml.runs WHERE run_id IN (" . join(',', @queued) . ')'),
	'queued queued queued', 'queue: three wait');
is(osml_sql($node, "SELECT osml_wait($queued[0], '200 ms')"), 'queued', 'osml_wait waits for one');
is(osml_sql($node, "SELECT count(*) FROM osml.progress WHERE run_id IN (" . join(',', @queued) . ')'), 0, 'it makes no progress');
osml_fails($node, "SELECT osml_resume($queued[0])", '55000', 'which is queued', 'nor can it be resumed');
is(osml_sql($node, "SELECT osml_cancel($queued[1])"), 'cancelled', 'osml_cancel takes one out');
is(osml_run($node, $queued[1], 'error'), 'canceled by role "postgres"', 'as the row says');
@sessions = map { osml_session($node, "SELECT ever($_, 'interrupted')") } @queued[0, 2];
is(osml_sql($node, "SELECT osml_cancel($run)"), 'cancelled', 'the run ends');
is(join(' ', map { ($_->finish)[0] } @sessions), 'f f', 'the others never look dead while they change hands');
is(osml_sql($node, "SELECT string_agg(status || ' ' || version, ', ' ORDER BY run_id) FROM osml.runs WHERE run_id IN ($queued[0], $queued[2])"),
	'finished 5, finished 6', 'they run in their order');
is(osml_sql($node, "SELECT a.ended_at <= b.started_at FROM osml.runs a, osml.runs b WHERE a.run_id = $queued[0] AND b.run_id = $queued[2]"), 't', 'one after the other');
is(osml_sql($node, "SELECT hparams ->> 'if_running' || (hparams ->> 'optimizer') FROM osml.runs WHERE run_id = $queued[2]"), 'queueAdamW', 'hyperparameters are resolved then');
is(osml_sql($node, "SELECT count(*) FROM osml.events WHERE run_id = $queued[2]"), 0, 'as in a run that never waited');
osml_no_leftovers($node, 'a queue');

# a client that waits
$run = endless('m');
@sessions = map { osml_session($node, q{SELECT osml_train('line', '{"if_running": "queue", "max_epochs": 2}', 'm')}) } 1 .. 3;
osml_poll($node, q{SELECT count(*) = 3 FROM pg_stat_activity WHERE query LIKE '%"queue"%' AND state = 'active' AND pid <> pg_backend_pid()});
osml_sql($node, "SELECT osml_cancel($run)");
$out = join(' ', sort { $a <=> $b } map { ($_->finish)[0] } @sessions);
is(osml_sql($node, "SELECT string_agg(run_id::text, ' ' ORDER BY run_id) FROM osml.runs WHERE run_id > $run AND status = 'finished'"), $out, 'queue: clients that wait');
is(osml_sql($node, "SELECT bool_and(started_at >= before) FROM (SELECT started_at, lag(ended_at) OVER (ORDER BY run_id) AS before FROM osml.runs WHERE run_id > $run) r"), 't', 'one after the other');
$run = endless('m');
osml_fails($node, q{SET lock_timeout = '200 ms'; SET statement_timeout = '1 s'; SELECT osml_train('line', '{"if_running": "queue"}', 'm')}, '(57014|55P03)', 'timeout', 'statement_timeout ends the wait');
osml_fails($node, qq{BEGIN; SELECT osml_train('line', '{"if_running": "error"}', 'm')}, '55006', 'is being trained', 'refused in a transaction');
# the other run waits for a lock of ours
osml_sql($node, "SELECT osml_cancel($run)");
$run = osml_sql($node, q{BEGIN; LOCK TABLE line; SELECT osml_train('line', '{"max_epochs": 1, "num_workers": 1}', 'm', wait => false) AS run \gset
	SAVEPOINT s;
	\set ON_ERROR_STOP 0
	SELECT osml_train('line', '{"if_running": "queue"}', 'm');
	ROLLBACK TO s;
	SELECT :run, :'LAST_ERROR_SQLSTATE';
	COMMIT;});
like($run, qr/^\d+\|40P01$/, 'a run that waits for a lock of ours is not waited for');
$run =~ s/\|.*//;
is(osml_sql($node, "SELECT osml_wait($run)"), 'finished', 'and goes on');

# --- what a queued run sees ---------------------------------------------------------

osml_sql($node, q{CREATE TABLE later (id bigint, x float8, y float8);
	INSERT INTO later SELECT i, i % 7, i % 11 FROM generate_series(1, 1000) i});
hold_ends();
osml_sql($node, q{SELECT osml_train('later', '{"since": "id", "label": "y", "max_epochs": 1}', 'later', wait => false)});
$other = osml_sql($node, q{SELECT osml_train('later', '{"since": "id", "label": "y", "warm_start": true, "max_epochs": 1, "if_running": "queue"}', 'later', wait => false)});
is(osml_run($node, $other, 'status'), 'queued', 'a run that is to go on from another waits for it');
osml_sql($node, 'INSERT INTO later SELECT i, i % 7, i % 11 FROM generate_series(1001, 1010) i');
let_end();
is(osml_sql($node, "SELECT osml_wait($other)"), 'finished', 'it finishes');
is(osml_sql($node, "SELECT summary ->> 'train_rows', hparams ->> 'warm_start' FROM osml.runs WHERE run_id = $other"), '10|1', 'from the version and the rows that were there when its turn came');
osml_sql($node, 'CREATE TABLE newer AS SELECT * FROM later');
# a client whose statement, or transaction, is older than what it waited for
$run = osml_sql($node, q{SELECT osml_train('newer', '{"since": "id", "label": "y", "max_epochs": 1, "max_batches": 1}', 'older', wait => false)});
osml_sql($node, "SELECT osml_wait($run)");
foreach my $begin ('', 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM osml.runs;')
{
	osml_sql($node, 'INSERT INTO newer SELECT max(id) + 1, 1, 2 FROM newer');
	hold_ends();
	osml_sql($node, q{SELECT osml_train('newer', '{"since": "id", "label": "y", "warm_start": true, "max_epochs": 1}', 'older', wait => false)});
	@sessions = osml_session($node, qq{$begin SELECT osml_train('newer', '{"since": "id", "label": "y", "warm_start": true, "max_epochs": 1, "if_running": "queue"}', 'older')});
	$sessions[0]->await(qr/waits for its turn/);
	let_end();
	like(($sessions[0]->finish)[1], qr/nothing new to train on/, 'waited: the rows of the other run are no longer new' . ($begin ? ' in an older snapshot' : ''));
}
$out = osml_sql($node, q{SELECT count(osml_train('later', ('{"label": "y", "max_epochs": 1, "warm_start": ' || w || '}')::jsonb, 'series')) FROM unnest('{false,1,2}'::text[]) w});
is($out, 3, 'calls of one statement go on from each other');
$run = osml_sql($node, q{SELECT osml_train('later', '{"label": "y", "max_batches": 1000000000000}', 'later', wait => false)});
$other = osml_sql($node, q{SELECT osml_train('later', '{"since": "id", "label": "y", "if_running": "queue"}', 'later', wait => false)});
osml_sql($node, "SELECT osml_cancel($run)");
is(osml_sql($node, "SELECT osml_wait($other)"), 'finished', 'without new rows it finishes, too');
is(osml_sql($node, "SELECT r.version IS NULL, e.message FROM osml.runs r JOIN osml.events e USING (run_id) WHERE run_id = $other"), 't|there was no new row to train on', 'with no version, and says so');
$run = endless('m');
osml_sql($node, q{CREATE TABLE gone AS SELECT * FROM line});
$other = osml_sql($node, q{SELECT osml_train('gone', '{"if_running": "queue"}', 'm', wait => false)});
osml_sql($node, q{DROP TABLE gone});
osml_sql($node, "SELECT osml_cancel($run)");
is(osml_sql($node, "SELECT osml_wait($other)"), 'failed', 'whose source is gone by then fails');
like(osml_run($node, $other, 'error'), qr/"gone"/, 'and says why');
osml_no_leftovers($node, 'what a queued run sees');

# --- ends of queued runs ------------------------------------------------------------

$run = endless('m');
$other = queue('m');
osml_sql($node, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'osml run $other queue'");
osml_wait_status($node, $other, 'interrupted', 'a queued run is terminated');
is(osml_sql($node, "SELECT osml_resume($other, '{\"if_running\": \"queue\"}', wait => false)"), 'queued', 'and resumed');
# two at once: one has it, and the other does no harm to it
osml_sql($node, "SELECT osml_cancel($other)");
@sessions = map { osml_session($node, "SELECT osml_resume($other, '{\"if_running\": \"queue\"}', wait => false)") } 1 .. 4;
$out = join("\n", map { join('', $_->finish) } @sessions);
like($out, qr/^queued$/m, 'one of four that resume it at once has it');
is(scalar(() = $out =~ /is going on already|which is queued/g), 3, 'the others are told');
is(osml_run($node, $other, 'status'), 'queued', 'and end nothing of it');
osml_sql($node, "SELECT osml_cancel($run)");
is(osml_sql($node, "SELECT osml_wait($other)"), 'finished', 'waits again, and finishes');
$run = endless('m');
$other = queue('m');
$node->stop('immediate');
$node->start;
is(osml_run($node, $other, 'status'), 'interrupted', 'the server dies');
is(osml_sql($node, "SELECT osml_resume($other)"), 'finished', 'what was queued then can be resumed');
osml_no_leftovers($node, 'ends of queued runs');
# whoever drops the extension does not wait for runs that wait
$node->safe_psql('postgres', 'CREATE DATABASE dropped');
osml_sql($node, q{CREATE EXTENSION osml; CREATE TABLE line AS SELECT 3.0::float8 * i + 1 AS y, i::float8 AS x FROM generate_series(1, 100) i}, dbname => 'dropped');
$run = osml_sql($node, "SELECT osml_train('line', '{$ENDLESS}', 'm', wait => false)", dbname => 'dropped');
@queued = map { scalar osml_sql($node, q{SELECT osml_train('line', '{"if_running": "queue"}', 'm', wait => false)}, dbname => 'dropped') } 1 .. 2;
# one of them has looked more than once whether it may start
osml_poll($node, q{SELECT count(*) = 2 FROM pg_stat_activity WHERE backend_type = 'osml queue' AND clock_timestamp() - query_start > '300 ms'});
is((osml_sql($node, 'DROP EXTENSION osml', dbname => 'dropped'))[1], '', 'DROP EXTENSION goes past queued runs');
ok(!osml_left($node), 'which end, as the one before them');
$node->safe_psql('postgres', 'DROP DATABASE dropped');

# --- a role's runs ---------------------------------------------------------------------

@queued = map { scalar osml_sql($node, "SELECT osml_train('line', '{$ENDLESS}', 'bob $_', wait => false)", user => 'bob') } 1 .. 2;
osml_fails($node, q{SELECT osml_train('line', '{}', 'bob 3')}, '53400',
	'role "bob" has 2 runs going on, as many as osml.max_runs allows.*HINT:  Wait for one of them with osml_wait, or set "if_running" to queue', 'a third run of a role that may have two', user => 'bob');
osml_fails($node, q{SELECT count(*) FROM osml_hparams(); SET osml.max_runs = 0}, '42501', 'permission denied', 'who may not raise it', user => 'bob');
is((osml_sql($node, q{SELECT count(osml_train('line', '{"max_epochs": 1}', 'eve'))}, user => 'eve'))[0], 1, 'other roles have runs of their own');
$other = osml_sql($node, q{SELECT osml_train('line', '{"max_epochs": 1, "if_running": "queue"}', 'bob 3', wait => false)}, user => 'bob');
is(osml_run($node, $other, 'status'), 'queued', 'a queued one waits for that too');
osml_sql($node, "SELECT osml_cancel($queued[0])");
is(osml_sql($node, "SELECT osml_wait($other)"), 'finished', 'and comes when there is room');
osml_sql($node, "SELECT osml_cancel($queued[1])");
# at once: some are refused, and never are there more than two
@sessions = map { osml_session($node, qq{SELECT osml_train('line', '{$ENDLESS}', 'bob $_', wait => false)}, user => 'bob') } 1 .. 8;
$out = join("\n", map { join('', $_->finish) } @sessions);
is(scalar(() = $out =~ /as many as osml.max_runs allows/g), 6, 'of eight at once six are refused');
is(osml_sql($node, "SELECT count(osml_cancel(run_id)) FROM osml.runs WHERE owner = 'bob' AND status = 'running'"), 2, 'and two run');
osml_no_leftovers($node, 'a role with a limit');

# --- many sessions -----------------------------------------------------------------------

my $many = q{SELECT osml_train('line', '{"max_epochs": 3, "if_running": "%s"}', '%s') FROM generate_series(1, 4)};
$run = osml_sql($node, 'SELECT max(run_id) FROM osml.runs');
@sessions = map { osml_session($node, sprintf($many, $_ % 2 ? 'start' : 'queue', $_ % 3 ? 'shared' : "own $_")) } 1 .. 9;
$_->finish foreach @sessions;
is(osml_sql($node, "SELECT count(*), count(*) FILTER (WHERE status = 'finished'), count(DISTINCT (model, version)) FROM osml.runs WHERE run_id > $run"), '36|36|36', 'nine sessions at once: all finish');
is(osml_sql($node, q{SELECT string_agg(model || ' ' || n || ' ' || least || ' ' || greatest, ', ' ORDER BY model) FROM
	(SELECT model, count(*) AS n, min(version) AS least, max(version) AS greatest FROM osml.models WHERE model = 'shared' OR model LIKE 'own %' GROUP BY model) m}),
	'own 3 4 1 4, own 6 4 1 4, own 9 4 1 4, shared 24 1 24', 'and number their versions one by one');
$run = osml_sql($node, 'SELECT max(run_id) FROM osml.runs');
@sessions = map { osml_session($node, sprintf($many, 'skip', 'shared')) } 1 .. 8;
$_->finish foreach @sessions;
is(osml_sql($node, "SELECT count(*) > 0 AND bool_and(before IS NULL OR started_at >= before) FROM (SELECT started_at, lag(ended_at) OVER (ORDER BY run_id) AS before FROM osml.runs WHERE run_id > $run) r"), 't', 'skip at once: never two beside each other');
osml_no_leftovers($node, 'many sessions');

done_testing();
