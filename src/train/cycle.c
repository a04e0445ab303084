/*
 * cycle.c
 *	  A run that waits for whoever waits for it: see cycle.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"

#include "train/cycle.h"

/* the way from a process of a run to this one */
typedef struct Search
{
	List	   *seen;			/* processes */
	pid_t		last;			/* who waits for us */
	int64		newest_run;		/* that a session on the way waits for, and looks; 0: none */
} Search;

static bool leads_to_us(pid_t pid, Search *search);

/* Does a lock lead to us that the process waits for?  *waits: it waits for one. */
static bool
lock_leads_to_us(pid_t pid, Search *search, bool *waits)
{
	ArrayType  *blockers = DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids,
																 Int32GetDatum(pid)));
	int			n = ArrayGetNItems(ARR_NDIM(blockers), ARR_DIMS(blockers));
	bool		found = false;

	*waits = n > 0;
	for (int i = 0; !found && i < n; i++)
	{
		pid_t		blocker = ((int32 *) ARR_DATA_PTR(blockers))[i];

		found = blocker == MyProcPid || leads_to_us(blocker, search);
		if (blocker == MyProcPid)
			search->last = pid;
	}
	return found;
}

/* Processes of a run that somebody waits for; until it has its row that is the trainer. */
static int
waited_processes(const OsmlWait *wait, pid_t *pids)
{
	dsm_segment *borrowed;
	OsmlShared *shared = osml_segment_borrow(wait->segment, wait->run_id, &borrowed);
	int			n = 0;

	if (shared)
	{
		n = osml_shared_pids(shared, pids);
		if (!shared->committed)
			n = 1;
	}
	if (borrowed)
		dsm_detach(borrowed);
	return n;
}

/* Does a run lead to us that the process waits for? */
static bool
run_leads_to_us(pid_t pid, Search *search)
{
	ListCell   *cell;

	foreach(cell, osml_waits_of(pid))
	{
		const OsmlWait *wait = lfirst(cell);
		pid_t		pids[OSML_MAX_READERS + 1];
		int			n = waited_processes(wait, pids);

		for (int i = 0; i < n; i++)
		{
			if (!leads_to_us(pids[i], search))
				continue;
			if (wait->looks)
				search->newest_run = Max(search->newest_run, wait->run_id);
			return true;
		}
	}
	return false;
}

/*
 * Does the process wait, be it behind others, for a lock of this backend's?  Others are
 * somebody in whose way we are and who is in its way, as a VACUUM FULL is that waits for
 * a table which we have read; or a session with a lock in its way that waits for a run of
 * its own.
 */
static bool
leads_to_us(pid_t pid, Search *search)
{
	bool		waits;

	/* 0 is also a prepared transaction, which waits for nobody */
	if (pid == 0 || list_member_int(search->seen, pid))
		return false;
	search->seen = lappend_int(search->seen, pid);
	return lock_leads_to_us(pid, search, &waits) ||
		(!waits && run_leads_to_us(pid, search));
}

/* Raise the error for the process at this place among a run's; behind: 0, or whom it waits behind. */
static void
lock_cycle(int place, pid_t behind, const char *function)
{
	ereport(ERROR,
			(errcode(ERRCODE_T_R_DEADLOCK_DETECTED),
			 errmsg("%s waits for a lock that this transaction holds",
					place == 0 ? "the trainer" : "a reader"),
			 behind == 0 ? 0 :
			 errdetail("It waits behind process %d, which waits for this transaction.",
					   (int) behind),
			 place == 0 ?
			 errhint("Commit before calling %s, or deploy and drop models in another transaction.",
					 function) :
			 errhint("Commit before calling %s, or set \"num_workers\" to 0 so that the waiting session reads.",
					 function)));
}

/*
 * The first n processes of a run.  Of the sessions in a cycle that wait for runs, all of
 * which look, the one that waits for the newest gives way.
 */
static void
check_processes(int64 run_id, const pid_t *pids, int n, const char *function)
{
	/* whoever waits looks again and again, and the server's lists of locks are long */
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "osml lock cycle",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(scratch);

	for (int i = 0; i < n; i++)
	{
		Search		search = {0};

		if (leads_to_us(pids[i], &search) && search.newest_run <= run_id)
			lock_cycle(i, search.last == pids[i] ? 0 : search.last, function);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

void
osml_check_lock_cycle(OsmlShared *shared, const char *function)
{
	pid_t		pids[OSML_MAX_READERS + 1];

	check_processes(shared->run_id, pids, osml_shared_pids(shared, pids), function);
}

void
osml_check_start_cycle(OsmlShared *shared, const char *function)
{
	pid_t		pids[OSML_MAX_READERS + 1];

	(void) osml_shared_pids(shared, pids);
	check_processes(shared->run_id, pids, 1, function);
}

void
osml_check_wait_cycle(const OsmlWait *wait, const char *function)
{
	dsm_segment *borrowed;
	OsmlShared *shared = osml_segment_borrow(wait->segment, wait->run_id, &borrowed);

	if (shared)
		osml_check_lock_cycle(shared, function);
	if (borrowed)
		dsm_detach(borrowed);
}
