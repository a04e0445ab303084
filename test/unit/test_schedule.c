/*
 * test_schedule.c
 *	  Learning rates against PyTorch's schedulers, and what they do beyond.
 */
#include "tap.h"

#include <string.h>

#include "rules/schedule/schedule.h"
#include "fixtures/torch_schedules.h"

/* every step of a run of PyTorch's */
static void
test_torch(int number, const TorchSchedule *t)
{
	OsmlPlateau plateau;
	double		off = 0;

	osml_plateau_begin(&plateau, &t->params);
	for (int i = 0; i < t->n; i++)
	{
		double		before = plateau.factor;
		double		rate;

		if (t->metrics &&
			osml_plateau_update(&plateau, &t->params, t->metrics[i]) !=
			(plateau.factor < before))
			off = INFINITY;
		rate = osml_schedule_factor(t->schedule, &t->params,
									t->metrics ? &plateau : NULL, i + 1, t->n);
		off = fmax(off, fabs(rate - t->rates[i]));
	}
	ok(off < 1e-12, "%d: %s of %d steps, off by %.2g", number,
	   osml_schedule_name(t->schedule), t->n, off);
}

/* a run whose length is unknown, and one that goes on after its end */
static void
test_ends(void)
{
	OsmlScheduleParams params = osml_schedule_defaults;

	params.eta_min = 0.25;
	for (int i = 0; i < OSML_SCHEDULE_COUNT; i++)
	{
		OsmlSchedule schedule = (OsmlSchedule) i;
		double		last = osml_schedule_factor(schedule, &params, NULL, 100, 100);

		ok(osml_schedules[i].needs_total ==
		   (osml_schedule_factor(schedule, &params, NULL, 50, 0) !=
			osml_schedule_factor(schedule, &params, NULL, 50, 100)),
		   "%s: needs the number of steps, or not", osml_schedules[i].name);
		ok(!osml_schedules[i].needs_total ||
		   osml_schedule_factor(schedule, &params, NULL, 50, 0) == 1,
		   "%s: lr where it is unknown", osml_schedules[i].name);
		ok(osml_schedule_factor(schedule, &params, NULL, 101, 100) <= last,
		   "%s: does not rise again", osml_schedules[i].name);
	}
	ok(osml_schedule_factor(OSML_SCHEDULE_COSINE, &params, NULL, 101, 100) == 0.25,
	   "cosine ends at eta_min");
	is_close(osml_schedule_factor(OSML_SCHEDULE_ONE_CYCLE, &params, NULL, 1, 10),
			 1 / 25.0, 1e-15, 0, "one_cycle starts");
	is_close(osml_schedule_factor(OSML_SCHEDULE_ONE_CYCLE, &params, NULL, 3, 10),
			 1, 1e-15, 0, "and tops");
	params.pct_start = 0.1;
	ok(osml_schedule_factor(OSML_SCHEDULE_ONE_CYCLE, &params, NULL, 1, 10) == 1,
	   "a rise of one step is at the top");
}

static void
test_warmup(void)
{
	OsmlScheduleParams params = osml_schedule_defaults;
	OsmlPlateau plateau = {.factor = 0.5};

	params.warmup_steps = 9;
	for (int i = 0; i < OSML_SCHEDULE_COUNT; i++)
	{
		OsmlSchedule schedule = (OsmlSchedule) i;
		double		first = osml_schedules[i].factor(&params, 1, 11);

		ok(osml_schedule_factor(schedule, &params, NULL, 1, 20) == 0.1 * first &&
		   osml_schedule_factor(schedule, &params, NULL, 9, 20) == 0.9 * first &&
		   osml_schedule_factor(schedule, &params, NULL, 10, 20) == first,
		   "%s: warms up", osml_schedules[i].name);
		ok(osml_schedule_factor(schedule, &params, &plateau, 5, 20) == 0.25 * first,
		   "%s: a plateau's factor comes on top", osml_schedules[i].name);
		ok(isfinite(osml_schedule_factor(schedule, &params, NULL, 5, 5)),
		   "%s: a run that is all warm-up", osml_schedules[i].name);
	}
	ok(osml_schedule_factor(OSML_SCHEDULE_LINEAR, &params, NULL, 20, 20) == 1 - 10 / 11.0,
	   "the schedule has the steps after it");
}

static void
test_list(void)
{
	for (int i = 0; i < OSML_SCHEDULE_COUNT; i++)
		ok(osml_schedule_by_name(osml_schedules[i].name) == i &&
		   osml_schedules[i].meaning[0] != '\0', "%s: by name", osml_schedules[i].name);
	ok(osml_schedule_by_name("One_Cycle") == OSML_SCHEDULE_ONE_CYCLE &&
	   osml_schedule_by_name("cos") == -1 &&
	   osml_schedule_by_name("cosine?") == -1, "names ignore case, parts are no names");
}

int
main(void)
{
	for (size_t i = 0; i < TORCH_SCHEDULES; i++)
		test_torch((int) i, &torch_schedules[i]);
	test_ends();
	test_warmup();
	test_list();
	return done();
}
