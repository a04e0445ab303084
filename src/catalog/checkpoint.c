/*
 * checkpoint.c
 *	  osml.checkpoint: see checkpoint.h.
 */
#include "postgres.h"

#include "utils/timestamp.h"

#include "catalog/checkpoint.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement insert_checkpoint = OSML_STATEMENT(
	"INSERT INTO osml.checkpoint (run_id, kind, step, epoch, monitor, value,"
	" train_loss, val_loss, state, at)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, clock_timestamp())"
	" ON CONFLICT (run_id, kind, step) DO UPDATE SET (epoch, monitor, value,"
	" train_loss, val_loss, state, at) = (EXCLUDED.epoch, EXCLUDED.monitor,"
	" EXCLUDED.value, EXCLUDED.train_loss, EXCLUDED.val_loss, EXCLUDED.state,"
	" EXCLUDED.at)",
	INT8OID, TEXTOID, INT8OID, INT8OID, TEXTOID, FLOAT8OID, FLOAT8OID, FLOAT8OID, BYTEAOID);

static OsmlStatement delete_others = OSML_STATEMENT(
	"DELETE FROM osml.checkpoint WHERE run_id = $1 AND kind = 'last' AND step <> $2",
	INT8OID, INT8OID);

static OsmlStatement delete_best = OSML_STATEMENT(
	"DELETE FROM osml.checkpoint WHERE run_id = $1 AND kind = 'best' AND step = $2",
	INT8OID, INT8OID);

static OsmlStatement delete_all = OSML_STATEMENT(
	"DELETE FROM osml.checkpoint WHERE run_id = $1",
	INT8OID);

static OsmlStatement find_last = OSML_STATEMENT(
	"SELECT step, epoch, monitor, value, train_loss, val_loss, at, state"
	" FROM osml.checkpoint WHERE run_id = $1 AND kind = 'last'",
	INT8OID);

static OsmlStatement find_best = OSML_STATEMENT(
	"SELECT step, epoch, monitor, value, train_loss, val_loss, at, state"
	" FROM osml.checkpoint WHERE run_id = $1 AND kind = 'best' AND step = $2",
	INT8OID, INT8OID);

static OsmlStatement list_best = OSML_STATEMENT(
	"SELECT step, epoch, monitor, value, train_loss, val_loss, at"
	" FROM osml.checkpoint WHERE run_id = $1 AND kind = 'best' ORDER BY step",
	INT8OID);

/* of one step there may be what was measured before the checkpoint, and after */
static OsmlStatement rewind_metrics = OSML_STATEMENT(
	"DELETE FROM osml.metric m WHERE run_id = $1 AND NOT EXISTS (SELECT FROM"
	" osml.checkpoint c WHERE c.run_id = m.run_id AND c.kind = 'last'"
	" AND m.step <= c.step AND m.at <= c.at)",
	INT8OID);

static OsmlStatement rewind_best = OSML_STATEMENT(
	"DELETE FROM osml.checkpoint b WHERE run_id = $1 AND kind = 'best' AND NOT EXISTS"
	" (SELECT FROM osml.checkpoint c WHERE c.run_id = b.run_id AND c.kind = 'last'"
	" AND b.step <= c.step AND b.at <= c.at)",
	INT8OID);

/* Run a statement whose parameters are the run and perhaps a step. */
static uint64
change(OsmlStatement *statement, int64 run_id, int64 step)
{
	OsmlArgs	args = {0};

	osml_push_int8(&args, run_id);
	if (statement->n_args > 1)
		osml_push_int8(&args, step);
	return osml_statement_write(statement, &args);
}

static void
insert(const OsmlCheckpointRow *row)
{
	OsmlArgs	args = {0};

	osml_push_int8(&args, row->run_id);
	osml_push_text(&args, row->kind);
	osml_push_int8(&args, row->step);
	osml_push_int8(&args, row->epoch);
	osml_push_text(&args, row->monitor);
	osml_push_float8(&args, row->value);
	osml_push_float8(&args, row->train_loss);
	osml_push_float8(&args, row->val_loss);
	osml_push(&args, PointerGetDatum(row->state));
	osml_statement_write(&insert_checkpoint, &args);
}

void
osml_checkpoint_put_last(const OsmlCheckpointRow *row)
{
	OsmlCatalogScope scope;

	osml_catalog_begin(&scope);
	insert(row);
	(void) change(&delete_others, row->run_id, row->step);
	osml_catalog_end(&scope);
}

void
osml_checkpoint_put_best(const OsmlCheckpointRow *row, int64 evicted)
{
	OsmlCatalogScope scope;

	osml_catalog_begin(&scope);
	if (evicted >= 0)
		(void) change(&delete_best, row->run_id, evicted);
	insert(row);
	osml_catalog_end(&scope);
}

/* Row number i of the statement run last. */
static OsmlCheckpointRow *
pull(const OsmlCatalogScope *scope, int64 run_id, const char *kind, uint64 i)
{
	OsmlFields	fields = osml_fields(scope, i);
	OsmlCheckpointRow *row = MemoryContextAllocZero(scope->caller, sizeof(OsmlCheckpointRow));
	bool		isnull;

	row->run_id = run_id;
	row->kind = kind;
	row->step = osml_pull_int8(&fields);
	row->epoch = osml_pull_int8(&fields);
	row->monitor = osml_pull_text(&fields);
	row->value = osml_pull_float8(&fields);
	row->train_loss = osml_pull_float8(&fields);
	row->val_loss = osml_pull_float8(&fields);
	row->at = DatumGetTimestampTz(osml_pull(&fields, &isnull));
	if (fields.next <= fields.columns->natts)
		row->state = osml_pull_bytea(&fields);
	return row;
}

OsmlCheckpointRow *
osml_checkpoint_last(int64 run_id)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlCheckpointRow *row = NULL;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, run_id);
	if (osml_statement_read(&find_last, &args) > 0)
		row = pull(&scope, run_id, OSML_CHECKPOINT_LAST, 0);
	osml_catalog_end(&scope);
	return row;
}

List *
osml_checkpoint_list_best(int64 run_id)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	List	   *rows = NIL;
	MemoryContext old;
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, run_id);
	n = osml_statement_read(&list_best, &args);
	old = MemoryContextSwitchTo(scope.caller);
	for (uint64 i = 0; i < n; i++)
		rows = lappend(rows, pull(&scope, run_id, OSML_CHECKPOINT_BEST, i));
	MemoryContextSwitchTo(old);
	osml_catalog_end(&scope);
	return rows;
}

OsmlCheckpointRow *
osml_checkpoint_best(int64 run_id, int64 step)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	OsmlCheckpointRow *row;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, run_id);
	osml_push_int8(&args, step);
	if (osml_statement_read(&find_best, &args) == 0)
		elog(ERROR, "checkpoint of run " INT64_FORMAT " at step " INT64_FORMAT " is gone",
			 run_id, step);
	row = pull(&scope, run_id, OSML_CHECKPOINT_BEST, 0);
	osml_catalog_end(&scope);
	return row;
}

uint64
osml_checkpoints_delete(int64 run_id)
{
	OsmlCatalogScope scope;
	uint64		n;

	osml_catalog_begin(&scope);
	n = change(&delete_all, run_id, 0);
	osml_catalog_end(&scope);
	return n;
}

void
osml_checkpoint_rewind(int64 run_id)
{
	OsmlCatalogScope scope;

	osml_catalog_begin(&scope);
	(void) change(&rewind_metrics, run_id, 0);
	(void) change(&rewind_best, run_id, 0);
	osml_catalog_end(&scope);
}
