/*
 * constant.h
 *	  The learning rate stays as it is.
 */
#ifndef OSML_SCHEDULE_CONSTANT_H
#define OSML_SCHEDULE_CONSTANT_H

#include "rules/schedule/params.h"

/* factor on lr at step number `step` (from 1) of total_steps (0: unknown) */
static inline double
osml_schedule_constant(const OsmlScheduleParams *params, int64_t step,
					   int64_t total_steps)
{
	(void) params;
	(void) step;
	(void) total_steps;
	return 1.0;
}

#endif							/* OSML_SCHEDULE_CONSTANT_H */
