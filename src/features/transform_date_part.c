/*
 * transform_date_part.c
 *	  Parts of a time in seconds or days since 1970, as PostgreSQL's date_part()
 *	  gives them for a timestamp; on request as a point on a circle.
 *
 * Days are counted from 1 March of a year 0, so that the leap day ends a year;
 * 400 years have 146,097 days.  Infinity and times beyond ten million years
 * are NULL.
 */
#include "features/transforms.h"

enum
{
	PART, CYCLIC, UNIT
};

enum
{
	YEAR, QUARTER, MONTH, WEEK, DAY, DOY, DOW, ISODOW, HOUR, MINUTE, SECOND
};

static const char *const parts[] = {
	[YEAR] = "year",[QUARTER] = "quarter",[MONTH] = "month",[WEEK] = "week",
	[DAY] = "day",[DOY] = "doy",[DOW] = "dow",[ISODOW] = "isodow",
	[HOUR] = "hour",[MINUTE] = "minute",[SECOND] = "second",
	NULL
};

static const char *const units[] = {
	[OSML_UNIT_SECONDS] = "seconds",[OSML_UNIT_DAYS] = "days",
	NULL
};

/* of each: its least value, and how many a turn has; 0: it never comes again */
static const struct
{
	double		first;
	double		period;
}			turns[] = {
	[YEAR] = {0, 0},[QUARTER] = {1, 4},[MONTH] = {1, 12},[WEEK] = {1, 53},
	[DAY] = {1, 31},[DOY] = {1, 366},[DOW] = {0, 7},[ISODOW] = {1, 7},
	[HOUR] = {0, 24},[MINUTE] = {0, 60},[SECOND] = {0, 60},
};

static const OsmlParamDef params[] = {
	[PART] = {"part", OSML_PARAM_CHOICE, .choices = parts,.high = SECOND,.standard = NAN,
		.meaning = "the part to take, as in date_part(); week is the ISO week, dow is 0 on Sunday"},
	[CYCLIC] = {"cyclic", OSML_PARAM_BOOL,.high = 1,.standard = 0,
		.meaning = "make sine and cosine of the part, so that its last and first are neighbours"},
	[UNIT] = {"unit", OSML_PARAM_CHOICE, .choices = units,.high = OSML_UNIT_DAYS,
		.standard = NAN,
		.meaning = "what a plain number counts since 1970; of a date or a timestamp it is known"},
};

#define DAY_SECONDS 86400
#define MOST_SECONDS 3.2e14		/* ten million years */

typedef struct Date
{
	int64_t		year;			/* astronomical: 0 is 1 BC */
	int			month;
	int			day;
	int			doy;
} Date;

static int
n_out(const OsmlStep *step)
{
	return osml_step_number(step, CYCLIC) != 0 ? 2 : 1;
}

static bool
check(const OsmlStep *step, char *message)
{
	int			part;

	if (!osml_step_given(step, PART))
		return osml_step_wrong(message, "part must be given");
	part = (int) osml_step_number(step, PART);
	if (osml_step_number(step, CYCLIC) != 0 && turns[part].period == 0)
		return osml_step_wrong(message, "part %s does not come again and cannot be cyclic",
							   parts[part]);
	return true;
}

/* quotient towards minus infinity */
static int64_t
floor_div(int64_t a, int64_t b)
{
	return a / b - (a % b < 0);
}

/* a day's number since 1970 to its date */
static Date
date_of(int64_t days)
{
	int64_t		shifted = days + 719468;	/* since 1 March of year 0 */
	int64_t		era = floor_div(shifted, 146097);
	int			in_era = (int) (shifted - era * 146097);

	/* leap days end each 4 years, but not each 100, but again each 400 */
	int			year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
	int			in_year = in_era - (365 * year + year / 4 - year / 100);
	int			month = (5 * in_year + 2) / 153;	/* 0 is March; 153 days are 5 */
	bool		leap;
	Date		date;

	date.day = in_year - (153 * month + 2) / 5 + 1;
	date.month = month < 10 ? month + 3 : month - 9;
	date.year = era * 400 + year + (month >= 10);
	leap = date.year % 4 == 0 && (date.year % 100 != 0 || date.year % 400 == 0);
	date.doy = month >= 10 ? in_year - 305 : in_year + 60 + leap;
	return date;
}

/* Monday is 1; 1 January 1970 was a Thursday */
static int
isodow_of(int64_t days)
{
	return (int) (days + 3 - floor_div(days + 3, 7) * 7) + 1;
}

/* the ISO week is the one of its Thursday, counted in the Thursday's year */
static int
week_of(int64_t days)
{
	Date		thursday = date_of(days + 4 - isodow_of(days));

	return (thursday.doy - 1) / 7 + 1;
}

/* parts of a day's number */
static double
day_part(int part, int64_t days)
{
	Date		date = date_of(days);

	switch (part)
	{
		case YEAR:
			/* there is no year 0 in the calendar that people write */
			return (double) (date.year > 0 ? date.year : date.year - 1);
		case QUARTER:
			return (date.month - 1) / 3 + 1;
		case MONTH:
			return date.month;
		case WEEK:
			return week_of(days);
		case DAY:
			return date.day;
		case DOY:
			return date.doy;
		case DOW:
			return isodow_of(days) % 7;
		default:
			return isodow_of(days);
	}
}

/*
 * Whole seconds are taken off in integers: a division of float64 may round up
 * to the next day.
 */
static double
part_of(int part, double x)
{
	double		whole = floor(x);
	int64_t		seconds = (int64_t) whole;
	int64_t		days = floor_div(seconds, DAY_SECONDS);
	int			in_day = (int) (seconds - days * DAY_SECONDS);

	switch (part)
	{
		case HOUR:
			return in_day / 3600;
		case MINUTE:
			return in_day / 60 % 60;
		case SECOND:
			return in_day % 60 + (x - whole);
		default:
			return day_part(part, days);
	}
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	int			part = (int) osml_step_number(step, PART);
	bool		cyclic = osml_step_number(step, CYCLIC) != 0;
	double		seconds = osml_step_number(step, UNIT) == OSML_UNIT_DAYS ? DAY_SECONDS : 1;

	for (int i = 0; i < n; i++)
	{
		double		x = in->number[i];

		if (!isnan(x))
			x = fabs(x * seconds) < MOST_SECONDS ? part_of(part, x * seconds) :
				osml_missing();
		if (!cyclic)
			out->number[i] = x;
		else
			osml_circle(isnan(x) ? x : x - turns[part].first, turns[part].period,
						&out[0].number[i], &out[1].number[i]);
	}
}

static const char *
out_name(const OsmlStep *step, int i)
{
	return n_out(step) > 1 ? osml_circle_name(i) : NULL;
}

const OsmlTransform osml_transform_date_part = {
	.name = "date_part",
	.meaning = "a part of a time, such as its hour",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_null = true,
	.turns = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.n_out = n_out,
	.check = check,
	.run = run,
	.out_name = out_name,
};
