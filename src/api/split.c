/*
 * split.c
 *	  osml_split(), osml_unsplit(): train, val and test out of one source.
 *
 * A split is kept as the dataset's sources: queries over its original source,
 * each with the condition of a part.  So all that reads a dataset reads a split
 * one, and a row that comes later is in the part that its values say.
 *
 * Next: split_args.c, split_dataset.c (the source), split_rule.c (the
 * conditions), fairness.c (are the parts alike?), split_store.c, split_unit.c
 * (the hash).
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/need.h"
#include "api/split.h"
#include "compat.h"
#include "source/names.h"

PG_FUNCTION_INFO_V1(osml_split);
PG_FUNCTION_INFO_V1(osml_unsplit);

/* a part is unfair when a column's p-value is below this */
#define UNFAIR 0.05

/* --- Parts -------------------------------------------------------------------- */

/* A column that says the part must not be learned from. */
static void
check_part_column(OsmlSplit *split)
{
	OsmlDatasetRow *row = split->dataset;
	bool		label = strcmp(split->by, split->label) == 0;

	if (label || osml_names_hold(split->chosen, split->by))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"%s\" of dataset \"%s\" is %s and cannot say the part", split->by,
						row->name, label ? "the label" : "a feature"),
				 errhint("Create the dataset with label and features that leave it out.")));
	for (int i = 0; i < list_length(split->columns); i++)
	{
		if (strcmp(list_nth(split->columns, i), split->by) == 0)
			split->columns = list_delete_nth_cell(split->columns, i--);
	}
}

int
osml_split_last_part(const OsmlSplit *split)
{
	return split->fractions[OSML_SPLIT_TEST] > 0 ? OSML_SPLIT_TEST : OSML_SPLIT_VAL;
}

/* What is split must have a row for each part; no fraction helps where it has not. */
void
osml_split_check_rows(const OsmlSplit *split, int64 rows)
{
	int			parts = 0;

	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
		parts += split->fractions[p] > 0;
	if (split->method == OSML_SPLIT_COLUMN)
		parts = 2;
	if (rows >= parts)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA),
			 rows == 0 ? errmsg("dataset \"%s\" has no rows to split", split->dataset->name) :
			 errmsg_plural("dataset \"%s\" has " INT64_FORMAT " row, too few for %d parts",
						   "dataset \"%s\" has " INT64_FORMAT " rows, too few for %d parts",
						   rows, split->dataset->name, rows, parts),
			 errhint("Split it when %s has more rows.", split->source->label)));
}

void
osml_split_no_rows(const OsmlSplit *split, OsmlSplitPart part)
{
	static const char *const hints[] = {
		[OSML_SPLIT_HASH] = "Give it a larger fraction, or columns with more distinct values.",
		[OSML_SPLIT_TIME] = "Give it a larger fraction, a smaller gap, or a column with more distinct values.",
		[OSML_SPLIT_COLUMN] = "The column must name train, and val or test, in some rows.",
	};

	ereport(ERROR,
			(errcode(ERRCODE_NO_DATA),
			 errmsg("part \"%s\" of dataset \"%s\" would have no rows",
					osml_split_part_names[part], split->dataset->name),
			 errhint("%s", hints[split->method])));
}

/*
 * Rows that a part cannot do without.  A column's own parts are what it has: a
 * part without rows is then none.
 */
static void
check_parts(OsmlSplit *split, const OsmlFairnessTable *table)
{
	osml_split_check_rows(split, table->total);
	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
	{
		if (split->where[p] == NULL || table->rows[p] > 0)
			continue;
		if (split->method != OSML_SPLIT_COLUMN || p == OSML_SPLIT_TRAIN)
			osml_split_no_rows(split, p);
		split->where[p] = NULL;
	}
	if (!split->where[OSML_SPLIT_VAL] && !split->where[OSML_SPLIT_TEST])
		osml_split_no_rows(split, OSML_SPLIT_TEST);
}

/* How fair a hash split is: its smallest p-value, but nothing beats rows. */
static double
fairness_of(const OsmlSplit *split, const OsmlFairnessTable *table)
{
	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
	{
		if (split->where[p] && table->rows[p] == 0)
			return -1;
	}
	return table->smallest_p;
}

/* Raise a warning: no seed made a fair split. */
static void
warn_unfair(const OsmlSplit *split, const OsmlFairnessTable *table)
{
	ereport(WARNING,
			(errmsg_plural("the split of dataset \"%s\" by %d seed is not fair",
						   "none of the splits of dataset \"%s\" by %d seeds is fair",
						   split->tries, split->dataset->name, split->tries),
			 errdetail("Kept is that of seed " INT64_FORMAT
					   ", whose smallest p-value is %.3g.", split->seed, table->smallest_p),
			 split->group_by ?
			 errhint("Rows of a group resemble each other, which makes p-values small; look at the means.") :
			 errhint("Chance alone brings one of %d p-values below %g in %.0f %% of all splits; give more \"tries\", or another seed.",
					 table->n_tests, UNFAIR, 100 * (1 - pow(1 - UNFAIR, table->n_tests)))));
}

/* What became of the seed that was asked for. */
static void
report_seed(const OsmlSplit *split, const OsmlFairnessTable *table, int64 first_seed,
			double first_p)
{
	if (table->smallest_p < UNFAIR)
		warn_unfair(split, table);
	else if (split->seed != first_seed)
		ereport(NOTICE,
				(errmsg("dataset \"%s\" is split by seed " INT64_FORMAT
						", since seed " INT64_FORMAT " %s", split->dataset->name, split->seed,
						first_seed, first_p < 0 ? "leaves a part without rows" :
						psprintf("has a p-value of %.3g", first_p))));
}

/* Try seed after seed until a split is fair; end with the fairest. */
static OsmlFairnessTable *
find_seed(OsmlSplit *split, const OsmlFairnessPlan *plan)
{
	OsmlFairnessTable *best = NULL;
	int64		first_seed = split->seed;
	int64		best_seed = first_seed;
	double		best_p = -2;
	double		first_p = 0;

	for (int i = 0; i < split->tries && best_p < UNFAIR; i++)
	{
		OsmlFairnessTable *table;
		double		p;

		/* seeds go round: after the largest comes the smallest */
		split->seed = (int64) ((uint64) first_seed + (uint64) i);
		osml_split_rule(split);
		table = osml_fairness_measure(plan, split);
		p = fairness_of(split, table);
		if (i == 0)
			first_p = p;
		if (p > best_p)
		{
			best = table;
			best_p = p;
			best_seed = split->seed;
		}
	}
	split->seed = best_seed;
	osml_split_rule(split);
	check_parts(split, best);
	report_seed(split, best, first_seed, first_p);
	return best;
}

/* Rows that no part took. */
static void
report_left_out(const OsmlSplit *split, const OsmlFairnessTable *table)
{
	int64		left_out = table->total;

	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
		left_out -= table->rows[p];
	if (left_out > 0)
		ereport(NOTICE,
				(errmsg_plural(INT64_FORMAT " row of dataset \"%s\" is in no part",
							   INT64_FORMAT " rows of dataset \"%s\" are in no part",
							   left_out, left_out, split->dataset->name),
				 split->gap ? errdetail("Column \"%s\" is null there, or within the gap.", split->by) :
				 errdetail("Column \"%s\" is null there.", split->by)));
}

/* The conditions, and what they give. */
static OsmlFairnessTable *
make_parts(OsmlSplit *split)
{
	OsmlFairnessPlan *plan;
	OsmlFairnessTable *table;

	if (split->method == OSML_SPLIT_COLUMN)
		check_part_column(split);
	plan = osml_fairness_plan(split);
	if (split->method == OSML_SPLIT_HASH)
		return find_seed(split, plan);
	osml_split_rule(split);
	table = osml_fairness_measure(plan, split);
	check_parts(split, table);
	report_left_out(split, table);
	return table;
}

/* --- Results ------------------------------------------------------------------ */

/* One row: a part and a column. */
static void
put_cell(ReturnSetInfo *rsinfo, const OsmlSplit *split, const OsmlFairnessTable *table,
		 int part, int column)
{
	const OsmlFairnessCell *cell = &table->cells[part][column];
	Datum		values[9];
	bool		nulls[9] = {false};

	values[0] = CStringGetTextDatum(osml_split_part_names[part]);
	values[1] = Int64GetDatum(table->rows[part]);
	values[2] = Float8GetDatum((double) table->rows[part] / table->total);
	values[3] = CStringGetTextDatum(table->names[column]);
	values[4] = Float8GetDatum(cell->part_mean);
	values[5] = Float8GetDatum(cell->whole_mean);
	values[6] = Float8GetDatum(cell->z);
	values[7] = Float8GetDatum(cell->p);
	values[8] = Int64GetDatum(split->seed);
	nulls[4] = isnan(cell->part_mean);
	nulls[5] = isnan(cell->whole_mean);
	nulls[6] = isnan(cell->z);
	nulls[7] = isnan(cell->p);
	nulls[8] = split->method != OSML_SPLIT_HASH;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* Says which dataset an error is about, whatever it says itself. */
static void
split_context(void *arg)
{
	errcontext("split of dataset \"%s\"", (const char *) arg);
}

/* osml_split(dataset, fractions, method, by, group_by, seed, gap, tries) */
Datum
osml_split(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *dataset = osml_need_text(fcinfo, 0, "dataset");
	ErrorContextCallback context = {error_context_stack, split_context, dataset};
	OsmlFairnessTable *table;
	OsmlSplit  *split;

	osml_prevent_write("osml_split()");
	InitMaterializedSRF(fcinfo, 0);
	error_context_stack = &context;
	split = osml_split_arguments(fcinfo);
	table = make_parts(split);
	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
	{
		for (int i = 0; split->where[p] && i < table->n; i++)
			put_cell(rsinfo, split, table, p, i);
	}
	osml_split_store(split);
	error_context_stack = context.previous;
	return (Datum) 0;
}

/* osml_unsplit(dataset) */
Datum
osml_unsplit(PG_FUNCTION_ARGS)
{
	OsmlDatasetRow *row;

	osml_prevent_write("osml_unsplit()");
	row = osml_need_dataset(osml_need_text(fcinfo, 0, "dataset"));
	if (row->split == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("dataset \"%s\" is not split", row->name),
				 errhint("osml_split(%s) splits it.", quote_literal_cstr(row->name))));
	row->train = osml_split_member(row, "source");
	row->val = NULL;
	row->test = NULL;
	row->split = NULL;
	osml_split_store_sources(row);
	PG_RETURN_VOID();
}
