# Logical replication of a table that is trained on, at either end: neither waits for the other.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $publisher = osml_node('publisher', allows_streaming => 'logical', wal_level => 'logical');
my $subscriber = osml_node('subscriber', wal_level => 'logical');
my ($run, $session, $n);

foreach my $node ($publisher, $subscriber)
{
	osml_sql($node, q{CREATE TABLE trips (id int PRIMARY KEY, y float8, x float8);
		CREATE TABLE calls (id int PRIMARY KEY)});
}
osml_sql($publisher, 'INSERT INTO trips SELECT i, 3 * i + 1, i FROM generate_series(1, 1000) i');
# all tables: osml's own are among them, and of no use on the other side
osml_sql($publisher, 'CREATE PUBLICATION everything FOR ALL TABLES; CREATE PUBLICATION trips FOR TABLE trips, calls');
osml_sql($subscriber, 'CREATE SUBSCRIPTION trips CONNECTION $$' . $publisher->connstr('postgres') . '$$ PUBLICATION trips');
$subscriber->wait_for_subscription_sync($publisher, 'trips');

sub add
{
	my ($n) = @_;

	osml_sql($publisher, "INSERT INTO trips SELECT max(id) + i, 1e9, 1 FROM trips, generate_series(1, $n) i GROUP BY i");
	$publisher->wait_for_catchup('trips');
}

# --- the subscriber trains --------------------------------------------------------------

$run = osml_sql($subscriber, q{SELECT osml_train('SELECT y, x FROM trips', '{"optimizer": "exact"}', 'exact')});
is(osml_run($subscriber, $run, q{summary ->> 'train_rows'}), '1000', 'a subscriber trains');
is(osml_sql($subscriber, q{SELECT round(osml_predict('exact', 1000.0)::numeric, 6)}), '3001.000000', 'to what the rows say');

# A view that stops where the test wants it to: rows arrive while a run is reading.
osml_sql($subscriber, q{
	CREATE FUNCTION gate(x float8) RETURNS float8 LANGUAGE plpgsql AS
		$$BEGIN IF x = 500 THEN PERFORM pg_advisory_lock_shared(1), pg_advisory_unlock_shared(1); END IF; RETURN x; END$$;
	CREATE VIEW gated AS SELECT y, gate(x) AS x FROM trips});
foreach my $how ([ 'by the session', 'true', 0 ], [ 'by a reader', 'false', 1 ])
{
	my ($what, $wait, $readers) = @$how;
	my $rows = osml_sql($subscriber, 'SELECT count(*) FROM trips');
	my $gate = osml_session($subscriber, 'SELECT pg_advisory_lock(1); SELECT pg_sleep(3600)');

	osml_poll($subscriber, q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND granted}) or die 'no gate';
	$session = osml_session($subscriber, qq{SELECT osml_train('gated', '{"optimizer": "exact", "num_workers": $readers}', 'gated', wait => $wait)});
	osml_poll($subscriber, q{SELECT count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted}) or die 'not reading';
	add(100);
	is(osml_sql($subscriber, 'SELECT count(*) FROM trips'), $rows + 100, "rows arrive while a run reads $what");
	osml_sql($subscriber, q{SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted});
	$gate->{run}->finish;
	($run) = $session->finish;
	osml_wait_status($subscriber, $run, 'finished', "which finishes, $what");
	is(osml_run($subscriber, $run, q{summary ->> 'train_rows'}), $rows, 'over the rows of its snapshot');
}
# A run over the table itself, with readers, for as long as rows arrive.
$run = osml_sql($subscriber, qq{SELECT osml_train('trips', '{"label": "y", $ENDLESS, "num_workers": 2}', 'long', wait => false)});
osml_poll($subscriber, "SELECT steps > 0 FROM osml.runs WHERE run_id = $run");
add(10) for 1 .. 5;
osml_sql($publisher, 'UPDATE trips SET y = 3 * x + 1; DELETE FROM trips WHERE id > 1000');
$publisher->wait_for_catchup('trips');
is(osml_run($subscriber, $run, 'status'), 'running', 'rows come, change and go, the run goes on');
osml_sql($subscriber, "SELECT osml_cancel($run)");
is(osml_sql($subscriber, 'SELECT count(*), sum(y) FROM trips'), '1000|1502500', 'and the rows are those of the publisher');

# What comes may be a reason to train: in the trigger of the apply worker itself.
osml_sql($subscriber, q{
	CREATE TABLE outcome (run bigint, error text);
	CREATE FUNCTION retrain() RETURNS trigger LANGUAGE plpgsql AS
		$$BEGIN
			INSERT INTO public.outcome VALUES (public.osml_train('SELECT y, x FROM public.trips', '{"optimizer": "exact"}', 'applied', wait => NEW.id = 1));
			RETURN NULL;
		EXCEPTION WHEN OTHERS THEN
			INSERT INTO public.outcome VALUES (NULL, SQLERRM);
			RETURN NULL;
		END$$;
	CREATE TRIGGER retrain AFTER INSERT ON calls FOR EACH ROW EXECUTE FUNCTION retrain();
	ALTER TABLE calls ENABLE ALWAYS TRIGGER retrain});
foreach my $call (1, 2)
{
	osml_sql($publisher, "INSERT INTO calls VALUES ($call)");
	$publisher->wait_for_catchup('trips');
	is(osml_sql($subscriber, "SELECT count(run), string_agg(error, ',') FROM outcome"), "$call|", 'the apply worker starts a run' . ($call == 1 ? ' and waits for it' : ''));
	osml_poll($subscriber, q{SELECT every(status <> 'running') FROM osml.runs WHERE model = 'applied'});
}
is(osml_sql($subscriber, q{SELECT string_agg(DISTINCT status, ','), count(*) FROM osml.runs WHERE model = 'applied'}), 'finished|2', 'and it finishes');
osml_no_leftovers($subscriber, 'subscriber');

# --- the publisher trains ---------------------------------------------------------------

$run = osml_sql($publisher, qq{SELECT osml_train('trips', '{"label": "y", $ENDLESS, "num_workers": 1}', 'long', wait => false)});
osml_poll($publisher, "SELECT steps > 0 FROM osml.runs WHERE run_id = $run");
add(100);
is(osml_sql($subscriber, 'SELECT count(*) FROM trips'), '1100', 'a run of the publisher holds up nothing');
osml_sql($publisher, "SELECT osml_cancel($run)");
$run = osml_sql($publisher, q{SELECT osml_train('trips', '{"label": "y", "max_epochs": 2}', 'all')});
is(osml_run($publisher, $run, q{summary ->> 'train_rows'}), '1100', 'with all tables published');
is(osml_sql($publisher, q{SELECT osml_drop_model('all'); SELECT count(*) FROM osml.models WHERE model = 'all'}), "\n0", 'also what changes and deletes rows of its own tables');
osml_no_leftovers($publisher, 'publisher');

$subscriber->stop;
$publisher->stop;
done_testing();
