/*
 * cycle.c
 *	  Columns that go round; see cycle.h.
 */
#include "features/cycle.h"

#include <math.h>
#include <string.h>

#include "features/column_name.h"
#include "features/curve.h"
#include "features/transforms.h"

/* a shorter range is that of a count or a grade as well */
#define MIN_RANGE 6

/* so much of the range is used, by a column whose name tells; of a day, which
 * has hours of opening, so much will do */
#define NAMED_RANGE 0.7
#define NAMED_PART 0.25

/* without a name: the ends within a hundredth, and so many of the values, or so
 * many different ones that more cannot be expected of so few rows; of a range that
 * has fractions, values in each of so many parts */
#define END_PART 100
#define WHOLE_VALUES 0.9
#define WHOLE_ROWS 0.3
#define FLOW_PARTS 48

/* and the label is not of one mind for less than this p; it follows a circle by
 * so much better than a line */
#define RELATED_P 0.01
#define CIRCLE_AHEAD 1.1

/* a second harmonic needs a finer circle */
#define HARMONICS 2
#define FINE_RANGE 20

/* hours and minutes as digits, 0 to 2359: of so many different values a fifth
 * of any other numbers would end in 60 to 99; and so much of a day is used */
#define MIN_CLOCK_VALUES 20
#define CLOCK_RANGE 500
#define LAST_MINUTE 45

/* what goes round: its values, and words that name it */
typedef struct Round
{
	const char *name;
	double		low;
	double		high;
	double		period;
	bool		of_day;			/* days are often used in part */
	bool		flows;			/* what lies between whole numbers is told, too */
	const char *words;
} Round;

static const Round cycles[] = {
	{"hour of day", 0, 23, 24, true, true, " hour hr hod hourofday "},
	{"hour of day", 1, 24, 24, true, false, " hour hr hod hourofday "},
	{"half hour of day", 0, 47, 48, true, false, " halfhour "},
	{"quarter hour of day", 0, 95, 96, true, false, " quarterhour "},
	{"minute of day", 0, 1439, 1440, false, true, " minute mod tod minuteofday "},
	{"second of day", 0, 86399, 86400, false, true, " sod tod secondofday "},
	{"day of week", 0, 6, 7, false, false, " dow weekday dayofweek wday day "},
	{"day of week", 1, 7, 7, false, false, " dow weekday dayofweek wday day "},
	{"month", 1, 12, 12, false, false, " month mon mth "},
	{"day of month", 1, 31, 31, false, false, " dom day dayofmonth mday "},
	{"minute or second", 0, 59, 60, false, false, " minute second "},
	{"week of year", 1, 53, 52.18, false, false, " week weekofyear "},
	{"day of year", 1, 366, 365.25, false, false, " doy dayofyear yday "},
	{"angle", 0, 359, 360, false, true, " angle bearing heading azimuth direction dir degrees "},
};

/*
 * Is a circle's sine and cosine, of one or two rounds, closer to the label's mean
 * by value than a straight line?  Each column is charged what chance gives it.
 */
static OsmlStatus
follow_circle(const OsmlArena *arena, const OsmlTarget *target, const OsmlView *view,
			  double period, int harmonics, double noise, bool *follows)
{
	int			n = 2 * harmonics;
	double	   *columns[2 * HARMONICS];
	double	   *room = osml_arena_alloc(arena, sizeof(double) * view->n_values * n);
	double		circle;
	double		line;
	OsmlStatus	status;

	if (room == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < n; i++)
		columns[i] = room + (size_t) i * view->n_values;
	for (int c = 0; c < view->n_values; c++)
	{
		for (int h = 0; h < harmonics; h++)
			osml_circle(view->value[c], period / (h + 1), &columns[2 * h][c],
						&columns[2 * h + 1][c]);
	}
	status = osml_curve_told(arena, target, view, columns, n, &circle);
	if (status == OSML_OK)
	{
		memcpy(columns[0], view->value, sizeof(double) * view->n_values);
		status = osml_curve_told(arena, target, view, columns, 1, &line);
	}
	osml_arena_release(arena, room);
	*follows = status == OSML_OK && circle - n * noise > CIRCLE_AHEAD * fmax(0, line - noise);
	return status;
}

/* the greatest number that all values are multiples of, counted from low */
static double
grid(const OsmlView *view, double low)
{
	double		step = 0;

	for (int c = 0; c < view->n_values && step != 1; c++)
	{
		double		value = view->value[c] - low;

		while (value != 0)
		{
			double		rest = fmod(step, value);

			step = value;
			value = rest;
		}
	}
	return step > 0 ? step : 1;
}

/* do whole values fill the range, from end to end, be it in steps of ten minutes? */
static bool
fills_whole(const OsmlColumnFacts *facts, const OsmlView *view, const Round *round)
{
	double		end = floor((round->high - round->low) / END_PART);
	double		step = round->flows ? grid(view, round->low) : 1;
	double		whole = floor((round->high - round->low) / step) + 1;

	return facts->min <= round->low + end && whole >= MIN_RANGE &&
		facts->max >= round->high - fmax(end, step - 1) &&
		view->n_values >= fmin(WHOLE_VALUES * whole, WHOLE_ROWS * view->n_present);
}

/* do values with fractions fill the whole round, in each of its parts? */
static bool
fills_flowing(const OsmlColumnFacts *facts, const OsmlView *view, const Round *round)
{
	double		end = round->period / END_PART;
	bool		met[FLOW_PARTS] = {false};
	int			n_met = 0;

	if (facts->min > round->low + end || facts->max < round->low + round->period - end)
		return false;
	for (int c = 0; c < view->n_values; c++)
	{
		double		part = floor((view->value[c] - round->low) / round->period * FLOW_PARTS);
		int			i = part < 0 ? 0 : part >= FLOW_PARTS ? FLOW_PARTS - 1 : (int) part;

		n_met += !met[i];
		met[i] = true;
	}
	return n_met == FLOW_PARTS;
}

static bool
fills(const OsmlColumnFacts *facts, const OsmlView *view, const Round *round)
{
	return facts->integral ? fills_whole(facts, view, round) :
		round->flows && fills_flowing(facts, view, round);
}

/* does the name say so?  The last word says it best, but a speed is per hour, and a
 * count is one of the last hour */
static bool
is_named(const char *name, const Round *round, bool *last)
{
	bool		of_span = osml_name_ends_before(name, " per last past previous prev recent within each every ",
												round->words);

	*last = !of_span && osml_name_ends(name, round->words);
	return !of_span && osml_name_has(name, round->words);
}

/*
 * Are these hours and minutes, such as 930 and 2345?  Then no value, of many, has
 * more than 59 minutes.  Nor have multiples of 50, and rooms have numbers of
 * floors and of few doors.
 */
static bool
is_hhmm(const OsmlColumnFacts *facts, const OsmlView *view)
{
	bool		minutes = false;
	int			last = 0;

	if (!facts->integral || facts->min < 0 || facts->max > 2400 ||
		facts->max - facts->min < CLOCK_RANGE || view->n_values < MIN_CLOCK_VALUES)
		return false;
	for (int c = 0; c < view->n_values; c++)
	{
		int			rest = (int) view->value[c] % 100;

		if (rest > 59)
			return false;
		minutes = minutes || rest % 50 != 0;
		last = rest > last ? rest : last;
	}
	return minutes && last >= LAST_MINUTE;
}

OsmlStatus
osml_cycle(const OsmlArena *arena, const OsmlColumnKind *kind,
		   const OsmlColumnFacts *facts, const OsmlTarget *target, const OsmlView *view,
		   const OsmlExplained *explained, OsmlCycle *found)
{
	static const OsmlCycle none = {NULL, false};
	double		noise = target->total / target->n * (1 - explained->share);

	*found = none;
	if (is_hhmm(facts, view))
	{
		found->name = "time of day (hhmm)";
		return OSML_OK;
	}
	for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]) && !found->named; i++)
	{
		double		low = cycles[i].low;
		double		high = cycles[i].high;
		double		top = facts->integral ? high : low + cycles[i].period;
		bool		last;
		bool		named = is_named(kind->name, &cycles[i], &last);
		bool		follows = false;

		if (facts->min < low || facts->max > top || high - low < MIN_RANGE ||
			facts->max - facts->min < (last && cycles[i].of_day ? NAMED_PART : NAMED_RANGE) *
			(high - low))
			continue;
		if (!named && fills(facts, view, &cycles[i]) && explained->p < RELATED_P &&
			follow_circle(arena, target, view, cycles[i].period,
						  high - low < FINE_RANGE ? 1 : HARMONICS, noise,
						  &follows) != OSML_OK)
			return OSML_OUT_OF_MEMORY;
		if (named || follows)
		{
			found->name = cycles[i].name;
			found->named = named;
		}
	}
	return OSML_OK;
}
