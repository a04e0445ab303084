/*
 * load.c
 *	  The load pass: rows into resident sets, statistics on the way.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "utils/memutils.h"

#include "compute/random.h"
#include "compute/rowhash.h"
#include "train/length.h"
#include "train/load.h"

/* a part being filled */
typedef struct Filling
{
	OsmlRun    *run;
	OsmlPartData *data;
	OsmlBlock  *block;			/* with room, or NULL */
	OsmlBlock  *scratch;		/* used once the set has overflowed */
	uint64		hash[OSML_BLOCK_ROWS];	/* of the block's rows */
} Filling;

bool
osml_streams(const OsmlHparams *hparams)
{
	if (osml_optimizer_is_exact(hparams->optimizer))
		return true;
	return hparams->overfit_batches == 0 &&
		hparams->scale == OSML_SCALE_NONE &&
		hparams->scale_label != OSML_SCALE_STANDARDIZE &&
		hparams->shuffle == OSML_SHUFFLE_NONE &&
		hparams->on_null != OSML_ON_NULL_MEAN &&
		hparams->max_epochs == 1 && hparams->lanes == 1 &&
		hparams->val_check_interval == 0 &&
		hparams->val_fraction == 0;
}

/* What a block adds to its part's fingerprint, whatever the order of rows. */
static uint64
fingerprint(const OsmlBlock *block, const uint64 *hash)
{
	uint64		sum = 0;

	for (int r = 0; r < block->nrows; r++)
		sum += hash[r];
	return sum;
}

/* Count a full block of training rows, the first at this position, into statistics and
 * fingerprints. */
static void
account(OsmlRun *run, const OsmlBlock *block, const uint64 *hash, int64 position)
{
	osml_stats_block(run->stats, &run->layout, block);
	osml_code_stats_block(&run->code_stats, &run->layout, block);
	run->fingerprint += fingerprint(block, hash);
	run->order += osml_row_hash_ordered(block->nrows, hash, position);
	run->weighs = run->weighs || osml_block_weighs(&run->layout, block, run->class_weights);
}

/* Progress of the load pass. */
static void
count_read(OsmlRun *run, const OsmlBlock *block)
{
	run->row.rows_read += block->nrows;
	run->shared->rows_loaded = run->row.rows_read;
}

/* Has the part all the rows that it may have? */
static bool
is_full(const Filling *filling)
{
	int64		limit = osml_length_read(filling->run->hparams);

	return limit > 0 &&
		filling->data->n_rows + (filling->block ? filling->block->nrows : 0) >= limit;
}

/* Leave out the rows of a block that the part may not have. */
static void
cut_block(const Filling *filling, OsmlBlock *block)
{
	int64		limit = osml_length_read(filling->run->hparams);

	if (limit > 0)
		block->nrows = (int) Min(block->nrows, limit - filling->data->n_rows);
}

/* The block to append to. */
static OsmlBlock *
filling_block(Filling *filling)
{
	if (filling->block == NULL && filling->data->set)
	{
		filling->block = osml_resident_reserve(filling->data->set);
		if (filling->block == NULL)
		{
			osml_resident_free(filling->data->set);
			filling->data->set = NULL;
		}
	}
	if (filling->block == NULL)
	{
		if (filling->scratch == NULL)
			filling->scratch = osml_new_block(filling->run->context, &filling->run->layout);
		filling->scratch->nrows = 0;
		filling->block = filling->scratch;
	}
	return filling->block;
}

/* The block is full, or the pass is over: count it and keep it if it fits. */
static void
filling_commit(Filling *filling)
{
	OsmlBlock  *block = filling->block;
	OsmlPartData *data = filling->data;
	OsmlRun    *run = filling->run;
	int64		position = data->n_rows;

	filling->block = NULL;
	if (block == NULL || block->nrows == 0)
		return;
	cut_block(filling, block);
	data->n_rows += block->nrows;
	count_read(run, block);
	if (data == &run->parts[OSML_PART_TRAIN])
		account(run, block, filling->hash, position);
	else if (data == &run->parts[OSML_PART_VAL])
	{
		run->val_fingerprint += fingerprint(block, filling->hash);
		run->val_order += osml_row_hash_ordered(block->nrows, filling->hash, position);
	}
	if (data->set && !osml_resident_commit(data->set, block))
	{
		osml_resident_free(data->set);
		data->set = NULL;
	}
}

bool
osml_held_out(const OsmlHparams *hparams, uint64 hash)
{
	OsmlRandomKey key = {hparams->seed, OSML_STREAM_SPLIT, 0};

	return hparams->val_fraction > 0 && osml_random_unit(key, hash) < hparams->val_fraction;
}

/* Append row r of one block to another. */
static void
copy_row(const OsmlLayout *layout, OsmlBlock *from, int r, OsmlBlock *to)
{
	int			end = to->nrows++;

	if (end == 0)
		to->first_row = from->first_row + r;
	for (int j = 0; j < osml_layout_wide(layout); j++)
		osml_block_column(to, j)[end] = osml_block_column(from, j)[r];
	for (int k = 0; k < osml_layout_narrow(layout); k++)
		osml_block_codes(to, layout, k)[end] = osml_block_codes(from, layout, k)[r];
}

void
osml_split_rows(const OsmlHparams *hparams, const OsmlLayout *layout, OsmlBlock *from,
				const uint64 *hash, int side, OsmlBlock *to, uint64 *to_hash, int *next)
{
	for (; *next < from->nrows && to->nrows < OSML_BLOCK_ROWS; (*next)++)
	{
		if (osml_held_out(hparams, hash[*next]) != (side == 1))
			continue;
		if (to_hash)
			to_hash[to->nrows] = hash[*next];
		copy_row(layout, from, *next, to);
	}
}

/* One side of a raw block into the part being filled. */
static void
fill_side(Filling *filling, OsmlBlock *raw, const uint64 *hash)
{
	int			next = 0;

	while (next < raw->nrows && !is_full(filling))
	{
		OsmlBlock  *block = filling_block(filling);

		osml_split_rows(filling->run->hparams, &filling->run->layout, raw, hash,
						filling->data->side, block, filling->hash, &next);
		if (block->nrows == OSML_BLOCK_ROWS)
			filling_commit(filling);
	}
}

/* Add what the reader dropped to the run's counts, with an event. */
static void
count_dropped(OsmlRun *run, const char *part)
{
	OsmlIntake *intake = &run->intake;
	int64		unknown = intake->encoder.n_unknown;
	int64		dropped = intake->n_null + intake->n_nonfinite;

	if (unknown > 0)
		osml_log_event(run, "warning", "classes_unknown",
					   psprintf(INT64_FORMAT " of " INT64_FORMAT " %s rows were skipped: their "
								"class does not occur in the training rows",
								unknown, intake->rows_read, part));
	run->row.rows_skipped += unknown;
	run->rows_null += intake->n_null;
	run->rows_nonfinite += intake->n_nonfinite;
	run->row.rows_skipped += dropped;
	if (dropped > 0)
		osml_log_event(run, "warning", "rows_skipped",
					   psprintf(INT64_FORMAT " of " INT64_FORMAT " %s rows were skipped: "
								INT64_FORMAT " for a NULL, " INT64_FORMAT
								" for NaN or infinity",
								dropped, intake->rows_read, part, intake->n_null,
								intake->n_nonfinite));
}

/* Read a part that is kept as it comes. */
static void
load_part(OsmlRun *run, OsmlPartKind kind, const char *name)
{
	Filling		filling = {.run = run,.data = &run->parts[kind]};
	/* what is measured at the end alone needs no fingerprint */
	uint64	   *hash = kind == OSML_PART_TEST ? NULL : filling.hash;

	filling.data->set = osml_resident_create(&run->layout, &run->budget);
	osml_intake_start(run, kind, 0, 0);
	while (!is_full(&filling) && osml_intake_fill(run, filling_block(&filling), hash))
	{
		osml_run_check(run);
		filling_commit(&filling);
	}
	osml_intake_enough(run);
	count_dropped(run, name);
}

/* Read the training rows and deal them to training and validation. */
static void
load_split(OsmlRun *run)
{
	Filling		val = {.run = run,.data = &run->parts[OSML_PART_VAL]};
	Filling		train = {.run = run,.data = &run->parts[OSML_PART_TRAIN]};
	OsmlBlock  *raw = osml_new_block(run->context, &run->layout);
	uint64		hash[OSML_BLOCK_ROWS];

	val.data->set = osml_resident_create(&run->layout, &run->budget);
	train.data->set = osml_resident_create(&run->layout, &run->budget);
	osml_intake_start(run, OSML_PART_TRAIN, 0, 0);
	while (!(is_full(&train) && is_full(&val)) && osml_intake_fill(run, raw, hash))
	{
		osml_run_check(run);
		fill_side(&val, raw, hash);
		fill_side(&train, raw, hash);
		raw->nrows = 0;
	}
	osml_intake_enough(run);
	filling_commit(&val);
	filling_commit(&train);
	count_dropped(run, "training");
}

/* A run that cannot even hold its working blocks is refused before it reads. */
static void
check_memory(OsmlRun *run)
{
	Size		fit = osml_run_fit_bytes(&run->spec, run->hparams);
	int64		needed = (int64) (osml_run_working_bytes(&run->spec, run->hparams->batch_size) +
								  fit);

	if (!osml_budget_take(&run->budget, needed))
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("run needs at least " INT64_FORMAT " kB of memory, more than osml.max_memory allows",
						needed / 1024 + 1),
				 errhint("Raise osml.max_memory, or name fewer features.")));
	run->reserved = fit;
}

/* The training rows did not fit: say what that means. */
static void
report_reread(OsmlRun *run)
{
	bool		sampled = osml_part_sampleable(&run->plan->parts[OSML_PART_TRAIN]);

	run->reread = true;
	osml_log_event(run, "warning", "reread",
				   psprintf("the training rows exceed osml.max_memory and osml.max_spill "
							"and are read again each epoch%s",
							run->hparams->shuffle == OSML_SHUFFLE_NONE ? "" :
							sampled ? ", in blocks of the table drawn at random" :
							"; this source cannot be sampled by block, so rows are shuffled "
							"only within a window of osml.max_memory"));
}

/* Something to train on?  The training pass was the intake's last. */
static void
require_rows(OsmlRun *run)
{
	const OsmlPartData *train = &run->parts[OSML_PART_TRAIN];
	OsmlUsable	rows = {
		.train = train->n_rows,
		.held_out = train->side != 0 ? run->parts[OSML_PART_VAL].n_rows : 0,
		.null = run->intake.n_null,
		.nonfinite = run->intake.n_nonfinite,
		.weightless = !run->weighs
	};

	osml_require_usable(run->plan->parts[OSML_PART_TRAIN].source.label, run->hparams, &rows);
}

/* Held-out rows that there are none of: the run goes on without measures. */
static void
report_empty(OsmlRun *run, OsmlPartKind kind)
{
	const char *name = kind == OSML_PART_VAL ? "validation" : "test";

	if (run->parts[kind].present && run->parts[kind].n_rows == 0)
		osml_log_event(run, "warning", "no_rows",
					   psprintf("there is no usable %s row: nothing was measured on them",
								name));
}

/* Validate on the rows that are trained on, as "overfit_batches" asks. */
static void
share_training(OsmlRun *run)
{
	OsmlPartData *train = &run->parts[OSML_PART_TRAIN];
	OsmlPartData *val = &run->parts[OSML_PART_VAL];

	*val = *train;
	val->n_rows = osml_length_rows(run->hparams, train->n_rows);
	/* a run that goes on from a checkpoint has said so before */
	if (run->resume == NULL)
		osml_log_event(run, "info", "overfit_batches",
					   psprintf("each epoch trains on the first " INT64_FORMAT " of " INT64_FORMAT
								" rows, and validates on the same", val->n_rows, train->n_rows));
}

void
osml_load_parts(OsmlRun *run)
{
	OsmlPartData *train = &run->parts[OSML_PART_TRAIN];
	bool		overfit = run->hparams->overfit_batches > 0;

	check_memory(run);
	for (int p = 0; p < OSML_PART_TRAIN; p++)
	{
		if (!run->plan->parts[p].present || (overfit && p == OSML_PART_VAL))
			continue;
		run->parts[p].present = true;
		run->parts[p].kind = p;
		load_part(run, p, p == OSML_PART_VAL ? "validation" : "test");
		report_empty(run, p);
	}
	train->present = true;
	train->kind = OSML_PART_TRAIN;
	if (run->streamed)
		return;
	if (run->hparams->val_fraction > 0)
	{
		OsmlPartData *val = &run->parts[OSML_PART_VAL];

		val->present = true;
		val->kind = OSML_PART_TRAIN;
		val->side = 1;
		train->side = 2;
		load_split(run);
		report_empty(run, OSML_PART_VAL);
	}
	else
		load_part(run, OSML_PART_TRAIN, "training");
	run->have_stats = true;
	require_rows(run);
	if (train->set == NULL)
		report_reread(run);
	if (overfit)
		share_training(run);
}

/* A column without a single value has no mean to fill in: say what it gets. */
static void
report_no_mean(OsmlRun *run, int column)
{
	osml_log_event(run, "warning", "no_mean",
				   psprintf("column \"%s\" is NULL in every training row; 0 was filled in",
							osml_dense_name(run->set, column)));
}

/*
 * Scaling constants of one column.  A model without an intercept has to stay
 * one in the column's own units: its line goes through zero, so nothing is
 * moved, and what varies about zero is the root mean square.
 */
static void
standardize(const OsmlColumnStats *stats, bool bias, double *center, double *scale)
{
	double		about_zero = hypot(stats->mean, osml_stats_deviation(stats));

	*center = bias ? stats->mean : 0;
	*scale = bias ? osml_stats_std(stats) : about_zero == 0 ? 1 : about_zero;
}

/* What a column's values are too large for, or NULL. */
static const char *
too_large_for(const OsmlColumnStats *stats, const OsmlHparams *hparams, bool scaled)
{
	double		peak = Max(fabs(stats->min), fabs(stats->max));
	double		about_zero = hparams->bias ? 0 : (double) stats->n * stats->mean * stats->mean;

	if (stats->n == 0)
		return NULL;
	if (hparams->precision == OSML_FLOAT32 && peak > FLT_MAX)
		return "compute in float32";
	if (osml_optimizer_is_exact(hparams->optimizer) && !isfinite(stats->m2 + about_zero))
		return "sum their squares, as exact least squares does";
	if (scaled && !isfinite(osml_stats_std(stats)))
		return "standardize";
	return NULL;
}

/*
 * Would a column that varies be taken for a constant one?  The squares of what its
 * values differ by are beyond float64.
 */
static bool
differ_too_little(const OsmlColumnStats *stats)
{
	return stats->n > 0 && stats->min < stats->max && osml_stats_deviation(stats) == 0;
}

/*
 * Finite values can still be too much, or too little: for squares in float64, or for float32
 * itself.  Better said here, by column, than by the NaN they would end in.
 */
void
osml_check_magnitudes(const OsmlFeatureSet *set, const OsmlHparams *hparams,
					  const OsmlColumnStats *stats)
{
	int			n = set->program->output.n_dense;

	for (int j = 0; j <= n; j++)
	{
		bool		scaled = (j < n ? hparams->scale : hparams->scale_label) ==
			OSML_SCALE_STANDARDIZE;
		const char *purpose = too_large_for(&stats[j], hparams, scaled);

		if (scaled && !(j < n && set->program->scaled[j]) && differ_too_little(&stats[j]))
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("column \"%s\" has values that differ by %g at most, too little to standardize",
							j < n ? osml_dense_name(set, j) : set->label,
							stats[j].max - stats[j].min),
					 errhint("Multiply the column in a view or a SELECT.")));
		if (purpose)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("column \"%s\" has values up to %g, too large to %s",
							j < n ? osml_dense_name(set, j) : set->label,
							Max(fabs(stats[j].min), fabs(stats[j].max)), purpose),
					 errhint("Clip them, filter such rows out, or divide the column in a view or a SELECT.")));
	}
}

void
osml_scaling_fill(const OsmlFeatureSet *set, const OsmlHparams *hparams,
				  const OsmlColumnStats *stats, OsmlScaling *scaling)
{
	int			n = scaling->n;

	for (int j = 0; j < n; j++)
	{
		scaling->center[j] = 0;
		scaling->scale[j] = 1;
		scaling->impute[j] = stats[j].n > 0 ? stats[j].mean : 0;
		/* what a transform has scaled stays as its user wants it */
		if (hparams->scale == OSML_SCALE_STANDARDIZE && !set->program->scaled[j])
			standardize(&stats[j], hparams->bias, &scaling->center[j], &scaling->scale[j]);
	}
	scaling->label_center = 0;
	scaling->label_scale = 1;
	if (hparams->scale_label == OSML_SCALE_STANDARDIZE)
		standardize(&stats[n], hparams->bias, &scaling->label_center, &scaling->label_scale);
}

/* Scaling constants: as the hyperparameters ask, from the training rows. */
void
osml_scaling_from_stats(OsmlRun *run)
{
	if (run->have_stats)
		osml_check_magnitudes(run->set, run->hparams, run->stats);
	osml_scaling_fill(run->set, run->hparams, run->stats, &run->scaling);
	for (int j = 0; j < run->layout.n_dense; j++)
	{
		if (run->stats[j].n == 0 && run->hparams->on_null == OSML_ON_NULL_MEAN)
			report_no_mean(run, j);
	}
}

/* Streaming: the one pass also counts and fingerprints what goes by. */
void
osml_account_streamed(OsmlRun *run, const OsmlBlock *block, const uint64 *hash)
{
	account(run, block, hash, run->parts[OSML_PART_TRAIN].n_rows);
	run->parts[OSML_PART_TRAIN].n_rows += block->nrows;
	count_read(run, block);
}

/* Streaming: the pass is over. */
void
osml_streamed_end(OsmlRun *run)
{
	run->have_stats = true;
	count_dropped(run, "training");
	require_rows(run);
}
