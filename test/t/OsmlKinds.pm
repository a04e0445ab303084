# OsmlKinds.pm: runs of every kind, for the test that kills them.
#
# kinds() makes what they read and returns them as name => {...}:
#
#	call		what is selected
#	set			settings before it
#	before		SQL that makes the call possible, each time
#	holds		a query that is true after each such run that has finished
#	waits		does the session wait for the end
#	readers		reader workers (a run that nobody waits for has one at least)
#	continue	does it go on when its client is lost
#	restarts	does it go on by itself after a restart of the server
#	versions	models that a finished run stores; 0 where it keeps none
#	same		is every such run the same to the bit
package OsmlKinds;

use strict;
use warnings;

use Exporter 'import';
use OsmlTest;

our @EXPORT = qw(osml_kinds);

sub osml_kinds
{
	my ($node) = @_;

	osml_sql($node, q{
		CREATE TABLE rows AS SELECT sin(i) * 3 + i % 7 + CASE i % 5 WHEN 2 THEN 4 ELSE 0 END AS y,
			sin(i) AS a, (i % 7)::float8 AS b, abs(hashint4(i)) % 1000 / 1000.0::float8 AS c,
			'k' || i % 5 AS k, i FROM generate_series(1, 30000) i;
		-- slow enough for a pass to take longer than a moment
		CREATE VIEW slowly AS SELECT y, a, b, c + 0 * length(repeat(md5(i::text), 99)) AS c, k FROM rows;
		CREATE VIEW numbers AS SELECT y, a, b, c FROM slowly;
		CREATE TABLE held AS SELECT * FROM slowly LIMIT 6000;
		CREATE VIEW classes AS SELECT 'class ' || (a * 2 + b / 3)::int AS y, a, b, c, k FROM slowly;
		SELECT osml_create_dataset('judged', 'slowly', label => 'y', val => 'held', test => 'held');
		SELECT osml_create_dataset('defined', 'slowly', label => 'y');
		SELECT osml_bin('defined', '{a,c}'::text[], 12, method => 'quantile');
		SELECT osml_transform('defined', 'b', 'impute', '{"method": "median"}');
		SELECT osml_cross('defined', 'pair', '{a_bin,k}'::text[]);
		CREATE TABLE stream (y float8, a float8, at bigint GENERATED ALWAYS AS IDENTITY);
	});
	my $spill = q{SET osml.max_memory = '1MB'};
	my $reread = qq{SET osml.max_memory = '2MB'; SET osml.max_spill = 0};
	my $network = '"model_type": "mlp", "num_hidden_neurons": [8], "dropout": 0.1,
		"batch_norm_linear_layers": true, "shuffle": "epoch", "every_n_train_steps": 200';
	my %kinds = (
		streamed => { waits => 1,
			call => q{osml_train('numbers', '{"max_epochs": 1, "batch_size": 4, "shuffle": "none",
				"scale": "none", "scale_label": "none", "lr": 0.001}', 'streamed')} },
		'read by the client' => { waits => 1,
			call => q{osml_train('slowly', '{"max_epochs": 120, "val_fraction": 0.1,
				"shuffle": "epoch", "every_n_train_steps": 500}', 'read by the client')} },
		'read by workers' => { waits => 1, readers => 2,
			call => q{osml_train('slowly', '{"max_epochs": 1000, "num_workers": 2,
				"every_n_train_steps": 9000}', 'read by workers')} },
		network => { waits => 1, versions => 3,
			call => qq{osml_train('judged', '{$network, "max_epochs": 40, "save_top_k": 3}', 'network')} },
		'network, not awaited' => { readers => 1, versions => 2,
			call => qq{osml_train('judged', '{$network, "max_epochs": 40, "save_top_k": 1, "save_last": true}',
				'network, not awaited', wait => false)} },
		classes => { readers => 2,
			call => q{osml_train('classes', '{"max_epochs": 60, "num_workers": 2, "val_fraction": 0.2}', 'classes', wait => false)} },
		exact => { waits => 1, readers => 1,
			call => q{osml_train('slowly', '{"optimizer": "exact", "num_workers": 1}', 'exact')} },
		definitions => { waits => 1, readers => 1, continue => 1,
			call => q{osml_train('defined', '{"max_epochs": 200, "num_workers": 1, "on_disconnect": "continue",
				"val_fraction": 0.1}', 'definitions')} },
		'goes on alone' => { waits => 1, continue => 1,
			call => q{osml_train('slowly', '{"max_epochs": 1000, "on_disconnect": "continue"}', 'goes on alone')} },
		spilled => { waits => 1, readers => 1, set => $spill,
			call => q{osml_train('slowly', '{"max_epochs": 60, "num_workers": 1, "val_fraction": 0.1,
				"every_n_train_steps": 300}', 'spilled')} },
		'read again' => { waits => 1, readers => 2, set => $reread,
			call => q{osml_train('rows', '{"max_epochs": 25, "num_workers": 2, "shuffle": "epoch",
				"every_n_train_steps": 60}', 'read again')} },
		'read again by the client' => { waits => 1, set => $reread,
			call => q{osml_train('rows', '{"max_epochs": 25, "shuffle": "none"}', 'read again by the client')} },
		restarted => { readers => 1, restarts => 1,
			call => q{osml_train('slowly', '{"max_epochs": 600, "restart": true, "every_n_train_steps": 4000}',
				'restarted', wait => false)} },
		'restarted, awaited' => { waits => 1, readers => 1, restarts => 1, continue => 1,
			call => q{osml_train('slowly', '{"max_epochs": 600, "restart": true, "num_workers": 1, "on_disconnect": "continue",
				"every_n_train_steps": 4000}', 'restarted, awaited')} },
		queued => {
			before => q{SELECT osml_train('slowly', '{"max_epochs": 1500}', 'queued', wait => false)},
			call => q{osml_train('slowly', '{"max_epochs": 200, "if_running": "queue"}', 'queued', wait => false)} },
		'queued, awaited' => { waits => 1,
			before => q{SELECT osml_train('slowly', '{"max_epochs": 1500}', 'queued, awaited', wait => false)},
			call => q{osml_train('slowly', '{"max_epochs": 200, "if_running": "queue"}', 'queued, awaited')} },
		'learning rate' => { waits => 1, versions => 0,
			call => q{count(*) FROM osml_find_lr('slowly', '{"batch_size": 2048}', num_training => 2000)} },
		'new rows' => { waits => 1, same => 0,
			# what a run that came to nothing had read is read by the next
			holds => q{SELECT sum(train_rows) = (SELECT count(*) FROM stream)
				FROM osml.model_version JOIN osml.model m USING (model_id) WHERE m.name = 'new rows'},
			before => q{INSERT INTO stream (y, a) SELECT i, i + random() FROM generate_series(1, 20000) i},
			call => q{osml_train('stream', '{"since": "at", "warm_start": true, "max_epochs": 20}', 'new rows')} });

	# Each of these starts from a run that was interrupted on its way.
	foreach my $kind ('network', 'spilled', 'read again')
	{
		$kinds{"$kind, resumed"} = { %{ $kinds{$kind} }, resumes => $kind };
	}
	foreach my $kind (values %kinds)
	{
		%$kind = (set => '', before => '', holds => '', waits => 0, readers => 0, continue => 0, restarts => 0,
			resumes => '', versions => 1, same => 1, %$kind);
	}
	return %kinds;
}

1;
