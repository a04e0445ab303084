/*
 * run.c
 *	  osml.run: one row a run, inserted and updated by its trainer.
 *
 * Next: run_lock.c (is the trainer still there), metric.c, event.c.
 */
#include "postgres.h"

#include "catalog/pg_authid_d.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/snapmgr.h"

#include "catalog/role.h"
#include "catalog/run.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement next_id = OSML_STATEMENT(
	"SELECT nextval('osml.run_id_seq')");

static OsmlStatement insert_run = OSML_STATEMENT(
	"INSERT INTO osml.run (run_id, owner, dataset, model, status, hparams,"
	" model_named, device, rows_skipped, trainer_pid, segment, summary)"
	" VALUES ($1, $2, $3, $4, 'running', coalesce($5, '{}'), $6, $7, $8, $9, $10, $11)",
	INT8OID, TEXTOID, TEXTOID, TEXTOID, JSONBOID, BOOLOID, TEXTOID, INT8OID, INT4OID,
	INT8OID, JSONBOID);

static OsmlStatement queue_run = OSML_STATEMENT(
	"INSERT INTO osml.run (run_id, owner, dataset, model, status, hparams,"
	" model_named, trainer_pid, segment)"
	" VALUES ($1, $2, $3, $4, 'queued', coalesce($5, '{}'), $6, $7, $8)"
	" ON CONFLICT (run_id) DO UPDATE SET status = 'queued', error = NULL,"
	" ended_at = NULL, trainer_pid = $7, segment = $8"
	" WHERE run.status <> 'finished'",
	INT8OID, TEXTOID, TEXTOID, TEXTOID, JSONBOID, BOOLOID, INT4OID, INT8OID);

static OsmlStatement progress_run = OSML_STATEMENT(
	"UPDATE osml.run SET steps = $2, epoch = $3, rows_seen = $4,"
	" rows_skipped = $5, rows_read = $6 WHERE run_id = $1",
	INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID);

static OsmlStatement restart_run = OSML_STATEMENT(
	"UPDATE osml.run SET status = 'running', error = NULL, ended_at = NULL,"
	" hparams = $2, device = $3, trainer_pid = $4, segment = $5, steps = 0,"
	" epoch = 0, rows_read = 0, rows_seen = 0, rows_skipped = 0,"
	" started_at = CASE WHEN $6 THEN clock_timestamp() ELSE started_at END"
	" WHERE run_id = $1 AND status <> 'finished'",
	INT8OID, JSONBOID, TEXTOID, INT4OID, INT8OID, BOOLOID);

static OsmlStatement end_run = OSML_STATEMENT(
	"UPDATE osml.run SET steps = $2, epoch = $3, rows_seen = $4,"
	" rows_skipped = $5, rows_read = $6, status = $7, error = $8,"
	" version = nullif($9, 0), hparams = coalesce($10, hparams), summary = $11,"
	" device = coalesce($12, device), segment = NULL,"
	" ended_at = clock_timestamp() WHERE run_id = $1",
	INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, INT8OID, TEXTOID, TEXTOID,
	INT4OID, JSONBOID, JSONBOID, TEXTOID);

#define RUN_COLUMNS "run_id, owner, dataset, model, version, status, error, hparams," \
	" device, steps, epoch, rows_seen, rows_skipped, trainer_pid, segment, summary, model_named"

static OsmlStatement find_run = OSML_STATEMENT(
	"SELECT " RUN_COLUMNS " FROM osml.run WHERE run_id = $1",
	INT8OID);

static OsmlStatement going_on = OSML_STATEMENT(
	"SELECT " RUN_COLUMNS " FROM osml.run"
	" WHERE owner = $1 AND status = 'running' ORDER BY run_id",
	TEXTOID);

/* A new id.  Sequences do not roll back, so it is never given out twice. */
int64
osml_run_new_id(void)
{
	OsmlCatalogScope scope;
	OsmlFields	fields;
	int64		id;

	osml_catalog_begin(&scope);
	osml_statement_write(&next_id, NULL);
	fields = osml_fields(&scope, 0);
	id = osml_pull_int8(&fields);
	osml_catalog_end(&scope);
	return id;
}

/* Run a statement on one run that must be there. */
static void
write_run(OsmlStatement *statement, OsmlArgs *args, int64 run_id)
{
	if (osml_statement_write(statement, args) != 1)
		elog(ERROR, "row of run " INT64_FORMAT " is gone", run_id);
}

/* What a run is from the first on. */
static void
push_start(OsmlArgs *args, const OsmlRunRow *row)
{
	osml_push_int8(args, row->run_id);
	osml_push_text(args, row->owner);
	osml_push_text(args, row->dataset);
	osml_push_text(args, row->model);
	osml_push_jsonb(args, row->hparams);
	osml_push(args, BoolGetDatum(row->model_named));
}

/* A run that starts now. */
void
osml_run_insert(const OsmlRunRow *row)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};

	osml_catalog_begin(&scope);
	push_start(&args, row);
	osml_push_text(&args, row->device);
	osml_push_int8(&args, row->rows_skipped);
	osml_push_int4(&args, row->trainer_pid);
	osml_push_int8(&args, row->segment);
	osml_push_jsonb(&args, row->summary);
	write_run(&insert_run, &args, row->run_id);
	osml_catalog_end(&scope);
}

/* A run that has to wait for its turn, new or to go on. */
void
osml_run_queue(const OsmlRunRow *row)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};

	osml_catalog_begin(&scope);
	push_start(&args, row);
	osml_push_int4(&args, row->trainer_pid);
	osml_push_int8(&args, row->segment);
	write_run(&queue_run, &args, row->run_id);
	osml_catalog_end(&scope);
}

/* A run that goes on, or whose turn has come; an error when it has finished meanwhile. */
void
osml_run_restart(const OsmlRunRow *row, bool first)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, row->run_id);
	osml_push_jsonb(&args, row->hparams);
	osml_push_text(&args, row->device);
	osml_push_int4(&args, row->trainer_pid);
	osml_push_int8(&args, row->segment);
	osml_push(&args, BoolGetDatum(first));
	n = osml_statement_write(&restart_run, &args);
	osml_catalog_end(&scope);
	if (n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("run " INT64_FORMAT " has finished", row->run_id)));
}

/* The counters that both kinds of update write. */
static void
push_counters(OsmlArgs *args, const OsmlRunRow *row)
{
	osml_push_int8(args, row->run_id);
	osml_push_int8(args, row->steps);
	osml_push_int8(args, row->epoch);
	osml_push_int8(args, row->rows_seen);
	osml_push_int8(args, row->rows_skipped);
	osml_push_int8(args, row->rows_read);
}

/* How far the run is, at most once a second. */
void
osml_run_progress(const OsmlRunRow *row)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};

	osml_catalog_begin(&scope);
	push_counters(&args, row);
	write_run(&progress_run, &args, row->run_id);
	osml_catalog_end(&scope);
}

/* The run is over: row->status says how. */
void
osml_run_end(const OsmlRunRow *row)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};

	osml_catalog_begin(&scope);
	push_counters(&args, row);
	osml_push_text(&args, row->status);
	osml_push_text(&args, row->error);
	osml_push_int4(&args, row->version);
	osml_push_jsonb(&args, row->hparams);
	osml_push_jsonb(&args, row->summary);
	osml_push_text(&args, row->device);
	write_run(&end_run, &args, row->run_id);
	osml_catalog_end(&scope);
}

/* Row number i of a statement with RUN_COLUMNS. */
static OsmlRunRow *
pull_run(const OsmlCatalogScope *scope, uint64 i)
{
	OsmlFields	fields = osml_fields(scope, i);
	OsmlRunRow *row = MemoryContextAllocZero(scope->caller, sizeof(OsmlRunRow));
	bool		isnull;

	row->run_id = osml_pull_int8(&fields);
	row->owner = osml_pull_text(&fields);
	row->dataset = osml_pull_text(&fields);
	row->model = osml_pull_text(&fields);
	row->version = osml_pull_int4(&fields);
	row->status = osml_pull_text(&fields);
	row->error = osml_pull_text(&fields);
	row->hparams = osml_pull_jsonb(&fields);
	row->device = osml_pull_text(&fields);
	row->steps = osml_pull_int8(&fields);
	row->epoch = osml_pull_int8(&fields);
	row->rows_seen = osml_pull_int8(&fields);
	row->rows_skipped = osml_pull_int8(&fields);
	row->trainer_pid = osml_pull_int4(&fields);
	row->segment = (uint32) osml_pull_int8(&fields);
	row->summary = osml_pull_jsonb(&fields);
	row->model_named = DatumGetBool(osml_pull(&fields, &isnull));
	return row;
}

/*
 * Find a run.  fresh: someone who waits for a run under REPEATABLE READ has to
 * see what its trainer commits meanwhile.
 */
OsmlRunRow *
osml_run_find(int64 run_id, bool fresh)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlRunRow *row = NULL;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, run_id);
	if (fresh)
		PushActiveSnapshot(GetLatestSnapshot());
	if (osml_statement_read(&find_run, &args) > 0)
		row = pull_run(&scope, 0);
	if (fresh)
		PopActiveSnapshot();
	osml_catalog_end(&scope);
	return row;
}

List *
osml_runs_going_on(const char *owner)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	List	   *rows = NIL;
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_text(&args, owner);
	PushActiveSnapshot(GetLatestSnapshot());
	n = osml_statement_read(&going_on, &args);
	PopActiveSnapshot();
	for (uint64 i = 0; i < n; i++)
	{
		OsmlRunRow *row = pull_run(&scope, i);
		MemoryContext old = MemoryContextSwitchTo(scope.caller);

		if (osml_run_lock_alive(row->run_id))
			rows = lappend(rows, row);
		MemoryContextSwitchTo(old);
	}
	osml_catalog_end(&scope);
	return rows;
}

/* The rule of the view osml.runs. */
bool
osml_run_visible(const OsmlRunRow *row)
{
	return osml_role_usable(row->owner) ||
		has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
}
