/*
 * view.c
 *	  Columns of a sample made ready; see view.h.
 */
#include "features/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* a label of at most so many different values is one of classes */
#define MAX_CLASSES 20

/* a value with its row, in the order sorting needs */
typedef struct Entry
{
	double		number;
	uint64_t	key;			/* keys; else 0 */
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
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->tie < b->tie ? -1 : a->tie > b->tie;
}

static OsmlStatus
allocate(OsmlView *view, const OsmlArena *arena, bool is_key)
{
	size_t		n = view->n;

	view->code = osml_arena_alloc(arena, n * sizeof(int32_t));
	view->bin = is_key ? view->code : osml_arena_alloc(arena, n * sizeof(int32_t));
	view->order = osml_arena_alloc(arena, n * sizeof(int32_t));
	view->count = osml_arena_alloc(arena, n * sizeof(int32_t));
	if (!view->code || !view->bin || !view->order || !view->count)
		return OSML_OUT_OF_MEMORY;
	if (is_key)
		return OSML_OK;
	view->value = osml_arena_alloc(arena, n * sizeof(double));
	view->x = osml_arena_alloc(arena, n * sizeof(double));
	view->rank = osml_arena_alloc(arena, n * sizeof(double));
	return view->value && view->x && view->rank ? OSML_OK : OSML_OUT_OF_MEMORY;
}

/* the present rows as entries; marks the others missing */
static void
collect(OsmlView *view, const OsmlSample *sample, int j, Entry *entries)
{
	const OsmlColumnKind *kind = &sample->kinds[j];

	for (int i = 0; i < view->n; i++)
	{
		OsmlCell	cell = sample->columns[j][i];
		bool		missing = osml_cell_missing(kind, cell) ||
			(!kind->is_key && !isfinite(cell.number));

		if (!kind->is_key)
			view->x[i] = view->rank[i] = missing ? NAN : cell.number;
		view->code[i] = view->bin[i] = -1;
		if (missing)
			continue;
		entries[view->n_present].number = kind->is_key ? 0 : cell.number;
		entries[view->n_present].key = kind->is_key ? cell.key : 0;
		entries[view->n_present].tie = osml_mix64(~(uint64_t) i);
		entries[view->n_present++].row = i;
	}
}

/*
 * Codes, counts and ranks, a run of equal values at a time.  A value is never
 * split between bins: it goes to the bin in which its middle row lies.
 */
static void
number_values(OsmlView *view, const Entry *entries)
{
	int			last_bin = -1;

	for (int start = 0, end; start < view->n_present; start = end)
	{
		int			code = view->n_values++;
		int			bin;

		for (end = start; end < view->n_present &&
			 entries[end].number == entries[start].number &&
			 entries[end].key == entries[start].key; end++)
			view->order[end] = entries[end].row;
		view->count[code] = end - start;
		if (view->count[code] > view->count[view->modal])
			view->modal = code;
		bin = (int) ((int64_t) (start + end) / 2 * OSML_VIEW_BINS / view->n_present);
		if (view->x && bin != last_bin)
		{
			last_bin = bin;
			view->n_bins++;
		}
		for (int i = start; i < end; i++)
		{
			int			row = entries[i].row;

			view->code[row] = code;
			if (view->x)
			{
				view->bin[row] = view->n_bins - 1;
				view->rank[row] = (start + end - 1) / 2.0;
			}
		}
		if (view->x)
			view->value[code] = entries[start].number;
	}
}

OsmlStatus
osml_view_make(OsmlView *view, const OsmlSample *sample, int j)
{
	bool		is_key = sample->kinds[j].is_key;
	Entry	   *entries = osml_arena_alloc(sample->arena, sizeof(Entry) * sample->n);
	OsmlStatus	status;

	memset(view, 0, sizeof(*view));
	view->n = sample->n;
	status = allocate(view, sample->arena, is_key);
	if (entries == NULL || status != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	collect(view, sample, j, entries);
	qsort(entries, view->n_present, sizeof(Entry), compare_entries);
	number_values(view, entries);
	if (is_key)
		view->n_bins = view->n_values;
	else if (view->n_values <= OSML_VIEW_BINS)
	{
		view->n_bins = view->n_values;
		memcpy(view->bin, view->code, sizeof(int32_t) * view->n);
	}
	osml_arena_release(sample->arena, entries);
	return OSML_OK;
}

double
osml_view_outliers(const OsmlView *view, double ranges)
{
	int			n = view->n_present;
	int			outside = 0;
	double		low;
	double		high;
	double		reach;

	if (view->x == NULL || n == 0)
		return 0;
	low = view->x[view->order[n / 4]];
	high = view->x[view->order[n - 1 - n / 4]];
	reach = ranges * (high - low);
	for (int i = 0; reach > 0 && i < n; i++)
	{
		double		x = view->x[view->order[i]];

		outside += x < low - reach || x > high + reach ? 1 : 0;
	}
	return (double) outside / n;
}

/* a column of the target, centred; adds its squares */
static OsmlStatus
add_column(OsmlTarget *target, const OsmlArena *arena, const double *y, int class)
{
	double	   *column = osml_arena_alloc(arena, sizeof(double) * target->n);
	double		mean = 0;

	if (column == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < target->n; i++)
	{
		column[i] = y ? y[i] : target->view->code[i] == class ? 1 : 0;
		mean += column[i];
	}
	mean /= target->n;
	for (int i = 0; i < target->n; i++)
	{
		column[i] -= mean;
		target->total += column[i] * column[i];
	}
	target->y[target->m++] = column;
	return OSML_OK;
}

OsmlStatus
osml_target_make(OsmlTarget *target, const OsmlSample *sample, const OsmlView *label)
{
	OsmlStatus	status = OSML_OK;
	bool	   *taken;

	memset(target, 0, sizeof(*target));
	target->n = label->n;
	target->view = label;
	target->is_class = label->n_values <= MAX_CLASSES;
	if (label->rank)
		return add_column(target, sample->arena, label->rank, 0);

	/* the classes, most frequent first */
	taken = osml_arena_alloc(sample->arena, label->n_values);
	if (taken == NULL)
		return OSML_OUT_OF_MEMORY;
	while (status == OSML_OK && target->m < label->n_values &&
		   target->m < OSML_TARGET_CLASSES)
	{
		int			best = -1;

		for (int c = 0; c < label->n_values; c++)
		{
			if (!taken[c] && (best < 0 || label->count[c] > label->count[best]))
				best = c;
		}
		taken[best] = true;
		status = add_column(target, sample->arena, NULL, best);
	}
	osml_arena_release(sample->arena, taken);
	return status;
}
