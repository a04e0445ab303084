/*
 * columns.c
 *	  Columns of any type, row by row; see columns.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "features/key.h"
#include "source/column.h"
#include "source/columns.h"
#include "source/decode.h"
#include "source/expression.h"

#define FETCH_ROWS 1000

/* columns of a report: their statistics are kept in memory */
#define MAX_COLUMNS 1000

/* Append a column. */
static void
add_column(OsmlColumns *columns, const char *name, char *sql, Oid type, bool candidate)
{
	int			n = columns->n++;
	Oid			base = getBaseType(type);

	if (n >= MAX_COLUMNS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s has more than %d columns to report on", columns->source->label,
						MAX_COLUMNS),
				 errhint("Name fewer columns as features of a dataset.")));
	columns->sql[n] = sql;
	columns->types[n] = type;
	columns->candidate[n] = candidate;
	columns->kinds[n].name = pstrdup(name);
	columns->kinds[n].is_key = osml_decode_for(type) == NULL;
	columns->kinds[n].is_integer = base == INT2OID || base == INT4OID || base == INT8OID;
	columns->kinds[n].is_time = osml_decode_unit(type) != OSML_UNIT_NONE;
	columns->kinds[n].is_date = base == DATEOID;
	columns->kinds[n].is_flag = base == BOOLOID;
}

/* A feature as it is in the source; an array of numbers by its elements. */
static void
add_feature(OsmlColumns *columns, const char *name)
{
	Form_pg_attribute column = osml_need_column(columns->source, name);
	const char *quoted = quote_identifier(name);
	Oid			element = osml_decode_element(column->atttypid);
	int			n = 0;

	if (OidIsValid(element))
		n = osml_peek_array_length(columns->source, name);
	if (n == 0)
		add_column(columns, name, pstrdup(quoted), column->atttypid, false);
	for (int i = 1; i <= n; i++)
		add_column(columns, psprintf("%s[%d]", name, i), psprintf("%s[%d]", quoted, i),
				   element, false);
}

/* The type of a candidate, which may be what a feature's expression may be. */
static Oid
candidate_type(const OsmlSource *source, const char *text)
{
	TupleDesc	columns = source->columns;
	char	  **names = palloc(sizeof(char *) * columns->natts);
	Oid		   *types = palloc(sizeof(Oid) * columns->natts);
	int			n = 0;
	Oid			type;

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);

		if (column->attisdropped)
			continue;
		names[n] = NameStr(column->attname);
		types[n++] = column->atttypid;
	}
	type = osml_expression_check(text, text, n, names, types);
	if (type_is_rowtype(type) || get_typtype(type) == TYPTYPE_PSEUDO)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("candidate feature \"%s\" has type %s, which is not a single value",
						text, format_type_be(type))));
	return type;
}

/* Line breaks end a comment at the expression's end. */
static void
add_candidate(OsmlColumns *columns, char *text)
{
	Oid			type = candidate_type(columns->source, text);

	add_column(columns, text, psprintf("(%s\n)", text), type, true);
}

static OsmlColumns *
new_columns(OsmlSource *source)
{
	OsmlColumns *columns = palloc0(sizeof(OsmlColumns));

	columns->source = source;
	columns->sql = palloc0(sizeof(char *) * MAX_COLUMNS);
	columns->types = palloc0(sizeof(Oid) * MAX_COLUMNS);
	columns->candidate = palloc0(sizeof(bool) * MAX_COLUMNS);
	columns->kinds = palloc0(sizeof(OsmlColumnKind) * MAX_COLUMNS);
	return columns;
}

void
osml_columns_check_feature(OsmlSource *source, char *text)
{
	OsmlColumns *columns;

	if (osml_find_column(source->columns, text))
		return;
	/* a word is a misspelt column, anything else an expression */
	if (text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0')
		(void) osml_need_column(source, text);
	columns = new_columns(source);
	add_candidate(columns, text);
}

OsmlColumns *
osml_columns_resolve(OsmlSource *source, const char *label, List *features,
					 List *candidates)
{
	OsmlColumns *columns = new_columns(source);
	ListCell   *cell;

	if (source->columns->natts == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no columns", source->label)));
	if (label == NULL)
		label = NameStr(TupleDescAttr(source->columns, 0)->attname);
	foreach(cell, features)
		add_feature(columns, lfirst(cell));
	for (int i = 0; features == NIL && i < source->columns->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(source->columns, i)->attname);

		if (strcmp(name, label) != 0)
			add_feature(columns, name);
	}
	foreach(cell, candidates)
		add_candidate(columns, lfirst(cell));
	add_column(columns, label, pstrdup(quote_identifier(label)),
			   osml_need_column(source, label)->atttypid, false);
	return columns;
}

OsmlColumns *
osml_columns_match(const OsmlColumns *columns, OsmlSource *source)
{
	OsmlColumns *match = new_columns(source);

	for (int i = 0; i < columns->n; i++)
	{
		const char *name = columns->kinds[i].name;
		Oid			type = columns->types[i];

		if (columns->candidate[i])
			continue;
		/* an element's type is taken to be the same */
		if (columns->sql[i][strlen(columns->sql[i]) - 1] != ']')
			type = osml_need_column(source, name)->atttypid;
		add_column(match, name, columns->sql[i], type, false);
	}
	return match;
}

/* How the columns of one scan are turned to cells. */
typedef struct Converter
{
	OsmlDecode	decode;			/* NULL: a key */
	FmgrInfo	output;
} Converter;

static Converter *
plan_converters(const OsmlColumns *columns)
{
	Converter  *converters = palloc0(sizeof(Converter) * columns->n);

	for (int i = 0; i < columns->n; i++)
	{
		Oid			output;
		bool		is_varlena;

		converters[i].decode = osml_decode_for(columns->types[i]);
		if (converters[i].decode)
			continue;
		getTypeOutputInfo(columns->types[i], &output, &is_varlena);
		fmgr_info(output, &converters[i].output);
	}
	return converters;
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
		char	   *text = OutputFunctionCall(&converter->output, value);

		cell.key = osml_key(text, strlen(text));
	}
	return cell;
}

/* Hand the rows of a fetch over.  Returns false when the sink wants no more. */
static bool
hand_over(const OsmlColumns *columns, Converter *converters, OsmlRowSink sink, void *arg)
{
	OsmlCell   *row = palloc(sizeof(OsmlCell) * columns->n);
	bool		more = true;

	for (uint64 r = 0; more && r < SPI_processed; r++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < columns->n; i++)
		{
			bool		isnull;
			Datum		value = SPI_getbinval(SPI_tuptable->vals[r], SPI_tuptable->tupdesc,
											  i + 1, &isnull);

			row[i] = convert(&converters[i], value, isnull);
		}
		more = sink(arg, row);
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
		if (columns->candidate[i])
			appendStringInfo(&names, "%s\"%s\"", n++ ? ", " : "", columns->kinds[i].name);
	}
	if (n > 0)
		errcontext("reading %s with candidate features %s", columns->source->label, names.data);
	else
		errcontext("reading %s", columns->source->label);
}

void
osml_columns_scan(const OsmlColumns *columns, OsmlRowSink sink, void *arg)
{
	StringInfoData sql;
	MemoryContext scratch;
	MemoryContext old;
	Converter  *converters;
	SPIPlanPtr	plan;
	Portal		portal;
	int			level;
	bool		more = true;
	ErrorContextCallback context = {error_context_stack, scan_context,
	unconstify(OsmlColumns *, columns)};

	error_context_stack = &context;
	SPI_connect();
	level = osml_scan_settings();
	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < columns->n; i++)
		appendStringInfo(&sql, "%s%s", i ? ", " : "", columns->sql[i]);
	appendStringInfo(&sql, " FROM %s", columns->source->from);
	plan = SPI_prepare_cursor(sql.data, 0, NULL, CURSOR_OPT_NO_SCROLL);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", sql.data);
	portal = SPI_cursor_open(NULL, plan, NULL, NULL, true);
	converters = plan_converters(columns);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "osml report rows",
									ALLOCSET_DEFAULT_SIZES);
	while (more)
	{
		SPI_cursor_fetch(portal, true, FETCH_ROWS);
		if (SPI_processed == 0)
			break;
		old = MemoryContextSwitchTo(scratch);
		more = hand_over(columns, converters, sink, arg);
		MemoryContextSwitchTo(old);
		SPI_freetuptable(SPI_tuptable);
		MemoryContextReset(scratch);
	}
	SPI_cursor_close(portal);
	AtEOXact_GUC(false, level);
	SPI_finish();
	error_context_stack = context.previous;
}
