/*
 * train.c
 *	  osml_train(dataset, hparams, model, wait) → run id, and
 *	  osml_resume(run, hparams, wait) → status.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"

#include "api/need.h"
#include "api/run.h"
#include "catalog/checkpoint.h"
#include "catalog/role.h"
#include "train/launcher.h"

PG_FUNCTION_INFO_V1(osml_train);
PG_FUNCTION_INFO_V1(osml_resume);
PG_FUNCTION_INFO_V1(osml_drop_checkpoints);

Datum
osml_train(PG_FUNCTION_ARGS)
{
	OsmlTrainRequest request = {.function = "osml_train"};
	int64		run_id;

	request.dataset = osml_need_text(fcinfo, 0, "dataset");
	request.hparams = PG_ARGISNULL(1) ? NULL : PG_GETARG_JSONB_P(1);
	request.model = osml_maybe_text(fcinfo, 2);
	request.model_named = request.model != NULL;
	request.wait = PG_ARGISNULL(3) || PG_GETARG_BOOL(3);
	run_id = osml_launch(&request, NULL);
	if (run_id == 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(run_id);
}

/* what may be otherwise in a run that goes on: nothing that the weights depend on */
static const char *const may_change[] = {
	"on_changed_data", "every_n_train_steps", "train_time_interval", "log_every_n_steps",
	"threads", "num_workers", "on_disconnect", "max_time", "deploy", "restart", "if_running",
	NULL
};

static void
check_may_change(Jsonb *hparams)
{
	JsonbIterator *it = JsonbIteratorInit(&hparams->root);
	JsonbValue	key;
	JsonbIteratorToken token;

	while ((token = JsonbIteratorNext(&it, &key, true)) != WJB_DONE)
	{
		char	   *name;
		bool		found = false;

		if (token != WJB_KEY)
			continue;
		name = pnstrdup(key.val.string.val, key.val.string.len);
		for (int i = 0; may_change[i]; i++)
			found = found || strcmp(may_change[i], name) == 0;
		if (!found)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("hyperparameter \"%s\" of a run that goes on cannot be changed", name),
					 errhint("Those that can be are on_changed_data, every_n_train_steps, "
							 "train_time_interval, log_every_n_steps, threads, num_workers, on_disconnect, "
							 "max_time, deploy, restart and if_running.")));
	}
}

/* A run that ended without a version, of the current role's own. */
static OsmlRunRow *
need_unfinished(FunctionCallInfo fcinfo, const char *function, const char *action)
{
	OsmlRunRow *row;
	const char *status;

	osml_prevent_write(function);
	row = osml_need_run(fcinfo);
	status = osml_run_status(row);

	if (strcmp(row->owner, osml_current_role()) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to %s run " INT64_FORMAT, action, row->run_id),
				 errdetail("It belongs to role \"%s\".", row->owner)));
	if (strcmp(status, "finished") == 0 || osml_run_is_open(status))
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("cannot %s run " INT64_FORMAT ", which is %s", action, row->run_id, status)));
	return row;
}

Datum
osml_resume(PG_FUNCTION_ARGS)
{
	OsmlRunRow *row = need_unfinished(fcinfo, "osml_resume()", "resume");
	OsmlTrainRequest request = {
		.dataset = row->dataset,
		.hparams = row->hparams,
		.model = row->model,
		.model_named = row->model_named,
		.wait = PG_ARGISNULL(2) || PG_GETARG_BOOL(2),
		.resume = row->run_id,
		.summary = row->summary,
		.function = "osml_resume"
	};

	if (!PG_ARGISNULL(1))
	{
		Jsonb	   *changes = PG_GETARG_JSONB_P(1);

		if (!JB_ROOT_IS_OBJECT(changes))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("hyperparameters must be a JSON object")));
		check_may_change(changes);
		request.hparams = DatumGetJsonbP(DirectFunctionCall2(jsonb_concat,
															 JsonbPGetDatum(row->hparams),
															 JsonbPGetDatum(changes)));
	}
	(void) osml_launch(&request, NULL);
	PG_RETURN_TEXT_P(cstring_to_text(osml_run_status(osml_run_find(row->run_id, true))));
}

/* osml_drop_checkpoints(run) → how many there were */
Datum
osml_drop_checkpoints(PG_FUNCTION_ARGS)
{
	OsmlRunRow *row = need_unfinished(fcinfo, "osml_drop_checkpoints()", "drop the checkpoints of");

	PG_RETURN_INT32((int32) osml_checkpoints_delete(row->run_id));
}
