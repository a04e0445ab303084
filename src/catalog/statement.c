/*
 * statement.c
 *	  Prepared statements of the catalog, their parameters and results.
 *
 * A plan is kept for the backend's life.  The server replans it when a table
 * changes, also when the extension is dropped and created again, and checks
 * the owner's privileges at each execution.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"

#include "catalog/statement.h"

/* Add a parameter. */
void
osml_push(OsmlArgs *args, Datum value)
{
	Assert(args->n < OSML_MAX_ARGS);
	args->values[args->n] = value;
	args->nulls[args->n++] = ' ';
}

/* Add a NULL, of whatever type the parameter has. */
void
osml_push_null(OsmlArgs *args)
{
	osml_push(args, (Datum) 0);
	args->nulls[args->n - 1] = 'n';
}

/* Add a bigint. */
void
osml_push_int8(OsmlArgs *args, int64 value)
{
	osml_push(args, Int64GetDatum(value));
}

/* Add an integer. */
void
osml_push_int4(OsmlArgs *args, int value)
{
	osml_push(args, Int32GetDatum(value));
}

/* NaN stands for "none" in the room's structs. */
void
osml_push_float8(OsmlArgs *args, double value)
{
	if (isnan(value))
		osml_push_null(args);
	else
		osml_push(args, Float8GetDatum(value));
}

/* Add a string as text; NULL becomes NULL. */
void
osml_push_text(OsmlArgs *args, const char *value)
{
	if (value == NULL)
		osml_push_null(args);
	else
		osml_push(args, CStringGetTextDatum(value));
}

/* Add a document, which is not copied; NULL becomes NULL. */
void
osml_push_jsonb(OsmlArgs *args, Jsonb *value)
{
	if (value == NULL)
		osml_push_null(args);
	else
		osml_push(args, JsonbPGetDatum(value));
}

Datum
osml_text_array(const List *strings)
{
	Datum	   *values = palloc(Max(1, list_length(strings)) * sizeof(Datum));
	const ListCell *lc;

	foreach(lc, strings)
		values[foreach_current_index(lc)] = CStringGetTextDatum(lfirst(lc));
	return PointerGetDatum(construct_array(values, list_length(strings), TEXTOID, -1, false,
										   TYPALIGN_INT));
}

/* A list of strings as text[]. */
void
osml_push_texts(OsmlArgs *args, List *strings)
{
	if (strings == NIL)
		osml_push_null(args);
	else
		osml_push(args, osml_text_array(strings));
}

/* Numbers as double precision[]; none become NULL. */
void
osml_push_float8s(OsmlArgs *args, const double *values, int n)
{
	Datum	   *datums;

	if (n == 0)
	{
		osml_push_null(args);
		return;
	}
	datums = palloc(n * sizeof(Datum));
	for (int i = 0; i < n; i++)
		datums[i] = Float8GetDatum(values[i]);
	osml_push(args, PointerGetDatum(construct_array(datums, n, FLOAT8OID, sizeof(float8),
													FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)));
}

/* Prepare at first use, execute, and fail on anything unexpected. */
static uint64
statement_run(OsmlStatement *statement, OsmlArgs *args, bool read_only)
{
	int			result;

	if (statement->plan == NULL)
	{
		SPIPlanPtr	plan = SPI_prepare(statement->sql, statement->n_args,
									   statement->types);

		if (plan == NULL || SPI_keepplan(plan) != 0)
			elog(ERROR, "could not prepare \"%s\": %s", statement->sql,
				 SPI_result_code_string(SPI_result));
		statement->plan = plan;
	}
	Assert((args ? args->n : 0) == statement->n_args);
	result = SPI_execute_plan(statement->plan, args ? args->values : NULL,
							  args ? args->nulls : NULL, read_only, 0);
	if (result < 0)
		elog(ERROR, "could not execute \"%s\": %s", statement->sql,
			 SPI_result_code_string(result));
	return SPI_processed;
}

/*
 * Read under the active snapshot, so that a STABLE function sees what its query
 * sees, and with it what the transaction has done since: the query itself may have
 * made the data set that it transforms next.  Parallel workers cannot have done
 * anything.  A worker between queries has no snapshot; it gets a new one.
 */
uint64
osml_statement_read(OsmlStatement *statement, OsmlArgs *args)
{
	bool		push = !ActiveSnapshotSet() || !IsInParallelMode();
	uint64		rows;

	if (!ActiveSnapshotSet())
		PushActiveSnapshot(GetTransactionSnapshot());
	else if (push)
	{
		PushCopiedSnapshot(GetActiveSnapshot());
		UpdateActiveSnapshotCommandId();
	}
	rows = statement_run(statement, args, true);
	if (push)
		PopActiveSnapshot();
	return rows;
}

/* Write, or lock; sees all that the transaction did before. */
uint64
osml_statement_write(OsmlStatement *statement, OsmlArgs *args)
{
	return statement_run(statement, args, false);
}

void
osml_inserts_begin(OsmlInserts *inserts, OsmlStatement *statement)
{
	inserts->statement = statement;
	inserts->n = 0;
	for (int k = 0; k < statement->n_args; k++)
	{
		inserts->values[k] = palloc(OSML_ROWS_AT_ONCE * sizeof(Datum));
		inserts->nulls[k] = palloc(OSML_ROWS_AT_ONCE * sizeof(bool));
	}
}

/* Write the rows that are there. */
static void
inserts_flush(OsmlInserts *inserts)
{
	OsmlArgs	args = {0};

	for (int k = 0; k < inserts->statement->n_args; k++)
	{
		Oid			type = get_element_type(inserts->statement->types[k]);
		int			lower = 1;
		int16		length;
		bool		by_value;
		char		align;

		get_typlenbyvalalign(type, &length, &by_value, &align);
		osml_push(&args, PointerGetDatum(construct_md_array(inserts->values[k], inserts->nulls[k],
															1, &inserts->n, &lower, type,
															length, by_value, align)));
	}
	osml_statement_write(inserts->statement, &args);
	for (int k = 0; k < args.n; k++)
		pfree(DatumGetPointer(args.values[k]));
	inserts->n = 0;
}

void
osml_inserts_add(OsmlInserts *inserts, const OsmlArgs *args)
{
	CHECK_FOR_INTERRUPTS();
	Assert(args->n == inserts->statement->n_args);
	for (int k = 0; k < args->n; k++)
	{
		inserts->values[k][inserts->n] = args->values[k];
		inserts->nulls[k][inserts->n] = args->nulls[k] == 'n';
	}
	if (++inserts->n == OSML_ROWS_AT_ONCE)
		inserts_flush(inserts);
}

void
osml_inserts_end(OsmlInserts *inserts)
{
	if (inserts->n > 0)
		inserts_flush(inserts);
}

/* Start pulling columns of a result row of the statement run last. */
OsmlFields
osml_fields(const OsmlCatalogScope *scope, uint64 row)
{
	OsmlFields	fields;

	Assert(row < SPI_processed);
	fields.tuple = SPI_tuptable->vals[row];
	fields.columns = SPI_tuptable->tupdesc;
	fields.context = scope->caller;
	fields.next = 1;
	return fields;
}

/* The next column, not copied. */
Datum
osml_pull(OsmlFields *fields, bool *isnull)
{
	return SPI_getbinval(fields->tuple, fields->columns, fields->next++, isnull);
}

/* The next column as a bigint; NULL is 0, which no id and no count needs. */
int64
osml_pull_int8(OsmlFields *fields)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);

	return isnull ? 0 : DatumGetInt64(value);
}

/* The next column as an integer; NULL is 0, as for versions. */
int
osml_pull_int4(OsmlFields *fields)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);

	return isnull ? 0 : DatumGetInt32(value);
}

/* The next column as a float; NULL is NaN, as in osml_push_float8(). */
double
osml_pull_float8(OsmlFields *fields)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);

	return isnull ? NAN : DatumGetFloat8(value);
}

/* The next column as a string of the caller's. */
char *
osml_pull_text(OsmlFields *fields)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);
	MemoryContext old;
	char	   *result;

	if (isnull)
		return NULL;
	old = MemoryContextSwitchTo(fields->context);
	result = TextDatumGetCString(value);
	MemoryContextSwitchTo(old);
	return result;
}

/* The next column as bytes of the caller's, whole and not compressed. */
bytea *
osml_pull_bytea(OsmlFields *fields)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);
	MemoryContext old;
	bytea	   *result;

	if (isnull)
		return NULL;
	old = MemoryContextSwitchTo(fields->context);
	result = DatumGetByteaPCopy(value);
	MemoryContextSwitchTo(old);
	return result;
}

/* The next column as a document of the caller's. */
Jsonb *
osml_pull_jsonb(OsmlFields *fields)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);
	MemoryContext old;
	Jsonb	   *result;

	if (isnull)
		return NULL;
	old = MemoryContextSwitchTo(fields->context);
	result = DatumGetJsonbPCopy(value);
	MemoryContextSwitchTo(old);
	return result;
}

/* text[] as a list of strings; NULL elements are left out. */
List *
osml_pull_texts(OsmlFields *fields)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);
	MemoryContext old;
	List	   *result = NIL;
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	if (isnull)
		return NIL;
	deconstruct_array(DatumGetArrayTypeP(value), TEXTOID, -1, false,
					  TYPALIGN_INT, &elements, &nulls, &n);
	old = MemoryContextSwitchTo(fields->context);
	for (int i = 0; i < n; i++)
		if (!nulls[i])
			result = lappend(result, TextDatumGetCString(elements[i]));
	MemoryContextSwitchTo(old);
	return result;
}

/* double precision[] as numbers of the caller's; a NULL element is NaN. */
double *
osml_pull_float8s(OsmlFields *fields, int *n)
{
	bool		isnull;
	Datum		value = osml_pull(fields, &isnull);
	Datum	   *elements;
	bool	   *nulls;
	double	   *result;

	*n = 0;
	if (isnull)
		return NULL;
	deconstruct_array(DatumGetArrayTypeP(value), FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, &elements, &nulls, n);
	result = MemoryContextAlloc(fields->context, Max(1, *n) * sizeof(double));
	for (int i = 0; i < *n; i++)
		result[i] = nulls[i] ? NAN : DatumGetFloat8(elements[i]);
	return result;
}
