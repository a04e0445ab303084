/*
 * restart.c
 *	  Interrupted runs that go on by themselves: see restart.h.
 *
 * The restarter is there from the start of the server on, if the library is
 * preloaded.  It looks at the tickets once (ticket.h) and then sleeps: it stays so that
 * the postmaster starts it again after a crash.  For each ticket a worker becomes
 * whoever launched the run, as the ticket says, and does what osml_resume() does.
 */
#include "postgres.h"

#include "access/xact.h"
#include "access/xlog.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "catalog/run.h"
#include "train/launcher.h"
#include "train/restart.h"
#include "train/ticket.h"
#include "train/worker.h"

/* a run that takes the server down with it must not do so for ever */
#define MAX_ATTEMPTS 5

#define RETRY_SECONDS 10

PGDLLEXPORT void osml_restarter_main(Datum main_arg);
PGDLLEXPORT void osml_restart_main(Datum main_arg);

/* set in the postmaster, and inherited by all that it forks */
static bool registered = false;

static void
describe_worker(BackgroundWorker *worker, const char *function, const char *name)
{
	memset(worker, 0, sizeof(*worker));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_RecoveryFinished;
	worker->bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(worker->bgw_library_name, "osml", sizeof(worker->bgw_library_name));
	strlcpy(worker->bgw_function_name, function, sizeof(worker->bgw_function_name));
	strlcpy(worker->bgw_name, name, sizeof(worker->bgw_name));
	strlcpy(worker->bgw_type, "osml restarter", sizeof(worker->bgw_type));
}

void
osml_restart_register(void)
{
	BackgroundWorker worker;

	/* pg_upgrade, whose copy has no place for a transaction that nobody expects */
	if (IsBinaryUpgrade)
		return;
	describe_worker(&worker, "osml_restarter_main", "osml restarter");
	worker.bgw_restart_time = RETRY_SECONDS;
	RegisterBackgroundWorker(&worker);
	registered = true;
}

bool
osml_restart_available(void)
{
	return registered;
}

/* what a worker is told: which ticket is its own */
typedef struct Errand
{
	Oid			database;
	int64		run_id;
} Errand;

/* What keeps a run from being restarted, or NULL. */
static const char *
objection(const OsmlTicket *ticket)
{
	if (ticket->plan == NULL)
		return "The file that says how is damaged.";
	if (ticket->timeline != GetWALInsertionTimeLine())
		return "It was going on before this server became one of its own, by promotion or from a backup.";
	if (ticket->attempts >= MAX_ATTEMPTS)
		return psprintf("It has been restarted %d times.", ticket->attempts);
	return NULL;
}

/* A worker for a ticket that is good. */
static void
dispatch(OsmlTicket *ticket)
{
	BackgroundWorker worker;
	Errand		errand = {ticket->database, ticket->run_id};
	const char *why;

	ticket = osml_ticket_find(ticket->database, ticket->run_id);
	if (ticket == NULL)
		return;
	why = objection(ticket);
	if (why)
	{
		ereport(LOG,
				(errmsg("osml run " INT64_FORMAT " is not restarted", ticket->run_id),
				 errdetail("%s", why),
				 errhint("Go on with it by osml_resume.")));
		osml_ticket_void(ticket->database, ticket->run_id);
		return;
	}
	osml_ticket_count(ticket);
	describe_worker(&worker, "osml_restart_main",
					psprintf("osml restart of run " INT64_FORMAT, ticket->run_id));
	memcpy(worker.bgw_extra, &errand, sizeof(errand));
	if (!RegisterDynamicBackgroundWorker(&worker, NULL))
		ereport(LOG,
				(errmsg("no background worker slot is free to restart osml run " INT64_FORMAT,
						ticket->run_id),
				 errhint("Raise max_worker_processes, or resume it with osml_resume.")));
}

void
osml_restarter_main(Datum main_arg)
{
	ListCell   *cell;

	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();
	CurrentMemoryContext = AllocSetContextCreate(TopMemoryContext, "osml restarter",
												 ALLOCSET_DEFAULT_SIZES);
	foreach(cell, osml_tickets())
		dispatch(lfirst(cell));
	while (!ShutdownRequestPending)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, -1, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	/* 0 would mean that it is never wanted again */
	proc_exit(1);
}

/*
 * The run of the ticket, resumed if it was interrupted; else the ticket is void.  The row
 * says what to do: it must be the one that the launching role's run had.
 */
static void
resume(const OsmlTicket *ticket)
{
	OsmlRunRow *row;

	osml_worker_begin(ticket->plan);
	row = osml_run_find(ticket->run_id, true);
	if (row == NULL || strcmp(row->owner, ticket->plan->role) != 0 ||
		strcmp(osml_run_status(row), "interrupted") != 0)
		osml_ticket_void(ticket->database, ticket->run_id);
	else
	{
		OsmlTrainRequest request = {
			.dataset = row->dataset,
			.hparams = row->hparams,
			.model = row->model,
			.model_named = row->model_named,
			.resume = row->run_id,
			.summary = row->summary,
			.function = "osml_resume"
		};

		(void) osml_launch(&request, NULL);
	}
	osml_worker_end();
}

void
osml_restart_main(Datum main_arg)
{
	Errand		errand;
	OsmlTicket *ticket;

	memcpy(&errand, MyBgworkerEntry->bgw_extra, sizeof(errand));
	osml_worker_prepare();
	ticket = osml_ticket_find(errand.database, errand.run_id);
	if (ticket == NULL || ticket->plan == NULL)
		return;
	osml_worker_connect(ticket->plan, "restarter");
	resume(ticket);
}
