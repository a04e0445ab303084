/*
 * train.c
 *	  osml_train(dataset, hparams, model, wait) → run id.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "api/need.h"
#include "train/launcher.h"

PG_FUNCTION_INFO_V1(osml_train);

Datum
osml_train(PG_FUNCTION_ARGS)
{
	OsmlTrainRequest request = {.function = "osml_train"};
	int64		run_id;

	request.dataset = osml_need_text(fcinfo, 0, "dataset");
	request.hparams = PG_ARGISNULL(1) ? NULL : PG_GETARG_JSONB_P(1);
	request.model = osml_maybe_text(fcinfo, 2);
	request.wait = PG_ARGISNULL(3) || PG_GETARG_BOOL(3);
	run_id = osml_launch(&request);
	if (run_id == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(run_id);
}
