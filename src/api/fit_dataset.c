/*
 * fit_dataset.c
 *	  osml_fit_features(): what a dataset's definitions leave open, learned.
 *
 * A text column without a definition is a category all the same.  It has no row
 * to keep its categories in; the rows of osml.bins serve.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "api/defining.h"
#include "api/fit_dataset.h"
#include "api/need.h"
#include "catalog/bin.h"
#include "catalog/definition.h"
#include "source/learn.h"

PG_FUNCTION_INFO_V1(osml_fit_features);

/* What was learned for the definitions that somebody wrote. */
static void
store_fitted(const OsmlDatasetRow *dataset, const OsmlFeatureSet *set)
{
	List	   *fitted = NIL;
	ListCell   *cell;

	foreach(cell, set->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->implied || definition->program_step < 0)
			continue;
		definition->fitted = definition->params;
		fitted = lappend(fitted, definition);
	}
	osml_definitions_set_fitted(dataset->dataset_id, fitted);
}

/* Rows and mean label of each code of each feature. */
static void
store_bins(const OsmlDatasetRow *dataset, const OsmlFeatureSet *set,
		   const OsmlCodeStats *stats)
{
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];
		OsmlBinRow *rows;
		size_t		first;
		int			n;

		if (feature->code < 0)
			continue;
		first = osml_layout_table(&set->program->output, feature->code);
		rows = osml_bins_of_code(set->program, feature->code, stats->count + first,
								 stats->label_mean + first, &n);
		osml_bins_replace(dataset->dataset_id, 0, feature->name, rows, n);
	}
}

void
osml_fit_dataset(OsmlDatasetRow *dataset)
{
	List	   *definitions = osml_definitions_lock(dataset->dataset_id);
	OsmlSource *source;
	OsmlFeatureSet *set = osml_defined_features(dataset, definitions, &source);
	OsmlCodeStats stats = {0};

	osml_source_learn(source, set, dataset->name, NULL);
	store_fitted(dataset, set);
	if (set->program->output.n_codes == 0)
		return;
	osml_source_code_stats(source, set, &stats);
	store_bins(dataset, set, &stats);
}

/* osml_fit_features(dataset) */
Datum
osml_fit_features(PG_FUNCTION_ARGS)
{
	PreventCommandIfReadOnly("osml_fit_features()");
	osml_fit_dataset(osml_need_dataset(osml_need_text(fcinfo, 0, "dataset")));
	PG_RETURN_VOID();
}

void
osml_not_fitted(const OsmlDatasetRow *dataset, const char *feature)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("feature \"%s\" of dataset \"%s\" has not been fitted", feature,
					dataset->name),
			 errdetail("It learns from rows, and nothing is known of them, or nothing since its definition changed."),
			 errhint("Run osml_fit_features(%s).", quote_literal_cstr(dataset->name))));
}

/* The categories of a text column that nobody defined. */
static void
take_categories(const OsmlDatasetRow *dataset, OsmlDefinition *definition)
{
	StringInfoData out;
	List	   *categories;
	ListCell   *cell;

	if (!osml_bins_categories(dataset->dataset_id, definition->feature, &categories))
		osml_not_fitted(dataset, definition->feature);
	initStringInfo(&out);
	appendStringInfoString(&out, "{\"categories\": [");
	foreach(cell, categories)
	{
		if (foreach_current_index(cell) > 0)
			appendStringInfoString(&out, ", ");
		escape_json(&out, lfirst(cell));
	}
	appendStringInfoString(&out, "]}");
	definition->params = osml_jsonb(out.data);
}

OsmlFeatureSet *
osml_fitted_features(const OsmlDatasetRow *dataset)
{
	List	   *definitions = osml_definitions_find(dataset->dataset_id);
	OsmlSource *source;
	OsmlFeatureSet *set;
	ListCell   *cell;

	foreach(cell, definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->fitted)
			definition->params = definition->fitted;
	}
	set = osml_defined_features(dataset, definitions, &source);
	foreach(cell, set->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->implied)
			take_categories(dataset, definition);
	}
	osml_feature_set_build(set, dataset->name);
	if (osml_feature_set_prepare(set, dataset->name))
		return set;
	foreach(cell, set->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->program_step >= 0 &&
			!set->program->steps[definition->program_step].fitted)
			osml_not_fitted(dataset, definition->feature);
	}
	elog(ERROR, "features of dataset \"%s\" are incomplete", dataset->name);
}
