/*
 * transform_row.c
 *	  osml_transform_row(): a row as a model sees it, before scaling.
 *
 * The row goes the way of osml_predict(), for a dataset too, whose features
 * stand in for those of a model.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/call_site.h"
#include "api/fit_dataset.h"
#include "api/need.h"
#include "catalog/bin.h"
#include "catalog/dataset.h"
#include "catalog/role.h"
#include "compat.h"
#include "source/encode.h"
#include "train/dataset.h"

PG_FUNCTION_INFO_V1(osml_transform_row);

/* The features of a dataset, as of a model. */
static const OsmlLoaded *
load_dataset(const OsmlDatasetRow *dataset)
{
	OsmlLoaded *loaded = palloc0(sizeof(OsmlLoaded));

	loaded->kind = "dataset";
	loaded->model = dataset->name;
	loaded->set = *osml_fitted_features(dataset);
	loaded->layout = osml_model_layout(&loaded->set);
	loaded->author = GetUserId();
	loaded->impute = true;		/* what is missing is shown */
	loaded->context = CurrentMemoryContext;
	return loaded;
}

/*
 * A dataset of the user's own, else a model.  A dataset that still has to learn
 * gives way to a model of its name, which has, and which may be older than its
 * definitions.
 */
static const OsmlLoaded *
load(const char *name)
{
	OsmlDatasetRow *dataset = osml_dataset_find(name);
	bool		is_model = osml_model_find(name) != NULL;
	bool		is_own = dataset && strcmp(dataset->owner, osml_current_role()) == 0;
	const OsmlLoaded *loaded;

	if (is_own && (!is_model || osml_is_fitted(dataset)))
		return load_dataset(dataset);
	if (dataset && !is_model)
		osml_not_own_dataset(dataset);
	if (!is_model)
	{
		const char *nearest = osml_nearest_of(name, list_concat(osml_dataset_names(true),
																 osml_model_names()));

		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is neither a dataset of yours nor a model \"%s\"", name),
				 nearest ? errhint("Perhaps you meant \"%s\".", nearest) :
				 errhint("osml.datasets and osml.models list them.")));
	}
	loaded = osml_load_model(name);
	if (is_own)
		ereport(NOTICE,
				(errmsg("the row is shown as version %d of model \"%s\" sees it", loaded->row->version, name),
				 errdetail("Dataset \"%s\" has definitions that are not fitted.", name),
				 errhint("SELECT osml_analyze(%s) fits them, and the dataset's are shown.",
						 quote_literal_cstr(name))));
	return loaded;
}

static void
put(ReturnSetInfo *rsinfo, const OsmlFeature *feature, const char *column, double value,
	int64 code, const char *category)
{
	bool		is_code = feature->code >= 0;
	Datum		values[5] = {0};
	bool		nulls[5] = {false, false, is_code || osml_is_missing(value), !is_code, !is_code};

	values[0] = CStringGetTextDatum(feature->name);
	values[1] = CStringGetTextDatum(column);
	values[2] = Float8GetDatum(value);
	values[3] = Int64GetDatum(code);
	if (category)
		values[4] = CStringGetTextDatum(category);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* osml_transform_row(dataset_or_model, row) */
Datum
osml_transform_row(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	OsmlBinding *binding = osml_call_site_bind(fcinfo, PG_GETARG_TEXT_PP(0), load);
	const OsmlFeatureSet *set = &binding->loaded->set;
	const double *dense = set->program->identity ? binding->raw : binding->dense;

	InitMaterializedSRF(fcinfo, 0);
	(void) osml_take_record(binding, PG_GETARG_HEAPTUPLEHEADER(1));
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];

		if (feature->code >= 0)
			put(rsinfo, feature, feature->name, 0, binding->codes[feature->code],
				osml_code_text(set->program, feature->code, binding->codes[feature->code]));
		for (int k = feature->first_dense; k < feature->first_dense + feature->n_dense; k++)
			put(rsinfo, feature, osml_dense_name(set, k), dense[k], 0, NULL);
	}
	return (Datum) 0;
}
