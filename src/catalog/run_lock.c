/*
 * run_lock.c
 *	  Is a run's trainer alive: a lock that ends with its process.
 *
 * The trainer holds an exclusive session lock on the run; the server lets go
 * of it when the process dies in whatever way, and a restarted server has no
 * locks.  So a row that says "running" with a free lock tells the truth about
 * a dead trainer without anybody having to clean up.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "miscadmin.h"
#include "storage/lock.h"

#include "catalog/run.h"
#include "catalog/scope.h"
#include "catalog/turn_lock.h"

/* run whose lock this process holds; its own lock would not stop its probe */
static int64 held_run = 0;

/*
 * An object lock on (osml.run, run id), visible as such in pg_locks.  The
 * sequence of run ids ends at 2^32 - 1 for it.
 */
static void
run_locktag(LOCKTAG *tag, int64 run_id)
{
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, osml_catalog_run_relation(),
					   (uint32) run_id, 0);
	/* the other method lets go of session locks when a transaction aborts */
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

/* Hold the lock until this process ends.  Probers keep theirs for an instant. */
void
osml_run_lock_take(int64 run_id)
{
	LOCKTAG		tag;

	run_locktag(&tag, run_id);
	(void) LockAcquire(&tag, ExclusiveLock, true, false);
	held_run = run_id;
}

/* Hold it if nobody else does. */
bool
osml_run_lock_try(int64 run_id)
{
	LOCKTAG		tag;

	run_locktag(&tag, run_id);
	if (LockAcquire(&tag, ExclusiveLock, true, true) == LOCKACQUIRE_NOT_AVAIL)
		return false;
	held_run = run_id;
	return true;
}

/*
 * Try a weaker lock, which probers can hold together.  A standby does not know
 * the primary's locks, so there the stored status has to do.
 */
bool
osml_run_lock_alive(int64 run_id)
{
	LOCKTAG		tag;

	if (RecoveryInProgress() || run_id == held_run)
		return true;
	run_locktag(&tag, run_id);
	if (LockAcquire(&tag, RowShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(&tag, RowShareLock, false);
	return false;
}

void
osml_run_lock_release(int64 run_id)
{
	LOCKTAG		tag;

	run_locktag(&tag, run_id);
	LockRelease(&tag, ExclusiveLock, true);
	held_run = 0;
}

bool
osml_run_is_open(const char *status)
{
	return strcmp(status, "running") == 0 || strcmp(status, "queued") == 0;
}

/* Between queue and trainer nobody has the lock, but somebody the turn. */
static bool
changes_hands(const OsmlRunRow *row)
{
	return strcmp(row->status, "queued") == 0 &&
		osml_model_turn_held(row->model);
}

/*
 * Probes only rows that say they are open, so old runs cost nothing.  A trainer
 * commits the end of its run before it lets go of the lock; where the lock is
 * free the row is read again, because the end may be younger than the snapshot
 * that showed the run going on.  And once more, since a queued run may have started
 * after that.
 */
const char *
osml_run_status(const OsmlRunRow *row)
{
	int64		run_id = row->run_id;

	if (!osml_run_is_open(row->status) || osml_run_lock_alive(run_id))
		return row->status;
	for (int look = 0; look < 2; look++)
	{
		row = osml_run_find(run_id, true);
		if (row == NULL || !osml_run_visible(row))	/* any user may ask, about any number */
			break;
		if (!osml_run_is_open(row->status) || osml_run_lock_alive(run_id) ||
			changes_hands(row))
			return row->status;
	}
	return "interrupted";
}
