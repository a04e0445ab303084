/*
 * identifier.c
 *	  Names of rows; see identifier.h.
 */
#include "features/identifier.h"

#include <math.h>

#include "features/column_name.h"

/* an identifier has a value of its own for nearly every row */
#define IDENTIFIER_DISTINCT 0.9
#define IDENTIFIER_REPEATS 0.02

/* spread so evenly over its range, or always of so many digits */
#define EVEN 0.1
#define IDENTIFIER_DIGITS 8

/* nobody measures so finely: float8 does not hold the next whole number */
#define MAX_MEASURE 9007199254740992.0

/* whether a number is related to the label: surely, or not for all one can see */
#define SURE_P 1e-3
#define CHANCE_P 0.05

/* a relation as weak as this must be ruled out: measures are spread evenly more
 * often than they are dense, so that takes more */
#define WEAK_IF_CLEAR 0.1
#define WEAK_IF_VAGUE 0.06
#define CHANCE_P_IF_VAGUE 0.2

static const char sure_id_words[] = OSML_SURE_ID_WORDS;
static const char id_words[] =
	" id key uuid guid serial no nr num number ref reference phone tel telephone mobile "
	"account acct card iban imei msisdn invoice ";

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

/* Has nearly every row a value of its own, as names have and sizes may have? */
static bool
is_unique(const OsmlSample *sample, const OsmlView *view, int j)
{
	const OsmlColumnFacts *facts = &sample->facts[j];
	const OsmlColumnKind *kind = &sample->kinds[j];

	return !kind->is_time && !kind->is_clock && (kind->is_key || facts->integral) &&
		view->n_values > 2 &&
		osml_bottom_distinct(&facts->distinct) >= IDENTIFIER_DISTINCT * facts->present &&
		view->n_values >= (1 - IDENTIFIER_REPEATS) * view->n_present;
}

/*
 * A number in the order of rows that is dense, named so, or finer than anybody
 * measures, is a serial number; in another order the last two are names unless
 * they are surely related.  Else a relation decides: a number that
 * has one is a rank, a measure, or a serial number while the label drifts, which
 * is for people to say.
 */
OsmlIdentity
osml_names_rows(const OsmlSample *sample, const OsmlView *view, int j,
				const OsmlIdentityClues *clues)
{
	const OsmlColumnFacts *facts = &sample->facts[j];
	const OsmlColumnKind *kind = &sample->kinds[j];
	bool		by_chance = clues->p > CHANCE_P;
	bool		in_order = fabs(clues->place) >= OSML_ORDER_FOLLOWED;
	bool		dense;
	bool		huge;
	bool		named;
	bool		spread;

	if (!is_unique(sample, view, j))
		return OSML_NAMES_NOTHING;
	named = osml_name_ends(kind->name, sure_id_words);
	huge = kind->is_integer && fmax(-facts->min, facts->max) >= MAX_MEASURE;
	if (kind->is_key || ((named || huge) && clues->p > SURE_P))
		return OSML_NAMES_ROWS;
	dense = facts->max - facts->min <=
		2 * osml_bottom_distinct(&facts->distinct) * common_step(view);
	if (in_order && (dense || named || huge))
		return OSML_NAMES_ROWS;
	spread = unevenness(view) < EVEN || clues->digits >= IDENTIFIER_DIGITS;
	if (by_chance && ((spread && clues->p > CHANCE_P_IF_VAGUE &&
					   clues->strongest < WEAK_IF_VAGUE) ||
					  ((dense || in_order || osml_name_ends(kind->name, id_words)) &&
					   clues->strongest < WEAK_IF_CLEAR)))
		return OSML_NAMES_ROWS;
	if (named || dense || huge || in_order ||
		(clues->p > SURE_P && (spread || osml_name_ends(kind->name, id_words))))
		return OSML_MAY_NAME_ROWS;
	return OSML_NAMES_NOTHING;
}
