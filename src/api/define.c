/*
 * define.c
 *	  Features of a dataset: osml_cross(), osml_transform(), osml_drop_feature(),
 *	  osml_copy_features().
 *
 * Next: define_bin.c (osml_bin), define_view.c (the same through osml.definitions).
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "api/defining.h"
#include "api/need.h"
#include "catalog/definition.h"
#include "source/names.h"
#include "train/dataset.h"

PG_FUNCTION_INFO_V1(osml_cross);
PG_FUNCTION_INFO_V1(osml_transform);
PG_FUNCTION_INFO_V1(osml_drop_feature);
PG_FUNCTION_INFO_V1(osml_copy_features);

/* osml_cross(dataset, name, features, buckets) */
Datum
osml_cross(PG_FUNCTION_ARGS)
{
	OsmlDefining *defining = osml_defining_begin(osml_need_text(fcinfo, 0, "dataset"),
												 "osml_cross()");
	char	   *name = osml_need_text(fcinfo, 1, "name");
	List	   *features = osml_maybe_texts(fcinfo, 2, "features");
	Jsonb	   *params = osml_jsonb(PG_ARGISNULL(3) ? "{}" :
									psprintf("{\"buckets\": %d}", PG_GETARG_INT32(3)));
	OsmlDefinition *definition = osml_defining_own(defining, name, "cross");

	if (definition)
	{
		osml_defining_set(defining, definition, "cross", params);
		osml_defining_set_inputs(defining, definition, features);
	}
	else
		osml_defining_add(defining, osml_new_definition(name, "cross", features, params));
	osml_defining_end(defining);
	PG_RETURN_VOID();
}

/* Raise: inputs that are no names. */
pg_noreturn static void
wrong_inputs(const char *whose, const char *key)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s: \"%s\" must be the name of a column or feature, or an array of names",
					whose, key)));
}

/* The names that "input" or "inputs" gives: a string, or an array of them. */
static List *
names_of(const char *whose, const char *key, const JsonbValue *value)
{
	JsonbContainer *array = value->val.binary.data;
	List	   *names = NIL;

	if (value->type == jbvString)
		return list_make1(pnstrdup(value->val.string.val, value->val.string.len));
	if (value->type != jbvBinary || !JsonContainerIsArray(array) ||
		JsonContainerSize(array) == 0)
		wrong_inputs(whose, key);
	for (int i = 0; i < (int) JsonContainerSize(array); i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		if (element->type != jbvString)
			wrong_inputs(whose, key);
		names = lappend(names, pnstrdup(element->val.string.val, element->val.string.len));
	}
	return names;
}

/* Take "input" and "inputs" out of the params; whose, for messages. */
static List *
take_inputs(const char *whose, Jsonb **params)
{
	static const char *const keys[] = {"input", "inputs"};
	List	   *names = NIL;

	if (!JB_ROOT_IS_OBJECT(*params))
		return NIL;				/* the check says what is wrong */
	for (int i = 0; i < (int) lengthof(keys); i++)
	{
		JsonbValue *value = getKeyJsonValueFromContainer(&(*params)->root, keys[i],
														 strlen(keys[i]), NULL);

		if (value == NULL)
			continue;
		if (names != NIL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("%s: \"input\" and \"inputs\" are both given", whose),
					 errhint("Leave one of them out.")));
		names = names_of(whose, keys[i], value);
		*params = DatumGetJsonbP(DirectFunctionCall2(jsonb_delete, JsonbPGetDatum(*params),
													 CStringGetTextDatum(keys[i])));
	}
	return names;
}

/* The step of a feature that is this transform, or NULL. */
static OsmlDefinition *
find_transform(const OsmlDefining *defining, const char *feature, const char *transform)
{
	ListCell   *cell;

	foreach(cell, defining->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (strcmp(definition->feature, feature) == 0 &&
			strcmp(definition->transform, transform) == 0)
			return definition;
	}
	return NULL;
}

/* Say that a step there was is changed, where its parameters are other ones: somebody
 * may have meant another step. */
static void
note_change(const OsmlDefining *defining, const OsmlDefinition *definition, Jsonb *params)
{
	if (compareJsonbContainers(&definition->params->root, &params->root) == 0)
		return;
	ereport(NOTICE,
			(errmsg("changed step %d, %s, of feature \"%s\" of dataset \"%s\"",
					definition->step, definition->transform, definition->feature,
					defining->dataset->name),
			 errhint("A second step of the same transform can be added to osml.definitions.")));
}

/* osml_transform(dataset, feature, transform, params) */
Datum
osml_transform(PG_FUNCTION_ARGS)
{
	OsmlDefining *defining = osml_defining_begin(osml_need_text(fcinfo, 0, "dataset"),
												 "osml_transform()");
	char	   *feature = osml_need_text(fcinfo, 1, "feature");
	char	   *transform = osml_need_text(fcinfo, 2, "transform");
	Jsonb	   *params = PG_ARGISNULL(3) ? osml_jsonb("{}") : PG_GETARG_JSONB_P_COPY(3);
	char	   *whose = psprintf("%s of %s", transform,
								 osml_feature_words(defining->dataset->name, feature));
	List	   *inputs = take_inputs(whose, &params);
	OsmlDefinition *definition = find_transform(defining, feature, transform);

	if (definition)
	{
		note_change(defining, definition, params);
		osml_defining_set(defining, definition, transform, params);
		if (inputs)
			osml_defining_set_inputs(defining, definition, inputs);
	}
	else
	{
		if (inputs == NIL && osml_defining_find(defining, feature, 0) == NULL &&
			strcmp(transform, OSML_SQL_TRANSFORM) != 0)
			inputs = list_make1(feature);
		osml_defining_add(defining, osml_new_definition(feature, transform, inputs, params));
	}
	osml_defining_end(defining);
	PG_RETURN_VOID();
}

/* osml_drop_feature(dataset, feature, step) */
Datum
osml_drop_feature(PG_FUNCTION_ARGS)
{
	OsmlDefining *defining = osml_defining_begin(osml_need_text(fcinfo, 0, "dataset"),
												 "osml_drop_feature()");
	char	   *feature = osml_need_text(fcinfo, 1, "feature");
	List	   *steps = osml_definitions_of(defining->definitions, feature);
	ListCell   *cell;

	osml_defining_need(defining, feature);
	if (!PG_ARGISNULL(2))
	{
		OsmlDefinition *step = PG_GETARG_INT32(2) < 1 ? NULL :
			osml_defining_find(defining, feature, PG_GETARG_INT32(2));

		if (step == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_UNDEFINED_OBJECT),
					 errmsg("feature \"%s\" of dataset \"%s\" has no step %d", feature,
							defining->dataset->name, PG_GETARG_INT32(2)),
					 errhint("osml.definitions lists the steps.")));
		steps = list_make1(step);
	}
	foreach(cell, steps)
		osml_defining_drop(defining, lfirst(cell));
	osml_defining_end(defining);
	PG_RETURN_VOID();
}

/* The features named, and those that they are made of. */
static List *
with_inputs(const OsmlDefining *from, List *features)
{
	OsmlSource *source = osml_dataset_source(from->dataset, NULL);
	ListCell   *cell;

	/* the list grows while it is walked */
	foreach(cell, features)
	{
		OsmlDefinition *first = osml_defining_find(from, lfirst(cell), 0);
		ListCell   *input;

		if (first == NULL)
			continue;			/* a column */
		foreach(input, first->inputs)
		{
			if (osml_input_is_feature(first, source, lfirst(input)) &&
				!osml_names_hold(features, lfirst(input)))
				features = lappend(features, lfirst(input));
		}
	}
	return features;
}

/* All steps of a feature in place of those that there are. */
static void
copy_feature(OsmlDefining *to, List *steps, const char *feature)
{
	ListCell   *cell;

	foreach(cell, osml_definitions_of(to->definitions, feature))
		osml_defining_drop(to, lfirst(cell));
	foreach(cell, steps)
	{
		OsmlDefinition *copy = palloc(sizeof(OsmlDefinition));

		*copy = *(OsmlDefinition *) lfirst(cell);
		osml_defining_add(to, copy);
	}
}

/* osml_copy_features(from_dataset, to_dataset, features) */
Datum
osml_copy_features(PG_FUNCTION_ARGS)
{
	OsmlDefining from = {0};
	OsmlDefining *to;
	List	   *features = osml_maybe_texts(fcinfo, 2, "features");
	ListCell   *cell;

	from.dataset = osml_need_dataset(osml_need_text(fcinfo, 0, "from_dataset"));
	from.definitions = osml_definitions_find(from.dataset->dataset_id);
	to = osml_defining_begin(osml_need_text(fcinfo, 1, "to_dataset"), "osml_copy_features()");
	if (to->dataset->dataset_id == from.dataset->dataset_id)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("features of dataset \"%s\" cannot be copied to itself",
						to->dataset->name)));
	foreach(cell, features)
		osml_defining_need(&from, lfirst(cell));
	if (!PG_ARGISNULL(2))
		features = with_inputs(&from, features);
	/* in the order of the dataset that they come from */
	foreach(cell, from.definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->step == 1 &&
			(PG_ARGISNULL(2) || osml_names_hold(features, definition->feature)))
			copy_feature(to, osml_definitions_of(from.definitions, definition->feature),
						 definition->feature);
	}
	osml_defining_end(to);
	PG_RETURN_VOID();
}
