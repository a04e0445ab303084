/*
 * assess_known.c
 *	  Question 2: is a feature known when a prediction is wanted; see assess.h.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "features/assess.h"
#include "features/border.h"

/* a share of the label's variance that no honest feature tells, and one that
 * should make people think */
#define TELLS_DROP 0.98
#define TELLS_LOOK 0.9

/* of an amount honest features tell that much too, as the distance does of a
 * fare; only what leaves nothing is the amount itself */
#define TELLS_AMOUNT_DROP 0.9999

/* filled only for one class, or on one side of a label, so purely, and with so
 * few of the other rows that all have: a few exceptions are mistakes in the data */
#define PURE_CLASS_DROP 0.97
#define PURE_RANGE_DROP 0.99
#define REST_DROP 0.05
#define ORDINARY 0.8

/* a value of so many rows that is one class's: of its rows, and of the class's */
#define MARK_SHARE 0.05
#define MARK_OF_CLASS 0.95

/* missing or not tells this share of the label */
#define GAPS_LOOK 0.2

/* a value so frequent that the others may be what was filled in later */
#define MODAL_SHARE 0.3
#define MIN_MARKED 20

/* the order of rows, or a time, tells the label */
#define ORDER_P 1e-6
#define ORDER_SHARE 0.01

/* what happens to the rows of one table happens within so many years: times
 * further apart are of something else, such as births */
#define EVENT_YEARS 15

/* a sign of a leak, the worst of which is shown */
static void
note_leak(OsmlAssessment *found, const char *kind, double figure)
{
	if (isnan(found->leak) || figure > found->leak)
	{
		found->leak = figure;
		found->leak_kind = kind;
	}
}

/* the kind of label of a purity, in words */
static void
describe_kind(const OsmlPurity *purity, char *out, size_t size)
{
	static const char *const words[] = {"is", "is above", "is below"};

	if (isnan(purity->value))
		snprintf(out, size, "is of one class");
	else
		snprintf(out, size, "%s %.6g", words[purity->kind], purity->value);
}

/* Can no honest feature be so pure?  Only being there is what an outcome leaves
 * behind; most rows may be on one side of an amount by themselves. */
static bool
is_outcome(const char *kind, const OsmlPurity *purity)
{
	if (strcmp(kind, "filled") != 0 || purity->rest > REST_DROP)
		return false;
	return purity->kind == OSML_LABEL_IS ? purity->share >= PURE_CLASS_DROP :
		purity->share >= PURE_RANGE_DROP && purity->base <= ORDINARY;
}

/* Where it has a value, or has none, or another one than usual, the label is of
 * one kind.  empty: the code of a value that is none, or -1. */
static OsmlStatus
ask_marked(OsmlAssess *assess, int j, int empty, const char *kind, const char *where)
{
	const OsmlArena *arena = assess->sample->arena;
	const OsmlView *view = &assess->views[j];
	OsmlAssessment *found = &assess->found[j];
	bool	   *mark = osml_arena_alloc(arena, view->n);
	OsmlPurity	purity;
	char		words[64];
	OsmlStatus	status;

	if (mark == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < view->n; i++)
	{
		bool		there = view->code[i] >= 0 && view->code[i] != empty;

		mark[i] = strcmp(kind, "missing") == 0 ? !there :
			there && (strcmp(kind, "filled") == 0 || view->code[i] != view->modal);
	}
	status = osml_purity(arena, &assess->target, mark, &purity);
	osml_arena_release(arena, mark);
	if (status != OSML_OK || purity.rows < MIN_MARKED || purity.share == 0)
		return status;
	describe_kind(&purity, words, sizeof(words));
	note_leak(found, kind, purity.share);
	osml_assess_say(found, is_outcome(kind, &purity) ? OSML_DROP : OSML_LOOK,
					"%s only where the label %s: %.1f %% of such rows, %.1f %% of all",
					where, words, 100 * purity.share, 100 * purity.base);
	return OSML_OK;
}

/* Whether it is there, as a feature of its own. */
static OsmlStatus
ask_gaps(OsmlAssess *assess, int j)
{
	const OsmlArena *arena = assess->sample->arena;
	const OsmlView *view = &assess->views[j];
	OsmlAssessment *found = &assess->found[j];
	int			empty = osml_assess_empty(assess, j);
	int			filled = view->n_present - (empty < 0 ? 0 : view->count[empty]);
	OsmlExplained gaps;
	int32_t    *there;
	OsmlStatus	status;

	if (filled > 0 && filled < view->n)
	{
		there = osml_arena_alloc(arena, sizeof(int32_t) * view->n);
		if (there == NULL)
			return OSML_OUT_OF_MEMORY;
		for (int i = 0; i < view->n; i++)
			there[i] = view->code[i] >= 0 && view->code[i] != empty ? 1 : 0;
		status = osml_explain(arena, &assess->target, there, 2, false, &gaps);
		osml_arena_release(arena, there);
		if (status == OSML_OK)
			status = ask_marked(assess, j, empty, "filled", "filled");
		if (status == OSML_OK)
			status = ask_marked(assess, j, empty, "missing", "missing");
		if (status != OSML_OK)
			return status;
		if (gaps.share >= GAPS_LOOK && isnan(found->leak))
		{
			note_leak(found, "missing", gaps.share);
			osml_assess_say(found, OSML_LOOK, "whether it is filled tells %.0f %% of the label",
							100 * gaps.share);
		}
	}
	/* a default that stands for "not yet", but for one that counts as missing above */
	if (view->n_values > 1 && view->modal != empty && found->tells < TELLS_LOOK &&
		view->count[view->modal] >= MODAL_SHARE * view->n_present)
		return ask_marked(assess, j, -1, "default", "other than its usual value");
	return OSML_OK;
}

/* How many rows of each class have a value. */
static void
count_classes(const OsmlView *view, const OsmlView *label, int value, int32_t *counts)
{
	memset(counts, 0, sizeof(int32_t) * label->n_values);
	for (int i = 0; i < view->n; i++)
	{
		if (view->code[i] == value)
			counts[label->code[i]]++;
	}
}

/* A value that the rows of one class have, and hardly any others. */
static void
say_mark(OsmlAssessment *found, const OsmlView *view, int value, double of_value,
		 double of_class)
{
	char		words[32] = "";

	if (view->value)
		snprintf(words, sizeof(words), ", %.6g,", view->value[value]);
	note_leak(found, "class", fmin(of_value, of_class));
	osml_assess_say(found, OSML_LOOK, "one of its values%s is that of one class, in %.1f %% of "
					"the class and %.1f %% of its own rows: known only after it, or what makes it",
					words, 100 * of_class, 100 * of_value);
}

/*
 * Of several classes one may be told from all others, of which nothing is told: as
 * by the days that somebody who has left played since.
 */
static OsmlStatus
ask_one_class(OsmlAssess *assess, int j)
{
	const OsmlView *view = &assess->views[j];
	const OsmlView *label = assess->target.view;
	OsmlAssessment *found = &assess->found[j];
	int32_t    *counts;

	if (!assess->target.is_class || label->n_values < 3 || view->n_values < 2 ||
		!isnan(found->leak))
		return OSML_OK;
	counts = osml_arena_alloc(assess->sample->arena, sizeof(int32_t) * label->n_values);
	if (counts == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int v = 0; v < view->n_values && isnan(found->leak); v++)
	{
		if (view->count[v] < MARK_SHARE * view->n || view->count[v] < MIN_MARKED)
			continue;
		count_classes(view, label, v, counts);
		for (int c = 0; c < label->n_values; c++)
		{
			double		of_value = (double) counts[c] / view->count[v];
			double		of_class = (double) counts[c] / label->count[c];

			if (of_value >= MARK_OF_CLASS && of_class >= MARK_OF_CLASS)
				say_mark(found, view, v, of_value, of_class);
		}
	}
	osml_arena_release(assess->sample->arena, counts);
	return OSML_OK;
}

static const char *
grows(const OsmlAssessment *found)
{
	return found->meaning.place > 0 ? "grows" : "falls";
}

/* A point in time tells of rows that come later only that they come later. */
static void
judge_time(OsmlAssessment *found, bool follows, const OsmlExplained *bins)
{
	const OsmlMoment *moment = &found->meaning.moment;

	if (bins->p >= ORDER_P || bins->share < ORDER_SHARE)
	{
		osml_assess_say(found, OSML_LOOK, "a point in time (%s): rows to predict come "
						"later; use date parts or a duration", moment->form);
		return;
	}
	note_leak(found, "order", bins->share);
	osml_assess_say(found, follows && moment->years <= EVENT_YEARS ? OSML_DROP : OSML_LOOK,
					"a point in time (%s) that %s%stells %.1f %% of the label: rows to "
					"predict come later; use date parts or a duration", moment->form,
					follows ? grows(found) : "",
					follows ? " with the order of rows and " : "", 100 * bins->share);
}

/*
 * Times that follow the order of rows are of the rows.  In another order they
 * may be, or may be of something before, such as a birth, which people know.  A
 * number that grows down the table may be a time as well, and is one if it is a
 * serial number; other tables are sorted by a good feature.
 */
static OsmlStatus
ask_order(OsmlAssess *assess, int j)
{
	const OsmlView *view = &assess->views[j];
	OsmlAssessment *found = &assess->found[j];
	const char *maybe = found->meaning.moment.maybe;
	bool		is_time = found->meaning.meaning == OSML_MEANS_TIME;
	bool		follows = fabs(found->meaning.place) >= OSML_ORDER_FOLLOWED;
	OsmlExplained bins;

	if (view->x == NULL || view->n_present < OSML_ASSESS_MIN_ROWS ||
		(view->n_values < OSML_VIEW_BINS && !is_time))
		return OSML_OK;
	if (osml_explain(assess->sample->arena, &assess->target, view->bin, view->n_bins,
					 false, &bins) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	if (is_time)
		judge_time(found, follows, &bins);
	else if (bins.p < ORDER_P && bins.share >= ORDER_SHARE && (follows || maybe))
	{
		note_leak(found, "order", bins.share);
		if (follows)
			osml_assess_say(found, found->meaning.meaning == OSML_MEANS_IDENTIFIER ?
							OSML_DROP : OSML_LOOK,
							"%s with the order of rows, and that tells %.1f %% of the label: "
							"rows to predict come later", grows(found), 100 * bins.share);
		else
			osml_assess_say(found, OSML_LOOK, "may be a point in time (%s), and tells %.1f %% "
							"of the label: rows to predict come later", maybe, 100 * bins.share);
	}
	return OSML_OK;
}

/*
 * Its values, or whether there is one, tell a border in the label.  Where that
 * may be honest, what nearly makes the label has been said already.
 */
static OsmlStatus
ask_border(OsmlAssess *assess, int j, bool *sharp)
{
	OsmlAssessment *found = &assess->found[j];
	OsmlBorder	border;
	OsmlStatus	status;

	status = osml_border(assess->sample->arena, &assess->target, &assess->views[j], &border);
	*sharp = status == OSML_OK && border.sharp;
	if (status != OSML_OK || !border.found || (!border.sharp && found->tells >= TELLS_LOOK))
		return status;
	note_leak(found, "border", fmin(border.below, border.above));
	osml_assess_say(found, border.sharp ? OSML_DROP : OSML_LOOK,
					"tells whether the label is above %.6g%s, right in %.1f %% of rows above and "
					"%.1f %% of the others: %sknown only after it", border.value,
					border.sharp ? ", however near it is" : "", 100 * border.above,
					100 * border.below, border.sharp ? "" : "a state of its own, or ");
	return OSML_OK;
}

/* Question 2.  People may say that it is known, whatever it looks like. */
OsmlStatus
osml_assess_known(OsmlAssess *assess, int j, const OsmlFeatureNote *note)
{
	OsmlAssessment *found = &assess->found[j];
	double		drop = assess->target.is_class ? TELLS_DROP : TELLS_AMOUNT_DROP;
	bool		sharp;
	OsmlStatus	status;

	if (note && note->available == OSML_AVAILABLE_NO)
		osml_assess_say(found, OSML_DROP, "declared as not available: %s",
						note->reason ? note->reason : "no reason given");
	if (found->tells >= TELLS_LOOK && assess->views[j].n_present >= OSML_ASSESS_MIN_ROWS)
	{
		note_leak(found, "copy", found->tells);
		osml_assess_say(found, found->tells >= drop ? OSML_DROP : OSML_LOOK,
						"tells %.1f %% of the label by itself%s: a copy of it, or known only after it",
						100 * found->tells, found->alike ? ", its classes counted alike" : "");
	}
	status = ask_border(assess, j, &sharp);
	if (status == OSML_OK && !sharp)
		status = ask_gaps(assess, j);
	if (status == OSML_OK)
		status = ask_one_class(assess, j);
	if (status == OSML_OK)
		status = ask_order(assess, j);
	if (note && note->available == OSML_AVAILABLE_YES && found->verdict > OSML_KEEP)
	{
		found->verdict = OSML_LOOK;
		osml_assess_say(found, OSML_LOOK, "declared as available: %s",
						note->reason ? note->reason : "no reason given");
	}
	return status;
}
