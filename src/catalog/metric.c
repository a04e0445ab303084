/*
 * metric.c
 *	  osml.metric: what a run measured, written in batches.
 */
#include "postgres.h"

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
	" SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7)"
	" ON CONFLICT DO NOTHING",
	INT8ARRAYOID, INT8ARRAYOID, INT8ARRAYOID, TEXTARRAYOID, TEXTARRAYOID,
	FLOAT8ARRAYOID, TIMESTAMPTZARRAYOID);

static OsmlStatement find_metric = OSML_STATEMENT(
	"SELECT value FROM osml.metric WHERE run_id = $1 AND name = $2 AND phase = 'train'"
	" ORDER BY step",
	INT8OID, TEXTOID);

void
osml_metric_insert(int64 run_id, const OsmlMetricRow *metrics, int n)
{
	OsmlCatalogScope scope;
	OsmlInserts inserts;

	if (n == 0)
		return;
	osml_catalog_begin(&scope);
	osml_inserts_begin(&inserts, &insert_metrics);
	for (int i = 0; i < n; i++)
	{
		OsmlArgs	args = {0};

		osml_push_int8(&args, run_id);
		osml_push_int8(&args, metrics[i].step);
		osml_push_int8(&args, metrics[i].epoch);
		osml_push_text(&args, metrics[i].phase);
		osml_push_text(&args, metrics[i].name);
		osml_push(&args, Float8GetDatum(metrics[i].value));
		osml_push(&args, TimestampTzGetDatum(metrics[i].at));
		osml_inserts_add(&inserts, &args);
	}
	osml_inserts_end(&inserts);
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
