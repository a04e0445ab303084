/*
 * schedule.c
 *	  The table behind schedule.h.
 */
#include "rules/schedule/schedule.h"

#include "rules/rule.h"

const OsmlScheduleInfo osml_schedules[] = {
#define OSML_SCHEDULE(symbol, function, name, meaning) {name, meaning, function},
#include "rules/schedule/list.h"
#undef OSML_SCHEDULE
};

/* the schedule of that name, whatever its case, or -1 */
int
osml_schedule_by_name(const char *name)
{
	for (int i = 0; i < OSML_SCHEDULE_COUNT; i++)
	{
		if (osml_name_compare(name, osml_schedules[i].name) == 0)
			return i;
	}
	return -1;
}

/* the name as users write it */
const char *
osml_schedule_name(OsmlSchedule schedule)
{
	return osml_schedules[schedule].name;
}

/* what lr is multiplied by at this step */
double
osml_schedule_factor(OsmlSchedule schedule, int64_t step, int64_t total_steps)
{
	return osml_schedules[schedule].factor(step, total_steps);
}
