/*
 * launcher.c
 *	  Starting a run: segment, readers, trainer, and the wait for its row.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"

#include "catalog/run.h"
#include "train/cycle.h"
#include "train/launcher.h"
#include "train/reader.h"

/* Register one worker; NULL when there is no slot. */
static BackgroundWorkerHandle *
start_worker(const OsmlLaunch *launch, const char *function, const char *role, int index)
{
	BackgroundWorker worker;
	BackgroundWorkerHandle *handle;

	memset(&worker, 0, sizeof(worker));
	worker.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker.bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker.bgw_library_name, "osml", sizeof(worker.bgw_library_name));
	strlcpy(worker.bgw_function_name, function, sizeof(worker.bgw_function_name));
	snprintf(worker.bgw_name, BGW_MAXLEN, "osml %s for run " INT64_FORMAT, role,
			 launch->segment->plan->run_id);
	snprintf(worker.bgw_type, BGW_MAXLEN, "osml %s", role);
	worker.bgw_main_arg = UInt32GetDatum(dsm_segment_handle(launch->segment->dsm));
	memcpy(worker.bgw_extra, &index, sizeof(index));
	worker.bgw_notify_pid = MyProcPid;
	return RegisterDynamicBackgroundWorker(&worker, &handle) ? handle : NULL;
}

/*
 * The caller lets go of the segment: at the end, after an error, or when the
 * session dies.  A run that still needs it is cancelled.  A lost client of a
 * run that may continue alone is missed only while it reads.
 */
static void
caller_leave(dsm_segment *dsm, Datum arg)
{
	OsmlShared *shared = dsm_segment_address(dsm);
	bool		needed;

	SpinLockAcquire(&shared->mutex);
	shared->caller = NULL;
	needed = shared->caller_needed &&
		!(proc_exit_inprogress && shared->continue_alone &&
		  (shared->reading_done || !shared->caller_reads));
	SpinLockRelease(&shared->mutex);
	if (needed)
		(void) osml_shared_cancel(shared, "the session that waited for the run ended");
}

/* A start that cannot be completed: readers and segment go, slots are free. */
static void
undo_start(OsmlLaunch *launch, int n_readers)
{
	for (int i = 0; i < n_readers; i++)
		TerminateBackgroundWorker(launch->readers[i]);
	for (int i = 0; i < n_readers; i++)
		(void) WaitForBackgroundWorkerShutdown(launch->readers[i]);
	dsm_detach(launch->segment->dsm);
}

/*
 * Make the segment and register its workers.  Returns NULL, or which worker
 * found no slot; then nothing is left of the attempt.
 */
static const char *
try_start(OsmlLaunch *launch, OsmlPlan *plan)
{
	OsmlShared *shared;

	launch->segment = osml_segment_create(plan);
	shared = launch->segment->shared;
	shared->continue_alone = launch->continue_alone;
	shared->caller_reads = plan->n_readers == 0;
	shared->caller_needed = true;
	for (int i = 0; i < plan->n_readers; i++)
	{
		launch->readers[i] = start_worker(launch, "osml_reader_main", "reader", i);
		if (launch->readers[i] == NULL)
		{
			undo_start(launch, i);
			return "reader";
		}
	}
	launch->trainer = start_worker(launch, "osml_trainer_main", "trainer", 0);
	if (launch->trainer == NULL)
	{
		undo_start(launch, plan->n_readers);
		return "trainer";
	}
	/* the last to register is the first to run: reason first, then the queue */
	if (shared->caller_reads)
		launch->queue = osml_reader_attach(launch->segment, 0);
	on_dsm_detach(launch->segment->dsm, caller_leave, (Datum) 0);
	return NULL;
}

static void
no_slot(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("no background worker slot is free for the %s", what),
			 errhint("Raise max_worker_processes (now %d), or wait for other runs to end.",
					 max_worker_processes)));
}

/*
 * All workers of a run.  When there are too few slots for readers and trainer,
 * a waiting caller reads: the trainer alone may still find one.
 */
static void
start_workers(OsmlLaunch *launch, OsmlPlan *plan)
{
	const char *missing = try_start(launch, plan);

	if (missing && plan->wait && plan->n_readers > 0)
	{
		ereport(NOTICE,
				(errmsg("no background worker slot is free for readers: this session reads")));
		plan->n_readers = 0;
		missing = try_start(launch, plan);
	}
	if (missing)
		no_slot(missing);
}

/* Sleep until something about the run changes; true: nothing did for a second. */
static bool
wait_for_change(void)
{
	int			events = osml_nap(1000);

	CHECK_FOR_INTERRUPTS();
	return (events & WL_TIMEOUT) != 0;
}

/* A run that ended before its row was there left its reason in the segment. */
static void
start_failed(OsmlShared *shared)
{
	osml_shared_abandon(shared);
	if (shared->report.sqlstate != 0)
		ereport(ERROR,
				(errcode(shared->report.sqlstate),
				 errmsg("could not start the trainer: %s", shared->report.message),
				 shared->report.hint[0] ? errhint("%s", shared->report.hint) : 0));
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("could not start the trainer"),
			 errhint("The server log has its last message: memory or processes may be used up, "
					 "or the role or the database no longer allows connections.")));
}

/* Until the trainer has attached and committed the run row. */
static void
wait_for_row(OsmlLaunch *launch)
{
	OsmlShared *shared = launch->segment->shared;
	OsmlWait	wait = {.looks = true};

	osml_wait_for(&wait, dsm_segment_handle(launch->segment->dsm), shared->run_id);
	for (;;)
	{
		pid_t		pid;
		BgwHandleStatus status = GetBackgroundWorkerPid(launch->trainer, &pid);
		bool		committed;
		bool		ended;

		SpinLockAcquire(&shared->mutex);
		committed = shared->committed;
		ended = shared->ended;
		SpinLockRelease(&shared->mutex);
		if (committed)
			break;
		if (ended || status == BGWH_STOPPED || status == BGWH_POSTMASTER_DIED)
			start_failed(shared);
		if (wait_for_change())
			osml_check_start_cycle(shared, launch->function);
	}
	osml_wait_for(&wait, 0, 0);
}

/*
 * A reader maps the segment first of all; the launcher stays until each has
 * done so, since a worker that never came could not be missed later.  A lock that
 * one which has come waits for is not looked at: who does not wait for the run may hold it.
 */
static void
wait_for_readers(OsmlLaunch *launch)
{
	OsmlShared *shared = launch->segment->shared;

	for (int i = 0; i < launch->segment->plan->n_readers; i++)
	{
		for (;;)
		{
			pid_t		pid;
			BgwHandleStatus status = GetBackgroundWorkerPid(launch->readers[i], &pid);
			bool		attached;

			SpinLockAcquire(&shared->mutex);
			attached = shared->readers[i].attached || shared->ended;
			SpinLockRelease(&shared->mutex);
			if (attached)
				break;
			if (status == BGWH_STOPPED || status == BGWH_POSTMASTER_DIED)
			{
				(void) osml_shared_cancel(shared, "a reader could not start");
				ereport(ERROR,
						(errcode(ERRCODE_CONNECTION_FAILURE),
						 errmsg("could not start a reader of run " INT64_FORMAT,
								launch->segment->plan->run_id),
						 errhint("The server log has its last message.")));
			}
			(void) wait_for_change();
		}
	}
}

/* Until all processes of the run are there; an error here ends it in its words. */
static void
wait_for_start(OsmlLaunch *launch)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		wait_for_row(launch);
		wait_for_readers(launch);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(context);
		edata = CopyErrorData();
		(void) osml_shared_cancel(launch->segment->shared, edata->message);
		PG_RE_THROW();
	}
	PG_END_TRY();
}

/* A run that has to wait, and whose caller does not: a worker waits, and launches it. */
static void
start_queue(OsmlLaunch *launch, OsmlPlan *plan)
{
	launch->segment = osml_segment_create(plan);
	launch->trainer = start_worker(launch, "osml_queue_main", "queue", 0);
	if (launch->trainer == NULL)
	{
		dsm_detach(launch->segment->dsm);
		no_slot("queue");
	}
	wait_for_row(launch);
	dsm_detach(launch->segment->dsm);
}

int64
osml_launch(const OsmlTrainRequest *request, const OsmlTurn *turn)
{
	OsmlLaunch	launch = {.function = request->function};
	OsmlPlan   *plan;

	if (turn)
		launch.turn = *turn;
	plan = osml_resolve(request, &launch);
	if (plan == NULL)
	{
		osml_turn_end(&launch.turn);
		return 0;
	}
	if (plan->queued)
	{
		start_queue(&launch, plan);
		return plan->run_id;
	}
	start_workers(&launch, plan);
	/* who holds a turn has kept the run in the queue */
	if (turn)
		osml_run_lock_release(plan->run_id);
	wait_for_start(&launch);
	osml_turn_end(&launch.turn);
	if (request->wait)
		osml_see_through(&launch);
	SpinLockAcquire(&launch.segment->shared->mutex);
	launch.segment->shared->caller_needed = false;
	SpinLockRelease(&launch.segment->shared->mutex);
	dsm_detach(launch.segment->dsm);
	return plan->run_id;
}
