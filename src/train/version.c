/*
 * version.c
 *	  A finished run becomes a model version.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "catalog/bin.h"
#include "catalog/model.h"
#include "compute/stats.h"
#include "model/explain.h"
#include "model/linear.h"
#include "train/listing.h"
#include "train/version.h"
#include "train/vocabulary.h"
#include "train/weights.h"

/* The parameters as safetensors bytes, tensor by tensor. */
static bytea *
pack_weights(const OsmlRun *run)
{
	OsmlSafetensor *tensors = palloc(sizeof(OsmlSafetensor) * OSML_MAX_TENSORS);
	OsmlSafetensorsMeta meta[] = {
		{"format", "osml"},
		{"model_type", run->kind->name},
	};

	return osml_weights_pack(tensors, osml_weights_tensors(run, tensors), meta,
							 lengthof(meta));
}

/* Parameter i in the scaled columns' units. */
static double
parameter(const OsmlRun *run, size_t i)
{
	return osml_run_value(&run->spec, run->params, i);
}

/* One row of osml.feature for each number column. */
static void
fill_dense(const OsmlRun *run, const OsmlFeature *feature, OsmlVersionRow *row)
{
	for (int k = 0; k < feature->n_dense; k++)
	{
		int			j = feature->first_dense + k;
		OsmlVersionFeature *out = &row->features[j];
		const OsmlColumnStats *stats = &run->stats[j];

		out->column = feature->n_elements > 0 ? feature->name :
			osml_dense_name(run->set, j);
		out->element = feature->n_elements > 0 ? k + 1 : 0;
		out->n_elements = feature->n_elements;
		out->type = feature->type;
		out->n = stats->n;
		/* what fills a NULL in; the rest a column without a value has not */
		out->mean = run->scaling.impute[j];
		out->std = stats->n > 0 ? osml_stats_deviation(stats) : NAN;
		out->min = stats->n > 0 ? stats->min : NAN;
		out->max = stats->n > 0 ? stats->max : NAN;
		out->center = run->scaling.center[j];
		out->scale = run->scaling.scale[j];
	}
}

/* And one for its code column; first is its first entry in the tables. */
static void
fill_codes(const OsmlRun *run, const OsmlFeature *feature, size_t first,
		   OsmlVersionRow *row)
{
	OsmlVersionFeature *out = &row->features[run->layout.n_dense + feature->code];

	out->column = feature->name;
	out->type = feature->type;
	out->codes = run->layout.code_sizes[feature->code];
	out->mean = out->std = out->min = out->max = NAN;
	out->scale = 1;
	/* the last code is NULL's */
	for (int c = 0; c < out->codes - 1; c++)
		out->n += run->code_stats.count[first + c];
	out->n_average = run->spec.ops->code_width(&run->spec, feature->code);
	out->average = palloc(2 * sizeof(double) * out->n_average);
	osml_average_code(&run->spec, run->params, feature->code, run->code_stats.count + first,
					  out->average, out->average + out->n_average);
}

static void
fill_features(const OsmlRun *run, OsmlVersionRow *row)
{
	row->n_features = run->layout.n_dense + run->layout.n_codes;
	row->features = palloc0(sizeof(OsmlVersionFeature) * Max(1, row->n_features));
	for (int f = 0; f < run->set->n_features; f++)
	{
		const OsmlFeature *feature = &run->set->features[f];

		if (feature->code < 0)
			fill_dense(run, feature, row);
		else
			fill_codes(run, feature, osml_layout_table(&run->layout, feature->code), row);
	}
}

/* The same for value j of each code of code column k. */
static void
settle_value(OsmlRun *run, int k, int j)
{
	const OsmlModelOps *ops = run->spec.ops;
	const int64 *count = run->code_stats.count + osml_layout_table(&run->layout, k);
	int			size = run->layout.code_sizes[k];
	double		sum = 0;
	double		rows = 0;

	for (int c = 0; c < size; c++)
	{
		sum += count[c] * parameter(run, ops->code_place(&run->spec, k, c, j));
		rows += count[c];
	}
	for (int c = 0; c < size; c++)
	{
		if (count[c] == 0)
			osml_run_set_param(&run->spec, run->params, ops->code_place(&run->spec, k, c, j),
							   rows > 0 ? sum / rows : 0);
	}
}

/*
 * Categories that no training row has keep what they were drawn with.  A row that
 * turns up with one counts as the average row does: its weight, or embedding, becomes
 * the mean of the others, each counted as often as it occurred.
 */
void
osml_settle_unseen(OsmlRun *run)
{
	/* of a warm start: what no row shows now, earlier rows may have */
	if (run->warm)
		return;
	for (int k = 0; k < run->layout.n_codes; k++)
	{
		for (int j = 0; j < run->spec.ops->code_width(&run->spec, k); j++)
			settle_value(run, k, j);
	}
}

/* Rows whose category was too rare for the vocabulary: worth a word if many. */
static void
report_others(OsmlRun *run, int code)
{
	const int64 *count = run->code_stats.count + osml_layout_table(&run->layout, code);
	int64		others = count[run->layout.code_sizes[code] - 2];
	int64		rows = run->parts[OSML_PART_TRAIN].n_rows;

	if (osml_has_vocabulary(run->set, code) && osml_vocabulary_lacks(others, rows))
		osml_log_event(run, "warning", "categories_left_out",
					   psprintf(INT64_FORMAT " of " INT64_FORMAT " training rows have a category of "
								"\"%s\" that is not among the %d learned, and count as (other); raise "
								"max_categories, or use hash; texts of more than 1024 bytes are never learned",
								others, rows, osml_code_feature(run->set, code)->name,
								run->layout.code_sizes[code] - 2));
}

void
osml_report_categories(OsmlRun *run)
{
	for (int k = 0; k < run->layout.n_codes; k++)
		report_others(run, k);
	osml_report_listing(run);
}

/* Inference of weight i (the last: the intercept), NaN without. */
static void
fill_inference(const OsmlRun *run, int i, OsmlVersionWeight *out)
{
	const OsmlOls *ols = run->ols;

	out->std_error = ols ? ols->std_error[i] : NAN;
	out->t_stat = ols ? ols->t[i] : NAN;
	out->p_value = ols ? ols->p[i] : NAN;
	out->collinear = ols && i < ols->d && (ols->collinear[i] || ols->constant[i]);
}

/* one output's part of the report on weights */
typedef struct WeightReport
{
	int			output;
	const char *class;
	const double *weight;		/* in the columns' own units: numbers, then entries */
	double		intercept;
	const OsmlListing *listings;	/* of code columns */
	OsmlVersionWeight *next;	/* row to fill */
} WeightReport;

/* Rows of osml.weight for the categories of one code column. */
static void
fill_category_weights(const OsmlRun *run, WeightReport *report, int code, size_t first)
{
	const OsmlFeature *feature = osml_code_feature(run->set, code);
	const OsmlListing *listing = &report->listings[code];

	for (int k = 0; k < listing->n; k++)
	{
		OsmlVersionWeight *out = report->next++;
		int32		c = listing->codes[k];
		size_t		i = run->layout.n_dense + first + c;

		out->feature = feature->name;
		out->class = report->class;
		out->category = osml_code_text(run->set->program, code, c);
		out->weight = report->weight[i];
		out->scaled_weight = parameter(run, osml_linear_entry(&run->spec, report->output,
															  first + c));
		fill_inference(run, (int) i, out);
	}
}

/* Rows of one output: the intercept, number columns, categories. */
static void
fill_output_weights(const OsmlRun *run, const OsmlVersionRow *row, WeightReport *report)
{
	int			n_dense = run->layout.n_dense;
	size_t		n = n_dense + osml_layout_entries(&run->layout);
	size_t		entry = 0;
	OsmlVersionWeight *out = report->next++;

	out->feature = "(intercept)";
	out->class = report->class;
	out->weight = report->intercept;
	out->scaled_weight = run->spec.bias ?
		parameter(run, osml_linear_bias(&run->spec, report->output)) : 0;
	fill_inference(run, (int) n, out);
	for (int j = 0; j < n_dense; j++)
	{
		out = report->next++;
		out->feature = osml_version_feature_name(&row->features[j]);
		out->class = report->class;
		out->weight = report->weight[j];
		out->scaled_weight = parameter(run, osml_linear_weight(&run->spec, report->output, j));
		fill_inference(run, j, out);
	}
	for (int k = 0; k < run->layout.n_codes; k++)
	{
		fill_category_weights(run, report, k, entry);
		entry += run->layout.code_sizes[k];
	}
}

/* The class that an output speaks for: a logistic model's only one is the second. */
static const char *
class_of_output(const OsmlRun *run, int output)
{
	if (run->classes == NULL)
		return NULL;
	return run->classes->texts[run->spec.n_outputs == 1 ? 1 : output];
}

static void
fill_weights(OsmlRun *run, OsmlVersionRow *row)
{
	int			n_outputs = run->spec.n_outputs;
	size_t		n = run->layout.n_dense + osml_layout_entries(&run->layout);
	int			n_listed;
	WeightReport report;
	double	   *weight;
	double	   *intercept = palloc(sizeof(double) * n_outputs);

	if (run->spec.ops != &osml_model_linear)
		return;
	weight = MemoryContextAllocHuge(CurrentMemoryContext,
									sizeof(double) * Max(1, n) * n_outputs);
	report.listings = osml_run_listings(run, &n_listed);
	osml_linear_unscale(&run->spec, &run->scaling, run->params, weight, intercept);
	row->n_weights = n_outputs * (1 + run->layout.n_dense + n_listed);
	row->weights_report = report.next = palloc0(sizeof(OsmlVersionWeight) * row->n_weights);
	for (int k = 0; k < n_outputs; k++)
	{
		report.output = k;
		report.class = class_of_output(run, k);
		report.weight = weight + k * n;
		report.intercept = intercept[k];
		fill_output_weights(run, row, &report);
	}
}

/* Rows of osml.bin: what the training rows have of each category. */
static void
store_bins(const OsmlRun *run, int64 version_id)
{
	int		   *most = osml_run_listed(run);
	OsmlCodeStats stats = run->code_stats;

	for (int k = 0; k < run->layout.n_codes; k++)
	{
		OsmlBinRow *rows;
		int			n;

		/* numbers of classes have a mean where it is a share */
		for (int c = 0; run->classes && run->classes->n > 2 &&
			 c < run->layout.code_sizes[k]; c++)
			stats.label_mean[c] = NAN;
		rows = osml_bins_of_code(run->set->program, k, &stats, most[k], &n);
		osml_bins_replace(0, version_id, osml_code_feature(run->set, k)->name, rows, n);
		stats.count += run->layout.code_sizes[k];
		stats.label_mean += run->layout.code_sizes[k];
	}
}

/* Without what making it leaves: see count_learned() in learn.c. */
Jsonb *
osml_pack_features(const OsmlRun *run)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "osml features as JSON",
												  ALLOCSET_DEFAULT_SIZES);
	Jsonb	   *made;
	Jsonb	   *result;

	MemoryContextSwitchTo(context);
	made = osml_feature_set_to_jsonb(run->set);
	MemoryContextSwitchTo(caller);
	result = palloc(VARSIZE(made));
	memcpy(result, made, VARSIZE(made));
	MemoryContextDelete(context);
	return result;
}

void
osml_store_version(OsmlRun *run, int64 step, bool deploy)
{
	OsmlModelRow *model = osml_model_ensure(run->plan->model, run->plan->model_named);
	OsmlVersionRow row = {0};

	row.run_id = run->row.run_id;
	row.author = run->plan->role;
	row.model_type = pstrdup(run->kind->name);
	row.loss = pstrdup(osml_loss_name(run->spec.loss));
	row.label = run->set->label;
	row.label_type = format_type_be(run->set->label_type);
	for (int k = 0; run->classes && k < run->classes->n; k++)
		row.classes = lappend(row.classes, unconstify(char *, run->classes->texts[k]));
	row.label_center = run->scaling.label_center;
	row.label_scale = run->scaling.label_scale;
	row.hparams = run->row.hparams;
	row.weights = pack_weights(run);
	row.train_rows = run->parts[OSML_PART_TRAIN].n_rows;
	row.skipped_rows = run->row.rows_skipped;
	row.val_rows = run->parts[OSML_PART_VAL].n_rows;
	row.test_rows = run->parts[OSML_PART_TEST].n_rows;
	row.fingerprint = run->fingerprint;
	row.train_loss = run->train_loss;
	row.val_loss = run->val_loss;
	row.test_loss = run->test_loss;
	row.summary = run->row.summary;
	row.calibration_rows = run->tails.n;
	row.n_residuals = run->tails.n_kept;
	row.residuals_below = run->tails.below;
	row.residuals_above = run->tails.above;
	row.program = osml_pack_features(run);
	row.steps = step;
	fill_features(run, &row);
	fill_weights(run, &row);
	osml_version_insert(model, &row, deploy);
	store_bins(run, row.version_id);
	run->row.version = row.version;
}
