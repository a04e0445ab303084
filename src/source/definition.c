/*
 * definition.c
 *	  Definitions as JSON: params that are checked by their transform's own list,
 *	  and whole lists as a model version keeps them.
 */
#include "postgres.h"

#include <ctype.h>
#include <float.h>
#include <math.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/memutils.h"

#include "compat.h"
#include "rules/name/nearest.h"
#include "source/definition.h"
#include "source/feature.h"

/* most bytes of a wrong value that a message shows */
#define SHOWN_BYTES 60

/* for messages about one param */
typedef struct Place
{
	const char *dataset;
	const OsmlDefinition *definition;
	const OsmlParamDef *def;
} Place;

/* Raise: a param's value is not what it must be. */
pg_noreturn static void pg_attribute_printf(2, 3)
wrong_value(const Place *place, const char *format,...)
{
	char		text[256];
	va_list		args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	osml_definition_error(place->dataset, place->definition->feature,
						  place->definition->transform, text);
}

/* Raise: no such transform. */
pg_noreturn static void
unknown_transform(const char *dataset, const OsmlDefinition *definition)
{
	OsmlNearest nearest;
	const char *best;

	osml_nearest_begin(&nearest, definition->transform);
	osml_nearest_offer(&nearest, OSML_SQL_TRANSFORM);
	for (int i = 0; osml_transforms[i]; i++)
		osml_nearest_offer(&nearest, osml_transforms[i]->name);
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("transform \"%s\" of %s does not exist", definition->transform,
					osml_feature_words(dataset, definition->feature)),
			 best ? errhint("Perhaps you meant \"%s\".", best) :
			 errhint("osml_transforms() lists them.")));
}

/* Raise: no such param. */
pg_noreturn static void
unknown_param(const char *dataset, const OsmlDefinition *definition,
			  const OsmlTransform *transform, const char *name)
{
	OsmlNearest nearest;
	const char *best;

	osml_nearest_begin(&nearest, name);
	for (int i = 0; i < transform->n_params; i++)
		osml_nearest_offer(&nearest, transform->params[i].name);
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_PARAMETER),
			 errmsg("%s of %s has no parameter \"%s\"", transform->name,
					osml_feature_words(dataset, definition->feature), name),
			 best ? errhint("Perhaps you meant \"%s\".", best) :
			 errhint("osml_transforms() lists the parameters of each transform.")));
}

/* Raise: a text is not what it must be; what of it can be shown. */
pg_noreturn static void
wrong_text(const Place *place, const char *wanted, const char *text)
{
	int			length = (int) strlen(text);
	int			shown = pg_mbcliplen(text, length, SHOWN_BYTES);

	wrong_value(place, "\"%s\" must be %s, not \"%.*s%s\"", place->def->name, wanted,
				shown, text, shown < length ? "..." : "");
}

/* Raise: a number is out of range. */
pg_noreturn static void
wrong_range(const Place *place, double number)
{
	const OsmlParamDef *def = place->def;

	if (def->high == DBL_MAX)
		wrong_value(place, "\"%s\" must be at least %.15g, not %.15g", def->name,
					def->low, number);
	wrong_value(place, "\"%s\" must be between %.15g and %.15g, not %.15g", def->name,
				def->low, def->high, number);
}

/* A number, which may come as a string. */
static double
take_number(const Place *place, const JsonbValue *value)
{
	const OsmlParamDef *def = place->def;
	bool		whole = def->type == OSML_PARAM_INTEGER;
	double		number;

	if (value->type == jbvNumeric)
		number = DatumGetFloat8(DirectFunctionCall1(numeric_float8_no_overflow,
													NumericGetDatum(value->val.numeric)));
	else if (value->type == jbvString)
	{
		char	   *text = pnstrdup(value->val.string.val, value->val.string.len);
		char	   *end;

		errno = 0;
		number = strtod(text, &end);
		while (isspace((unsigned char) *end))
			end++;
		if (end == text || *end != '\0')
			wrong_text(place, "a number", text);
	}
	else
		wrong_value(place, "\"%s\" must be a number", def->name);
	if (!isfinite(number) || (whole && number != floor(number)))
		wrong_value(place, "\"%s\" must be a%s number", def->name,
					whole ? " whole" : " finite");
	if (number < def->low || number > def->high)
		wrong_range(place, number);
	return number;
}

static double
take_bool(const Place *place, const JsonbValue *value)
{
	bool		result;

	if (value->type == jbvBool)
		return value->val.boolean;
	if (value->type == jbvString &&
		parse_bool_with_len(value->val.string.val, value->val.string.len, &result))
		return result;
	wrong_value(place, "\"%s\" must be true or false", place->def->name);
}

/* One of a list of words; its number. */
static double
take_choice(const Place *place, const JsonbValue *value)
{
	const char *const *choices = place->def->choices;
	StringInfoData list;
	char	   *text;

	if (value->type != jbvString)
		wrong_value(place, "\"%s\" must be a word", place->def->name);
	text = pnstrdup(value->val.string.val, value->val.string.len);
	initStringInfo(&list);
	for (int i = 0; choices[i]; i++)
	{
		if (pg_strcasecmp(choices[i], text) == 0)
			return i;
		appendStringInfo(&list, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ",
						 choices[i]);
	}
	wrong_text(place, list.data, text);
}

/* The array that a value is, or that its text is. */
static JsonbContainer *
need_array(const Place *place, const JsonbValue *value)
{
	JsonbContainer *array = value->type == jbvBinary ? value->val.binary.data : NULL;

	if (value->type == jbvString)
	{
		char	   *text = pnstrdup(value->val.string.val, value->val.string.len);

		if (text[strspn(text, " \t\n\r")] == '[')
			array = &DatumGetJsonbP(DirectFunctionCall1(jsonb_in,
														CStringGetDatum(text)))->root;
	}
	if (array == NULL || !JsonContainerIsArray(array))
		wrong_value(place, "\"%s\" must be an array", place->def->name);
	return array;
}

static int
compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Two equal texts would be two codes, one of which no row ever has. */
static void
refuse_duplicates(const Place *place, const OsmlParam *param)
{
	char	  **sorted = palloc(sizeof(char *) * Max(1, param->n));

	memcpy(sorted, param->texts, sizeof(char *) * param->n);
	qsort(sorted, param->n, sizeof(char *), compare_texts);
	for (int i = 1; i < param->n; i++)
	{
		int			length = (int) strlen(sorted[i]);
		int			shown = pg_mbcliplen(sorted[i], length, SHOWN_BYTES);

		if (strcmp(sorted[i - 1], sorted[i]) == 0)
			wrong_value(place, "\"%s\" must not hold \"%.*s%s\" more than once",
						place->def->name, shown, sorted[i], shown < length ? "..." : "");
	}
	pfree(sorted);
}

/* The elements of a JSON array into numbers or texts. */
static void
take_array(const Place *place, const JsonbValue *value, OsmlParam *param)
{
	JsonbContainer *array = need_array(place, value);
	bool		texts = place->def->type == OSML_PARAM_TEXTS;

	param->n = JsonContainerSize(array);
	param->numbers = texts ? NULL : palloc(sizeof(double) * Max(1, param->n));
	param->texts = texts ? palloc(sizeof(char *) * Max(1, param->n)) : NULL;
	for (int i = 0; i < param->n; i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		if (!texts)
			param->numbers[i] = take_number(place, element);
		else if (element->type == jbvString)
			param->texts[i] = pnstrdup(element->val.string.val, element->val.string.len);
		else
			wrong_value(place, "\"%s\" must be an array of strings", place->def->name);
	}
	if (texts)
		refuse_duplicates(place, param);
}

static void
take_param(const Place *place, const JsonbValue *value, OsmlParam *param)
{
	/* null takes a default back, and what was learned */
	if (value->type == jbvNull)
		return;
	param->given = true;
	switch (place->def->type)
	{
		case OSML_PARAM_NUMBER:
		case OSML_PARAM_INTEGER:
			param->number = take_number(place, value);
			break;
		case OSML_PARAM_BOOL:
			param->number = take_bool(place, value);
			break;
		case OSML_PARAM_CHOICE:
			param->number = take_choice(place, value);
			break;
		case OSML_PARAM_NUMBERS:
		case OSML_PARAM_TEXTS:
			take_array(place, value, param);
			break;
	}
}

/* Walk the members of a params object. */
static void
take_params(const char *dataset, const OsmlDefinition *definition, OsmlStep *step)
{
	JsonbIterator *it = JsonbIteratorInit(&definition->params->root);
	JsonbValue	key;
	JsonbValue	value;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&it, &key, true)) != WJB_DONE)
	{
		Place		place = {dataset, definition, NULL};
		char	   *name;
		int			i;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(key.val.string.val, key.val.string.len);
		(void) JsonbIteratorNext(&it, &value, true);
		i = osml_param_by_name(step->transform, name);
		if (i < 0)
			unknown_param(dataset, definition, step->transform, name);
		place.def = &step->transform->params[i];
		take_param(&place, &value, &step->params[i]);
	}
}

void
osml_definition_step(const char *dataset, const OsmlDefinition *definition, OsmlStep *step)
{
	char		message[256] = "";

	memset(step, 0, sizeof(OsmlStep));
	step->transform = osml_transform_by_name(definition->transform);
	if (step->transform == NULL)
		unknown_transform(dataset, definition);
	if (!JB_ROOT_IS_OBJECT(definition->params))
		osml_definition_error(dataset, definition->feature, definition->transform,
							  "parameters must be a JSON object");
	take_params(dataset, definition, step);
	if (step->transform->check && !step->transform->check(step, message))
		osml_definition_error(dataset, definition->feature, definition->transform, message);
}

/* A number in as few digits as bring it back. */
static void
put_number(StringInfo out, double number)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(number, digits);
	appendStringInfoString(out, digits);
}

static void
put_array(StringInfo out, const OsmlParam *param)
{
	appendStringInfoChar(out, '[');
	for (int i = 0; i < param->n; i++)
	{
		if (i > 0)
			appendStringInfoString(out, ", ");
		if (param->texts)
			escape_json(out, param->texts[i]);
		else
			put_number(out, param->numbers[i]);
	}
	appendStringInfoChar(out, ']');
}

static void
put_param(StringInfo out, const OsmlParamDef *def, const OsmlParam *param)
{
	switch (def->type)
	{
		case OSML_PARAM_NUMBER:
		case OSML_PARAM_INTEGER:
			put_number(out, param->number);
			break;
		case OSML_PARAM_BOOL:
			appendStringInfoString(out, param->number != 0 ? "true" : "false");
			break;
		case OSML_PARAM_CHOICE:
			escape_json(out, def->choices[(int) param->number]);
			break;
		case OSML_PARAM_NUMBERS:
		case OSML_PARAM_TEXTS:
			put_array(out, param);
			break;
	}
}

/*
 * What was written, which is freed.  A vocabulary may be of a million texts, and the
 * parser needs six times their size, so what it leaves is not left to the caller.
 */
static Jsonb *
jsonb_from_text(StringInfo text)
{
	MemoryContext caller = CurrentMemoryContext;
	MemoryContext context = AllocSetContextCreate(caller, "osml JSON", ALLOCSET_DEFAULT_SIZES);
	Jsonb	   *parsed;
	Jsonb	   *result;

	MemoryContextSwitchTo(context);
	parsed = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text->data)));
	MemoryContextSwitchTo(caller);
	pfree(text->data);
	result = palloc(VARSIZE(parsed));
	memcpy(result, parsed, VARSIZE(parsed));
	MemoryContextDelete(context);
	return result;
}

Jsonb *
osml_step_params(const OsmlStep *step)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < step->transform->n_params; i++)
	{
		if (!step->params[i].given)
			continue;
		if (out.len > 1)
			appendStringInfoString(&out, ", ");
		escape_json(&out, step->transform->params[i].name);
		appendStringInfoString(&out, ": ");
		put_param(&out, &step->transform->params[i], &step->params[i]);
	}
	appendStringInfoChar(&out, '}');
	return jsonb_from_text(&out);
}

/* A member of an object, or NULL. */
static JsonbValue *
get(JsonbContainer *object, const char *key)
{
	return getKeyJsonValueFromContainer(object, key, (int) strlen(key), NULL);
}

char *
osml_definition_expression(const char *dataset, const OsmlDefinition *definition)
{
	JsonbValue *value = JB_ROOT_IS_OBJECT(definition->params) ?
		get(&definition->params->root, "expression") : NULL;

	if (value == NULL || value->type != jbvString || value->val.string.len == 0 ||
		JB_ROOT_COUNT(definition->params) != 1)
		osml_definition_error(dataset, definition->feature, definition->transform,
							  "\"expression\", and nothing else, must be given, as a string");
	return pnstrdup(value->val.string.val, value->val.string.len);
}

/* A JSON string, or null. */
static void
put_text(StringInfo out, const char *text)
{
	if (text)
		escape_json(out, text);
	else
		appendStringInfoString(out, "null");
}

Jsonb *
osml_definitions_to_jsonb(List *definitions)
{
	StringInfoData out;
	ListCell   *cell;

	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	foreach(cell, definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);
		ListCell   *input;

		appendStringInfoString(&out, out.len > 1 ? ", {\"feature\": " : "{\"feature\": ");
		put_text(&out, definition->feature);
		appendStringInfo(&out, ", \"step\": %d, \"transform\": ", definition->step);
		put_text(&out, definition->transform);
		appendStringInfoString(&out, ", \"inputs\": [");
		foreach(input, definition->inputs)
		{
			if (input != list_head(definition->inputs))
				appendStringInfoString(&out, ", ");
			put_text(&out, lfirst(input));
		}
		appendStringInfoString(&out, "], \"shared\": ");
		put_text(&out, definition->shared);
		appendStringInfo(&out, ", \"implied\": %s, \"params\": ",
						 definition->implied ? "true" : "false");
		(void) JsonbToCString(&out, &definition->params->root, VARSIZE(definition->params));
		appendStringInfoChar(&out, '}');
	}
	appendStringInfoChar(&out, ']');
	return jsonb_from_text(&out);
}

/* Raise: stored JSON that is not ours. */
pg_noreturn static void
malformed(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("stored definitions of features cannot be read")));
}

static char *
get_text(JsonbContainer *object, const char *key)
{
	JsonbValue *value = get(object, key);

	if (value == NULL || value->type == jbvNull)
		return NULL;
	if (value->type != jbvString)
		malformed();
	return pnstrdup(value->val.string.val, value->val.string.len);
}

static List *
get_texts(JsonbContainer *object, const char *key)
{
	JsonbValue *value = get(object, key);
	JsonbContainer *array;
	List	   *texts = NIL;

	if (value == NULL || value->type != jbvBinary ||
		!JsonContainerIsArray(value->val.binary.data))
		malformed();
	array = value->val.binary.data;
	for (int i = 0; i < (int) JsonContainerSize(array); i++)
	{
		JsonbValue *element = getIthJsonbValueFromContainer(array, i);

		if (element->type != jbvString)
			malformed();
		texts = lappend(texts, pnstrdup(element->val.string.val, element->val.string.len));
	}
	return texts;
}

/* One element of the array. */
static OsmlDefinition *
read_definition(JsonbValue *element)
{
	OsmlDefinition *definition = palloc0(sizeof(OsmlDefinition));
	JsonbContainer *object = element->val.binary.data;
	JsonbValue *step;
	JsonbValue *params;
	JsonbValue *implied;

	if (element->type != jbvBinary || !JsonContainerIsObject(object))
		malformed();
	definition->feature = get_text(object, "feature");
	definition->transform = get_text(object, "transform");
	definition->inputs = get_texts(object, "inputs");
	definition->shared = get_text(object, "shared");
	step = get(object, "step");
	params = get(object, "params");
	implied = get(object, "implied");
	if (definition->feature == NULL || definition->transform == NULL ||
		step == NULL || step->type != jbvNumeric ||
		params == NULL || params->type != jbvBinary ||
		!JsonContainerIsObject(params->val.binary.data))
		malformed();
	definition->step = DatumGetInt32(DirectFunctionCall1(numeric_int4,
														 NumericGetDatum(step->val.numeric)));
	definition->params = JsonbValueToJsonb(params);
	definition->implied = implied && implied->type == jbvBool && implied->val.boolean;
	return definition;
}

List *
osml_definitions_from_jsonb(Jsonb *json)
{
	List	   *definitions = NIL;

	if (!JB_ROOT_IS_ARRAY(json))
		malformed();
	for (int i = 0; i < (int) JB_ROOT_COUNT(json); i++)
		definitions = lappend(definitions,
							  read_definition(getIthJsonbValueFromContainer(&json->root, i)));
	return definitions;
}
