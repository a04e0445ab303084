/*
 * meaning.c
 *	  What numbers stand for; see meaning.h.
 */
#include "features/meaning.h"

#include <math.h>
#include <string.h>

#include "features/column_name.h"
#include "features/curve.h"

/* of two values a line says all that there is to say */
#define CODE_MIN_VALUES 3

/* weight of evidence that makes a code */
#define CODE_EVIDENCE 3

/* a parabola that tells so much of what the values do is the label's form */
#define BEND 0.9

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

/* what names things; generic words may follow */
static const char code_words[] =
	" zip zipcode postal postcode postalcode plz code id key region "
	"district branch store shop station zone sku mcc fips iata carrier merchant ";
static const char generic_words[] = " id key code no nr num number ref ";
static const char sure_id_words[] = OSML_SURE_ID_WORDS;

const char *
osml_meaning_name(OsmlMeaning meaning)
{
	return meaning_names[meaning];
}

/* a column, and what is known of it */
typedef struct Question
{
	const OsmlSample *sample;
	const OsmlTarget *target;
	const OsmlView *view;
	int			j;
	double		r;				/* best correlation with the label */
	double		p;				/* best of all measures */
	OsmlExplained by_value;
	OsmlExplained by_bin;
} Question;

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
		osml_curve_means(target, view, k, mean);
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
 * Which share of what the column tells, `share` of the label, does a polynomial in its
 * values tell?  A line's is 1 for classes of a label that follow it, too; a parabola's
 * says that jumps between few values may be a curve's.
 */
static OsmlStatus
measure_polynomial(const OsmlArena *arena, const OsmlTarget *target, const OsmlView *view,
				   int degree, double share, double *found)
{
	double	   *columns[2];
	double		told;
	double		centre;

	*found = NAN;
	if (view->n_values <= degree || share <= 0)
		return OSML_OK;
	columns[0] = osml_arena_alloc(arena, 2 * sizeof(double) * view->n_values);
	if (columns[0] == NULL)
		return OSML_OUT_OF_MEMORY;
	columns[1] = columns[0] + view->n_values;
	centre = view->value[view->n_values / 2];
	for (int c = 0; c < view->n_values; c++)
	{
		columns[0][c] = view->value[c] - centre;
		columns[1][c] = columns[0][c] * columns[0][c];
	}
	if (osml_curve_told(arena, target, view, columns, degree, &told) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	osml_arena_release(arena, columns[0]);
	*found = fmin(1, told / (target->total * share));
	return OSML_OK;
}

/*
 * Numbers that name things: whole, with gaps; the label jumps from one to the next
 * and knows no direction, nor a bend, such as of ratings of which the middle is best.
 * A product of two numbers may do that as well, so
 * where nothing but the label says it, that is noted.
 */
static bool
is_code(const OsmlColumnFacts *facts, const OsmlColumnKind *kind, const OsmlView *view,
		OsmlMeaningFound *found)
{
	bool		named;
	int			evidence = 0;

	if (!facts->integral || view->n_values < CODE_MIN_VALUES)
		return false;
	named = osml_name_ends(kind->name, code_words) ||
		osml_name_ends_before(kind->name, code_words, generic_words);
	found->looks_named = named || found->digits >= 4;
	evidence += named ? 2 : 0;
	evidence += found->jagged > 0.5 && found->line < 0.5 && !(found->bend > BEND) ? 2 : 0;
	evidence += found->line < 0.2 ? 1 : 0;
	evidence += found->digits >= 4 && (named || facts->max > 1.5 * facts->min) ? 1 : 0;
	/* few of the values that the range would allow, each used again and again */
	evidence += facts->max - facts->min > 5.0 * view->n_values &&
		view->n_present > 5 * view->n_values ? 1 : 0;
	return evidence >= CODE_EVIDENCE;
}

/* the place of a row in its source, as far as the column grows or falls with it */
static OsmlStatus
follow_place(const OsmlArena *arena, const OsmlView *view, double *r)
{
	double	   *place = osml_arena_alloc(arena, sizeof(double) * view->n);

	if (place == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < view->n; i++)
		place[i] = i;
	*r = osml_correlation(view->rank, place, view->n, NULL);
	osml_arena_release(arena, place);
	return OSML_OK;
}

/*
 * Does it name rows?  What relation the rows do not rule out is two deviations
 * more than what is seen, of the correlation, or of what bins explain where the
 * label is not a number.
 */
static OsmlIdentity
ask_identity(const Question *question, const OsmlMeaningFound *found)
{
	const OsmlView *view = question->view;
	OsmlIdentityClues clues = {question->p, 0, found->place, found->digits};
	double		n = fmax(1, view->n_present);

	clues.strongest = question->target->view->x ? question->r + 2 / sqrt(n) :
		sqrt(question->by_bin.share + 2 * sqrt(2.0 * view->n_bins) / n);
	return osml_names_rows(question->sample, view, question->j, &clues);
}

/* the figures of a column of numbers */
static OsmlStatus
measure_numbers(const Question *question, OsmlMeaningFound *found)
{
	const OsmlArena *arena = question->sample->arena;
	const OsmlColumnFacts *facts = &question->sample->facts[question->j];
	const OsmlColumnKind *kind = &question->sample->kinds[question->j];
	const OsmlExplained *by_value = &question->by_value;
	const OsmlExplained *by_bin = &question->by_bin;
	double		best = by_value->p < SURE ? fmax(by_value->share, by_bin->share) :
		by_bin->p < SURE ? by_bin->share : 0;

	found->line = best > 0 ? fmin(1, question->r * question->r / best) : NAN;
	/* classes have no correlation */
	if (question->target->view->rank == NULL &&
		measure_polynomial(arena, question->target, question->view, 1, best,
						   &found->line) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	found->digits = fixed_digits(facts);
	if (follow_place(arena, question->view, &found->place) != OSML_OK ||
		measure_jagged(arena, question->target, question->view, by_value,
					   &found->jagged) != OSML_OK ||
		measure_polynomial(arena, question->target, question->view, 2,
						   by_value->p < SURE ? by_value->share : 0, &found->bend) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	return osml_cycle(arena, kind, facts, question->target, question->view,
					  by_value->p < by_bin->p ? by_value : by_bin, &found->cycle);
}

static OsmlMeaning
choose(const Question *question, OsmlMeaningFound *found)
{
	const OsmlView *view = question->view;
	const OsmlColumnFacts *facts = &question->sample->facts[question->j];
	const OsmlColumnKind *kind = &question->sample->kinds[question->j];
	OsmlIdentity identity;

	if (view->n_values == 1 && kind->takes_missing && view->n_present < view->n)
		return OSML_MEANS_FLAG;
	if (view->n_values <= 1)
		return OSML_MEANS_CONSTANT;
	if (view->n_values == 2)
		return OSML_MEANS_FLAG;
	if (found->moment.form && !osml_name_ends(kind->name, sure_id_words))
		return OSML_MEANS_TIME;
	identity = ask_identity(question, found);
	if (identity == OSML_NAMES_ROWS)
		return OSML_MEANS_IDENTIFIER;
	if (found->cycle.name)
		return OSML_MEANS_CYCLE;
	found->may_name_rows = identity == OSML_MAY_NAME_ROWS;
	if (kind->is_key)
		return OSML_MEANS_CATEGORY;
	return !kind->is_flag && is_code(facts, kind, view, found) ? OSML_MEANS_CODE :
		OSML_MEANS_SIZE;
}

OsmlStatus
osml_meaning(const OsmlSample *sample, const OsmlTarget *target, const OsmlView *view,
			 int j, double r, double p, OsmlMeaningFound *found)
{
	const OsmlColumnKind *kind = &sample->kinds[j];
	Question	question = {.sample = sample,.target = target,.view = view,.j = j,.r = r,.p = p};

	memset(found, 0, sizeof(*found));
	found->line = found->jagged = found->bend = NAN;
	if (osml_explain(sample->arena, target, view->code, view->n_values, false,
					 &question.by_value) != OSML_OK ||
		osml_explain(sample->arena, target, view->bin, view->n_bins, false,
					 &question.by_bin) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	if (kind->is_clock)
		found->cycle.name = "time of day";
	else if (!kind->is_key && !kind->is_flag &&
			 measure_numbers(&question, found) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	found->moment = osml_moment(kind, &sample->facts[j], view);
	found->meaning = choose(&question, found);
	return OSML_OK;
}
