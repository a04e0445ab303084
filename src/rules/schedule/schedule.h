/*
 * schedule.h
 *	  The learning-rate schedules as numbers.
 *
 * Next: params.h (what they can be told), list.h (the entries), constant.h (one
 * of them), plateau.h (the one that follows a metric).
 */
#ifndef OSML_SCHEDULE_H
#define OSML_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/schedule/params.h"
#include "rules/schedule/plateau.h"

/* first reading: bring in the headers, outside of any enum */
#define OSML_SCHEDULE(symbol, function, name, needs_total, meaning)
#include "rules/schedule/list.h"
#undef OSML_SCHEDULE

typedef enum OsmlSchedule
{
#define OSML_SCHEDULE(symbol, function, name, needs_total, meaning) \
	OSML_SCHEDULE_##symbol,
#include "rules/schedule/list.h"
#undef OSML_SCHEDULE
	OSML_SCHEDULE_COUNT
} OsmlSchedule;

typedef struct OsmlScheduleInfo
{
	const char *name;			/* as users write it */
	const char *meaning;		/* one line for the documentation */
	bool		needs_total;	/* stays at lr where the number of steps is unknown */
	double		(*factor) (const OsmlScheduleParams *params, int64_t step,
						   int64_t total_steps);
} OsmlScheduleInfo;

/* OSML_SCHEDULE_COUNT entries, in the order of the enum; hints walk it */
extern const OsmlScheduleInfo osml_schedules[];

/* PyTorch's defaults where it has them; gamma 0.1, intervals of one step */
extern const OsmlScheduleParams osml_schedule_defaults;

/* the schedule of that name, whatever its case, or -1 */
extern int	osml_schedule_by_name(const char *name);

extern const char *osml_schedule_name(OsmlSchedule schedule);

/*
 * What lr is multiplied by at step `step` (from 1); total_steps 0: unknown.
 * During the first warmup_steps it rises in a line, w / (warmup_steps + 1) of
 * where the schedule starts at step w; the schedule has the steps after them.
 * plateau may be NULL, and its factor comes on top of any schedule.
 */
extern double osml_schedule_factor(OsmlSchedule schedule,
								   const OsmlScheduleParams *params,
								   const OsmlPlateau *plateau, int64_t step,
								   int64_t total_steps);

#endif							/* OSML_SCHEDULE_H */
