/*
 * test_tally.c
 *	  Counts against counting: exact below the capacity, then within the error
 *	  that the tally states, whatever the order and however many parts.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "compute/random.h"
#include "features/tally.h"
#include "fixtures/arena.h"

#define MOST 50000				/* different keys */

static uint64_t
draw(uint64_t seed, uint64_t i)
{
	return osml_random_u64((OsmlRandomKey) {.seed = seed,.stream = 77}, i);
}

/* keys are 1 .. MOST here: the tally must not rely on their being hashes */
static uint64_t
zipf(uint64_t seed, uint64_t i)
{
	double		u = (double) (draw(seed, i) >> 11) * 0x1p-53;

	return (uint64_t) pow(MOST, u);
}

/* --- exact ------------------------------------------------------------------- */

/* rows of 100 keys with texts, in one order or the other */
static OsmlTally *
exact(const OsmlArena *arena, bool backwards, int parts)
{
	OsmlTally  *all = osml_tally_create(arena, 100);

	for (int part = 0; part < parts; part++)
	{
		OsmlTally  *tally = parts == 1 ? all : osml_tally_create(arena, 100);

		for (int i = part; i < 20000; i += parts)
		{
			int			row = backwards ? 19999 - i : i;
			uint64_t	key = 1 + (uint64_t) (row % 100) * (uint64_t) (row % 7 != 0);
			char		text[20];

			snprintf(text, sizeof(text), "k%d", (int) (key * 37 % 101));
			osml_tally_text(tally, key, text, strlen(text));
			osml_tally_add(tally, &key, NULL, 1);
		}
		if (parts > 1)
			osml_tally_merge(all, tally);
	}
	return all;
}

static void
test_exact(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	OsmlTallyEntry want[100];
	OsmlTallyEntry got[100];
	int			n_want;
	int			n_got;
	int			wrong = 0;
	OsmlTally  *tally = exact(arena, false, 1);

	osml_tally_top(tally, 100, 1, want, &n_want);
	ok(n_want == 100 && osml_tally_error(tally) == 0 &&
	   osml_tally_total(tally) == 20000 && osml_tally_size(tally) == 100,
	   "100 keys of 100: no error");
	ok(want[0].key == 1 && want[0].count == 3029 && strcmp(want[0].text, "k37") == 0,
	   "the most frequent one with its text");
	for (int i = 1; i < n_want; i++)
		wrong += want[i].count > want[i - 1].count ||
			(want[i].count == want[i - 1].count &&
			 strcmp(want[i].text, want[i - 1].text) <= 0);
	ok(wrong == 0, "by count, then by text");
	for (int kind = 0; kind < 4; kind++)
	{
		tally = exact(arena, kind % 2, kind < 2 ? 1 : 13);
		osml_tally_top(tally, 100, 1, got, &n_got);
		wrong += n_got != n_want;
		for (int i = 0; i < n_want; i++)
			wrong += got[i].key != want[i].key || got[i].count != want[i].count ||
				strcmp(got[i].text, want[i].text) != 0;
	}
	ok(wrong == 0, "the same in any order and in 13 parts");
	osml_tally_top(tally, 3, 1, got, &n_got);
	ok(n_got == 3 && got[2].key == want[2].key, "the first three");
	osml_tally_top(tally, 100, 1000, got, &n_got);
	ok(n_got == 1, "those with at least 1,000");
	test_arena_free(&memory);
}

/* --- more keys than fit ------------------------------------------------------- */

/*
 * Counts never too high, never too low by more than the error; no key more
 * frequent than the error missing; the error at most rows / capacity.
 */
static bool
keeps_promises(const OsmlTally *tally, const int64_t *truth, int64_t rows,
			   int capacity)
{
	static OsmlTallyEntry top[2 * MOST];
	static bool seen[MOST + 1];
	int64_t		error = osml_tally_error(tally);
	int			n;

	if (osml_tally_top(tally, 2 * MOST, 0, top, &n) != OSML_OK ||
		n > 2 * capacity || n != osml_tally_size(tally))
		return false;
	if (osml_tally_total(tally) != rows || error > rows / capacity)
		return false;
	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < n; i++)
	{
		int64_t		count = truth[top[i].key];

		seen[top[i].key] = true;
		if (top[i].count > count || top[i].count < count - error)
			return false;
	}
	for (int key = 1; key <= MOST; key++)
		if (!seen[key] && truth[key] > error)
			return false;
	return true;
}

/* row i of a stream that tries to make the tally forget */
static uint64_t
make_key(int kind, uint64_t seed, int i, int rows)
{
	switch (kind)
	{
		case 0:
			return zipf(seed, (uint64_t) i);
		case 1:					/* all alike */
			return 1 + draw(seed, (uint64_t) i) % MOST;
		case 2:					/* in order: each key once in a row of rows */
			return 1 + (uint64_t) ((int64_t) i * MOST / rows);
		case 3:					/* one key in short bursts among new ones */
			return i % 500 < 20 ? 7 : 1 + (uint64_t) i % MOST;
		default:				/* rare ones first, then a few */
			return i < rows / 2 ? 1 + (uint64_t) i % MOST : 1 + draw(seed, (uint64_t) i) % 60;
	}
}

static void
test_bounds(void)
{
	static const char *const names[] = {
		"Zipf", "uniform", "sorted", "bursts", "rare first"
	};
	static int64_t truth[MOST + 1];
	const int	capacities[] = {1, 10, 300, 5000};
	const int	rows = 200000;

	for (int kind = 0; kind < 5; kind++)
	{
		int			broken = 0;
		int64_t		worst = 0;

		for (int c = 0; c < 4; c++)
			for (int parts = 1; parts <= 9; parts += 4)
			{
				TestArena	memory;
				const OsmlArena *arena = test_arena_init(&memory);
				OsmlTally  *all = osml_tally_create(arena, capacities[c]);

				memset(truth, 0, sizeof(truth));
				for (int part = 0; part < parts; part++)
				{
					OsmlTally  *tally = osml_tally_create(arena, capacities[c]);

					for (int i = rows / parts * part;
						 i < (part == parts - 1 ? rows : rows / parts * (part + 1)); i++)
					{
						uint64_t	key = make_key(kind, (uint64_t) c, i, rows);

						truth[key]++;
						osml_tally_add(tally, &key, NULL, 1);
					}
					osml_tally_merge(all, tally);
					osml_tally_free(tally);
				}
				broken += !keeps_promises(all, truth, rows, capacities[c]);
				if (osml_tally_error(all) * capacities[c] > worst)
					worst = osml_tally_error(all) * capacities[c];
				test_arena_free(&memory);
			}
		ok(broken == 0, "%s: every promise kept, error at most %.2f rows / capacity",
		   names[kind], (double) worst / rows);
	}
}

/* --- texts ------------------------------------------------------------------- */

/* blocks of texts told first, then counted; a million keys, of which 10 return */
static void
test_texts(void)
{
	TestArena	memory;
	OsmlTally  *tally = osml_tally_create(test_arena_init(&memory), 100);
	OsmlTallyEntry top[50];
	uint64_t	keys[1024];
	char		text[2000] = "x";
	int			n;
	int			wrong = 0;

	for (int block = 0; block < 200; block++)
	{
		for (int i = 0; i < 1024; i++)
		{
			keys[i] = i % 10 == 0 ? 1 + (uint64_t) (i / 10 % 10) :
				100 + (uint64_t) (block * 1024 + i);
			snprintf(text, sizeof(text), "t%d", (int) keys[i]);
			osml_tally_text(tally, keys[i], text, strlen(text));
		}
		osml_tally_add(tally, keys, NULL, 1024);
	}
	osml_tally_top(tally, 10, 1, top, &n);
	for (int i = 0; i < n; i++)
	{
		snprintf(text, sizeof(text), "t%d", (int) top[i].key);
		wrong += top[i].text == NULL || strcmp(text, top[i].text) != 0 ||
			top[i].key > 10;
	}
	ok(n == 10 && wrong == 0, "the 10 frequent keys of 184,330 have their texts");
	ok(memory.pieces < 2 * 100 + 1024 + 10, "texts go with their keys: %ld pieces",
	   memory.pieces);

	/* texts whose keys are never counted must not pile up */
	for (int i = 0; i < 100000; i++)
	{
		osml_tally_text(tally, 1000000 + (uint64_t) i, "y", 1);
		if (i % 1000 == 0)
			osml_tally_add(tally, keys, (bool[1024]) {false}, 1024);
	}
	ok(memory.pieces < 2 * 100 + 2 * 1024 + 10, "nor do those that never come: %ld",
	   memory.pieces);
	memset(text, 'z', sizeof(text));
	osml_tally_text(tally, 3000000, text, OSML_TALLY_TEXT);
	osml_tally_text(tally, 3000001, text, OSML_TALLY_TEXT + 1);
	for (int i = 0; i < 20000; i++)
		osml_tally_add(tally, (uint64_t[2]) {3000000, 3000001}, NULL, 2);
	osml_tally_top(tally, 2, 1, top, &n);
	ok(n == 2 && top[0].key == 3000000 && strlen(top[0].text) == OSML_TALLY_TEXT &&
	   top[1].key == 3000001 && top[1].text == NULL, "a text that is too long is not told");
	osml_tally_free(tally);
	ok(memory.pieces == 0, "all memory comes back");
	osml_tally_free(NULL);
}

/* --- bytes and corners --------------------------------------------------------- */

static void
test_bytes(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	OsmlTally  *tally = exact(arena, false, 1);
	OsmlTally  *back;
	OsmlTallyEntry want[100];
	OsmlTallyEntry got[100];
	size_t		size;
	char	   *bytes;
	int			n;
	int			wrong = 0;

	for (uint64_t i = 0; i < 30000; i++)
		osml_tally_add(tally, (uint64_t[1]) {zipf(3, i)}, NULL, 1);
	size = osml_tally_bytes(tally);
	bytes = osml_arena_alloc(arena, size);
	osml_tally_write(tally, bytes);
	back = osml_tally_read(arena, bytes, size);
	ok(back != NULL && osml_tally_total(back) == 50000 &&
	   osml_tally_error(back) == osml_tally_error(tally) &&
	   osml_tally_error(back) > 0 && osml_tally_size(back) == osml_tally_size(tally),
	   "written and read: totals");
	for (uint64_t i = 0; i < 1000; i++)
	{
		uint64_t	key = zipf(4, i);

		osml_tally_add(tally, &key, NULL, 1);
		osml_tally_add(back, &key, NULL, 1);
	}
	osml_tally_top(tally, 100, 1, want, &n);
	osml_tally_top(back, 100, 1, got, &n);
	for (int i = 0; i < n; i++)
		wrong += want[i].key != got[i].key || want[i].count != got[i].count ||
			(want[i].text == NULL) != (got[i].text == NULL) ||
			(want[i].text != NULL && strcmp(want[i].text, got[i].text) != 0);
	ok(wrong == 0, "and goes on alike");
	for (size_t cut = 0; cut < size; cut += 13)
		wrong += osml_tally_read(arena, bytes, cut) != NULL;
	ok(wrong == 0, "truncated bytes are refused");
	memset(bytes, 0x7f, size);
	ok(osml_tally_read(arena, bytes, size) == NULL, "so is noise");
	test_arena_free(&memory);
}

static void
test_corners(void)
{
	TestArena	memory;
	OsmlTally  *tally = osml_tally_create(test_arena_init(&memory), 2);
	const uint64_t keys[] = {0, 5, 5, 9, 0};
	const bool	use[] = {true, true, false, true, true};
	OsmlTallyEntry top[4];
	int			n;

	osml_tally_top(tally, 4, 0, top, &n);
	ok(n == 0 && osml_tally_total(tally) == 0, "nothing");
	osml_tally_text(tally, 77, "never counted", 13);
	osml_tally_add(tally, keys, use, 5);
	osml_tally_top(tally, 4, 0, top, &n);
	ok(n == 2 && osml_tally_total(tally) == 2 && top[0].count == 1 &&
	   top[0].key == 5 && top[1].key == 9 && top[0].text == NULL,
	   "neither NULL, nor rows out of use, nor a text alone");
	osml_tally_free(tally);

	for (long budget = 0; budget < 6; budget++)
	{
		memory.budget = budget;
		tally = osml_tally_create(&memory.arena, 1000);
		if (tally != NULL)
		{
			OsmlStatus	status = OSML_OK;

			for (uint64_t i = 1; i <= 2500 && status == OSML_OK; i++)
				status = osml_tally_add(tally, &i, NULL, 1);
			if (budget == 2)
				ok(status == OSML_OUT_OF_MEMORY, "out of memory is a status");
		}
		osml_tally_free(tally);
	}
	ok(memory.pieces == 0, "and loses none");
	test_arena_free(&memory);
}

int
main(void)
{
	test_exact();
	test_bounds();
	test_texts();
	test_bytes();
	test_corners();
	return done();
}
