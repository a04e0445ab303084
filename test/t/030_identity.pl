# Who trains, and what each role sees and may do.
use strict;
use warnings;

use OsmlTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('identity');
my ($run, $out, $err);

osml_sql($node, q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE bob LOGIN;
	CREATE ROLE carol LOGIN;
	CREATE ROLE team NOLOGIN;
	CREATE ROLE watcher LOGIN IN ROLE pg_monitor;
	GRANT team TO alice;
	GRANT CREATE ON SCHEMA public TO alice, bob, team;

	CREATE TABLE team_line AS SELECT * FROM line;
	ALTER TABLE team_line OWNER TO team;

	-- rows of tenants in turn, over enough pages for two readers
	CREATE TABLE tenants WITH (fillfactor = 10) AS
		SELECT CASE WHEN i % 10 < 3 THEN 'alice' ELSE 'bob' END AS tenant,
			2.0::float8 * i AS y, i::float8 AS x
		FROM generate_series(1, 10000) i;
	ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
	CREATE POLICY own ON tenants USING (tenant = current_user);
	GRANT SELECT ON tenants TO alice, bob, team;

	CREATE TABLE columns WITH (fillfactor = 10) AS
		SELECT y, x AS open, 0.0::float8 AS secret
		FROM line, generate_series(1, 100);
	GRANT SELECT (y, open) ON columns TO alice;

	CREATE TABLE bobs AS SELECT * FROM line;
	ALTER TABLE bobs OWNER TO bob;
});

sub trained
{
	my ($model) = @_;

	return scalar osml_sql($node, qq{SELECT owner || ' ' || train_rows
		FROM osml.models WHERE model = '$model' ORDER BY version DESC LIMIT 1});
}

# who reads: the client, a reader, two readers, and a reader of a run nobody waits for
my @readers = (
	[ 'client', 'num_workers": 0', 'true' ],
	[ 'reader', 'num_workers": 1', 'true' ],
	[ 'two readers', 'num_workers": 2', 'true' ],
	[ 'reader alone', 'num_workers": 1', 'false' ]);

# SQL that trains to the end, however: messages of all that went wrong
sub train
{
	my ($arguments, $how, %params) = @_;
	my $hparams = '"max_batches": 3, "batch_size": 100000, ' . ($params{hparams} || '');
	my ($source, $model) = @$arguments;
	my $sql = ($params{before} || '') . qq{;
		SELECT osml_wait(osml_train('$source', '{$hparams "$how->[1]}', '$model', wait => $how->[2]));
		SELECT error FROM osml.runs ORDER BY run_id DESC LIMIT 1};

	return join("\n", osml_sql($node, $sql, %params));
}

# --- roles that train -----------------------------------------------------------------

foreach my $how (@readers)
{
	my $by = $how->[0];

	like(train([ 'line', "alices $by" ], $how, user => 'alice'),
		qr/^finished\n*$/, "a plain role trains, $by");
	is(trained("alices $by"), 'alice 100', "and owns its model, $by");

	like(train([ 'team_line', "teams $by" ], $how, user => 'alice', before => 'SET ROLE team'),
		qr/^finished\n*$/, "SET ROLE to a role that cannot log in, $by");
	is(trained("teams $by"), 'team 100', "which owns its model, $by");

	like(train([ 'bobs', "sessions $by" ], $how, before => 'SET SESSION AUTHORIZATION bob'),
		qr/^finished\n*$/, "SET SESSION AUTHORIZATION, $by");
	is(trained("sessions $by"), 'bob 100', "which owns its model, $by");

	like(train([ 'bobs', "refused $by" ], $how, user => 'alice'),
		qr/42501: permission denied for table bobs/, "a table of another role, $by");

	# --- row security

	like(train([ 'tenants', "tenants $by" ], $how, user => 'alice',
			hparams => '"label": "y", "features": ["x"],'),
		qr/^finished\n*$/, "a table with row security, $by");
	is(trained("tenants $by"), 'alice 3000', "only one's own rows are read, $by");
	like(train([ 'tenants', "roles $by" ], $how, user => 'alice',
			before => 'SET ROLE team', hparams => '"label": "y", "features": ["x"],'),
		qr/has no rows to train on/, "the policy sees the current role, $by");
	like(train([ 'tenants', "off $by" ], $how, user => 'alice',
			before => 'SET row_security = off', hparams => '"label": "y", "features": ["x"],'),
		qr/query would be affected by row-level security policy for table "tenants"/,
		"row_security off is an error, $by");

	# --- column privileges

	like(train([ 'columns', "columns $by" ], $how, user => 'alice', hparams => '"features": ["open"],'),
		qr/^finished\n*$/, "columns one may read, $by");
	is(trained("columns $by"), 'alice 10000', "all rows of them, $by");
	like(train([ 'columns', "secret $by" ], $how, user => 'alice', hparams => '"features": ["open", "secret"],'),
		qr/permission denied for table columns/, "a column one may not read, $by");
}
is( osml_sql($node, q{SELECT value FROM osml_evaluate('tenants client', 'tenants')
		WHERE metric = 'rows_used'}, user => 'alice'),
	'3000', 'osml_evaluate keeps to row security');
osml_fails($node, q{SELECT osml_train('columns')}, '42501', 'permission denied',
	'all columns, one of them forbidden', user => 'alice');

# --- a function with its owner's rights --------------------------------------------------

osml_sql($node, q{
	CREATE FUNCTION train_bobs(workers int, wait bool) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
	BEGIN
		RETURN osml_wait(osml_train('bobs', jsonb_build_object('max_batches', 3, 'num_workers', workers),
			format('defined %s %s', workers, wait), wait));
	END$$}, user => 'bob');
foreach my $case ([ 0, 'true' ], [ 2, 'true' ], [ 1, 'false' ])
{
	my ($workers, $wait) = @$case;

	is(osml_sql($node, "SELECT train_bobs($workers, $wait)", user => 'alice'),
		'finished', "SECURITY DEFINER with $workers readers, wait $wait");
	is(trained(sprintf('defined %s %s', $workers, substr($wait, 0, 1))),
		'bob 100', 'trains as its owner');
}

# --- the caller's settings -----------------------------------------------------------------

# 23:30 UTC on 30 June 2020, as text in the session's style and zone, and a
# function that finds its table through search_path
osml_sql($node, q{
	CREATE SCHEMA one;
	CREATE SCHEMA two;
	CREATE TABLE one.factor AS SELECT 1.0::float8 AS f;
	CREATE TABLE two.factor AS SELECT 2.0::float8 AS f;
	GRANT USAGE ON SCHEMA one, two TO alice;
	GRANT SELECT ON one.factor, two.factor TO alice;
	CREATE FUNCTION factor() RETURNS float8 LANGUAGE plpgsql AS
		'BEGIN RETURN (SELECT f FROM factor); END';
	CREATE VIEW styles AS
		SELECT y, x, substr(t::text, 12, 2)::float8 AS hour,
			substr(t::text, 1, 2)::float8 AS lead,
			length(('1 day'::interval)::text)::float8 AS width, factor() AS factor
		FROM line, (SELECT '2020-06-30 23:30+00'::timestamptz AS t) t;
	GRANT SELECT ON styles TO alice});
foreach my $how (@readers)
{
	my $by = $how->[0];

	train([ 'public.styles', "styles $by" ], $how, user => 'alice',
		before => q{SET search_path = two, public; SET TimeZone = 'Asia/Tokyo';
			SET DateStyle = 'SQL, DMY'; SET IntervalStyle = 'iso_8601'});
	is( osml_sql($node, qq{SELECT string_agg(feature || ' ' || mean, ', ' ORDER BY position)
			FROM osml.features WHERE model = 'styles $by' AND feature <> 'x'}),
		'hour 8, lead 1, width 3, factor 2', "the session's settings hold, $by");
}

# --- what a role sees ------------------------------------------------------------------------

# bob's run makes rows for every view
osml_sql($node, q{
	SELECT osml_create_dataset('bobs data', 'bobs');
	SELECT osml_train('SELECT y, nullif(x, 3) AS x FROM bobs', '{"max_batches": 3}', 'bobs model')},
	user => 'bob');
my %own = (
	datasets => 'owner',
	runs => 'run_id', metrics => 'run_id', events => 'run_id',
	models => 'model', features => 'model', weights => 'model');
my $bobs_run = osml_sql($node, q{SELECT run_id FROM osml.models WHERE model = 'bobs model'});

foreach my $view (sort keys %own)
{
	my $which = { owner => q{owner = 'bob'}, run_id => "run_id = $bobs_run",
		model => q{model = 'bobs model'} }->{ $own{$view} };
	my $sql = "SELECT count(*) > 0 FROM osml.$view WHERE $which";

	is(osml_sql($node, $sql, user => 'bob'), 't', "osml.$view shows bob what is his");
	is(osml_sql($node, $sql, user => 'alice'), 'f', "osml.$view does not show it to alice");
	is(osml_sql($node, $sql, user => 'watcher'), $own{$view} eq 'run_id' ? 't' : 'f',
		"osml.$view and a member of pg_monitor");
}
is(osml_sql($node, q{SELECT count(*) > 0 FROM osml.models WHERE owner = 'team'}, user => 'alice'),
	't', 'a member of a role sees its models');
is(osml_sql($node, q{SELECT count(*) > 0 FROM osml.models WHERE owner = 'team'}, user => 'carol'),
	'f', 'others do not');
$run = osml_sql($node, "SELECT osml_train('bobs', '{$ENDLESS}', wait => false)", user => 'bob');
is(osml_sql($node, 'SELECT count(*) FROM osml.progress', user => 'alice'), '0',
	'osml.progress does not show a run to others');
is(osml_sql($node, 'SELECT count(*) FROM osml.progress', user => 'watcher'), '1',
	'it does to pg_monitor');
is(osml_sql($node, "SELECT osml_cancel($run)", user => 'bob'), 'cancelled',
	'bob cancels his own');
$run = osml_sql($node, "SET ROLE team; SELECT osml_train('team_line', '{$ENDLESS}', wait => false)",
	user => 'alice');
is(osml_sql($node, "SELECT osml_cancel($run)", user => 'alice'), 'cancelled',
	'a member of a role cancels its run');

is( osml_sql($node, q{
		SELECT string_agg(c.oid::regclass || ' ' || p, ', ' ORDER BY c.relname)
		FROM pg_class c, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) p
		WHERE relnamespace = 'osml'::regnamespace AND relkind IN ('r', 'v')
		AND relname NOT IN ('datasets', 'runs', 'progress', 'metrics', 'events', 'checkpoints', 'models',
			'features', 'weights', 'bins', 'definitions', 'model_definitions',
			'feature_notes', 'statistics')
		AND has_table_privilege('carol', c.oid, p)}),
	'', 'a plain role has no privilege on base tables');
is( osml_sql($node, q{
		SELECT string_agg(relname || ' ' || p, ', ')
		FROM pg_class, unnest(ARRAY['INSERT', 'UPDATE', 'DELETE', 'TRUNCATE']) p
		WHERE relnamespace = 'osml'::regnamespace AND relkind = 'v'
		AND relname <> 'definitions'	-- its triggers ask whose dataset it is
		AND has_table_privilege('carol', pg_class.oid, p)}),
	'', 'and may only read the views');
is( osml_sql($node, q{
		SELECT string_agg(relname, ', ') FROM pg_class
		WHERE relnamespace = 'osml'::regnamespace AND relkind = 'S'
		AND has_sequence_privilege('carol', pg_class.oid, 'USAGE, SELECT, UPDATE')}),
	'', 'and none on sequences');
osml_fails($node, 'SELECT * FROM osml.run', '42501', 'permission denied for table run',
	'a base table is closed', user => 'carol');

# --- grants ----------------------------------------------------------------------------------

my %uses = (
	predict => q{SELECT osml_predict('bobs model', 1.0) IS NOT NULL},
	manage => q{SELECT osml_deploy('bobs model', 1) = 1},
	train => q{SELECT osml_train('line', '{"max_batches": 3}', 'bobs model') > 0});

# Which of these may the role do?
sub allowed
{
	my ($role) = @_;
	my @may;

	foreach my $use (sort keys %uses)
	{
		my ($out, $err) = osml_sql($node, $uses{$use}, user => $role);

		push @may, $use if $out eq 't';
		die $err unless $out eq 't'
		  || $err =~ /42501: permission denied for model "bobs model" of role "bob"/;
	}
	return "@may";
}

is(allowed('alice'), '', 'the model of another role: nothing, and the error names its owner');
foreach my $case (
	[ 'alice', 'predict', 'predict' ],
	[ 'alice', 'manage', 'manage predict train' ],
	[ 'team', 'predict', 'predict' ],
	[ 'public', 'predict', 'predict' ])
{
	my ($role, $privilege, $may) = @$case;

	osml_sql($node, "SELECT osml_grant('bobs model', '$role', '$privilege')", user => 'bob');
	is(allowed('alice'), $may, "$privilege granted to $role: what alice may do");
	is(allowed('carol'), $role eq 'public' ? $may : '', "$privilege granted to $role: and carol");
	is( osml_sql($node, q{SELECT count(*) > 0 FROM osml.models WHERE model = 'bobs model'},
			user => 'alice'),
		't', "$privilege granted to $role: alice sees the model");
	osml_sql($node, "SELECT osml_revoke('bobs model', '$role', '$privilege')", user => 'bob');
	is(allowed('alice'), '', "$privilege revoked from $role");
}
osml_fails($node, q{SELECT osml_grant('bobs model', 'alice', 'predict')}, '42501',
	'permission denied for model "bobs model" of role "bob"',
	'only who manages a model grants', user => 'alice');
osml_fails($node, q{SELECT osml_grant('bobs model', 'nobody', 'predict')}, '42704',
	'role "nobody" does not exist', 'an unknown role', user => 'bob');
osml_fails($node, q{SELECT osml_grant('bobs model', 'alice', 'see')}, '22023',
	'unrecognized privilege "see".*"predict" and "manage"', 'an unknown privilege', user => 'bob');
osml_fails($node, q{SELECT osml_drop_model('bobs model')}, '42501',
	'permission denied for model "bobs model" of role "bob"', 'a drop by another role', user => 'alice');

# --- names of others ---------------------------------------------------------------------------

osml_fails($node, q{SELECT osml_train('bobs data')}, '42501',
	'dataset "bobs data" belongs to role "bob"', 'the dataset of another role', user => 'alice');
osml_fails($node, q{SELECT osml_train('bobs data')}, '42501',
	'dataset "bobs data" belongs to role "bob"', 'even for a superuser: its texts are not his');
osml_fails($node, q{SELECT osml_train('no such thing')}, '42P01',
	'"no such thing" is neither a dataset nor a relation', 'a text that is no name at all',
	user => 'alice');
osml_fails($node, q{SELECT osml_create_dataset('bobs data', 'line')}, '42\w\d\d',
	'"bobs data"', 'its name is taken', user => 'alice');
osml_fails($node, q{SELECT osml_drop_dataset('bobs data')}, '42501', '"bobs data".*"bob"',
	'nor may it be dropped', user => 'alice');

osml_no_leftovers($node, 'all roles');
$node->stop;
done_testing();
