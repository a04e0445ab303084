/*
 * monitor.h
 *	  The metric that early stopping and the learning rate follow.
 *
 * Its values are those of validations (val_...) or of epochs of training
 * (train_loss).  Each is offered to reduce_on_plateau and to early stopping.
 */
#ifndef OSML_MONITOR_H
#define OSML_MONITOR_H

#include "rules/metric/metric.h"
#include "rules/schedule/schedule.h"
#include "rules/stop/early_stopping.h"
#include "train/run.h"

typedef struct OsmlMonitor
{
	const char *name;			/* val_rmse, ... */
	int			metric;			/* of rules/metric; -1: the loss */
	bool		of_train;		/* else of validations */
	bool		stops;			/* someone asked for an end */
	OsmlScheduleParams schedule;
	OsmlPlateau plateau;
	OsmlStopParams stop_params;
	OsmlStop	stop;
	int64		epochs;			/* that are over */
	bool		done;			/* the run is to end */
	bool		over;			/* it has: nothing follows the metric any more */
} OsmlMonitor;

/* What the hyperparameters say, in the caller: an error for a metric that there is
 * none of.  has_val: there are rows to validate on. */
extern void osml_monitor_check(const OsmlHparams *hparams, const OsmlModelKind *kind,
							   bool has_val);

/* in the trainer; steps_per_epoch for schedules that count epochs */
extern void osml_monitor_setup(OsmlRun *run, int64 steps_per_epoch);

/* a validation's measure, or NULL and the loss of an epoch's training */
extern void osml_monitor_offer(OsmlRun *run, const OsmlMeasure *measure, double loss);

#endif							/* OSML_MONITOR_H */
