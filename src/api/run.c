/*
 * run.c
 *	  osml_wait(run, timeout) and osml_cancel(run) → status.
 */
#include "postgres.h"

#include "fmgr.h"
#include "access/xlog.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "api/run.h"
#include "catalog/rights.h"
#include "catalog/role.h"
#include "catalog/run.h"
#include "train/cycle.h"
#include "train/segment.h"

/* poll quickly at first, since small runs take milliseconds */
#define FIRST_POLL_MS 5
#define LAST_POLL_MS 200
#define CANCEL_WAIT_MS 5000

PG_FUNCTION_INFO_V1(osml_wait);
PG_FUNCTION_INFO_V1(osml_cancel);

OsmlRunRow *
osml_need_run(FunctionCallInfo fcinfo)
{
	OsmlRunRow *row = NULL;
	int64		run_id;

	if (PG_ARGISNULL(0))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", "run")));
	run_id = PG_GETARG_INT64(0);
	row = osml_run_find(run_id, true);
	if (row == NULL || !osml_run_visible(row))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("run " INT64_FORMAT " does not exist", run_id),
				 errhint("osml.runs lists your runs.")));
	return row;
}

/*
 * Poll the row under the latest snapshot until the run is over or ms
 * milliseconds have passed (negative: no limit, so a run that waits for us is
 * an error).  Returns the status, palloc'd.
 */
static char *
poll_status(int64 run_id, int64 ms)
{
	MemoryContext poll = AllocSetContextCreate(CurrentMemoryContext, "osml wait",
											   ALLOCSET_SMALL_SIZES);
	TimestampTz start = GetCurrentTimestamp();
	OsmlWait	wait = {.looks = true};
	long		nap = FIRST_POLL_MS;
	char	   *status = NULL;

	for (;;)
	{
		MemoryContext old;
		OsmlRunRow *row;
		bool		running;
		int64		spent;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(poll);
		old = MemoryContextSwitchTo(poll);
		row = osml_run_find(run_id, true);
		MemoryContextSwitchTo(old);
		status = pstrdup(row ? osml_run_status(row) : "interrupted");
		running = osml_run_is_open(status);
		spent = (GetCurrentTimestamp() - start) / 1000;
		if (!running || (ms >= 0 && spent >= ms))
			break;
		if (ms < 0 && row && nap == LAST_POLL_MS)
		{
			/* another segment once it is no longer queued */
			osml_wait_for(&wait, row->segment, run_id);
			osml_check_wait_cycle(&wait, "osml_wait");
		}
		if (ms >= 0)
			nap = Min(nap, ms - spent);
		(void) osml_nap(Max(1, nap));
		nap = Min(nap * 2, LAST_POLL_MS);
		pfree(status);
	}
	osml_wait_for(&wait, 0, 0);
	MemoryContextDelete(poll);
	return status;
}

Datum
osml_wait(PG_FUNCTION_ARGS)
{
	OsmlRunRow *row = osml_need_run(fcinfo);
	int64		ms = -1;

	if (!PG_ARGISNULL(1))
	{
		Interval   *timeout = PG_GETARG_INTERVAL_P(1);
		double		seconds = timeout->time / 1e6 + timeout->day * (double) SECS_PER_DAY +
			timeout->month * (double) (DAYS_PER_MONTH * SECS_PER_DAY);

		if (seconds < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("timeout must not be negative")));
		ms = (int64) (Min(seconds, 1e9) * 1000);
	}
	if (ms < 0 && RecoveryInProgress() && osml_run_is_open(osml_run_status(row)))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot wait for the end of run " INT64_FORMAT " during recovery",
						row->run_id),
				 errdetail("What this session may still look at can hold up what the primary server sends, the run's end included."),
				 errhint("Give osml_wait() a timeout, or wait on the primary server.")));
	PG_RETURN_TEXT_P(cstring_to_text(poll_status(row->run_id, ms)));
}

Datum
osml_cancel(PG_FUNCTION_ARGS)
{
	OsmlRunRow *row;

	osml_prevent_in_recovery("osml_cancel()");
	row = osml_need_run(fcinfo);
	if (!osml_role_usable(row->owner))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to cancel run " INT64_FORMAT, row->run_id),
				 errdetail("It belongs to role \"%s\".", row->owner)));
	if (osml_run_is_open(osml_run_status(row)))
		(void) osml_segment_cancel(row->segment, row->run_id,
								   psprintf("canceled by role \"%s\"", osml_current_role()));
	PG_RETURN_TEXT_P(cstring_to_text(poll_status(row->run_id, CANCEL_WAIT_MS)));
}
