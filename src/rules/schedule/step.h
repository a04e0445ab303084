/*
 * step.h
 *	  The learning rate drops in steps, torch.optim.lr_scheduler.StepLR.
 */
#ifndef OSML_SCHEDULE_STEP_H
#define OSML_SCHEDULE_STEP_H

#include <math.h>

#include "rules/schedule/params.h"

/* factor on lr at step number `step` (from 1) */
static inline double
osml_schedule_step(const OsmlScheduleParams *params, int64_t step,
				   int64_t total_steps)
{
	(void) total_steps;
	return pow(params->gamma,
			   (double) ((step - 1) / params->interval / params->step_size));
}

#endif							/* OSML_SCHEDULE_STEP_H */
