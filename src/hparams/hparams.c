/*
 * hparams.c
 *	  From a user's jsonb to OsmlHparams and back, driven by list.h.
 *
 * Values are read leniently in form (a number may come as a string, a list as
 * the text of a list) and strictly in meaning: an unknown key, a value of the
 * wrong kind or out of range is an error that names the key.  Defaults in
 * list.h go through the same parser, so they cannot be out of range.
 */
#include "postgres.h"

#include <ctype.h>

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "compute/block.h"
#include "hparams/hparams.h"
#include "rules/loss/loss.h"
#include "rules/name/nearest.h"
#include "rules/optim/optim.h"
#include "source/source.h"

typedef enum HparamKind
{
	HP_BOOL, HP_INT, HP_REAL, HP_TIME, HP_CHOICE, HP_TEXT, HP_TEXTS, HP_REALS
} HparamKind;

/* a line of list.h, and where its value lives in the struct */
typedef struct HparamLine
{
	OsmlHparamInfo info;
	HparamKind	kind;
	size_t		offset;
	double		low;
	double		high;
	const char *(*names) (int i);
} HparamLine;

static const HparamLine lines[] = {
#define HP(k, name, dflt, low, high, names, meaning) \
	{{#name, NULL, dflt, meaning}, HP_##k, offsetof(OsmlHparams, name), low, high, names},
#include "hparams/list.h"
#undef HP
};

/* what osml_hparams() calls each kind, by HparamKind */
static const char *const kind_names[] = {
	[HP_BOOL] = "boolean",
	[HP_INT] = "integer",
	[HP_REAL] = "number",
	[HP_TIME] = "time",
	[HP_CHOICE] = "choice",
	[HP_TEXT] = "text",
	[HP_TEXTS] = "list of text",
	[HP_REALS] = "list of numbers",
};

/* the same in a hint, by HparamKind */
static const char *const expectations[] = {
	[HP_BOOL] = "true or false",
	[HP_INT] = "a whole number",
	[HP_REAL] = "a number",
	[HP_TIME] = "seconds, or DD:HH:MM:SS",
	[HP_CHOICE] = "a name",
	[HP_TEXT] = "a string",
	[HP_TEXTS] = "a list of strings",
	[HP_REALS] = "a list of numbers",
};

/* bounds at or beyond this are none */
#define NO_BOUND 1e300

/* other names people know a key by */
static const struct
{
	const char *alias;
	const char *name;
}			aliases[] = {
	{"limit_train_batches", "max_batches"},
};

/* Raise the one error for a value that does not fit its line. */
static void
value_error(const HparamLine *line, const char *text)
{
	int			index = (int) (line - lines);
	char	   *range = osml_hparam_range(index);

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for hyperparameter \"%s\": %s",
					line->info.name, text),
			 line->kind == HP_CHOICE ?
			 errhint("Valid values are %s.", range) :
			 errhint("Expected %s%s%s.", expectations[line->kind],
					 range[0] ? " " : "", range)));
}

/* A finite number within the line's range out of its text. */
static double
parse_number(const HparamLine *line, const char *text)
{
	char	   *end;
	double		value;

	errno = 0;
	value = strtod(text, &end);
	while (isspace((unsigned char) *end))
		end++;
	if (end == text || *end != '\0' || !isfinite(value) ||
		value < line->low || value > line->high)
		value_error(line, text);
	return value;
}

/* Seconds, or Lightning's DD:HH:MM:SS with leading parts left out. */
static double
parse_time(const HparamLine *line, const char *text)
{
	static const double unit[] = {60, 60, 24, 0};
	double		seconds = 0;
	double		part[4];
	int			n_parts = 0;
	const char *cursor = text;

	if (strchr(text, ':') == NULL)
		return parse_number(line, text);
	for (;;)
	{
		char	   *end;

		if (n_parts == 4 || !isdigit((unsigned char) *cursor))
			value_error(line, text);
		part[n_parts++] = strtod(cursor, &end);
		cursor = end;
		if (*cursor == '\0')
			break;
		if (*cursor++ != ':')
			value_error(line, text);
	}
	/* parts from the right are seconds, minutes, hours, days */
	for (int i = 0; i < n_parts; i++)
	{
		double		factor = 1;

		for (int k = 0; k < n_parts - 1 - i; k++)
			factor *= unit[k];
		seconds += part[i] * factor;
	}
	if (!isfinite(seconds) || seconds > line->high)
		value_error(line, text);
	return seconds;
}

/* The number of a choice by its name; case does not matter. */
static int
parse_choice(const HparamLine *line, const char *text)
{
	for (int i = 0; line->names(i) != NULL; i++)
	{
		if (pg_strcasecmp(line->names(i), text) == 0)
			return i;
	}
	value_error(line, psprintf("\"%s\"", text));
	return -1;					/* not reached */
}

/* The text of a scalar JSON value as a user would write it. */
static char *
scalar_text(const JsonbValue *value)
{
	switch (value->type)
	{
		case jbvString:
			return pnstrdup(value->val.string.val, value->val.string.len);
		case jbvNumeric:
			return DatumGetCString(DirectFunctionCall1(numeric_out,
													   NumericGetDatum(value->val.numeric)));
		case jbvBool:
			return pstrdup(value->val.boolean ? "true" : "false");
		default:
			return NULL;
	}
}

/* The elements of an array value, or NIL and false when it is not one. */
static bool
list_elements(JsonbValue *value, List **elements)
{
	Jsonb	   *array;
	JsonbIterator *it;
	JsonbValue	element;
	JsonbIteratorToken token;

	*elements = NIL;
	if (value->type == jbvString)
	{
		char	   *text = scalar_text(value);

		if (text[strspn(text, " \t\n\r")] != '[')
			return false;
		array = DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(text)));
	}
	else if (value->type == jbvBinary)
	{
		array = JsonbValueToJsonb(value);
	}
	else
		return false;
	if (!JB_ROOT_IS_ARRAY(array) || JB_ROOT_IS_SCALAR(array))
		return false;
	it = JsonbIteratorInit(&array->root);
	while ((token = JsonbIteratorNext(&it, &element, true)) != WJB_DONE)
	{
		if (token == WJB_ELEM)
		{
			JsonbValue *copy = palloc(sizeof(JsonbValue));

			*copy = element;
			*elements = lappend(*elements, copy);
		}
	}
	return true;
}

/* Store a list value: numbers or names. */
static void
set_list(const HparamLine *line, void *field, JsonbValue *value)
{
	List	   *elements;
	ListCell   *cell;
	char	   *text = scalar_text(value);

	if (!list_elements(value, &elements) || elements == NIL)
		value_error(line, text ? text : "not a list with members");
	if (line->kind == HP_TEXTS)
		*(List **) field = NIL;
	else
	{
		OsmlReals  *reals = field;

		reals->n = 0;
		reals->values = palloc(sizeof(double) * list_length(elements));
	}
	foreach(cell, elements)
	{
		char	   *item = scalar_text(lfirst(cell));

		if (item == NULL ||
			(line->kind == HP_TEXTS && ((JsonbValue *) lfirst(cell))->type != jbvString))
			value_error(line, item ? item : "a member that is not a scalar");
		if (line->kind == HP_TEXTS)
			*(List **) field = lappend(*(List **) field, item);
		else
		{
			OsmlReals  *reals = field;

			reals->values[reals->n++] = parse_number(line, item);
		}
	}
}

/* Store a scalar given as text. */
static void
set_scalar(const HparamLine *line, void *field, const char *text)
{
	switch (line->kind)
	{
		case HP_BOOL:
			if (!parse_bool(text, (bool *) field))
				value_error(line, text);
			break;
		case HP_INT:
			{
				double		number = parse_number(line, text);

				if (number != floor(number))
					value_error(line, text);
				*(int64 *) field = (int64) number;
				break;
			}
		case HP_REAL:
			*(double *) field = parse_number(line, text);
			break;
		case HP_TIME:
			*(double *) field = parse_time(line, text);
			break;
		case HP_CHOICE:
			*(int *) field = parse_choice(line, text);
			break;
		case HP_TEXT:
			*(char **) field = pstrdup(text);
			break;
		default:
			value_error(line, text);
	}
}

/* Leave a value to be resolved later. */
static void
set_auto(const HparamLine *line, void *field)
{
	switch (line->kind)
	{
		case HP_INT:
			*(int64 *) field = OSML_AUTO;
			break;
		case HP_REAL:
		case HP_TIME:
			*(double *) field = NAN;
			break;
		case HP_TEXT:
			*(char **) field = NULL;
			break;
		case HP_TEXTS:
			*(List **) field = NIL;
			break;
		case HP_REALS:
			memset(field, 0, sizeof(OsmlReals));
			break;
		default:
			elog(ERROR, "hyperparameter \"%s\" cannot be auto", line->info.name);
	}
}

/* Store one value that came as JSON. */
static void
set_value(const HparamLine *line, OsmlHparams *hparams, JsonbValue *value)
{
	void	   *field = (char *) hparams + line->offset;
	char	   *text = scalar_text(value);
	bool		has_auto = strcmp(line->info.dflt, "auto") == 0;

	if (has_auto && line->kind != HP_CHOICE && line->kind != HP_TEXT &&
		(value->type == jbvNull || (text && pg_strcasecmp(text, "auto") == 0)))
		set_auto(line, field);
	else if (line->kind == HP_TEXT && value->type == jbvNull)
		set_auto(line, field);
	else if (line->kind == HP_TEXTS || line->kind == HP_REALS)
		set_list(line, field, value);
	else if (text == NULL)
		value_error(line, value->type == jbvNull ? "null" : "not a single value");
	else if (line->kind == HP_TEXT && value->type != jbvString)
		value_error(line, text);
	else
		set_scalar(line, field, text);
}

/* The line of a key, aliases included; an error with the nearest name. */
static const HparamLine *
find_line(const char *key)
{
	OsmlNearest nearest;
	const char *best;

	for (int i = 0; i < (int) lengthof(aliases); i++)
	{
		if (strcmp(aliases[i].alias, key) == 0)
			key = aliases[i].name;
	}
	osml_nearest_begin(&nearest, key);
	for (int i = 0; i < (int) lengthof(lines); i++)
	{
		if (strcmp(lines[i].info.name, key) == 0)
			return &lines[i];
		osml_nearest_offer(&nearest, lines[i].info.name);
	}
	for (int i = 0; i < (int) lengthof(aliases); i++)
		osml_nearest_offer(&nearest, aliases[i].alias);
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown hyperparameter \"%s\"", key),
			 best ? errhint("Perhaps you meant \"%s\". osml_hparams() lists all.", best) :
			 errhint("osml_hparams() lists all hyperparameters.")));
}

/* Fill in every default, through the parser that users' values go through. */
static void
set_defaults(OsmlHparams *hparams)
{
	for (int i = 0; i < (int) lengthof(lines); i++)
	{
		const HparamLine *line = &lines[i];
		JsonbValue	value;

		value.type = jbvString;
		value.val.string.val = unconstify(char *, line->info.dflt);
		value.val.string.len = strlen(line->info.dflt);
		if (line->kind == HP_TEXT)
			value.type = jbvNull;
		set_value(line, hparams, &value);
	}
}

/* Apply the keys of one JSON object. */
static void
apply_object(OsmlHparams *hparams, Jsonb *object)
{
	JsonbIterator *it;
	JsonbValue	value;
	JsonbIteratorToken token;
	const HparamLine *line = NULL;
	Bitmapset  *seen = NULL;

	if (!JB_ROOT_IS_OBJECT(object))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameters must be a JSON object"),
				 errhint("For example '{\"lr\": 0.01, \"batch_size\": 512}'.")));
	it = JsonbIteratorInit(&object->root);
	while ((token = JsonbIteratorNext(&it, &value, true)) != WJB_DONE)
	{
		if (token == WJB_KEY)
		{
			line = find_line(scalar_text(&value));
			if (bms_is_member(line - lines, seen))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("hyperparameter \"%s\" is given twice",
								line->info.name),
						 errdetail("One of its names is an alias of the other.")));
			seen = bms_add_member(seen, line - lines);
		}
		else if (token == WJB_VALUE)
			set_value(line, hparams, &value);
	}
}

OsmlHparams *
osml_hparams_parse(Jsonb *options, Jsonb *given)
{
	OsmlHparams *hparams = palloc0(sizeof(OsmlHparams));

	set_defaults(hparams);
	if (options)
		apply_object(hparams, options);
	if (given)
		apply_object(hparams, given);
	return hparams;
}

/* An error about two keys that contradict each other. */
static void
conflict(const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 errhint("%s", hint)));
}

void
osml_hparams_check(OsmlHparams *hparams)
{
	bool		exact = osml_optimizer_is_exact(hparams->optimizer);

	if (hparams->nesterov && (hparams->momentum <= 0 || hparams->dampening != 0))
		conflict("hyperparameter \"nesterov\" needs momentum and no dampening",
				 "Set \"momentum\" above 0 and leave \"dampening\" at 0.");
	if (hparams->betas.n != 2)
		conflict("hyperparameter \"betas\" must have two members",
				 "For example [0.9, 0.999].");
	if (hparams->batch_size % hparams->lanes != 0)
		conflict("hyperparameter \"lanes\" must divide \"batch_size\"",
				 "Each lane gives an equal share of every batch.");
	if (exact && hparams->loss != OSML_LOSS_MSE)
		conflict("optimizer \"exact\" solves least squares only",
				 "Set \"loss\" to mse, or choose AdamW, Adam or SGD.");
	if (exact && (hparams->max_batches != OSML_AUTO || hparams->val_fraction > 0))
		conflict("optimizer \"exact\" takes every row once",
				 "Leave out \"max_batches\" and \"val_fraction\"; a \"val\" source may be given.");
	if (exact && hparams->on_null == OSML_ON_NULL_MEAN)
		conflict("optimizer \"exact\" cannot fill in means, which it learns last",
				 "Set \"on_null\" to skip or error.");
	if (exact && hparams->precision != OSML_FLOAT64)
		conflict("optimizer \"exact\" computes in float64",
				 "Leave out \"precision\".");
	if (hparams->val_check_interval >= 1 &&
		hparams->val_check_interval != floor(hparams->val_check_interval))
		conflict("hyperparameter \"val_check_interval\" must be whole from 1 on",
				 "A whole number counts batches, a number below 1 is a share of an epoch.");
	if (isnan(hparams->weight_decay))
		hparams->weight_decay = exact ? 0 :
			osml_optim_weight_decay((OsmlOptim) hparams->optimizer);
}

/* A number in the fewest digits that read back the same, whatever the session
 * has set extra_float_digits to. */
static void
append_number(StringInfo out, double value)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(value, text);
	appendStringInfoString(out, text);
}

/* Append one value as JSON. */
static void
append_value(StringInfo out, const HparamLine *line, const OsmlHparams *hparams)
{
	const void *field = (const char *) hparams + line->offset;
	ListCell   *cell;
	const char *separator = "";

	switch (line->kind)
	{
		case HP_BOOL:
			appendStringInfoString(out, *(const bool *) field ? "true" : "false");
			break;
		case HP_INT:
			if (*(const int64 *) field == OSML_AUTO)
				appendStringInfoString(out, "null");
			else
				appendStringInfo(out, INT64_FORMAT, *(const int64 *) field);
			break;
		case HP_REAL:
		case HP_TIME:
			if (isnan(*(const double *) field))
				appendStringInfoString(out, "null");
			else
				append_number(out, *(const double *) field);
			break;
		case HP_CHOICE:
			escape_json(out, line->names(*(const int *) field));
			break;
		case HP_TEXT:
			if (*(char *const *) field)
				escape_json(out, *(char *const *) field);
			else
				appendStringInfoString(out, "null");
			break;
		case HP_TEXTS:
			if (*(List *const *) field == NIL)
			{
				appendStringInfoString(out, "null");
				break;
			}
			appendStringInfoChar(out, '[');
			foreach(cell, *(List *const *) field)
			{
				appendStringInfoString(out, separator);
				escape_json(out, lfirst(cell));
				separator = ", ";
			}
			appendStringInfoChar(out, ']');
			break;
		case HP_REALS:
			{
				const OsmlReals *reals = field;

				if (reals->n == 0)
				{
					appendStringInfoString(out, "null");
					break;
				}
				appendStringInfoChar(out, '[');
				for (int i = 0; i < reals->n; i++)
				{
					appendStringInfoString(out, i ? ", " : "");
					append_number(out, reals->values[i]);
				}
				appendStringInfoChar(out, ']');
				break;
			}
	}
}

Jsonb *
osml_hparams_to_jsonb(const OsmlHparams *hparams)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '{');
	for (int i = 0; i < (int) lengthof(lines); i++)
	{
		if (i > 0)
			appendStringInfoString(&out, ", ");
		escape_json(&out, lines[i].info.name);
		appendStringInfoString(&out, ": ");
		append_value(&out, &lines[i], hparams);
	}
	appendStringInfoChar(&out, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

int
osml_hparam_count(void)
{
	return lengthof(lines);
}

/* Row i of osml_hparams(); palloc'd, since the type's name is looked up. */
const OsmlHparamInfo *
osml_hparam_info(int i)
{
	OsmlHparamInfo *info = palloc(sizeof(OsmlHparamInfo));

	*info = lines[i].info;
	info->type = kind_names[lines[i].kind];
	return info;
}

char *
osml_hparam_default(int i)
{
	return pstrdup(lines[i].info.dflt);
}

char *
osml_hparam_range(int i)
{
	StringInfoData out;
	const HparamLine *line = &lines[i];

	initStringInfo(&out);
	if (line->kind == HP_CHOICE)
	{
		for (int k = 0; line->names(k) != NULL; k++)
			appendStringInfo(&out, "%s%s", k ? ", " : "", line->names(k));
	}
	else if (line->kind == HP_INT || line->kind == HP_REAL || line->kind == HP_REALS)
	{
		if (line->low > -NO_BOUND && line->high < NO_BOUND)
			appendStringInfo(&out, "from %.16g to %.16g", line->low, line->high);
		else if (line->low > -NO_BOUND)
			appendStringInfo(&out, "from %.16g", line->low);
	}
	return out.data;
}
