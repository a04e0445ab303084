/*
 * test_code_stats.c
 *	  The most frequent codes against sorting them.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "compute/code_stats.h"
#include "compute/random.h"

#define CODES 5000

static const int64_t *counts;

/* most frequent first, then the lower code */
static int
by_count(const void *a, const void *b)
{
	int32_t		x = *(const int32_t *) a;
	int32_t		y = *(const int32_t *) b;

	if (counts[x] != counts[y])
		return counts[x] > counts[y] ? -1 : 1;
	return x - y;
}

static int
ascending(const void *a, const void *b)
{
	return *(const int32_t *) a - *(const int32_t *) b;
}

/* codes that occur, sorted and cut, against what is found */
static bool
agrees(const int64_t *count, int n_codes, int most)
{
	int32_t		want[CODES];
	int32_t		got[CODES + 1];
	int			n = 0;
	int			found;

	for (int code = 0; code < n_codes; code++)
		if (count[code] > 0)
			want[n++] = code;
	if (osml_code_stats_used(count, n_codes) != n)
		return false;
	counts = count;
	qsort(want, (size_t) n, sizeof(int32_t), by_count);
	n = n < most ? n : most;
	qsort(want, (size_t) n, sizeof(int32_t), ascending);
	got[n] = -7;
	found = osml_code_stats_frequent(count, n_codes, most, got);
	return found == n && got[n] == -7 && memcmp(want, got, (size_t) n * sizeof(int32_t)) == 0;
}

int
main(void)
{
	const int	most[] = {1, 2, 100, 1200, CODES - 1, CODES};
	static int64_t count[CODES];
	int			wrong = 0;

	for (int kind = 0; kind < 5; kind++)
	{
		for (int code = 0; code < CODES; code++)
		{
			uint64_t	draw = osml_random_u64((OsmlRandomKey) {.seed = 3,.stream = 5},
											   (uint64_t) code);

			count[code] = kind == 0 ? 0 : kind == 1 ? 3 : kind == 2 ? (int64_t) (draw % 4) :
				kind == 3 ? (int64_t) (draw >> 1) : code % 7 == 0 ? code : 0;
		}
		for (int m = 0; m < 6; m++)
			wrong += !agrees(count, CODES, most[m]);
	}
	ok(wrong == 0, "none, all alike, few counts, huge ones, few codes");
	ok(agrees(count, 0, 10), "no codes");
	return done();
}
