/*
 * explain.c
 *	  osml_explain(): why a row's prediction is what it is, feature by feature.
 *
 * A row goes the way of osml_predict(); what each feature adds is model/explain.h's.
 * What users name is explained: a feature that is several number columns of the
 * model is one row, an array's elements a row each, as in osml.features.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "api/call_site.h"
#include "api/need.h"
#include "api/outputs.h"
#include "catalog/bin.h"
#include "compat.h"
#include "model/explain.h"

PG_FUNCTION_INFO_V1(osml_explain_record);

#define N_COLUMNS 8

/* a row that is being explained */
typedef struct Explaining
{
	const OsmlBinding *binding;
	const double *dense;		/* its features */
	const char *class;			/* whose output it is, or NULL */
	double	   *mix;			/* of the model's outputs that is explained */
	OsmlExplained explained;
	double	   *attribution;	/* a column of the model */
	ReturnSetInfo *rsinfo;
} Explaining;

/* Raise: the version was stored without what its rows are compared with. */
static void
no_average(const OsmlLoaded *loaded)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("version %d of model \"%s\" does not say what its average training row is",
					loaded->key.version, loaded->model),
			 errhint("Train it again.")));
}

/*
 * What is explained, and its class: the one asked for, or else the most probable of
 * several and the second of two, as for osml_predict().
 */
static void
choose_class(Explaining *explaining, const char *class)
{
	const OsmlBinding *binding = explaining->binding;
	const OsmlLoaded *loaded = binding->loaded;
	const OsmlModelSpec *spec = &loaded->predictor.spec;
	int			k;

	explaining->mix = palloc(sizeof(double) * spec->n_outputs);
	explaining->mix[0] = 1;
	if (loaded->classes == NULL && class == NULL)
		return;
	k = osml_need_class(loaded, class);
	if (class == NULL && spec->n_outputs > 1)
	{
		osml_predictor_row(&loaded->predictor, explaining->dense, binding->codes, binding->out,
						   binding->prepared);
		k = osml_best_class(loaded, binding->out, 1);
	}
	explaining->class = loaded->classes->texts[k];
	osml_explain_class(spec, k, explaining->mix);
}

/* A wide network takes seconds a row. */
static void
check_interrupts(void)
{
	CHECK_FOR_INTERRUPTS();
}

static void
explain(Explaining *explaining)
{
	const OsmlBinding *binding = explaining->binding;
	const OsmlLoaded *loaded = binding->loaded;
	void	   *room;

	if (loaded->average == NULL)
		no_average(loaded);
	room = MemoryContextAllocExtended(CurrentMemoryContext,
									  osml_explain_bytes(&loaded->predictor),
									  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	explaining->attribution =
		palloc(sizeof(double) * (loaded->layout.n_dense + loaded->layout.n_codes));
	explaining->explained = osml_explain_row(&loaded->predictor, loaded->average,
											 explaining->dense, binding->codes, explaining->mix,
											 explaining->attribution, room, check_interrupts);
	pfree(room);
}

/* One row of the result: columns [first, first + n) of the model. */
static void
put(const Explaining *explaining, const char *feature, int first, int n,
	const char *category)
{
	const OsmlExplained *explained = &explaining->explained;
	double		value = category || n > 1 ? osml_missing() : explaining->dense[first];
	double		sum = 0;
	Datum		values[N_COLUMNS] = {0};
	bool		nulls[N_COLUMNS] = {false, osml_is_missing(value), category == NULL, false,
		false, false, false, explaining->class == NULL};

	for (int j = first; j < first + n; j++)
		sum += explaining->attribution[j];
	values[0] = CStringGetTextDatum(feature);
	values[1] = Float8GetDatum(value);
	if (category)
		values[2] = CStringGetTextDatum(category);
	values[3] = Float8GetDatum(sum);
	values[4] = Float8GetDatum(explained->baseline);
	values[5] = Float8GetDatum(explained->output);
	values[6] = Float8GetDatum(explained->error);
	if (explaining->class)
		values[7] = CStringGetTextDatum(explaining->class);
	tuplestore_putvalues(explaining->rsinfo->setResult, explaining->rsinfo->setDesc, values,
						 nulls);
}

/* The rows of one feature. */
static void
put_feature(const Explaining *explaining, const OsmlFeature *feature)
{
	const OsmlBinding *binding = explaining->binding;
	const OsmlFeatureSet *set = &binding->loaded->set;

	if (feature->code >= 0)
		put(explaining, feature->name, binding->loaded->layout.n_dense + feature->code, 1,
			osml_code_text(set->program, feature->code, binding->codes[feature->code]));
	else if (feature->n_elements == 0)
		put(explaining, feature->name, feature->first_dense, feature->n_dense, NULL);
	else
	{
		for (int j = feature->first_dense; j < feature->first_dense + feature->n_dense; j++)
			put(explaining, osml_dense_name(set, j), j, 1, NULL);
	}
}

/* osml_explain(model, features record, class) */
Datum
osml_explain_record(PG_FUNCTION_ARGS)
{
	char	   *class = osml_maybe_text(fcinfo, 2);
	Explaining	explaining = {.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo};
	OsmlBinding *binding;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	binding = osml_call_site_bind(fcinfo, PG_GETARG_TEXT_PP(0), osml_load_model);
	explaining.binding = binding;
	explaining.dense = osml_take_record(binding, PG_GETARG_HEAPTUPLEHEADER(1));
	/* no prediction, nothing to explain */
	if (explaining.dense == NULL)
		return (Datum) 0;
	choose_class(&explaining, class);
	explain(&explaining);
	for (int i = 0; i < binding->loaded->set.n_features; i++)
		put_feature(&explaining, &binding->loaded->set.features[i]);
	return (Datum) 0;
}
