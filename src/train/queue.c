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

/* The row of a run that was not launched. */
static void
end_row(const OsmlPlan *plan, const char *status, const char *error, const char *summary)
{
	OsmlRunRow *row;

	osml_worker_begin(plan);
	row = osml_run_find(plan->run_id, true);
	if (row && strcmp(row->status, "queued") == 0)
	{
		row->status = pstrdup(status);
		row->error = error ? pstrdup(error) : NULL;
		if (summary)
			osml_event_insert(row->run_id, "info", "queue", 0, summary);
		osml_run_end(row);
	}
	osml_worker_end();
}

/*
 * Its end, and whoever waits for it.  A row that is not of our making is somebody else's:
 * of two that resume a run at once, one has it.
 */
static void
end_waiting(const char *status, const char *error, const char *summary)
{
	if (waiting->shared->committed)
		end_row(waiting->plan, status, error, summary);
	osml_shared_end(waiting->shared, status, 0);
	waiting = NULL;
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
		.model_named = plan->model_named,
		.trainer_pid = MyProcPid,
		.segment = dsm_segment_handle(segment->dsm)
	};

	osml_worker_begin(plan);
	row.hparams = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(plan->hparams)));
	osml_worker_take_run(plan->run_id);
	osml_run_queue(&row);
	osml_worker_end();
	osml_shared_commit(segment->shared);
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
		.model_named = plan->model_named,
		.wait = true,
		.resume = plan->run_id,
		.waited = !plan->resume,
		.function = plan->resume ? "osml_resume" : "osml_train"
	};
	OsmlTurn	turn;
	OsmlRunRow *row;
	int64		launched;

	osml_worker_begin(plan);
	PopActiveSnapshot();
	(void) osml_turn_ask(&turn, plan->role, plan->model, OSML_IF_RUNNING_QUEUE,
						 OSML_PATIENCE_WORKER);
	PushActiveSnapshot(GetTransactionSnapshot());
	row = osml_run_find(plan->run_id, true);
	if (row == NULL || strcmp(row->owner, plan->role) != 0)
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
	osml_segment_own(waiting);
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
