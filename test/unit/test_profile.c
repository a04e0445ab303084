/*
 * test_profile.c
 *	  Moments of a column against two passes in long double and against scipy,
 *	  parts against the whole, and what is counted.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "features/key.h"
#include "features/profile.h"
#include "fixtures/arena.h"
#include "fixtures/blocks.h"

#define ROWS 20000

/*
 * Deviation and skewness of n values, two passes in long double.  Both are
 * measured from x[0], since a mean near 1e9 has only nine more digits there.
 */
static void
two_pass(const double *x, int n, double *deviation, double *skewness)
{
	long double mean = 0;
	long double m2 = 0;
	long double m3 = 0;

	for (int i = 0; i < n; i++)
		mean += (long double) x[i] - x[0];
	mean /= n;
	for (int i = 0; i < n; i++)
	{
		long double diff = (long double) x[i] - x[0] - mean;

		m2 += diff * diff;
		m3 += diff * diff * diff;
	}
	*deviation = (double) sqrtl(m2 / n);
	*skewness = (double) (m3 / n / powl(m2 / n, 1.5L));
}

/* a column in blocks, and in parts that are merged, against two passes */
static void
check(const double *x, int n, int part, double abstol, const char *what)
{
	OsmlProfile whole;
	OsmlProfile merged;
	double		deviation;
	double		skewness;

	osml_profile_init(&whole, NULL, OSML_NEED_MOMENTS, 0);
	osml_profile_init(&merged, NULL, OSML_NEED_MOMENTS, 0);
	for (int lo = 0; lo < n; lo += part)
	{
		int			rows = n - lo < part ? n - lo : part;
		OsmlProfile one;

		osml_profile_numbers(&whole, x + lo, NULL, rows);
		osml_profile_init(&one, NULL, OSML_NEED_MOMENTS, 0);
		osml_profile_numbers(&one, x + lo, NULL, rows);
		osml_profile_merge(&merged, &one);
	}
	two_pass(x, n, &deviation, &skewness);
	ok(whole.rows == n && whole.stats.n == n && merged.rows == n, "%s: counted", what);
	is_close(osml_stats_deviation(&whole.stats), deviation, 1e-12, 0, "deviation");
	is_close(osml_profile_skewness(&whole), skewness, 1e-11, abstol, "skewness");
	is_close(osml_profile_skewness(&merged), skewness, 1e-11, abstol,
			 "skewness of merged parts");
}

static void
test_moments(void)
{
	static double x[ROWS];

	for (int i = 0; i < ROWS; i++)
		x[i] = exp(3 * noise(1, (uint64_t) i));
	check(x, ROWS, 1024, 0, "lognormal");
	check(x, ROWS, 77, 0, "lognormal, parts of 77");
	for (int i = 0; i < ROWS; i++)
		x[i] = noise(1, (uint64_t) i);
	check(x, ROWS, 500, 1e-13, "noise");
	for (int i = 0; i < ROWS; i++)
		x[i] = 1e9 + 1e-3 * exp(noise(1, (uint64_t) i));
	check(x, ROWS, 1024, 0, "1e9 and noise of 1e-3");
	check(x, ROWS, 100, 0, "1e9 and noise of 1e-3, parts of 100");
	for (int i = 0; i < ROWS; i++)
		x[i] = 1e9 + 1e-3 * i + (i == 5000 ? 10 : 0);
	check(x, ROWS, 1000, 1e-13, "1e9 and a ramp: parts with far means");
	x[0] = -1e12;
	check(x, ROWS, 1000, 0, "an outlier as the first value");
}

/* scipy 1.10: x = ((i * 7919) % 1009)**2 for i < 5000; x.std(), stats.skew(x) */
static void
test_scipy(void)
{
	double		x[5000];
	double		y[5000];
	OsmlProfile profile;

	for (int i = 0; i < 5000; i++)
	{
		double		root = (i * 7919) % 1009;

		x[i] = root * root;
		y[i] = 1e9 + x[i] * 0x1p-20;
	}
	osml_profile_init(&profile, NULL, OSML_NEED_MOMENTS, 0);
	osml_profile_numbers(&profile, x, NULL, 5000);
	is_close(profile.stats.mean, 338998.73, 1e-14, 0, "scipy's mean");
	is_close(osml_stats_deviation(&profile.stats), 303370.3504160318, 1e-13, 0,
			 "scipy's deviation");
	is_close(osml_profile_skewness(&profile), 0.639236885056409, 1e-12, 0,
			 "scipy's skewness");

	/* moved to 1e9 in steps of 2^-20, which are exact there; scipy itself loses
	 * five digits of this one */
	osml_profile_init(&profile, NULL, OSML_NEED_MOMENTS, 0);
	osml_profile_numbers(&profile, y, NULL, 5000);
	is_close(osml_profile_skewness(&profile), 0.639236885056409, 1e-12, 0,
			 "the skewness does not move with 1e9");
}

/* NULL, NaN, infinity, zeros and rows out of use */
static void
test_counts(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	double		x[3000];
	bool		use[3000];
	OsmlProfile profile;
	OsmlProfile plain;
	const double half = 0.5;
	double		median;
	double		finite[3000];
	int			n = 0;

	for (int i = 0; i < 3000; i++)
	{
		x[i] = i % 7 == 0 ? osml_missing() : i % 11 == 0 ? NAN :
			i % 13 == 0 ? (i % 2 ? INFINITY : -INFINITY) : i % 5 == 0 ? -0.0 : i;
		use[i] = i % 3 != 0;
		if (use[i] && isfinite(x[i]))
			finite[n++] = x[i];
	}
	osml_profile_init(&profile, arena, OSML_NEED_MOMENTS | OSML_NEED_QUANTILES, 0);
	osml_profile_numbers(&profile, x, use, 3000);
	osml_profile_init(&plain, arena, OSML_NEED_MOMENTS | OSML_NEED_QUANTILES, 0);
	osml_profile_numbers(&plain, finite, NULL, n);

	/* of 2,000 rows not divisible by 3: 1/7 missing; of the rest 1/11; 1/13 */
	ok(profile.rows == 2000 && profile.missing == 286 && profile.nan == 156 &&
	   profile.infinite == 120 && profile.stats.n == n, "%d %d %d %d %d",
	   (int) profile.rows, (int) profile.missing, (int) profile.nan,
	   (int) profile.infinite, (int) profile.stats.n);
	ok(profile.stats.n + profile.missing + profile.nan + profile.infinite ==
	   profile.rows, "each row is one of them");
	ok(plain.zeros == profile.zeros && profile.zeros > 250, "-0 is a zero");
	is_close(profile.stats.mean, plain.stats.mean, 1e-15, 0,
			 "mean of the finite ones in use");
	is_close(osml_profile_skewness(&profile), osml_profile_skewness(&plain), 1e-12, 0,
			 "skewness too");
	osml_kll_quantiles(profile.kll, 1, &half, &median);
	osml_kll_quantiles(plain.kll, 1, &half, &finite[0]);
	ok(median == finite[0], "and the median");
	test_arena_free(&memory);
}

static void
test_corners(void)
{
	OsmlProfile profile;
	OsmlProfile other;
	double		x[2000];

	osml_profile_init(&profile, NULL, OSML_NEED_MOMENTS, 0);
	ok(isnan(osml_profile_skewness(&profile)), "no values: NaN");
	for (int i = 0; i < 2000; i++)
		x[i] = 0.1;
	osml_profile_numbers(&profile, x, NULL, 2000);
	ok(osml_profile_skewness(&profile) == 0 && profile.m3 == 0, "a constant: 0");
	osml_profile_init(&other, NULL, OSML_NEED_MOMENTS, 0);
	osml_profile_merge(&profile, &other);
	osml_profile_merge(&other, &profile);
	ok(other.rows == 2000 && other.stats.mean == 0.1 && other.m3 == 0,
	   "merged with nothing, either way");
	other.needs = OSML_NEED_QUANTILES;
	ok(osml_profile_merge(&profile, &other) == OSML_BAD_SHAPE, "needs must agree");
	x[0] = INFINITY;
	osml_profile_init(&profile, NULL, 0, 0);
	osml_profile_numbers(&profile, x, NULL, 2000);
	ok(profile.rows == 2000 && profile.infinite == 1 && profile.stats.n == 0,
	   "no needs: counts alone");
}

/* keys: NULLs are counted apart; there and back with a text */
static void
test_keys(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	const uint64_t keys[] = {5, OSML_KEY_NULL, 7, 5, 5, OSML_KEY_NULL};
	const bool	use[] = {true, true, true, true, false, false};
	OsmlProfile profile;
	OsmlTallyEntry top[3];
	int			n;

	osml_profile_init(&profile, arena, OSML_NEED_TALLY, 10);
	osml_profile_keys(&profile, keys, use, 6);
	osml_tally_top(profile.tally, 3, 1, top, &n);
	ok(profile.rows == 4 && profile.missing == 1 && n == 2 && top[0].key == 5 &&
	   top[0].count == 2, "keys in use");
	osml_profile_init(&profile, arena, 0, 10);
	osml_profile_keys(&profile, keys, NULL, 6);
	ok(profile.rows == 6 && profile.missing == 2 && profile.tally == NULL,
	   "no needs: counts alone");
	test_arena_free(&memory);
}

/* a profile that went through bytes merges as the first would have */
static void
test_bytes(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	const unsigned needs = OSML_NEED_MOMENTS | OSML_NEED_QUANTILES | OSML_NEED_TALLY;
	static double x[30000];
	static uint64_t keys[30000];
	OsmlProfile a[2];
	OsmlProfile b;
	OsmlProfile back;
	size_t		size;
	char	   *bytes;
	char	   *other;
	int			wrong = 0;

	for (int i = 0; i < 30000; i++)
	{
		x[i] = noise(1, (uint64_t) i);
		keys[i] = 1 + (uint64_t) (1000 * fabs(x[i]));
	}
	for (int k = 0; k < 2; k++)
	{
		osml_profile_init(&a[k], arena, needs, 100);
		osml_profile_numbers(&a[k], x, NULL, 10000);
		osml_profile_keys(&a[k], keys, NULL, 10000);
	}
	osml_tally_text(a[0].tally, keys[0], "text", 4);
	osml_tally_text(a[1].tally, keys[0], "text", 4);
	osml_profile_init(&b, arena, needs, 100);
	osml_profile_numbers(&b, x + 10000, NULL, 20000);
	osml_profile_keys(&b, keys + 10000, NULL, 20000);
	size = osml_profile_size(&b);
	bytes = osml_arena_alloc(arena, size);
	osml_profile_write(&b, bytes);
	ok(osml_profile_read(&back, arena, bytes, size) == OSML_OK, "read");
	for (size_t cut = 0; cut < size; cut += 101)
	{
		OsmlProfile none;

		wrong += osml_profile_read(&none, arena, bytes, cut) == OSML_OK;
	}
	ok(wrong == 0, "truncated bytes are refused");
	osml_profile_merge(&a[0], &b);
	osml_profile_merge(&a[1], &back);
	size = osml_profile_size(&a[0]);
	bytes = osml_arena_alloc(arena, size);
	other = osml_arena_alloc(arena, size);
	osml_profile_write(&a[0], bytes);
	ok(osml_profile_size(&a[1]) == size, "merged: the same size");
	osml_profile_write(&a[1], other);
	ok(memcmp(bytes, other, size) == 0, "and the same bytes");
	osml_profile_free(&a[0]);
	osml_profile_free(&a[1]);
	osml_profile_free(&b);
	osml_profile_free(&back);
	ok(memory.pieces == 3, "memory comes back");
	memory.budget = 3;
	ok(osml_profile_init(&a[0], arena, needs, 10) == OSML_OUT_OF_MEMORY &&
	   memory.pieces == 3, "out of memory is a status");
	test_arena_free(&memory);
}

/* --- memory ------------------------------------------------------------------ */

/* so many different values, parts merged; the bound against what was in use */
static void
test_most_bytes(int capacity, bool keys)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	unsigned	needs = OSML_NEED_TALLY | (keys ? 0 : OSML_NEED_QUANTILES | OSML_NEED_MOMENTS);
	size_t		bound = 2 * osml_profile_most_bytes(needs, capacity, keys);
	OsmlProfile whole;
	size_t		texts = 0;

	osml_profile_init(&whole, arena, needs, capacity);
	for (int part = 0; part < 20; part++)
	{
		OsmlProfile p;

		osml_profile_init(&p, arena, needs, capacity);
		for (int block = 0; block < 60; block++)
		{
			double		x[1024];
			uint64_t	key[1024];

			for (int i = 0; i < 1024; i++)
			{
				uint64_t	n = (uint64_t) ((part * 60 + block) * 1024 + i) + 1;

				key[i] = n * UINT64_C(0x9E3779B97F4A7C15);
				x[i] = (double) (key[i] >> 20);
				if (keys)
					osml_tally_text(p.tally, key[i], "k", 1);
			}
			if (keys)
				osml_profile_keys(&p, key, NULL, 1024);
			else
			{
				osml_profile_numbers(&p, x, NULL, 1024);
				osml_tally_add(p.tally, key, NULL, 1024);
			}
		}
		osml_profile_merge(&whole, &p);
		osml_profile_free(&p);
	}
	/* two profiles' keys and those told ahead, each with a text of two bytes */
	if (keys)
		texts = 2 * 2 * (2 * (size_t) capacity + OSML_TALLY_PENDING);
	ok(memory.most <= bound + texts && memory.most > bound / 3,
	   "%s, %d counted: %zu bytes at most, %zu foretold", keys ? "keys" : "numbers",
	   capacity, memory.most, bound);
	osml_profile_free(&whole);
	test_arena_free(&memory);
}

int
main(void)
{
	test_most_bytes(500, false);
	test_most_bytes(500, true);
	test_most_bytes(10000, true);
	test_moments();
	test_scipy();
	test_counts();
	test_corners();
	test_keys();
	test_bytes();
	return done();
}
