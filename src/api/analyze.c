/*
 * analyze.c
 *	  osml_analyze(): statistics of the columns of a dataset.
 *
 * One pass (source/analysis.h) tells everything; a dataset of the caller's keeps
 * it, for osml.statistics, and its definitions learn from it.
 */
#include "postgres.h"

#include <math.h>

#include "common/shortest_dec.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "postmaster/bgworker_internals.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "api/attempt.h"
#include "api/defining.h"
#include "api/fit_dataset.h"
#include "api/need.h"
#include "catalog/definition.h"
#include "catalog/statistic.h"
#include "compat.h"
#include "source/analysis.h"
#include "source/context_arena.h"
#include "source/learn.h"
#include "train/dataset.h"

PG_FUNCTION_INFO_V1(osml_analyze);

/* what is analysed: a dataset of the caller's, or whatever else the text names */
typedef struct Call
{
	const char *text;
	OsmlDatasetRow *dataset;	/* or NULL */
} Call;

/* as osml.statistics names them */
static const double shares[OSML_N_QUANTILES] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

/* The type of a column for people; an expression's is what it is read as. */
static char *
type_name(const OsmlAnalysisColumn *column)
{
	if (OidIsValid(column->type))
		return format_type_be(column->type);
	return pstrdup(column->is_key ? "text" : "double precision");
}

/*
 * Rows in each of equally wide bins between the smallest and the largest value,
 * from the sketch.  Edges are cut as those of width bins are; two of them are the
 * same where there is but one value, which then is in the last bin.
 */
static void
fill_histogram(OsmlStatisticRow *row, const OsmlProfile *profile)
{
	double		edges[OSML_N_HISTOGRAM + 1];
	int64_t		below[OSML_N_HISTOGRAM + 1];
	double		low = profile->stats.min;
	double		width = (profile->stats.max - low) / OSML_N_HISTOGRAM;

	/* a range that a double cannot hold has no bins of equal width */
	row->has_histogram = isfinite(width);
	if (!row->has_histogram)
		return;
	for (int i = 0; i < OSML_N_HISTOGRAM; i++)
		edges[i] = low + i * width;
	edges[OSML_N_HISTOGRAM] = profile->stats.max;
	osml_check_status(osml_kll_below(profile->kll, OSML_N_HISTOGRAM + 1, edges, below));
	below[OSML_N_HISTOGRAM] = osml_kll_count(profile->kll);
	for (int i = 0; i < OSML_N_HISTOGRAM; i++)
		row->histogram[i] = below[i + 1] - below[i];
}

/* Skewness, or NaN where cubes of deviations are beyond a double. */
static double
sure_skewness(const OsmlProfile *profile, double deviation)
{
	double		skewness = osml_profile_skewness(profile);
	bool		sure = deviation == 0 ||
		deviation * deviation * deviation >= OSML_STATS_LEAST_SQUARE;

	return sure && isfinite(skewness) ? skewness : NAN;
}

/* What only numbers have. */
static void
fill_numbers(OsmlStatisticRow *row, const OsmlAnalysisColumn *column)
{
	const OsmlProfile *profile = &column->profile;
	int64		n = profile->stats.n;

	row->nans = profile->nan;
	row->infinities = profile->infinite;
	osml_check_status(osml_kll_quantiles(profile->kll, OSML_N_QUANTILES, shares,
										 row->quantiles));
	row->correlation = column->is_label ? NAN :
		osml_comoment_correlation(&column->with_label);
	if (n == 0)
		return;
	row->mean = isfinite(profile->stats.mean) ? profile->stats.mean : NAN;
	row->std = osml_stats_sure_deviation(&profile->stats);
	row->skewness = sure_skewness(profile, row->std);
	row->min = profile->stats.min;
	row->max = profile->stats.max;
	row->zero_share = (double) profile->zeros / (double) n;
	fill_histogram(row, profile);
}

/* A number as PostgreSQL writes it, whatever extra_float_digits says. */
static char *
shortest(double value)
{
	char	   *text = palloc(DOUBLE_SHORTEST_DECIMAL_LEN);

	(void) double_to_shortest_decimal_buf(value, text);
	return text;
}

/* The most frequent values. */
static void
fill_top(OsmlStatisticRow *row, const OsmlAnalysisColumn *column)
{
	const OsmlTally *tally = column->profile.tally;
	OsmlTallyEntry top[OSML_N_TOP];

	osml_check_status(osml_tally_top(tally, OSML_N_TOP, 1, top, &row->n_top));
	row->top_error = osml_tally_error(tally);
	for (int i = 0; i < row->n_top; i++)
	{
		row->top_counts[i] = top[i].count;
		if (!column->is_key)
			row->top_values[i] = shortest(osml_key_number(top[i].key));
		else if (top[i].text != NULL)
			row->top_values[i] = pstrdup(top[i].text);
	}
}

static void
fill_row(OsmlStatisticRow *row, OsmlAnalysisColumn *column)
{
	row->column = column->name;
	row->type = type_name(column);
	row->is_label = column->is_label;
	row->is_number = !column->is_key;
	row->rows = column->profile.rows;
	row->nulls = column->profile.missing;
	row->mean = row->std = row->skewness = row->min = row->max = NAN;
	row->zero_share = row->correlation = NAN;
	for (int i = 0; i < OSML_N_QUANTILES; i++)
		row->quantiles[i] = NAN;
	if (row->is_number)
		fill_numbers(row, column);
	row->distinct_values = osml_analysis_distinct(column, &row->distinct_exact);
	fill_top(row, column);
}

/*
 * Definitions may read a column in several ways.  People see it once, in its
 * first place and as the number that it is; NULL where it has been seen.
 */
static OsmlAnalysisColumn *
shown_column(const OsmlAnalysis *analysis, int i)
{
	OsmlAnalysisColumn *shown = &analysis->columns[i];

	for (int k = 0; k < analysis->n_columns; k++)
	{
		OsmlAnalysisColumn *other = &analysis->columns[k];

		if (strcmp(other->name, analysis->columns[i].name) != 0)
			continue;
		if (k < i)
			return NULL;
		if (shown->is_key && !other->is_key)
			shown = other;
	}
	return shown;
}

/* The source and what is read of it: the columns of features and the label. */
static OsmlFeatureSet *
resolve(const OsmlDatasetRow *dataset, const char *text, OsmlSource **source)
{
	OsmlRoles	none = {.label = NULL};

	if (dataset != NULL)
		return osml_defined_features(dataset, osml_definitions_lock(dataset->dataset_id),
									 source);
	*source = osml_source_resolve(text, NULL);
	return osml_source_features(*source, &none, NIL, NIL, NULL);
}

/* what is attempted: to fit definitions from an analysis */
typedef struct Fitting
{
	const OsmlDatasetRow *dataset;
	const OsmlSource *source;
	OsmlFeatureSet *set;
	const OsmlAnalysis *analysis;
} Fitting;

static void
attempt_to_fit(void *arg)
{
	const Fitting *fitting = arg;

	osml_fit_set(fitting->dataset, fitting->source, fitting->set, fitting->analysis);
}

/*
 * What definitions learn, from the pass that was made.  One that cannot be
 * fitted takes no statistics along: they may well show why.
 */
static void
fit(const OsmlDatasetRow *dataset, const OsmlSource *source, OsmlFeatureSet *set,
	const OsmlAnalysis *analysis)
{
	Fitting		fitting = {dataset, source, set, analysis};
	ErrorData  *error = osml_attempt(attempt_to_fit, &fitting);

	if (error == NULL)
		return;
	if (osml_is_interruption(error))
		ReThrowError(error);
	ereport(WARNING,
			(errcode(error->sqlerrcode),
			 errmsg("the features of dataset \"%s\" were not fitted: %s",
					dataset->name, error->message),
			 error->hint ? errhint("%s", error->hint) : 0));
}

/* Argument num_workers, checked. */
static int
workers_argument(FunctionCallInfo fcinfo, int arg)
{
	int			n = PG_ARGISNULL(arg) ? 0 : PG_GETARG_INT32(arg);

	if (n < 0 || n > MAX_PARALLEL_WORKER_LIMIT)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("num_workers must be from 0 to %d, not %d",
						MAX_PARALLEL_WORKER_LIMIT, n)));
	return n;
}

/* Says what was analysed, whatever the error. */
static void
analysis_context(void *arg)
{
	const Call *call = arg;

	errcontext("analysis of %s\"%s\"", call->dataset ? "dataset " : "", call->text);
}

/* The columns as people see them, to the result; returns the rows to keep. */
static OsmlStatisticRow *
put_rows(ReturnSetInfo *rsinfo, const OsmlAnalysis *analysis, int *n)
{
	OsmlStatisticRow *rows = palloc0(sizeof(OsmlStatisticRow) * Max(1, analysis->n_columns));

	*n = 0;
	for (int i = 0; i < analysis->n_columns; i++)
	{
		OsmlAnalysisColumn *column = shown_column(analysis, i);
		Datum		values[OSML_STATISTIC_FIELDS];
		bool		nulls[OSML_STATISTIC_FIELDS];

		if (column == NULL)
			continue;
		fill_row(&rows[*n], column);
		osml_statistic_values(&rows[(*n)++], values, nulls);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return rows;
}

/* Read, show, and for a dataset keep and learn. */
static void
analyze(ReturnSetInfo *rsinfo, const Call *call, int num_workers)
{
	OsmlSource *source;
	OsmlFeatureSet *set = resolve(call->dataset, call->text, &source);
	OsmlAnalysis *analysis = osml_analysis_create(set);
	OsmlStatisticRow *rows;
	int			n;

	if (call->dataset != NULL)
		osml_source_learn_plan(set, call->dataset->name, analysis);
	osml_analysis_scan(analysis, source, num_workers);
	rows = put_rows(rsinfo, analysis, &n);
	if (call->dataset == NULL)
		return;
	osml_statistics_replace(call->dataset->dataset_id, rows, n);
	fit(call->dataset, source, set, analysis);
}

/* osml_analyze(dataset, num_workers) */
Datum
osml_analyze(PG_FUNCTION_ARGS)
{
	Call		call = {.text = osml_need_text(fcinfo, 0, "dataset")};
	ErrorContextCallback context = {error_context_stack, analysis_context, &call};
	int			num_workers = workers_argument(fcinfo, 1);

	call.dataset = osml_own_dataset(call.text);
	/* a dataset keeps the outcome */
	if (call.dataset != NULL)
		osml_prevent_write("osml_analyze()");
	InitMaterializedSRF(fcinfo, 0);
	error_context_stack = &context;
	analyze((ReturnSetInfo *) fcinfo->resultinfo, &call, num_workers);
	error_context_stack = context.previous;
	return (Datum) 0;
}
