/*
 * validate.c
 *	  Measuring the model on validation or test rows, in the label's own units.
 */
#include "postgres.h"

#include <math.h>

#include "rules/metric/metric.h"
#include "train/feed.h"
#include "train/validate.h"

/* rows predicted at a time: their predictions and labels stay in L1 */
#define TILE 256

/* Add rows [lo, hi) of a prepared block to the sums, the model's loss too. */
static void
measure_rows(OsmlRun *run, const OsmlBlock *block, int lo, int hi, double *z,
			 OsmlMetricSums *sums)
{
	OsmlPredictor predictor = {run->spec, run->scaling, run->params};
	double		y[TILE];

	for (int start = lo; start < hi; start += TILE)
	{
		int			end = Min(start + TILE, hi);
		int			n = end - start;

		osml_predictor_block(&predictor, run->backend, block, start, end, z, run->scratch);
		osml_prepared_labels(&run->scaling, &run->layout, run->spec.precision,
							 block, start, end, y);
		for (int i = 0; i < n; i++)
			sums->loss_sum += osml_loss_value(run->spec.loss, run->spec.n_outputs, n, z + i,
											  y[i], run->hparams->huber_delta);
		osml_predictor_link(&predictor, n, z);
		osml_metric_add(sums, z, y, n);
	}
}

/*
 * Log every metric of the list, and the model's loss if it is not among them.
 * Validations between steps may come as often as steps, and are rationed like
 * them; the caller asks for the last ones to be kept.
 */
static double
log_measures(OsmlRun *run, const char *phase, const OsmlMetricSums *sums, bool always)
{
	double		loss = sums->loss_sum / sums->n;
	const char *loss_name = osml_loss_name(run->spec.loss);
	char		name[NAMEDATALEN];

	run->validation_logged = always || osml_log_room(run, osml_metric_count() + 1);
	if (!run->validation_logged)
		return loss;
	for (int i = 0; i < osml_metric_count(); i++)
	{
		snprintf(name, sizeof(name), "%s_%s", phase, osml_metric_name(i));
		osml_log_metric(run, phase, name, osml_metric_value(i, sums));
	}
	if (osml_metric_by_name(loss_name) < 0)
	{
		snprintf(name, sizeof(name), "%s_%s", phase, loss_name);
		osml_log_metric(run, phase, name, loss);
	}
	return loss;
}

double
osml_validate(OsmlRun *run, OsmlPartKind part, const char *phase, int64 limit,
			  bool always)
{
	OsmlPartData *data = &run->parts[part];
	double	   *z = palloc(sizeof(double) * TILE * run->spec.n_outputs);
	OsmlMetricSums sums = {0};
	int64		wanted;
	uint32		epoch = 0;

	if (!data->present || data->n_rows == 0)
		return NAN;
	if (data->feed == NULL)
		data->feed = osml_feed_create(run, data, OSML_SHUFFLE_NONE, 0, 1);
	wanted = limit == OSML_AUTO ? data->n_rows :
		(int64) Min((double) limit * run->hparams->batch_size, 9e18);
	while (sums.n < wanted)
	{
		OsmlBlock  *block;

		osml_feed_begin(data->feed, epoch++);
		while (sums.n < wanted && (block = osml_feed_next(data->feed)) != NULL)
		{
			osml_run_check(run);
			measure_rows(run, block, 0, (int) Min(block->nrows, wanted - sums.n), z, &sums);
		}
	}
	return log_measures(run, phase, &sums, always);
}
