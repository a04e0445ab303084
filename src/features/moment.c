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

/*
 * Days of the years 2000 to 2050, by where one counts from.  Sizes may be as
 * high, but hardly fill half of the numbers between the least and the greatest.
 */
static const struct
{
	const char *form;
	double		from;
	double		to;
}			day_forms[] = {
	{"days since 1900", 36526, 54789},
	{"days since 1970", 10957, 29220},
	{"Julian days", 2451544, 2469807},
};

#define MIN_DAYS 30
#define DAYS_FILLED 0.5

/* Does every value read as a year and a day of it, from 0 or 1: yyyyddd? */
static bool
all_year_days(const OsmlView *view)
{
	for (int i = 0; i < view->n_values; i++)
	{
		double		value = view->value[i];
		int			day = (int) fmod(value, 1000);

		if (!(value >= 1900000 && value <= 2100366) || day > 366)
			return false;
	}
	return view->n_values >= MIN_DATES;
}

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
	OsmlMoment	moment = {NULL, NULL, 0, 0, false};

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

/* what days it may count; NULL: none */
static const char *
counted_days(const OsmlColumnFacts *facts, const OsmlView *view)
{
	double		days = facts->max - facts->min + 1;

	if (!facts->integral || days < MIN_DAYS || days > MAX_UNIX_YEARS * DAYS_A_YEAR ||
		view->n_values < DAYS_FILLED * days)
		return NULL;
	for (size_t i = 0; i < sizeof(day_forms) / sizeof(day_forms[0]); i++)
	{
		if (facts->min >= day_forms[i].from && facts->max <= day_forms[i].to)
			return day_forms[i].form;
	}
	return NULL;
}

/* dates by their digits */
static OsmlMoment
from_digits(const OsmlColumnFacts *facts, const OsmlView *view)
{
	OsmlMoment	moment = {NULL, NULL, 1, 0, false};

	if (facts->integral && all_dates(view))
	{
		moment.form = "a date in digits";
		moment.years = (facts->max - facts->min) / 10000;
	}
	else if (facts->integral && all_year_days(view))
	{
		moment.form = "a year and its day in digits";
		moment.years = (facts->max - facts->min) / 1000;
	}
	return moment;
}

OsmlMoment
osml_moment(const OsmlColumnKind *kind, const OsmlColumnFacts *facts, const OsmlView *view)
{
	OsmlMoment	moment = {NULL, NULL, 0, 0, false};

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
	moment = from_digits(facts, view);
	if (moment.form == NULL)
		moment = from_range(facts, view);
	if (moment.form == NULL)
		moment.maybe = counted_days(facts, view);
	return moment;
}
