/*
 * parse.c
 *	  From a user's jsonb to OsmlHparams.
 *
 * Values are read leniently in form (a number may come as a string, a list as
 * the text of a list) and strictly in meaning: an unknown key, a value of the
 * wrong kind or out of range is an error that names the key.  Defaults in
 * list.h go through the same parser, so they cannot be out of range.
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "nodes/bitmapset.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "compat.h"
#include "hparams/line.h"
#include "rules/name/nearest.h"

/* what a hint calls the values of each kind, by OsmlHparamKind */
static const char *const valid_values[] = {
	[HP_BOOL] = "true and false",
	[HP_INT] = "whole numbers",
	[HP_SWITCH] = "true, false and whole numbers",
	[HP_REAL] = "numbers",
	[HP_TIME] = "numbers of seconds and DD:HH:MM:SS",
	[HP_CHOICE] = "",
	[HP_TEXT] = "strings",
	[HP_COLUMN] = "strings",
	[HP_TEXTS] = "lists of strings",
	[HP_REALS] = "lists of numbers",
	[HP_MAP] = "objects of numbers, and",
};

/* most bytes of a wrong value that a message shows */
#define SHOWN_BYTES 60

/* other names people know a key by */
static const struct
{
	const char *alias;
	const char *name;
}			aliases[] = {
	{"limit_train_batches", "max_batches"},
	{"swa_start", "swa_epoch_start"},
};

/* what is no key, but is called so elsewhere, for hints */
static const struct
{
	const char *elsewhere;
	size_t		offset;
}			elsewhere_names[] = {
	{"learning_rate", offsetof(OsmlHparams, lr)},
	{"learn_rate", offsetof(OsmlHparams, lr)},
	{"ls_init_learn_rate", offsetof(OsmlHparams, lr)},
	{"eta0", offsetof(OsmlHparams, lr)},
	{"stepsize", offsetof(OsmlHparams, lr)},
	{"epochs", offsetof(OsmlHparams, max_epochs)},
	{"n_epochs", offsetof(OsmlHparams, max_epochs)},
	{"num_epochs", offsetof(OsmlHparams, max_epochs)},
	{"max_iter", offsetof(OsmlHparams, max_epochs)},
	{"max_iterations", offsetof(OsmlHparams, max_epochs)},
	{"n_iterations", offsetof(OsmlHparams, max_epochs)},
	{"l2", offsetof(OsmlHparams, weight_decay)},
	{"l2_reg", offsetof(OsmlHparams, weight_decay)},
	{"alpha", offsetof(OsmlHparams, weight_decay)},
	{"lambda_value", offsetof(OsmlHparams, weight_decay)},
	{"l1_reg", offsetof(OsmlHparams, l1)},
	{"early_stop", offsetof(OsmlHparams, early_stopping)},
	{"n_iter_no_change", offsetof(OsmlHparams, patience)},
	{"min_rel_progress", offsetof(OsmlHparams, min_delta)},
	{"tol", offsetof(OsmlHparams, min_delta)},
	{"hidden_units", offsetof(OsmlHparams, num_hidden_neurons)},
	{"hidden_layer_sizes", offsetof(OsmlHparams, num_hidden_neurons)},
	{"hidden_layers", offsetof(OsmlHparams, num_hidden_neurons)},
	{"clip_grad_norm", offsetof(OsmlHparams, gradient_clip_val)},
	{"clip_grad_value", offsetof(OsmlHparams, gradient_clip_val)},
	{"max_grad_norm", offsetof(OsmlHparams, gradient_clip_val)},
	{"gradient_accumulation_steps", offsetof(OsmlHparams, accumulate_grad_batches)},
	{"scheduler", offsetof(OsmlHparams, lr_schedule)},
	{"learn_rate_strategy", offsetof(OsmlHparams, lr_schedule)},
	{"beta_1", offsetof(OsmlHparams, betas)},
	{"beta_2", offsetof(OsmlHparams, betas)},
	{"random_state", offsetof(OsmlHparams, seed)},
	{"validation_fraction", offsetof(OsmlHparams, val_fraction)},
	{"data_split_eval_fraction", offsetof(OsmlHparams, val_fraction)},
	{"input_label_cols", offsetof(OsmlHparams, label)},
	{"target", offsetof(OsmlHparams, label)},
	{"class_weights", offsetof(OsmlHparams, class_weight)},
	{"auto_class_weights", offsetof(OsmlHparams, class_weight)},
	{"fit_intercept", offsetof(OsmlHparams, bias)},
	{"n_jobs", offsetof(OsmlHparams, threads)},
	{"num_threads", offsetof(OsmlHparams, threads)},
	{"dtype", offsetof(OsmlHparams, precision)},
	{"accelerator", offsetof(OsmlHparams, device)},
};

/* The place of the line whose value is kept there; copies have an alias as their name. */
static int
line_at(size_t offset)
{
	int			i = 0;

	while (osml_hparam_lines[i].offset != offset)
		i++;
	return i;
}

/* Raise the one error for a value that does not fit its line; what: in words. */
pg_noreturn static void
form_error(const OsmlHparamLine *line, const char *what)
{
	char	   *range = osml_hparam_range(line_at(line->offset));
	const char *values = valid_values[line->kind];

	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for hyperparameter \"%s\": %s",
					line->info.name, what),
			 errhint("Valid values are %s%s%s.", values,
					 values[0] && range[0] ? " " : "", range)));
}

/* The same for a value that can be shown. */
pg_noreturn static void
value_error(const OsmlHparamLine *line, const char *text)
{
	int			length = (int) strlen(text);
	int			shown = pg_mbcliplen(text, length, SHOWN_BYTES);

	form_error(line, psprintf("\"%.*s%s\"", shown, text, shown < length ? "..." : ""));
}

/* A finite number within the line's range out of its text. */
static double
parse_number(const OsmlHparamLine *line, const char *text)
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
parse_time(const OsmlHparamLine *line, const char *text)
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
parse_choice(const OsmlHparamLine *line, const char *text)
{
	for (int i = 0; line->names(i) != NULL; i++)
	{
		if (pg_strcasecmp(line->names(i), text) == 0)
			return i;
	}
	value_error(line, text);
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

/* A list in a string may be no JSON: whose value that was. */
static void
name_hparam(void *arg)
{
	errcontext("hyperparameter \"%s\"", (const char *) arg);
}

/* The members of a list value, at least one. */
static List *
need_elements(const OsmlHparamLine *line, JsonbValue *value)
{
	ErrorContextCallback callback = {error_context_stack, name_hparam,
		unconstify(char *, line->info.name)};
	char	   *text = scalar_text(value);
	List	   *elements;
	bool		is_list;

	error_context_stack = &callback;
	is_list = list_elements(value, &elements);
	error_context_stack = callback.previous;
	if (is_list && elements != NIL)
		return elements;
	if (text)
		value_error(line, text);
	form_error(line, "not a list with members");
}

/* Store a list value: numbers or names. */
static void
set_list(const OsmlHparamLine *line, void *field, JsonbValue *value)
{
	List	   *elements = need_elements(line, value);
	ListCell   *cell;

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

		if (item == NULL)
			form_error(line, "a member that is not a scalar");
		if (line->kind == HP_TEXTS && ((JsonbValue *) lfirst(cell))->type != jbvString)
			value_error(line, item);
		if (line->kind == HP_TEXTS)
			*(List **) field = lappend(*(List **) field, item);
		else
		{
			OsmlReals  *reals = field;

			reals->values[reals->n++] = parse_number(line, item);
		}
	}
}

/* Store a word of the line's, or an object of numbers. */
static void
set_map(const OsmlHparamLine *line, OsmlMap *map, JsonbValue *value)
{
	char	   *text = scalar_text(value);
	Jsonb	   *object;
	JsonbIterator *it;
	JsonbValue	member;
	JsonbIteratorToken token;

	memset(map, 0, sizeof(*map));
	if (text)
	{
		map->word = pstrdup(line->names(parse_choice(line, text)));
		return;
	}
	object = value->type == jbvBinary ? JsonbValueToJsonb(value) : NULL;
	if (object == NULL || !JB_ROOT_IS_OBJECT(object) || JB_ROOT_COUNT(object) == 0)
		form_error(line, "not an object with members");
	map->keys = palloc(sizeof(char *) * JB_ROOT_COUNT(object));
	map->values = palloc(sizeof(double) * JB_ROOT_COUNT(object));
	it = JsonbIteratorInit(&object->root);
	while ((token = JsonbIteratorNext(&it, &member, true)) != WJB_DONE)
	{
		text = scalar_text(&member);
		if (token == WJB_KEY)
			map->keys[map->n] = text;
		else if (token == WJB_VALUE)
		{
			if (text == NULL)
				form_error(line, "a member that is not a number");
			map->values[map->n++] = parse_number(line, text);
		}
	}
}

/* A whole number within the line's range out of its text. */
static int64
parse_whole(const OsmlHparamLine *line, const char *text)
{
	double		number = parse_number(line, text);

	if (number != floor(number))
		value_error(line, text);
	return (int64) number;
}

/* Store a scalar given as text. */
static void
set_scalar(const OsmlHparamLine *line, void *field, const char *text)
{
	switch (line->kind)
	{
		case HP_BOOL:
			if (!parse_bool(text, (bool *) field))
				value_error(line, text);
			break;
		case HP_INT:
			*(int64 *) field = parse_whole(line, text);
			break;
		case HP_SWITCH:
			{
				bool		on;

				/* 1 is a number, and not what is true */
				if (isalpha((unsigned char) text[0]) && parse_bool(text, &on))
					*(int64 *) field = on ? OSML_TRUE : 0;
				else
					*(int64 *) field = parse_whole(line, text);
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
		case HP_COLUMN:
			*(char **) field = pstrdup(text);
			break;
		default:
			value_error(line, text);
	}
}

/* Leave a value to be resolved later. */
static void
set_auto(const OsmlHparamLine *line, void *field)
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
		case HP_COLUMN:
			*(char **) field = NULL;
			break;
		case HP_TEXTS:
			*(List **) field = NIL;
			break;
		case HP_REALS:
			memset(field, 0, sizeof(OsmlReals));
			break;
		case HP_MAP:
			memset(field, 0, sizeof(OsmlMap));
			break;
		default:
			elog(ERROR, "hyperparameter \"%s\" cannot be auto", line->info.name);
	}
}

/* Store one value that came as JSON. */
static void
set_value(const OsmlHparamLine *line, OsmlHparams *hparams, JsonbValue *value)
{
	void	   *field = (char *) hparams + line->offset;
	char	   *text = scalar_text(value);
	bool		has_auto = strcmp(line->info.dflt, "auto") == 0;

	if (has_auto && line->kind != HP_CHOICE && line->kind != HP_COLUMN &&
		(value->type == jbvNull || (text && pg_strcasecmp(text, "auto") == 0)))
		set_auto(line, field);
	else if (line->kind == HP_COLUMN && value->type == jbvNull)
		set_auto(line, field);
	else if (line->kind == HP_TEXTS || line->kind == HP_REALS)
		set_list(line, field, value);
	else if (line->kind == HP_MAP)
		set_map(line, field, value);
	else if (text == NULL)
		form_error(line, value->type == jbvNull ? "null" : "not a single value");
	else if ((line->kind == HP_TEXT || line->kind == HP_COLUMN) && value->type != jbvString)
		value_error(line, text);
	else
		set_scalar(line, field, text);
}

/* Raise: there is no such key; perhaps the nearest one was meant. */
pg_noreturn static void
unknown_key(const char *key)
{
	OsmlNearest nearest;
	const char *best;

	osml_nearest_begin(&nearest, key);
	for (int i = 0; i < osml_hparam_count(); i++)
		osml_nearest_offer(&nearest, osml_hparam_lines[i].info.name);
	for (int i = 0; i < (int) lengthof(aliases); i++)
		osml_nearest_offer(&nearest, aliases[i].alias);
	best = osml_nearest_end(&nearest);
	for (int i = 0; i < (int) lengthof(elsewhere_names); i++)
	{
		if (pg_strcasecmp(elsewhere_names[i].elsewhere, key) == 0)
			best = osml_hparam_lines[line_at(elsewhere_names[i].offset)].info.name;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown hyperparameter \"%s\"", key),
			 best ? errhint("Perhaps you meant \"%s\". osml_hparams() lists all.", best) :
			 errhint("osml_hparams() lists all hyperparameters.")));
}

/* The line of a key, aliases included. */
static const OsmlHparamLine *
find_line(const char *key)
{
	for (int i = 0; i < (int) lengthof(aliases); i++)
	{
		if (strcmp(aliases[i].alias, key) == 0)
			key = aliases[i].name;
	}
	for (int i = 0; i < osml_hparam_count(); i++)
	{
		if (strcmp(osml_hparam_lines[i].info.name, key) == 0)
			return &osml_hparam_lines[i];
	}
	unknown_key(key);
}

/* Fill in every default, through the parser that users' values go through. */
static void
set_defaults(OsmlHparams *hparams)
{
	for (int i = 0; i < osml_hparam_count(); i++)
	{
		const OsmlHparamLine *line = &osml_hparam_lines[i];
		JsonbValue	value;

		value.type = jbvString;
		value.val.string.val = unconstify(char *, line->info.dflt);
		value.val.string.len = strlen(line->info.dflt);
		if (line->kind == HP_COLUMN)	/* auto may be a column */
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
	OsmlHparamLine line = {0};
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
			char	   *key = scalar_text(&value);

			line = *find_line(key);
			if (bms_is_member(line_at(line.offset), seen))
				ereport(ERROR,
						(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						 errmsg("hyperparameter \"%s\" is given twice",
								line.info.name),
						 errdetail("One of its names is an alias of the other.")));
			seen = bms_add_member(seen, line_at(line.offset));
			/* messages have the name that the user wrote */
			line.info.name = key;
		}
		else if (token == WJB_VALUE)
			set_value(&line, hparams, &value);
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
