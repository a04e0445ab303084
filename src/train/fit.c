/*
 * fit.c
 *	  The step loop: batches of rows, gradients, updates.
 *
 * Rows arrive as segments of blocks.  A batch's gradient is summed over its
 * segments and divided once, so it does not matter how blocks, windows, lanes
 * or accumulated batches cut it.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "portability/instr_time.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "rules/schedule/schedule.h"
#include "train/anomaly.h"
#include "train/blame.h"
#include "train/checkpoint.h"
#include "train/divergence.h"
#include "train/fit.h"
#include "train/gram.h"
#include "train/lane.h"
#include "train/length.h"
#include "train/load.h"
#include "train/monitor.h"
#include "train/range_test.h"
#include "train/validate.h"

/* rows that log_step() adds at most */
#define STEP_METRICS 7

/* A number in the summary of the run of how often clipping took hold. */
static void
note_clipping(OsmlFit *fit)
{
	if (fit->run->hparams->gradient_clip_val > 0 && fit->run->row.steps > 0)
		osml_run_summary_number(fit->run, "clipped_share",
								(double) fit->clipped_steps / fit->run->row.steps);
}

/* And of how often a step was not taken. */
static void
note_fallback(OsmlFit *fit)
{
	const OsmlFallback *fallback = &fit->fallback;

	if (fallback->skipped > 0)
		osml_run_summary_number(fit->run, "steps_skipped", (double) fallback->skipped);
	if (fallback->rollbacks > 0)
		osml_run_summary_number(fit->run, "rollbacks", (double) fallback->rollbacks);
}

/* Clip the mean gradient; returns its norm afterwards. */
static double
clip_gradient(OsmlFit *fit, double norm)
{
	OsmlRun    *run = fit->run;
	double		limit = run->hparams->gradient_clip_val;
	double		after;

	if (limit <= 0)
		return norm;
	if (run->hparams->gradient_clip_algorithm == OSML_CLIP_VALUE)
		osml_gradient_clamp(&fit->gradient, limit);
	else
	{
		double		factor = limit / (norm + 1e-6);

		if (factor < 1)
			osml_gradient_scale(&fit->gradient, factor);
	}
	after = osml_gradient_norm(&fit->gradient);
	if (after < norm)
		fit->clipped_steps++;
	return after;
}

/* Seconds since the last call, for step_seconds. */
static double
lap(OsmlFit *fit)
{
	instr_time	now;
	instr_time	span;

	INSTR_TIME_SET_CURRENT(now);
	span = now;
	INSTR_TIME_SUBTRACT(span, fit->lap_start);
	fit->lap_start = now;
	return INSTR_TIME_GET_DOUBLE(span);
}

/* The rows of osml.metrics for the step just taken. */
static void
log_step(OsmlFit *fit, const OsmlStepResult *step, bool always)
{
	OsmlRun    *run = fit->run;
	int64		steps = run->row.steps - fit->lap_step;
	double		seconds;

	if (!always && !osml_log_room(run, STEP_METRICS))
		return;
	seconds = lap(fit);
	osml_log_metric(run, "train", fit->loss_name, step->loss);
	if (run->spec.loss == OSML_LOSS_MSE)
		osml_log_metric(run, "train", "train_rmse", sqrt(step->loss));
	osml_log_metric(run, "train", "lr", step->lr);
	osml_log_metric(run, "train", "grad_norm", step->norm);
	osml_log_metric(run, "train", "grad_norm_clipped", step->norm_clipped);
	if (steps > 0 && seconds > 0)
	{
		osml_log_metric(run, "train", "step_seconds", seconds / steps);
		osml_log_metric(run, "train", "rows_per_s",
						(run->row.rows_seen - fit->lap_rows) / seconds);
	}
	fit->lap_step = run->row.steps;
	fit->lap_rows = run->row.rows_seen;
	fit->logged_step = run->row.steps;
}

/*
 * The mean loss over an epoch's steps: what a version is ranked by where it has
 * no held-out rows, since a single batch says little.
 */
static void
close_epoch(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	void	   *trained = run->params;

	fit->epoch_turned = false;
	if (fit->epoch_weight == 0)
		return;
	run->train_loss = fit->epoch_loss_sum / fit->epoch_weight * run->loss_unit;
	/* epochs of a handful of rows can be as short as steps */
	if (fit->done || osml_log_room(run, 1))
		osml_log_metric(run, "train", fit->epoch_loss_name, run->train_loss);
	/* what would be kept is what the run would keep */
	run->params = osml_averaging_weights(&fit->averaging, run);
	osml_monitor_offer(run, NULL, run->train_loss);
	run->params = trained;
	fit->epoch_loss_sum = 0;
	fit->epoch_weight = 0;
}

/* The penalty's step: matrices of weights, not biases, nor what batch norm scales by. */
static void
shrink_weights(OsmlFit *fit, const OsmlOptimStep *step)
{
	OsmlRun    *run = fit->run;
	OsmlTensor	tensors[OSML_MAX_TENSORS];
	int			n = run->spec.ops->tensors(&run->spec, tensors);

	for (int i = 0; i < n; i++)
	{
		if (tensors[i].ndim == 2)
			run->backend->shrink(run->backend, run->spec.precision, (OsmlOptim) run->hparams->optimizer,
								 step, run->hparams->l1, tensors[i].offset, tensors[i].size,
								 run->params, fit->optim_state, fit->n_params);
	}
}

/* The learning rate of the step about to be taken. */
static double
step_rate(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	double		factor;

	if (run->plan->range.on)
		return osml_range_rate(&run->plan->range, run->row.steps + 1);
	factor = osml_schedule_factor((OsmlSchedule) (run->hparams->lr_schedule - 1),
							 &run->monitor->schedule, &run->monitor->plateau,
							 run->row.steps + 1, fit->total_steps);
	return fit->fallback.lr_factor *
		osml_averaging_rate(&fit->averaging, run, run->hparams->lr * factor);
}

/* The update itself, with the mean gradient clipped. */
static void
update_params(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlRun    *run = fit->run;
	OsmlOptimStep update;

	osml_optim_begin_step(&update, &fit->hyper, step->lr, run->row.steps + 1);
	osml_gradient_step(&fit->gradient, (OsmlOptim) run->hparams->optimizer, &update,
					   run->params, fit->optim_state);
	if (run->hparams->detect_anomaly)
		osml_anomaly_update(fit);
	if (run->hparams->l1 > 0)
		shrink_weights(fit, &update);
	osml_averaging_step(&fit->averaging, run);
}

/* Count a step that has been taken. */
static void
count_step(OsmlFit *fit, const OsmlStepResult *step)
{
	OsmlRun    *run = fit->run;

	run->row.steps++;
	run->row.rows_seen += fit->step_rows;
	fit->epoch_loss_sum += fit->loss_sum;
	fit->epoch_weight += fit->step_weight;
	run->shared->step = run->row.steps;
	run->shared->rows_seen = run->row.rows_seen;
	run->shared->loss = step->loss;
	fit->last = *step;
	if (run->plan->range.on)
		osml_range_log(fit, step);
	else if (run->row.steps % run->hparams->log_every_n_steps == 0 || run->row.steps == 1)
		log_step(fit, step, false);
}

/* Nothing has been added to the step. */
static void
empty_step(OsmlFit *fit)
{
	osml_gradient_clear(&fit->gradient);
	fit->loss_sum = 0;
	fit->step_rows = 0;
	fit->step_weight = 0;
	fit->n_segments = 0;
	fit->has_peaks = false;
}

/* The next step starts from nothing. */
static void
clear_step(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;

	empty_step(fit);
	fit->batches_in_step = 0;
	if (fit->epoch_turned)
	{
		run->monitor->epochs = fit->lanes[0].epoch;
		close_epoch(fit);
		run->row.epoch = run->shared->epoch = fit->lanes[0].epoch;
		osml_fallback_epoch(fit);
	}
}

/* Add rows [lo, hi) of a block to the current batch. */
static void
add_segment(OsmlFit *fit, OsmlBlock *block, int lo, int hi)
{
	OsmlRun    *run = fit->run;
	OsmlRowsAt	at = {fit->n_batches, fit->batch_rows};

	if (run->hparams->detect_anomaly)
		osml_anomaly_before(fit, block, lo, hi, at);
	osml_gradient_rows(&fit->gradient, block, lo, hi);
	run->spec.ops->accumulate(&run->spec, run->backend, block, lo, hi, at, run->params,
							  fit->grad, &fit->loss_sum, run->scratch);
	if (run->hparams->detect_anomaly)
		osml_anomaly_after(fit, block, lo, hi, at);
	fit->step_weight += osml_run_weight(&run->spec, block, lo, hi);
	fit->step_rows += hi - lo;
	fit->batch_rows += hi - lo;
	osml_note_segment(fit, block, lo, hi);
}

/* A batch of rows from all lanes. */
static void
take_rows(OsmlFit *fit)
{
	const OsmlHparams *hparams = fit->run->hparams;

	for (int l = 0; l < hparams->lanes; l++)
		(void) osml_lane_take(fit, &fit->lanes[l], hparams->batch_size / hparams->lanes,
							  add_segment);
}

/* The accumulated batches are complete: mean loss, mean gradient and its norm. */
static void
measure_step(OsmlFit *fit, OsmlStepResult *step)
{
	/* rows that all weigh nothing have no gradient */
	double		weight = fit->step_weight > 0 ? fit->step_weight : 1;

	step->raw_loss = fit->loss_sum / weight;
	step->loss = step->raw_loss * fit->run->loss_unit;
	osml_gradient_scale(&fit->gradient, 1.0 / weight);
	step->norm = osml_gradient_norm(&fit->gradient);
	if (fit->run->row.steps == 0)
		fit->first_loss = step->raw_loss;
}

/* The step again, from rows, which a message about it will name. */
static void
redo_step(OsmlFit *fit)
{
	int64		batches = fit->batches_in_step;

	empty_step(fit);
	fit->batch_rows = 0;
	osml_gram_rewind(fit, fit->n_batches - batches);
	for (int64 i = 0; i < batches; i++)
		take_rows(fit);
	fit->batch_rows = 0;
}

/* An optimiser update from the summed gradient of the accumulated batches. */
static void
take_step(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	OsmlStepResult step;
	bool		usable;

	measure_step(fit, &step);
	if (fit->gram && !osml_step_usable(fit, &step))
	{
		redo_step(fit);
		measure_step(fit, &step);
	}
	usable = run->plan->range.on ? osml_range_step(fit, &step) : osml_judge_step(fit, &step);
	if (usable)
	{
		step.norm_clipped = clip_gradient(fit, step.norm);
		step.lr = step_rate(fit);
		update_params(fit, &step);
		count_step(fit, &step);
		osml_fallback_step(fit);
	}
	clear_step(fit);
}

/* Validate what the run would keep if it ended here. */
static void
validate(OsmlFit *fit, bool always)
{
	OsmlRun    *run = fit->run;
	void	   *trained = run->params;

	run->params = osml_averaging_weights(&fit->averaging, run);
	run->val_loss = osml_validate(run, OSML_PART_VAL, "val",
								  run->hparams->limit_val_batches, always);
	run->params = trained;
	fit->validated_batch = fit->n_batches;
}

/* Validation while training, when the batch count says so. */
static void
maybe_validate(OsmlFit *fit, bool epoch_end)
{
	OsmlRun    *run = fit->run;
	double		interval = run->hparams->val_check_interval;
	bool		due;

	if (!run->parts[OSML_PART_VAL].present || run->plan->range.on ||
		(run->row.epoch + 1) % run->hparams->check_val_every_n_epoch != 0)
		return;
	if (interval == 0)
		due = epoch_end;
	else
	{
		int64		batches = interval >= 1 ? (int64) interval :
			Max(1, (int64) (interval * fit->batches_per_epoch));

		due = fit->n_batches % batches == 0 && !epoch_end;
	}
	if (due && fit->validated_batch != fit->n_batches)
		validate(fit, fit->done);
}

/* Is the time over, and is all done that comes before it?  Then an event says so. */
static bool
time_over(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	const OsmlHparams *hparams = run->hparams;

	if (isnan(hparams->max_time) || run->monitor->epochs < hparams->min_epochs ||
		run->row.steps < hparams->min_steps ||
		!TimestampDifferenceExceeds(run->started_at, GetCurrentTimestamp(),
									(int) Min(hparams->max_time * 1000, (double) INT_MAX)))
		return false;
	osml_log_event(run, "info", "max_time",
				   psprintf("max_time, %g s, is over after step " INT64_FORMAT, hparams->max_time,
							run->row.steps));
	return true;
}

/* Has the run had enough? */
static bool
limit_reached(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	const OsmlHparams *hparams = run->hparams;

	if (run->monitor->done ||
		(hparams->max_batches != OSML_AUTO && fit->n_batches >= hparams->max_batches) ||
		(hparams->max_steps != OSML_AUTO && run->row.steps >= hparams->max_steps))
		return true;
	return time_over(fit);
}

/* A batch is complete. */
static void
end_batch(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;

	if (run->hparams->detect_anomaly)
		osml_anomaly_before(fit, NULL, 0, 0, (OsmlRowsAt) {fit->n_batches, 0});
	if (run->spec.ops->end_batch)
		run->spec.ops->end_batch(&run->spec, run->backend, run->params, fit->grad,
								 &fit->loss_sum, run->scratch);
	if (run->hparams->detect_anomaly)
		osml_anomaly_after(fit, NULL, 0, 0, (OsmlRowsAt) {fit->n_batches, 0});
	fit->n_batches++;
	fit->batch_rows = 0;
	if (++fit->batches_in_step >= run->hparams->accumulate_grad_batches)
		take_step(fit);
	fit->done = limit_reached(fit);
	osml_run_check(run);
	maybe_validate(fit, false);
	fit->done = fit->done || run->monitor->done;
	if (!fit->done)
		osml_checkpoint_maybe(fit);
}

/* Remember the step as it was before this batch, for drop_last to return to. */
static void
mark_batch(OsmlFit *fit)
{
	memcpy(fit->kept_grad, fit->grad,
		   fit->n_params * osml_precision_size(fit->run->spec.precision));
	fit->kept_loss_sum = fit->loss_sum;
	fit->kept_weight = fit->step_weight;
}

/* Forget the batch: its rows leave the step again. */
static void
drop_batch(OsmlFit *fit)
{
	memcpy(fit->grad, fit->kept_grad,
		   fit->n_params * osml_precision_size(fit->run->spec.precision));
	fit->loss_sum = fit->kept_loss_sum;
	fit->step_weight = fit->kept_weight;
	fit->step_rows -= fit->batch_rows;
	fit->batch_rows = 0;
}

/* One batch, from sums or from all lanes; false when no row was left. */
static bool
next_batch(OsmlFit *fit)
{
	if (fit->kept_grad)
		mark_batch(fit);
	if (fit->gram == NULL || !osml_gram_batch(fit))
		take_rows(fit);
	return fit->batch_rows > 0;
}

static void
begin_epoch(OsmlFit *fit, int64 epoch)
{
	fit->run->row.epoch = fit->run->shared->epoch = epoch;
	for (int l = 0; l < fit->run->hparams->lanes; l++)
		osml_lane_begin(fit, &fit->lanes[l], epoch, 0);
}

/* A run that goes on is where its checkpoint was made. */
static void
go_on(OsmlFit *fit)
{
	osml_checkpoint_restore(fit);
	for (int l = 0; l < fit->run->hparams->lanes; l++)
	{
		OsmlLane   *lane = &fit->lanes[l];

		osml_feed_replay(lane->feed, lane->epoch);
		osml_lane_begin(fit, lane, lane->epoch, lane->epoch_rows);
	}
	osml_checkpoint_compare(fit);
	fit->run->monitor->epochs = fit->run->row.epoch;
	osml_fallback_resume(fit);
}

/* max_batches without max_epochs: one endless stream of full batches. */
static void
fit_endless(OsmlFit *fit)
{
	if (fit->run->resume)
		go_on(fit);
	else
		begin_epoch(fit, 0);
	while (!fit->done && next_batch(fit))
		end_batch(fit);
}

/*
 * Epochs, each of which counts every row once, or those of its first batches; its last
 * batch may be short.
 */
static void
fit_epochs(OsmlFit *fit)
{
	OsmlRun    *run = fit->run;
	bool		resumed = run->resume != NULL;
	int64		end;

	if (resumed)
		go_on(fit);
	for (int64 epoch = resumed ? run->row.epoch : 0; epoch < fit->epochs && !fit->done; epoch++)
	{
		if (!resumed)
		{
			begin_epoch(fit, epoch);
			fit->epoch_first_batch = fit->n_batches;
		}
		resumed = false;
		end = fit->epoch_first_batch + Min(fit->epoch_batches, PG_INT64_MAX / 2);
		while (!fit->done && fit->n_batches < end && next_batch(fit))
		{
			if (fit->kept_grad && fit->batch_rows < run->hparams->batch_size)
			{
				drop_batch(fit);
				break;
			}
			end_batch(fit);
		}
		/* what was accumulated steps at the end of its epoch */
		if (fit->step_rows > 0)
			take_step(fit);
		run->monitor->epochs = epoch + 1;
		fit->done = fit->done || epoch == fit->epochs - 1 || limit_reached(fit);
		close_epoch(fit);
		if (run->streamed && epoch == 0)
			osml_streamed_end(run);
		osml_averaging_epoch(&fit->averaging, run, run->parts[OSML_PART_VAL].present);
		osml_fallback_epoch(fit);
		maybe_validate(fit, true);
		fit->done = fit->done || run->monitor->done;
	}
}

void
osml_fit(OsmlRun *run)
{
	OsmlFit		fit;

	osml_fit_setup(&fit, run);
	osml_gram_setup(&fit);
	osml_fallback_begin(&fit);
	if (fit.endless)
		fit_endless(&fit);
	else
		fit_epochs(&fit);
	if (fit.step_rows > 0)
		take_step(&fit);
	if (run->plan->range.on)
	{
		osml_range_end(&fit);
		return;
	}
	if (isnan(run->train_loss))
		close_epoch(&fit);
	osml_fallback_end(&fit);
	if (run->row.steps == 0)
		osml_length_no_step(run->hparams);
	if (fit.logged_step != run->row.steps)
		log_step(&fit, &fit.last, true);
	osml_averaging_end(&fit.averaging, run);
	run->monitor->over = true;
	if (run->parts[OSML_PART_VAL].present &&
		(fit.validated_batch != fit.n_batches || !run->validation_logged))
		validate(&fit, true);
	note_clipping(&fit);
	note_fallback(&fit);
	osml_gram_end(&fit);
}
