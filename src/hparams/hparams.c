/*
 * hparams.c
 *	  The table of hyperparameters made from list.h, its documentation, and the
 *	  set as JSON.
 *
 * Next: parse.c (from a user's jsonb), check.c (keys against each other).
 */
#include "postgres.h"

#include "common/shortest_dec.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "hparams/line.h"

const OsmlHparamLine osml_hparam_lines[] = {
#define HP(k, name, dflt, low, high, names, meaning) \
	{{#name, NULL, dflt, meaning}, HP_##k, offsetof(OsmlHparams, name), low, high, names},
#include "hparams/list.h"
#undef HP
};

/* what osml_hparams() calls each kind, by HparamKind */
static const char *const kind_names[] = {
	[HP_BOOL] = "boolean",
	[HP_INT] = "integer",
	[HP_SWITCH] = "boolean or integer",
	[HP_REAL] = "number",
	[HP_TIME] = "time",
	[HP_CHOICE] = "choice",
	[HP_TEXT] = "text",
	[HP_COLUMN] = "column",
	[HP_TEXTS] = "list of text",
	[HP_REALS] = "list of numbers",
	[HP_MAP] = "object of numbers",
};

/* bounds at or beyond this are none */
#define NO_BOUND 1e300

#define N_LINES ((int) lengthof(osml_hparam_lines))

/* A number in the fewest digits that read back the same, whatever the session
 * has set extra_float_digits to. */
static void
append_number(StringInfo out, double value)
{
	char		text[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(value, text);
	appendStringInfoString(out, text);
}

/* A map as JSON. */
static void
append_map(StringInfo out, const OsmlMap *map)
{
	if (map->word)
		escape_json(out, map->word);
	else if (map->n == 0)
		appendStringInfoString(out, "null");
	for (int i = 0; i < map->n; i++)
	{
		appendStringInfoString(out, i ? ", " : "{");
		escape_json(out, map->keys[i]);
		appendStringInfoString(out, ": ");
		append_number(out, map->values[i]);
	}
	if (map->n > 0)
		appendStringInfoChar(out, '}');
}

/* Append one value as JSON. */
static void
append_value(StringInfo out, const OsmlHparamLine *line, const OsmlHparams *hparams)
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
		case HP_SWITCH:
			if (*(const int64 *) field > 0)
				appendStringInfo(out, INT64_FORMAT, *(const int64 *) field);
			else
				appendStringInfoString(out, *(const int64 *) field == OSML_TRUE ? "true" : "false");
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
		case HP_COLUMN:
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
		case HP_MAP:
			append_map(out, field);
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
	for (int i = 0; i < N_LINES; i++)
	{
		if (i > 0)
			appendStringInfoString(&out, ", ");
		escape_json(&out, osml_hparam_lines[i].info.name);
		appendStringInfoString(&out, ": ");
		append_value(&out, &osml_hparam_lines[i], hparams);
	}
	appendStringInfoChar(&out, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(out.data)));
}

int
osml_hparam_count(void)
{
	return N_LINES;
}

/* Row i of osml_hparams(); palloc'd, since the type's name is looked up. */
const OsmlHparamInfo *
osml_hparam_info(int i)
{
	OsmlHparamInfo *info = palloc(sizeof(OsmlHparamInfo));

	*info = osml_hparam_lines[i].info;
	info->type = kind_names[osml_hparam_lines[i].kind];
	return info;
}

char *
osml_hparam_default(int i)
{
	return pstrdup(osml_hparam_lines[i].info.dflt);
}

char *
osml_hparam_range(int i)
{
	StringInfoData out;
	const OsmlHparamLine *line = &osml_hparam_lines[i];

	initStringInfo(&out);
	if (line->kind == HP_CHOICE || line->kind == HP_MAP)
	{
		for (int k = 0; line->names(k) != NULL; k++)
			appendStringInfo(&out, "%s%s", k ? ", " : "", line->names(k));
	}
	else if (line->kind == HP_INT || line->kind == HP_SWITCH)
		appendStringInfo(&out, "from " INT64_FORMAT " to " INT64_FORMAT,
						 (int64) line->low, (int64) line->high);
	else if ((line->kind == HP_REAL || line->kind == HP_REALS) && line->low > -NO_BOUND)
	{
		appendStringInfoString(&out, "from ");
		append_number(&out, line->low);
		if (line->high < NO_BOUND)
		{
			appendStringInfoString(&out, " to ");
			append_number(&out, line->high);
		}
	}
	return out.data;
}
