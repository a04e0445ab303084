/*
 * statistic.c
 *	  osml.statistic: see statistic.h.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type_d.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "catalog/statement.h"
#include "catalog/statistic.h"

static OsmlStatement lock_dataset = OSML_STATEMENT(
	"SELECT FROM osml.dataset WHERE dataset_id = $1 FOR NO KEY UPDATE",
	INT8OID);

static OsmlStatement delete_statistics = OSML_STATEMENT(
	"DELETE FROM osml.statistic WHERE dataset_id = $1",
	INT8OID);

static OsmlStatement insert_statistic = OSML_STATEMENT(
	"INSERT INTO osml.statistic (dataset_id, position, column_name, type, is_label,"
	" rows, nulls, nans, infinities, mean, std, skewness, min, max, zero_share,"
	" correlation, p01, p05, p25, p50, p75, p95, p99, histogram, distinct_values,"
	" distinct_exact, top_values, top_counts, top_error)"
	" VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,"
	" $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29)",
	INT8OID, INT4OID, TEXTOID, TEXTOID, BOOLOID, INT8OID, INT8OID, INT8OID, INT8OID,
	FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID,
	FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID, FLOAT8OID,
	INT8ARRAYOID, INT8OID, BOOLOID, TEXTARRAYOID, INT8ARRAYOID, INT8OID);

/* The values being filled in, from left to right. */
typedef struct Filling
{
	Datum	   *values;
	bool	   *nulls;
	int			n;
} Filling;

static void
fill(Filling *filling, Datum value, bool isnull)
{
	filling->values[filling->n] = value;
	filling->nulls[filling->n++] = isnull;
}

static void
fill_text(Filling *filling, const char *value)
{
	fill(filling, CStringGetTextDatum(value), false);
}

static void
fill_float8(Filling *filling, double value)
{
	fill(filling, Float8GetDatum(value), isnan(value));
}

static void
fill_int8(Filling *filling, int64 value, bool known)
{
	fill(filling, Int64GetDatum(value), !known);
}

static void
fill_int8s(Filling *filling, const int64 *values, int n, bool known)
{
	Datum	   *elements = palloc(sizeof(Datum) * Max(1, n));

	for (int i = 0; i < n; i++)
		elements[i] = Int64GetDatum(values[i]);
	fill(filling, PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64),
												  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
		 !known);
}

static void
fill_texts(Filling *filling, char *const *values, int n)
{
	Datum	   *elements = palloc(sizeof(Datum) * Max(1, n));
	bool	   *nulls = palloc(sizeof(bool) * Max(1, n));
	int			lower = 1;

	for (int i = 0; i < n; i++)
	{
		nulls[i] = values[i] == NULL;
		elements[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(values[i]);
	}
	fill(filling, PointerGetDatum(construct_md_array(elements, nulls, 1, &n, &lower,
													 TEXTOID, -1, false, TYPALIGN_INT)),
		 false);
}

/* In the order of osml.statistic's columns. */
void
osml_statistic_values(const OsmlStatisticRow *row, Datum *values, bool *nulls)
{
	Filling		filling = {values, nulls, 0};
	bool		number = row->is_number;

	fill_text(&filling, row->column);
	fill_text(&filling, row->type);
	fill(&filling, BoolGetDatum(row->is_label), false);
	fill_int8(&filling, row->rows, true);
	fill_int8(&filling, row->nulls, true);
	fill_int8(&filling, row->nans, number);
	fill_int8(&filling, row->infinities, number);
	fill_float8(&filling, row->mean);
	fill_float8(&filling, row->std);
	fill_float8(&filling, row->skewness);
	fill_float8(&filling, row->min);
	fill_float8(&filling, row->max);
	fill_float8(&filling, row->zero_share);
	fill_float8(&filling, row->correlation);
	for (int i = 0; i < OSML_N_QUANTILES; i++)
		fill_float8(&filling, row->quantiles[i]);
	fill_int8s(&filling, row->histogram, OSML_N_HISTOGRAM, row->has_histogram);
	fill_int8(&filling, row->distinct_values, true);
	fill(&filling, BoolGetDatum(row->distinct_exact), false);
	fill_texts(&filling, row->top_values, row->n_top);
	fill_int8s(&filling, row->top_counts, row->n_top, true);
	fill_int8(&filling, row->top_error, true);
	Assert(filling.n == OSML_STATISTIC_FIELDS);
}

/* With the dataset's row locked, or two calls at a time would add the same rows. */
void
osml_statistics_replace(int64 dataset_id, const OsmlStatisticRow *rows, int n)
{
	OsmlCatalogScope scope;
	OsmlArgs	old = {0};

	osml_catalog_begin(&scope);
	osml_push_int8(&old, dataset_id);
	if (osml_statement_write(&lock_dataset, &old) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("the dataset was dropped meanwhile")));
	osml_statement_write(&delete_statistics, &old);
	for (int i = 0; i < n; i++)
	{
		OsmlArgs	args = {0};
		Datum		values[OSML_STATISTIC_FIELDS];
		bool		nulls[OSML_STATISTIC_FIELDS];

		osml_statistic_values(&rows[i], values, nulls);
		osml_push_int8(&args, dataset_id);
		osml_push_int4(&args, i + 1);
		for (int k = 0; k < OSML_STATISTIC_FIELDS; k++)
		{
			if (nulls[k])
				osml_push_null(&args);
			else
				osml_push(&args, values[k]);
		}
		osml_statement_write(&insert_statistic, &args);
	}
	osml_catalog_end(&scope);
}
