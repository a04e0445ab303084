/*
 * schedule.c
 *	  The table behind schedule.h.
 */
#include "rules/schedule/schedule.h"

#include <stddef.h>

#include "rules/rule.h"

const OsmlScheduleInfo osml_schedules[] = {
#define OSML_SCHEDULE(symbol, function, name, needs_total, meaning) \
	{name, meaning, needs_total, function},
#include "rules/schedule/list.h"
#undef OSML_SCHEDULE
};

const OsmlScheduleParams osml_schedule_defaults = {
	.interval = 1,
	.step_size = 1,
	.gamma = 0.1,
	.pct_start = 0.3,
	.div_factor = 25,
	.final_div_factor = 1e4,
	.plateau_factor = 0.1,
	.plateau_patience = 10,
	.plateau_threshold = 1e-4,
	.plateau_eps = 1e-8
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
osml_schedule_factor(OsmlSchedule schedule, const OsmlScheduleParams *params,
					 const OsmlPlateau *plateau, int64_t step, int64_t total_steps)
{
	int64_t		warmup = params->warmup_steps;
	double		factor = plateau ? plateau->factor : 1;

	/* a run that is all warm-up has one step of the schedule, not "unknown" */
	if (total_steps > 0)
		total_steps = total_steps > warmup ? total_steps - warmup : 1;
	if (step <= warmup)
	{
		factor *= (double) step / (double) (warmup + 1);
		step = 1;
	}
	else
		step -= warmup;
	return factor * osml_schedules[schedule].factor(params, step, total_steps);
}
