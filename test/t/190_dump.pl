# A database that moves: pg_dump and pg_restore as plain owners, into another
# database and another owner's server; what DROP EXTENSION leaves; a trusted install.
use strict;
use warnings;

use OsmlMove;
use OsmlTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = osml_node('dump');
my $dir = $node->basedir;

# Plain owners, who install the extension themselves.
osml_sql($node, q{
	CREATE ROLE alice LOGIN;
	CREATE ROLE bert LOGIN;
	CREATE DATABASE a OWNER alice;
	CREATE DATABASE b OWNER bert;
	CREATE DATABASE c OWNER alice;
});
is(osml_sql($node, "SELECT rolsuper OR rolcreatedb OR rolcreaterole FROM pg_roles WHERE rolname = 'alice'"), 'f', 'alice is nobody special');

osml_furnish($node, 'alice', 'a');
my %before = osml_answers($node, 'alice', 'a');

sub moved
{
	my ($node, $user, $dbname, $where) = @_;

	osml_same_answers($node, $user, $dbname, \%before, $where);
	osml_goes_on($node, $user, $dbname, $where);
}

# --- another database, another owner --------------------------------------------------

my @to = ('-h', $node->host, '-p', $node->port);
osml_program('pg_dump as the owner', 'pg_dump', @to, '-U', 'alice', '-Fc', '-f', "$dir/a.dump", 'a');
osml_program('pg_restore as another owner', 'pg_restore', @to, '-U', 'bert', '--no-owner', '--no-privileges', '-d', 'b', "$dir/a.dump");
moved($node, 'bert', 'b', 'another owner');
osml_program('pg_restore as the same owner', 'pg_restore', @to, '-U', 'alice', '-d', 'c', "$dir/a.dump");
moved($node, 'alice', 'c', 'another database');

# --- another server, where nobody is superuser but one ----------------------------------

my $other = PostgreSQL::Test::Cluster->new('dump_other');
$other->init;
$other->append_conf('postgresql.conf', 'max_worker_processes = 16');
$other->start;
osml_sql($other, q{CREATE ROLE alice LOGIN; CREATE DATABASE a OWNER alice});
@to = ('-h', $other->host, '-p', $other->port);
osml_program('pg_restore on another server', 'pg_restore', @to, '-U', 'alice', '-d', 'a', "$dir/a.dump");
moved($other, 'alice', 'a', 'another server');
$other->stop;

# --- gone, and back -----------------------------------------------------------------------

my $objects = q{SELECT string_agg(c || ' ' || n, ', ' ORDER BY c) FROM (SELECT 'namespace' AS c, count(*) AS n FROM pg_namespace UNION ALL SELECT 'class', count(*) FROM pg_class
	UNION ALL SELECT 'proc', count(*) FROM pg_proc UNION ALL SELECT 'type', count(*) FROM pg_type UNION ALL SELECT 'trigger', count(*) FROM pg_trigger
	UNION ALL SELECT 'default_acl', count(*) FROM pg_default_acl UNION ALL SELECT 'init_privs', count(*) FROM pg_init_privs UNION ALL SELECT 'depend', count(*) FROM pg_depend WHERE deptype = 'e') s};
osml_sql($node, 'CREATE DATABASE d OWNER alice');
my $empty = osml_as($node, 'alice', 'd', $objects);
osml_as($node, 'alice', 'd', q{CREATE EXTENSION osml; CREATE TABLE t AS SELECT i AS y, i AS x FROM generate_series(1, 9) i; SELECT osml_train('t'); DROP TABLE t; DROP EXTENSION osml});
is(osml_as($node, 'alice', 'd', $objects), $empty, 'DROP EXTENSION leaves nothing behind');
is(osml_as($node, 'alice', 'd', q{CREATE EXTENSION osml; CREATE TABLE t AS SELECT i AS y, i AS x FROM generate_series(1, 9) i; SELECT osml_train('t'), (SELECT count(*) FROM osml.models)}), '1|0', 'and it can be created again');
osml_no_leftovers($node, 'after all that');

done_testing();
