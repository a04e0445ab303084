/*
 * derived.c
 *	  What two numbers tell together by their difference, sum, ratio or product;
 *	  see association.h.
 *
 * "Delivered after it was promised" is told by neither day, and by no pair of
 * values that comes again, but by the sign of the difference.
 */
#include <math.h>
#include <stdlib.h>

#include "features/association.h"

/* a few rows show whether it is worth sorting all */
#define PROBE_ROWS 1000
#define PROBE_RARE 30
#define PROBE_SHARE 0.5

/* most rows must have both, or the label of these rows is another one */
#define HAVE_BOTH 0.5

static const char *const names[] = {"difference", "sum", "ratio", "product"};

#define N_NAMES (int) (sizeof(names) / sizeof(names[0]))

typedef struct Entry
{
	double		number;
	uint64_t	tie;			/* mixes rows of one value */
	int32_t		row;
} Entry;

static int
compare_entries(const void *left, const void *right)
{
	const Entry *a = left;
	const Entry *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->tie < b->tie ? -1 : a->tie > b->tie;
}

/* NaN where there is none */
static double
derive(int name, double a, double b)
{
	double		number = name == 0 ? a - b : name == 1 ? a + b :
		name == 2 ? (b != 0 ? a / b : NAN) : a * b;

	return isfinite(number) ? number : NAN;
}

/* the label's share that one of them tells, of about so many rows */
static double
share_of(const OsmlTarget *target, const OsmlView *a, const OsmlView *b, int name,
		 int n_rows, Entry *entries, int32_t *order)
{
	OsmlView	view = {0};
	int			used = 0;

	for (int i = 0; i < n_rows; i++)
	{
		int			row = (int) ((int64_t) i * a->n / n_rows);
		double		number = derive(name, a->x[row], b->x[row]);

		if (isnan(number))
			continue;
		entries[used].number = number;
		entries[used].tie = osml_mix64(~(uint64_t) row);
		entries[used++].row = row;
	}
	if (used < HAVE_BOTH * n_rows)
		return 0;
	qsort(entries, used, sizeof(Entry), compare_entries);
	for (int i = 0; i < used; i++)
		order[i] = entries[i].row;
	view.n_present = used;
	view.order = order;
	return osml_follow(target, &view);
}

/* rows to try, among which enough have another label than most */
static int
probe_rows(const OsmlTarget *target)
{
	const OsmlView *label = target->view;
	double		rest = label->n - label->count[label->modal];

	return (int) fmin(label->n, fmax(PROBE_ROWS, PROBE_RARE * label->n / fmax(1, rest)));
}

OsmlStatus
osml_derived(const OsmlArena *arena, const OsmlTarget *target, const OsmlView *a,
			 const OsmlView *b, OsmlTogether *together)
{
	Entry	   *entries;
	int32_t    *order;

	if (a->x == NULL || b->x == NULL)
		return OSML_OK;
	entries = osml_arena_alloc(arena, sizeof(Entry) * a->n);
	order = osml_arena_alloc(arena, sizeof(int32_t) * a->n);
	if (entries == NULL || order == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int name = 0; name < N_NAMES; name++)
	{
		int			n = probe_rows(target);
		double		share = share_of(target, a, b, name, n, entries, order);

		if (n < a->n)
			share = share < PROBE_SHARE ? 0 :
				share_of(target, a, b, name, a->n, entries, order);
		if (share <= together->share)
			continue;
		together->share = share;
		together->by = names[name];
	}
	osml_arena_release(arena, entries);
	osml_arena_release(arena, order);
	return OSML_OK;
}
