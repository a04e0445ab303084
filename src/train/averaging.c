/*
 * averaging.c
 *	  Averages of the weights: see averaging.h.
 */
#include "postgres.h"

#include <math.h>

#include "rules/average/anneal.h"
#include "train/averaging.h"
#include "train/length.h"

/* number of the pass that measures; 0 is the one that counts streamed rows */
#define MEASURING_PASS 1

/* The epoch, from 0, that "swa_epoch_start" means of so many. */
static int64
first_epoch(const OsmlHparams *hparams, int64 epochs)
{
	double		start = hparams->swa_epoch_start;

	return (int64) Max(1, start < 1 ? floor(start * epochs) : start) - 1;
}

/* Counts of batches among the buffers: an average of them would be no count. */
static void
find_counters(OsmlAveraging *averaging, OsmlRun *run)
{
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = run->spec.ops->tensors(&run->spec, tensors);

	averaging->counters = MemoryContextAlloc(run->context, sizeof(size_t) * Max(1, n));
	for (int i = 0; i < n; i++)
	{
		if (tensors[i].buffer && tensors[i].ndim == 0)
			averaging->counters[averaging->n_counters++] = tensors[i].offset;
	}
}

void
osml_averaging_setup(OsmlAveraging *averaging, OsmlRun *run, int64 epochs)
{
	const OsmlHparams *hparams = run->hparams;

	memset(averaging, 0, sizeof(*averaging));
	averaging->on = hparams->weight_averaging > 0;
	if (!averaging->on)
		return;
	averaging->first_epoch = first_epoch(hparams, epochs);
	averaging->average = (OsmlAverage)
	{
		.kind = (OsmlAverageKind) (hparams->weight_averaging - 1),
		.decay = hparams->ema_decay
	};
	averaging->rate_before = NAN;
	averaging->n_values = osml_model_values(&run->spec);
	averaging->values = osml_run_alloc(run, averaging->n_values *
									   osml_precision_size(run->spec.precision));
	find_counters(averaging, run);
}

static bool
is_swa(const OsmlAveraging *averaging)
{
	return averaging->on && averaging->average.kind == OSML_AVERAGE_SWA;
}

double
osml_averaging_rate(OsmlAveraging *averaging, const OsmlRun *run, double lr)
{
	const OsmlHparams *hparams = run->hparams;
	int64		passed = run->row.epoch - averaging->first_epoch;

	if (!is_swa(averaging) || isnan(hparams->swa_lrs) || passed < 0)
		return lr;
	if (isnan(averaging->rate_before))
		averaging->rate_before = lr;
	return osml_anneal((OsmlAnneal) hparams->annealing_strategy, averaging->rate_before,
					   hparams->swa_lrs, passed, hparams->annealing_epochs);
}

static void
update(OsmlAveraging *averaging, OsmlRun *run)
{
	Size		width = osml_precision_size(run->spec.precision);

	osml_average_update(&averaging->average, run->spec.precision, averaging->n_values,
						averaging->values, run->params);
	for (int i = 0; i < averaging->n_counters; i++)
		memcpy((char *) averaging->values + averaging->counters[i] * width,
			   (char *) run->params + averaging->counters[i] * width, width);
}

void
osml_averaging_step(OsmlAveraging *averaging, OsmlRun *run)
{
	if (averaging->on && !is_swa(averaging))
		update(averaging, run);
}

/*
 * Running statistics of the averaged weights, which never saw a batch: those of the
 * training rows in batches as they are trained with, all of which count the same.
 */
static void
measure_buffers(OsmlAveraging *averaging, OsmlRun *run)
{
	const OsmlModelOps *ops = run->spec.ops;
	const OsmlHparams *hparams = run->hparams;
	OsmlRowsAt	at = {0, 0};
	OsmlBlock  *block;
	int64		left = osml_length_rows(hparams, run->parts[OSML_PART_TRAIN].n_rows);
	double		unused = 0;

	averaging->stale = false;
	if (averaging->n_values == ops->n_params(&run->spec))
		return;
	if (averaging->feed == NULL)
		averaging->feed = osml_feed_create(run, &run->parts[OSML_PART_TRAIN],
										   OSML_SHUFFLE_NONE, 0, 1);
	ops->reset_buffers(&run->spec, averaging->values);
	osml_feed_begin(averaging->feed, MEASURING_PASS);
	while (left > 0 && (block = osml_feed_next(averaging->feed)) != NULL)
	{
		osml_run_check(run);
		for (int lo = 0; lo < block->nrows && left > 0;)
		{
			int			n = (int) Min(Min(block->nrows - lo, left),
									  hparams->batch_size - at.row);

			ops->accumulate(&run->spec, run->backend, block, lo, lo + n, at,
							averaging->values, NULL, &unused, run->scratch);
			lo += n;
			left -= n;
			at.row += n;
			if (at.row < hparams->batch_size)
				continue;
			ops->count_batch(&run->spec, run->backend, averaging->values, run->scratch);
			at = (OsmlRowsAt)
			{
				at.batch + 1, 0
			};
		}
	}
	if (at.row > 0 && !(hparams->drop_last && at.batch > 0))
		ops->count_batch(&run->spec, run->backend, averaging->values, run->scratch);
}

void
osml_averaging_epoch(OsmlAveraging *averaging, OsmlRun *run, bool measure)
{
	if (!is_swa(averaging) || run->row.epoch < averaging->first_epoch)
		return;
	update(averaging, run);
	averaging->stale = true;
	if (measure)
		measure_buffers(averaging, run);
}

void *
osml_averaging_weights(const OsmlAveraging *averaging, const OsmlRun *run)
{
	return averaging->average.n > 0 ? averaging->values : run->params;
}

void
osml_averaging_end(OsmlAveraging *averaging, OsmlRun *run)
{
	if (!averaging->on)
		return;
	osml_run_summary_number(run, "averaged", (double) averaging->average.n);
	if (averaging->average.n == 0)
		osml_log_event(run, "warning", "not_averaged",
					   psprintf("the run ended in epoch " INT64_FORMAT ", before epoch " INT64_FORMAT
								", the first that \"swa_epoch_start\" averages: the weights are the last ones",
								run->row.epoch + 1, averaging->first_epoch + 1));
	if (averaging->stale)
		measure_buffers(averaging, run);
	run->params = osml_averaging_weights(averaging, run);
}
