/*
 * fit_setup.c
 *	  How long the step loop will be, and what it needs to start.
 *
 * Next: fit.c (the loop).
 */
#include "postgres.h"

#include <math.h>

#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "train/fit.h"

/* steps that an unlimited run aims at, and the epochs it may take for them */
#define AUTO_STEPS 2000
#define AUTO_MAX_EPOCHS 1000

/* Allocate zeroed values in the compute type. */
static void *
new_vector(OsmlRun *run, size_t n)
{
	return osml_run_alloc(run, n * osml_precision_size(run->spec.precision));
}

/* Epochs to run; "auto" aims at AUTO_STEPS steps. */
static int64
resolve_epochs(OsmlRun *run)
{
	OsmlHparams *hparams = run->hparams;
	int64		n_rows = run->parts[OSML_PART_TRAIN].n_rows;
	/* in float64, where the product of the largest values still fits */
	double		epochs = ceil((double) AUTO_STEPS * hparams->batch_size *
							  hparams->accumulate_grad_batches / n_rows);

	if (hparams->max_epochs != OSML_AUTO)
		return hparams->max_epochs;
	/* a limit of another kind is the only one then */
	if (hparams->max_batches != OSML_AUTO || !isnan(hparams->max_time))
		return OSML_AUTO;
	/* a data set smaller than a batch takes one step an epoch */
	hparams->max_epochs = (int64) Max(1, Min(AUTO_MAX_EPOCHS, epochs));
	return hparams->max_epochs;
}

/* Steps that the run will take if nothing cuts it short; 0: not known. */
static int64
plan_steps(const OsmlFit *fit)
{
	const OsmlHparams *hparams = fit->run->hparams;
	int64		accumulate = hparams->accumulate_grad_batches;
	int64		steps = PG_INT64_MAX;

	if (fit->run->streamed)
		return 0;
	if (!fit->endless)
		steps = fit->epochs * ((fit->batches_per_epoch + accumulate - 1) / accumulate);
	if (hparams->max_batches != OSML_AUTO)
		steps = Min(steps, (hparams->max_batches + accumulate - 1) / accumulate);
	return steps == PG_INT64_MAX ? 0 : steps;
}

/* What cannot be done with so few rows, or with rows read again for each pass. */
static void
check_rows(const OsmlRun *run)
{
	const OsmlHparams *hparams = run->hparams;
	const OsmlPartData *val = &run->parts[OSML_PART_VAL];

	if (run->reread && hparams->lanes > 1)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("training rows do not fit osml.max_memory and osml.max_spill, which \"lanes\" needs"),
				 errhint("Raise osml.max_spill, or set \"lanes\" to 1.")));
	if (!run->reread && !run->streamed &&
		hparams->lanes > run->parts[OSML_PART_TRAIN].set->place.n_blocks)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg_plural("hyperparameter \"lanes\" is " INT64_FORMAT ", but the training rows fill only %d block of %d",
							   "hyperparameter \"lanes\" is " INT64_FORMAT ", but the training rows fill only %d blocks of %d",
							   run->parts[OSML_PART_TRAIN].set->place.n_blocks, hparams->lanes,
							   run->parts[OSML_PART_TRAIN].set->place.n_blocks, OSML_BLOCK_ROWS),
				 errhint("Each lane needs a block of its own: lower \"lanes\".")));
	/* the queues carry one pass at a time */
	if ((run->reread || run->streamed) && val->present && val->set == NULL &&
		hparams->val_check_interval != 0)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("validation rows do not fit osml.max_memory and osml.max_spill, which \"val_check_interval\" needs"),
				 errhint("Raise osml.max_spill, or leave \"val_check_interval\" at 0 to validate between epochs.")));
}

void
osml_fit_setup(OsmlFit *fit, OsmlRun *run)
{
	const OsmlHparams *hparams = run->hparams;
	OsmlOptim	optim = (OsmlOptim) hparams->optimizer;
	int64		n_rows = run->parts[OSML_PART_TRAIN].n_rows;

	memset(fit, 0, sizeof(OsmlFit));
	fit->run = run;
	fit->n_params = run->spec.ops->n_params(&run->spec);
	fit->grad = new_vector(run, fit->n_params);
	if (hparams->drop_last)
		fit->kept_grad = new_vector(run, fit->n_params);
	fit->optim_state = new_vector(run, fit->n_params * osml_optim_slots(optim));
	fit->loss_name = psprintf("train_%s", osml_loss_name((OsmlLoss) hparams->loss));
	fit->epoch_loss_name = psprintf("%s_epoch", fit->loss_name);
	osml_optim_defaults(optim, hparams->lr, &fit->hyper);
	fit->hyper.momentum = hparams->momentum;
	fit->hyper.dampening = hparams->dampening;
	fit->hyper.nesterov = hparams->nesterov;
	fit->hyper.weight_decay = hparams->weight_decay;
	fit->hyper.beta1 = hparams->betas.values[0];
	fit->hyper.beta2 = hparams->betas.values[1];
	fit->hyper.eps = hparams->eps;
	check_rows(run);
	fit->batches_per_epoch = Max(1, (n_rows + (hparams->drop_last ? 0 : hparams->batch_size - 1)) /
								 hparams->batch_size);
	fit->lanes = palloc0(sizeof(OsmlLane) * hparams->lanes);
	for (int l = 0; l < hparams->lanes; l++)
		fit->lanes[l].feed = osml_feed_create(run, &run->parts[OSML_PART_TRAIN],
											  hparams->shuffle, l, hparams->lanes);
	fit->epochs = run->streamed ? 1 : resolve_epochs(run);
	fit->endless = fit->epochs == OSML_AUTO;
	fit->total_steps = plan_steps(fit);
	INSTR_TIME_SET_CURRENT(fit->lap_start);
}
