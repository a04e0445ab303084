/*
 * test_bottom.c
 *	  The smallest hashes: exact counts, estimates, samples; the order of the
 *	  stream does not matter.
 */
#include "tap.h"

#include "features/bottom.h"
#include "fixtures/arena.h"

#define MANY 100000

/* n different values, each `times`, from `first` on, in one of two orders */
static void
fill(OsmlBottom *bottom, const OsmlArena *arena, int k, int first, int n, int times,
	 bool backwards)
{
	osml_bottom_init(bottom, arena, k);
	for (int i = 0; i < n * times; i++)
		(void) osml_bottom_add(bottom, osml_mix64((uint64_t) (first + (backwards ? n * times - 1 - i : i) % n)));
	osml_bottom_finish(bottom);
}

static bool
same(const OsmlBottom *a, const OsmlBottom *b)
{
	bool		fine = a->n == b->n;

	for (int i = 0; fine && i < a->n; i++)
		fine = a->items[i].hash == b->items[i].hash && a->items[i].count == b->items[i].count;
	return fine;
}

/* each slot is given to one item at a time */
static bool
slots_differ(const OsmlBottom *bottom)
{
	static bool seen[MANY];
	bool		fine = true;

	for (int i = 0; i < bottom->n_slots; i++)
		seen[i] = false;
	for (int i = 0; i < bottom->n_slots; i++)
	{
		fine = fine && !seen[bottom->items[i].slot];
		seen[bottom->items[i].slot] = true;
	}
	return fine;
}

int
main(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	OsmlBottom	a;
	OsmlBottom	b;
	bool		counts = true;

	fill(&a, arena, 100, 0, 60, 7, false);
	ok(a.n == 60 && osml_bottom_distinct(&a) == 60, "few values are counted exactly");
	for (int i = 0; i < a.n; i++)
		counts = counts && a.items[i].count == 7;
	ok(counts, "and how often each came");

	fill(&a, arena, 100, 0, 5000, 9, false);
	fill(&b, arena, 100, 0, 5000, 9, true);
	ok(a.n == 100 && same(&a, &b), "the same in either order");
	counts = true;
	for (int i = 0; i < a.n; i++)
		counts = counts && a.items[i].count == 9;
	ok(counts, "what is kept was counted from the start");
	ok(slots_differ(&a) && slots_differ(&b), "slots are shared out");

	/* the estimate's deviation is 1 / sqrt(k): five of them */
	fill(&a, arena, 2048, 12345, MANY, 1, false);
	is_close(osml_bottom_distinct(&a), MANY, 5 / sqrt(2048), 0, "many values are estimated");

	memory.budget = 0;
	ok(osml_bottom_init(&a, arena, 16) == OSML_OUT_OF_MEMORY, "out of memory");
	test_arena_free(&memory);
	return done();
}
