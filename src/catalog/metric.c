/*
 * metric.c
 *	  osml.metric: what a run measured, written in batches.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "catalog/run.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

/*
 * The last validation of a run may fall on a step that was validated already,
 * with the same parameters and hence the same value.
 */
static OsmlStatement insert_metrics = OSML_STATEMENT(
	"INSERT INTO osml.metric (run_id, step, epoch, phase, name, value, at)"
	" SELECT $1, m.* FROM unnest($2, $3, $4, $5, $6, $7) AS m"
	" ON CONFLICT DO NOTHING",
	INT8OID, INT8ARRAYOID, INT8ARRAYOID, TEXTARRAYOID, TEXTARRAYOID,
	FLOAT8ARRAYOID, TIMESTAMPTZARRAYOID);

static OsmlStatement find_metric = OSML_STATEMENT(
	"SELECT value FROM osml.metric WHERE run_id = $1 AND name = $2 AND phase = 'train'"
	" ORDER BY step",
	INT8OID, TEXTOID);

/* Push n datums as an array parameter. */
static void
push_array(OsmlArgs *args, Datum *values, int n, Oid type)
{
	int16		length;
	bool		by_value;
	char		align;

	get_typlenbyvalalign(type, &length, &by_value, &align);
	osml_push(args, PointerGetDatum(construct_array(values, n, type, length,
													by_value, align)));
}

/* Push one column of the rows; at most a second's worth, so memory is small. */
#define PUSH_COLUMN(type, expression) \
	do { \
		for (int i = 0; i < n; i++) \
			values[i] = (expression); \
		push_array(&args, values, n, (type)); \
	} while (0)

/* Add metric rows, all with one statement. */
void
osml_metric_insert(int64 run_id, const OsmlMetricRow *rows, int n)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	Datum	   *values;

	if (n == 0)
		return;
	osml_catalog_begin(&scope);
	values = palloc(n * sizeof(Datum));
	osml_push_int8(&args, run_id);
	PUSH_COLUMN(INT8OID, Int64GetDatum(rows[i].step));
	PUSH_COLUMN(INT8OID, Int64GetDatum(rows[i].epoch));
	PUSH_COLUMN(TEXTOID, CStringGetTextDatum(rows[i].phase));
	PUSH_COLUMN(TEXTOID, CStringGetTextDatum(rows[i].name));
	PUSH_COLUMN(FLOAT8OID, Float8GetDatum(rows[i].value));
	PUSH_COLUMN(TIMESTAMPTZOID, TimestampTzGetDatum(rows[i].at));
	osml_statement_write(&insert_metrics, &args);
	osml_catalog_end(&scope);
}

/* One metric of a run that others have written meanwhile. */
double *
osml_metric_values(int64 run_id, const char *name, int64 *n)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	double	   *values;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, run_id);
	osml_push_text(&args, name);
	PushActiveSnapshot(GetLatestSnapshot());
	*n = (int64) osml_statement_read(&find_metric, &args);
	PopActiveSnapshot();
	values = MemoryContextAllocHuge(scope.caller, sizeof(double) * Max(1, *n));
	for (int64 i = 0; i < *n; i++)
	{
		OsmlFields	fields = osml_fields(&scope, i);

		values[i] = osml_pull_float8(&fields);
	}
	osml_catalog_end(&scope);
	return values;
}
