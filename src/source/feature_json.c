/*
 * feature_json.c
 *	  A feature set as JSON: in a plan on its way to workers, in a model version.
 *
 *	{"columns":     [{"name": "fare", "type": "pg_catalog.numeric"}, ...],
 *	 "inputs":      [{"name": "fare", "kind": "number", "column": 0}, ...],
 *	 "features":    [{"name": "fare", "type": "numeric"}, ...],
 *	 "definitions": [...]}
 *
 * Types of features are names for people.  Types of columns, with their schemas,
 * are those that expressions are written over; those at hand come with the
 * source or the row that is read.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "compat.h"
#include "source/definition.h"
#include "source/feature.h"

static const char *const kind_names[] = {
	[OSML_INPUT_NUMBER] = "number",
	[OSML_INPUT_TIME] = "time",
	[OSML_INPUT_ARRAY] = "array",
	[OSML_INPUT_KEY] = "key",
};

static void
put_text(StringInfo out, const char *key, const char *value)
{
	appendStringInfo(out, "\"%s\": ", key);
	escape_json(out, value);
}

static void
put_columns(StringInfo out, const OsmlFeatureSet *set)
{
	appendStringInfoString(out, "\"columns\": [");
	for (int i = 0; i < set->n_columns; i++)
	{
		appendStringInfoString(out, i ? ", {" : "{");
		put_text(out, "name", set->columns[i].name);
		if (set->columns[i].written)
		{
			appendStringInfoString(out, ", ");
			put_text(out, "type", set->columns[i].written);
		}
		appendStringInfoChar(out, '}');
	}
	appendStringInfoString(out, "]");
}

static void
put_inputs(StringInfo out, const OsmlFeatureSet *set)
{
	appendStringInfoString(out, ", \"inputs\": [");
	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *input = &set->inputs[i];

		appendStringInfoString(out, i ? ", {" : "{");
		put_text(out, "name", input->name);
		appendStringInfo(out, ", \"kind\": \"%s\", \"column\": %d, \"n_elements\": %d",
						 kind_names[input->kind], input->column, input->n_elements);
		if (input->expression)
		{
			appendStringInfoString(out, ", ");
			put_text(out, "expression", input->expression);
		}
		appendStringInfoChar(out, '}');
	}
	appendStringInfoString(out, "]");
}

static void
put_features(StringInfo out, const OsmlFeatureSet *set)
{
	appendStringInfoString(out, ", \"features\": [");
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];

		appendStringInfoString(out, i ? ", {" : "{");
		put_text(out, "name", feature->name);
		appendStringInfoString(out, ", ");
		put_text(out, "type", feature->type);
		appendStringInfo(out, ", \"n_elements\": %d}", feature->n_elements);
	}
	appendStringInfoString(out, "]");
}

Jsonb *
osml_feature_set_to_jsonb(const OsmlFeatureSet *set)
{
	StringInfoData out;
	Jsonb	   *definitions = osml_definitions_to_jsonb(set->definitions);

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	put_columns(&out, set);
	put_inputs(&out, set);
	put_features(&out, set);
	appendStringInfo(&out, ", \"definitions\": %s}",
					 JsonbToCString(NULL, &definitions->root, VARSIZE(definitions)));
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

/* Raise: stored JSON that is not ours. */
pg_noreturn static void
malformed(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("stored features cannot be read"),
			 errdetail("There is no usable \"%s\".", what)));
}

static JsonbValue *
get(JsonbContainer *object, const char *key)
{
	return getKeyJsonValueFromContainer(object, key, (int) strlen(key), NULL);
}

/* A member that is an array. */
static JsonbValue *
get_array_value(Jsonb *json, const char *key)
{
	JsonbValue *value = JB_ROOT_IS_OBJECT(json) ? get(&json->root, key) : NULL;

	if (value == NULL || value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data))
		malformed(key);
	return value;
}

static JsonbContainer *
get_array(Jsonb *json, const char *key)
{
	return get_array_value(json, key)->val.binary.data;
}

/* An element of an array, which is an object. */
static JsonbContainer *
get_object(JsonbContainer *array, int i, const char *what)
{
	JsonbValue *value = getIthJsonbValueFromContainer(array, i);

	if (value == NULL || value->type != jbvBinary ||
		!JsonContainerIsObject(value->val.binary.data))
		malformed(what);
	return value->val.binary.data;
}

/* A text member; NULL where there is none and optional says so. */
static char *
get_text(JsonbContainer *object, const char *key, bool optional)
{
	JsonbValue *value = get(object, key);

	if (value == NULL && optional)
		return NULL;
	if (value == NULL || value->type != jbvString)
		malformed(key);
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static int
get_int(JsonbContainer *object, const char *key, int low, int high)
{
	JsonbValue *value = get(object, key);
	int			number;

	if (value == NULL || value->type != jbvNumeric)
		malformed(key);
	number = DatumGetInt32(DirectFunctionCall1(numeric_int4,
											   NumericGetDatum(value->val.numeric)));
	if (number < low || number > high)
		malformed(key);
	return number;
}

static OsmlInputKind
get_kind(JsonbContainer *object)
{
	char	   *name = get_text(object, "kind", false);

	for (int k = 0; k < (int) lengthof(kind_names); k++)
	{
		if (strcmp(kind_names[k], name) == 0)
			return k;
	}
	malformed("kind");
}

static void
read_columns(OsmlFeatureSet *set, JsonbContainer *array)
{
	set->n_columns = JsonContainerSize(array);
	set->columns = palloc0(sizeof(OsmlSourceColumn) * Max(1, set->n_columns));
	for (int i = 0; i < set->n_columns; i++)
	{
		JsonbContainer *object = get_object(array, i, "columns");

		set->columns[i].name = get_text(object, "name", false);
		set->columns[i].written = get_text(object, "type", true);
	}
}

/* Inputs find their places in a reader's block in their order. */
static void
read_inputs(OsmlFeatureSet *set, JsonbContainer *array)
{
	int			n_dense = 0;

	set->n_inputs = JsonContainerSize(array);
	set->inputs = palloc0(sizeof(OsmlInput) * Max(1, set->n_inputs));
	for (int i = 0; i < set->n_inputs; i++)
	{
		JsonbContainer *object = get_object(array, i, "inputs");
		OsmlInput  *input = &set->inputs[i];

		input->name = get_text(object, "name", false);
		input->kind = get_kind(object);
		input->column = get_int(object, "column", -1, set->n_columns - 1);
		input->n_elements = get_int(object, "n_elements", 0, OSML_MAX_DENSE);
		input->expression = get_text(object, "expression", true);
		if ((input->column < 0) != (input->expression != NULL) ||
			(input->kind == OSML_INPUT_ARRAY) != (input->n_elements > 0))
			malformed("inputs");
		if (input->kind != OSML_INPUT_KEY && (n_dense += Max(1, input->n_elements)) > OSML_MAX_DENSE)
			malformed("inputs");
	}
	osml_place_inputs(set);
}

static void
read_features(OsmlFeatureSet *set, JsonbContainer *array)
{
	set->n_features = JsonContainerSize(array);
	set->features = palloc0(sizeof(OsmlFeature) * Max(1, set->n_features));
	for (int i = 0; i < set->n_features; i++)
	{
		JsonbContainer *object = get_object(array, i, "features");

		set->features[i].name = get_text(object, "name", false);
		set->features[i].type = get_text(object, "type", false);
		set->features[i].n_elements = get_int(object, "n_elements", 0, OSML_MAX_DENSE);
	}
}

OsmlFeatureSet *
osml_feature_set_from_jsonb(Jsonb *json)
{
	OsmlFeatureSet *set = palloc0(sizeof(OsmlFeatureSet));

	read_columns(set, get_array(json, "columns"));
	read_inputs(set, get_array(json, "inputs"));
	read_features(set, get_array(json, "features"));
	set->definitions =
		osml_definitions_from_jsonb(JsonbValueToJsonb(get_array_value(json, "definitions")));
	return set;
}

void
osml_place_inputs(OsmlFeatureSet *set)
{
	set->layout.n_dense = set->layout.n_keys = 0;
	for (int i = 0; i < set->n_inputs; i++)
	{
		OsmlInput  *input = &set->inputs[i];
		int		   *next = input->kind == OSML_INPUT_KEY ? &set->layout.n_keys :
			&set->layout.n_dense;

		input->first = *next;
		*next += Max(1, input->n_elements);
	}
}
