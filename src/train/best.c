/*
 * best.c
 *	  The weights of a run at the best values of the monitored metric: see best.h.
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "catalog/checkpoint.h"
#include "train/best.h"
#include "train/validate.h"
#include "train/version.h"
#include "train/weights.h"
#include "train/worker.h"

/* the range of "save_top_k" */
#define MAX_KEPT 100

typedef struct Kept
{
	double		value;
	int64		step;
	OsmlTails	tails;			/* from osml_best_take() on */
	double		val_loss;		/* the same; NaN without validation rows */
} Kept;

struct OsmlBest
{
	bool		max;
	int			n;
	Kept		kept[MAX_KEPT];	/* in the order of their steps */
	void	   *last;			/* "save_last": parameters and losses of the end */
	double		last_train_loss;
	double		last_val_loss;
	OsmlTails	last_tails;
};

static Size
weights_bytes(const OsmlRun *run)
{
	return osml_model_values(&run->spec) * osml_precision_size(run->spec.precision);
}

/* A run that goes on has some already. */
static void
recall(OsmlRun *run)
{
	MemoryContext old = CurrentMemoryContext;
	List	   *rows;
	ListCell   *cell;

	osml_worker_begin(run->plan);
	rows = osml_checkpoint_list_best(run->row.run_id);
	foreach(cell, rows)
	{
		const OsmlCheckpointRow *row = lfirst(cell);

		if (run->best->n < MAX_KEPT)
			run->best->kept[run->best->n++] = (Kept) {.value = row->value, .step = row->step,
				.val_loss = NAN};
	}
	osml_worker_end();
	MemoryContextSwitchTo(old);
}

void
osml_best_setup(OsmlRun *run, bool max)
{
	if (run->hparams->save_top_k == 0 || run->hparams->fast_dev_run > 0 || run->plan->range.on)
		return;
	run->best = MemoryContextAllocZero(run->context, sizeof(struct OsmlBest));
	run->best->max = max;
	/* of the bytes that are stored */
	osml_run_take(run, weights_bytes(run));
	if (run->hparams->save_last)
		run->best->last = osml_run_alloc(run, weights_bytes(run));
	if (run->plan->resume)
		recall(run);
}

static bool
is_better(const struct OsmlBest *best, double a, double b)
{
	return best->max ? a > b : a < b;
}

/* The place of the worst, or of the best; of equals the earlier is the better. */
static int
find(const struct OsmlBest *best, bool worst)
{
	int			found = 0;

	for (int i = 1; i < best->n; i++)
	{
		if (worst ? !is_better(best, best->kept[i].value, best->kept[found].value) :
			is_better(best, best->kept[i].value, best->kept[found].value))
			found = i;
	}
	return found;
}

/* The weights as they are now, in place of those of step evicted. */
static void
save(OsmlRun *run, const char *monitor, double value, double val_loss, int64 evicted)
{
	MemoryContext old = CurrentMemoryContext;
	const char *before = osml_run_phase(run, "writing a checkpoint");
	OsmlSafetensor *tensors;
	OsmlSafetensorsMeta meta[] = {{"format", "osml"}};
	OsmlCheckpointRow row = {
		.run_id = run->row.run_id,
		.kind = OSML_CHECKPOINT_BEST,
		.step = run->row.steps,
		.epoch = run->row.epoch,
		.monitor = monitor,
		.value = value,
		.train_loss = run->train_loss,
		.val_loss = val_loss
	};

	osml_worker_begin(run->plan);
	tensors = palloc(sizeof(OsmlSafetensor) * OSML_MAX_TENSORS);
	row.state = osml_weights_pack(tensors, osml_weights_tensors(run, tensors), meta,
								  lengthof(meta));
	osml_checkpoint_put_best(&row, evicted);
	osml_worker_end();
	MemoryContextSwitchTo(old);
	(void) osml_run_phase(run, before);
}

void
osml_best_offer(OsmlRun *run, const char *monitor, double value, double val_loss)
{
	struct OsmlBest *best = run->best;
	int64		evicted = -1;
	int			worst;

	if (best == NULL || !isfinite(value) ||
		(best->n > 0 && best->kept[best->n - 1].step == run->row.steps))
		return;
	if (best->n == run->hparams->save_top_k)
	{
		worst = find(best, true);
		if (!is_better(best, value, best->kept[worst].value))
			return;
		evicted = best->kept[worst].step;
		best->n--;
		memmove(&best->kept[worst], &best->kept[worst + 1],
				sizeof(Kept) * (best->n - worst));
	}
	best->kept[best->n++] = (Kept) {.value = value, .step = run->row.steps, .val_loss = NAN};
	save(run, monitor, value, val_loss, evicted);
}

/* The run's weights are now those of a step, as its version has them; in a transaction. */
static void
load(OsmlRun *run, int64 step)
{
	OsmlCheckpointRow *row = osml_checkpoint_best(run->row.run_id, step);
	OsmlSafetensors file;

	osml_weights_open(row->state, &file);
	osml_weights_load(run, &file);
	pfree(row->state);
	osml_settle_unseen(run);
	run->train_loss = row->train_loss;
	run->val_loss = row->val_loss;
}

/* The same in a transaction of its own, and what is to be measured of them. */
static void
calibrate(OsmlRun *run, Kept *kept)
{
	MemoryContext old = CurrentMemoryContext;

	osml_worker_begin(run->plan);
	load(run, kept->step);
	osml_worker_end();
	MemoryContextSwitchTo(old);
	if (isnan(run->val_loss))
		run->val_loss = osml_val_loss(run);
	osml_calibrate(run);
	kept->tails = run->tails;
	kept->val_loss = run->val_loss;
}

/* The last weights, which the run still has. */
static void
take_last(OsmlRun *run)
{
	struct OsmlBest *best = run->best;

	osml_settle_unseen(run);
	osml_calibrate(run);
	memcpy(best->last, run->params, weights_bytes(run));
	best->last_train_loss = run->train_loss;
	best->last_val_loss = run->val_loss;
	best->last_tails = run->tails;
}

void
osml_best_take(OsmlRun *run)
{
	struct OsmlBest *best = run->best;
	Kept	   *kept;

	if (best == NULL || best->n == 0)
		return;
	if (best->last)
		take_last(run);
	kept = &best->kept[find(best, false)];
	for (int i = 0; run->parts[OSML_PART_VAL].present && i < best->n; i++)
	{
		if (&best->kept[i] != kept)
			calibrate(run, &best->kept[i]);
	}
	calibrate(run, kept);
	run->version_step = kept->step;
	osml_run_summary_number(run, "best_step", (double) kept->step);
	osml_run_summary_number(run, "best_value", kept->value);
}

/* Kept weights with what osml_best_take() has measured of them. */
static void
load_kept(OsmlRun *run, const Kept *kept)
{
	load(run, kept->step);
	run->tails = kept->tails;
	run->val_loss = kept->val_loss;
}

/* The last weights, unless they are among the best. */
static void
store_last(OsmlRun *run)
{
	const struct OsmlBest *best = run->best;

	if (best->last == NULL || best->kept[best->n - 1].step == run->row.steps)
		return;
	memcpy(run->params, best->last, weights_bytes(run));
	run->train_loss = best->last_train_loss;
	run->val_loss = best->last_val_loss;
	run->tails = best->last_tails;
	osml_store_version(run, run->row.steps, false);
}

/* Worse ones first, so that the best has the highest number. */
void
osml_best_store_others(OsmlRun *run)
{
	struct OsmlBest *best = run->best;
	double		test_loss = run->test_loss;

	if (best == NULL || best->n == 0)
		return;
	/* only the best was tested */
	run->test_loss = NAN;
	store_last(run);
	while (best->n > 1)
	{
		int			worst = find(best, true);

		load_kept(run, &best->kept[worst]);
		osml_store_version(run, best->kept[worst].step, false);
		best->n--;
		memmove(&best->kept[worst], &best->kept[worst + 1],
				sizeof(Kept) * (best->n - worst));
	}
	load_kept(run, &best->kept[0]);
	run->test_loss = test_loss;
}
