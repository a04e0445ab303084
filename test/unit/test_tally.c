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
			   int capacity, bool room)
{
	static OsmlTallyEntry top[2 * MOST];
	static bool seen[MOST + 1];
	int64_t		error = osml_tally_error(tally);
	int			n;

	if (osml_tally_top(tally, 2 * MOST, 0, top, &n) != OSML_OK ||
		(n > 2 * capacity && !room) || n != osml_tally_size(tally))
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
			for (int parts = 1; parts <= 13; parts += 4)
			{
				TestArena	memory;
				const OsmlArena *arena = test_arena_init(&memory);
				OsmlTally  *all = osml_tally_create(arena, capacities[c]);
				OsmlTallyRoom room = {1000000};

				if (parts > 9)
					osml_tally_share_room(all, &room);
				memset(truth, 0, sizeof(truth));
				for (int part = 0; part < parts; part++)
				{
					OsmlTally  *tally = osml_tally_create(arena, capacities[c]);

					if (parts > 9)
						osml_tally_share_room(tally, &room);
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
				broken += !keeps_promises(all, truth, rows, capacities[c], parts > 9);
				if (osml_tally_error(all) * capacities[c] > worst)
					worst = osml_tally_error(all) * capacities[c];
				test_arena_free(&memory);
			}
		ok(broken == 0, "%s: every promise kept, error at most %.2f rows / capacity",
		   names[kind], (double) worst / rows);
	}
}

/* --- which keys stay --------------------------------------------------------- */

/* keys that are all alike: as many as are promised stay */
static void
test_ties(void)
{
	TestArena	memory;
	OsmlTally  *tally = osml_tally_create(test_arena_init(&memory), 1000);

	/* the table has been full a few keys before the end */
	for (uint64_t key = 1; key <= 40003; key++)
		osml_tally_add(tally, &key, NULL, 1);
	ok(osml_tally_size(tally) >= 1000 && osml_tally_error(tally) <= 40,
	   "of 40,003 keys that are all alike %d stay", osml_tally_size(tally));
	osml_tally_free(tally);
	test_arena_free(&memory);
}

static int
descending(const void *a, const void *b)
{
	int64_t		x = *(const int64_t *) a;
	int64_t		y = *(const int64_t *) b;

	return (x < y) - (x > y);
}

/*
 * Draws among keys that are all alike, in a tally of 1,000 with so much room: which
 * share of the rows of the 1,000 most frequent do those have that it takes for them?
 */
static double
share_found(const OsmlArena *arena, int64_t bytes, int64_t *error)
{
	static int64_t truth[MOST + 1];
	OsmlTallyRoom room = {bytes};
	OsmlTally  *tally = osml_tally_create(arena, 1000);
	OsmlTallyEntry top[1000];
	int64_t		found = 0;
	int64_t		best = 0;
	int			n;

	osml_tally_share_room(tally, &room);
	memset(truth, 0, sizeof(truth));
	for (int i = 0; i < 8 * MOST; i++)
	{
		uint64_t	key = 1 + draw(5, (uint64_t) i) % MOST;

		truth[key]++;
		osml_tally_add(tally, &key, NULL, 1);
	}
	osml_tally_top(tally, 1000, 1, top, &n);
	for (int i = 0; i < n; i++)
		found += truth[top[i].key];
	qsort(truth, MOST + 1, sizeof(int64_t), descending);
	for (int i = 0; i < 1000; i++)
		best += truth[i];
	*error = osml_tally_error(tally);
	osml_tally_free(tally);
	return room.left == bytes ? (double) found / (double) best : -1;
}

/* what room is good for */
static void
test_room(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	int64_t		error;
	double		share = share_found(arena, 16000000, &error);

	ok(error == 0 && share == 1, "with room for all keys counts are exact");
	memory.most = 0;
	share = share_found(arena, 3000000, &error);
	ok(error > 0 && share > 0.9, "with room for half of them %.1f %% is found", 100 * share);
	ok(memory.most < 3000000, "and no more is taken: %zu bytes", memory.most);
	test_arena_free(&memory);
}

/* --- texts ------------------------------------------------------------------- */

/*
 * Rows of rare keys and of some that return, counted in blocks of 1,024, the texts
 * told in blocks of `told` rows once each, as their first row is wanted; what the
 * tally has then as one number, or 0: a text is missing.
 */
static uint64_t
told_in_blocks(int told)
{
	TestArena	memory;
	OsmlTally  *tally = osml_tally_create(test_arena_init(&memory), 50);
	OsmlTallyRoom room = {1200000};
	OsmlTallyEntry top[1000];
	uint64_t	keys[1024];
	uint64_t	sum = 1;
	int			next = 0;
	int			n;

	osml_tally_share_room(tally, &room);
	for (int row = 0; row < 40 * 1024; row++)
	{
		keys[row % 1024] = 1 + draw(9, (uint64_t) row / 2) % 7000;
		for (int end = next + told; row == next || next % told != 0; next++)
		{
			uint64_t	key = 1 + draw(9, (uint64_t) next / 2) % 7000;
			char		text[100] = "";
			bool		again = false;

			if (next == end)
				break;
			for (int i = end - told; i < next && !again; i++)
				again = 1 + draw(9, (uint64_t) i / 2) % 7000 == key;
			snprintf(text, sizeof(text), "%*d", (int) (key % 90), (int) key);
			if (!again)
				osml_tally_text(tally, key, text, strlen(text));
		}
		if (row % 1024 == 1023)
			osml_tally_add(tally, keys, NULL, 1024);
	}
	osml_tally_top(tally, 1000, 1, top, &n);
	for (int i = 0; i < n; i++)
	{
		if (top[i].text == NULL || (uint64_t) atoi(top[i].text) != top[i].key)
			sum = 0;
		sum = sum * 31 + top[i].key * 7 + (uint64_t) top[i].count;
	}
	ok(n == 1000 && osml_tally_error(tally) > 0 && sum > 0,
	   "texts told in blocks of %d: none of %d keys lacks its own", told, n);
	osml_tally_free(tally);
	test_arena_free(&memory);
	return sum;
}

static void
test_telling(void)
{
	uint64_t	want = told_in_blocks(1024);

	ok(told_in_blocks(700) == want && told_in_blocks(1000) == want && told_in_blocks(33) == want,
	   "and which keys stay does not depend on how they are told");
}

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
	test_ties();
	test_room();
	test_telling();
	test_texts();
	test_bytes();
	test_corners();
	return done();
}
