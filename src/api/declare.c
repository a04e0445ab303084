/*
 * declare.c
 *	  osml_declare_feature(): what people know of a feature.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "api/need.h"
#include "catalog/definition.h"
#include "catalog/feature_note.h"
#include "source/columns.h"
#include "train/dataset.h"

PG_FUNCTION_INFO_V1(osml_declare_feature);

static void
declare_context(void *arg)
{
	errcontext("feature of dataset \"%s\"", (const char *) arg);
}

/*
 * A typo would be a note that no report ever shows: the feature must be defined,
 * or a column, else an expression that the server understands.
 */
static void
check_feature(OsmlDatasetRow *dataset, char *feature)
{
	ErrorContextCallback context = {error_context_stack, declare_context, dataset->name};
	OsmlSource *source;
	ListCell   *cell;

	foreach(cell, osml_definitions_find(dataset->dataset_id))
	{
		if (strcmp(((OsmlDefinition *) lfirst(cell))->feature, feature) == 0)
			return;
	}
	error_context_stack = &context;
	source = osml_dataset_source(dataset, NULL);
	osml_columns_check_feature(source, feature);
	error_context_stack = context.previous;
}

/* osml_declare_feature(dataset, feature, available, reason, rationale) */
Datum
osml_declare_feature(PG_FUNCTION_ARGS)
{
	OsmlDatasetRow *dataset;
	OsmlFeatureNoteRow row = {0};

	osml_prevent_write("osml_declare_feature()");
	dataset = osml_need_dataset(osml_need_text(fcinfo, 0, "dataset"));
	row.feature = osml_need_text(fcinfo, 1, "feature");
	row.has_available = !PG_ARGISNULL(2);
	row.available = row.has_available && PG_GETARG_BOOL(2);
	row.reason = osml_maybe_text(fcinfo, 3);
	row.rationale = osml_maybe_text(fcinfo, 4);
	if (!row.has_available && !row.reason && !row.rationale)
		(void) osml_feature_note_delete(dataset->dataset_id, row.feature);
	else
	{
		check_feature(dataset, row.feature);
		osml_feature_note_put(dataset->dataset_id, &row);
	}
	PG_RETURN_VOID();
}
