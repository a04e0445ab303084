/*
 * fairness.c
 *	  How much each part of a split dataset is like the whole, column by column.
 *
 * Numbers are tested by their mean, anything else by how often its most
 * frequent values occur; those are found once, then each split to judge costs
 * one pass over the source.  All queries run as the user.
 *
 * Next: frequent.h (those values), compute/fair.h (the tests themselves).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "api/frequent.h"
#include "api/split.h"
#include "compute/fair.h"
#include "source/fold.h"
#include "source/names.h"
#include "source/value_sql.h"

/* values of a category that are counted one by one */
#define MAX_VALUES 20
/* characters of a text that tell it from another */
#define MAX_CHARACTERS 100
/* a query's target list ends at 1,664 */
#define MAX_TESTED 1600
/* groups of rows: the parts, and rows that are in none */
#define MAX_GROUPS (OSML_SPLIT_PARTS + 1)

/* One column, or one element of an array column. */
typedef struct TestedColumn
{
	char	   *name;
	char	   *raw;			/* the column */
	char	   *sql;			/* float8, or text of a category */
	bool		category;
	bool		groups;			/* rows with a value of it are in one part, whatever the
								 * seed, so that its distribution tests nothing */
	int			n_values;		/* of a category: the frequent ones */
	char	   *values;			/* as a literal: text[] */
	int			first_count;	/* where its counts stand among all counts */
} TestedColumn;

struct OsmlFairnessPlan
{
	int			n;
	TestedColumn *columns;
	int			n_counts;
};

/* What one pass found of one group of rows. */
typedef struct GroupStats
{
	int64		rows;
	OsmlMoments *moments;		/* a column */
	int64	   *counts;			/* rows with NULL, and with each frequent value */
} GroupStats;

/* --- What is tested ----------------------------------------------------------- */

/*
 * A number's value as float8; NULL where it is not finite, or so large that
 * its square is not.  Times count from 1970, as features do.
 */
static char *
number_sql(const char *column, Oid type)
{
	switch (type)
	{
		case BOOLOID:
			return psprintf("%s::pg_catalog.int4::pg_catalog.float8", column);
		case INT2OID:
		case INT4OID:
		case INT8OID:
			return psprintf("%s::pg_catalog.float8", column);
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
			return psprintf("CASE WHEN %s OPERATOR(pg_catalog.<) '1e150'::pg_catalog.%s"
							" AND %s OPERATOR(pg_catalog.>) '-1e150'::pg_catalog.%s"
							" THEN %s::pg_catalog.float8 END",
							column, type == NUMERICOID ? "numeric" : "float8",
							column, type == NUMERICOID ? "numeric" : "float8", column);
		case DATEOID:
			return psprintf("CASE WHEN pg_catalog.isfinite(%s) THEN (%s OPERATOR(pg_catalog.-)"
							" '1970-01-01'::pg_catalog.date)::pg_catalog.float8 END",
							column, column);
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return psprintf("CASE WHEN pg_catalog.isfinite(%s)"
							" THEN pg_catalog.date_part('epoch', %s) END", column, column);
		default:
			return NULL;
	}
}

/* How many elements the first array of a column has. */
static int
array_elements(const OsmlSplit *split, const char *column)
{
	MemoryContext context = CurrentMemoryContext;
	char	   *sql = psprintf("SELECT pg_catalog.cardinality(%s) FROM %s WHERE %s IS NOT NULL LIMIT 1",
							   column, split->from, column);
	bool		isnull = true;
	Datum		n = (Datum) 0;

	if (SPI_execute(sql, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of \"%s\"", sql);
	if (SPI_processed > 0)
		n = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1, &isnull);
	MemoryContextSwitchTo(context); /* SPI leaves its own */
	return isnull ? 0 : DatumGetInt32(n);
}

/* The next column to test; NULL when there are too many. */
static TestedColumn *
next_column(OsmlFairnessPlan *plan)
{
	return plan->n < MAX_TESTED ? &plan->columns[plan->n++] : NULL;
}

/* Add a column of the dataset, or its elements. */
static void
add_column(OsmlFairnessPlan *plan, const OsmlSplit *split, const char *name)
{
	Oid			type = getBaseType(osml_split_column_type(split, name));
	Oid			element = get_element_type(type);
	char	   *column = osml_split_column(name);
	TestedColumn *tested;
	int			n;

	if (OidIsValid(element))
		element = getBaseType(element);
	if (OidIsValid(element) && number_sql(column, element))
	{
		n = array_elements(split, column);
		for (int i = 1; i <= n; i++)
		{
			if ((tested = next_column(plan)) == NULL)
				return;
			tested->name = psprintf("%s[%d]", name, i);
			tested->sql = number_sql(psprintf("(%s)[%d]", column, i), element);
		}
		return;
	}
	if ((tested = next_column(plan)) == NULL)
		return;
	tested->name = pstrdup(name);
	tested->raw = column;
	tested->sql = number_sql(column, type);
	tested->category = tested->sql == NULL;
	if (tested->category)
		tested->sql = psprintf(osml_type_folds(type) ?
							   "pg_catalog.left(pg_catalog.lower(%s"
							   " COLLATE pg_catalog.\"default\"), %d) COLLATE pg_catalog.\"C\"" :
							   "pg_catalog.left(%s, %d) COLLATE pg_catalog.\"C\"",
							   osml_value_text(column, type), MAX_CHARACTERS);
}

/* --- The frequent values of categories ---------------------------------------- */

/* A column's values as a literal. */
static void
take_values(TestedColumn *column, List *values)
{
	Datum		texts[MAX_VALUES];
	ArrayType  *array;
	Oid			output;
	bool		is_varlena;
	ListCell   *cell;

	foreach(cell, values)
		texts[column->n_values++] = CStringGetTextDatum((char *) lfirst(cell));
	array = construct_array(texts, column->n_values, TEXTOID, -1, false, TYPALIGN_INT);
	getTypeOutputInfo(TEXTARRAYOID, &output, &is_varlena);
	column->values = psprintf("%s::pg_catalog._text",
							  quote_literal_cstr(OidOutputFunctionCall(output, PointerGetDatum(array))));
}

/* Find them for all categories in one pass. */
static void
find_values(OsmlFairnessPlan *plan, const OsmlSplit *split)
{
	List	   *expressions = NIL;
	List	  **values;
	int			n = 0;

	for (int i = 0; i < plan->n; i++)
	{
		if (plan->columns[i].category)
			expressions = lappend(expressions, plan->columns[i].sql);
	}
	values = osml_frequent_values(split->from, expressions, MAX_VALUES);
	for (int i = 0; i < plan->n; i++)
	{
		TestedColumn *column = &plan->columns[i];

		if (!column->category)
			continue;
		take_values(column, values[n++]);
		column->first_count = plan->n_counts;
		plan->n_counts += column->n_values + 1;
	}
}

OsmlFairnessPlan *
osml_fairness_plan(const OsmlSplit *split)
{
	MemoryContext context = CurrentMemoryContext;
	OsmlFairnessPlan *plan = palloc0(sizeof(OsmlFairnessPlan));
	ListCell   *cell;

	plan->columns = palloc0(sizeof(TestedColumn) * MAX_TESTED);
	SPI_connect();
	MemoryContextSwitchTo(context);
	foreach(cell, split->columns)
	{
		int			first = plan->n;

		add_column(plan, split, lfirst(cell));
		for (int i = first; i < plan->n; i++)
			plan->columns[i].groups = osml_names_hold(split->group_by, lfirst(cell));
	}
	SPI_finish();
	MemoryContextSwitchTo(context);
	find_values(plan, split);
	return plan;
}

/* --- One pass ----------------------------------------------------------------- */

/* Which part a row is in, by number; NULL: none. */
static void
append_part(StringInfo sql, const OsmlSplit *split)
{
	appendStringInfoString(sql, "CASE");
	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
	{
		if (split->where[p])
			appendStringInfo(sql, " WHEN %s THEN %d", split->where[p], p);
	}
	appendStringInfoString(sql, " END AS part");
}

/*
 * A column as it is summed up: its number, or of a category which of all counts
 * its value belongs to, from 1, and NULL where to none.
 */
static void
append_column(StringInfo sql, const TestedColumn *column, int i)
{
	if (!column->category)
	{
		appendStringInfo(sql, ", %s AS c%d", column->sql, i);
		return;
	}
	appendStringInfo(sql, ", CASE WHEN %s IS NULL THEN %d", column->raw, column->first_count + 1);
	if (column->n_values > 0)
		appendStringInfo(sql, " ELSE %d OPERATOR(pg_catalog.+) pg_catalog.array_position(%s, %s)",
						 column->first_count + 1, column->values, column->sql);
	appendStringInfo(sql, " END AS c%d", i);
}

/* ARRAY[f(c1), f(c2), ...] over the columns that are numbers */
static void
append_aggregates(StringInfo sql, const OsmlFairnessPlan *plan, const char *function,
				  const char *type)
{
	const char *comma = "";

	appendStringInfoString(sql, ", ARRAY[");
	for (int i = 0; i < plan->n; i++)
	{
		if (plan->columns[i].category)
			continue;
		appendStringInfo(sql, "%spg_catalog.%s(c%d)", comma, function, i);
		comma = ", ";
	}
	appendStringInfo(sql, "]::pg_catalog.%s", type);
}

/* ARRAY of the rows with NULL, and with each frequent value, of each category */
static void
append_counts(StringInfo sql, const OsmlFairnessPlan *plan)
{
	const char *comma = "";

	appendStringInfoString(sql, ", osml.count_each(ARRAY[");
	for (int i = 0; i < plan->n; i++)
	{
		if (!plan->columns[i].category)
			continue;
		appendStringInfo(sql, "%sc%d", comma, i);
		comma = ", ";
	}
	appendStringInfo(sql, "]::pg_catalog._int4, %d)", Max(plan->n_counts, 1));
}

/* OFFSET 0 keeps the columns from being computed anew in each aggregate. */
static char *
measure_query(const OsmlFairnessPlan *plan, const OsmlSplit *split)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT part, pg_catalog.count(*)");
	append_aggregates(&sql, plan, "count", "_int8");
	append_aggregates(&sql, plan, "avg", "_float8");
	append_aggregates(&sql, plan, "var_pop", "_float8");
	append_counts(&sql, plan);
	appendStringInfoString(&sql, " FROM (SELECT ");
	append_part(&sql, split);
	for (int i = 0; i < plan->n; i++)
		append_column(&sql, &plan->columns[i], i);
	appendStringInfo(&sql, " FROM %s OFFSET 0) AS s GROUP BY part", split->from);
	return sql.data;
}

/* An array column of the result. */
static void
fetch_array(uint64 row, int column, Oid type, Datum **values, bool **nulls, int *n)
{
	bool		isnull;
	Datum		array = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc,
									  column, &isnull);

	deconstruct_array(DatumGetArrayTypeP(array), type, 8, FLOAT8PASSBYVAL,
					  TYPALIGN_DOUBLE, values, nulls, n);
}

/* One row of the result, into the group it is of. */
static void
take_group(const OsmlFairnessPlan *plan, GroupStats *groups, uint64 row)
{
	bool		isnull;
	Datum		part = SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, 1, &isnull);
	GroupStats *group = &groups[isnull ? OSML_SPLIT_PARTS : DatumGetInt32(part)];
	Datum	   *n;
	Datum	   *means;
	Datum	   *variances;
	Datum	   *counts;
	bool	   *nulls;
	int			length;
	int			next = 0;

	group->rows = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[row],
											  SPI_tuptable->tupdesc, 2, &isnull));
	fetch_array(row, 3, INT8OID, &n, &nulls, &length);
	fetch_array(row, 4, FLOAT8OID, &means, &nulls, &length);
	fetch_array(row, 5, FLOAT8OID, &variances, &nulls, &length);
	for (int i = 0; i < plan->n; i++)
	{
		if (plan->columns[i].category)
			continue;
		group->moments[i].n = (double) DatumGetInt64(n[next]);
		if (!nulls[next])
		{
			group->moments[i].mean = DatumGetFloat8(means[next]);
			group->moments[i].variance = DatumGetFloat8(variances[next]);
		}
		next++;
	}
	fetch_array(row, 6, INT8OID, &counts, &nulls, &length);
	for (int i = 0; i < plan->n_counts; i++)
		group->counts[i] = DatumGetInt64(counts[i]);
}

/* --- The verdict -------------------------------------------------------------- */

/* A column of numbers. */
static OsmlFairnessCell
judge_mean(const GroupStats *part, const GroupStats *whole, int column)
{
	const OsmlMoments *moments = &part->moments[column];
	const OsmlMoments *all = &whole->moments[column];
	OsmlFairness fair = osml_fair_mean(moments, all);

	return (OsmlFairnessCell) {
		moments->n > 0 ? moments->mean : NAN, all->n > 0 ? all->mean : NAN,
		fair.z, fair.p
	};
}

/* A category; its mean is the share of the most frequent value. */
static OsmlFairnessCell
judge_counts(const GroupStats *part, const GroupStats *whole, const TestedColumn *column)
{
	int			n = column->n_values + 1;
	int64_t		got[MAX_VALUES + 2];
	int64_t		all[MAX_VALUES + 2];
	OsmlFairness fair;

	got[n] = part->rows;		/* less those counted: the values that are not */
	all[n] = whole->rows;
	for (int k = 0; k < n; k++)
	{
		got[k] = part->counts[column->first_count + k];
		all[k] = whole->counts[column->first_count + k];
		got[n] -= got[k];
		all[n] -= all[k];
	}
	fair = osml_fair_counts(got, all, n + 1);
	/* values too many to be told apart: nothing has been compared */
	if (column->n_values == 0 && all[0] == 0)
		fair.z = fair.p = NAN;
	return (OsmlFairnessCell) {
		n > 1 && part->rows > 0 ? (double) got[1] / part->rows : NAN,
		n > 1 && whole->rows > 0 ? (double) all[1] / whole->rows : NAN,
		fair.z, fair.p
	};
}

/* The whole is all groups together, rows that are in no part included. */
static void
add_up(const OsmlFairnessPlan *plan, GroupStats *groups, GroupStats *whole)
{
	for (int g = 0; g < MAX_GROUPS; g++)
	{
		whole->rows += groups[g].rows;
		for (int i = 0; i < plan->n; i++)
			osml_moments_add(&whole->moments[i], &groups[g].moments[i]);
		for (int i = 0; i < plan->n_counts; i++)
			whole->counts[i] += groups[g].counts[i];
	}
}

/* From the groups' figures to the table. */
static OsmlFairnessTable *
judge(const OsmlFairnessPlan *plan, const OsmlSplit *split, GroupStats *groups,
	  GroupStats *whole)
{
	OsmlFairnessTable *table = palloc0(sizeof(OsmlFairnessTable));

	table->total = whole->rows;
	table->n = plan->n;
	table->names = palloc(sizeof(char *) * Max(plan->n, 1));
	table->smallest_p = 1;
	for (int i = 0; i < plan->n; i++)
		table->names[i] = plan->columns[i].name;
	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
	{
		table->rows[p] = groups[p].rows;
		if (split->where[p] == NULL)
			continue;
		table->cells[p] = palloc(sizeof(OsmlFairnessCell) * Max(plan->n, 1));
		for (int i = 0; i < plan->n; i++)
		{
			OsmlFairnessCell cell = plan->columns[i].category ?
				judge_counts(&groups[p], whole, &plan->columns[i]) :
				judge_mean(&groups[p], whole, i);

			if (plan->columns[i].groups)
				cell.z = cell.p = NAN;
			table->cells[p][i] = cell;
			if (isnan(cell.p))
				continue;
			table->n_tests++;
			table->smallest_p = Min(table->smallest_p, cell.p);
		}
	}
	return table;
}

OsmlFairnessTable *
osml_fairness_measure(const OsmlFairnessPlan *plan, const OsmlSplit *split)
{
	GroupStats	groups[MAX_GROUPS + 1] = {{0}};
	char	   *sql = measure_query(plan, split);
	OsmlFairnessTable *table;

	for (int g = 0; g <= MAX_GROUPS; g++)
	{
		groups[g].moments = palloc0(sizeof(OsmlMoments) * Max(plan->n, 1));
		groups[g].counts = palloc0(sizeof(int64) * Max(plan->n_counts, 1));
	}
	SPI_connect();
	if (SPI_execute(sql, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of \"%s\"", sql);
	for (uint64 row = 0; row < SPI_processed; row++)
		take_group(plan, groups, row);
	SPI_finish();
	add_up(plan, groups, &groups[MAX_GROUPS]);
	table = judge(plan, split, groups, &groups[MAX_GROUPS]);
	pfree(sql);
	return table;
}
