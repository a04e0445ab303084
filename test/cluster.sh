# shellcheck shell=bash
# test/cluster.sh: a throwaway PostgreSQL cluster, to be sourced.
#
#   . test/cluster.sh
#   cluster_work                  # $WORK: temporary folder, gone at exit
#   cluster_start [name=value]... # initdb and start; sets PGHOST, PGPORT, ...
#   as_server command...          # run as the server's user
#
# No existing cluster is ever touched: data, socket and log live in $WORK, and
# no TCP port is opened.  PostgreSQL refuses to run as root, so root's clusters
# belong to $SERVER_USER; that user may be unable to read the checkout, hence
# cluster_copy.  CLUSTER_KEEP=1 leaves the cluster running at exit.

# By its full path: the copy that cluster_install makes has a pg_config too,
# which comes first in PATH then and knows of no headers.
PG_CONFIG=${PG_CONFIG:-pg_config}
export PG_CONFIG=$(command -v "$PG_CONFIG" || echo "$PG_CONFIG")
BINDIR=$("$PG_CONFIG" --bindir 2>/dev/null)

SERVER_USER=$(id -un)
if [ "$(id -u)" = 0 ]; then
	SERVER_USER=postgres
	id "$SERVER_USER" >/dev/null 2>&1 || SERVER_USER=nobody
fi

# Run a command as the server's user, in $WORK: it may not enter our folder.
as_server()
{
	if [ "$(id -u)" = 0 ]; then
		(cd "$WORK" && HOME=$WORK exec setpriv --reuid="$SERVER_USER" \
			--regid="$(id -g "$SERVER_USER")" --clear-groups "$@")
	else
		(cd "$WORK" && exec "$@")
	fi
}

# Make $WORK.  In /tmp, not TMPDIR: a socket's path has to stay short.
cluster_work()
{
	WORK=$(mktemp -d /tmp/osml.XXXXXX) || return
	chown "$SERVER_USER" "$WORK"
	trap cluster_exit EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# Make the folder $WORK/$1, owned by the server's user, with copies in it.
cluster_copy() # folder [source...]
{
	mkdir -p "$WORK/$1"
	[ $# -lt 2 ] || cp -RL "${@:2}" "$WORK/$1/"
	chmod -R u+rwX "$WORK/$1"	# or a read-only folder could not be deleted
	chown -R "$SERVER_USER" "$WORK/$1"
}

# Start a cluster whose superuser is postgres, whoever runs it.
cluster_start() # [name=value]...
{
	as_server "$BINDIR/initdb" -D "$WORK/data" -U postgres -A trust -N \
		-E UTF8 --no-locale >"$WORK/initdb.log" 2>&1 || {
		cat "$WORK/initdb.log" >&2
		return 1
	}
	# fsync: nothing in this cluster outlives the run.
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$WORK'" \
		"fsync = off" "max_worker_processes = 32" "shared_buffers = 256MB" \
		"max_wal_size = 4GB" "$@" >>"$WORK/data/postgresql.conf"
	as_server "$BINDIR/pg_ctl" -D "$WORK/data" -l "$WORK/server.log" -w \
		start >"$WORK/start.log" 2>&1 || {
		cat "$WORK/start.log" "$WORK/server.log" >&2
		return 1
	}

	# Whatever the caller's environment says, clients mean this cluster.
	unset PGSERVICE PGHOSTADDR PGPASSWORD PGOPTIONS PGSSLMODE
	export PGHOST=$WORK PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
	export PATH=$BINDIR:$PATH
}

# Every way out: end the background jobs, stop each server under $WORK (the
# TAP tests have their own), delete $WORK.
cluster_exit()
{
	local rc=$? job pidfile

	set +e
	trap '' HUP INT TERM
	if [ -n "${CLUSTER_KEEP:-}" ] && [ -f "$WORK/data/postmaster.pid" ]; then
		exit "$rc"
	fi
	for job in $(jobs -p); do
		kill -- -"$job" 2>/dev/null
	done
	wait
	find "$WORK" -name postmaster.pid | while read -r pidfile; do
		as_server "$BINDIR/pg_ctl" -D "$(dirname "$pidfile")" -m immediate \
			stop >/dev/null 2>&1
	done
	rm -rf "$WORK"
	exit "$rc"
}

# Install what make has built into a copy of PostgreSQL's folders under $WORK,
# and use the servers there from now on: programs find their library and share
# folders by the way from their own.  So the system's installation, and with it
# any cluster that uses it, keeps the osml it has, and no right to it is needed.
cluster_install()
{
	local copy=$WORK/pg dir log

	for dir in bindir pkglibdir sharedir; do
		dir=$("$PG_CONFIG" --$dir) || return
		mkdir -p "$copy$dir"
		cp -RL "$dir/." "$copy$dir/" || return
	done
	rm -f "$copy$("$PG_CONFIG" --pkglibdir)"/osml* \
		"$copy$("$PG_CONFIG" --sharedir)"/extension/osml*
	log=$("${MAKE:-make}" -s install PG_CONFIG="$PG_CONFIG" DESTDIR="$copy" 2>&1) || {
		echo "$log" >&2
		return 1
	}
	chmod -R a+rX "$copy"
	BINDIR=$copy$BINDIR
}
