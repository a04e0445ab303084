/*
 * version.c
 *	  A finished run becomes a model version.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/memutils.h"

#include "catalog/model.h"
#include "compute/stats.h"
#include "model/linear.h"
#include "model/safetensors.h"
#include "train/version.h"

/* The parameters as safetensors bytes, tensor by tensor. */
static bytea *
pack_weights(const OsmlRun *run)
{
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	OsmlSafetensor *out;
	OsmlSafetensorsMeta meta[] = {
		{"format", "osml"},
		{"model_type", run->spec.ops->name},
	};
	int			n = run->spec.ops->tensors(&run->spec, tensors);
	size_t		value_size = osml_precision_size(run->spec.precision);
	size_t		size;
	bytea	   *bytes;

	out = palloc0(sizeof(OsmlSafetensor) * n);
	for (int i = 0; i < n; i++)
	{
		strlcpy(out[i].name, tensors[i].name, sizeof(out[i].name));
		out[i].precision = run->spec.precision;
		out[i].ndim = tensors[i].ndim;
		for (int k = 0; k < tensors[i].ndim; k++)
			out[i].shape[k] = tensors[i].shape[k];
		out[i].data = (const char *) run->params + tensors[i].offset * value_size;
	}
	size = osml_safetensors_size(out, n, meta, lengthof(meta));
	bytes = palloc(VARHDRSZ + size);
	SET_VARSIZE(bytes, VARHDRSZ + size);
	osml_safetensors_write(out, n, meta, lengthof(meta), VARDATA(bytes));
	return bytes;
}

/* Parameter i in the scaled columns' units, as float64. */
static double
parameter(const OsmlRun *run, size_t i)
{
	return run->spec.precision == OSML_FLOAT32 ?
		((const float *) run->params)[i] : ((const double *) run->params)[i];
}

/* Inference of weight i (ols->d: the intercept), NaN without. */
static void
fill_inference(const OsmlRun *run, int i, OsmlVersionFeature *feature)
{
	const OsmlOls *ols = run->ols;

	feature->std_error = ols ? ols->std_error[i] : NAN;
	feature->t_stat = ols ? ols->t[i] : NAN;
	feature->p_value = ols ? ols->p[i] : NAN;
	feature->collinear = ols && i < ols->d && (ols->collinear[i] || ols->constant[i]);
}

/* One row of osml.feature and osml.weight for each dense column. */
static void
fill_features(const OsmlRun *run, OsmlVersionRow *row)
{
	int			n = run->layout.n_dense;
	int			n_weights = n + (int) osml_layout_entries(&run->layout);
	double	   *weight = MemoryContextAllocHuge(CurrentMemoryContext,
												sizeof(double) * n_weights);
	double		intercept;

	osml_linear_unscale(&run->spec, &run->scaling, run->params, weight, &intercept);
	row->n_features = n;
	row->features = palloc0(sizeof(OsmlVersionFeature) * n);
	for (int f = 0; f < run->set->n_features; f++)
	{
		const OsmlFeature *feature = &run->set->features[f];
		char	   *type = format_type_be(feature->type);

		for (int k = 0; k < Max(1, feature->n_elements); k++)
		{
			int			j = feature->first_dense + k;
			OsmlVersionFeature *out = &row->features[j];
			const OsmlColumnStats *stats = &run->stats[j];

			out->column = feature->name;
			out->element = feature->n_elements == 0 ? 0 : k + 1;
			out->n_elements = feature->n_elements;
			out->type = type;
			out->n = stats->n;
			/* what fills a NULL in; the rest a column without a value has not */
			out->mean = run->scaling.impute[j];
			out->std = stats->n > 0 ? osml_stats_deviation(stats) : NAN;
			out->min = stats->n > 0 ? stats->min : NAN;
			out->max = stats->n > 0 ? stats->max : NAN;
			out->center = run->scaling.center[j];
			out->scale = run->scaling.scale[j];
			out->weight = weight[j];
			out->scaled_weight = parameter(run, j);
			fill_inference(run, j, out);
		}
	}
	row->intercept.weight = intercept;
	row->intercept.scaled_weight = run->spec.bias ? parameter(run, n_weights) : 0;
	fill_inference(run, n_weights, &row->intercept);
}

void
osml_store_version(OsmlRun *run)
{
	OsmlModelRow *model = osml_model_ensure(run->plan->model);
	OsmlVersionRow row = {0};

	row.run_id = run->row.run_id;
	row.model_type = pstrdup(run->spec.ops->name);
	row.loss = pstrdup(osml_loss_name((OsmlLoss) run->hparams->loss));
	row.label = run->set->label;
	row.label_type = format_type_be(run->set->label_type);
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
	fill_features(run, &row);
	osml_version_insert(model, &row, run->hparams->deploy);
	run->row.version = row.version;
}
