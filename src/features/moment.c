/*
 * moment.c
 *	  Points in time; see moment.h.
 */
#include "features/moment.h"

#include <math.h>

/* Unix time has ten digits that begin with 1 from 2001 to 2033 */
#define UNIX_FROM 1e9
#define UNIX_TO 2e9

/* numbers all over that range are rather random ones */
#define MAX_UNIX_YEARS 20

/* fewer values prove nothing */
#define MIN_VALUES 3

/* of dates in digits, each of which must make sense, so many are needed */
#define MIN_DATES 10

#define DAY 86400.0
#define DAYS_A_YEAR 365.25

static const struct
{
	const char *form;
	double		second;			/* in its units */
}			unix_forms[] = {
	{"seconds since 1970", 1},
	{"milliseconds since 1970", 1e3},
	{"microseconds since 1970", 1e6},
	{"nanoseconds since 1970", 1e9},
};

/* Does every value read as a date yyyymmdd? */
static bool
all_dates(const OsmlView *view)
{
	for (int i = 0; i < view->n_values; i++)
	{
		double		value = view->value[i];
		int			year;
		int			month;
		int			day;

		if (!(value >= 19000101 && value <= 21001231))
			return false;
		year = (int) (value / 10000);
		month = (int) (value / 100) % 100;
		day = (int) value % 100;
		if (year < 1900 || month < 1 || month > 12 || day < 1 || day > 31)
			return false;
	}
	return view->n_values >= MIN_DATES;
}

/* Do values differ by other than whole days, the hour of summer time aside? */
static bool
is_fine(const OsmlView *view, double day)
{
	for (int i = 1; i < view->n_values; i++)
	{
		double		hours = fmod(view->value[i] - view->value[0], day) / day * 24;
		double		nearest = floor(hours + 0.5);

		if (fabs(hours - nearest) > 1e-6 || (nearest > 1 && nearest < 23))
			return true;
	}
	return false;
}

static OsmlMoment
from_range(const OsmlColumnFacts *facts, const OsmlView *view)
{
	OsmlMoment	moment = {NULL, 0, 0, false};

	for (size_t i = 0; i < sizeof(unix_forms) / sizeof(unix_forms[0]); i++)
	{
		double		second = unix_forms[i].second;
		double		years = (facts->max - facts->min) / (second * DAY * DAYS_A_YEAR);

		if (facts->min < UNIX_FROM * second || facts->max >= UNIX_TO * second ||
			years > MAX_UNIX_YEARS)
			continue;
		moment.form = unix_forms[i].form;
		moment.day = DAY * second;
		moment.years = years;
		moment.fine = is_fine(view, moment.day);
	}
	return moment;
}

OsmlMoment
osml_moment(const OsmlColumnKind *kind, const OsmlColumnFacts *facts, const OsmlView *view)
{
	OsmlMoment	moment = {NULL, 0, 0, false};

	if (kind->is_key || kind->is_flag || view->n_values < MIN_VALUES)
		return moment;
	if (kind->is_time)
	{
		moment.form = kind->is_date ? "date" : "timestamp";
		moment.day = kind->is_date ? 1 : DAY;
		moment.years = (facts->max - facts->min) / moment.day / DAYS_A_YEAR;
		moment.fine = !kind->is_date && is_fine(view, moment.day);
		return moment;
	}
	if (!facts->integral || !all_dates(view))
		return from_range(facts, view);
	moment.form = "a date in digits";
	moment.day = 1;
	moment.years = (facts->max - facts->min) / 10000;
	return moment;
}
