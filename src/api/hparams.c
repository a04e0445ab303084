/*
 * hparams.c
 *	  osml_hparams(): the list of hyperparameters as rows.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "hparams/hparams.h"

PG_FUNCTION_INFO_V1(osml_hparams);

/* (name, type, default, range, meaning), in the order of the list */
Datum
osml_hparams(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < osml_hparam_count(); i++)
	{
		const OsmlHparamInfo *info = osml_hparam_info(i);
		bool		nulls[5] = {false};
		Datum		values[5];

		values[0] = CStringGetTextDatum(info->name);
		values[1] = CStringGetTextDatum(info->type);
		values[2] = CStringGetTextDatum(osml_hparam_default(i));
		values[3] = CStringGetTextDatum(osml_hparam_range(i));
		values[4] = CStringGetTextDatum(info->meaning);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
