/*
 * validate.c
 *	  Measuring the model on validation or test rows, in the label's own units.
 *
 * A validation that may be the last one keeps residuals too, since a pass over rows
 * that are read again is not cheap; whether it was the last is seen by the weights.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "compute/mix.h"
#include "rules/metric/metric.h"
#include "source/context_arena.h"
#include "train/feed.h"
#include "train/monitor.h"
#include "train/validate.h"

/* rows predicted at a time: their predictions and labels stay in L1 */
#define TILE 256

/* what is measured, and room to do it in */
typedef struct Measuring
{
	OsmlRun    *run;
	MemoryContext context;		/* of all this */
	MemoryContext caller;
	OsmlArena	arena;
	int64		n;				/* rows so far */
	uint32		odd_row;		/* the first from which on the loss is not finite; 0: none */
	OsmlMeasure *measure;		/* or NULL */
	OsmlResiduals *residuals;	/* or NULL */
	double	   *z;				/* outputs of a tile */
} Measuring;

/* Weights of rows [start, end) of a prepared block as float64, or NULL. */
static const double *
weights_of(const OsmlRun *run, const OsmlBlock *block, int start, int end, double *room)
{
	const void *column;

	if (!run->layout.has_weight)
		return NULL;
	column = osml_block_column(block, run->layout.n_dense + 1);
	for (int i = start; i < end; i++)
		room[i - start] = run->spec.precision == OSML_FLOAT32 ?
			((const float *) column)[i] : ((const double *) column)[i];
	return room;
}

/* Add the losses of n rows from `start` of a block on, with outputs z. */
static void
add_losses(Measuring *measuring, OsmlBlock *block, int start, int n, const double *z,
		   const double *y, const double *weight)
{
	OsmlRun    *run = measuring->run;
	double	   *sum = &measuring->measure->loss_sum;

	for (int i = 0; i < n; i++)
	{
		*sum += (weight ? weight[i] : 1) *
			osml_loss_value(run->spec.loss, run->spec.n_outputs, n, z + i, y[i],
							run->hparams->huber_delta);
		if (!isfinite(*sum) && measuring->odd_row == 0)
			measuring->odd_row = osml_block_row_numbers(block, &run->layout)[start + i];
	}
}

/* Add rows [lo, hi) of a prepared block, the model's loss too. */
static void
measure_rows(Measuring *measuring, OsmlBlock *block, int lo, int hi)
{
	OsmlRun    *run = measuring->run;
	OsmlPredictor predictor = {run->spec, run->scaling, run->params};
	double	   *z = measuring->z;
	double		y[TILE];
	double		room[TILE];

	for (int start = lo; start < hi; start += TILE)
	{
		int			end = Min(start + TILE, hi);
		int			n = end - start;
		const double *weight = weights_of(run, block, start, end, room);

		osml_predictor_block(&predictor, run->backend, block, start, end, z, run->scratch);
		osml_prepared_labels(&run->scaling, &run->layout, run->spec.precision,
							 block, start, end, y);
		if (measuring->measure)
			add_losses(measuring, block, start, n, z, y, weight);
		osml_predictor_link(&predictor, n, z);
		if (measuring->measure)
			osml_check_status(osml_measure_add(measuring->measure, z, y, weight, n));
		if (measuring->residuals)
			osml_check_status(osml_residuals_add(measuring->residuals, z, y, weight, n));
	}
	measuring->n += hi - lo;
}

/* The rows of a part, or so many batches of its wrapped stream. */
static void
measure_part(Measuring *measuring, OsmlPartData *data, int64 wanted)
{
	uint32		epoch = 0;

	if (data->feed == NULL)
		data->feed = osml_feed_create(measuring->run, data, OSML_SHUFFLE_NONE, 0, 1);
	while (measuring->n < wanted)
	{
		OsmlBlock  *block;

		osml_feed_begin(data->feed, epoch++);
		while (measuring->n < wanted && (block = osml_feed_next(data->feed)) != NULL)
		{
			osml_run_check(measuring->run);
			measure_rows(measuring, block, 0, (int) Min(block->nrows, wanted - measuring->n));
		}
	}
}

/* What is made of the run itself from here on is to stay. */
static Measuring *
begin(OsmlRun *run)
{
	MemoryContext context = AllocSetContextCreate(run->context, "osml validation",
												  ALLOCSET_DEFAULT_SIZES);
	Measuring  *measuring = MemoryContextAllocZero(context, sizeof(Measuring));

	measuring->run = run;
	measuring->context = context;
	measuring->caller = MemoryContextSwitchTo(run->context);
	measuring->arena = osml_context_arena(context);
	measuring->z = MemoryContextAlloc(context, sizeof(double) * TILE * run->spec.n_outputs);
	return measuring;
}

static void
end(Measuring *measuring)
{
	MemoryContextSwitchTo(measuring->caller);
	MemoryContextDelete(measuring->context);
}

/* --- residuals ----------------------------------------------------------- */

bool
osml_calibrates(const OsmlRun *run)
{
	const OsmlPartData *val = &run->parts[OSML_PART_VAL];

	return run->classes == NULL && val->present && val->n_rows > 0 &&
		run->hparams->overfit_batches == 0 && run->hparams->fast_dev_run == 0 &&
		!run->plan->range.on;
}

static void
keep_residuals(Measuring *measuring)
{
	OsmlTask	task = osml_task_of_link(osml_losses[measuring->run->spec.loss].link);

	measuring->residuals = MemoryContextAlloc(measuring->context, sizeof(OsmlResiduals));
	osml_residuals_init(measuring->residuals, &measuring->arena, task);
}

/* All values of the model: weights of equal hashes are the same. */
static uint64
hash_weights(const OsmlRun *run)
{
	Size		bytes = osml_model_values(&run->spec) * osml_precision_size(run->spec.precision);
	uint64		hash = 0;

	for (Size i = 0; i < bytes; i += sizeof(uint64))
	{
		uint64		word = 0;

		memcpy(&word, (const char *) run->params + i, Min(sizeof(word), bytes - i));
		hash = osml_mix(hash, word);
	}
	return hash;
}

/* What the run keeps of them. */
static void
take_tails(Measuring *measuring)
{
	OsmlRun    *run = measuring->run;
	Size		bytes = sizeof(double) * osml_tail_length(measuring->residuals->n);

	run->tails.below = MemoryContextAllocZero(run->context, Max(1, bytes));
	run->tails.above = MemoryContextAllocZero(run->context, Max(1, bytes));
	osml_check_status(osml_residuals_tails(measuring->residuals, &run->tails));
	run->tails_of = hash_weights(run);
}

void
osml_calibrate(OsmlRun *run)
{
	OsmlPartData *data = &run->parts[OSML_PART_VAL];
	Measuring  *measuring;

	if (!osml_calibrates(run) || (run->tails.n > 0 && run->tails_of == hash_weights(run)))
		return;
	measuring = begin(run);
	keep_residuals(measuring);
	measure_part(measuring, data, data->n_rows);
	take_tails(measuring);
	end(measuring);
}

/* --- metrics ------------------------------------------------------------- */

/*
 * Log every metric of the list, and the model's loss if it is not among them.
 * Validations between steps may come as often as steps, and are rationed like
 * them; the caller asks for the last ones to be kept.
 */
static void
log_measures(OsmlRun *run, const char *phase, const OsmlMeasure *measure, bool always)
{
	const char *loss_name = osml_loss_name(run->spec.loss);
	char		name[NAMEDATALEN];

	run->validation_logged = always || osml_log_room(run, osml_metric_count() + 1);
	if (!run->validation_logged)
		return;
	for (int i = 0; i < osml_metric_count(); i++)
	{
		if (!osml_metric_applies(i, measure))
			continue;
		snprintf(name, sizeof(name), "%s_%s", phase, osml_metric_name(i));
		osml_log_metric(run, phase, name, osml_metric_value(i, measure));
	}
	if (osml_metric_by_name(loss_name) < 0)
	{
		snprintf(name, sizeof(name), "%s_%s", phase, loss_name);
		osml_log_metric(run, phase, name, osml_measure_loss(measure));
	}
}

/* Once a run, what ranks its versions and ends it may be of no use. */
static void
report_odd(Measuring *measuring, OsmlPartData *data, const char *phase, double loss)
{
	OsmlRun    *run = measuring->run;

	if (isfinite(loss) || measuring->odd_row == 0 || data->told)
		return;
	data->told = true;
	osml_log_event(run, "warning", "loss_not_finite",
				   psprintf("%s_loss is %g after step " INT64_FORMAT ": it is not finite from row %u of %s on",
							phase, loss, run->row.steps, measuring->odd_row,
							run->plan->parts[data->kind].source.label));
}

/* Measure a part, settled; residuals too where they are wanted. */
static double
measure_loss(Measuring *measuring, OsmlPartKind part, int64 limit, bool residuals)
{
	OsmlRun    *run = measuring->run;
	OsmlPartData *data = &run->parts[part];

	measuring->measure =
		osml_measure_create(&measuring->arena, osml_task_of_link(osml_losses[run->spec.loss].link),
							run->spec.n_outputs, OSML_RANKED_ALL);
	if (measuring->measure == NULL)
		osml_check_status(OSML_OUT_OF_MEMORY);
	if (part == OSML_PART_VAL && limit == OSML_AUTO && residuals && osml_calibrates(run))
		keep_residuals(measuring);
	measure_part(measuring, data, limit == OSML_AUTO ? data->n_rows :
				 (int64) Min((double) limit * run->hparams->batch_size, 9e18));
	osml_check_status(osml_measure_settle(measuring->measure));
	if (measuring->residuals)
		take_tails(measuring);
	return osml_measure_loss(measuring->measure);
}

double
osml_val_loss(OsmlRun *run)
{
	const OsmlPartData *data = &run->parts[OSML_PART_VAL];
	Measuring  *measuring;
	double		loss;

	if (!data->present || data->n_rows == 0)
		return NAN;
	measuring = begin(run);
	loss = measure_loss(measuring, OSML_PART_VAL, run->hparams->limit_val_batches, true);
	end(measuring);
	return loss;
}

double
osml_validate(OsmlRun *run, OsmlPartKind part, const char *phase, int64 limit,
			  bool always)
{
	OsmlPartData *data = &run->parts[part];
	Measuring  *measuring;
	const char *before;
	double		loss;

	if (!data->present || data->n_rows == 0)
		return NAN;
	before = osml_run_phase(run, "validating");
	measuring = begin(run);
	loss = measure_loss(measuring, part, limit, always);
	log_measures(run, phase, measuring->measure, always);
	report_odd(measuring, data, phase, loss);
	if (part == OSML_PART_VAL)
		osml_monitor_offer(run, measuring->measure, loss);
	end(measuring);
	(void) osml_run_phase(run, before);
	return loss;
}
