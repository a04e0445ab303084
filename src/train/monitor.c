/*
 * monitor.c
 *	  The metric that early stopping and the learning rate follow: see monitor.h.
 */
#include "postgres.h"

#include <math.h>

#include "rules/name/nearest.h"
#include "train/best.h"
#include "train/monitor.h"

static bool
has_prefix(const char *name, const char *prefix)
{
	return strncmp(name, prefix, strlen(prefix)) == 0;
}

/* Does anything follow the metric? */
static bool
is_watched(const OsmlHparams *hparams)
{
	return hparams->early_stopping || hparams->save_top_k > 0 || !isnan(hparams->stopping_threshold) ||
		!isnan(hparams->divergence_threshold) ||
		hparams->lr_schedule == 1 + OSML_SCHEDULE_REDUCE_ON_PLATEAU;
}

/* Raise: there is no such metric of this model. */
static void
unknown_metric(const char *name, OsmlTask task)
{
	OsmlNearest nearest;
	const char *best;

	osml_nearest_begin(&nearest, name);
	osml_nearest_offer(&nearest, "train_loss");
	osml_nearest_offer(&nearest, "val_loss");
	for (int i = 0; i < osml_metric_count(); i++)
	{
		if (osml_metric_judges(i, task))
			osml_nearest_offer(&nearest, psprintf("val_%s", osml_metric_name(i)));
	}
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("hyperparameter \"monitor\" names \"%s\", which is no metric of this model", name),
			 best ? errhint("Perhaps you meant \"%s\".", best) :
			 errhint("It may be train_loss, val_loss, or val_ and a metric such as rmse or accuracy.")));
}

/* The metric behind "val_" or -1 for the loss. */
static int
metric_of(const char *name, OsmlTask task)
{
	int			metric;

	if (strcmp(name, "val_loss") == 0 || strcmp(name, "train_loss") == 0)
		return -1;
	metric = has_prefix(name, "val_") ? osml_metric_by_name(name + strlen("val_")) : -1;
	if (metric < 0 || !osml_metric_judges(metric, task))
		unknown_metric(name, task);
	return metric;
}

/* The name, auto resolved. */
static const char *
monitor_name(const OsmlHparams *hparams, bool has_val)
{
	return hparams->monitor ? hparams->monitor : has_val ? "val_loss" : "train_loss";
}

void
osml_monitor_check(const OsmlHparams *hparams, const OsmlModelKind *kind, bool has_val)
{
	const char *name = monitor_name(hparams, has_val);

	if (hparams->monitor && !is_watched(hparams))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"monitor\" is given, but nothing watches it"),
				 errhint("Set \"early_stopping\", \"stopping_threshold\", \"save_top_k\" or \"lr_schedule\" reduce_on_plateau, or leave it out.")));
	if (has_prefix(name, "val_") && !has_val)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("hyperparameter \"monitor\" is \"%s\", but there are no validation rows", name),
				 errhint("Give the dataset a val source, set \"val_fraction\", or monitor train_loss.")));
	/* of a model whose classes are not counted any metric of classes */
	(void) metric_of(name, kind ? osml_task_of_link(osml_losses[hparams->loss - 1].link) :
					 OSML_TASK_CLASSES);
}

/* Schedules speak of shares of lr. */
static OsmlScheduleParams
schedule_params(const OsmlHparams *hparams, int64 steps_per_epoch)
{
	OsmlScheduleParams params = osml_schedule_defaults;
	double		lr = hparams->lr > 0 ? hparams->lr : 1;

	params.interval = hparams->lr_interval == OSML_INTERVAL_EPOCH ? steps_per_epoch : 1;
	params.warmup_steps = hparams->warmup_steps;
	if (hparams->step_size != OSML_AUTO)
		params.step_size = hparams->step_size;
	params.gamma = hparams->gamma;
	params.eta_min = hparams->eta_min / lr;
	params.pct_start = hparams->pct_start;
	params.div_factor = hparams->div_factor;
	params.final_div_factor = hparams->final_div_factor;
	params.plateau_factor = hparams->plateau_factor;
	params.plateau_patience = hparams->plateau_patience;
	params.plateau_threshold = hparams->plateau_threshold;
	params.plateau_cooldown = hparams->plateau_cooldown;
	params.plateau_min = hparams->min_lr / lr;
	return params;
}

void
osml_monitor_setup(OsmlRun *run, int64 steps_per_epoch)
{
	const OsmlHparams *hparams = run->hparams;
	OsmlMonitor *monitor = palloc0(sizeof(OsmlMonitor));
	bool		max;

	run->monitor = monitor;
	monitor->schedule = schedule_params(hparams, steps_per_epoch);
	monitor->name = monitor_name(hparams, run->parts[OSML_PART_VAL].present);
	monitor->of_train = has_prefix(monitor->name, "train_");
	monitor->metric = metric_of(monitor->name,
								osml_task_of_link(osml_losses[run->spec.loss].link));
	max = hparams->monitor_mode == OSML_MONITOR_MAX ||
		(hparams->monitor_mode == OSML_MONITOR_AUTO && monitor->metric >= 0 &&
		 osml_metric_higher_is_better(monitor->metric));
	monitor->schedule.plateau_max = max;
	osml_plateau_begin(&monitor->plateau, &monitor->schedule);
	monitor->stops = hparams->early_stopping || !isnan(hparams->stopping_threshold) ||
		!isnan(hparams->divergence_threshold);
	monitor->stop_params = osml_stop_defaults;
	monitor->stop_params.max = max;
	monitor->stop_params.patience = hparams->early_stopping ? hparams->patience : PG_INT64_MAX;
	monitor->stop_params.min_delta = hparams->min_delta;
	monitor->stop_params.stopping_threshold = hparams->stopping_threshold;
	monitor->stop_params.divergence_threshold = hparams->divergence_threshold;
	osml_stop_begin(&monitor->stop, &monitor->stop_params);
	osml_best_setup(run, max);
}

/* Why the run ends, for its events. */
static char *
describe_end(const OsmlMonitor *monitor, OsmlStopReason reason, double value)
{
	switch (reason)
	{
		case OSML_STOP_PATIENCE:
			return psprintf("%s has not improved on %g%s for " INT64_FORMAT " values, the last is %g",
							monitor->name, monitor->stop.best,
							monitor->stop_params.min_delta == 0 ? "" :
							psprintf(" by more than %g", monitor->stop_params.min_delta),
							monitor->stop.waited, value);
		case OSML_STOP_GOOD_ENOUGH:
			return psprintf("%s is %g, better than stopping_threshold", monitor->name, value);
		case OSML_STOP_DIVERGED:
			return psprintf("%s is %g, worse than divergence_threshold", monitor->name, value);
		default:
			return psprintf("%s is %g", monitor->name, value);
	}
}

void
osml_monitor_offer(OsmlRun *run, const OsmlMeasure *measure, double loss)
{
	OsmlMonitor *monitor = run->monitor;
	OsmlStopReason reason;
	double		value;

	if (monitor == NULL || monitor->of_train != (measure == NULL))
		return;
	value = monitor->metric < 0 ? loss : osml_metric_value(monitor->metric, measure);
	osml_best_offer(run, monitor->name, value, measure ? loss : NAN);
	if (monitor->over)
		return;
	if (run->hparams->lr_schedule == 1 + OSML_SCHEDULE_REDUCE_ON_PLATEAU &&
		osml_plateau_update(&monitor->plateau, &monitor->schedule, value))
		osml_log_event(run, "info", "lr_reduced",
					   psprintf("%s stopped improving at %g: lr is %g from here on", monitor->name,
								value, run->hparams->lr * monitor->plateau.factor));
	if (!monitor->stops || monitor->done)
		return;
	reason = osml_stop_offer(&monitor->stop, &monitor->stop_params, value);
	/* min_epochs and min_steps: what is still so at a later value ends the run then */
	if (reason == OSML_STOP_NOT || monitor->epochs < run->hparams->min_epochs ||
		run->row.steps < run->hparams->min_steps)
		return;
	monitor->done = true;
	osml_log_event(run, "info", "early_stopping", describe_end(monitor, reason, value));
}
