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

osml_no_leftovers($node, 'all attacks');
$node->stop;
done_testing();
