/*
 * test_transform.c
 *	  Each transform against closed forms and reference constants, at NULL, NaN,
 *	  infinity and on edges; and what its checks refuse.
 *
 * Constants were made with Python 3.11: datetime, mpmath at 40 digits, numpy.
 */
#include "tap.h"

#include <float.h>

#include "fixtures/arena.h"
#include "fixtures/blocks.h"
#include "fixtures/steps.h"

static TestArena arena;

#define LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

/* a step must pass its check, and is prepared */
static void
prepare(OsmlStep *step)
{
	char		message[256] = "";

	if (step->transform->check != NULL && !step->transform->check(step, message))
		ok(false, "%s: %s", step->transform->name, message);
	if (step->transform->prepare != NULL &&
		step->transform->prepare(step, &arena.arena) != OSML_OK)
		ok(false, "%s cannot be prepared", step->transform->name);
}

/* output i of a step for one number */
static double
number_of(const OsmlStep *step, int i, double x)
{
	double		made[OSML_MAX_STEP_OUTPUTS];
	OsmlColumn	in = {.number = &x};
	OsmlColumn	out[OSML_MAX_STEP_OUTPUTS];

	for (int k = 0; k < OSML_MAX_STEP_OUTPUTS; k++)
		out[k].number = &made[k];
	step->transform->run(step, 1, &in, out);
	return made[i];
}

/* a step's code for one number, or one key */
static int
code_of(const OsmlStep *step, double x)
{
	int32_t		code;
	OsmlColumn	in = {.number = &x};
	OsmlColumn	out = {.code = &code};

	step->transform->run(step, 1, &in, &out);
	return code;
}

static int
key_code(const OsmlStep *step, uint64_t key)
{
	int32_t		code;
	OsmlColumn	in = {.key = &key};
	OsmlColumn	out = {.code = &code};

	step->transform->run(step, 1, &in, &out);
	return code;
}

/* NULL stays NULL and NaN another NaN, whose bits do not matter */
static void
keeps_nulls(const OsmlStep *step, const char *name)
{
	double		nan = number_of(step, 0, NAN);

	ok(osml_is_missing(number_of(step, 0, osml_missing())), "%s: NULL stays NULL", name);
	ok(isnan(nan) && !osml_is_missing(nan), "%s: NaN stays NaN", name);
}

/* a check fails, with this message */
static void
refused(const OsmlStep *step, const char *want)
{
	char		message[256] = "";
	bool		passed = step->transform->check(step, message);

	ok(!passed && strcmp(message, want) == 0, "%s: %s", step->transform->name, want);
	if (passed || strcmp(message, want) != 0)
		printf("# got \"%s\"\n", message);
}

/* each entry is complete, and its names are found */
static void
test_list(void)
{
	int			bad = 0;

	for (int i = 0; osml_transforms[i] != NULL; i++)
	{
		const OsmlTransform *t = osml_transforms[i];

		bad += osml_transform_by_name(t->name) != t || t->run == NULL ||
			t->meaning == NULL || t->n_params > OSML_MAX_PARAMS ||
			t->min_inputs < 1 || t->max_inputs > OSML_MAX_STEP_INPUTS ||
			t->makes_codes != (t->n_codes != NULL) ||
			(t->needs == NULL) != (t->fit == NULL);
		for (int p = 0; p < t->n_params; p++)
		{
			const OsmlParamDef *def = &t->params[p];

			bad += osml_param_by_name(t, def->name) != p || def->meaning == NULL ||
				(def->type == OSML_PARAM_CHOICE) != (def->choices != NULL) ||
				def->low > def->high || def->standard < def->low ||
				def->standard > def->high;
		}
	}
	ok(bad == 0, "entries are complete");
	ok(osml_transform_by_name("nonesuch") == NULL &&
	   osml_param_by_name(osml_transform_by_name("bin"), "nonesuch") == -1,
	   "other names are not found");
}

static void
test_scales(void)
{
	OsmlStep	none = step_of("none");
	OsmlStep	standardize = step_of("standardize");
	OsmlStep	minmax = step_of("minmax");
	OsmlStep	clip = step_of("clip");
	OsmlStep	log = step_of("log1p");

	ok(number_of(&none, 0, -0.0) == 0 && signbit(number_of(&none, 0, -0.0)),
	   "none keeps bits");
	keeps_nulls(&none, "none");
	step_set(&standardize, "mean", 4);
	step_set(&standardize, "std", 0.5);
	prepare(&standardize);
	ok(number_of(&standardize, 0, 5) == 2 && number_of(&standardize, 0, 4) == 0 &&
	   number_of(&standardize, 0, INFINITY) == INFINITY, "standardize");
	keeps_nulls(&standardize, "standardize");
	step_set(&minmax, "min", 0.1);
	step_set(&minmax, "max", 0.7);
	prepare(&minmax);
	ok(number_of(&minmax, 0, 0.1) == -1 && number_of(&minmax, 0, 0.7) == 1,
	   "minmax: the ends are exact");
	is_close(number_of(&minmax, 0, 1.0), 2, 1e-15, 0, "minmax: values beyond go beyond");
	keeps_nulls(&minmax, "minmax");
	step_set(&minmax, "max", 0.1);
	ok(number_of(&minmax, 0, 0.1) == 0 && number_of(&minmax, 0, 7) == 0,
	   "minmax: a constant becomes 0");
	keeps_nulls(&minmax, "minmax of a constant");
	step_set(&minmax, "min", -DBL_MAX);
	step_set(&minmax, "max", DBL_MAX);
	ok(number_of(&minmax, 0, DBL_MAX) == 1 && number_of(&minmax, 0, 0) == 0 &&
	   number_of(&minmax, 0, -DBL_MAX) == -1, "minmax: all of float64");
	step_set(&clip, "lo", -1);
	ok(number_of(&clip, 0, -INFINITY) == -1 && number_of(&clip, 0, INFINITY) == INFINITY,
	   "clip below only");
	step_set(&clip, "hi", 2);
	ok(number_of(&clip, 0, nextafter(-1, -2)) == -1 && number_of(&clip, 0, 2) == 2 &&
	   number_of(&clip, 0, nextafter(2, 3)) == 2 && number_of(&clip, 0, 0.3) == 0.3,
	   "clip on both sides");
	keeps_nulls(&clip, "clip");
	ok(number_of(&log, 0, 0) == 0 && number_of(&log, 0, 1e-300) == 1e-300 &&
	   number_of(&log, 0, INFINITY) == INFINITY, "log1p");
	is_close(number_of(&log, 0, 1.718281828459045), 1, 1e-15, 0, "log1p(e - 1)");
	ok(osml_is_missing(number_of(&log, 0, -1)) && osml_is_missing(number_of(&log, 0, -INFINITY)) &&
	   isfinite(number_of(&log, 0, nextafter(-1, 0))), "log1p of -1 is NULL");
	keeps_nulls(&log, "log1p");
}

static void
test_impute(void)
{
	OsmlStep	step = step_of("impute");

	step_choose(&step, "method", "constant");
	step_set(&step, "value", 7);
	prepare(&step);
	ok(number_of(&step, 0, osml_missing()) == 7 && number_of(&step, 0, 3) == 3 &&
	   isnan(number_of(&step, 0, NAN)), "impute takes the place of NULL, not of NaN");
	step_set(&step, "flag", 1);
	ok(step.transform->n_out(&step) == 2 && number_of(&step, 1, osml_missing()) == 1 &&
	   number_of(&step, 1, 7) == 0 && number_of(&step, 1, NAN) == 0, "impute's flag");
	ok(step.transform->out_name(&step, 0) == NULL &&
	   strcmp(step.transform->out_name(&step, 1), "missing") == 0, "and its name");
}

static void
test_cyclic(void)
{
	OsmlStep	step = step_of("cyclic");
	double		worst = 0;

	step_set(&step, "period", 12);
	step_set(&step, "offset", 1);
	prepare(&step);
	for (int month = -24; month <= 36; month++)
	{
		worst = fmax(worst, fabs(number_of(&step, 0, month) - sin((month - 1) * M_PI / 6)));
		worst = fmax(worst, fabs(number_of(&step, 1, month) - cos((month - 1) * M_PI / 6)));
	}
	ok(worst < 4e-14, "months on a circle (off by %.1g)", worst);
	ok(number_of(&step, 0, 12e15 + 1) == 0 && number_of(&step, 1, 12e15 + 1) == 1,
	   "a thousand million million turns later it is the same month");
	ok(osml_is_missing(number_of(&step, 1, INFINITY)), "infinity is nowhere");
	keeps_nulls(&step, "cyclic");
}

static const char *const parts[] = {
	"year", "quarter", "month", "week", "day", "doy", "dow", "isodow", "hour",
	"minute", "second"
};

static const struct
{
	double		x;
	double		want[11];
}			times[] = {
	{0.0, {1970, 1, 1, 1, 1, 1, 4, 4, 0, 0, 0.0}},
	{-0.5, {1969, 4, 12, 1, 31, 365, 3, 3, 23, 59, 59.5}},
	{951827696.789, {2000, 1, 2, 9, 29, 60, 2, 2, 12, 34, 56.789}},
	{-2203891200.0, {1900, 1, 3, 9, 1, 60, 4, 4, 0, 0, 0.0}},
	{1735689599.999999, {2024, 4, 12, 1, 31, 366, 2, 2, 23, 59, 59.999999}},
	{1609635723.0, {2021, 1, 1, 53, 3, 3, 0, 7, 1, 2, 3.0}},
	{1451606400.0, {2016, 1, 1, 53, 1, 1, 5, 5, 0, 0, 0.0}},
	{-12187735200.0, {1583, 4, 10, 41, 15, 288, 6, 6, 6, 0, 0.0}},
	{-62135596800.0, {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0.0}},
	{253402297200.0, {9999, 4, 12, 52, 31, 365, 5, 5, 23, 0, 0.0}},
};

static void
test_date_part(void)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	OsmlStep	step[11];
	int			wrong = 0;
	int			year = 1600,
				month = 1,
				day = 1,
				doy = 1;

	for (int p = 0; p < 11; p++)
	{
		step[p] = step_of("date_part");
		step_choose(&step[p], "part", parts[p]);
		prepare(&step[p]);
		for (int i = 0; i < LENGTH(times); i++)
		{
			char		name[64];

			snprintf(name, sizeof(name), "%s of %.6f", parts[p], times[i].x);
			is_close(number_of(&step[p], 0, times[i].x), times[i].want[p], 0, 1e-6, name);
		}
		keeps_nulls(&step[p], parts[p]);
	}
	for (int64_t days = -135140; year < 2401; days++)
	{
		bool		leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
		double		last = (double) days * 86400 + 86399;

		wrong += number_of(&step[0], 0, last) != year || number_of(&step[2], 0, last) != month ||
			number_of(&step[4], 0, last) != day || number_of(&step[5], 0, last) != doy ||
			number_of(&step[6], 0, last) != (double) ((days + 135140 + 6) % 7);
		day++;
		doy++;
		if (day > lengths[month - 1] + (month == 2 && leap))
			day = 1, month++;
		if (month > 12)
			month = 1, doy = 1, year++;
	}
	ok(wrong == 0, "each day of 800 years");
	ok(number_of(&step[0], 0, -62135596800.0 - 1) == -1, "1 BC comes before 1");
	ok(osml_is_missing(number_of(&step[0], 0, INFINITY)) &&
	   osml_is_missing(number_of(&step[8], 0, -1e300)), "infinity has no date");
	step_choose(&step[2], "unit", "days");
	prepare(&step[2]);
	ok(number_of(&step[2], 0, 19940) == 8 && number_of(&step[2], 0, -1) == 12, "months of days");
	ok(osml_is_missing(number_of(&step[2], 0, 4e9)), "a day ten million years away has no date");
	keeps_nulls(&step[2], "date_part of days");
	step_choose(&step[2], "unit", "seconds");
	step_set(&step[2], "cyclic", 1);
	prepare(&step[2]);
	is_close(number_of(&step[2], 0, 951827696), 0.5, 1e-15, 0, "February, sine");
	is_close(number_of(&step[2], 1, 951827696), sqrt(0.75), 1e-15, 0, "and cosine");
	keeps_nulls(&step[2], "cyclic date_part");
}

static double
distance(const OsmlStep *step, double lat1, double lon1, double lat2, double lon2)
{
	double		made;
	const OsmlColumn in[4] = {{.number = &lat1}, {.number = &lon1}, {.number = &lat2},
	{.number = &lon2}};
	const OsmlColumn out = {.number = &made};

	step->transform->run(step, 1, in, &out);
	return made;
}

static void
test_great_circle(void)
{
	OsmlStep	step = step_of("great_circle");

	is_close(distance(&step, 45.7597, 4.8422, 48.8567, 2.3508), 392.21725955940012,
			 1e-14, 0, "Lyon to Paris");
	is_close(distance(&step, 38.31, -76.47, 38.61, -76.14), 44.027093245652372,
			 1e-12, 0, "44 km");
	is_close(distance(&step, 38.31, -76.47, 38.31, -76.470001), 8.7251241760233876e-5,
			 1e-8, 0, "9 cm");
	is_close(distance(&step, -33.8688, 151.2093, 40.7128, -74.0060), 15988.77759164934,
			 1e-13, 0, "Sydney to New York");
	is_close(distance(&step, 90, 0, -90, 77), 20015.114442035924, 1e-15, 0, "pole to pole");
	ok(distance(&step, 1, 2, 1, 2) == 0, "a place to itself");
	ok(osml_is_missing(distance(&step, 1, NAN, osml_missing(), 2)) &&
	   osml_is_missing(distance(&step, 1, 2, INFINITY, 2)), "NULL and infinity give NULL");
	ok(isnan(distance(&step, 1, NAN, 2, 2)) && !osml_is_missing(distance(&step, 1, NAN, 2, 2)),
	   "NaN gives NaN");
	step_choose(&step, "unit", "mi");
	is_close(distance(&step, 0, 0, 0, 180), 20015.114442035924 / 1.609344, 1e-15, 0, "miles");
	step_choose(&step, "unit", "m");
	is_close(distance(&step, 0, 0, 0, 180), 20015114.442035924, 1e-15, 0, "metres");
}

/* codes of a bin at and beside each of its edges (or some of very many), counted one by one */
static void
check_bins(OsmlStep *step, const char *name)
{
	int			n;
	int			wrong = 0;
	const double *edges;

	prepare(step);
	edges = osml_bin_edges(step, &n);
	for (int other = 0; other < 2; other++)
	{
		step_set(step, "outside", other);
		for (int i = -1; i < 3 * n + 400; i += n > 2000 ? 97 : 1)
		{
			double		edge = edges[i < 0 || i / 3 >= n ? 0 : i / 3];
			double		x = i < 0 ? INFINITY :
				i >= 3 * n ? edges[0] + (edges[n - 1] - edges[0]) * 1.1 * noise(7, (uint64_t) i) :
				i % 3 == 0 ? edge : nextafter(edge, i % 3 == 1 ? -INFINITY : INFINITY);
			int			want = 0;

			for (int e = 1; e < n - 1; e++)
				want += edges[e] <= x;
			if (other && (x < edges[0] || x > edges[n - 1]))
				want = n - 1;
			wrong += code_of(step, x) != want;
		}
		wrong += code_of(step, -INFINITY) != (other ? n - 1 : 0);
		wrong += code_of(step, NAN) != n || code_of(step, osml_missing()) != n;
	}
	wrong += step->transform->n_codes(step) != n + 1;
	ok(wrong == 0, "bins of %s: %d edges", name, n);
	step_set(step, "outside", 0);
}

/* the example of the design: bins that people can check by hand */
static void
test_coordinates(void)
{
	OsmlStep	lat = step_width(38.30, 38.90, 3);
	OsmlStep	lon = step_width(-76.48, -76.12, 3);
	char		name[64];

	prepare(&lat);
	prepare(&lon);
	ok(code_of(&lat, 38.31) == 0 && code_of(&lon, -76.47) == 0, "pickup: 0, 0");
	ok(code_of(&lat, 38.61) == 1 && code_of(&lon, -76.14) == 2, "drop-off: 1, 2");
	ok(code_of(&lat, 38.30) == 0 && code_of(&lat, 38.90) == 2, "both ends are in");
	lat.transform->code_name(&lat, 0, name, sizeof(name));
	ok(strcmp(name, "[38.3, 38.5)") == 0, "a bin's name: %s", name);
	lat.transform->code_name(&lat, 2, name, sizeof(name));
	ok(strcmp(name, "[38.7, 38.9]") == 0, "the last one's: %s", name);
	lat.transform->code_name(&lat, 3, name, sizeof(name));
	ok(strcmp(name, "(other)") == 0, "other");
	lat.transform->code_name(&lat, 4, name, 3);
	ok(strcmp(name, "(n") == 0, "null, cut off");
}

static void
test_bins(void)
{
	static const double ranges[][3] = {
		{38.30, 38.90, 3}, {-76.48, -76.12, 3}, {0, 1, 10}, {0, 1, 1}, {-1, 1, 7},
		{0.1, 0.7, 1000}, {1e9, 1e9 + 1e-3, 100}, {1e9, 1e9 + 1e-4, 500},
		{-DBL_MAX, DBL_MAX, 10}, {0, DBL_MAX, 3}, {0, 5e-323, 2}, {1, 1 + 8 * DBL_EPSILON, 5},
		{-1e-300, 1e-300, 64}, {0, 86400, 20000}, {1e15, 1e15 + 3, 2}, {3, 1e17, 9}
	};
	double		edges[300];
	OsmlStep	step;

	for (int i = 0; i < LENGTH(ranges); i++)
	{
		char		name[64];

		snprintf(name, sizeof(name), "one width from %g to %g", ranges[i][0], ranges[i][1]);
		step = step_width(ranges[i][0], ranges[i][1], (int) ranges[i][2]);
		check_bins(&step, name);
	}
	step = step_width(-1.5e308, 1.5e308, 4);
	prepare(&step);
	ok(code_of(&step, -8e307) == 0 && code_of(&step, -7e307) == 1 && code_of(&step, 7e307) == 2 &&
	   code_of(&step, 8e307) == 3, "a range beyond float64 in bins of one width");
	for (int n = 2; n <= 300; n += n < 20 ? 1 : 35)
	{
		edges[0] = -100 * noise(1, 0) * noise(1, 0);
		for (int i = 1; i < n; i++)
			edges[i] = edges[i - 1] + (i % 5 == 0 ? 1e-9 : 1 + noise(1, (uint64_t) i));
		step = step_of("bin");
		step_choose(&step, "method", "edges");
		step_numbers(&step, "edges", n, edges);
		check_bins(&step, "given edges");
	}
}

/* what is learned of a narrow range, as what is given, passes the check */
static void
test_narrow(void)
{
	static const double ranges[][3] = {
		{1, 1 + DBL_EPSILON, 10}, {0, 5e-324, 3}, {-DBL_MAX, -DBL_MAX, 4}, {DBL_MAX, DBL_MAX, 4},
		{-1 - DBL_EPSILON, -1, 1000000}, {3, 3, 5}, {1e300, 1e300 * (1 + DBL_EPSILON), 7},
		{1 - DBL_EPSILON, 1 + 3 * DBL_EPSILON, 20}, {-1e-310, 1e-310, 1000}
	};
	int			wrong = 0;

	for (int i = 0; i < LENGTH(ranges); i++)
	{
		OsmlStep	step = step_of("bin");
		OsmlProfile profile = {.stats = {.n = 2,.min = ranges[i][0],.max = ranges[i][1]}};
		char		message[256] = "";
		const double *edges;
		int			n;

		step_set(&step, "bins", ranges[i][2]);
		step.transform->fit(&step, &arena.arena, &profile);
		wrong += !step.transform->check(&step, message);
		prepare(&step);
		edges = osml_bin_edges(&step, &n);
		wrong += edges[0] > ranges[i][0] || edges[n - 1] < ranges[i][1];
		for (int k = 0; k + 1 < n; k++)
			wrong += !(edges[k] < edges[k + 1]);
	}
	ok(wrong == 0, "a narrow range becomes one that has room for the bins");
}

/* names tell the edges apart */
static void
test_bin_names(void)
{
	OsmlStep	step = step_width(1, 1 + 8 * DBL_EPSILON, 2);
	char		name[64];

	prepare(&step);
	step.transform->code_name(&step, 0, name, sizeof(name));
	ok(strcmp(name, "[1, 1.0000000000000009)") == 0, "in as many digits as that takes: %s", name);
}

/* bounds that are beyond all values, alone */
static void
test_beyond(void)
{
	const OsmlProfile profile = {.stats = {.n = 9,.min = 1,.max = 1000}};
	const OsmlProfile constant = {.stats = {.n = 9,.min = 3,.max = 3}};
	const OsmlProfile empty = {.stats = {.n = 0}};
	static const struct
	{
		const char *transform;
		const char *low;
		const char *high;
	}			kinds[] = {{"bin", "lo", "hi"}, {"minmax", "min", "max"}};

	for (int i = 0; i < LENGTH(kinds); i++)
	{
		const OsmlTransform *transform = osml_transform_by_name(kinds[i].transform);
		OsmlStep	low = step_of(kinds[i].transform);
		OsmlStep	high = step_of(kinds[i].transform);
		bool		beyond;

		step_set(&low, kinds[i].low, 1000);
		step_set(&high, kinds[i].high, 1);
		beyond = transform->beyond(&low, &profile) && transform->beyond(&high, &profile);
		step_set(&low, kinds[i].low, 999);
		step_set(&high, kinds[i].high, 2);
		ok(beyond && !transform->beyond(&low, &profile) && !transform->beyond(&high, &profile),
		   "%s: a bound at the other end is beyond the values", kinds[i].transform);
		ok(transform->beyond(&low, &constant) && transform->beyond(&high, &constant) &&
		   !transform->beyond(&low, &empty), "and of no values there is none");
		step_set(&low, kinds[i].low, 3);
		step_set(&high, kinds[i].high, 3);
		ok(!transform->beyond(&low, &constant) && !transform->beyond(&high, &constant),
		   "nor is it where the only value is");
		step_set(&low, kinds[i].high, 4000);
		step_set(&low, kinds[i].low, 3000);
		ok(!transform->beyond(&low, &profile), "nothing is learned beside two");
	}
}

/* what other and NULL are called, where texts are called so too */
static void
test_category_names(void)
{
	char	   *texts[] = {"(other)", "((other))", "(null"};
	OsmlStep	step = step_of("category");
	char		name[16];

	step_texts(&step, "categories", 3, texts);
	prepare(&step);
	step.transform->code_name(&step, 0, name, sizeof(name));
	ok(strcmp(name, "(other)") == 0, "a category keeps its name");
	step.transform->code_name(&step, 3, name, sizeof(name));
	ok(strcmp(name, "(((other)))") == 0, "other has a name that no category has");
	step.transform->code_name(&step, 4, name, sizeof(name));
	ok(strcmp(name, "(null)") == 0, "NULL, too");
	step.transform->code_name(&step, 3, name, 10);
	ok(strcmp(name, "((other))") == 0, "as far as there is room");
	step.transform->code_name(&step, 3, name, 4);
	ok(strcmp(name, "(ot") == 0, "and not beyond");
}

static void
test_category(void)
{
	char	   *texts[] = {"cash", "card", "", "voucher", "cash"};
	OsmlStep	step = step_of("category");
	char		name[16];
	char	   *many[1000];
	int			wrong = 0;

	step_texts(&step, "categories", 5, texts);
	prepare(&step);
	ok(key_code(&step, key_of("cash")) == 0 && key_code(&step, key_of("card")) == 1 &&
	   key_code(&step, key_of("")) == 2 && key_code(&step, key_of("voucher")) == 3,
	   "places in a vocabulary");
	ok(key_code(&step, key_of("Cash")) == 5 && key_code(&step, OSML_KEY_NULL) == 6 &&
	   step.transform->n_codes(&step) == 7, "other and NULL come last");
	step.transform->code_name(&step, 3, name, sizeof(name));
	ok(strcmp(name, "voucher") == 0, "a category's name");
	step_texts(&step, "categories", 0, texts);
	prepare(&step);
	ok(key_code(&step, key_of("cash")) == 0 && key_code(&step, OSML_KEY_NULL) == 1,
	   "a vocabulary of nothing");
	for (int i = 0; i < 1000; i++)
	{
		many[i] = arena.arena.alloc(&arena, 16);
		snprintf(many[i], 16, "%d", i);
	}
	step_texts(&step, "categories", 1000, many);
	prepare(&step);
	for (int i = 0; i < 2000; i++)
	{
		snprintf(name, sizeof(name), "%d", i);
		wrong += key_code(&step, key_of(name)) != (i < 1000 ? i : 1000);
	}
	ok(wrong == 0, "a thousand categories, a thousand others");
	test_category_names();
}

static void
test_hash(void)
{
	OsmlStep	step = step_of("hash");
	int			count[10] = {0};
	char		text[16];
	double		chi = 0;

	step_set(&step, "buckets", 10);
	for (int i = 0; i < 10000; i++)
	{
		snprintf(text, sizeof(text), "%d", i);
		count[key_code(&step, key_of(text))]++;
	}
	for (int b = 0; b < 10; b++)
		chi += (count[b] - 1000) * (count[b] - 1000) / 1000.0;
	ok(chi < 27.9, "10,000 texts fill 10 buckets alike (chi square %.1f, p > 0.001)", chi);
	ok(key_code(&step, OSML_KEY_NULL) == 10 && step.transform->n_codes(&step) == 11,
	   "NULL has a code of its own");
	ok(key_code(&step, ~UINT64_C(0)) == 9, "the greatest key is in the last bucket");
	step.transform->code_name(&step, 9, text, sizeof(text));
	ok(strcmp(text, "bucket 9") == 0, "a bucket's name");
}

/* a cross of three codes */
static int
cross_of(const OsmlStep *step, int32_t a, int32_t b, int32_t c)
{
	int32_t		code;
	const OsmlColumn in[3] = {{.code = &a}, {.code = &b}, {.code = &c}};
	const OsmlColumn out = {.code = &code};

	step->transform->run(step, 1, in, &out);
	return code;
}

static void
test_cross(void)
{
	OsmlStep	step = step_of("cross");
	int			wrong = 0;
	int			count[1000] = {0};
	double		chi = 0;

	step.n_in = 3;
	step.in_codes[0] = 5;
	step.in_codes[1] = 7;
	step.in_codes[2] = 3;
	for (int code = 0; code < 5 * 7 * 3; code++)
		wrong += cross_of(&step, code / 21, code / 3 % 7, code % 3) != code;
	ok(wrong == 0 && step.transform->n_codes(&step) == 105, "the first digit counts most");
	step_set(&step, "buckets", 104);
	ok(step.transform->n_codes(&step) == 104 && cross_of(&step, 4, 6, 2) < 104,
	   "one too many are hashed");
	for (int k = 0; k < 3; k++)
		step.in_codes[k] = OSML_MAX_CODES;
	step_set(&step, "buckets", 1000);
	for (int i = 0; i < 100000; i++)
		count[cross_of(&step, i % 10 << 20, i / 10 % 100 << 16, i / 1000)]++;
	for (int b = 0; b < 1000; b++)
		chi += (count[b] - 100) * (count[b] - 100) / 100.0;
	ok(chi < 1144, "combinations beyond 2^64 fill buckets alike (chi square %.0f)", chi);
	ok(cross_of(&step, 1, 2, 3) == 916, "and where one falls never changes");
}

static void
test_checks(void)
{
	OsmlStep	step = step_of("standardize");
	double		edges[3] = {1, 2, 2};

	step_set(&step, "std", 0);
	refused(&step, "std must be greater than 0");
	step = step_of("minmax");
	step_set(&step, "min", 2);
	step_set(&step, "max", 1);
	refused(&step, "min must not be greater than max");
	step = step_of("clip");
	refused(&step, "lo, hi or quantile must be given");
	step_set(&step, "lo", 2);
	step_set(&step, "hi", 1);
	refused(&step, "lo must not be greater than hi");
	step = step_of("impute");
	step_choose(&step, "method", "constant");
	refused(&step, "method constant needs a value");
	step = step_of("cyclic");
	refused(&step, "period must be given");
	step_set(&step, "period", 0);
	refused(&step, "period must be greater than 0");
	step = step_of("date_part");
	refused(&step, "part must be given");
	step_choose(&step, "part", "year");
	step_set(&step, "cyclic", 1);
	refused(&step, "part year does not come again and cannot be cyclic");
	step = step_of("bin");
	refused(&step, "method width needs bins");
	step = step_width(1, 1, 3);
	refused(&step, "lo must be less than hi");
	step = step_width(1, 1 + DBL_EPSILON, 10);
	refused(&step, "float64 has no room for 10 bins between lo and hi");
	step = step_width(1, 1 + 9 * DBL_EPSILON, 10);
	refused(&step, "float64 has no room for 10 bins between lo and hi");
	step = step_width(0, 5e-324, 2);
	refused(&step, "float64 has no room for 2 bins between lo and hi");
	step = step_width(1, 2, 3);
	step_numbers(&step, "edges", 2, edges);
	refused(&step, "method width takes no edges");
	step_choose(&step, "method", "quantile");
	refused(&step, "method quantile takes no lo and hi");
	step = step_of("bin");
	step_choose(&step, "method", "edges");
	refused(&step, "method edges needs edges");
	step_numbers(&step, "edges", 1, edges);
	refused(&step, "edges must be at least 2");
	step_numbers(&step, "edges", 3, edges);
	refused(&step, "edges must be ascending, but 2 is followed by 2");
	step_set(&step, "bins", 2);
	refused(&step, "method edges takes no bins");
}

int
main(void)
{
	test_arena_init(&arena);
	test_list();
	test_scales();
	test_impute();
	test_cyclic();
	test_date_part();
	test_great_circle();
	test_coordinates();
	test_bins();
	test_narrow();
	test_bin_names();
	test_beyond();
	test_category();
	test_hash();
	test_cross();
	test_checks();
	test_arena_free(&arena);
	return done();
}
