/*
 * fit_setup.c
 *	  What the step loop needs to start.
 *
 * Next: length.c (how long it will be), fit.c (the loop).
 */
#include "postgres.h"

#include <math.h>

#include "portability/instr_time.h"
#include "utils/memutils.h"

#include "train/checkpoint.h"
#include "train/divergence.h"
#include "train/fit.h"
#include "train/length.h"
#include "train/monitor.h"
#include "train/range_test.h"

/* Allocate zeroed values in the compute type. */
static void *
new_vector(OsmlRun *run, size_t n)
{
	return osml_run_alloc(run, n * osml_precision_size(run->spec.precision));
}

void
osml_fit_setup(OsmlFit *fit, OsmlRun *run)
{
	OsmlHparams *hparams = run->hparams;
	OsmlOptim	optim = (OsmlOptim) hparams->optimizer;
	int64		n_rows = run->parts[OSML_PART_TRAIN].n_rows;
	size_t		pages;

	memset(fit, 0, sizeof(OsmlFit));
	fit->run = run;
	fit->n_params = run->spec.ops->n_params(&run->spec);
	fit->grad = new_vector(run, fit->n_params);
	pages = osml_gradient_pages(&run->spec);
	osml_gradient_init(&fit->gradient, &run->spec, run->backend, fit->grad,
					   pages > 0 ? osml_run_alloc(run, sizeof(uint64) * pages) : NULL);
	if (hparams->drop_last)
		fit->kept_grad = new_vector(run, fit->n_params);
	fit->optim_state = new_vector(run, fit->n_params * osml_optim_slots(optim));
	fit->loss_name = psprintf("train_%s", osml_loss_name(run->spec.loss));
	fit->epoch_loss_name = psprintf("%s_epoch", fit->loss_name);
	osml_optim_defaults(optim, hparams->lr, &fit->hyper);
	fit->hyper.momentum = hparams->momentum;
	fit->hyper.dampening = hparams->dampening;
	fit->hyper.nesterov = hparams->nesterov;
	fit->hyper.weight_decay = hparams->weight_decay;
	fit->hyper.beta1 = hparams->betas.values[0];
	fit->hyper.beta2 = hparams->betas.values[1];
	fit->hyper.eps = hparams->eps;
	osml_checkpoint_setup(fit);
	osml_fallback_setup(fit);
	osml_length_check(hparams, &(OsmlRowsKept) {
		.n_blocks = run->reread || run->streamed ? 0 :
			run->parts[OSML_PART_TRAIN].set->place.n_blocks,
		.reread = run->reread,
		.streamed = run->streamed,
		.val_lost = run->parts[OSML_PART_VAL].present &&
			run->parts[OSML_PART_VAL].set == NULL
	});
	/* nothing but time would end a run of epochs without batches */
	if (!run->streamed && !osml_length_has_step(hparams, n_rows))
		osml_length_no_step(hparams);
	fit->epoch_batches = osml_length_overfit(hparams, n_rows);
	fit->batches_per_epoch = osml_length_batches(hparams, n_rows);
	fit->lanes = palloc0(sizeof(OsmlLane) * hparams->lanes);
	for (int l = 0; l < hparams->lanes; l++)
		fit->lanes[l].feed = osml_feed_create(run, &run->parts[OSML_PART_TRAIN],
											  hparams->shuffle, l, hparams->lanes);
	fit->epochs = run->streamed ? 1 : osml_length_epochs(hparams, n_rows);
	fit->endless = fit->epochs == OSML_AUTO;
	/* the stored set says how many there were */
	hparams->max_epochs = fit->epochs;
	/* the stream is then one of epochs, whose end nobody knows */
	if (fit->endless && hparams->overfit_batches > 0)
	{
		fit->endless = false;
		fit->epochs = PG_INT64_MAX;
	}
	fit->total_steps = run->streamed ? 0 :
		osml_length_steps(hparams, hparams->max_epochs, fit->batches_per_epoch);
	osml_range_setup(fit);
	osml_averaging_setup(&fit->averaging, run, fit->epochs);
	osml_monitor_setup(run, Max(1, (fit->batches_per_epoch + hparams->accumulate_grad_batches - 1) /
								hparams->accumulate_grad_batches));
	INSTR_TIME_SET_CURRENT(fit->lap_start);
}
