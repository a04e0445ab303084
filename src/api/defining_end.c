/*
 * defining_end.c
 *	  Changed definitions are checked as a whole and stored.
 */
#include "postgres.h"

#include "utils/jsonb.h"

#include "api/attempt.h"
#include "api/defining.h"
#include "catalog/bin.h"
#include "catalog/definition.h"
#include "source/names.h"
#include "train/dataset.h"

/* Raise: a step that reads the step before it is the first. */
static void
check_first(const OsmlDefining *defining, const OsmlDefinition *definition)
{
	if (definition->step > 1 && definition->inputs == NIL &&
		strcmp(definition->transform, OSML_SQL_TRANSFORM) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("step 1 of feature \"%s\" of dataset \"%s\" is missing",
						definition->feature, defining->dataset->name),
				 errdetail("Step %d, %s, would read what the step before it makes.",
						   definition->step, definition->transform),
				 errhint("Insert step 1 too, or leave \"step\" out. To drop a feature as a whole, name no step.")));
}

/* Steps that were dropped leave no gaps. */
static void
renumber(OsmlDefining *defining)
{
	const char *last = NULL;
	int			step = 0;
	ListCell   *cell;

	foreach(cell, defining->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		step = last && strcmp(last, definition->feature) == 0 ? step + 1 : 1;
		if (step == 1)
			check_first(defining, definition);
		definition->step = step;
		last = definition->feature;
	}
}

/* Do two definitions share a grid? */
static bool
shares(const OsmlDefinition *a, const OsmlDefinition *b)
{
	return a != b && a->shared && b->shared && strcmp(a->shared, b->shared) == 0;
}

/* Does it follow from a changed feature that this definition's is changed? */
static bool
follows(const OsmlDefining *defining, const OsmlDefinition *definition)
{
	ListCell   *cell;

	foreach(cell, definition->inputs)
	{
		if (osml_names_hold(defining->changed, lfirst(cell)))
			return true;
	}
	foreach(cell, defining->definitions)
	{
		OsmlDefinition *other = lfirst(cell);

		if (shares(definition, other) && osml_names_hold(defining->changed, other->feature))
			return true;
	}
	return false;
}

/* What is made of a changed feature is changed. */
static void
spread_changes(OsmlDefining *defining)
{
	bool		more = true;

	while (more)
	{
		ListCell   *cell;

		more = false;
		foreach(cell, defining->definitions)
		{
			OsmlDefinition *definition = lfirst(cell);

			if (osml_names_hold(defining->changed, definition->feature) ||
				!follows(defining, definition))
				continue;
			defining->changed = lappend(defining->changed, definition->feature);
			more = true;
		}
	}
}

/* Raise: definitions that share a grid differ. */
static void
check_shared(const OsmlDefining *defining, const OsmlDefinition *definition)
{
	ListCell   *cell;

	foreach(cell, defining->definitions)
	{
		OsmlDefinition *other = lfirst(cell);

		if (shares(definition, other) &&
			(strcmp(definition->transform, other->transform) != 0 ||
			 compareJsonbContainers(&definition->params->root, &other->params->root) != 0))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("features \"%s\" and \"%s\" of dataset \"%s\" share \"%s\", but have different parameters",
							definition->feature, other->feature, defining->dataset->name,
							definition->shared),
					 errhint("Give both the same transform and params, or one of them another name to share.")));
	}
}

/* What a definition must be by itself. */
static void
check_definition(const OsmlDefining *defining, const OsmlDefinition *definition,
				 const char *label)
{
	if (definition->feature[0] == '\0')
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("name of a feature must not be empty")));
	if (strlen(definition->feature) > OSML_MAX_NAME)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_NAME),
				 errmsg("name of a feature must have at most %d bytes", OSML_MAX_NAME)));
	if (strcmp(definition->feature, label) == 0)
		ereport(ERROR,
				(errcode(ERRCODE_DUPLICATE_COLUMN),
				 errmsg("feature \"%s\" has the name of the label of dataset \"%s\"",
						definition->feature, defining->dataset->name),
				 errhint("Choose another name.")));
	if (!JB_ROOT_IS_OBJECT(definition->params))
		osml_definition_error(defining->dataset->name, definition->feature,
							  definition->transform, "parameters must be a JSON object");
	if (definition->step > 1 && definition->inputs != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("step %d of feature \"%s\" of dataset \"%s\" cannot have inputs",
						definition->step, definition->feature, defining->dataset->name),
				 errdetail("Only the first step has inputs; a later one reads the step before it.")));
	check_shared(defining, definition);
}

bool
osml_input_is_feature(const OsmlDefinition *definition, const OsmlSource *source,
					  const char *name)
{
	const OsmlTransform *transform = osml_transform_by_name(definition->transform);

	if (transform && transform->input == OSML_VALUE_CODE)
		return true;
	for (int i = 0; i < source->columns->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(source->columns, i)->attname), name) == 0)
			return false;
	}
	return true;
}

/*
 * Raise: something is made of a feature that was dropped.  The source tells columns
 * from features; where nothing has a dropped name it is not asked, so that features
 * of a source that is gone can be dropped too.
 */
static void
check_dropped(const OsmlDefining *defining)
{
	OsmlSource *source = NULL;
	ListCell   *cell;

	foreach(cell, defining->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);
		ListCell   *input;

		foreach(input, definition->inputs)
		{
			const char *name = lfirst(input);

			if (!osml_names_hold(defining->changed, name) ||
				osml_defining_find(defining, name, 0) != NULL)
				continue;
			if (source == NULL)
				source = osml_dataset_source(defining->dataset, NULL);
			if (osml_input_is_feature(definition, source, name))
				ereport(ERROR,
						(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
						 errmsg("feature \"%s\" of dataset \"%s\" is used by feature \"%s\"",
								name, defining->dataset->name, definition->feature),
						 errhint("Drop \"%s\" first.", definition->feature)));
		}
	}
}

OsmlFeatureSet *
osml_defined_features(const OsmlDatasetRow *dataset, List *definitions, OsmlSource **source)
{
	OsmlRoles	roles = {.label = dataset->label};

	*source = osml_dataset_source(dataset, NULL);
	return osml_source_features(*source, &roles,
								osml_dataset_features(dataset, definitions), definitions,
								dataset->name);
}

/* What has changed, or is made of it, and is still there. */
static List *
changed_features(const OsmlDefining *defining)
{
	List	   *features = NIL;
	ListCell   *cell;

	foreach(cell, defining->changed)
	{
		if (osml_defining_find(defining, lfirst(cell), 0) != NULL)
			features = lappend(features, lfirst(cell));
	}
	return features;
}

/*
 * Is one name the other with more behind an underscore or bracket?  Then the one may
 * make a column that is called as the other, as "x" with a flag makes "x_missing",
 * and an array "x[1]".
 */
static bool
may_meet(const char *a, const char *b)
{
	size_t		na = strlen(a);
	size_t		nb = strlen(b);
	char		next = na < nb ? b[na] : a[nb];

	return strncmp(a, b, Min(na, nb)) == 0 && (next == '_' || next == '[');
}

/* Add a feature whose columns may be called as those of one that is checked. */
static List *
add_namesake(List *namesakes, List *features, const char *name)
{
	ListCell   *cell;

	if (osml_names_hold(features, name) || osml_names_hold(namesakes, name))
		return namesakes;
	foreach(cell, features)
	{
		if (may_meet(lfirst(cell), name))
			return lappend(namesakes, pstrdup(name));
	}
	return namesakes;
}

/* All such features. */
static List *
find_namesakes(const OsmlDefining *defining, List *features, const OsmlSource *source,
			   const char *label)
{
	List	   *chosen = osml_dataset_features(defining->dataset, defining->definitions);
	List	   *namesakes = NIL;
	ListCell   *cell;

	foreach(cell, defining->definitions)
		namesakes = add_namesake(namesakes, features, ((OsmlDefinition *) lfirst(cell))->feature);
	for (int i = 0; i < source->columns->natts; i++)
	{
		const char *name = NameStr(TupleDescAttr(source->columns, i)->attname);

		if (strcmp(name, label) != 0 && (chosen == NIL || osml_names_hold(chosen, name)))
			namesakes = add_namesake(namesakes, features, name);
	}
	return namesakes;
}

/* The set that features make. */
static OsmlFeatureSet *
resolve(const OsmlDefining *defining, OsmlSource *source, List *features)
{
	OsmlRoles	roles = {.label = defining->dataset->label};

	return osml_source_features(source, &roles, features, defining->definitions,
								defining->dataset->name);
}

/* what is attempted: to resolve features */
typedef struct Resolving
{
	const OsmlDefining *defining;
	OsmlSource *source;
	List	   *features;
} Resolving;

static void
attempt_to_resolve(void *arg)
{
	const Resolving *resolving = arg;

	(void) resolve(resolving->defining, resolving->source, resolving->features);
}

/*
 * Raise where columns of the features are called as those of others.  All those are
 * tried at once, and one by one if one of them is broken, which is no concern of
 * whoever defines another feature.
 */
static void
check_namesakes(const OsmlDefining *defining, OsmlSource *source, List *features,
				const char *label)
{
	List	   *namesakes = find_namesakes(defining, features, source, label);
	Resolving	resolving = {defining, source, list_concat_copy(features, namesakes)};
	ErrorData  *error;
	ListCell   *cell;

	if (namesakes == NIL)
		return;
	error = osml_attempt(attempt_to_resolve, &resolving);
	if (error && osml_is_interruption(error))
		ReThrowError(error);
	if (error == NULL)
		return;
	foreach(cell, namesakes)
	{
		resolving.features = lappend(list_copy(features), lfirst(cell));
		error = osml_attempt(attempt_to_resolve, &resolving);
		if (error && (osml_is_interruption(error) ||
					  error->sqlerrcode == ERRCODE_DUPLICATE_COLUMN))
			ReThrowError(error);
	}
}

/* Raise: parameters that can be learned, but make no sense when they are given. */
static void
check_given(const OsmlFeatureSet *set, const char *dataset)
{
	ListCell   *cell;

	foreach(cell, set->definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);
		const OsmlStep *step;
		char		message[256];

		if (definition->program_step < 0)
			continue;
		step = &set->program->steps[definition->program_step].step;
		if (step->transform->check_given && !step->transform->check_given(step, message))
			osml_definition_error(dataset, definition->feature, definition->transform,
								  message);
	}
}

/*
 * What has changed, as a run would resolve it; NULL when only features were
 * dropped.  Others may be broken, say by a column that was renamed, and are
 * mended or dropped one by one.
 */
static OsmlFeatureSet *
check(const OsmlDefining *defining)
{
	const OsmlDatasetRow *dataset = defining->dataset;
	List	   *features = changed_features(defining);
	OsmlSource *source;
	const char *label;
	OsmlFeatureSet *set;
	ListCell   *cell;

	check_dropped(defining);
	if (features == NIL)
		return NULL;
	source = osml_dataset_source(dataset, NULL);
	label = dataset->label ? dataset->label :
		NameStr(TupleDescAttr(source->columns, 0)->attname);
	foreach(cell, defining->definitions)
		check_definition(defining, lfirst(cell), label);
	set = resolve(defining, source, features);
	check_namesakes(defining, source, features, label);
	check_given(set, dataset->name);
	(void) osml_feature_set_prepare(set, dataset->name);
	return set;
}

/* The bins of a changed feature, where its edges are known without any row. */
static void
store_bins(const OsmlDefining *defining, const OsmlFeatureSet *set, const char *feature)
{
	OsmlBinRow *rows = NULL;
	int			n = 0;

	for (int i = 0; set != NULL && i < set->n_features; i++)
	{
		const OsmlFeature *found = &set->features[i];
		int			n_edges;

		if (found->code >= 0 && strcmp(found->name, feature) == 0 &&
			osml_bin_edges(&set->program->steps[found->step].step, &n_edges))
			rows = osml_bins_of_code(set->program, found->code, NULL, OSML_MAX_BIN_ROWS, &n);
	}
	osml_bins_replace(defining->dataset->dataset_id, 0, feature, rows, n);
}

void
osml_defining_end(OsmlDefining *defining)
{
	OsmlFeatureSet *set;
	ListCell   *cell;

	if (defining->changed == NIL)
		return;
	renumber(defining);
	spread_changes(defining);
	set = check(defining);
	foreach(cell, defining->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (osml_names_hold(defining->changed, definition->feature))
			definition->fitted = NULL;
	}
	osml_definitions_replace(defining->dataset->dataset_id, defining->definitions);
	foreach(cell, defining->changed)
		store_bins(defining, set, lfirst(cell));
}
