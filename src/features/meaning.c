/*
 * meaning.c
 *	  What numbers stand for; see meaning.h.
 */
#include "features/meaning.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* an identifier has a value of its own for nearly every row */
#define IDENTIFIER_DISTINCT 0.9
#define IDENTIFIER_REPEATS 0.02

/* codes are not told from counts with fewer values */
#define CODE_MIN_VALUES 20

/* weight of evidence that makes a code */
#define CODE_EVIDENCE 3

/* values explain the label for certain below this p */
#define SURE 1e-4

static const char *const meaning_names[] = {
	[OSML_MEANS_SIZE] = "size",
	[OSML_MEANS_CATEGORY] = "category",
	[OSML_MEANS_FLAG] = "flag",
	[OSML_MEANS_CODE] = "code",
	[OSML_MEANS_CYCLE] = "cycle",
	[OSML_MEANS_TIME] = "time",
	[OSML_MEANS_CONSTANT] = "constant",
	[OSML_MEANS_IDENTIFIER] = "identifier",
};

/* what goes round: its values, and words that name it */
static const struct
{
	const char *name;
	double		low;
	double		high;
	double		period;
	const char *words;
}			cycles[] = {
	{"hour of day", 0, 23, 24, " hour hr hod hourofday "},
	{"day of week", 0, 6, 7, " dow weekday dayofweek wday day "},
	{"day of week", 1, 7, 7, " dow weekday dayofweek wday day "},
	{"month", 1, 12, 12, " month mon mth "},
	{"day of month", 1, 31, 31, " dom day dayofmonth mday "},
	{"minute or second", 0, 59, 60, " minute second "},
	{"week of year", 1, 53, 52.18, " week weekofyear "},
	{"day of year", 1, 366, 365.25, " doy dayofyear yday "},
	{"angle", 0, 359, 360, " angle bearing heading azimuth direction dir degrees "},
};

static const char code_words[] =
	" zip zipcode postal postcode postalcode plz code id key region "
	"district branch store shop station zone sku mcc fips iata carrier merchant ";
static const char identifier_words[] = " id key uuid guid no nr number serial ref reference ";

const char *
osml_meaning_name(OsmlMeaning meaning)
{
	return meaning_names[meaning];
}

/*
 * Does one of the words, each between spaces, stand in the column's name?  A
 * name's words end at what is no letter and before a capital.
 */
static bool
name_has(const char *name, const char *words)
{
	char		word[32];
	size_t		n = 1;

	word[0] = ' ';
	for (;; name++)
	{
		bool		letter = isalpha((unsigned char) *name);

		if (n > 1 && (!letter || (isupper((unsigned char) name[0]) &&
								  !isupper((unsigned char) name[-1]))))
		{
			word[n] = ' ';
			word[n + 1] = '\0';
			if (strstr(words, word))
				return true;
			n = 1;
		}
		if (*name == '\0')
			return false;
		if (letter && n < sizeof(word) - 2)
			word[n++] = (char) tolower((unsigned char) *name);
	}
}

/* the number of digits that all values have; 0 if they differ, or are few */
static int
fixed_digits(const OsmlColumnFacts *facts)
{
	int			digits = 1;

	/* without a value min is infinite, and above max */
	if (!facts->integral || facts->min < 1000 || facts->max >= 1e15 ||
		facts->min > facts->max)
		return 0;
	for (double power = 10; power <= facts->min; power *= 10)
		digits++;
	return facts->max < pow(10, digits) ? digits : 0;
}

/*
 * Sum over neighbouring values of squared differences of the label's mean, less
 * what noise gives, against the same for values in no order: twice the variance
 * between values.
 */
static OsmlStatus
measure_jagged(const OsmlArena *arena, const OsmlTarget *target, const OsmlView *view,
			   const OsmlExplained *by_value, double *jagged)
{
	double	   *mean = osml_arena_alloc(arena, sizeof(double) * view->n_values);
	double		variance = target->total / target->n;
	double		noise = variance * (1 - by_value->share);
	double		steps = 0;
	double		weights = 0;

	*jagged = NAN;
	if (mean == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int k = 0; k < target->m; k++)
	{
		memset(mean, 0, sizeof(double) * view->n_values);
		for (int i = 0; i < view->n; i++)
		{
			if (view->code[i] >= 0)
				mean[view->code[i]] += target->y[k][i] / view->count[view->code[i]];
		}
		for (int c = 1; c < view->n_values; c++)
		{
			double		a = view->count[c - 1];
			double		b = view->count[c];
			double		step = mean[c] - mean[c - 1];

			steps += a * b / (a + b) * step * step;
			weights += k == 0 ? a * b / (a + b) : 0;
		}
	}
	osml_arena_release(arena, mean);
	if (by_value->p < SURE && by_value->share > 0 && weights > 0)
		*jagged = fmax(0, (steps - (view->n_values - 1) * noise) / weights) /
			(2 * variance * by_value->share);
	return OSML_OK;
}

/* the label's mean in the rows whose value lies in [low, high] */
static double
mean_between(const OsmlTarget *target, const OsmlView *view, double low, double high,
			 int *rows)
{
	double		sum = 0;

	*rows = 0;
	for (int i = 0; i < view->n; i++)
	{
		if (view->x[i] >= low && view->x[i] <= high)
		{
			sum += target->y[0][i];
			++*rows;
		}
	}
	return *rows > 0 ? sum / *rows : 0;
}

/*
 * Is the label alike at both ends of the range, as on a circle, though it
 * differs in between?  The ends are a twelfth of the circle each.
 */
static bool
ends_meet(const OsmlTarget *target, const OsmlView *view, double low, double high)
{
	double		twelfth = (high - low + 1) / 12;
	double		lowest = INFINITY;
	double		highest = -INFINITY;
	double		first = 0;
	double		last = 0;

	for (int i = 0; i < 12; i++)
	{
		int			rows;
		double		from = low + i * twelfth - 0.5;
		double		mean = mean_between(target, view, from, from + twelfth, &rows);

		if (rows == 0)
			return false;
		lowest = fmin(lowest, mean);
		highest = fmax(highest, mean);
		first = i == 0 ? mean : first;
		last = i == 11 ? mean : last;
	}
	return fabs(first - last) < 0.35 * (highest - lowest);
}

/* a cycle by its range, and by its name or by how the label follows it */
static void
look_for_cycle(const OsmlColumnFacts *facts, const OsmlColumnKind *kind,
			   const OsmlTarget *target, const OsmlView *view,
			   const OsmlExplained *by_value, OsmlMeaningFound *found)
{
	for (size_t i = 0; i < sizeof(cycles) / sizeof(cycles[0]); i++)
	{
		double		low = cycles[i].low;
		double		high = cycles[i].high;
		double		top = facts->integral ? high : low + cycles[i].period;
		bool		inside = facts->min >= low && facts->max <= top &&
			facts->max - facts->min >= 0.7 * (high - low);
		bool		named = name_has(kind->name, cycles[i].words);
		bool		whole = facts->integral && facts->min == low && facts->max == high &&
			view->n_values >= 0.9 * (high - low + 1);

		if (!inside || high - low < 6)
			continue;
		if (named || (whole && by_value->p < SURE && found->line < 0.75 &&
					  ends_meet(target, view, low, high)))
		{
			found->meaning = OSML_MEANS_CYCLE;
			found->cycle = cycles[i].name;
			found->period = cycles[i].period;
			found->named = named;
			if (named)
				return;
		}
	}
}

/*
 * Numbers that name things: whole, many, with gaps; the label jumps from one to
 * the next and knows no direction.
 */
static void
look_for_code(const OsmlColumnFacts *facts, const OsmlColumnKind *kind,
			  const OsmlView *view, OsmlMeaningFound *found)
{
	int			evidence = 0;

	if (!facts->integral || view->n_values < CODE_MIN_VALUES)
		return;
	found->named = name_has(kind->name, code_words);
	evidence += found->named ? 2 : 0;
	evidence += found->jagged > 0.5 && found->line < 0.5 ? 2 : 0;
	evidence += found->line < 0.2 ? 1 : 0;
	evidence += found->digits >= 4 && facts->max > 1.5 * facts->min ? 1 : 0;
	/* few of the values that the range would allow, each used again and again */
	evidence += facts->max - facts->min > 5.0 * view->n_values &&
		view->n_present > 5 * view->n_values ? 1 : 0;
	if (evidence >= CODE_EVIDENCE)
		found->meaning = OSML_MEANS_CODE;
}

/* nearly all different: names the row, unless it measures something */
static bool
is_identifier(const OsmlSample *sample, const OsmlView *view, int j,
			  const OsmlExplained *by_bin, const OsmlMeaningFound *found)
{
	const OsmlColumnFacts *facts = &sample->facts[j];
	const OsmlColumnKind *kind = &sample->kinds[j];

	if (kind->is_time || (!kind->is_key && !facts->integral) ||
		osml_bottom_distinct(&facts->distinct) < IDENTIFIER_DISTINCT * facts->present ||
		view->n_values < (1 - IDENTIFIER_REPEATS) * view->n_present)
		return false;
	if (kind->is_key || found->rises || name_has(kind->name, identifier_words))
		return true;
	return found->dense && (kind->is_integer || by_bin->p > SURE);
}

OsmlStatus
osml_meaning(const OsmlSample *sample, const OsmlTarget *target, const OsmlView *view,
			 int j, double r, OsmlMeaningFound *found)
{
	const OsmlColumnFacts *facts = &sample->facts[j];
	const OsmlColumnKind *kind = &sample->kinds[j];
	OsmlExplained by_value;
	OsmlExplained by_bin;

	memset(found, 0, sizeof(*found));
	found->line = found->jagged = NAN;
	if (osml_explain(sample->arena, target, view->code, view->n_values, false,
					 &by_value) != OSML_OK ||
		osml_explain(sample->arena, target, view->bin, view->n_bins, false,
					 &by_bin) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	found->meaning = kind->is_key ? OSML_MEANS_CATEGORY :
		kind->is_time ? OSML_MEANS_TIME : OSML_MEANS_SIZE;
	if (!kind->is_key && !kind->is_flag)
	{
		double		best = by_value.p < SURE ? fmax(by_value.share, by_bin.share) :
			by_bin.p < SURE ? by_bin.share : 0;

		found->line = best > 0 ? fmin(1, r * r / best) : NAN;
		found->digits = fixed_digits(facts);
		found->rises = facts->steps >= 20 && facts->rising >= 0.999 * facts->steps;
		found->dense = facts->integral && facts->max - facts->min + 1 <=
			2 * osml_bottom_distinct(&facts->distinct);
		if (measure_jagged(sample->arena, target, view, &by_value,
						   &found->jagged) != OSML_OK)
			return OSML_OUT_OF_MEMORY;
	}
	if (view->n_values <= 1)
		found->meaning = OSML_MEANS_CONSTANT;
	else if (view->n_values == 2)
		found->meaning = OSML_MEANS_FLAG;
	else if (is_identifier(sample, view, j, &by_bin, found))
		found->meaning = OSML_MEANS_IDENTIFIER;
	else if (found->meaning == OSML_MEANS_SIZE)
	{
		look_for_code(facts, kind, view, found);
		look_for_cycle(facts, kind, target, view, &by_value, found);
	}
	return OSML_OK;
}
