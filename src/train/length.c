/*
 * length.c
 *	  How long the step loop will be: see length.h.
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "compute/block.h"
#include "train/length.h"

/* steps that an unlimited run aims at, and the epochs it may take for them */
#define AUTO_STEPS 2000
#define AUTO_MAX_EPOCHS 1000

/* Batches that all rows make. */
static int64
all_batches(const OsmlHparams *hparams, int64 n_rows)
{
	return (n_rows + (hparams->drop_last ? 0 : hparams->batch_size - 1)) /
		hparams->batch_size;
}

int64
osml_length_overfit(const OsmlHparams *hparams, int64 n_rows)
{
	double		batches = hparams->overfit_batches;

	if (batches == 0)
		return PG_INT64_MAX;
	return (int64) (batches < 1 ? floor(batches * all_batches(hparams, n_rows)) : batches);
}

int64
osml_length_rows(const OsmlHparams *hparams, int64 n_rows)
{
	int64		batches = osml_length_overfit(hparams, n_rows);

	return batches > n_rows / hparams->batch_size ? n_rows : batches * hparams->batch_size;
}

int64
osml_length_read(const OsmlHparams *hparams)
{
	/* each lane needs a block of its own */
	int64		blocks = hparams->lanes > 1 ? hparams->lanes * OSML_BLOCK_ROWS : 0;

	return hparams->fast_dev_run == 0 ? 0 :
		Max(hparams->fast_dev_run * hparams->batch_size, blocks);
}

/* Steps that so many batches make. */
static int64
steps_of(const OsmlHparams *hparams, int64 batches)
{
	return (batches + hparams->accumulate_grad_batches - 1) / hparams->accumulate_grad_batches;
}

int64
osml_length_epochs(const OsmlHparams *hparams, int64 n_rows)
{
	int64		epoch_steps = steps_of(hparams, osml_length_batches(hparams, n_rows));
	/* in float64, where the product of the largest values still fits */
	double		epochs = ceil((double) AUTO_STEPS * hparams->batch_size *
							  hparams->accumulate_grad_batches /
							  Max(1, osml_length_rows(hparams, n_rows)));

	if (hparams->max_epochs != OSML_AUTO)
		return hparams->max_epochs;
	if (hparams->max_steps != OSML_AUTO)
		return Min(INT_MAX, (hparams->max_steps - 1) / epoch_steps + 1);
	if (osml_hparams_endless(hparams))
		return OSML_AUTO;
	/* a data set smaller than a batch takes one step an epoch */
	return (int64) Max(1, Min(AUTO_MAX_EPOCHS, epochs));
}

int64
osml_length_batches(const OsmlHparams *hparams, int64 n_rows)
{
	return Max(1, all_batches(hparams, osml_length_rows(hparams, n_rows)));
}

int64
osml_length_steps(const OsmlHparams *hparams, int64 epochs, int64 batches)
{
	int64		steps = PG_INT64_MAX;

	if (epochs != OSML_AUTO)
		steps = epochs * steps_of(hparams, batches);
	if (hparams->max_batches != OSML_AUTO)
		steps = Min(steps, steps_of(hparams, hparams->max_batches));
	if (hparams->max_steps != OSML_AUTO)
		steps = Min(steps, hparams->max_steps);
	return steps == PG_INT64_MAX ? 0 : steps;
}

void
osml_length_check(const OsmlHparams *hparams, const OsmlRowsKept *kept)
{
	int			n_blocks = (int) Min(INT_MAX, kept->n_blocks);

	if (kept->reread && hparams->lanes > 1)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("training rows do not fit osml.max_memory and osml.max_spill, which \"lanes\" needs"),
				 errhint("Raise osml.max_spill, or set \"lanes\" to 1.")));
	if (!kept->reread && !kept->streamed && hparams->lanes > kept->n_blocks)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("hyperparameter \"lanes\" is " INT64_FORMAT ", but the training rows fill only %d block of %d",
							   "hyperparameter \"lanes\" is " INT64_FORMAT ", but the training rows fill only %d blocks of %d",
							   n_blocks, hparams->lanes, n_blocks, OSML_BLOCK_ROWS),
				 errhint("Each lane needs a block of its own: lower \"lanes\".")));
	/* the queues carry one pass at a time */
	if ((kept->reread || kept->streamed) && kept->val_lost && hparams->val_check_interval != 0)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("validation rows do not fit osml.max_memory and osml.max_spill, which \"val_check_interval\" needs"),
				 errhint("Raise osml.max_spill, or leave \"val_check_interval\" at 0 to validate between epochs.")));
}

bool
osml_length_has_step(const OsmlHparams *hparams, int64 n_rows)
{
	if (osml_length_overfit(hparams, n_rows) == 0)
		return false;
	/* an endless stream goes on with the next epoch's rows */
	return !hparams->drop_last || n_rows >= hparams->batch_size ||
		(osml_length_epochs(hparams, n_rows) == OSML_AUTO && hparams->overfit_batches == 0);
}

void
osml_length_no_step(const OsmlHparams *hparams)
{
	if (hparams->overfit_batches > 0 && hparams->overfit_batches < 1)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 errmsg("no step was taken"),
				 errdetail("A share of %g of the batches of the training rows is no whole batch.",
						   hparams->overfit_batches),
				 errhint("Give \"overfit_batches\" a number of batches, or lower \"batch_size\".")));
	ereport(ERROR,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("no step was taken"),
			 errdetail("The training rows fill no batch of " INT64_FORMAT " rows.",
					   hparams->batch_size),
			 errhint("Lower \"batch_size\", or leave out \"drop_last\".")));
}
