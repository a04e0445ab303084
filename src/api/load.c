/*
 * load.c
 *	  From a stored model version to one that predicts.
 *
 * The rows may have been written by another server, an older version of osml,
 * or a hand: nothing in them is trusted to fit together.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"

#include "compat.h"
#include "api/loaded.h"
#include "hparams/hparams.h"
#include "source/context_arena.h"
#include "model/explain.h"
#include "model/safetensors.h"
#include "source/encode.h"

/* Raise: the stored version makes no sense, and why. */
pg_noreturn static void pg_attribute_printf(2, 3)
corrupted(const OsmlLoaded *loaded, const char *format,...)
{
	char		detail[256];
	va_list		args;

	va_start(args, format);
	vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("version %d of model \"%s\" cannot be read",
					loaded->key.version, loaded->model),
			 errdetail_internal("%s", detail)));
}

/* Raise: written by a newer osml. */
pg_noreturn static void
unsupported(const OsmlLoaded *loaded, const char *kind, const char *name)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("version %d of model \"%s\" has an unknown %s \"%s\"",
					loaded->key.version, loaded->model, kind, name),
			 errhint("It was made by another version of osml.")));
}

/* A stored hyperparameter, or NULL. */
static JsonbValue *
stored_hparam(const OsmlLoaded *loaded, const char *key)
{
	Jsonb	   *hparams = loaded->row->hparams;

	if (!JB_ROOT_IS_OBJECT(hparams))
		return NULL;
	return getKeyJsonValueFromContainer(&hparams->root, key, strlen(key), NULL);
}

/* What the hyperparameters say about missing values and the loss. */
static void
read_hparams(OsmlLoaded *loaded)
{
	JsonbValue *on_null = stored_hparam(loaded, "on_null");
	JsonbValue *delta = stored_hparam(loaded, "huber_delta");

	loaded->impute = on_null != NULL && on_null->type == jbvString &&
		on_null->val.string.len == strlen("mean") &&
		strncmp(on_null->val.string.val, "mean", strlen("mean")) == 0;
	loaded->loss_param = 1;
	if (delta != NULL && delta->type == jbvNumeric)
		loaded->loss_param =
			DatumGetFloat8(DirectFunctionCall1(numeric_float8,
											   NumericGetDatum(delta->val.numeric)));
}

/* What is read of a row, and the program that makes features of it. */
static void
build_set(OsmlLoaded *loaded)
{
	OsmlVersionRow *row = loaded->row;
	OsmlFeatureSet *set;

	if (row->program == NULL)
		corrupted(loaded, "It has no features.");
	set = osml_feature_set_from_jsonb(row->program);
	osml_feature_set_build(set, NULL);
	if (!osml_feature_set_prepare(set, NULL))
		corrupted(loaded, "Its features are not complete.");
	set->label = row->label;
	set->subject = psprintf("of model \"%s\"", loaded->model);
	loaded->set = *set;
	loaded->layout = osml_model_layout(set);
	if (row->n_features != loaded->layout.n_dense + loaded->layout.n_codes ||
		row->n_features == 0)
		corrupted(loaded, "It has %d rows of features, not %d.", row->n_features,
				  loaded->layout.n_dense + loaded->layout.n_codes);
	for (int j = 0; j < loaded->layout.n_dense; j++)
	{
		if (strcmp(osml_version_feature_name(&row->features[j]),
				   osml_dense_name(set, j)) != 0)
			corrupted(loaded, "Row %d of its features is not that of \"%s\".", j + 1,
					  osml_dense_name(set, j));
	}
}

/* Scaling constants; also the means for imputation. */
static void
build_scaling(OsmlLoaded *loaded)
{
	OsmlVersionRow *row = loaded->row;
	OsmlScaling *scaling = &loaded->predictor.scaling;

	scaling->n = loaded->layout.n_dense;
	scaling->center = palloc(Max(1, scaling->n) * sizeof(double));
	scaling->scale = palloc(Max(1, scaling->n) * sizeof(double));
	scaling->impute = palloc(Max(1, scaling->n) * sizeof(double));
	scaling->label_center = row->label_center;
	scaling->label_scale = row->label_scale;
	for (int i = 0; i < scaling->n; i++)
	{
		scaling->center[i] = row->features[i].center;
		scaling->scale[i] = row->features[i].scale;
		scaling->impute[i] = row->features[i].mean;
		if (!isfinite(scaling->center[i]) || !isfinite(scaling->scale[i]) ||
			scaling->scale[i] == 0)
			corrupted(loaded, "The scaling constants of feature \"%s\" are not usable.",
					  row->features[i].column);
	}
	if (!isfinite(scaling->label_center) || !isfinite(scaling->label_scale))
		corrupted(loaded, "The scaling constants of the label are not usable.");
}

/* What the average training row looks up for its codes. */
static void
build_average(OsmlLoaded *loaded)
{
	const OsmlModelSpec *spec = &loaded->predictor.spec;
	double	   *average = palloc(Max(1, osml_average_values(spec)) * sizeof(double));
	double	   *next = average;

	for (int k = 0; k < spec->layout.n_codes; k++)
	{
		const OsmlVersionFeature *feature = &loaded->row->features[spec->layout.n_dense + k];

		if (feature->n_average == 0)
			return;
		if (feature->n_average != spec->ops->code_width(spec, k))
			corrupted(loaded, "The average of feature \"%s\" has %d values, not %d.",
					  feature->column, feature->n_average, spec->ops->code_width(spec, k));
		memcpy(next, feature->average, feature->n_average * sizeof(double));
		next += feature->n_average;
	}
	loaded->average = average;
}

/* Residuals of held-out rows, from the ends inward. */
static void
build_tails(OsmlLoaded *loaded)
{
	const OsmlVersionRow *row = loaded->row;
	OsmlTails  *tails = &loaded->tails;

	*tails = (OsmlTails) {row->calibration_rows, row->n_residuals, row->residuals_below,
	row->residuals_above};
	if (tails->n_kept != osml_tail_length(tails->n))
		corrupted(loaded, "Its residuals are not those of " INT64_FORMAT " rows.", tails->n);
	for (int i = 0; i < tails->n_kept; i++)
	{
		if (isnan(tails->below[i]) || isnan(tails->above[i]))
			corrupted(loaded, "A residual is not a number.");
	}
}

/* A shape as text. */
static char *
shape_text(const int64_t *shape, int ndim)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < ndim; i++)
		appendStringInfo(&text, "%s" INT64_FORMAT, i > 0 ? "x" : "",
						 (int64) shape[i]);
	return text.data;
}

/* Copy one tensor from the file to its place among the parameters. */
static void
read_tensor(OsmlLoaded *loaded, const OsmlSafetensors *file,
			const OsmlTensor *wanted, char *params)
{
	OsmlPrecision precision = loaded->predictor.spec.precision;
	OsmlSafetensor found;

	if (!osml_safetensors_find(file, wanted->name, &found))
		corrupted(loaded, "The weights hold no tensor \"%s\".", wanted->name);
	if (found.ndim != wanted->ndim ||
		memcmp(found.shape, wanted->shape, wanted->ndim * sizeof(int64_t)) != 0)
		corrupted(loaded, "Tensor \"%s\" has shape %s, not %s.", wanted->name,
				  shape_text(found.shape, found.ndim),
				  shape_text(wanted->shape, wanted->ndim));
	if (osml_safetensors_copy(&found, precision, wanted->size,
							  params + wanted->offset * osml_precision_size(precision)) != OSML_OK)
		corrupted(loaded, "Tensor \"%s\" has a wrong size.", wanted->name);
}

/* The parameter vector, as the kind of model lays it out. */
static void
build_params(OsmlLoaded *loaded)
{
	OsmlModelSpec *spec = &loaded->predictor.spec;
	bytea	   *bytes = loaded->row->weights;
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	OsmlSafetensors file;
	OsmlSafetensor first;
	char	   *params;
	int			n;

	if (osml_safetensors_open(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes),
							  &file) != OSML_OK ||
		!osml_safetensors_at(&file, 0, &first))
		corrupted(loaded, "The weights are not in safetensors format.");
	spec->precision = first.precision;
	n = spec->ops->tensors(spec, tensors);
	if (n != file.n_tensors)
		corrupted(loaded, "The weights hold %d tensors, not %d.", file.n_tensors, n);
	params = MemoryContextAllocHuge(CurrentMemoryContext,
									osml_model_values(spec) *
									osml_precision_size(spec->precision));
	for (int i = 0; i < n; i++)
		read_tensor(loaded, &file, &tensors[i], params);
	loaded->predictor.params = params;
	pfree(bytes);
	loaded->row->weights = NULL;
}

/* Kind of model and loss, by name. */
static void
build_spec(OsmlLoaded *loaded)
{
	OsmlModelSpec *spec = &loaded->predictor.spec;
	int			loss = osml_loss_by_name(loaded->row->loss);
	const OsmlModelKind *kind = osml_model_by_name(loaded->row->model_type);
	const OsmlHparams *hparams = osml_hparams_parse(NULL, loaded->row->hparams);

	if (kind == NULL)
		unsupported(loaded, "model type", loaded->row->model_type);
	if (loss < 0)
		unsupported(loaded, "loss", loaded->row->loss);
	spec->ops = kind->ops;
	spec->loss = loss;
	spec->layout = loaded->layout;
	spec->bias = hparams->bias;
	spec->network = osml_hparams_network(hparams);
	spec->n_outputs = osml_loss_by_class(loss) ? list_length(loaded->row->classes) : 1;
}

/* The classes of the label. */
static void
build_classes(OsmlLoaded *loaded)
{
	List	   *names = loaded->row->classes;
	OsmlArena	arena = osml_context_arena(CurrentMemoryContext);
	const char **texts = palloc(sizeof(char *) * Max(1, list_length(names)));
	OsmlLink	link = osml_losses[loaded->predictor.spec.loss].link;
	int			n = 0;
	ListCell   *cell;

	foreach(cell, names)
		texts[n++] = lfirst(cell);
	if (link == OSML_LINK_LOGISTIC ? n != 2 : link == OSML_LINK_SOFTMAX ? n < 2 : n != 0)
		corrupted(loaded, "Its loss is %s and its label has %d classes.", loaded->row->loss, n);
	if (n == 0)
		return;
	loaded->classes = palloc0(sizeof(OsmlClasses));
	osml_check_status(osml_classes_create(&arena, texts, n, loaded->classes));
	for (int i = 0; i < n; i++)
	{
		if (strcmp(loaded->classes->texts[i], texts[i]) != 0)
			corrupted(loaded, "Its classes are in no order.");
	}
}

/* Build in a context of its own: an error on the way frees all of it. */
OsmlLoaded *
osml_load(const OsmlModelRow *model, const OsmlVersionKey *key)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "osml model version",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	OsmlLoaded *loaded = palloc0(sizeof(OsmlLoaded));

	loaded->context = context;
	loaded->key = *key;
	loaded->kind = "model";
	loaded->model = pstrdup(model->name);
	loaded->row = osml_version_find(model, key->version);
	if (loaded->row == NULL)
		elog(ERROR, "version %d of model \"%s\" is gone", key->version, model->name);
	loaded->author = get_role_oid(loaded->row->author, true);
	build_set(loaded);
	build_spec(loaded);
	build_classes(loaded);
	read_hparams(loaded);
	build_scaling(loaded);
	build_params(loaded);
	build_average(loaded);
	build_tails(loaded);
	MemoryContextSwitchTo(old);
	return loaded;
}
