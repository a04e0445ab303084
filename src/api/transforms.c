/*
 * transforms.c
 *	  osml_transforms(): the list of transforms as rows.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "features/transform.h"
#include "source/definition.h"

PG_FUNCTION_INFO_V1(osml_list_transforms);

static const char *const type_names[] = {
	[OSML_PARAM_NUMBER] = "number",
	[OSML_PARAM_INTEGER] = "integer",
	[OSML_PARAM_BOOL] = "boolean",
	[OSML_PARAM_CHOICE] = "choice",
	[OSML_PARAM_NUMBERS] = "numbers",
	[OSML_PARAM_TEXTS] = "texts",
};

static void
put(ReturnSetInfo *rsinfo, const char *const *texts)
{
	Datum		values[6];
	bool		nulls[6];

	for (int i = 0; i < 6; i++)
	{
		nulls[i] = texts[i] == NULL;
		values[i] = nulls[i] ? (Datum) 0 : CStringGetTextDatum(texts[i]);
	}
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* What a parameter is where nobody gives it; NULL: it must be given. */
static const char *
default_text(const OsmlParamDef *def)
{
	if (def->fitted)
		return "learned";
	if (isnan(def->standard) || def->type == OSML_PARAM_NUMBERS ||
		def->type == OSML_PARAM_TEXTS)
		return NULL;
	if (def->type == OSML_PARAM_CHOICE)
		return def->choices[(int) def->standard];
	if (def->type == OSML_PARAM_BOOL)
		return def->standard != 0 ? "true" : "false";
	return psprintf("%.15g", def->standard);
}

static const char *
range_text(const OsmlParamDef *def)
{
	StringInfoData out;

	initStringInfo(&out);
	if (def->type == OSML_PARAM_CHOICE)
	{
		for (int i = 0; def->choices[i]; i++)
			appendStringInfo(&out, "%s%s", i ? ", " : "", def->choices[i]);
	}
	else if (def->type != OSML_PARAM_BOOL && def->type != OSML_PARAM_TEXTS)
	{
		if (def->low > -DBL_MAX)
			appendStringInfo(&out, "from %.15g", def->low);
		if (def->high < DBL_MAX)
			appendStringInfo(&out, "%sto %.15g", out.len ? " " : "", def->high);
	}
	return out.data;
}

/* (name, parameter, type, default, range, meaning): a transform, then its parameters */
Datum
osml_list_transforms(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	static const char *const sql[] = {OSML_SQL_TRANSFORM, NULL, NULL, NULL, NULL,
	"a SQL expression over the row, which runs as the dataset's owner"};
	static const char *const expression[] = {OSML_SQL_TRANSFORM, "expression", "text", NULL, "",
	"the expression; functions outside pg_catalog must be qualified"};

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; osml_transforms[i]; i++)
	{
		const OsmlTransform *transform = osml_transforms[i];

		put(rsinfo, (const char *const[])
			{
				transform->name, NULL, NULL, NULL, NULL, transform->meaning
			});
		for (int k = 0; k < transform->n_params; k++)
		{
			const OsmlParamDef *def = &transform->params[k];

			put(rsinfo, (const char *const[])
				{
					transform->name, def->name, type_names[def->type], default_text(def),
					range_text(def), def->meaning
				});
		}
	}
	put(rsinfo, sql);
	put(rsinfo, expression);
	return (Datum) 0;
}
