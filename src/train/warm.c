/*
 * warm.c
 *	  Going on from a version of the model: see warm.h.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "catalog/rights.h"
#include "features/key.h"
#include "model/safetensors.h"
#include "source/adapt.h"
#include "source/adopt.h"
#include "source/column.h"
#include "source/context_arena.h"
#include "train/run.h"
#include "train/warm.h"
#include "train/worker.h"

/*
 * Hyperparameters that are the version's unless given.  Those that shape a model, or say
 * what its weights mean, must not be given otherwise.
 */
static const struct
{
	const char *name;
	bool		fixed;
}			inherited[] = {
	{"model_type", true}, {"loss", true}, {"bias", true}, {"num_hidden_neurons", true},
	{"activation", true}, {"batch_norm_linear_layers", true}, {"embedding_dim", true},
	{"scale", true}, {"scale_label", true},
	{"dropout", false}, {"huber_delta", false}, {"precision", false},
};

static char *
version_words(const OsmlVersionRow *version, const char *model)
{
	return psprintf("version %d of model \"%s\"", version->version, model);
}

/* What a run has committed since this statement began counts: it may have been waited for. */
static OsmlVersionRow *
find_latest(const char *model, int64 wanted, OsmlModelRow **row)
{
	OsmlVersionRow *version = NULL;

	PushActiveSnapshot(GetLatestSnapshot());
	*row = model ? osml_model_find(model) : NULL;
	if (*row)
		osml_model_check(*row, OSML_MANAGE);
	if (*row && (wanted > 0 || (*row)->deployed > 0))
		version = osml_version_find(*row, wanted > 0 ? (int) wanted : 0);
	PopActiveSnapshot();
	return version;
}

OsmlVersionRow *
osml_warm_find(const char *model, const OsmlHparams *hparams)
{
	int64		wanted = hparams->warm_start;
	OsmlModelRow *row;
	OsmlVersionRow *version;

	if (wanted == 0)
		return NULL;
	version = find_latest(model, wanted, &row);
	if (version == NULL && wanted > 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 row ? errmsg("model \"%s\" has no version " INT64_FORMAT, model, wanted) :
				 errmsg("hyperparameter \"warm_start\" is " INT64_FORMAT ", but there is no model \"%s\"",
						wanted, model ? model : ""),
				 errhint("osml.models lists the versions; true takes the deployed one, if there is one.")));
	return version;
}

static JsonbValue *
member(const Jsonb *object, const char *key)
{
	return getKeyJsonValueFromContainer(unconstify(JsonbContainer *, &object->root), key,
										(int) strlen(key), NULL);
}

/* A JSON value as text, for comparing and for messages. */
static char *
value_text(JsonbValue *value)
{
	Jsonb	   *json = value ? JsonbValueToJsonb(value) : NULL;

	return json ? JsonbToCString(NULL, &json->root, VARSIZE(json)) : "null";
}

/* The version's hyperparameters that are inherited, as an object. */
static Jsonb *
inheritance(const OsmlVersionRow *version)
{
	JsonbParseState *state = NULL;

	pushJsonbValue(&state, WJB_BEGIN_OBJECT, NULL);
	for (int i = 0; i < (int) lengthof(inherited); i++)
	{
		const char *name = inherited[i].name;
		JsonbValue *value = member(version->hparams, name);
		JsonbValue	key = {.type = jbvString};

		if (value == NULL)
			continue;
		key.val.string.val = unconstify(char *, name);
		key.val.string.len = (int) strlen(name);
		pushJsonbValue(&state, WJB_KEY, &key);
		pushJsonbValue(&state, WJB_VALUE, value);
	}
	return JsonbValueToJsonb(pushJsonbValue(&state, WJB_END_OBJECT, NULL));
}

OsmlHparams *
osml_warm_hparams(const OsmlVersionRow *version, const char *model,
				  const OsmlDatasetRow *dataset, Jsonb *given)
{
	Jsonb	   *options = inheritance(version);
	OsmlHparams *hparams;
	Jsonb	   *all;

	if (dataset->options)
		options = DatumGetJsonbP(DirectFunctionCall2(jsonb_concat, JsonbPGetDatum(options),
													 JsonbPGetDatum(dataset->options)));
	hparams = osml_hparams_parse(options, given);
	hparams->warm_start = version->version;
	all = osml_hparams_to_jsonb(hparams);
	for (int i = 0; i < (int) lengthof(inherited); i++)
	{
		const char *name = inherited[i].name;
		char	   *mine = value_text(member(all, name));
		char	   *theirs = value_text(member(version->hparams, name));

		if (inherited[i].fixed && strcmp(mine, theirs) != 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("hyperparameter \"%s\" is %s, but %s has %s", name, mine,
							version_words(version, model), theirs),
					 errhint("Leave it out, which takes the version's, or train without \"warm_start\".")));
	}
	return hparams;
}

void
osml_warm_features(const OsmlVersionRow *version, const char *model,
				   const OsmlDatasetRow *dataset, OsmlPart *train)
{
	if (strcmp(train->set.label, version->label) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the label is \"%s\", but that of %s is \"%s\"", train->set.label,
						version_words(version, model), version->label),
				 errhint("Name it as \"label\", or train without \"warm_start\".")));
	osml_check_label_type(&train->source, &train->set, osml_type_by_name(version->label_type),
						  version_words(version, model));
	osml_feature_set_adopt(&train->set, osml_feature_set_from_jsonb(version->program),
						   version_words(version, model), dataset->name);
}

void
osml_warm_load(OsmlRun *run)
{
	OsmlModelRow *model;
	MemoryContext old = CurrentMemoryContext;

	if (run->hparams->warm_start == 0)
		return;
	osml_worker_begin(run->plan);
	MemoryContextSwitchTo(run->context);
	model = osml_model_find(run->plan->model);
	run->warm = model ? osml_version_find(model, (int) run->hparams->warm_start) : NULL;
	osml_worker_end();
	MemoryContextSwitchTo(old);
	if (run->warm == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("version " INT64_FORMAT " of model \"%s\" has been dropped",
						run->hparams->warm_start, run->plan->model)));
	osml_run_take(run, VARSIZE_ANY(run->warm->weights));
	/* a run that goes on from a checkpoint has said so before */
	if (run->resume == NULL)
		osml_log_event(run, "info", "warm_start",
					   psprintf("goes on from version %d, made by run " INT64_FORMAT,
								run->warm->version, run->warm->run_id));
}

/* Raise: a class that the version does not know. */
pg_noreturn static void
unknown_class(const OsmlRun *run, const char *class)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("label \"%s\" of %s has a class \"%s\", which %s does not know",
					run->set->label, run->plan->parts[OSML_PART_TRAIN].source.label, class,
					version_words(run->warm, run->plan->model)),
			 errhint("Filter such rows out, or train without \"warm_start\".")));
}

/* The rows' classes must be the version's, of which some may have no row now. */
void
osml_warm_classes(OsmlRun *run)
{
	OsmlArena	arena = osml_context_arena(run->context);
	List	   *names = run->warm ? run->warm->classes : NIL;
	const char **texts = palloc(sizeof(char *) * Max(1, list_length(names)));
	OsmlClasses *classes;
	int64	   *rows;
	int			n = 0;
	ListCell   *cell;

	if (run->warm == NULL || run->classes == NULL)
		return;
	foreach(cell, names)
		texts[n++] = lfirst(cell);
	classes = MemoryContextAllocZero(run->context, sizeof(OsmlClasses));
	osml_check_status(osml_classes_create(&arena, texts, n, classes));
	rows = MemoryContextAllocZero(run->context, sizeof(int64) * Max(1, n));
	for (int k = 0; k < run->classes->n; k++)
	{
		const char *text = run->classes->texts[k];
		int			known = osml_classes_find(classes, osml_key(text, strlen(text)));

		if (known < 0)
			unknown_class(run, text);
		rows[known] = run->class_rows[k];
	}
	run->classes = classes;
	run->class_rows = rows;
}

/* Raise: the version is not as it was when the run was resolved, or by hand. */
pg_noreturn static void
misfit(const OsmlRun *run, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("%s cannot be gone on from", version_words(run->warm, run->plan->model)),
			 errdetail_internal("%s", detail)));
}

void
osml_warm_scaling(OsmlRun *run)
{
	const OsmlVersionRow *warm = run->warm;
	OsmlScaling *scaling = &run->scaling;

	if (warm == NULL)
		return;
	if (warm->n_features != run->layout.n_dense + run->layout.n_codes)
		misfit(run, psprintf("It has %d columns, not %d.", warm->n_features,
							 run->layout.n_dense + run->layout.n_codes));
	for (int j = 0; j < scaling->n; j++)
	{
		const OsmlVersionFeature *feature = &warm->features[j];

		if (!isfinite(feature->center) || !isfinite(feature->scale) || feature->scale == 0)
			misfit(run, psprintf("The scaling constants of feature \"%s\" are not usable.",
								 feature->column));
		scaling->center[j] = feature->center;
		scaling->scale[j] = feature->scale;
		scaling->impute[j] = feature->mean;
	}
	scaling->label_center = warm->label_center;
	scaling->label_scale = warm->label_scale;
}

/* One tensor of the version's to its place among the parameters. */
static void
take_tensor(OsmlRun *run, const OsmlSafetensors *file, const OsmlTensor *wanted)
{
	OsmlPrecision precision = run->spec.precision;
	OsmlSafetensor found;

	if (!osml_safetensors_find(file, wanted->name, &found))
		misfit(run, psprintf("It has no tensor \"%s\".", wanted->name));
	if (found.ndim != wanted->ndim ||
		memcmp(found.shape, wanted->shape, wanted->ndim * sizeof(int64_t)) != 0 ||
		osml_safetensors_copy(&found, precision, wanted->size, (char *) run->params +
							  wanted->offset * osml_precision_size(precision)) != OSML_OK)
		misfit(run, psprintf("Its tensor \"%s\" has another shape.", wanted->name));
}

void
osml_warm_params(OsmlRun *run)
{
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = run->spec.ops->tensors(&run->spec, tensors);
	bytea	   *bytes = run->warm->weights;
	OsmlSafetensors file;

	if (osml_safetensors_open(VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), &file) != OSML_OK)
		misfit(run, "Its weights are not in safetensors format.");
	for (int i = 0; i < n; i++)
		take_tensor(run, &file, &tensors[i]);
	osml_budget_return(&run->budget, (int64) VARSIZE_ANY(bytes));
	pfree(bytes);
	run->warm->weights = NULL;
}
