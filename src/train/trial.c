/*
 * trial.c
 *	  Timing a few blocks: see trial.h.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "compute/rowhash.h"
#include "model/gradient.h"
#include "rules/average/average.h"
#include "osml.h"
#include "source/encode.h"
#include "source/shuffle.h"
#include "train/account.h"
#include "train/load.h"
#include "train/run.h"
#include "train/trial.h"

/* blocks of a pass */
#define PASS_BLOCKS 32

/*
 * Bytes that steps walk over, in copies of those blocks: what fits a cache is
 * several times as fast as the rows of a run will be.
 */
#define STEP_BYTES ((Size) 64 * 1024 * 1024)

/* what is timed is done again until it has taken so long, in seconds */
#define ENOUGH 0.02

/* a pass over the first blocks, which are encoded and kept */
typedef struct Pass
{
	MemoryContext context;		/* of what is kept: a scan has one of its own */
	OsmlEncoder encoder;
	OsmlLayout	layout;
	OsmlColumnStats *stats;
	const OsmlHparams *hparams;
	OsmlBlock **kept;
	int			n_rows[PASS_BLOCKS];	/* of each that was read */
	int			n_kept;
	int			n_wanted;		/* by steps */
	int			n_blocks;
	int64		rows;
	int64		first_rows;		/* of the first block */
	instr_time	began;
	double		making;			/* seconds of features, statistics and keeping */
	double		first;			/* seconds until the first block was done */
	double		all;
} Pass;

/* Fill the block up with its own rows: only full ones are shuffled together. */
static void
fill_up(const OsmlLayout *layout, OsmlBlock *block)
{
	while (block->nrows < OSML_BLOCK_ROWS)
	{
		int			n = Min(block->nrows, OSML_BLOCK_ROWS - block->nrows);

		for (int j = 0; j < osml_layout_wide(layout); j++)
			memcpy(osml_block_column(block, j) + block->nrows, osml_block_column(block, j),
				   n * sizeof(double));
		for (int k = 0; k < osml_layout_narrow(layout); k++)
			memcpy(osml_block_codes(block, layout, k) + block->nrows,
				   osml_block_codes(block, layout, k), n * sizeof(int32));
		block->nrows += n;
	}
}

/* A block of the load pass: made into features, counted and kept, as load.c does. */
static void
load_block(Pass *pass, OsmlBlock *raw)
{
	uint64		hash[OSML_BLOCK_ROWS];
	OsmlBlock  *block;
	OsmlBlock  *kept = osml_new_block(pass->context, &pass->layout);
	int			next = 0;

	osml_row_hash_block(&pass->encoder.set->layout, raw, 0, hash);
	block = osml_encode_block(&pass->encoder, raw, hash);
	if (pass->hparams->val_fraction > 0)
		osml_split_rows(pass->hparams, &pass->layout, block, hash, 2, kept, NULL, &next);
	else
		memcpy(kept, block, osml_block_bytes(&pass->layout));
	osml_stats_block(pass->stats, &pass->layout, kept);
	if (kept->nrows == 0)
	{
		pfree(kept);
		return;
	}
	pass->n_rows[pass->n_kept] = kept->nrows;
	pass->kept[pass->n_kept++] = kept;
}

static bool
take_block(void *arg, OsmlBlock *raw)
{
	Pass	   *pass = arg;
	instr_time	start;
	int			rows;

	CHECK_FOR_INTERRUPTS();
	rows = raw->nrows;
	INSTR_TIME_SET_CURRENT(start);
	load_block(pass, raw);
	pass->making += osml_seconds_since(start);
	pass->rows += rows;
	pass->all = osml_seconds_since(pass->began);
	if (pass->n_blocks++ == 0)
	{
		pass->first = pass->all;
		pass->first_rows = rows;
	}
	return pass->n_blocks < PASS_BLOCKS;
}

/*
 * Read the first blocks; returns the seconds a row.  The time before the first
 * block, of a sort say, is a pass's own, unless there is no second block to tell.
 */
static double
run_pass(Pass *pass, const OsmlSource *source, const OsmlFeatureSet *set,
		 const OsmlHparams *hparams, OsmlTrial *trial)
{
	OsmlScan	scan = {
		.set = set,
		.on_null = hparams->on_null == OSML_ON_NULL_ERROR ? OSML_ON_NULL_SKIP : hparams->on_null,
		.on_nonfinite = OSML_ON_NONFINITE_SKIP,
		.sink = take_block,
		.arg = pass
	};
	double		pace;

	INSTR_TIME_SET_CURRENT(pass->began);
	for (int u = 0; u < source->n_units && pass->n_blocks < PASS_BLOCKS; u++)
		(void) osml_scan_unit(&scan, &source->units[u], 0, 0);
	trial->rows = pass->rows;
	if (pass->rows == 0)
		return 0;
	trial->make_row = pass->making / pass->rows;
	if (pass->rows == pass->first_rows)
		return pass->all / pass->rows;
	pace = (pass->all - pass->first) / (pass->rows - pass->first_rows);
	trial->start = Max(0, pass->first - pace * pass->first_rows);
	return pace;
}

/* Scale the blocks that were read as a run would that had read no others. */
static void
scale_blocks(OsmlModelSpec *spec, Pass *pass)
{
	int			n = spec->layout.n_dense;
	OsmlScaling scaling = {.n = n};

	scaling.center = palloc0(sizeof(double) * Max(1, n));
	scaling.scale = palloc0(sizeof(double) * Max(1, n));
	scaling.impute = palloc0(sizeof(double) * Max(1, n));
	osml_scaling_fill(pass->encoder.set, pass->hparams, pass->stats, &scaling);
	spec->loss_param = pass->hparams->huber_delta / scaling.label_scale;
	for (int i = 0; i < pass->n_kept; i++)
	{
		fill_up(&spec->layout, pass->kept[i]);
		osml_prepare_block(&scaling, &spec->layout, spec->precision, pass->kept[i]);
	}
}

/* As many prepared blocks as steps want. */
static void
multiply_blocks(const OsmlModelSpec *spec, Pass *pass)
{
	int			n_read = pass->n_kept;

	for (int i = n_read; i < pass->n_wanted; i++)
	{
		CHECK_FOR_INTERRUPTS();
		pass->kept[i] = osml_new_block(pass->context, &spec->layout);
		memcpy(pass->kept[pass->n_kept++], pass->kept[i % n_read],
			   osml_block_bytes(&spec->layout));
	}
}

/* A shuffle of all blocks; what a row takes. */
static double
time_shuffle(const OsmlModelSpec *spec, const OsmlHparams *hparams, Pass *pass)
{
	OsmlShuffleKey key = {hparams->seed, 0, 0};
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	osml_shuffle_rows(&spec->layout, spec->precision, pass->kept, pass->n_kept, key);
	return osml_seconds_since(start) / ((double) pass->n_kept * OSML_BLOCK_ROWS);
}

/* Gradients of batches, block after block; what a row takes. */
static double
time_gradient(const OsmlModelSpec *spec, const OsmlHparams *hparams, const Pass *pass,
			  void *params, void *grad)
{
	int			batch = (int) Min(hparams->batch_size, OSML_BLOCK_ROWS);
	void	   *scratch = palloc0(spec->ops->scratch(spec, batch));
	OsmlRowsAt	at = {0, 0};
	OsmlAnomaly unused;
	double		loss_sum = 0;
	double		seconds;
	int64		rows = 0;
	instr_time	start;

	INSTR_TIME_SET_CURRENT(start);
	do
	{
		for (int i = 0; i < pass->n_kept; i++)
		{
			const OsmlBlock *block = pass->kept[i];

			for (int lo = 0; lo < block->nrows; lo += batch)
			{
				int			hi = Min(lo + batch, block->nrows);

				if (hparams->detect_anomaly)
					(void) spec->ops->find_anomaly(spec, &osml_backend_cpu, block, lo, hi, at,
												   params, scratch, &unused);
				spec->ops->accumulate(spec, &osml_backend_cpu, block, lo, hi, at, params, grad,
									  &loss_sum, scratch);
			}
			rows += block->nrows;
		}
		CHECK_FOR_INTERRUPTS();
	} while ((seconds = osml_seconds_since(start)) < ENOUGH);
	return seconds / rows;
}

/* Is a step's gradient one that a run goes on with? */
static bool
is_finite(const OsmlModelSpec *spec, double loss_sum, double weight, void *grad)
{
	size_t		n = spec->ops->n_params(spec);

	weight = weight > 0 ? weight : 1;
	osml_backend_cpu.scale(&osml_backend_cpu, spec->precision, n, grad, 1.0 / weight);
	return isfinite(loss_sum / weight) &&
		isfinite(osml_backend_cpu.norm(&osml_backend_cpu, spec->precision, n, grad, NULL));
}

/*
 * Batches of the rows that were read, in their order, each with the parameters
 * of step 0: values so large that a step ends in infinity are found without one.
 */
static void
foresee_steps(const OsmlModelSpec *spec, const Pass *pass, void *params, void *grad,
			  OsmlTrial *trial)
{
	int64		batch = Min(pass->hparams->batch_size, PASS_BLOCKS * OSML_BLOCK_ROWS);
	void	   *scratch = palloc0(spec->ops->scratch(spec, batch));
	Size		bytes = spec->ops->n_params(spec) * osml_precision_size(spec->precision);
	OsmlRowsAt	at = {0, 0};
	double		loss_sum = 0;
	double		weight = 0;
	int64		rows = 0;
	int			n_read = pass->n_kept;

	for (int i = 0, lo = 0; i < n_read && !trial->explodes;)
	{
		int			hi = (int) Min(pass->n_rows[i], lo + batch - at.row);

		spec->ops->accumulate(spec, &osml_backend_cpu, pass->kept[i], lo, hi, at, params,
							  grad, &loss_sum, scratch);
		weight += osml_run_weight(spec, pass->kept[i], lo, hi);
		at.row += hi - lo;
		rows += hi - lo;
		lo = hi;
		if (lo == pass->n_rows[i])
		{
			lo = 0;
			i++;
		}
		if (at.row < batch && i < n_read)
			continue;
		if (spec->ops->end_batch)
			spec->ops->end_batch(spec, &osml_backend_cpu, params, grad, &loss_sum, scratch);
		trial->explodes = !is_finite(spec, loss_sum, weight, grad);
		memset(grad, 0, bytes);
		loss_sum = weight = 0;
		at.row = 0;
		at.batch++;
		CHECK_FOR_INTERRUPTS();
	}
	trial->one_step = pass->n_blocks < PASS_BLOCKS && at.batch == 1 && rows <= batch;
	pfree(scratch);
}

/* The gradient of a batch: what it touches, for its values do not matter. */
static OsmlGradient
batch_gradient(const OsmlModelSpec *spec, const Pass *pass, void *grad)
{
	size_t		pages = osml_gradient_pages(spec);
	OsmlGradient gradient;
	int64		rows = 0;

	osml_gradient_init(&gradient, spec, &osml_backend_cpu, grad,
					   pages > 0 ? palloc0(sizeof(uint64) * pages) : NULL);
	for (int i = 0; i < pass->n_kept && rows < pass->hparams->batch_size; i++)
	{
		int			n = (int) Min(pass->kept[i]->nrows, pass->hparams->batch_size - rows);

		osml_gradient_rows(&gradient, pass->kept[i], 0, n);
		rows += n;
	}
	return gradient;
}

/* Updates of the parameters, as fit.c takes them. */
static double
time_step(const OsmlModelSpec *spec, const Pass *pass, void *params,
		  void *grad, void *state, void *averages)
{
	const OsmlHparams *hparams = pass->hparams;
	OsmlGradient gradient = batch_gradient(spec, pass, grad);
	OsmlOptim	optim = (OsmlOptim) hparams->optimizer;
	size_t		n = spec->ops->n_params(spec);
	OsmlOptimHyper hyper;
	OsmlOptimStep update;
	OsmlAverage average = {.kind = OSML_AVERAGE_EMA,.decay = hparams->ema_decay};
	double		seconds;
	int64		steps = 0;
	instr_time	start;

	osml_optim_defaults(optim, hparams->lr, &hyper);
	hyper.momentum = hparams->momentum;
	hyper.weight_decay = hparams->weight_decay;
	INSTR_TIME_SET_CURRENT(start);
	do
	{
		osml_gradient_scale(&gradient, 1.0);
		(void) osml_gradient_norm(&gradient);
		osml_optim_begin_step(&update, &hyper, hparams->lr, ++steps);
		osml_gradient_step(&gradient, optim, &update, params, state);
		if (hparams->weight_averaging == 1 + OSML_AVERAGE_EMA)
			osml_average_update(&average, spec->precision, n, averages, params);
		CHECK_FOR_INTERRUPTS();
	} while ((seconds = osml_seconds_since(start)) < ENOUGH);
	return seconds / steps;
}

/* What the step loop does with the kept blocks. */
static void
time_steps(const OsmlHparams *hparams, Pass *pass, OsmlTrial *trial)
{
	OsmlModelSpec spec = osml_run_spec(hparams, &pass->layout,
									   pass->encoder.classes ? pass->encoder.classes->n : 0);
	Size		bytes = Max(1, osml_model_values(&spec)) *
		osml_precision_size(spec.precision);
	int			slots = osml_optim_slots((OsmlOptim) hparams->optimizer);
	int			flags = MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO;
	void	   *params = MemoryContextAllocExtended(CurrentMemoryContext, bytes, flags);
	void	   *grad = MemoryContextAllocExtended(CurrentMemoryContext, bytes, flags);
	void	   *state = MemoryContextAllocExtended(CurrentMemoryContext,
												   bytes * Max(1, slots), flags);

	scale_blocks(&spec, pass);
	osml_run_init(&spec, hparams, params);
	foresee_steps(&spec, pass, params, grad, trial);
	multiply_blocks(&spec, pass);
	/* one that is kept belongs to loading */
	if (hparams->shuffle == OSML_SHUFFLE_EPOCH)
		trial->epoch_row = time_shuffle(&spec, hparams, pass);
	else if (hparams->shuffle == OSML_SHUFFLE_ONCE)
		trial->shuffle_row = time_shuffle(&spec, hparams, pass);
	trial->epoch_row += time_gradient(&spec, hparams, pass, params, grad);
	trial->step = time_step(&spec, pass, params, grad, state,
							MemoryContextAllocExtended(CurrentMemoryContext, bytes, flags));
}

void
osml_trial(const OsmlSource *source, const OsmlFeatureSet *set, const OsmlHparams *hparams,
		   const OsmlClasses *classes, double rows, OsmlTrial *trial)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "osml trial",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Pass	   *pass = palloc0(sizeof(Pass));
	double		blocks;

	memset(trial, 0, sizeof(*trial));
	pass->context = context;
	pass->hparams = hparams;
	pass->layout = osml_model_layout(set);
	blocks = Min(ceil(rows / OSML_BLOCK_ROWS),
				 (double) (Min(STEP_BYTES, (Size) osml_max_memory * 1024) /
						   osml_block_memory(&pass->layout)));
	pass->n_wanted = (int) blocks;
	pass->kept = palloc(sizeof(OsmlBlock *) * Max(PASS_BLOCKS, pass->n_wanted));
	pass->stats = palloc(sizeof(OsmlColumnStats) * (pass->layout.n_dense + 1));
	osml_stats_init(pass->stats, pass->layout.n_dense + 1);
	pass->encoder.set = set;
	pass->encoder.classes = classes;
	pass->encoder.on_null = hparams->on_null == OSML_ON_NULL_ERROR ? OSML_ON_NULL_SKIP :
		hparams->on_null;
	pass->encoder.on_nonfinite = OSML_ON_NONFINITE_SKIP;
	pass->encoder.label = source->label;
	osml_encoder_init(&pass->encoder);
	trial->read_row = run_pass(pass, source, set, hparams, trial);
	if (pass->n_kept > 0 && !osml_optimizer_is_exact(hparams->optimizer))
		time_steps(hparams, pass, trial);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(context);
}
