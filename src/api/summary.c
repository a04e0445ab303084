/*
 * summary.c
 *	  osml_model_summary(): what a model is made of.
 */
#include "postgres.h"

#include "funcapi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/loaded.h"
#include "api/need.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(osml_model_summary);

#define SUMMARY_COLUMNS 4

/* [3, 8], as frameworks write it; [] of a single number */
static char *
shape_text(const OsmlTensor *tensor)
{
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < tensor->ndim; i++)
		appendStringInfo(&out, "%s" INT64_FORMAT, i ? ", " : "", (int64) tensor->shape[i]);
	return psprintf("[%s]", out.data);
}

static void
put_row(ReturnSetInfo *rsinfo, const char *name, const char *shape, size_t values,
		bool trained)
{
	Datum		row[SUMMARY_COLUMNS] = {0};
	bool		nulls[SUMMARY_COLUMNS] = {false, shape == NULL, false, false};

	row[0] = CStringGetTextDatum(name);
	if (shape)
		row[1] = CStringGetTextDatum(shape);
	row[2] = Int64GetDatum((int64) values);
	row[3] = BoolGetDatum(trained);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, row, nulls);
}

/* osml_model_summary(model): its tensors in order, then all trained values */
Datum
osml_model_summary(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *model = osml_need_text(fcinfo, 0, "model");
	OsmlTensor *tensors = palloc(sizeof(OsmlTensor) * OSML_MAX_TENSORS);
	const OsmlModelSpec *spec;
	int			n;

	InitMaterializedSRF(fcinfo, 0);
	spec = &osml_loaded_get(osml_need_model(model, OSML_PREDICT),
							CurrentMemoryContext)->predictor.spec;
	n = spec->ops->tensors(spec, tensors);
	for (int i = 0; i < n; i++)
		put_row(rsinfo, tensors[i].name, shape_text(&tensors[i]), tensors[i].size,
				!tensors[i].buffer);
	put_row(rsinfo, "(total)", NULL, spec->ops->n_params(spec), true);
	return (Datum) 0;
}
