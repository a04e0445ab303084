/*
 * find_lr.c
 *	  osml_find_lr(dataset, hparams, min_lr, ...): a learning-rate range test.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "api/need.h"
#include "catalog/run.h"
#include "compat.h"
#include "train/launcher.h"
#include "train/range_test.h"

/* places of the arguments */
enum
{
	ARG_DATASET, ARG_HPARAMS, ARG_MIN_LR, ARG_MAX_LR, ARG_NUM_TRAINING, ARG_MODE,
	ARG_THRESHOLD
};

/* the curve has too few points before this many steps */
#define FEWEST_STEPS 13

PG_FUNCTION_INFO_V1(osml_find_lr);

/* Raise: an argument out of its range. */
pg_noreturn static void
bad_argument(const char *name, const char *must, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("argument \"%s\" must be %s", name, must),
			 errhint("%s", hint)));
}

/* A number that must be given, above 0. */
static double
rate_argument(FunctionCallInfo fcinfo, int arg, const char *name)
{
	double		rate = PG_ARGISNULL(arg) ? NAN : PG_GETARG_FLOAT8(arg);

	if (!(rate > 0) || isinf(rate))
		bad_argument(name, "a number above 0", "The defaults are 1e-8 and 1.");
	return rate;
}

/* Is the mode linear? */
static bool
mode_argument(FunctionCallInfo fcinfo)
{
	char	   *mode = osml_need_text(fcinfo, ARG_MODE, "mode");
	const char *nearest;

	if (pg_strcasecmp(mode, "linear") == 0)
		return true;
	if (pg_strcasecmp(mode, "exponential") == 0)
		return false;
	nearest = osml_nearest_of(mode, list_make2("exponential", "linear"));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unknown mode \"%s\"", mode),
			 nearest ? errhint("Perhaps you meant \"%s\".", nearest) :
			 errhint("The modes are exponential and linear.")));
}

/* What is asked for. */
static OsmlRange
take_arguments(FunctionCallInfo fcinfo)
{
	OsmlRange	range = {.on = true};

	range.min = rate_argument(fcinfo, ARG_MIN_LR, "min_lr");
	range.max = rate_argument(fcinfo, ARG_MAX_LR, "max_lr");
	if (range.max <= range.min)
		bad_argument("max_lr", "more than \"min_lr\"", "The rate rises from the one to the other.");
	range.steps = PG_ARGISNULL(ARG_NUM_TRAINING) ? 0 : PG_GETARG_INT32(ARG_NUM_TRAINING);
	if (range.steps < FEWEST_STEPS || range.steps > OSML_RANGE_MAX_STEPS)
		bad_argument("num_training", psprintf("from %d to %d", FEWEST_STEPS, OSML_RANGE_MAX_STEPS),
					 "It is a number of steps; the first ten and the last are never suggested.");
	range.linear = mode_argument(fcinfo);
	range.threshold = PG_ARGISNULL(ARG_THRESHOLD) ? INFINITY : PG_GETARG_FLOAT8(ARG_THRESHOLD);
	if (!(range.threshold > 1))
		bad_argument("early_stop_threshold", "above 1",
					 "The test ends when the loss is so many times its best; NULL: never.");
	return range;
}

/* The curve that the run has left in osml.metric. */
static void
put_curve(ReturnSetInfo *rsinfo, int64 run_id)
{
	int64		n;
	double	   *lr = osml_metric_values(run_id, OSML_RANGE_LR, &n);
	double	   *raw = osml_metric_values(run_id, OSML_RANGE_LOSS, &n);
	double	   *smoothed = osml_metric_values(run_id, OSML_RANGE_SMOOTHED, &n);
	int64		best = osml_range_suggest(smoothed, n);

	for (int64 i = 0; i < n; i++)
	{
		Datum		values[5] = {
			Int64GetDatum(i + 1), Float8GetDatum(lr[i]), Float8GetDatum(smoothed[i]),
			Float8GetDatum(raw[i]), BoolGetDatum(i == best)
		};
		bool		nulls[5] = {false};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	if (best < 0)
		ereport(WARNING,
				(errmsg("no learning rate is suggested: the loss was beyond early_stop_threshold, or not finite, after " INT64_FORMAT " steps",
						n),
				 errhint("Lower \"max_lr\", or raise \"num_training\".")));
}

Datum
osml_find_lr(PG_FUNCTION_ARGS)
{
	OsmlTrainRequest request = {.function = "osml_find_lr",.wait = true};
	int64		run_id;

	InitMaterializedSRF(fcinfo, 0);
	request.dataset = osml_need_text(fcinfo, ARG_DATASET, "dataset");
	request.hparams = PG_ARGISNULL(ARG_HPARAMS) ? NULL : PG_GETARG_JSONB_P(ARG_HPARAMS);
	request.range = take_arguments(fcinfo);
	run_id = osml_launch(&request, NULL);
	if (run_id > 0)
		put_curve((ReturnSetInfo *) fcinfo->resultinfo, run_id);
	return (Datum) 0;
}
