/*
 * split_rule.c
 *	  The condition that says which rows are a part of a split dataset.
 *
 * The conditions are stored with the dataset and read by whoever trains on it,
 * so they name functions, operators and types with their schemas and hold all
 * they need as literals.  They are on the alias osml_source.
 */
#include "postgres.h"

#include <math.h>

#include "access/stratnum.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "common/shortest_dec.h"
#include "executor/spi.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "api/split.h"
#include "source/value_sql.h"

/* so many of the values that name no part are listed */
#define MAX_LISTED 5

/* values that name a part, in lower case */
static const char *const part_values[OSML_SPLIT_PARTS] = {
	"{train,training}", "{val,valid,validation}", "{test,testing}"
};

/* --- Hash --------------------------------------------------------------------- */

/* The number in [0, 1) that decides: of the groups, or of all that is used. */
static char *
unit_of(const OsmlSplit *split)
{
	StringInfoData sql;
	List	   *names = split->group_by ? split->group_by : split->columns;
	ListCell   *cell;

	initStringInfo(&sql);
	appendStringInfo(&sql, "osml.split_unit('" INT64_FORMAT "'::pg_catalog.int8, ROW(",
					 split->seed);
	foreach(cell, names)
		appendStringInfo(&sql, "%s%s", foreach_current_index(cell) ? ", " : "",
						 osml_split_column(lfirst(cell)));
	appendStringInfoString(&sql, "))");
	return sql.data;
}

/* unit OP edge */
static char *
compare_unit(const char *unit, const char *op, double edge)
{
	return psprintf("%s OPERATOR(pg_catalog.%s) '%s'::pg_catalog.float8", unit, op,
					double_to_shortest_decimal(edge));
}

/* Train has [0, a), val [a, b), test [b, 1). */
static void
rule_hash(OsmlSplit *split)
{
	char	   *unit = unit_of(split);
	double		edge = 0;

	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
	{
		double		next = edge + split->fractions[p];
		bool		last = p == OSML_SPLIT_TEST || (p == OSML_SPLIT_VAL &&
													split->fractions[OSML_SPLIT_TEST] == 0);

		if (split->fractions[p] == 0)
			continue;
		next = rint(next * 1e12) / 1e12;	/* 0.7 + 0.1 is meant to be 0.8 */
		if (p == OSML_SPLIT_TRAIN)
			split->where[p] = compare_unit(unit, "<", next);
		else if (last)
			split->where[p] = compare_unit(unit, ">=", edge);
		else
			split->where[p] = psprintf("%s AND %s", compare_unit(unit, ">=", edge),
									   compare_unit(unit, "<", next));
		edge = next;
	}
}

/* --- Time --------------------------------------------------------------------- */

/* An operator of the type's default btree class. */
static Oid
ordering_operator(const TypeCacheEntry *type, StrategyNumber strategy)
{
	return get_opfamily_member(type->btree_opf, type->btree_opintype,
							   type->btree_opintype, strategy);
}

/* Text that gives the same value under every setting. */
static char *
lasting_text(Datum value, Oid type)
{
	int			level = NewGUCNestLevel();
	Oid			output;
	bool		is_varlena;
	char	   *text;

	(void) set_config_option("datestyle", "ISO, YMD", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("intervalstyle", "postgres", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("extra_float_digits", "3", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	getTypeOutputInfo(type, &output, &is_varlena);
	text = OidOutputFunctionCall(output, value);
	AtEOXact_GUC(false, level);
	return text;
}

/* A value of the row that query_row() got, as text; NULL for NULL. */
static char *
query_text(int column)
{
	bool		isnull;
	Datum		value;

	value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);
	return isnull ? NULL : lasting_text(value, SPI_gettypeid(SPI_tuptable->tupdesc, column));
}

/* Run a query that gives one row, as the user; the result is SPI_tuptable. */
static void
query_row(const char *sql)
{
	int			result = SPI_execute(sql, true, 0);

	if (result != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "unexpected result of \"%s\": %s", sql,
			 SPI_result_code_string(result));
}

/*
 * The type that a gap between values of this type has, and its text: "3" for
 * dates are days, as in date arithmetic, and not the seconds an interval would
 * make of it.
 */
static char *
gap_literal(const OsmlSplit *split, Oid type)
{
	char		category = TypeCategory(type);
	const char *text = split->gap;

	if (category == TYPCATEGORY_DATETIME && type != TIMEOID && type != TIMETZOID)
	{
		if (type == DATEOID && text[0] != '\0' &&
			strspn(text, "0123456789") == strlen(text))
			text = psprintf("%s days", text);
		return psprintf("%s::pg_catalog.interval", quote_literal_cstr(text));
	}
	if (category == TYPCATEGORY_NUMERIC && type != OIDOID)
		return psprintf("%s::%s", quote_literal_cstr(text),
						type == FLOAT4OID || type == FLOAT8OID ?
						"pg_catalog.float8" : "pg_catalog.numeric");
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" of type %s cannot have a gap", split->by,
					format_type_be(type)),
			 errhint("A gap is an interval between dates or timestamps, or a difference of numbers.")));
}

/*
 * What is wrong with a gap shows when the server reads it: say how to write one,
 * and leave out the query that people have not written.
 */
static void
hint_gap(void *arg)
{
	internalerrposition(0);
	internalerrquery(NULL);
	errhint("Write a gap as '3 days' between dates and timestamps, as '2.5' between numbers.");
}

/* Where a part ends that precedes another: where that one begins, less the gap. */
static char *
end_of_part(const OsmlSplit *split, Oid type, const char *next)
{
	ErrorContextCallback callback = {.callback = hint_gap};
	char	   *gap;
	bool		isnull;

	if (split->gap == NULL)
		return pstrdup(next);
	gap = gap_literal(split, type);
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	query_row(psprintf("SELECT %s OPERATOR(pg_catalog.-) %s, %s OPERATOR(pg_catalog.<) '0'",
					   next, gap, gap));
	error_context_stack = callback.previous;
	if (DatumGetBool(SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &isnull)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("gap \"%s\" must not be negative", split->gap),
				 errhint("Give how far train must end before val and test begin.")));
	return osml_value_literal(query_text(1), SPI_gettypeid(SPI_tuptable->tupdesc, 1));
}

/*
 * The column as it is put in order.  Texts go by their bytes, whatever collation
 * the column or the database has: in another locale, after a dump or a new
 * library, rows would move from test to train otherwise.  Dates written year
 * first are in order that way.
 */
static char *
ordered_column(const char *name, Oid type)
{
	char	   *column = osml_split_column(name);

	return type_is_collatable(type) ?
		psprintf("%s COLLATE pg_catalog.\"C\"", column) : column;
}

/* What a column is put in order by. */
typedef struct Order
{
	char	   *column;
	Oid			type;
	Oid			greater;		/* operators */
	Oid			at_least;
	Oid			less;
} Order;

static Order
order_of(const OsmlSplit *split)
{
	Order		order = {.type = getBaseType(osml_split_column_type(split, split->by))};
	TypeCacheEntry *entry = lookup_type_cache(order.type, TYPECACHE_BTREE_OPFAMILY | TYPECACHE_LT_OPR);

	if (!OidIsValid(entry->btree_opf) || !OidIsValid(entry->lt_opr) ||
		!osml_value_readable(order.type))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" of type %s has no order", split->by,
						format_type_be(order.type)),
				 errhint("Split by a date, a timestamp, a number or another column that can be sorted.")));
	order.column = ordered_column(split->by, order.type);
	order.greater = ordering_operator(entry, BTGreaterStrategyNumber);
	order.at_least = ordering_operator(entry, BTGreaterEqualStrategyNumber);
	order.less = ordering_operator(entry, BTLessStrategyNumber);
	return order;
}

/* The last values of all parts but the last one, in one pass. */
static List *
last_values(OsmlSplit *split, const Order *order)
{
	StringInfoData sql;
	List	   *values = NIL;
	double		edge = 0;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT pg_catalog.count(*)");
	for (int p = 0; p < osml_split_last_part(split); p++)
	{
		edge = rint((edge + split->fractions[p]) * 1e12) / 1e12;
		if (split->fractions[p] > 0)
			appendStringInfo(&sql, ", pg_catalog.percentile_disc('%s'::pg_catalog.float8)"
							 " WITHIN GROUP (ORDER BY %s)",
							 double_to_shortest_decimal(edge), order->column);
	}
	appendStringInfo(&sql, " FROM %s", split->from);
	query_row(sql.data);
	osml_split_check_rows(split, pg_strtoint64(query_text(1)));
	for (int i = 2; i <= SPI_tuptable->tupdesc->natts; i++)
	{
		char	   *value = query_text(i);

		if (value == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_NO_DATA),
					 errmsg("column \"%s\" of dataset \"%s\" holds no values to split by",
							split->by, split->dataset->name),
					 errhint("Choose a column whose values are not all null.")));
		values = lappend(values, value);
	}
	return values;
}

/*
 * Where the parts after train begin, "cuts": at the first value that is beyond
 * the part before.  A cut at the last value of that part would let a gap, however
 * small, take rows that have nothing near them.
 */
static void
find_cuts(OsmlSplit *split, const Order *order, MemoryContext context)
{
	List	   *last = last_values(split, order);

	split->cuts = NIL;
	for (int p = OSML_SPLIT_VAL; p <= osml_split_last_part(split); p++)
	{
		MemoryContext old;
		char	   *beyond;

		if (split->fractions[p] == 0)
			continue;
		beyond = osml_value_compare(order->column, order->greater,
									osml_value_literal(list_nth(last, list_length(split->cuts)),
													   order->type));
		if (SPI_execute(psprintf("SELECT %s FROM %s WHERE %s ORDER BY 1 LIMIT 1",
								 order->column, split->from, beyond),
						true, 1) != SPI_OK_SELECT)
			elog(ERROR, "the first value of a part could not be read");
		if (SPI_processed == 0)
			osml_split_no_rows(split, p);
		old = MemoryContextSwitchTo(context);
		split->cuts = lappend(split->cuts, query_text(1));
		MemoryContextSwitchTo(old);
	}
}

/*
 * A part has the values from its own cut on, up to the next one's: rows of one
 * value are in one part.  All parts but the last end early by the gap.
 */
static void
rule_time(OsmlSplit *split)
{
	MemoryContext caller = CurrentMemoryContext;
	Order		order = order_of(split);
	char	   *begin = NULL;
	int			next_cut = 0;

	if (split->gap)
		(void) gap_literal(split, order.type);	/* a type without gaps shows first */
	SPI_connect();
	find_cuts(split, &order, caller);
	for (int p = 0; p <= osml_split_last_part(split); p++)
	{
		StringInfoData where;
		MemoryContext old;

		if (split->fractions[p] == 0)
			continue;
		initStringInfo(&where);
		if (begin)
			appendStringInfoString(&where, osml_value_compare(order.column, order.at_least, begin));
		if (next_cut < list_length(split->cuts))
		{
			char	   *next = osml_value_literal(list_nth(split->cuts, next_cut++), order.type);
			char	   *end = end_of_part(split, order.type, next);

			/* a gap may lead to another type: a date less an interval */
			appendStringInfo(&where, "%s%s", begin ? " AND " : "", split->gap ?
							 psprintf("%s OPERATOR(pg_catalog.<) %s", order.column, end) :
							 osml_value_compare(order.column, order.less, end));
			begin = next;
		}
		old = MemoryContextSwitchTo(caller);
		split->where[p] = pstrdup(where.data);
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
}

/* --- Column ------------------------------------------------------------------- */

/* Raise: values that name no part, with the most frequent ones. */
static void
refuse_values(const OsmlSplit *split)
{
	StringInfoData found;

	initStringInfo(&found);
	for (uint64 i = 0; i < Min(SPI_processed, MAX_LISTED); i++)
		appendStringInfo(&found, "%s\"%s\" (%s rows)", i ? ", " : "",
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1),
						 SPI_getvalue(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("column \"%s\" of dataset \"%s\" holds values that name no part",
					split->by, split->dataset->name),
			 errdetail("Found %s%s.", found.data,
					   SPI_processed > MAX_LISTED ? ", and more" : ""),
			 errhint("Values may be train, val (or valid, validation) and test, or the column a boolean that is true for test.")));
}

/* Every value must name a part; NULL rows are in none. */
static void
check_values(const OsmlSplit *split, const char *value)
{
	char	   *sql = psprintf("SELECT %s, pg_catalog.count(*) FROM %s WHERE %s"
							   " OPERATOR(pg_catalog.<>) ALL (pg_catalog.array_cat("
							   "pg_catalog.array_cat('%s'::pg_catalog.text[], '%s'), '%s'))"
							   " GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT %d",
							   value, split->from, value, part_values[0], part_values[1],
							   part_values[2], MAX_LISTED + 1);

	SPI_connect();
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of \"%s\"", sql);
	if (SPI_processed > 0)
		refuse_values(split);
	SPI_finish();
}

/* The column says it: in words, or true for test. */
static void
rule_column(OsmlSplit *split)
{
	Oid			type = getBaseType(osml_split_column_type(split, split->by));
	char	   *column = osml_split_column(split->by);
	char	   *value = psprintf("pg_catalog.lower(%s COLLATE pg_catalog.\"C\")",
								 osml_value_text(column, type));

	if (type == BOOLOID)
	{
		split->where[OSML_SPLIT_TRAIN] = psprintf("NOT %s", column);
		split->where[OSML_SPLIT_TEST] = column;
		return;
	}
	check_values(split, value);
	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
		split->where[p] = psprintf("%s OPERATOR(pg_catalog.=) ANY ('%s'::pg_catalog.text[])",
								   value, part_values[p]);
}

void
osml_split_rule(OsmlSplit *split)
{
	static void (*const rules[]) (OsmlSplit *split) = {
		[OSML_SPLIT_HASH] = rule_hash,
		[OSML_SPLIT_TIME] = rule_time,
		[OSML_SPLIT_COLUMN] = rule_column,
	};

	rules[split->method] (split);
}
