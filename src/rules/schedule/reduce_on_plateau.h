/*
 * reduce_on_plateau.h
 *	  The learning rate drops when a metric has stopped improving.
 *
 * The metric decides, not the step: plateau.h keeps what has been seen, and the
 * schedule by steps has nothing to add.
 */
#ifndef OSML_SCHEDULE_REDUCE_ON_PLATEAU_H
#define OSML_SCHEDULE_REDUCE_ON_PLATEAU_H

#include "rules/schedule/params.h"

/* factor on lr, to which osml_schedule_factor() adds the plateau's */
static inline double
osml_schedule_reduce_on_plateau(const OsmlScheduleParams *params, int64_t step,
								int64_t total_steps)
{
	(void) params;
	(void) step;
	(void) total_steps;
	return 1.0;
}

#endif							/* OSML_SCHEDULE_REDUCE_ON_PLATEAU_H */
