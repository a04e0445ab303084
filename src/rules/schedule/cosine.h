/*
 * cosine.h
 *	  The learning rate falls along half a cosine,
 *	  torch.optim.lr_scheduler.CosineAnnealingLR(T_max = steps of the run).
 */
#ifndef OSML_SCHEDULE_COSINE_H
#define OSML_SCHEDULE_COSINE_H

#include <math.h>

#include "rules/schedule/params.h"

/*
 * Factor on lr at step number `step` (from 1) of total_steps (0: unknown).
 * eta_min is reached after the last step, and kept: PyTorch's would rise again.
 */
static inline double
osml_schedule_cosine(const OsmlScheduleParams *params, int64_t step,
					 int64_t total_steps)
{
	double		passed;

	if (total_steps == 0)
		return 1.0;
	if (step > total_steps)
		return params->eta_min;
	passed = (double) (step - 1) / (double) total_steps;
	return params->eta_min + (1 - params->eta_min) * (1 + cos(M_PI * passed)) / 2;
}

#endif							/* OSML_SCHEDULE_COSINE_H */
