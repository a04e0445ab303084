/*
 * exponential.h
 *	  The learning rate falls by a factor, torch.optim.lr_scheduler.ExponentialLR.
 */
#ifndef OSML_SCHEDULE_EXPONENTIAL_H
#define OSML_SCHEDULE_EXPONENTIAL_H

#include <math.h>

#include "rules/schedule/params.h"

/* factor on lr at step number `step` (from 1) */
static inline double
osml_schedule_exponential(const OsmlScheduleParams *params, int64_t step,
						  int64_t total_steps)
{
	(void) total_steps;
	return pow(params->gamma, (double) ((step - 1) / params->interval));
}

#endif							/* OSML_SCHEDULE_EXPONENTIAL_H */
