/*
 * caller.c
 *	  The waiting client: reads rows if no worker does, and watches the run.
 *
 * While it waits it looks once a second whether a worker is stuck behind a
 * lock of this very transaction, and has the server look whether the client is
 * still there.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timeout.h"
#include "utils/timestamp.h"

#include "osml.h"
#include "train/cycle.h"
#include "train/launcher.h"
#include "train/reader.h"

#define LOOK_MS 1000

/* how long an error of ours waits for the run's row to say so */
#define SETTLE_MS 2000

typedef struct Watch
{
	OsmlLaunch *launch;
	OsmlShared *shared;
	TimestampTz last_look;
	TimestampTz last_notice;
	int64		noticed_rows;
	bool		serving;		/* inside osml_serve_reads() */
} Watch;

/* A line for the person at psql. */
static void
show_progress(Watch *watch, TimestampTz now)
{
	const OsmlShared *shared = watch->shared;
	double		seconds = (now - watch->last_notice) / 1e6;
	int64		run_id = shared->run_id;

	if (shared->step == 0 || isnan(shared->loss))
	{
		if (shared->rows_loaded > 0)
			ereport(NOTICE,
					(errmsg("osml run " INT64_FORMAT ": " INT64_FORMAT " rows read",
							run_id, shared->rows_loaded)));
	}
	else
		ereport(NOTICE,
				(errmsg("osml run " INT64_FORMAT ": epoch " INT64_FORMAT ", step "
						INT64_FORMAT ", training loss %.6g, %.0f rows/s",
						run_id, shared->epoch + 1, shared->step, shared->loss,
						(shared->rows_seen - watch->noticed_rows) / seconds)));
	watch->last_notice = now;
	watch->noticed_rows = shared->rows_seen;
}

/* In every wait: progress when it is due, and the look once a second. */
static void
caller_idle(void *arg)
{
	Watch	   *watch = arg;
	TimestampTz now = GetCurrentTimestamp();

	if (osml_progress_interval > 0 &&
		TimestampDifferenceExceeds(watch->last_notice, now, osml_progress_interval))
		show_progress(watch, now);
	if (!TimestampDifferenceExceeds(watch->last_look, now, LOOK_MS))
		return;
	watch->last_look = now;
	osml_check_lock_cycle(watch->shared, watch->launch->function);
}

/*
 * Have ProcessInterrupts() notice a lost client each second, as
 * client_connection_check_interval does when it is set.
 */
static void
watch_client(void)
{
	if (MyProcPort == NULL || client_connection_check_interval > 0)
		return;
	if (set_config_option("client_connection_check_interval", "1000", PGC_USERSET,
						  PGC_S_SESSION, GUC_ACTION_SAVE, true, DEBUG1, false) > 0)
		enable_timeout_after(CLIENT_CONNECTION_CHECK_TIMEOUT, LOOK_MS);
}

/* Until the trainer has published the end, or died without. */
static void
wait_for_end(Watch *watch)
{
	for (;;)
	{
		pid_t		pid;
		BgwHandleStatus status = GetBackgroundWorkerPid(watch->launch->trainer, &pid);
		bool		ended;

		SpinLockAcquire(&watch->shared->mutex);
		ended = watch->shared->ended;
		SpinLockRelease(&watch->shared->mutex);
		if (ended || status == BGWH_STOPPED || status == BGWH_POSTMASTER_DIED)
			return;
		(void) osml_nap(LOOK_MS);
		CHECK_FOR_INTERRUPTS();
		caller_idle(watch);
	}
}

/* Everything the caller does between start and end. */
static void
serve_and_wait(Watch *watch)
{
	if (watch->launch->queue)
	{
		/* as a volatile function's queries do: the statement's own may be older than what
		 * we have waited for, such as a lock on the table and who rewrote it */
		PushActiveSnapshot(GetTransactionSnapshot());
		watch->serving = true;
		osml_serve_reads(watch->launch->segment, watch->launch->queue, 0,
						 caller_idle, watch);
		watch->serving = false;
		PopActiveSnapshot();
	}
	wait_for_end(watch);
}

/*
 * Before an error of ours goes on, let the trainer write how the run ended:
 * whoever looks at osml.runs next shall not read "running".  Not for long, as
 * the trainer may need a lock that only our abort lets go.
 */
static void
settle(Watch *watch)
{
	TimestampTz start = GetCurrentTimestamp();

	while (!TimestampDifferenceExceeds(start, GetCurrentTimestamp(), SETTLE_MS) &&
		   !ProcDiePending)
	{
		pid_t		pid;
		bool		ended;

		SpinLockAcquire(&watch->shared->mutex);
		ended = watch->shared->ended;
		SpinLockRelease(&watch->shared->mutex);
		if (ended ||
			GetBackgroundWorkerPid(watch->launch->trainer, &pid) != BGWH_STARTED)
			return;
		/* no look at interrupts: one error is on its way already */
		(void) osml_nap(100);
	}
}

/*
 * Our own error ends the run.  One from a row that we read is the run's error,
 * which the trainer finds in the segment when our queue goes; anything else is
 * a cancel with our words.
 */
static void
pass_on_error(Watch *watch, ErrorData *edata)
{
	if (watch->serving && edata->sqlerrcode != ERRCODE_QUERY_CANCELED &&
		edata->sqlerrcode != ERRCODE_T_R_DEADLOCK_DETECTED)
	{
		osml_shared_report(watch->shared, edata);
		SpinLockAcquire(&watch->shared->mutex);
		watch->shared->caller_needed = false;
		SpinLockRelease(&watch->shared->mutex);
		shm_mq_detach(watch->launch->queue);
	}
	else
		(void) osml_shared_cancel(watch->shared, edata->message);
}

/* The run did not finish: its error, carrying the run id. */
static void
raise_end(const OsmlShared *shared)
{
	const OsmlReport *report = &shared->report;
	const char *status = shared->ended ? shared->status : "interrupted";
	int			sqlstate = report->sqlstate != 0 ? report->sqlstate :
		strcmp(status, "cancelled") == 0 ? ERRCODE_QUERY_CANCELED : ERRCODE_ADMIN_SHUTDOWN;

	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("osml run " INT64_FORMAT " %s: %s", shared->run_id, status,
					report->sqlstate != 0 ? report->message : "the trainer was terminated"),
			 report->detail[0] ? errdetail_internal("%s", report->detail) : 0,
			 report->hint[0] ? errhint("%s", report->hint) : 0));
}

static void
run_context(void *arg)
{
	errcontext("osml run " INT64_FORMAT, *(int64 *) arg);
}

void
osml_see_through(OsmlLaunch *launch)
{
	Watch		watch = {0};
	MemoryContext context = CurrentMemoryContext;
	ErrorContextCallback callback;
	OsmlWait	wait = {.looks = true};
	int			level = NewGUCNestLevel();

	watch.launch = launch;
	watch.shared = launch->segment->shared;
	watch.last_look = watch.last_notice = GetCurrentTimestamp();
	callback.callback = run_context;
	callback.arg = &launch->segment->plan->run_id;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	osml_wait_for(&wait, dsm_segment_handle(launch->segment->dsm), watch.shared->run_id);
	watch_client();
	PG_TRY();
	{
		serve_and_wait(&watch);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		pass_on_error(&watch, CopyErrorData());
		settle(&watch);
		PG_RE_THROW();
	}
	PG_END_TRY();
	error_context_stack = callback.previous;
	AtEOXact_GUC(false, level);
	osml_wait_for(&wait, 0, 0);
	/* so that its slot is free for the next call */
	(void) WaitForBackgroundWorkerShutdown(launch->trainer);
	if (!watch.shared->ended || strcmp(watch.shared->status, "finished") != 0)
	{
		watch.shared->caller_needed = false;
		raise_end(watch.shared);
	}
}
