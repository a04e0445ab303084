/*
 * length.c
 *	  How long the step loop will be: see length.h.
 */
#include "postgres.h"

#include <math.h>

#include "train/length.h"

/* steps that an unlimited run aims at, and the epochs it may take for them */
#define AUTO_STEPS 2000
#define AUTO_MAX_EPOCHS 1000

int64
osml_length_epochs(const OsmlHparams *hparams, int64 n_rows)
{
	/* in float64, where the product of the largest values still fits */
	double		epochs = ceil((double) AUTO_STEPS * hparams->batch_size *
							  hparams->accumulate_grad_batches / n_rows);

	if (hparams->max_epochs != OSML_AUTO)
		return hparams->max_epochs;
	/* a limit of another kind is the only one then */
	if (hparams->max_batches != OSML_AUTO || !isnan(hparams->max_time))
		return OSML_AUTO;
	/* a data set smaller than a batch takes one step an epoch */
	return (int64) Max(1, Min(AUTO_MAX_EPOCHS, epochs));
}

int64
osml_length_batches(const OsmlHparams *hparams, int64 n_rows)
{
	return Max(1, (n_rows + (hparams->drop_last ? 0 : hparams->batch_size - 1)) /
			   hparams->batch_size);
}

int64
osml_length_steps(const OsmlHparams *hparams, int64 epochs, int64 batches)
{
	int64		accumulate = hparams->accumulate_grad_batches;
	int64		steps = PG_INT64_MAX;

	if (epochs != OSML_AUTO)
		steps = epochs * ((batches + accumulate - 1) / accumulate);
	if (hparams->max_batches != OSML_AUTO)
		steps = Min(steps, (hparams->max_batches + accumulate - 1) / accumulate);
	return steps == PG_INT64_MAX ? 0 : steps;
}
