/*
 * one_cycle.h
 *	  The learning rate rises to lr and falls to almost nothing, both along half
 *	  a cosine: torch.optim.lr_scheduler.OneCycleLR(max_lr = lr), its lr only.
 */
#ifndef OSML_SCHEDULE_ONE_CYCLE_H
#define OSML_SCHEDULE_ONE_CYCLE_H

#include <math.h>

#include "rules/schedule/params.h"

/* along half a cosine from `from` to `to`; passed from 0 to 1 */
static inline double
osml_schedule_anneal(double from, double to, double passed)
{
	return to + (from - to) / 2 * (1 + cos(M_PI * passed));
}

/*
 * Factor on lr at step number `step` (from 1) of total_steps (0: unknown).  The
 * first step has the lowest lr of the rise, the last the lowest of all.
 */
static inline double
osml_schedule_one_cycle(const OsmlScheduleParams *params, int64_t step,
						int64_t total_steps)
{
	double		first = 1 / params->div_factor;
	double		last = first / params->final_div_factor;
	double		top = params->pct_start * (double) total_steps - 1;
	double		end = (double) (total_steps - 1);
	double		at = (double) (step - 1);

	if (total_steps == 0)
		return 1.0;
	if (at > end)
		return last;
	if (at > top)
		return osml_schedule_anneal(1, last, (at - top) / (end - top));
	/* a rise of one step is at its top, where PyTorch divides by 0 */
	return top > 0 ? osml_schedule_anneal(first, 1, at / top) : 1;
}

#endif							/* OSML_SCHEDULE_ONE_CYCLE_H */
