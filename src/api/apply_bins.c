/*
 * apply_bins.c
 *	  osml_apply_bins(): the bin that a value falls in.
 */
#include "postgres.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "compat.h"
#include "api/defining.h"
#include "api/fit_dataset.h"
#include "api/need.h"
#include "catalog/definition.h"
#include "compute/block.h"
#include "source/context_arena.h"

PG_FUNCTION_INFO_V1(osml_apply_bins);

static bool
is_bin(const OsmlDefinition *definition)
{
	return strcmp(definition->transform, "bin") == 0;
}

/* Is it the first step of a feature that has bins, and reads only this? */
static bool
reads_only(List *definitions, const OsmlDefinition *definition, const char *name)
{
	ListCell   *cell;

	if (definition->step != 1 || list_length(definition->inputs) != 1 ||
		strcmp(linitial(definition->inputs), name) != 0)
		return false;
	foreach(cell, osml_definitions_of(definitions, definition->feature))
	{
		if (is_bin(lfirst(cell)))
			return true;
	}
	return false;
}

/* Raise: it has no bins. */
pg_noreturn static void
no_bins(const OsmlDatasetRow *dataset, List *definitions, const char *name)
{
	List	   *names = NIL;
	const char *nearest;
	ListCell   *cell;

	foreach(cell, definitions)
	{
		if (is_bin(lfirst(cell)))
			names = lappend(names, ((OsmlDefinition *) lfirst(cell))->feature);
	}
	nearest = osml_nearest_of(name, names);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("feature \"%s\" of dataset \"%s\" has no bins", name, dataset->name),
			 nearest ? errhint("Perhaps you meant the feature \"%s\".", nearest) :
			 errhint("osml_bin makes some.")));
}

/* The steps of the feature of that name, or of the one that has bins of it. */
static List *
find_steps(const OsmlDatasetRow *dataset, List *definitions, const char *name)
{
	const char *reader = NULL;
	StringInfoData all;
	int			n = 0;
	ListCell   *cell;

	initStringInfo(&all);
	foreach(cell, definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (is_bin(definition) && strcmp(definition->feature, name) == 0)
			return osml_definitions_of(definitions, name);
		if (!reads_only(definitions, definition, name))
			continue;
		reader = definition->feature;
		appendStringInfo(&all, "%s\"%s\"", n > 0 ? ", " : "", reader);
		n++;
	}
	if (n == 0)
		no_bins(dataset, definitions, name);
	if (n > 1)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_PARAMETER),
				 errmsg("\"%s\" of dataset \"%s\" is cut into bins by %d features", name,
						dataset->name, n),
				 errhint("Name one of them: %s.", all.data)));
	return osml_definitions_of(definitions, reader);
}

/* Raise: a step takes or makes more than one number. */
pg_noreturn static void
not_one_value(const OsmlDatasetRow *dataset, const OsmlDefinition *definition)
{
	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("bins of feature \"%s\" of dataset \"%s\" are not of a single value",
					definition->feature, dataset->name),
			 errhint("osml_transform_row takes a whole row.")));
}

/* Run one step on one value: the next one's input, or a code. */
static void
run_step(const OsmlDatasetRow *dataset, const OsmlDefinition *definition, double *value,
		 int32 *code)
{
	OsmlArena	arena = osml_context_arena(CurrentMemoryContext);
	OsmlDefinition given = *definition;
	OsmlStep	step;
	double		result = 0;
	OsmlColumn	in = {.number = value};
	OsmlColumn	out = {.number = &result};

	if (given.fitted)
		given.params = given.fitted;
	osml_definition_step(dataset->name, &given, &step);
	step.n_in = 1;
	if (step.transform->input != OSML_VALUE_NUMBER || step.transform->min_inputs > 1 ||
		(step.transform->n_out && step.transform->n_out(&step) != 1))
		not_one_value(dataset, definition);
	if (step.transform->needs && step.transform->needs(&step) != 0)
		osml_not_fitted(dataset, definition->feature);
	if (step.transform->prepare && step.transform->prepare(&step, &arena) != OSML_OK)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	if (step.transform->makes_codes)
		out.code = code;
	step.transform->run(&step, 1, &in, &out);
	*value = result;
}

/*
 * osml_apply_bins(dataset, feature, value).  Steps before the bins are run on
 * the value; that of an expression is what the expression gives.  A NULL has a bin,
 * as in a row; only a NULL for a name gives NULL.
 */
Datum
osml_apply_bins(PG_FUNCTION_ARGS)
{
	double		value = PG_ARGISNULL(2) ? osml_missing() : PG_GETARG_FLOAT8(2);
	OsmlDatasetRow *dataset;
	char	   *name;
	List	   *definitions;
	int32		code = 0;
	ListCell   *cell;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		PG_RETURN_NULL();
	dataset = osml_need_dataset(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	name = text_to_cstring(PG_GETARG_TEXT_PP(1));
	definitions = osml_definitions_find(dataset->dataset_id);
	foreach(cell, find_steps(dataset, definitions, name))
	{
		const OsmlDefinition *definition = lfirst(cell);

		if (strcmp(definition->transform, OSML_SQL_TRANSFORM) != 0)
			run_step(dataset, definition, &value, &code);
		if (is_bin(definition))
			break;
	}
	PG_RETURN_INT32(code);
}
