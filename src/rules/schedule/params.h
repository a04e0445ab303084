/*
 * params.h
 *	  What the schedules can be told.
 *
 * Learning rates stand here as shares of lr, since a schedule is a factor on it:
 * eta_min is PyTorch's eta_min / lr, one_cycle's max_lr is lr itself.
 *
 * Steps are completed optimiser updates.  step and exponential move on once in
 * `interval` of them: 1 is Lightning's interval 'step'; the number of steps of
 * an epoch makes it 'epoch', as in PyTorch's loop with one scheduler.step() an
 * epoch.  The other schedules go by single steps: their length is the run's.
 */
#ifndef OSML_SCHEDULE_PARAMS_H
#define OSML_SCHEDULE_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OsmlScheduleParams
{
	int64_t		interval;		/* step, exponential: steps in one of theirs */
	int64_t		warmup_steps;	/* before any schedule: steps in a line to lr */
	int64_t		step_size;		/* step: intervals from one drop to the next */
	double		gamma;			/* step, exponential: factor at each drop */
	double		eta_min;		/* cosine: share of lr at the end */
	double		pct_start;		/* one_cycle: share of the steps that rises */
	double		div_factor;		/* one_cycle: starts at lr / div_factor */
	double		final_div_factor;	/* one_cycle: ends at the start's this-th part */
	bool		plateau_max;	/* reduce_on_plateau: PyTorch's mode 'max' */
	bool		plateau_abs;	/* and its threshold_mode 'abs' */
	double		plateau_factor;
	int64_t		plateau_patience;	/* bad ones that pass without a reduction */
	double		plateau_threshold;
	int64_t		plateau_cooldown;
	double		plateau_min;	/* least share of lr: PyTorch's min_lr / lr */
	double		plateau_eps;	/* smaller reductions are not made: eps / lr */
} OsmlScheduleParams;

#endif							/* OSML_SCHEDULE_PARAMS_H */
