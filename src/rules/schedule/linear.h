/*
 * linear.h
 *	  The learning rate falls in a straight line, to 0 after the last step.
 */
#ifndef OSML_SCHEDULE_LINEAR_H
#define OSML_SCHEDULE_LINEAR_H

#include "rules/schedule/params.h"

/*
 * Factor on lr at step number `step` (from 1) of total_steps.  Where the number
 * of steps is not known (0), as in a streamed run, lr stays what it is.
 */
static inline double
osml_schedule_linear(const OsmlScheduleParams *params, int64_t step,
					 int64_t total_steps)
{
	(void) params;
	if (total_steps == 0)
		return 1.0;
	if (step > total_steps)
		return 0.0;
	return 1.0 - (double) (step - 1) / (double) total_steps;
}

#endif							/* OSML_SCHEDULE_LINEAR_H */
