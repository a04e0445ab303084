/*
 * meaning.c
 *	  What numbers stand for; see meaning.h.
 */
#include "features/meaning.h"

#include <math.h>
#include <string.h>

#include "features/column_name.h"

/* an identifier has a value of its own for nearly every row */
#define IDENTIFIER_DISTINCT 0.9
#define IDENTIFIER_REPEATS 0.02

/* a number without relation to the label (by this p) is one, if it is spread so
 * evenly over its range, or has always the same so many digits */
#define UNRELATED 1e-3
#define EVEN 0.1
#define IDENTIFIER_DIGITS 8

/* nobody measures so finely: float8 does not hold the next whole number */
#define MAX_MEASURE 9007199254740992.0

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

/* what names things, and what names rows; generic words may follow the first */
static const char code_words[] =
	" zip zipcode postal postcode postalcode plz code id key region "
	"district branch store shop station zone sku mcc fips iata carrier merchant ";
static const char generic_words[] = " id key code no nr num number ref ";
static const char sure_id_words[] = " id key uuid guid serial ";
static const char id_words[] =
	" id key uuid guid serial no nr num number ref reference phone tel telephone mobile "
	"account acct card iban imei msisdn invoice ";

const char *
osml_meaning_name(OsmlMeaning meaning)
{
	return meaning_names[meaning];
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

/*
 * Numbers that name things: whole, many, with gaps; the label jumps from one to
 * the next and knows no direction.
 */
static bool
is_code(const OsmlColumnFacts *facts, const OsmlColumnKind *kind, const OsmlView *view,
		const OsmlMeaningFound *found)
{
	bool		named;
	int			evidence = 0;

	if (!facts->integral || view->n_values < CODE_MIN_VALUES)
		return false;
	named = osml_name_ends(kind->name, code_words) ||
		osml_name_ends_before(kind->name, code_words, generic_words);
	evidence += named ? 2 : 0;
	evidence += found->jagged > 0.5 && found->line < 0.5 ? 2 : 0;
	evidence += found->line < 0.2 ? 1 : 0;
	evidence += found->digits >= 4 && (named || facts->max > 1.5 * facts->min) ? 1 : 0;
	/* few of the values that the range would allow, each used again and again */
	evidence += facts->max - facts->min > 5.0 * view->n_values &&
		view->n_present > 5 * view->n_values ? 1 : 0;
	return evidence >= CODE_EVIDENCE;
}

/* the largest step that leads from the least value to every other; 0: unknown */
static double
common_step(const OsmlView *view)
{
	double		step = 0;

	for (int c = 1; c < view->n_values && step != 1; c++)
	{
		double		rest = view->value[c] - view->value[0];

		/* Euclid's algorithm; doubles are exact whole numbers below 2^53 */
		while (rest > 0)
		{
			double		next = fmod(step, rest);

			step = rest;
			rest = next;
		}
	}
	return step;
}

/* the largest distance between the share of values below x and that of the range */
static double
unevenness(const OsmlView *view)
{
	double		low = view->value[0];
	double		range = view->value[view->n_values - 1] - low;
	double		below = 0;
	double		most = 0;

	for (int c = 0; c < view->n_values; c++)
	{
		double		place = (view->value[c] - low) / range;

		most = fmax(most, fabs(place - below / view->n_present));
		below += view->count[c];
		most = fmax(most, fabs(below / view->n_present - place));
	}
	return most;
}

/*
 * Nearly all different: names the row, unless it measures something.  Measures
 * of many digits are nearly all different too, but then they heap around what
 * is usual, or the label follows them.
 */
static bool
is_identifier(const OsmlSample *sample, const OsmlView *view, int j, double p,
			  const OsmlExplained *by_bin, const OsmlMeaningFound *found)
{
	const OsmlColumnFacts *facts = &sample->facts[j];
	const OsmlColumnKind *kind = &sample->kinds[j];
	double		distinct = osml_bottom_distinct(&facts->distinct);
	bool		dense;

	if (kind->is_time || (!kind->is_key && !facts->integral) ||
		distinct < IDENTIFIER_DISTINCT * facts->present ||
		view->n_values < (1 - IDENTIFIER_REPEATS) * view->n_present)
		return false;
	if (kind->is_key || found->rises || osml_name_ends(kind->name, sure_id_words) ||
		(kind->is_integer && fmax(-facts->min, facts->max) >= MAX_MEASURE))
		return true;
	dense = facts->max - facts->min <= 2 * distinct * common_step(view);
	if (dense && (kind->is_integer || by_bin->p > SURE))
		return true;
	return p > UNRELATED && (unevenness(view) < EVEN || found->digits >= IDENTIFIER_DIGITS ||
							 osml_name_ends(kind->name, id_words));
}

OsmlStatus
osml_meaning(const OsmlSample *sample, const OsmlTarget *target, const OsmlView *view,
			 int j, double r, double p, OsmlMeaningFound *found)
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
	found->meaning = kind->is_key ? OSML_MEANS_CATEGORY : OSML_MEANS_SIZE;
	if (!kind->is_key && !kind->is_flag)
	{
		double		best = by_value.p < SURE ? fmax(by_value.share, by_bin.share) :
			by_bin.p < SURE ? by_bin.share : 0;

		found->line = best > 0 ? fmin(1, r * r / best) : NAN;
		found->digits = fixed_digits(facts);
		found->rises = facts->steps >= 20 && facts->rising >= 0.999 * facts->steps;
		if (measure_jagged(sample->arena, target, view, &by_value,
						   &found->jagged) != OSML_OK ||
			osml_cycle(sample->arena, kind, facts, target, view,
					   by_value.p < by_bin.p ? &by_value : &by_bin,
					   &found->cycle) != OSML_OK)
			return OSML_OUT_OF_MEMORY;
	}
	found->moment = osml_moment(kind, facts, view);
	if (view->n_values <= 1)
		found->meaning = OSML_MEANS_CONSTANT;
	else if (view->n_values == 2)
		found->meaning = OSML_MEANS_FLAG;
	else if (found->moment.form && !osml_name_ends(kind->name, sure_id_words))
		found->meaning = OSML_MEANS_TIME;
	else if (is_identifier(sample, view, j, p, &by_bin, found))
		found->meaning = OSML_MEANS_IDENTIFIER;
	else if (found->cycle.name)
		found->meaning = OSML_MEANS_CYCLE;
	else if (found->meaning == OSML_MEANS_SIZE && is_code(facts, kind, view, found))
		found->meaning = OSML_MEANS_CODE;
	return OSML_OK;
}
