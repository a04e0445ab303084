/*
 * schedule.h
 *	  The learning-rate schedules as numbers.
 *
 * Next: list.h (the entries), constant.h (one of them).
 */
#ifndef OSML_SCHEDULE_H
#define OSML_SCHEDULE_H

#include <stdint.h>

/* first reading: bring in the headers, outside of any enum */
#define OSML_SCHEDULE(symbol, function, name, meaning)
#include "rules/schedule/list.h"
#undef OSML_SCHEDULE

typedef enum OsmlSchedule
{
#define OSML_SCHEDULE(symbol, function, name, meaning) OSML_SCHEDULE_##symbol,
#include "rules/schedule/list.h"
#undef OSML_SCHEDULE
	OSML_SCHEDULE_COUNT
} OsmlSchedule;

typedef struct OsmlScheduleInfo
{
	const char *name;			/* as users write it */
	const char *meaning;		/* one line for the documentation */
	double		(*factor) (int64_t step, int64_t total_steps);
} OsmlScheduleInfo;

/* OSML_SCHEDULE_COUNT entries, in the order of the enum; hints walk it */
extern const OsmlScheduleInfo osml_schedules[];

/* the schedule of that name, whatever its case, or -1 */
extern int	osml_schedule_by_name(const char *name);

extern const char *osml_schedule_name(OsmlSchedule schedule);

/* what lr is multiplied by at step `step` (from 1); total_steps 0: unknown */
extern double osml_schedule_factor(OsmlSchedule schedule, int64_t step,
								   int64_t total_steps);

#endif							/* OSML_SCHEDULE_H */
