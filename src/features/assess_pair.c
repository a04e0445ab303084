/*
 * assess_pair.c
 *	  Verdicts on pairs of features; see assess.h.
 */
#include <math.h>

#include "features/assess.h"

/* so much the same is redundant */
#define REDUNDANT 0.95

#define MAX_NAMED 3

/* a pair tells the label, and neither of the two does */
#define PAIR_TELLS 0.95
#define ALONE_TELLS 0.8

/* rows alike in both columns: so many are expected, and hardly any is there */
#define REPEATS_EXPECTED 30
#define REPEATS_SHARE 0.02

/* nothing is gained by pairing what says nothing, or too much, by itself */
static bool
can_pair(const OsmlAssess *assess, int j)
{
	OsmlMeaning meaning = assess->found[j].meaning.meaning;

	return meaning != OSML_MEANS_CONSTANT && meaning != OSML_MEANS_IDENTIFIER &&
		assess->views[j].n_present > assess->views[j].n / 20;
}

/* the partner that says most of the same; the one that tells less of the label
 * is the one to look at */
static void
note_redundancy(OsmlAssess *assess, int a, int b, const OsmlPairFound *pair)
{
	OsmlAssessment *found_a = &assess->found[a];
	OsmlAssessment *found_b = &assess->found[b];
	bool		first_is_weaker = found_a->association < found_b->association;
	OsmlAssessment *weaker = first_is_weaker ? found_a : found_b;

	if (pair->redundancy.value > found_a->redundancy)
	{
		found_a->redundancy = pair->redundancy.value;
		found_a->partner = b;
	}
	if (pair->redundancy.value > found_b->redundancy)
	{
		found_b->redundancy = pair->redundancy.value;
		found_b->partner = a;
	}
	/* of many copies a few make the point */
	if (pair->redundant && weaker->n_copies++ < MAX_NAMED)
		osml_assess_say(weaker, OSML_LOOK, "says the same as \"%s\" (%s %.3f)",
						assess->sample->kinds[first_is_weaker ? b : a].name,
						pair->redundancy.measure, pair->redundancy.value);
}

static void
note_together(OsmlAssess *assess, int a, int b, const OsmlPairFound *pair)
{
	if (pair->tells)
		osml_assess_say(&assess->found[a], OSML_LOOK,
						"tells %.0f %% of the label together with \"%s\"%s%s, alone %.0f %%",
						100 * pair->together.share, assess->sample->kinds[b].name,
						pair->together.by ? ", by their " : "",
						pair->together.by ? pair->together.by : "",
						100 * assess->found[a].tells);
	else if (pair->names_row)
		osml_assess_say(&assess->found[a], OSML_LOOK,
						"names the row together with \"%s\"", assess->sample->kinds[b].name);
}

OsmlStatus
osml_assess_pair(OsmlAssess *assess, int a, int b, bool akin, OsmlPairFound *pair)
{
	const OsmlArena *arena = assess->sample->arena;
	const OsmlView *view_a = &assess->views[a];
	const OsmlView *view_b = &assess->views[b];
	static const OsmlPairFound nothing = {.redundancy = {0, "none"}};
	double		alone = fmax(assess->found[a].tells, assess->found[b].tells);

	*pair = nothing;
	pair->akin = akin;
	if (!can_pair(assess, a) || !can_pair(assess, b))
		return OSML_OK;
	if (osml_redundancy(arena, view_a, view_b, &pair->redundancy) != OSML_OK ||
		osml_together(arena, &assess->target, view_a, view_b, &pair->together) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	if (alone < ALONE_TELLS && pair->together.share < PAIR_TELLS &&
		osml_derived(arena, &assess->target, view_a, view_b, &pair->together) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	if (akin)
		return OSML_OK;
	pair->redundant = pair->redundancy.value >= REDUNDANT;
	pair->tells = alone < ALONE_TELLS && pair->together.share >= PAIR_TELLS;
	pair->names_row = pair->together.repeats_expected >= REPEATS_EXPECTED &&
		pair->together.repeats < REPEATS_SHARE * pair->together.repeats_expected;
	note_redundancy(assess, a, b, pair);
	note_together(assess, a, b, pair);
	note_together(assess, b, a, pair);
	return OSML_OK;
}
