# Too little of everything: a run says which setting to change, its row says how it ended,
# nothing of it is left, and the next run works.
use strict;
use warnings;

use OsmlDisks temp => '6m', catalog => '2m', shared => '6m', wal => '12m';
use OsmlKills;
use OsmlTest;
use PostgreSQL::Test::Utils;
use Test::More;

# a server whose WAL can be put on a small disk
my $node = osml_node('limits', extra => [ '--wal-segsize', '1' ], max_connections => 12, log_min_messages => 'warning',
	superuser_reserved_connections => 0, min_wal_size => '2MB', max_wal_size => '4MB', wal_recycle => 'off',
	# nobody makes room in tables meanwhile
	autovacuum => 'off');
my ($run, $out, $err, $session);

osml_sql($node, q{
	CREATE TABLE wide AS SELECT sin(i) AS y, sin(i) AS a, cos(i) AS b, i AS c, -i AS d, abs(hashint4(i)) AS e
		FROM generate_series(1, 60000) i;
	-- rows that no table holds, some 60 MB of numbers
	CREATE VIEW large AS SELECT i AS y} . join('', map { ", i + $_ AS x$_" } 1 .. 30) . q{
		FROM (SELECT generate_series(1, 250000)::float8 AS i) t;
	CREATE TABLE much (t text);
	CREATE VIEW sorted AS SELECT * FROM wide ORDER BY e;
	CREATE VIEW greedy AS SELECT y, length(repeat('x', 200000000 + x::int)) AS x FROM line;
});
is(osml_sql($node, q{SELECT osml_train('line', '{"optimizer": "exact"}', 'kept') > 0}), 't', 'a model that is there before');
my $kept = osml_sql($node, q{SELECT md5(string_agg(weights, '' ORDER BY version)) FROM osml.model_version});

# A run that fails with this error, and leaves nothing.
sub fails
{
	my ($what, $sql, $sqlstate, $error, %params) = @_;
	my $before = osml_sql($node, 'SELECT max(run_id) FROM osml.run');

	osml_fill($params{full}) if $params{full};
	osml_fails($node, $sql, $sqlstate, $error, "$what: error");
	osml_free($params{full}) if $params{full};
	$run = osml_sql($node, "SELECT run_id FROM osml.run WHERE run_id > $before");
	if ($params{starts} // 1)
	{
		is(osml_run($node, $run, 'status'), 'failed', "$what: status");
		like(osml_run($node, $run, 'error'), qr/$error/s, "$what: the row has the error");
	}
	else
	{
		is($run, '', "$what: no run is started");
	}
	osml_no_leftovers($node, $what);
}

# --- osml.max_memory, osml.max_spill -----------------------------------------------------

my $little = q{SET osml.max_memory = '1MB'};
fails('a model beyond osml.max_memory', qq{$little; SELECT osml_train('wide', '{"model_type": "mlp", "num_hidden_neurons": [400, 400]}')},
	'53400', 'more(?: memory)? than osml.max_memory allows.*Raise osml.max_memory');
fails('exact least squares beyond osml.max_memory', qq{$little; SELECT osml_train('SELECT y, } . join(', ', map { "a + $_ AS a$_" } 1 .. 400) . qq{ FROM wide', '{"optimizer": "exact"}', 'm')},
	'53400', 'more than osml.max_memory allows.*Raise osml.max_memory');
fails('categories beyond osml.max_memory', qq{$little; SELECT osml_train('SELECT y, md5(c::text) AS k FROM wide', '{}', 'm')},
	'53400', 'more memory than osml.max_memory allows.*Raise osml.max_memory');
fails('lanes beyond osml.max_spill', qq{$little; SET osml.max_spill = '100kB'; SELECT osml_train('wide', '{"lanes": 2}')},
	'53400', 'do not fit osml.max_memory and osml.max_spill, which "lanes" needs.*Raise osml.max_spill');
fails('validation beyond osml.max_spill', qq{$little; SET osml.max_spill = '100kB'; SELECT osml_train('wide', '{"val_fraction": 0.5, "val_check_interval": 5}')},
	'53400', 'do not fit osml.max_memory and osml.max_spill, which "val_check_interval" needs.*Raise osml.max_spill');
foreach my $workers (0, 2)
{
	$run = osml_sql($node, qq{$little; SET osml.max_spill = '1MB'; SELECT osml_train('wide', '{"max_epochs": 2, "num_workers": $workers}', 'reread')});
	is(osml_run($node, $run, q{status || (SELECT string_agg(message, '') FROM osml.events e WHERE e.run_id = runs.run_id)}),
		'finishedthe training rows exceed osml.max_memory and osml.max_spill and are read again each epoch, in blocks of the table drawn at random',
		"rows beyond osml.max_spill, $workers readers: an event names the settings");
}
osml_fails($node, qq{$little; SELECT count(*) FROM osml_analyze('SELECT y} . join('', map { ", a + $_ AS a$_" } 1 .. 20) . q{ FROM wide')},
	'53400', 'more than osml.max_memory allows.*Raise osml.max_memory', 'an analysis beyond osml.max_memory');

# --- temp_file_limit -------------------------------------------------------------------------

fails('rows beyond temp_file_limit', qq{$little; SET temp_file_limit = '100kB'; SELECT osml_train('wide')},
	'53400', 'temporary file size exceeds temp_file_limit');
fails("rows beyond temp_file_limit, with readers", qq{$little; SET temp_file_limit = '100kB'; SELECT osml_train('wide', '{"num_workers": 2}')},
	'53400', 'temporary file size exceeds temp_file_limit');
foreach my $workers (0, 1)
{
	fails("a query beyond temp_file_limit, $workers readers", qq{SET work_mem = '64kB'; ALTER ROLE postgres SET work_mem = '64kB'; SET temp_file_limit = '100kB';
		SELECT osml_train('sorted', '{"num_workers": $workers}')}, '53400', 'temporary file size exceeds temp_file_limit');
}
osml_sql($node, 'ALTER ROLE postgres RESET work_mem');

# --- connections, workers, processes, locks -------------------------------------------------------

# workers are not counted among connections
my @held = map { $node->background_psql('postgres') } 1 .. 12;
like((osml_sql($node, 'SELECT 1'))[1], qr/sorry, too many clients already/, 'max_connections is reached');
$held[0]->query_safe(q{SELECT osml_train('line', '{"optimizer": "exact"}', 'connected'); SELECT osml_train('line', '{"num_workers": 2}', 'connected')});
$run = $held[0]->query_safe(q{SELECT osml_train('line', '{"num_workers": 2, "max_epochs": 1}', 'connected', wait => false)});
is($held[0]->query_safe("SELECT osml_wait($run)"), 'finished', 'max_connections reached: a session that is there trains, waiting or not');
$_->quit foreach @held;
osml_sql($node, q{CREATE ROLE bob LOGIN});
foreach my $limit ('ROLE bob', 'DATABASE postgres')
{
	$session = $node->background_psql('postgres', extra_params => [ '-U', 'bob' ]);
	osml_sql($node, "ALTER $limit CONNECTION LIMIT 0");
	is($session->query_safe(q{SELECT count(osml_train('line', '{"max_epochs": 1, "num_workers": 1}', 'limited'))}), 1, "ALTER $limit CONNECTION LIMIT: neither");
	$session->quit;
	osml_sql($node, "ALTER $limit CONNECTION LIMIT -1");
}
osml_no_leftovers($node, 'connections');

# A statement of a session that was there before, which must fail and leave nothing.
sub fails_within
{
	my ($what, $session, $sql, $error) = @_;

	$session->query($sql);
	like($session->{stderr}, qr/$error/s, "$what: error");
	$session->{stderr} = '';
}

sub client
{
	return $node->background_psql('postgres', on_error_stop => 0, @_);
}

my $client = client(extra_params => [ '-U', 'bob' ]);
osml_sql($node, 'ALTER ROLE bob NOLOGIN');
fails_within('a role that may no longer connect', $client, q{SELECT osml_train('line', '{}', 'limited')},
	'could not start the trainer.*HINT:.*server log.*the role or the database no longer allows connections');
$client->quit;
osml_no_leftovers($node, 'a role that may no longer connect');

# all slots have their workers, until one of them ends
$node->append_conf('postgresql.conf', "max_worker_processes = 3\nmax_logical_replication_workers = 0");
$node->restart;
$session = osml_sql($node, q{SELECT osml_train('slow', '{"num_workers": 2}', 'first', wait => false)});
osml_poll($node, q{SELECT count(*) = 3 FROM pg_stat_activity WHERE backend_type LIKE 'osml %'});
$run = osml_sql($node, 'SELECT max(run_id) FROM osml.run');
foreach my $arguments (q{'{}'}, q{'{"if_running": "queue"}', 'first', wait => false}, q{'{"num_workers": 1}', 'm'}, q{'{}', 'm', wait => false})
{
	osml_fails($node, "SELECT osml_train('line', $arguments)", '53400', 'no background worker slot is free for the \w+.*HINT:  Raise max_worker_processes \(now 3\)', "no slot: ($arguments)");
}
is(osml_sql($node, 'SELECT max(run_id) FROM osml.run'), $run, 'no slot: no run is started');
osml_sql($node, "SELECT osml_cancel($session)");
osml_no_leftovers($node, 'no slot');
$node->append_conf('postgresql.conf', 'max_worker_processes = 32');
$node->restart;

# The postmaster's own limits hold for whatever it starts.  undef puts back what was there.
my %soft;

sub limit_server
{
	my ($what, $limit) = @_;
	my @command = ('prlimit', '--pid', osml_postmaster($node));

	chomp($soft{$what} //= `@command --$what --noheadings -o SOFT 2>/dev/null`);
	return $soft{$what} ne '' && system(@command, "--$what=" . ($limit // $soft{$what}) . ':') == 0;
}

SKIP:
{
	skip 'the limits of a process cannot be set here: no prlimit', 1 unless limit_server('nproc') && limit_server('as');

	$client = client();
	limit_server('nproc', 1);
	fails_within('no process', $client, qq{SELECT osml_train('line')}, 'could not start the trainer.*HINT:.*memory or processes may be used up');
	fails_within('no process for readers', $client, qq{SELECT osml_train('line', '{"num_workers": 2}')}, 'could not start the trainer.*HINT:.*memory or processes may be used up');
	limit_server('nproc');
	$client->quit;
	osml_no_leftovers($node, 'no process');

	# address space: what the postmaster has, and so much more
	my ($pages) = split ' ', slurp_file('/proc/' . osml_postmaster($node) . '/statm');
	my $reserve = 4096 * $pages + 40 * 1024 * 1024;
	my $enough = q{SET osml.max_memory = '8MB'};

	foreach my $workers (0, 2)
	{
		limit_server('as', $reserve);
		$run = osml_sql($node, 'SELECT max(run_id) FROM osml.run');
		osml_fails($node, qq{SELECT osml_train('large', '{"num_workers": $workers}')}, '53200', 'osml run \d+ failed: out of memory.*HINT:.*less memory than osml.max_memory \(\d+ kB\) allows the run: lower it',
			"out of memory, $workers readers: error");
		osml_fails($node, qq{SELECT osml_train('greedy', '{"num_workers": $workers}')}, '53200', 'out of memory', "out of memory in a query, $workers readers: error");
		is(osml_sql($node, qq{SELECT string_agg(status || (error LIKE 'out of memory%'), ' ') FROM osml.runs WHERE run_id > $run}), 'failedtrue failedtrue', "out of memory, $workers readers: the rows say so");
		is(osml_sql($node, qq{$enough; SELECT count(osml_train('large', '{"max_epochs": 1, "num_workers": $workers}'))}), 1, "out of memory, $workers readers: with a lower osml.max_memory it goes");
		# OpenBLAS would ask for memory for ever
		SKIP:
		{
			skip 'osml_blas is not installed', 1 unless -e $node->config_data('--pkglibdir') . '/osml_blas.so';
			osml_fails($node, qq{SELECT osml_train('wide', '{"model_type": "mlp", "num_hidden_neurons": [100, 100], "num_workers": $workers}')}, '53200',
				'osml run \d+ failed: out of memory.*OpenBLAS.*HINT:.*what the system lets a process', "out of memory for wide layers, $workers readers: error");
		}
		limit_server('as');
		osml_no_leftovers($node, "out of memory, $workers readers");
	}
}

# --- a full disk -------------------------------------------------------------------------------

SKIP:
{
	skip 'no disk can be mounted here: unshare -Urm does not work', 1 unless osml_disk('temp');

	# what rows, segments and tables of the catalog are on
	$node->stop;
	my $data = $node->data_dir;
	foreach my $case ([ temp => 'base/pgsql_tmp' ], [ shared => 'pg_dynshmem' ])
	{
		my ($disk, $folder) = @$case;

		system('rm', '-rf', "$data/$folder") == 0 or die;
		chmod 0700, osml_disk($disk);
		symlink osml_disk($disk), "$data/$folder" or die "$folder: $!";
	}
	$node->start;

	# have every end of a run say how many temp files there are
	osml_sql($node, q{CREATE TABLE left_over (run_id bigint, files bigint);
		CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			INSERT INTO public.left_over SELECT NEW.run_id, count(*) FROM pg_ls_tmpdir();
			RETURN NEW;
		END $$;
		CREATE TRIGGER look BEFORE UPDATE ON osml.run FOR EACH ROW WHEN (NEW.status = 'failed') EXECUTE FUNCTION look()});
	foreach my $workers (0, 2)
	{
		fails("a full disk for rows, $workers readers", qq{SET osml.max_memory = '3MB'; SELECT osml_train('large', '{"num_workers": $workers}')}, '53100',
			'could not write rows to a temporary file: No space left on device.*HINT:.*Free disk space, raise osml.max_memory, or lower osml.max_spill');
		is(osml_sql($node, "SELECT files FROM left_over WHERE run_id = $run"), 0, "a full disk for rows, $workers readers: they are gone when the run says so");
		$run = osml_sql($node, qq{SET osml.max_memory = '3MB'; SET osml.max_spill = '3MB'; SELECT osml_train('large', '{"max_epochs": 1, "num_workers": $workers}', 'hint')});
		is(osml_run($node, $run, 'status'), 'finished', "a full disk for rows, $workers readers: with a lower osml.max_spill it goes");
	}
	osml_sql($node, 'DROP TRIGGER look ON osml.run');
	foreach my $workers (0, 1)
	{
		fails("a full disk for a query, $workers readers", qq{SET work_mem = '64kB'; ALTER ROLE postgres SET work_mem = '64kB'; SELECT osml_train('sorted', '{"num_workers": $workers}')}, '53100',
			'could not write to file.*No space left on device', full => 'temp');
	}
	osml_sql($node, 'ALTER ROLE postgres RESET work_mem');

	# shared memory: a run takes a megabyte, and one for each reader
	fails('no room for shared memory', q{SELECT osml_train('line')}, '53100', 'No space left on device.*HINT:.*A run takes \d+ kB of shared memory.*dynamic_shared_memory_type', full => 'shared', starts => 0);
	fails('no room for that of many readers', q{SELECT osml_train('line', '{"num_workers": 8}')}, '53100', 'No space left on device.*HINT:.*A run takes \d+ kB of shared memory.*1 MB of it for each reader', starts => 0);

	# metrics and models
	my $disk = osml_disk('catalog');
	mkdir "$disk/tables", 0700;
	osml_sql($node, qq{CREATE TABLESPACE small LOCATION '$disk/tables'});
	foreach my $table ('metric', 'model_version')
	{
		osml_sql($node, "ALTER TABLE osml.$table SET TABLESPACE small");
		fails("a full disk for osml.$table", q{SET osml.max_metric_rows = 100000;
			SELECT osml_train('wide', '{"model_type": "mlp", "num_hidden_neurons": [100, 100], "max_epochs": 3, "log_every_n_steps": 1}', 'kept')},
			'53100', 'could not extend file.*No space left on device.*Check free disk space', full => 'catalog');
		is(osml_run($node, $run, 'version'), '', "a full disk for osml.$table: there is no version");
		osml_sql($node, "ALTER TABLE osml.$table SET TABLESPACE pg_default");
	}

	# WAL: the server itself ends, and starts when there is room
	foreach my $call (q{osml_train('wide', '{"max_batches": 1000000000000, "log_every_n_steps": 1, "every_n_train_steps": 1000}', 'full')},
		q{osml_train('wide', '{"max_batches": 1000000000000, "log_every_n_steps": 1, "num_workers": 2}', 'full', wait => false)})
	{
		$node->stop;
		unless (-l "$data/pg_wal")
		{
			system('cp', '-a', "$data/pg_wal/.", osml_disk('wal')) == 0 or die;
			system('rm', '-rf', "$data/pg_wal") == 0 or die;
			chmod 0700, osml_disk('wal');
			symlink osml_disk('wal'), "$data/pg_wal" or die;
		}
		$node->start;
		$run = osml_sql($node, 'SELECT max(run_id) FROM osml.run');
		osml_sql($node, 'SELECT pg_switch_wal(); CHECKPOINT');
		$session = osml_session($node, "SELECT $call;\n\\q\n");
		osml_poll($node, "SELECT count(*) = 1 FROM osml.runs WHERE run_id > $run AND steps > 0") or die "no steps: " . join("", $session->finish) . osml_sql($node, "SELECT r FROM osml.runs r ORDER BY run_id DESC LIMIT 2");
		my $logged = length slurp_file($node->logfile);
		osml_fill('wal');
		# whether the server comes back by itself depends on what of WAL it can use again
		osml_sql($node, q{INSERT INTO much SELECT repeat('much', 100) FROM generate_series(1, 30000)});
		like(substr(slurp_file($node->logfile), $logged), qr/PANIC:.*No space left on device/, 'a full disk for WAL: the server ends');
		$session->finish;
		osml_free('wal');
		$node->stop('immediate', fail_ok => 1);
		$node->start;
		$run = osml_sql($node, 'SELECT max(run_id) FROM osml.run');
		is(osml_run($node, $run, 'status'), 'interrupted', 'a full disk for WAL: status once the server is back');
		is(osml_sql($node, q{SELECT md5(string_agg(weights, '' ORDER BY version)) FROM osml.model_version v JOIN osml.model m USING (model_id) WHERE m.name = 'kept'}), $kept,
			'a full disk for WAL: models are there');
		osml_no_leftovers($node, 'a full disk for WAL');
	}
}

$node->stop;
done_testing();
