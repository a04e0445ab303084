/*
 * queue.c
 *	  A run that waits for its turn: see queue.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "catalog/run.h"
#include "train/launcher.h"
#include "train/queue.h"
#include "train/worker.h"

/* the run that waits here; NULL: none, or it has been launched */
static OsmlSegment *waiting = NULL;

/* The end of a run that was not launched; its row, and whoever waits for it. */
static void
end_waiting(const char *status, const char *error, const char *summary)
{
	OsmlSegment *segment = waiting;
	OsmlShared *shared = segment->shared;
	OsmlRunRow *row;

	waiting = NULL;
	osml_worker_begin(segment->plan);
	row = osml_run_find(segment->plan->run_id, true);
	if (row && strcmp(row->status, "queued") == 0)
	{
		row->status = pstrdup(status);
		row->error = error ? pstrdup(error) : NULL;
		if (summary)
			osml_event_insert(row->run_id, "info", "queue", 0, summary);
		osml_run_end(row);
	}
	osml_worker_end();
	SpinLockAcquire(&shared->mutex);
	strlcpy(shared->status, status, sizeof(shared->status));
	shared->ended = true;
	SpinLockRelease(&shared->mutex);
	osml_shared_wake(shared);
}

/* Terminated while it waits; as the trainer does (trainer.c). */
static void
queue_exit(int code, Datum arg)
{
	if (waiting == NULL || !waiting->shared->committed || osml_worker_orphaned())
		return;
	AbortOutOfAnyTransaction();
	end_waiting("interrupted", "the worker that waited for the run's turn was terminated", NULL);
}

/* The process is about to unmap: nobody may signal it any more. */
static void
queue_leave(dsm_segment *dsm, Datum arg)
{
	OsmlShared *shared = dsm_segment_address(dsm);

	SpinLockAcquire(&shared->mutex);
	shared->trainer = NULL;
	shared->trainer_pid = 0;
	SpinLockRelease(&shared->mutex);
	osml_shared_abandon(shared);
}

/* The run's row, visible to everybody before the caller goes on. */
static void
commit_row(OsmlSegment *segment)
{
	OsmlPlan   *plan = segment->plan;
	OsmlRunRow	row = {
		.run_id = plan->run_id,
		.owner = plan->role,
		.dataset = plan->dataset,
		.model = plan->model,
		.trainer_pid = MyProcPid,
		.segment = dsm_segment_handle(segment->dsm)
	};

	osml_worker_begin(plan);
	row.hparams = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(plan->hparams)));
	if (!osml_run_lock_try(plan->run_id))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("run " INT64_FORMAT " is going on already", plan->run_id),
				 errhint("osml_wait waits for it.")));
	osml_run_queue(&row);
	osml_worker_end();
	SpinLockAcquire(&segment->shared->mutex);
	segment->shared->committed = true;
	SpinLockRelease(&segment->shared->mutex);
	osml_shared_wake(segment->shared);
}

/*
 * Its turn, and the launch, in one transaction, which the turn lasts for.  While it
 * waits it has no snapshot that would hold up VACUUM.
 */
static void
wait_and_launch(OsmlSegment *segment)
{
	const OsmlPlan *plan = segment->plan;
	OsmlTrainRequest request = {
		.dataset = plan->dataset,
		.model = plan->model,
		.wait = true,
		.resume = plan->resume ? plan->run_id : 0,
		.waited = plan->resume ? 0 : plan->run_id,
		.function = plan->resume ? "osml_resume" : "osml_train"
	};
	OsmlTurn	turn;
	OsmlRunRow *row;
	int64		launched;

	osml_worker_begin(plan);
	PopActiveSnapshot();
	(void) osml_turn_ask(&turn, plan->role, plan->model, OSML_IF_RUNNING_QUEUE, true);
	PushActiveSnapshot(GetTransactionSnapshot());
	row = osml_run_find(plan->run_id, true);
	if (row == NULL)
		elog(ERROR, "row of run " INT64_FORMAT " is gone", plan->run_id);
	request.hparams = row->hparams;
	request.summary = plan->resume ? row->summary : NULL;
	launched = osml_launch(&request, &turn);
	osml_worker_end();
	if (launched == 0)
		end_waiting("finished", NULL, "there was no new row to train on");
}

void
osml_queue_main(Datum main_arg)
{
	MemoryContext context;

	waiting = osml_worker_start(main_arg);
	context = CurrentMemoryContext;
	SpinLockAcquire(&waiting->shared->mutex);
	waiting->shared->trainer = MyProc;
	waiting->shared->trainer_pid = MyProcPid;
	SpinLockRelease(&waiting->shared->mutex);
	on_dsm_detach(waiting->dsm, queue_leave, (Datum) 0);
	osml_worker_connect(waiting->plan, "queue");
	before_shmem_exit(queue_exit, 0);
	PG_TRY();
	{
		commit_row(waiting);
		pgstat_report_activity(STATE_RUNNING, "osml queue");
		wait_and_launch(waiting);
	}
	PG_CATCH();
	{
		ErrorData  *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		AbortOutOfAnyTransaction();
		MemoryContextSwitchTo(context);
		/* an interrupt that came too late must not break the last words */
		HOLD_INTERRUPTS();
		QueryCancelPending = false;
		osml_shared_report(waiting->shared, error);
		if (error->sqlerrcode == ERRCODE_QUERY_CANCELED)
			end_waiting("cancelled", waiting->shared->cancel ?
						waiting->shared->cancel_reason : error->message, NULL);
		else
			end_waiting("failed", error->message, NULL);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	waiting = NULL;
}
