/*
 * importance.c
 *	  osml_permutation_importance(): how much worse a model does when one column's
 *	  values are dealt out among the rows anew.
 *
 * Source: Breiman, "Random forests", Machine Learning 45, 2001; the conventions are
 * those of scikit-learn's sklearn.inspection.permutation_importance on a pipeline:
 * raw columns are permuted, all with the same permutations, the deviation divides
 * by the number of repeats.  Mixed rows go the way of rows that are read (source.h),
 * so whatever is made of a column moves along.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/evaluation.h"
#include "api/need.h"
#include "compat.h"
#include "osml.h"
#include "rules/metric/metric.h"
#include "rules/name/nearest.h"
#include "rules/rule.h"
#include "source/context_arena.h"
#include "source/kept.h"

PG_FUNCTION_INFO_V1(osml_permutation_importance);

#define N_COLUMNS 8
#define DEFAULT_REPEATS 5

/* of one column, over the repeats so far */
typedef struct Column
{
	double		mean;			/* of its importance; NaN: a metric was none */
	double		squares;		/* sum of squared distances from the mean */
	int64		lost;			/* mixed rows without a prediction */
} Column;

typedef struct Importance
{
	OsmlEvaluation *evaluation;
	int			metric;			/* -1: the model's own loss */
	const char *metric_name;
	int64		rows;			/* of the source that count, kept or not */
	int64		skipped;		/* and that do not */
	OsmlKept   *kept;
	OsmlRows   *mixed;			/* where kept rows are put, changed or not */
	Datum	   *values;			/* one of them */
	bool	   *nulls;
	uint32	   *permutation;
	double		baseline;
	Column	   *columns;		/* of the set */
} Importance;

/* --- the metric ------------------------------------------------------------ */

/* Raise: the model has no such metric. */
pg_noreturn static void
unknown_metric(const Importance *importance, const char *name)
{
	const OsmlLoaded *loaded = importance->evaluation->score->loaded;
	OsmlNearest nearest;
	const char *best;

	osml_nearest_begin(&nearest, name);
	osml_nearest_offer(&nearest, loaded->row->loss);
	for (int i = 0; i < osml_metric_count(); i++)
	{
		if (osml_metric_judges(i, importance->evaluation->measure->task))
			osml_nearest_offer(&nearest, osml_metric_name(i));
	}
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("\"%s\" is no metric of model \"%s\"", name, loaded->model),
			 best ? errhint("Perhaps you meant \"%s\".", best) :
			 errhint("osml_evaluate() shows the metrics that it has.")));
}

/* One that osml_evaluate() shows; NULL: the usual one. */
static void
choose_metric(Importance *importance, const char *name)
{
	const OsmlMeasure *measure = importance->evaluation->measure;
	const char *loss = importance->evaluation->score->loaded->row->loss;

	importance->metric = name ? osml_metric_by_name(name) : osml_metric_usual(measure->task);
	if (importance->metric >= 0 ? !osml_metric_judges(importance->metric, measure->task) :
		osml_name_compare(name, loss) != 0)
		unknown_metric(importance, name);
	importance->metric_name = importance->metric >= 0 ? osml_metric_name(importance->metric) : loss;
}

static double
metric_value(const Importance *importance)
{
	const OsmlMeasure *measure = importance->evaluation->measure;

	return importance->metric >= 0 ? osml_metric_value(importance->metric, measure) :
		osml_measure_loss(measure);
}

/* --- rows ------------------------------------------------------------------ */

static void
keep_row(void *arg, int place, const Datum *values, const bool *nulls)
{
	osml_kept_offer(((Importance *) arg)->kept, place, values, nulls);
}

static void
take_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	osml_evaluation_text(((Importance *) arg)->evaluation, key_column, key, text, length);
}

/* Rows that osml_evaluate() would leave out do not lend their values to others. */
static bool
keep_block(void *arg, OsmlBlock *raw)
{
	Importance *importance = arg;
	uint64		place[OSML_BLOCK_ROWS];
	bool		counts[OSML_BLOCK_ROWS] = {false};
	OsmlBlock  *block;

	for (int i = 0; i < raw->nrows; i++)
		place[i] = i;
	block = osml_score_encode(importance->evaluation->score, raw, place);
	for (int i = 0; i < block->nrows; i++)
		counts[place[i]] = true;
	osml_kept_settle(importance->kept, counts);
	importance->rows += block->nrows;
	importance->skipped += osml_evaluation_skipped(importance->evaluation, block);
	return true;
}

/* Read the source, and be ready to put its rows. */
static void
keep_rows(Importance *importance, uint64 seed)
{
	OsmlScore  *score = importance->evaluation->score;
	OsmlScan   *scan = &importance->evaluation->scan;
	OsmlScanUnit *unit = palloc0(sizeof(OsmlScanUnit));
	TupleDesc	desc = osml_scan_columns(score->set);

	importance->kept = osml_kept_create(desc, seed, (Size) osml_max_memory * 1024,
										sizeof(uint32));
	scan->row_sink = keep_row;
	osml_evaluation_scan(importance->evaluation, keep_block, importance, take_text);
	osml_kept_finish(importance->kept);
	if (importance->kept->n < importance->rows)
		ereport(NOTICE,
				(errmsg("a sample of %u of " INT64_FORMAT " rows is permuted", importance->kept->n,
						importance->rows),
				 errdetail("osml.max_memory (%d kB) holds no more.", osml_max_memory)));
	scan->row_sink = NULL;
	scan->sink = osml_evaluation_block;
	scan->arg = importance->evaluation;
	unit->label = score->source->label;
	importance->mixed = osml_rows_begin(scan, unit);
	importance->values = palloc(sizeof(Datum) * desc->natts);
	importance->nulls = palloc(sizeof(bool) * desc->natts);
}

/* Measure the rows kept, with the values of a column permuted; -1: of none. */
static double
measure(Importance *importance, int column)
{
	OsmlEvaluation *evaluation = importance->evaluation;

	osml_evaluation_clear(evaluation, importance->metric >= 0 &&
						  osml_metric_ranked(importance->metric) ?
						  OSML_RANKED_ALL : OSML_RANKED_NONE);
	for (uint32 i = 0; i < importance->kept->n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		osml_kept_row(importance->kept, i, importance->values, importance->nulls);
		if (column >= 0)
			importance->values[column] =
				osml_kept_value(importance->kept, importance->permutation[i], column,
								&importance->nulls[column]);
		osml_rows_put(importance->mixed, importance->values, importance->nulls);
	}
	osml_rows_flush(importance->mixed);
	osml_check_status(osml_measure_settle(evaluation->measure));
	return metric_value(importance);
}

/* --- importance ------------------------------------------------------------ */

/* A permutation is a function of the seed, the repeat and the number of rows. */
static void
permute(Importance *importance, uint64 seed, int repeat)
{
	OsmlRandomKey key = {seed, OSML_STREAM_PERMUTE, repeat};
	uint32	   *permutation = importance->permutation;

	/* Fisher and Yates, inside out */
	for (uint32 i = 0; i < importance->kept->n; i++)
	{
		uint32		other = (uint32) osml_random_below(key, i, (uint64) i + 1);

		CHECK_FOR_INTERRUPTS();
		permutation[i] = permutation[other];
		permutation[other] = i;
	}
}

/* Of mixed rows an expression may well raise an error that it raises of no real one. */
static void
add_context(void *arg)
{
	errcontext("permuted values of column \"%s\"", (const char *) arg);
}

/* One more repeat for a column; means are updated as Welford does. */
static void
measure_column(Importance *importance, int c, int repeat)
{
	Column	   *column = &importance->columns[c];
	ErrorContextCallback callback = {error_context_stack, add_context,
	importance->evaluation->score->set->columns[c].name};
	double		worse;
	double		distance;

	error_context_stack = &callback;
	worse = measure(importance, c) - importance->baseline;
	error_context_stack = callback.previous;
	if (importance->metric >= 0 && osml_metric_higher_is_better(importance->metric))
		worse = -worse;
	distance = worse - column->mean;
	column->mean += distance / (repeat + 1);
	column->squares += distance * (worse - column->mean);
	column->lost += importance->evaluation->skipped;
}

static void
put_column(const Importance *importance, ReturnSetInfo *rsinfo, int c, int n_repeats)
{
	const Column *column = &importance->columns[c];
	double		std = sqrt(column->squares / n_repeats);
	Datum		values[N_COLUMNS];
	bool		nulls[N_COLUMNS] = {false, isnan(column->mean), isnan(std),
	isnan(importance->baseline)};

	values[0] = CStringGetTextDatum(importance->evaluation->score->set->columns[c].name);
	/* never minus zero */
	values[1] = Float8GetDatum(column->mean + 0.0);
	values[2] = Float8GetDatum(std);
	values[3] = Float8GetDatum(importance->baseline);
	values[4] = CStringGetTextDatum(importance->metric_name);
	values[5] = Int64GetDatum(importance->kept->n);
	values[6] = Int64GetDatum(importance->skipped);
	values[7] = Int64GetDatum(column->lost);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* osml_permutation_importance(model, source, metric, n_repeats, seed) */
Datum
osml_permutation_importance(PG_FUNCTION_ARGS)
{
	char	   *model = osml_need_text(fcinfo, 0, "model");
	char	   *source = osml_need_text(fcinfo, 1, "source");
	int			n_repeats = PG_ARGISNULL(3) ? DEFAULT_REPEATS : PG_GETARG_INT32(3);
	uint64		seed = PG_ARGISNULL(4) ? 0 : (uint64) PG_GETARG_INT64(4);
	Importance	importance = {0};
	int			n_columns;

	if (n_repeats < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("n_repeats must be at least 1, not %d", n_repeats)));
	InitMaterializedSRF(fcinfo, 0);
	importance.evaluation = osml_evaluation_begin(model, source);
	osml_evaluation_clear(importance.evaluation, OSML_RANKED_NONE);
	choose_metric(&importance, osml_maybe_text(fcinfo, 2));
	keep_rows(&importance, seed);
	importance.baseline = measure(&importance, -1);
	n_columns = importance.evaluation->score->set->n_columns;
	importance.columns = palloc0(sizeof(Column) * Max(1, n_columns));
	importance.permutation =
		MemoryContextAllocHuge(CurrentMemoryContext,
							   sizeof(uint32) * Max(1, (Size) importance.kept->n));
	for (int repeat = 0; repeat < n_repeats; repeat++)
	{
		permute(&importance, seed, repeat);
		for (int c = 0; c < n_columns; c++)
			measure_column(&importance, c, repeat);
	}
	for (int c = 0; c < n_columns; c++)
		put_column(&importance, (ReturnSetInfo *) fcinfo->resultinfo, c, n_repeats);
	return (Datum) 0;
}
