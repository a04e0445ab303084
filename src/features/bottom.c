/*
 * bottom.c
 *	  The k smallest different hashes; see bottom.h.
 *
 * Items are appended to a list of 2k.  When it is full it is sorted, equal
 * hashes become one, and all beyond the k-th are let go, so an item costs
 * O(log k), and most hashes of a long stream only a comparison.
 */
#include "features/bottom.h"

#include <stdlib.h>

OsmlStatus
osml_bottom_init(OsmlBottom *bottom, const OsmlArena *arena, int k)
{
	bottom->k = k;
	bottom->n = 0;
	bottom->n_slots = 2 * k;
	bottom->limit = UINT64_MAX;
	bottom->items = osml_arena_alloc(arena, sizeof(OsmlBottomItem) * bottom->n_slots);
	if (bottom->items == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < bottom->n_slots; i++)
		bottom->items[i].slot = i;
	return OSML_OK;
}

static int
compare_items(const void *left, const void *right)
{
	const OsmlBottomItem *a = left;
	const OsmlBottomItem *b = right;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->slot < b->slot ? -1 : a->slot > b->slot;
}

/*
 * Sort and merge.  Items that go out of use change places with those that stay,
 * so behind the first n their slots are still there to be given out.
 */
void
osml_bottom_finish(OsmlBottom *bottom)
{
	OsmlBottomItem *items = bottom->items;
	int			n = 0;

	qsort(items, bottom->n, sizeof(OsmlBottomItem), compare_items);
	for (int i = 0; i < bottom->n; i++)
	{
		OsmlBottomItem item = items[i];

		if (n > 0 && items[n - 1].hash == item.hash)
		{
			items[n - 1].count += item.count;
			continue;
		}
		items[i] = items[n];
		items[n++] = item;
	}
	bottom->n = n < bottom->k ? n : bottom->k;
	if (bottom->n == bottom->k)
		bottom->limit = items[bottom->k - 1].hash;
}

int
osml_bottom_add(OsmlBottom *bottom, uint64_t hash)
{
	OsmlBottomItem *item;

	if (hash > bottom->limit)
		return -1;
	if (bottom->n == bottom->n_slots)
	{
		osml_bottom_finish(bottom);
		if (hash > bottom->limit)
			return -1;
	}
	item = &bottom->items[bottom->n++];
	item->hash = hash;
	item->count = 1;
	return item->slot;
}

/* the k-th smallest of d uniform hashes lies near k / d of the range */
double
osml_bottom_distinct(const OsmlBottom *bottom)
{
	if (bottom->n < bottom->k)
		return bottom->n;
	return (bottom->k - 1) / ((double) bottom->limit * 0x1p-64);
}
