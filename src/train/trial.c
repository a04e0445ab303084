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
#include "features/fit.h"
#include "rules/average/average.h"
#include "osml.h"
#include "source/context_arena.h"
#include "source/encode.h"
#include "source/learn.h"
#include "source/shuffle.h"
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

/* a pass over the first blocks */
typedef struct Pass
{
	OsmlFitPass *fit;			/* learns; or else rows are encoded and kept */
	MemoryContext context;		/* of what is kept: a scan has one of its own */
	OsmlEncoder encoder;
	OsmlLayout	layout;
	OsmlColumnStats *stats;
	OsmlBlock **kept;
	int			n_kept;
	int			n_wanted;		/* by steps */
	int			n_blocks;
	int			n_classes;
	int64		rows;
	int64		first_rows;		/* of the first block */
	instr_time	began;
	double		first;			/* seconds until the first block was done */
	double		all;
} Pass;

static double
seconds_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

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
	OsmlBlock  *block = osml_encode_block(&pass->encoder, raw, NULL);
	double	   *label = osml_block_label(block, &pass->layout);
	uint64		hash[OSML_BLOCK_ROWS];

	for (int r = 0; pass->encoder.set->label_key && r < block->nrows; r++)
		label[r] = r % pass->n_classes;

	osml_row_hash_block(&pass->encoder.set->layout, raw, 0, hash);
	osml_stats_block(pass->stats, &pass->layout, block);
	if (block->nrows == 0)
		return;
	pass->kept[pass->n_kept] = osml_new_block(pass->context, &pass->layout);
	memcpy(pass->kept[pass->n_kept++], block, osml_block_bytes(&pass->layout));
}

static bool
take_block(void *arg, OsmlBlock *raw)
{
	Pass	   *pass = arg;

	CHECK_FOR_INTERRUPTS();
	if (pass->fit)
		osml_check_status(osml_fit_block(pass->fit, raw, NULL));
	else
		load_block(pass, raw);
	pass->rows += raw->nrows;
	pass->all = seconds_since(pass->began);
	if (pass->n_blocks++ == 0)
	{
		pass->first = pass->all;
		pass->first_rows = raw->nrows;
	}
	return pass->n_blocks < PASS_BLOCKS;
}

static void
take_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	Pass	   *pass = arg;

	osml_check_status(osml_fit_text(pass->fit, key_column, key, text, length));
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
		.text_sink = pass->fit ? take_text : NULL,
		.text_keys = pass->fit ? osml_wanted_texts(pass->fit, &set->layout) : 0,
		.arg = pass
	};
	double		pace;

	INSTR_TIME_SET_CURRENT(pass->began);
	for (int u = 0; u < source->n_units && pass->n_blocks < PASS_BLOCKS; u++)
		(void) osml_scan_unit(&scan, &source->units[u], 0, 0);
	trial->rows = Max(trial->rows, pass->rows);
	trial->whole = pass->n_blocks < PASS_BLOCKS;
	if (pass->rows == 0)
		return 0;
	if (pass->rows == pass->first_rows)
		return pass->all / pass->rows;
	pace = (pass->all - pass->first) / (pass->rows - pass->first_rows);
	trial->start = Max(trial->start, pass->first - pace * pass->first_rows);
	return pace;
}

/* Complete the set's program, pass by pass. */
static void
learn(const OsmlSource *source, OsmlFeatureSet *set, const char *dataset,
	  const OsmlHparams *hparams, OsmlTrial *trial)
{
	OsmlArena	arena = osml_context_arena(CurrentMemoryContext);
	OsmlStatus	status;
	OsmlFitPass *fit;

	if (osml_feature_set_prepare(set, dataset))
		return;
	while ((fit = osml_fit_begin(set->program, &arena, &status)) != NULL)
	{
		Pass		pass = {.fit = fit};
		int			bad = 0;
		char		message[256] = "";

		trial->learn_row += run_pass(&pass, source, set, hparams, trial);
		trial->n_learning++;
		if (osml_fit_end(fit, &bad, message) != OSML_OK)
			osml_step_error(set, dataset, bad, message);
	}
	osml_check_status(status);
}

/* As many prepared blocks as steps want, scaled as the rows read tell. */
static void
prepare(const OsmlModelSpec *spec, Pass *pass)
{
	int			n = spec->layout.n_dense;
	int			n_read = pass->n_kept;
	OsmlScaling scaling = {.n = n};

	scaling.center = palloc0(sizeof(double) * Max(1, n));
	scaling.scale = palloc0(sizeof(double) * Max(1, n));
	scaling.impute = palloc0(sizeof(double) * Max(1, n));
	for (int j = 0; j < n; j++)
	{
		scaling.center[j] = scaling.impute[j] = pass->stats[j].mean;
		scaling.scale[j] = osml_stats_std(&pass->stats[j]);
	}
	scaling.label_center = pass->stats[n].mean;
	scaling.label_scale = osml_stats_std(&pass->stats[n]);
	for (int i = 0; i < n_read; i++)
	{
		fill_up(&spec->layout, pass->kept[i]);
		osml_prepare_block(&scaling, &spec->layout, spec->precision, pass->kept[i]);
	}
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
	return seconds_since(start) / ((double) pass->n_kept * OSML_BLOCK_ROWS);
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
	} while ((seconds = seconds_since(start)) < ENOUGH);
	return seconds / rows;
}

/* Updates of the parameters, as fit.c takes them. */
static double
time_step(const OsmlModelSpec *spec, const OsmlHparams *hparams, void *params,
		  void *grad, void *state, void *averages)
{
	const OsmlBackend *backend = &osml_backend_cpu;
	OsmlOptim	optim = (OsmlOptim) hparams->optimizer;
	size_t		n = spec->ops->n_params(spec);
	OsmlOptimHyper hyper;
	OsmlOptimStep update;
	OsmlAverage average = {.kind = OSML_AVERAGE_EMA,.decay = hparams->ema_decay};
	double		seconds;
	int64		steps = 0;
	instr_time	start;

	osml_optim_defaults(optim, hparams->lr, &hyper);
	INSTR_TIME_SET_CURRENT(start);
	do
	{
		backend->scale(spec->precision, n, grad, 1.0);
		(void) backend->norm(spec->precision, n, grad);
		osml_optim_begin_step(&update, &hyper, hparams->lr, ++steps);
		backend->optim_step(spec->precision, optim, &update, n, params, grad, state);
		if (hparams->weight_averaging == 1 + OSML_AVERAGE_EMA)
			osml_average_update(&average, spec->precision, n, averages, params);
		CHECK_FOR_INTERRUPTS();
	} while ((seconds = seconds_since(start)) < ENOUGH);
	return seconds / steps;
}

/* What the step loop does with the kept blocks. */
static void
time_steps(const OsmlHparams *hparams, Pass *pass, OsmlTrial *trial)
{
	OsmlModelSpec spec = osml_run_spec(hparams, &pass->layout, pass->n_classes);
	Size		bytes = Max(1, spec.ops->n_params(&spec)) *
		osml_precision_size(spec.precision);
	int			slots = osml_optim_slots((OsmlOptim) hparams->optimizer);
	int			flags = MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO;
	void	   *params = MemoryContextAllocExtended(CurrentMemoryContext, bytes, flags);
	void	   *grad = MemoryContextAllocExtended(CurrentMemoryContext, bytes, flags);
	void	   *state = MemoryContextAllocExtended(CurrentMemoryContext,
												   bytes * Max(1, slots), flags);

	spec.loss_param = hparams->huber_delta;
	prepare(&spec, pass);
	/* one that is kept belongs to loading */
	if (hparams->shuffle == OSML_SHUFFLE_EPOCH)
		trial->epoch_row = time_shuffle(&spec, hparams, pass);
	else if (hparams->shuffle == OSML_SHUFFLE_ONCE)
		trial->shuffle_row = time_shuffle(&spec, hparams, pass);
	trial->epoch_row += time_gradient(&spec, hparams, pass, params, grad);
	trial->step = time_step(&spec, hparams, params, grad, state,
							MemoryContextAllocExtended(CurrentMemoryContext, bytes, flags));
}

void
osml_trial(const OsmlSource *source, OsmlFeatureSet *set, const char *dataset,
		   const OsmlHparams *hparams, int n_classes, double rows, OsmlTrial *trial)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "osml trial",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	Pass	   *pass = palloc0(sizeof(Pass));
	double		blocks;

	memset(trial, 0, sizeof(*trial));
	learn(source, set, dataset, hparams, trial);
	pass->context = context;
	pass->n_classes = n_classes;
	pass->layout = osml_model_layout(set);
	blocks = Min(ceil(rows / OSML_BLOCK_ROWS),
				 (double) (Min(STEP_BYTES, (Size) osml_max_memory * 1024) /
						   osml_block_memory(&pass->layout)));
	pass->n_wanted = (int) blocks;
	pass->kept = palloc(sizeof(OsmlBlock *) * Max(PASS_BLOCKS, pass->n_wanted));
	pass->stats = palloc(sizeof(OsmlColumnStats) * (pass->layout.n_dense + 1));
	osml_stats_init(pass->stats, pass->layout.n_dense + 1);
	pass->encoder.set = set;
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
