/*
 * summary.c
 *	  osml_model_summary(): what a model is made of.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "api/loaded.h"
#include "api/need.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(osml_model_summary);

#define SUMMARY_COLUMNS 7

/* rows of the result, and what they add up to */
typedef struct Summary
{
	ReturnSetInfo *rsinfo;
	const OsmlLoaded *loaded;
	int64		params;
	int64		trained;
} Summary;

/* of so many rows with so many values each, as PyTorch's documentation writes it; a
 * code is one value without a dimension of its own */
static Datum
shape(bool is_code, int values)
{
	return CStringGetTextDatum(is_code ? "[*]" : psprintf("[*, %d]", values));
}

static void
put_layer(void *arg, const OsmlLayer *layer)
{
	Summary    *summary = arg;
	Datum		row[SUMMARY_COLUMNS] = {0};
	bool		nulls[SUMMARY_COLUMNS] = {false};

	row[0] = CStringGetTextDatum(layer->name);
	row[1] = CStringGetTextDatum(layer->type);
	nulls[2] = layer->code < 0;
	if (layer->code >= 0)
		row[2] = CStringGetTextDatum(osml_code_feature(&summary->loaded->set, layer->code)->name);
	row[3] = shape(layer->code >= 0, layer->n_in);
	row[4] = shape(false, layer->n_out);
	row[5] = Int64GetDatum((int64) layer->params);
	row[6] = Int64GetDatum((int64) layer->trained);
	tuplestore_putvalues(summary->rsinfo->setResult, summary->rsinfo->setDesc, row, nulls);
	summary->params += layer->params;
	summary->trained += layer->trained;
}

static void
put_total(const Summary *summary)
{
	Datum		row[SUMMARY_COLUMNS] = {0};
	bool		nulls[SUMMARY_COLUMNS] = {false, true, true, true, true, false, false};

	row[0] = CStringGetTextDatum("(total)");
	row[5] = Int64GetDatum(summary->params);
	row[6] = Int64GetDatum(summary->trained);
	tuplestore_putvalues(summary->rsinfo->setResult, summary->rsinfo->setDesc, row, nulls);
}

/* osml_model_summary(model): its layers in order, then all of them */
Datum
osml_model_summary(PG_FUNCTION_ARGS)
{
	char	   *model = osml_need_text(fcinfo, 0, "model");
	Summary		summary = {.rsinfo = (ReturnSetInfo *) fcinfo->resultinfo};
	const OsmlModelSpec *spec;

	InitMaterializedSRF(fcinfo, 0);
	summary.loaded = osml_loaded_get(osml_need_model(model, OSML_PREDICT), CurrentMemoryContext);
	spec = &summary.loaded->predictor.spec;
	spec->ops->layers(spec, put_layer, &summary);
	put_total(&summary);
	return (Datum) 0;
}
