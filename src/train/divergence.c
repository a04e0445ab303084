/*
 * divergence.c
 *	  A run that explodes ends with a message a user can act on: the step, the
 *	  rows of its batch and the columns of largest magnitude.  Or it leaves the step
 *	  out, or returns to weights before it; the message is an event then.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "train/blame.h"
#include "train/divergence.h"

/* rollback: steps from one place to return to, to the next, and how many places an epoch
 * has at least, since rows that explode do so in each epoch; and by what lr shrinks */
#define GOOD_EVERY 50
#define PLACES_PER_EPOCH 4
#define ROLLBACK_FACTOR 0.5

/* how often in a row steps may explode straight from weights that no step has led on from:
 * their rows may be to blame, or what led to the weights */
#define MAX_EXPLODED 3

/* nothing helps a run that has done so much of it */
#define MAX_ROLLBACKS 30
#define MAX_SKIPPED_IN_A_ROW 100

/* events of one kind; the summary of the run counts them all */
#define MAX_EVENTS 10

static const char *
remedy(const OsmlRun *run)
{
	return run->hparams->scale == OSML_SCALE_NONE ?
		"Set \"gradient_clip_val\", lower \"lr\", or set \"scale\" to standardize." :
		"Set \"gradient_clip_val\", or lower \"lr\".";
}

/* All values of the model. */
Size
osml_fallback_params_bytes(const OsmlRun *run)
{
	return osml_model_values(&run->spec) * osml_precision_size(run->spec.precision);
}

Size
osml_fallback_optim_bytes(const OsmlFit *fit)
{
	return fit->n_params * osml_optim_slots((OsmlOptim) fit->run->hparams->optimizer) *
		osml_precision_size(fit->run->spec.precision);
}

/* Those alone that are not trained: running statistics of batch norm. */
static char *
buffers(const OsmlFit *fit, Size *bytes)
{
	Size		first = fit->n_params * osml_precision_size(fit->run->spec.precision);

	*bytes = osml_fallback_params_bytes(fit->run) - first;
	return (char *) fit->run->params + first;
}

/*
 * A batch's variance may overflow where its loss does not: the batch is divided by
 * infinity and becomes zeros, and so would all that is predicted later.
 */
static bool
buffers_finite(const OsmlFit *fit)
{
	const OsmlRun *run = fit->run;
	size_t		n = osml_model_values(&run->spec);

	return osml_run_first_odd(&run->spec, run->params, fit->n_params, n) == n;
}

/* What of a step is not finite, for messages; palloc'd. */
static char *
step_in_words(const OsmlFit *fit, const OsmlStepResult *step)
{
	return psprintf("loss %g, gradient norm %g%s", step->loss, step->norm,
					buffers_finite(fit) ? "" : ", running statistics of batch norm not finite");
}

pg_noreturn static void
diverged(OsmlFit *fit, const OsmlStepResult *step, bool finite)
{
	OsmlRun    *run = fit->run;
	const OsmlFallback *fallback = &fit->fallback;
	const char *after = fallback->rollbacks == MAX_ROLLBACKS ?
		psprintf(" after %d rollbacks", MAX_ROLLBACKS) :
		fallback->skipped_in_a_row == MAX_SKIPPED_IN_A_ROW ?
		psprintf(" after %d skipped steps in a row", MAX_SKIPPED_IN_A_ROW) : "";

	run->diverged = true;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 finite ?
			 errmsg("training diverged at step " INT64_FORMAT "%s: loss %g is more than %g times the first, %g",
					run->row.steps + 1, after, step->loss, run->hparams->divergence_factor,
					fit->first_loss * run->loss_unit) :
			 errmsg("training diverged at step " INT64_FORMAT "%s: %s",
					run->row.steps + 1, after, step_in_words(fit, step)),
			 errdetail_internal("%s", osml_blame(fit)),
			 errhint("%s", remedy(run))));
}

void
osml_fallback_setup(OsmlFit *fit)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;
	Size		bytes;

	fallback->lr_factor = 1;
	if (run->hparams->on_nonfinite == OSML_ON_NONFINITE_STOP)
		return;
	(void) buffers(fit, &bytes);
	fallback->buffers = bytes > 0 ? osml_run_alloc(run, bytes) : NULL;
	if (run->hparams->on_nonfinite != OSML_ON_NONFINITE_ROLLBACK)
		return;
	fallback->params = osml_run_alloc(run, osml_fallback_params_bytes(run));
	fallback->optim_state = osml_run_alloc(run, osml_fallback_optim_bytes(fit));
	if (run->hparams->weight_averaging > 0)
		fallback->averages = osml_run_alloc(run, osml_fallback_params_bytes(run));
}

/* What a step that is left out returns to. */
static void
note_buffers(OsmlFit *fit)
{
	Size		bytes;
	const char *from = buffers(fit, &bytes);

	if (fit->fallback.buffers)
		memcpy(fit->fallback.buffers, from, bytes);
}

/*
 * The weights are what a rollback returns to.  A batch may have passed through running
 * statistics since the step that led there.
 */
static void
note_place(OsmlFit *fit)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;
	Size		all = osml_fallback_params_bytes(run);
	Size		bytes;

	(void) buffers(fit, &bytes);
	memcpy(fallback->params, run->params, all - bytes);
	if (fallback->buffers)
		memcpy((char *) fallback->params + all - bytes, fallback->buffers, bytes);
	memcpy(fallback->optim_state, fit->optim_state, osml_fallback_optim_bytes(fit));
	if (fallback->averages)
		memcpy(fallback->averages, fit->averaging.values, osml_fallback_params_bytes(run));
	fallback->averaged = fit->averaging.average.n;
	fallback->rate_before = fit->averaging.rate_before;
	fallback->stale = fit->averaging.stale;
	fallback->loss = fit->last.raw_loss;
	fallback->step = run->row.steps;
	fallback->epoch = run->row.epoch;
	fallback->epoch_loss_sum = fit->epoch_loss_sum;
	fallback->epoch_weight = fit->epoch_weight;
	fallback->kept += fallback->since;
	fallback->since = 0;
	fallback->due = false;
}

/*
 * What losses are measured by.  One without units, such as that of a count, may be
 * negative, or pass through 0 by chance: it is measured by 1.
 */
static double
first_loss(const OsmlFit *fit)
{
	double		first = fabs(fit->first_loss);

	return osml_losses[fit->run->spec.loss].unit_power == 0 ? Max(first, 1) : first;
}

/* Is the run at the weights that it began with? */
static bool
at_beginning(const OsmlFit *fit)
{
	return fit->fallback.params && fit->fallback.kept + fit->fallback.since == 0;
}

/*
 * A loss that has doubled since is no place to return to: a run that explodes does
 * so over many steps.
 */
static bool
is_calm(const OsmlFit *fit)
{
	return fit->last.raw_loss <= 2 * Max(fit->fallback.loss, first_loss(fit));
}

/* Steps from one place to the next; how long a streamed epoch is nobody knows yet. */
static int64
steps_apart(const OsmlFit *fit)
{
	int64		steps = fit->run->streamed ? fit->run->row.steps :
		fit->batches_per_epoch / fit->run->hparams->accumulate_grad_batches;

	return Min(GOOD_EVERY, Max(1, steps / PLACES_PER_EPOCH));
}

void
osml_fallback_begin(OsmlFit *fit)
{
	note_buffers(fit);
	if (fit->fallback.params)
		note_place(fit);
}

void
osml_fallback_step(OsmlFit *fit)
{
	OsmlFallback *fallback = &fit->fallback;

	note_buffers(fit);
	fallback->skipped_in_a_row = 0;
	fallback->exploded = 0;
	if (fallback->params == NULL)
		return;
	fallback->since++;
	fallback->due = fallback->since >= steps_apart(fit) && is_calm(fit);
}

void
osml_fallback_epoch(OsmlFit *fit)
{
	if (fit->fallback.params && fit->fallback.since > 0 && is_calm(fit))
		fit->fallback.due = true;
}

void
osml_fallback_resume(OsmlFit *fit)
{
	note_buffers(fit);
}

/* The batch may have passed through running statistics already. */
static void
skip_step(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlFallback *fallback = &fit->fallback;
	char	   *words = step_in_words(fit, step);
	Size		bytes;
	char	   *to = buffers(fit, &bytes);

	if (fallback->buffers)
		memcpy(to, fallback->buffers, bytes);
	fallback->skipped_in_a_row++;
	if (++fallback->skipped <= MAX_EVENTS)
		osml_log_event(fit->run, "warning", "step_skipped",
					   psprintf("a step after step " INT64_FORMAT " was left out: %s. %s",
								fit->run->row.steps, words, osml_blame(fit)));
}

/* To the place that was noted last. */
static void
return_to_place(OsmlFit *fit)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;
	bool		same_epoch = fallback->epoch == run->row.epoch;

	memcpy(run->params, fallback->params, osml_fallback_params_bytes(run));
	memcpy(fit->optim_state, fallback->optim_state, osml_fallback_optim_bytes(fit));
	if (fallback->averages)
		memcpy(fit->averaging.values, fallback->averages, osml_fallback_params_bytes(run));
	note_buffers(fit);
	fit->averaging.average.n = fallback->averaged;
	fit->averaging.rate_before = fallback->rate_before;
	fit->averaging.stale = fallback->stale;
	/* the losses of steps that are given up are nobody's */
	fit->epoch_loss_sum = same_epoch ? fallback->epoch_loss_sum : 0;
	fit->epoch_weight = same_epoch ? fallback->epoch_weight : 0;
	fallback->exploded = fallback->since == 0 ? fallback->exploded + 1 : 0;
	fallback->since = 0;
	fallback->due = false;
}

/* The weights stay what they are: the batch has not got further than running statistics. */
static void
return_to_weights(OsmlFit *fit)
{
	Size		bytes;
	char	   *to = buffers(fit, &bytes);

	if (fit->fallback.buffers)
		memcpy(to, fit->fallback.buffers, bytes);
}

/*
 * Where a place is due, the rows of this step may be to blame; where other rows explode
 * from there too, it is what led there.
 */
static void
roll_back(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;
	char	   *words = step_in_words(fit, step);
	int64		to = run->row.steps;

	if (fallback->due && fallback->exploded < MAX_EXPLODED)
	{
		return_to_weights(fit);
		fallback->exploded++;
	}
	else
	{
		return_to_place(fit);
		to = fallback->step;
	}
	fallback->lr_factor *= ROLLBACK_FACTOR;
	if (++fallback->rollbacks <= MAX_EVENTS)
		osml_log_event(run, "warning", "rolled_back",
					   psprintf("after step " INT64_FORMAT ": %s; back to the weights after step "
								INT64_FORMAT ", lr is multiplied by %g from here on. %s",
								run->row.steps, words, to, fallback->lr_factor, osml_blame(fit)));
}

/* Are loss and gradient finite, and what batch norm has made of the batch? */
static bool
is_finite(const OsmlFit *fit, const OsmlStepResult *step)
{
	return isfinite(step->raw_loss) && isfinite(step->norm) && buffers_finite(fit);
}

bool
osml_step_usable(const OsmlFit *fit, const OsmlStepResult *step)
{
	double		factor = fit->run->hparams->divergence_factor;
	double		first = first_loss(fit);

	return is_finite(fit, step) &&
		(factor == 0 || first == 0 || step->raw_loss <= factor * first);
}

bool
osml_judge_step(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlRun    *run = fit->run;
	OsmlFallback *fallback = &fit->fallback;
	bool		finite = is_finite(fit, step);

	/* the first step may have been the one that exploded */
	if (at_beginning(fit) && fabs(step->raw_loss) < fabs(fit->first_loss))
		fit->first_loss = step->raw_loss;
	if (osml_step_usable(fit, step))
	{
		/* that a step leads on from there makes it a place */
		if (fallback->due)
			note_place(fit);
		return true;
	}
	if (run->hparams->on_nonfinite == OSML_ON_NONFINITE_ROLLBACK &&
		fallback->rollbacks < MAX_ROLLBACKS)
		roll_back(fit, step);
	else if (run->hparams->on_nonfinite == OSML_ON_NONFINITE_SKIP && !finite &&
			 fallback->skipped_in_a_row < MAX_SKIPPED_IN_A_ROW)
		skip_step(fit, step);
	else
		diverged(fit, step, finite);
	return false;
}

/* Steps exploded to the very end: are these weights to be kept? */
static void
end_exploding(OsmlFit *fit)
{
	OsmlFallback *fallback = &fit->fallback;
	OsmlRun    *run = fit->run;

	if (fallback->due && fallback->exploded > 0)
	{
		int64		exploded = fallback->exploded;

		return_to_place(fit);
		fit->validated_batch = -1;
		if (fallback->kept > 0)
			osml_log_event(run, "warning", "rolled_back",
						   psprintf("at the end: no step led on from the weights after step "
									INT64_FORMAT " (tried: " INT64_FORMAT "); back to those after step "
									INT64_FORMAT, run->row.steps, exploded, fallback->step));
	}
	if (fallback->kept + fallback->since > 0 && fallback->exploded <= MAX_EXPLODED)
		return;
	run->diverged = true;
	ereport(ERROR,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 fallback->kept + fallback->since == 0 ?
			 errmsg("no step was kept: the run returned to the weights that it began with (rollbacks: " INT64_FORMAT ")",
					fallback->rollbacks) :
			 errmsg("training diverged: each of the last " INT64_FORMAT " steps exploded from the weights after step "
					INT64_FORMAT, fallback->exploded, fallback->step),
			 errdetail("The run's events name the rows at which it exploded."),
			 errhint("%s", remedy(run))));
}

void
osml_fallback_end(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	size_t		n = osml_model_values(&run->spec);
	const OsmlFallback *fallback = &fit->fallback;

	if (fallback->rollbacks > 0)
		end_exploding(fit);
	if (fallback->skipped > 0 && run->row.steps == 0)
	{
		run->diverged = true;
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("no step was taken: loss or gradient was not finite in each of " INT64_FORMAT,
						fallback->skipped),
				 errhint("%s", remedy(run))));
	}
	/* no later step has seen what the last one did */
	if (osml_run_first_odd(&run->spec, run->params, 0, n) < n)
	{
		run->diverged = true;
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
				 errmsg("training diverged at step " INT64_FORMAT ": its weights are not finite",
						run->row.steps),
				 errhint("%s", remedy(run))));
	}
}
