/*
 * range_test.c
 *	  A learning-rate range test in the step loop: see range_test.h.
 */
#include "postgres.h"

#include <math.h>

#include "train/monitor.h"
#include "train/range_test.h"

void
osml_range_resolve(OsmlHparams *hparams, const OsmlRange *range)
{
	if (osml_optimizer_is_exact(hparams->optimizer))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("optimizer \"exact\" has no learning rate"),
				 errhint("Choose another \"optimizer\".")));
	/* an endless stream of so many steps, which nothing but the loss ends */
	hparams->max_epochs = OSML_AUTO;
	hparams->max_batches = range->steps * hparams->accumulate_grad_batches;
	hparams->max_steps = OSML_AUTO;
	hparams->max_time = NAN;
	hparams->lr = range->min;
	hparams->lr_schedule = 1 + OSML_SCHEDULE_CONSTANT;
	hparams->weight_averaging = 0;
	hparams->early_stopping = false;
	hparams->stopping_threshold = hparams->divergence_threshold = NAN;
	hparams->monitor = NULL;
	hparams->val_check_interval = 0;
	hparams->check_val_every_n_epoch = 1;
	hparams->min_epochs = hparams->min_steps = 0;
	hparams->num_sanity_val_steps = 0;
	hparams->fast_dev_run = 0;
	hparams->deploy = false;
}

void
osml_range_setup(OsmlFit *fit)
{
	const OsmlRange *range = &fit->run->plan->range;

	if (range->on)
		fit->smoothed = osml_run_alloc(fit->run, sizeof(double) * range->steps);
}

bool
osml_range_step(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlRun    *run = fit->run;
	double		smoothed;

	if (!isfinite(step->raw_loss) || !isfinite(step->norm))
	{
		run->monitor->done = true;
		fit->step_rows = 0;
		return false;
	}
	if (!osml_range_add(&run->plan->range, &fit->range, step->loss, &smoothed))
		run->monitor->done = true;
	fit->smoothed[fit->range.n - 1] = smoothed;
	return true;
}

void
osml_range_log(OsmlFit *fit, const OsmlStepResult *step)
{
	osml_log_metric(fit->run, "train", OSML_RANGE_LR, step->lr);
	osml_log_metric(fit->run, "train", OSML_RANGE_LOSS, step->loss);
	osml_log_metric(fit->run, "train", OSML_RANGE_SMOOTHED, fit->smoothed[fit->range.n - 1]);
}

void
osml_range_end(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	const OsmlRange *range = &run->plan->range;
	int64		best = osml_range_suggest(fit->smoothed, fit->range.n);

	if (fit->range.n == 0)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("the loss is not finite before the first step"),
				 errhint("Set \"scale\" to standardize, or look for enormous values.")));
	osml_run_summary(run, "find_lr", range->linear ? "\"linear\"" : "\"exponential\"");
	osml_run_summary_number(run, "suggested_step", best < 0 ? NAN : best + 1);
	osml_run_summary_number(run, "suggested_lr", best < 0 ? NAN : osml_range_rate(range, best + 1));
}
