/*
 * defining.c
 *	  Definitions in memory, while they are changed: see defining.h.
 *
 * Next: defining_end.c (checking and storing them), define.c (functions).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "api/defining.h"
#include "api/need.h"
#include "catalog/definition.h"
#include "source/names.h"

OsmlDefining *
osml_defining_begin(const char *dataset, const char *command)
{
	OsmlDefining *defining = palloc0(sizeof(OsmlDefining));

	osml_prevent_write(command);
	defining->dataset = osml_need_dataset(dataset);
	defining->definitions = osml_definitions_lock(defining->dataset->dataset_id);
	return defining;
}

OsmlDefinition *
osml_defining_find(const OsmlDefining *defining, const char *feature, int step)
{
	ListCell   *cell;

	foreach(cell, defining->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (strcmp(definition->feature, feature) == 0 &&
			(step == 0 || definition->step == step))
			return definition;
	}
	return NULL;
}

List *
osml_definitions_of(List *definitions, const char *feature)
{
	List	   *found = NIL;
	ListCell   *cell;

	foreach(cell, definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (strcmp(definition->feature, feature) == 0)
			found = lappend(found, definition);
	}
	return found;
}

void
osml_defining_need(const OsmlDefining *defining, const char *feature)
{
	List	   *names = NIL;
	const char *nearest;
	ListCell   *cell;

	if (osml_defining_find(defining, feature, 0))
		return;
	foreach(cell, defining->definitions)
		names = lappend(names, ((OsmlDefinition *) lfirst(cell))->feature);
	nearest = osml_nearest_of(feature, names);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("feature \"%s\" of dataset \"%s\" has no definition", feature,
					defining->dataset->name),
			 nearest ? errhint("Perhaps you meant the feature \"%s\".", nearest) :
			 errhint("osml.definitions lists the definitions.")));
}

static void
note_change(OsmlDefining *defining, const char *feature)
{
	if (!osml_names_hold(defining->changed, feature))
		defining->changed = lappend(defining->changed, pstrdup(feature));
}

/* What is learned for a step, and for all that share its grid, is void. */
static void
note_shared_change(OsmlDefining *defining, const OsmlDefinition *definition)
{
	ListCell   *cell;

	note_change(defining, definition->feature);
	foreach(cell, defining->definitions)
	{
		OsmlDefinition *other = lfirst(cell);

		if (definition->shared && other->shared && other != definition &&
			strcmp(other->shared, definition->shared) == 0)
			note_change(defining, other->feature);
	}
}

/* Behind the steps of its feature that come before it; a new feature is last. */
OsmlDefinition *
osml_defining_own(const OsmlDefining *defining, const char *name, const char *transform)
{
	OsmlDefinition *definition = osml_defining_find(defining, name, 0);

	if (definition && strcmp(definition->transform, transform) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_OBJECT),
				 errmsg("feature \"%s\" of dataset \"%s\" already exists", name,
						defining->dataset->name),
				 errdetail("Its first step is %s.", definition->transform),
				 errhint("Give another \"name\", or drop it with osml_drop_feature.")));
	return definition;
}

OsmlDefinition *
osml_new_definition(const char *feature, const char *transform, List *inputs,
					Jsonb *params)
{
	OsmlDefinition *definition = palloc0(sizeof(OsmlDefinition));

	definition->feature = pstrdup(feature);
	definition->transform = pstrdup(transform);
	definition->inputs = inputs;
	definition->params = params;
	return definition;
}

void
osml_defining_add(OsmlDefining *defining, OsmlDefinition *definition)
{
	int			position = 0;
	bool		found = false;
	ListCell   *cell;

	foreach(cell, defining->definitions)
	{
		OsmlDefinition *other = lfirst(cell);

		if (strcmp(other->feature, definition->feature) != 0)
			continue;
		if (definition->step == other->step)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_OBJECT),
					 errmsg("step %d of feature \"%s\" of dataset \"%s\" already exists",
							other->step, other->feature, defining->dataset->name),
					 errhint("Update it in osml.definitions, or drop it with osml_drop_feature.")));
		if (!found || definition->step == 0 || other->step < definition->step)
			position = foreach_current_index(cell) +
				(definition->step == 0 || other->step < definition->step);
		found = true;
	}
	if (definition->step == 0)
		definition->step = 1 + (found ?
								((OsmlDefinition *) list_nth(defining->definitions,
															 position - 1))->step : 0);
	if (!found)
		position = list_length(defining->definitions);
	defining->definitions = list_insert_nth(defining->definitions, position, definition);
	note_shared_change(defining, definition);
}

void
osml_defining_set(OsmlDefining *defining, OsmlDefinition *definition,
				  const char *transform, Jsonb *params)
{
	ListCell   *cell;

	note_shared_change(defining, definition);
	foreach(cell, defining->definitions)
	{
		OsmlDefinition *other = lfirst(cell);

		if (other != definition &&
			(definition->shared == NULL || other->shared == NULL ||
			 strcmp(other->shared, definition->shared) != 0))
			continue;
		other->transform = pstrdup(transform);
		other->params = params;
	}
}

void
osml_defining_set_inputs(OsmlDefining *defining, OsmlDefinition *definition, List *inputs)
{
	definition->inputs = inputs;
	note_shared_change(defining, definition);
}

void
osml_defining_set_shared(OsmlDefining *defining, OsmlDefinition *definition,
						 const char *shared)
{
	note_shared_change(defining, definition);
	definition->shared = shared ? pstrdup(shared) : NULL;
	note_shared_change(defining, definition);
}

void
osml_defining_drop(OsmlDefining *defining, OsmlDefinition *definition)
{
	note_shared_change(defining, definition);
	defining->definitions = list_delete_ptr(defining->definitions, definition);
	if (definition->inputs)
	{
		OsmlDefinition *next = osml_defining_find(defining, definition->feature, 0);

		if (next && next->inputs == NIL)
			next->inputs = definition->inputs;
	}
}

Jsonb *
osml_jsonb(const char *text)
{
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
}
