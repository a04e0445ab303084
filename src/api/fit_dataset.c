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

/* What was learned for the definitions that somebody wrote; what is made up is not. */
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
		definition->fitted = osml_program_made_up(set->program, definition->program_step) ?
			NULL : definition->params;
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
		OsmlCodeStats own;
		OsmlBinRow *rows;
		size_t		first;
		int			n;

		if (feature->code < 0)
			continue;
		if (osml_program_made_up(set->program, feature->step))
		{
			osml_bins_replace(dataset->dataset_id, 0, feature->name, NULL, 0);
			continue;
		}
		first = osml_layout_table(&set->program->output, feature->code);
		own = (OsmlCodeStats) {stats->count + first, stats->label_mean + first};
		rows = osml_bins_of_code(set->program, feature->code, &own, OSML_MAX_BIN_ROWS, &n);
		osml_bins_replace(dataset->dataset_id, 0, feature->name, rows, n);
	}
}

void
osml_fit_set(const OsmlDatasetRow *dataset, const OsmlSource *source,
			 OsmlFeatureSet *set, const OsmlAnalysis *known)
{
	OsmlCodeStats stats = {0};

	osml_source_learn(source, set, dataset->name, known);
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
	OsmlDatasetRow *dataset;
	OsmlSource *source;
	OsmlFeatureSet *set;

	osml_prevent_write("osml_fit_features()");
	dataset = osml_need_dataset(osml_need_text(fcinfo, 0, "dataset"));
	set = osml_defined_features(dataset, osml_definitions_lock(dataset->dataset_id),
								&source);
	osml_fit_set(dataset, source, set, NULL);
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
			 errhint("Run osml_analyze(%s).", quote_literal_cstr(dataset->name))));
}

/* The categories of a text column that nobody defined; false: none are known. */
static bool
take_categories(const OsmlDatasetRow *dataset, OsmlDefinition *definition)
{
	StringInfoData out;
	List	   *categories;
	ListCell   *cell;

	if (!osml_bins_categories(dataset->dataset_id, definition->feature, &categories))
		return false;
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
	return true;
}

/* The first feature that still has to learn, or NULL. */
static const char *
unfitted_feature(const OsmlFeatureSet *set)
{
	ListCell   *cell;

	foreach(cell, set->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->program_step >= 0 &&
			!set->program->steps[definition->program_step].fitted)
			return definition->feature;
	}
	return NULL;
}

/* The dataset's features with all that is known; *unfitted: what is not. */
static OsmlFeatureSet *
known_features(const OsmlDatasetRow *dataset, const char **unfitted)
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

		if (definition->implied && !take_categories(dataset, definition))
		{
			*unfitted = definition->feature;
			return set;
		}
	}
	osml_feature_set_build(set, dataset->name);
	(void) osml_feature_set_prepare(set, dataset->name);
	*unfitted = unfitted_feature(set);
	return set;
}

bool
osml_is_fitted(const OsmlDatasetRow *dataset)
{
	const char *unfitted;

	(void) known_features(dataset, &unfitted);
	return unfitted == NULL;
}

OsmlFeatureSet *
osml_fitted_features(const OsmlDatasetRow *dataset)
{
	const char *unfitted;
	OsmlFeatureSet *set = known_features(dataset, &unfitted);

	if (unfitted != NULL)
		osml_not_fitted(dataset, unfitted);
	return set;
}
