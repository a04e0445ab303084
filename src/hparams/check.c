/*
 * check.c
 *	  Hyperparameters judged against each other.
 */
#include "postgres.h"

#include "compute/block.h"
#include "hparams/hparams.h"
#include "model/model.h"
#include "rules/average/average.h"
#include "rules/loss/loss.h"
#include "rules/optim/optim.h"
#include "rules/schedule/schedule.h"
#include "source/source.h"

/* rates that standardised columns do well with */
#define CONSTANT_RATE 0.01
#define FALLING_RATE 0.03

/* An error about two keys that contradict each other. */
static void
conflict(const char *message, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s", message),
			 errhint("%s", hint)));
}

/* Limits contradict each other where a run may not end before it must. */
static void
check_limits(const OsmlHparams *hparams)
{
	if (hparams->max_epochs != OSML_AUTO && hparams->min_epochs > hparams->max_epochs)
		conflict("hyperparameter \"min_epochs\" must not be above \"max_epochs\"",
				 "Raise \"max_epochs\", or lower \"min_epochs\".");
	if (hparams->max_steps != OSML_AUTO && hparams->min_steps > hparams->max_steps)
		conflict("hyperparameter \"min_steps\" must not be above \"max_steps\"",
				 "Raise \"max_steps\", or lower \"min_steps\".");
}

bool
osml_hparams_endless(const OsmlHparams *hparams)
{
	return hparams->max_epochs == OSML_AUTO && hparams->max_steps == OSML_AUTO &&
		(hparams->max_batches != OSML_AUTO || !isnan(hparams->max_time));
}

/*
 * A rate that the user chose is kept, as in PyTorch.  Our own falls to zero, so
 * that the last steps average out the noise of single batches: a weak signal
 * (an R2 of a percent) would drown in it at a constant rate.  Where only time
 * ends the run nobody knows how far the fall has to reach.
 */
static void
resolve_rate(OsmlHparams *hparams)
{
	bool		timed = osml_hparams_endless(hparams) && hparams->max_batches == OSML_AUTO;

	if (timed && hparams->lr_schedule > 0 &&
		osml_schedules[hparams->lr_schedule - 1].needs_total)
		conflict(psprintf("lr_schedule \"%s\" needs to know the number of steps",
						  osml_schedule_name(hparams->lr_schedule - 1)),
				 "Give \"max_epochs\" or \"max_steps\" beside \"max_time\".");
	if (hparams->lr_schedule == 0)
		hparams->lr_schedule = 1 + (isnan(hparams->lr) && !timed ?
									OSML_SCHEDULE_LINEAR : OSML_SCHEDULE_CONSTANT);
	if (isnan(hparams->lr))
		hparams->lr = hparams->lr_schedule == 1 + OSML_SCHEDULE_CONSTANT ?
			CONSTANT_RATE : FALLING_RATE;
}

/* An average over steps or epochs needs such. */
static void
check_averaging(const OsmlHparams *hparams)
{
	double		start = hparams->swa_epoch_start;

	if (hparams->weight_averaging > 0 && osml_optimizer_is_exact(hparams->optimizer))
		conflict("optimizer \"exact\" takes no steps whose weights could be averaged",
				 "Leave out \"weight_averaging\", or choose another \"optimizer\".");
	if (start >= 1 && start != floor(start))
		conflict("hyperparameter \"swa_epoch_start\" must be a whole number where it is 1 or more",
				 "A whole number is an epoch, a number below 1 is a share of the epochs.");
	if (hparams->weight_averaging != 1 + OSML_AVERAGE_SWA)
		return;
	if (osml_hparams_endless(hparams))
		conflict("weight_averaging \"swa\" takes weights at the ends of epochs, which an endless stream has not",
				 "Give \"max_epochs\", or set \"weight_averaging\" to ema.");
	if (hparams->max_epochs != OSML_AUTO && start > hparams->max_epochs)
		conflict(psprintf("hyperparameter \"swa_epoch_start\" is %.0f, but \"max_epochs\" is " INT64_FORMAT,
						  start, hparams->max_epochs),
				 "No epoch would be averaged: lower \"swa_epoch_start\".");
}

/*
 * Trying out a few batches: what other keys say otherwise gives way, as in Lightning,
 * and the stored set says what was done.
 */
static void
resolve_trying(OsmlHparams *hparams)
{
	double		batches = hparams->overfit_batches;

	if ((hparams->fast_dev_run != 0 || batches > 0) &&
		osml_optimizer_is_exact(hparams->optimizer))
		conflict("optimizer \"exact\" takes every row once, and no batches",
				 "Leave out \"fast_dev_run\" and \"overfit_batches\", or choose another \"optimizer\".");
	if (batches >= 1 && batches != floor(batches))
		conflict("hyperparameter \"overfit_batches\" must be a whole number where it is 1 or more",
				 "A whole number counts batches, a number below 1 is a share of them.");
	if (batches > 0 && hparams->lanes > 1)
		conflict("hyperparameter \"overfit_batches\" takes the first rows, which \"lanes\" deals out",
				 "Leave out \"lanes\".");
	if (batches > 0)
	{
		hparams->shuffle = OSML_SHUFFLE_NONE;
		hparams->val_fraction = 0;
		hparams->limit_val_batches = OSML_AUTO;
	}
	if (hparams->fast_dev_run == 0)
		return;
	if (hparams->fast_dev_run == OSML_TRUE)
		hparams->fast_dev_run = 1;
	hparams->max_epochs = 1;
	hparams->max_batches = hparams->fast_dev_run;
	hparams->max_steps = OSML_AUTO;
	hparams->min_epochs = hparams->min_steps = 0;
	hparams->check_val_every_n_epoch = 1;
	hparams->val_check_interval = 0;
	hparams->num_sanity_val_steps = 0;
	hparams->limit_val_batches = hparams->limit_test_batches = OSML_AUTO;
}

/* Weights to go on from. */
static void
check_warm_start(const OsmlHparams *hparams)
{
	if (hparams->warm_start == 0)
		return;
	if (osml_optimizer_is_exact(hparams->optimizer))
		conflict("optimizer \"exact\" starts from no weights",
				 "Leave out \"warm_start\", or choose another \"optimizer\".");
	if (hparams->initial_weights.n > 0)
		conflict("hyperparameters \"warm_start\" and \"initial_weights\" both give weights to start from",
				 "Leave one of them out.");
}

void
osml_hparams_check(OsmlHparams *hparams)
{
	bool		exact = osml_optimizer_is_exact(hparams->optimizer);

	/* first: other keys may be the version's, which nobody gave */
	check_warm_start(hparams);
	if (hparams->nesterov && (hparams->momentum <= 0 || hparams->dampening != 0))
		conflict("hyperparameter \"nesterov\" needs momentum and no dampening",
				 "Set \"momentum\" above 0 and leave \"dampening\" at 0.");
	if (hparams->betas.n != 2)
		conflict("hyperparameter \"betas\" must have two members",
				 "For example [0.9, 0.999].");
	if (hparams->batch_size % hparams->lanes != 0)
		conflict("hyperparameter \"lanes\" must divide \"batch_size\"",
				 "Each lane gives an equal share of every batch.");
	if (exact && (hparams->l1 > 0 || hparams->weight_decay > 0))
		conflict("optimizer \"exact\" has no penalties",
				 "Leave out \"l1\" and \"weight_decay\", or choose another \"optimizer\".");
	if (hparams->batch_norm_linear_layers && hparams->batch_size == 1)
		conflict("hyperparameter \"batch_norm_linear_layers\" needs batches of two rows and more",
				 "Raise \"batch_size\".");
	if (exact && (hparams->max_batches != OSML_AUTO || hparams->max_steps != OSML_AUTO ||
				  hparams->val_fraction > 0))
		conflict("optimizer \"exact\" takes every row once",
				 "Leave out \"max_batches\", \"max_steps\" and \"val_fraction\"; a \"val\" source may be given.");
	if (exact && (hparams->every_n_train_steps != OSML_AUTO || hparams->save_top_k > 0 ||
				  !isnan(hparams->train_time_interval)))
		conflict("optimizer \"exact\" has no steps between which it could be kept",
				 "Leave out \"every_n_train_steps\", \"train_time_interval\" and \"save_top_k\".");
	if (hparams->gram == OSML_GRAM_ON && exact)
		conflict("hyperparameter \"gram\" is of steps, and optimizer \"exact\" takes none",
				 "Leave out \"gram\", or choose another \"optimizer\".");
	if (hparams->gram == OSML_GRAM_ON && hparams->shuffle == OSML_SHUFFLE_EPOCH)
		conflict("hyperparameter \"gram\" needs batches that are the same in each epoch",
				 "Set \"shuffle\" to once or none, or leave \"gram\" at auto.");
	if (hparams->gram == OSML_GRAM_ON && hparams->detect_anomaly)
		conflict("hyperparameter \"detect_anomaly\" looks at rows, which \"gram\" leaves out",
				 "Leave one of them out.");
	if (hparams->save_last && hparams->save_top_k == 0)
		conflict("hyperparameter \"save_last\" needs \"save_top_k\"",
				 "Without it the last weights are what is kept.");
	if (exact && hparams->on_null == OSML_ON_NULL_MEAN)
		conflict("optimizer \"exact\" cannot fill in means, which it learns last",
				 "Set \"on_null\" to skip or error.");
	if (exact && hparams->precision != OSML_FLOAT64)
		conflict("optimizer \"exact\" computes in float64",
				 "Leave out \"precision\".");
	if (hparams->val_check_interval >= 1 &&
		hparams->val_check_interval != floor(hparams->val_check_interval))
		conflict("hyperparameter \"val_check_interval\" must be a whole number where it is 1 or more",
				 "A whole number counts batches, a number below 1 is a share of an epoch.");
	if (hparams->divergence_factor > 0 && hparams->divergence_factor < 1)
		conflict("hyperparameter \"divergence_factor\" must be 0, or 1 or more",
				 "The first loss would already be too large.");
	for (int i = 0; i < hparams->num_hidden_neurons.n; i++)
	{
		if (hparams->num_hidden_neurons.values[i] != floor(hparams->num_hidden_neurons.values[i]))
			conflict("hyperparameter \"num_hidden_neurons\" must have whole numbers as members",
					 "For example [64, 32].");
	}
	if (hparams->num_hidden_neurons.n > OSML_MAX_HIDDEN)
		conflict(psprintf("hyperparameter \"num_hidden_neurons\" has more than %d members",
						  OSML_MAX_HIDDEN), "So many hidden layers are the limit.");
	check_limits(hparams);
	check_averaging(hparams);
	resolve_trying(hparams);
	resolve_rate(hparams);
	if (hparams->lr_schedule == 1 + OSML_SCHEDULE_STEP && hparams->step_size == OSML_AUTO)
		conflict("lr_schedule \"step\" needs \"step_size\"",
				 "Give the steps, or with \"lr_interval\": \"epoch\" the epochs, from one drop to the next.");
	if (isnan(hparams->weight_decay))
		hparams->weight_decay = exact ? 0 :
			osml_optim_weight_decay((OsmlOptim) hparams->optimizer);
}
