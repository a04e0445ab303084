/*
 * test_kll.c
 *	  The sketch against sorted values: exact while small, then within its error
 *	  whatever the order and however many parts.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "features/kll.h"
#include "fixtures/arena.h"
#include "fixtures/blocks.h"

#define PIECE 1000				/* values added at once */

typedef double (*Maker) (uint32_t seed, int i, int n);

/* --- orders and distributions; the rank of a value must be easy to count ---- */

static double
ascending(uint32_t seed, int i, int n)
{
	return i;
}

static double
descending(uint32_t seed, int i, int n)
{
	return n - i;
}

static double
uniform(uint32_t seed, int i, int n)
{
	return noise(seed, (uint64_t) i);
}

/* a tail that spans 40 decades */
static double
heavy_tail(uint32_t seed, int i, int n)
{
	return exp(45 * noise(seed, (uint64_t) i));
}

/* from both ends to the middle, so that each buffer spans what is to come */
static double
zoom(uint32_t seed, int i, int n)
{
	return i % 2 ? n - i / 2 : i / 2;
}

/* waves whose length is close to the buffer's */
static double
waves(uint32_t seed, int i, int n)
{
	return (i % (2040 + (int) (seed % 17))) + 1e-6 * i;
}

/* seven values in all */
static double
few_values(uint32_t seed, int i, int n)
{
	return floor(3.5 * (1 + noise(seed, (uint64_t) i)));
}

static const struct
{
	const char *name;
	Maker		make;
}			makers[] = {
	{"ascending", ascending}, {"descending", descending}, {"uniform", uniform},
	{"heavy tail", heavy_tail}, {"zoom", zoom}, {"waves", waves},
	{"seven values", few_values}
};

#define N_MAKERS ((int) (sizeof(makers) / sizeof(makers[0])))

static int
by_value(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* values of sorted that are below x, or equal too */
static int
rank_of(const double *sorted, int n, double x, bool equal)
{
	int			lo = 0;
	int			hi = n;

	while (lo < hi)
	{
		int			mid = (lo + hi) / 2;

		if (sorted[mid] < x || (equal && sorted[mid] == x))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * The largest error of 99 quantiles and of as many counts, as a share of n.
 * A quantile among equal values has any of their ranks.
 */
static double
worst_error(const OsmlKll *kll, const double *sorted, int n)
{
	double		p[99];
	double		q[99];
	double		x[99];
	int64_t		below[99];
	double		worst = 0;

	for (int i = 0; i < 99; i++)
	{
		p[i] = (i + 1) / 100.0;
		x[i] = sorted[(int) (p[i] * n)];
	}
	osml_kll_quantiles(kll, 99, p, q);
	osml_kll_below(kll, 99, x, below);
	for (int i = 0; i < 99; i++)
	{
		double		target = ceil(p[i] * n);
		double		low = rank_of(sorted, n, q[i], false) + 1 - target;
		double		high = target - rank_of(sorted, n, q[i], true);
		double		count = fabs((double) below[i] - rank_of(sorted, n, x[i], false));

		worst = fmax(worst, fmax(fmax(low, high), count) / n);
	}
	return worst;
}

/* a sketch of n values in `parts` parts of different sizes, merged in order */
static OsmlKll *
sketch(const OsmlArena *arena, const double *x, int n, int parts)
{
	OsmlKll    *all = osml_kll_create(arena);

	for (int part = 0, lo = 0; part < parts; part++)
	{
		int			hi = part == parts - 1 ? n :
			(int) ((double) n * (part + 1) * (part + 1) / parts / parts);
		OsmlKll    *kll = parts == 1 ? all : osml_kll_create(arena);

		for (; lo < hi; lo += PIECE < hi - lo ? PIECE : hi - lo)
			osml_kll_add(kll, x + lo, PIECE < hi - lo ? PIECE : hi - lo);
		if (parts > 1)
		{
			osml_kll_merge(all, kll);
			osml_kll_free(kll);
		}
	}
	return all;
}

/* --- tests ---------------------------------------------------------------- */

/* numpy: np.quantile(x, p, method="inverted_cdf") is sorted[ceil(p n) - 1] */
static void
test_exact(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	const double p[] = {0, 0.01, 0.25, 0.5, 0.75, 0.99, 1};
	double		out[7];
	static double x[OSML_KLL_K];
	int			wrong = 0;

	for (int n = 1; n <= OSML_KLL_K; n += n < 20 ? 1 : 169)
	{
		OsmlKll    *kll = osml_kll_create(arena);

		for (int i = 0; i < n; i++)
			x[i] = noise(3, (uint64_t) (i + n * 5000));
		osml_kll_add(kll, x, n);
		qsort(x, (size_t) n, sizeof(double), by_value);
		osml_kll_quantiles(kll, 7, p, out);
		for (int i = 0; i < 7; i++)
		{
			int			rank = (int) ceil(p[i] * n);

			wrong += out[i] != x[rank > 0 ? rank - 1 : 0];
		}
		wrong += worst_error(kll, x, n) != 0 || osml_kll_count(kll) != n;
	}
	ok(wrong == 0, "up to %d values: as sorted", OSML_KLL_K);
	test_arena_free(&memory);
}

/* the error of one sketch and of many merged ones, for each order and many seeds */
static void
test_error(void)
{
	const int	sizes[] = {2049, 30000, 300000};
	const int	parts[] = {1, 2, 37};
	static double x[300000];
	static double sorted[300000];

	for (int m = 0; m < N_MAKERS; m++)
	{
		double		worst = 0;

		for (uint32_t seed = 1; seed <= 6; seed++)
			for (int s = 0; s < 9; s++)
			{
				int			n = sizes[s / 3] + (int) seed * 13;
				TestArena	memory;
				OsmlKll    *kll;

				if (s >= 6)
					n = 100000 + (int) (seed % 2) * 199000;
				for (int i = 0; i < n; i++)
					x[i] = makers[m].make(seed, i, n);
				memcpy(sorted, x, (size_t) n * sizeof(double));
				qsort(sorted, (size_t) n, sizeof(double), by_value);
				kll = sketch(test_arena_init(&memory), x, n, parts[s % 3]);
				if (osml_kll_count(kll) != n)
					worst = INFINITY;
				worst = fmax(worst, worst_error(kll, sorted, n));
				test_arena_free(&memory);
			}
		ok(worst <= OSML_KLL_ERROR, "%s: worst of 54 sketches %.5f <= %.4f",
		   makers[m].name, worst, OSML_KLL_ERROR);
	}
}

/* the tosses are fair: errors of one rank over many seeds average out */
static void
test_bias(void)
{
	static double x[20000];
	const double at = 0.25;
	double		sum = 0;
	double		squares = 0;

	for (int seed = 0; seed < 200; seed++)
	{
		TestArena	memory;
		OsmlKll    *kll;
		int64_t		below;
		int			truth = 0;
		double		error;

		for (int i = 0; i < 20000; i++)
		{
			x[i] = noise(7, (uint64_t) (seed * 20000 + i));
			truth += x[i] < at;
		}
		kll = sketch(test_arena_init(&memory), x, 20000, 1 + seed % 3);
		osml_kll_below(kll, 1, &at, &below);
		error = (double) (below - truth);
		sum += error;
		squares += error * error;
		test_arena_free(&memory);
	}
	ok(squares > 0 && fabs(sum) < 4 * sqrt(squares),
	   "no bias: mean error %.2f, deviation %.2f", sum / 200, sqrt(squares / 200));
}

/* the same values in the same order: the same bytes; there and back: the same */
static void
test_bytes(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	static double x[70000];
	OsmlKll    *kll;
	OsmlKll    *again;
	OsmlKll    *back;
	size_t		size;
	void	   *bytes;
	void	   *other;

	for (int i = 0; i < 70000; i++)
		x[i] = noise(9, (uint64_t) i);
	kll = osml_kll_create(arena);
	osml_kll_add(kll, x, 50000);
	again = osml_kll_create(arena);
	for (int i = 0; i < 50000; i += 7)
		osml_kll_add(again, x + i, i + 7 < 50000 ? 7 : 50000 - i);
	size = osml_kll_size(kll);
	bytes = osml_arena_alloc(arena, size);
	other = osml_arena_alloc(arena, size);
	osml_kll_write(kll, bytes);
	ok(osml_kll_size(again) == size, "in pieces of any size: the same size");
	osml_kll_write(again, other);
	ok(memcmp(bytes, other, size) == 0, "and the same bytes");

	back = osml_kll_read(arena, bytes, size);
	osml_kll_write(back, other);
	ok(memcmp(bytes, other, size) == 0, "read and written: the same bytes");
	osml_kll_add(kll, x + 50000, 20000);
	osml_kll_add(back, x + 50000, 20000);
	size = osml_kll_size(kll);
	bytes = osml_arena_alloc(arena, size);
	other = osml_arena_alloc(arena, size);
	osml_kll_write(kll, bytes);
	osml_kll_write(back, other);
	ok(osml_kll_size(back) == size && memcmp(bytes, other, size) == 0,
	   "a sketch that was read goes on as the first would have");

	ok(osml_kll_read(arena, bytes, size - 1) == NULL &&
	   osml_kll_read(arena, bytes, 5) == NULL, "truncated bytes are refused");
	memset(bytes, 0xff, 64);
	ok(osml_kll_read(arena, bytes, size) == NULL, "so is noise");
	test_arena_free(&memory);
}

static void
test_corners(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);
	const double odd[] = {NAN, 3, INFINITY, NAN, -INFINITY, 3, -0.0};
	const double p[] = {0, 0.5, 1};
	const double edges[] = {-INFINITY, 0, 3, INFINITY};
	OsmlKll    *kll = osml_kll_create(arena);
	double		out[4];
	int64_t		below[4];
	long		pieces;
	static double x[4096];

	osml_kll_quantiles(kll, 3, p, out);
	ok(isnan(out[0]) && isnan(out[1]) && isnan(out[2]), "nothing: NaN");
	osml_kll_below(kll, 1, edges, below);
	ok(below[0] == 0 && osml_kll_count(kll) == 0, "nothing: nothing below");
	osml_kll_add(kll, odd, 7);
	osml_kll_quantiles(kll, 3, p, out);
	osml_kll_below(kll, 4, edges, below);
	ok(osml_kll_count(kll) == 5 && out[0] == -INFINITY && out[1] == 3 &&
	   out[2] == INFINITY, "NaN is no value, infinity is");
	ok(below[0] == 0 && below[1] == 1 && below[2] == 2 && below[3] == 4,
	   "below: strictly");
	osml_kll_above(kll, 4, edges, out);
	ok(out[0] == 0 && out[1] == 3 && out[2] == INFINITY && isnan(out[3]), "above: strictly");

	/* 20 million values, no more memory than a few buffers */
	for (int i = 0; i < 20000000; i += 4096)
	{
		for (int k = 0; k < 4096; k++)
			x[k] = (double) ((i + k) * INT64_C(2654435761) % 1000003);
		osml_kll_add(kll, x, 4096);
	}
	osml_kll_quantiles(kll, 3, p, out);
	is_close(out[1], 500001, 0, 2 * OSML_KLL_ERROR * 1000003, "median of 20 million");
	ok(osml_kll_size(kll) < 8 * 4 * OSML_KLL_K, "%zu bytes", osml_kll_size(kll));
	pieces = memory.pieces;
	osml_kll_free(kll);
	ok(pieces > 2 && memory.pieces == 0, "all memory comes back");
	osml_kll_free(NULL);

	/* memory that runs out is told and loses none */
	for (long budget = 0; budget < 8; budget++)
	{
		OsmlStatus	status = OSML_OUT_OF_MEMORY;

		memory.budget = budget;
		kll = osml_kll_create(arena);
		for (int i = 0; i < 10 && kll != NULL; i++)
			if ((status = osml_kll_add(kll, x, 4096)) != OSML_OK)
				break;
		if (status == OSML_OK)
			break;
		osml_kll_free(kll);
		if (budget == 3)
			ok(memory.pieces == 0, "out of memory is a status");
	}
	test_arena_free(&memory);
}

int
main(void)
{
	test_exact();
	test_error();
	test_bias();
	test_bytes();
	test_corners();
	return done();
}
