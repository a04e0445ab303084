/*
 * worker.c
 *	  A background worker becomes its caller.
 *
 * Workers connect as the authenticated user, then set the current user as
 * parallel workers do, so NOLOGIN roles and SET ROLE work and no role is ever
 * read from a table.  Settings that change what a row means (search_path,
 * time zone, date styles, row_security) and osml.* come along.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/pmsignal.h"
#include "tcop/tcopprot.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"

#include "catalog/run.h"
#include "catalog/scope.h"
#include "train/worker.h"

/* how long a run's lock may be held by those that only look */
#define LOCK_TRIES 20
#define LOCK_NAP_MS 10

/*
 * Owner of what a worker holds between transactions: its mapping of the
 * segment and its temp files.
 */
static ResourceOwner worker_owner = NULL;

/* what a query of the caller's may depend on, and what bounds a run */
static const char *const carried_settings[] = {
	"search_path", "TimeZone", "timezone_abbreviations", "DateStyle", "IntervalStyle",
	"row_security",
	"extra_float_digits", "bytea_output", "lc_monetary", "lc_numeric", "lc_time",
	"default_text_search_config", "standard_conforming_strings", "backslash_quote",
	"array_nulls", "transform_null_equals", "xmlbinary", "xmloption", "temp_file_limit",
	"osml.max_memory", "osml.max_spill", "osml.progress_interval",
	"osml.max_metric_rows", "osml.max_runs", "osml.threads",
};

void
osml_worker_prepare(void)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGINT, StatementCancelHandler);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();

	CurrentMemoryContext = AllocSetContextCreate(TopMemoryContext, "osml run",
												 ALLOCSET_DEFAULT_SIZES);
	worker_owner = ResourceOwnerCreate(NULL, "osml worker");
	CurrentResourceOwner = worker_owner;
}

/*
 * PostmasterIsAlive() waits for a signal that the system sends late in the postmaster's
 * end.  The pipe between them is closed before, and that is what ends other processes,
 * such as the session that waits for this one: so whoever heard from those asks the pipe.
 */
bool
osml_worker_orphaned(void)
{
	return !PostmasterIsAliveInternal();
}

OsmlSegment *
osml_worker_start(Datum main_arg)
{
	osml_worker_prepare();
	return osml_segment_attach(DatumGetUInt32(main_arg));
}

void
osml_worker_connect(const OsmlPlan *plan, const char *role)
{
	MemoryContext run = CurrentMemoryContext;

	BackgroundWorkerInitializeConnectionByOid(plan->database,
											  plan->authenticated_user, 0);
	osml_catalog_expect(plan->extension);
	/* not before: the process has no entry in pg_stat_activity until then */
	pgstat_report_appname(psprintf("osml run " INT64_FORMAT " %s",
								   plan->run_id, role));
	StartTransactionCommand();
	/* a superuser may have changed the session user */
	if (plan->session_user != plan->authenticated_user)
		SetConfigOption("session_authorization",
						GetUserNameFromId(plan->session_user, false),
						PGC_SUSET, PGC_S_SESSION);
	for (int i = 0; i < plan->n_settings; i++)
		(void) set_config_option(plan->settings[i].name, plan->settings[i].value,
								 PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SET, true,
								 ERROR, false);
	CommitTransactionCommand();
	CurrentResourceOwner = worker_owner;
	MemoryContextSwitchTo(run);
}

void
osml_worker_begin(const OsmlPlan *plan)
{
	StartTransactionCommand();
	/* whatever the role's or the database's default: statements here lock rows
	 * that others change, and mean what they find then */
	XactIsoLevel = XACT_READ_COMMITTED;
	XactReadOnly = false;
	SetUserIdAndSecContext(plan->current_user, SECURITY_LOCAL_USERID_CHANGE);
	PushActiveSnapshot(GetTransactionSnapshot());
}

void
osml_worker_end(void)
{
	PopActiveSnapshot();
	/* as the caller: deferred triggers and held cursors of what was read run now */
	CommitTransactionCommand();
	/* outside a transaction the security context must be clear */
	SetUserIdAndSecContext(GetSessionUserId(), 0);
	CurrentResourceOwner = worker_owner;
}

void
osml_worker_take_run(int64 run_id)
{
	int			tries = 0;

	while (!osml_run_lock_try(run_id))
	{
		if (++tries == LOCK_TRIES)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_IN_USE),
					 errmsg("run " INT64_FORMAT " is going on already", run_id),
					 errhint("osml_wait waits for it.")));
		(void) osml_nap(LOCK_NAP_MS);
		CHECK_FOR_INTERRUPTS();
	}
}

void
osml_identity_capture(OsmlPlan *plan)
{
	plan->extension = osml_catalog_extension();
	plan->database = MyDatabaseId;
	plan->authenticated_user = GetAuthenticatedUserId();
	plan->session_user = GetSessionUserId();
	plan->current_user = GetUserId();
	plan->role = GetUserNameFromId(plan->current_user, false);
	plan->settings = palloc(sizeof(OsmlSetting) * lengthof(carried_settings));
	for (int i = 0; i < (int) lengthof(carried_settings); i++)
	{
		const char *value = GetConfigOption(carried_settings[i], true, false);

		if (value == NULL)
			continue;
		plan->settings[plan->n_settings].name = pstrdup(carried_settings[i]);
		plan->settings[plan->n_settings].value = pstrdup(value);
		plan->n_settings++;
	}
}
