/*
 * columns_scan.c
 *	  The rows of such columns as cells; see columns.h.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "features/key.h"
#include "source/columns.h"
#include "source/decode.h"

#define FETCH_ROWS 1000

/* How a column of one scan is turned to cells. */
typedef struct Converter
{
	OsmlDecode	decode;			/* NULL: a key */
	OsmlTextDecoder *text;
} Converter;

/* One scan.  Its SELECT has what is read, then the columns of the made set. */
typedef struct CellScan
{
	const OsmlColumns *columns;
	Converter  *converters;
	OsmlCell   *row;
	Datum	   *values;			/* of the made set */
	bool	   *nulls;
	OsmlCell   *made;			/* of a row */
} CellScan;

static CellScan
plan_scan(const OsmlColumns *columns)
{
	CellScan	scan = {.columns = columns};

	scan.converters = palloc0(sizeof(Converter) * columns->n);
	scan.row = palloc(sizeof(OsmlCell) * columns->n);
	for (int i = 0; i < columns->n; i++)
	{
		if (columns->sql[i] == NULL)
			continue;
		scan.converters[i].decode = osml_decode_for(columns->types[i]);
		if (scan.converters[i].decode == NULL)
			scan.converters[i].text = osml_text_decoder(columns->types[i]);
	}
	if (columns->made)
	{
		int			n = Max(1, columns->made->set->n_columns);

		scan.values = palloc(sizeof(Datum) * n);
		scan.nulls = palloc(sizeof(bool) * n);
		scan.made = palloc(sizeof(OsmlCell) * Max(1, columns->made->n));
	}
	return scan;
}

static OsmlCell
convert(Converter *converter, Datum value, bool isnull)
{
	OsmlCell	cell;

	if (converter->decode)
		cell.number = isnull ? osml_missing() : converter->decode(value);
	else if (isnull)
		cell.key = OSML_KEY_NULL;
	else
	{
		int			length;
		const char *text = osml_decode_text(converter->text, value, &length);

		cell.key = osml_key(text, length);
	}
	return cell;
}

/* The cells of a row. */
static void
take_row(CellScan *scan, HeapTuple tuple, TupleDesc desc)
{
	const OsmlColumns *columns = scan->columns;
	int			next = 1;

	for (int i = 0; i < columns->n; i++)
	{
		bool		isnull;
		Datum		value;

		if (columns->sql[i] == NULL)
			continue;
		value = SPI_getbinval(tuple, desc, next++, &isnull);
		scan->row[i] = convert(&scan->converters[i], value, isnull);
	}
	if (columns->made == NULL)
		return;
	for (int c = 0; c < columns->made->set->n_columns; c++)
		scan->values[c] = SPI_getbinval(tuple, desc, next++, &scan->nulls[c]);
	osml_made_cells(columns->made, scan->values, scan->nulls, scan->made);
	for (int i = 0; i < columns->n; i++)
	{
		if (columns->made_column[i] >= 0)
			scan->row[i] = scan->made[columns->made_column[i]];
	}
}

/* Hand the rows of a fetch over.  Returns false when the sink wants no more. */
static bool
hand_over(CellScan *scan, OsmlRowSink sink, void *arg)
{
	bool		more = true;

	for (uint64 r = 0; more && r < SPI_processed; r++)
	{
		CHECK_FOR_INTERRUPTS();
		take_row(scan, SPI_tuptable->vals[r], SPI_tuptable->tupdesc);
		more = sink(arg, scan->row);
	}
	return more;
}

/* An error while rows are read may be of any of the candidates. */
static void
scan_context(void *arg)
{
	const OsmlColumns *columns = arg;
	StringInfoData names;
	int			n = 0;

	initStringInfo(&names);
	for (int i = 0; i < columns->n; i++)
	{
		if (columns->roles[i] == OSML_COLUMN_CANDIDATE)
			appendStringInfo(&names, "%s\"%s\"", n++ ? ", " : "", columns->kinds[i].name);
	}
	if (n > 0)
		errcontext("reading %s with candidate features %s", columns->source->label, names.data);
	else
		errcontext("reading %s", columns->source->label);
}

/* Columns that are read, then those of the made set. */
static char *
scan_sql(const OsmlColumns *columns)
{
	StringInfoData sql;
	const char *comma = "";

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < columns->n; i++)
	{
		if (columns->sql[i] == NULL)
			continue;
		appendStringInfo(&sql, "%s%s", comma, columns->sql[i]);
		comma = ", ";
	}
	for (int c = 0; columns->made && c < columns->made->set->n_columns; c++)
		appendStringInfo(&sql, ", %s", quote_identifier(columns->made->set->columns[c].name));
	appendStringInfo(&sql, " FROM %s", columns->source->from);
	return sql.data;
}

void
osml_columns_scan(const OsmlColumns *columns, OsmlRowSink sink, void *arg)
{
	char	   *sql = scan_sql(columns);
	CellScan	scan;
	MemoryContext scratch;
	MemoryContext old;
	SPIPlanPtr	plan;
	Portal		portal;
	int			level;
	bool		more = true;
	ErrorContextCallback context = {error_context_stack, scan_context,
	unconstify(OsmlColumns *, columns)};

	error_context_stack = &context;
	SPI_connect();
	level = osml_scan_settings();
	plan = SPI_prepare_cursor(sql, 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", sql);
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	scan = plan_scan(columns);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "osml report rows",
									ALLOCSET_DEFAULT_SIZES);
	while (more)
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		old = MemoryContextSwitchTo(scratch);
		more = hand_over(&scan, sink, arg);
		MemoryContextSwitchTo(old);
		SPI_freetuptable(SPI_tuptable);
		MemoryContextReset(scratch);
	}
	SPI_cursor_close(portal);
	AtEOXact_GUC(false, level);
	SPI_finish();
	error_context_stack = context.previous;
}
