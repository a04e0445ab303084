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

osml_no_leftovers($node, 'all attacks');
$node->stop;
done_testing();
