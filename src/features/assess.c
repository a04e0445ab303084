/*
 * assess.c
 *	  Verdicts on single features; see assess.h.  Whether they are known when a
 *	  prediction is wanted is in assess_known.c, pairs are in assess_pair.c.
 */
#include "features/assess.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "features/key.h"

/* present in at most this share of rows: nothing to learn from */
#define PRESENT_DROP 0.05
#define MISSING_LOOK 0.05

/* no relation is a finding only in so many rows */
#define UNRELATED_ROWS 1000
#define UNRELATED_P 0.01
#define CHANCE_P 0.05

/* a category with fewer rows a value is too fine */
#define ROWS_A_VALUE 5

/* rows of each value are listed up to so many values */
#define MAX_LISTED 100

static const char *const verdict_names[] = {
	[OSML_KEEP] = "keep",
	[OSML_LOOK] = "look",
	[OSML_DROP] = "drop",
};

const char *
osml_verdict_name(OsmlVerdict verdict)
{
	return verdict_names[verdict];
}

void
osml_assess_say(OsmlAssessment *found, OsmlVerdict verdict, const char *format, ...)
{
	size_t		used = strlen(found->reason);
	va_list		args;

	if (verdict > found->verdict)
		found->verdict = verdict;
	if (used > 0)
		used += (size_t) snprintf(found->reason + used, OSML_REASON_SIZE - used, "; ");
	if (used >= OSML_REASON_SIZE)
		return;
	va_start(args, format);
	vsnprintf(found->reason + used, OSML_REASON_SIZE - used, format, args);
	va_end(args);
}

OsmlStatus
osml_assess_begin(OsmlAssess *assess, const OsmlSample *sample)
{
	const OsmlArena *arena = sample->arena;
	int			label = sample->n_columns - 1;

	memset(assess, 0, sizeof(*assess));
	assess->sample = sample;
	assess->n_features = label;
	assess->views = osml_arena_alloc(arena, sizeof(OsmlView) * sample->n_columns);
	assess->found = osml_arena_alloc(arena, sizeof(OsmlAssessment) * sample->n_columns);
	if (assess->views == NULL || assess->found == NULL)
		return OSML_OUT_OF_MEMORY;
	if (osml_view_make(&assess->views[label], sample, label) != OSML_OK ||
		osml_target_make(&assess->target, sample, &assess->views[label]) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	return osml_order_explains(arena, &assess->target, &assess->order);
}

/* Question 1: the strongest of several measures, each blind to something. */
static OsmlStatus
ask_relation(OsmlAssess *assess, int j)
{
	const OsmlView *view = &assess->views[j];
	const OsmlTarget *target = &assess->target;
	OsmlAssessment *found = &assess->found[j];
	OsmlExplained bins;
	OsmlExplained values;
	double		classes;
	double		best = 0;

	if (osml_explain(assess->sample->arena, target, view->bin, view->n_bins, true,
					 &bins) != OSML_OK ||
		osml_explain(assess->sample->arena, target, view->code, view->n_values, false,
					 &values) != OSML_OK ||
		osml_explain_classes(assess->sample->arena, target, view, &classes) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	found->tells = fmax(values.share, osml_follow(target, view));
	found->p = bins.p;
	found->measure = view->x ? "bins" : "categories";
	if (view->x && target->view->x)
	{
		int			n;
		double		line = osml_correlation(view->x, target->view->x, view->n, &n);
		double		rank = osml_correlation(view->rank, target->y[0], view->n, NULL);

		best = fmax(fabs(line), fabs(rank));
		found->tells = fmax(found->tells, best * best);
		/* three looks at the same rows */
		found->p = fmin(1, 3 * fmin(found->p, fmin(osml_correlation_p(line, n),
												   osml_correlation_p(rank, n))));
		if (best >= sqrt(bins.share))
			found->measure = fabs(line) >= fabs(rank) ? "correlation" : "rank correlation";
	}
	found->association = found->p > CHANCE_P ? 0 : fmax(best, sqrt(bins.share));
	found->alike = classes > found->tells;
	found->tells = fmax(found->tells, classes);
	return osml_meaning(assess->sample, target, view, j, best, found->p, &found->meaning);
}

/* rows of the rarest value, and of the rarest class at one value, in the table */
static OsmlStatus
count_rows(OsmlAssess *assess, int j)
{
	const OsmlView *view = &assess->views[j];
	const OsmlView *label = assess->target.view;
	OsmlAssessment *found = &assess->found[j];
	double		scale = (double) (assess->sample->rows - assess->sample->unlabelled) /
		assess->sample->n;
	int32_t    *cells;
	int			rarest = view->n;

	if (view->n_values == 0 || view->n_values > MAX_LISTED)
		return OSML_OK;
	for (int c = 0; c < view->n_values; c++)
		rarest = view->count[c] < rarest ? view->count[c] : rarest;
	found->min_rows = floor(rarest * scale + 0.5);
	if (!assess->target.is_class)
		return OSML_OK;
	cells = osml_arena_alloc(assess->sample->arena,
							 sizeof(int32_t) * view->n_values * label->n_values);
	if (cells == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < view->n; i++)
	{
		if (view->code[i] >= 0)
			cells[view->code[i] * label->n_values + label->code[i]]++;
	}
	rarest = view->n;
	for (int c = 0; c < view->n_values * label->n_values; c++)
		rarest = cells[c] < rarest ? cells[c] : rarest;
	found->min_class_rows = floor(rarest * scale + 0.5);
	osml_arena_release(assess->sample->arena, cells);
	return OSML_OK;
}

int
osml_assess_empty(const OsmlAssess *assess, int j)
{
	const OsmlSample *sample = assess->sample;
	uint64_t	key = osml_key("", 0);

	for (int i = 0; sample->kinds[j].is_key && i < sample->n; i++)
	{
		if (sample->columns[j][i].key == key)
			return assess->views[j].code[i];
	}
	return -1;
}

/* Question 3. */
static OsmlStatus
ask_examples(OsmlAssess *assess, int j)
{
	const OsmlColumnFacts *facts = &assess->sample->facts[j];
	OsmlAssessment *found = &assess->found[j];
	int64_t		odd = facts->nan + facts->infinite;
	int			code = osml_assess_empty(assess, j);
	double		empty = code < 0 ? 0 : (double) assess->views[j].count[code] / assess->sample->n;

	if (found->present <= 0)
		osml_assess_say(found, OSML_DROP, "never present");
	else if (empty > 0 && found->present - empty <= PRESENT_DROP)
		osml_assess_say(found, OSML_DROP, "filled in only %.1f %% of rows, empty in %.1f %%",
						100 * fmax(0, found->present - empty), 100 * empty);
	else if (found->present <= PRESENT_DROP)
		osml_assess_say(found, OSML_DROP, "present in only %.1f %% of rows", 100 * found->present);
	else if (1 - found->present > MISSING_LOOK && !assess->sample->kinds[j].takes_missing)
		osml_assess_say(found, OSML_LOOK, "missing in %.1f %% of rows", 100 * (1 - found->present));
	if (empty > MISSING_LOOK && found->present - empty > PRESENT_DROP)
		osml_assess_say(found, OSML_LOOK, "empty in %.1f %% of rows", 100 * empty);
	if (odd > 0)
		osml_assess_say(found, OSML_LOOK, "NaN or infinite in %lld rows", (long long) odd);
	if ((found->meaning.meaning == OSML_MEANS_CATEGORY ||
		 found->meaning.meaning == OSML_MEANS_CODE) &&
		facts->present < ROWS_A_VALUE * found->distinct)
		osml_assess_say(found, OSML_LOOK, "only %.1f rows a value: group the rare ones or hash",
						facts->present / found->distinct);
	return count_rows(assess, j);
}

/* Question 4. */
static void
ask_scale(OsmlAssess *assess, int j)
{
	OsmlAssessment *found = &assess->found[j];
	const OsmlMeaningFound *meaning = &found->meaning;
	const OsmlColumnKind *kind = &assess->sample->kinds[j];
	bool		few = assess->views[j].n_present < OSML_ASSESS_MIN_ROWS;

	switch (meaning->meaning)
	{
		case OSML_MEANS_CONSTANT:
			if (found->present >= 1)
				osml_assess_say(found, OSML_DROP, "constant");
			else if (found->present > 0)
				osml_assess_say(found, OSML_LOOK, "one value or none: make it a flag");
			break;
		case OSML_MEANS_IDENTIFIER:
			osml_assess_say(found, few ? OSML_LOOK : OSML_DROP,
							"an identifier: nearly every row has a value of its own");
			break;
		case OSML_MEANS_CODE:
			if (!kind->regrouped)
				osml_assess_say(found, OSML_LOOK, meaning->looks_named ?
								"numbers that name things, not sizes: make it a category" :
								"the label jumps from value to value as if they name things, "
								"whatever their size: make it a category");
			break;
		case OSML_MEANS_CYCLE:
			if (!kind->regrouped)
				osml_assess_say(found, OSML_LOOK,
								"%s goes round: its ends are neighbours; use cyclic or bins",
								meaning->cycle.name);
			break;
		default:
			break;
	}
	if (meaning->may_name_rows)
		osml_assess_say(found, OSML_LOOK, "nearly every row has a value of its own: %s",
						found->p <= CHANCE_P ? "a rank or a measure, or an identifier that drifts" :
						"an identifier, unless it measures something");
}

OsmlStatus
osml_assess(OsmlAssess *assess, int j, const OsmlFeatureNote *note)
{
	OsmlAssessment *found = &assess->found[j];
	OsmlStatus	status = osml_view_make(&assess->views[j], assess->sample, j);

	memset(found, 0, sizeof(*found));
	found->leak = found->min_rows = found->min_class_rows = NAN;
	found->partner = -1;
	found->present = osml_sample_present(assess->sample, j);
	found->distinct = fmin(osml_bottom_distinct(&assess->sample->facts[j].distinct),
						   assess->sample->facts[j].present);
	if (status == OSML_OK)
		status = ask_relation(assess, j);
	if (status == OSML_OK)
		status = osml_assess_known(assess, j, note);
	found->known = found->verdict;
	found->known_length = strlen(found->reason);
	if (status == OSML_OK)
		status = ask_examples(assess, j);
	if (status != OSML_OK)
		return status;
	ask_scale(assess, j);
	if (found->p > UNRELATED_P && assess->views[j].n_present >= UNRELATED_ROWS &&
		assess->views[j].n_values > 1 && found->verdict < OSML_DROP &&
		!assess->sample->kinds[j].is_clock)
		osml_assess_say(found, OSML_LOOK, "no relation to the label found in %d rows",
						assess->views[j].n_present);
	return OSML_OK;
}
