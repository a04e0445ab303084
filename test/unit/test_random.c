/*
 * test_random.c
 *	  The counter-based generator: published vectors, uniformity, orders.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "compute/random.h"

#define MANY 5000

/* the known-answer vectors that Random123 ships (kat_vectors) */
static void
test_philox(void)
{
	static const uint32_t cases[][10] = {
		{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
		{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
		0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
		0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}
	};

	for (int i = 0; i < 3; i++)
	{
		uint32_t	out[4];

		osml_philox(cases[i], cases[i] + 4, out);
		ok(memcmp(out, cases[i] + 6, sizeof(out)) == 0,
		   "Philox4x32-10, known answer %d", i + 1);
	}
}

/* seed, stream, epoch and counter each make another number */
static void
test_keys(void)
{
	OsmlRandomKey key = {.seed = 1,.stream = 2,.epoch = 3};
	OsmlRandomKey other = key;
	uint64_t	base = osml_random_u64(key, 4);

	ok(osml_random_u64(key, 4) == base, "the same key and counter: the same");
	ok(osml_random_u64(key, 5) != base, "another counter");
	ok(osml_random_u64(key, 4 + (UINT64_C(1) << 32)) != base,
	   "another counter above 2^32");
	other.seed = 1 + (UINT64_C(1) << 32);
	ok(osml_random_u64(other, 4) != base, "another seed above 2^32");
	other = key;
	other.stream++;
	ok(osml_random_u64(other, 4) != base, "another stream");
	other = key;
	other.epoch++;
	ok(osml_random_u64(other, 4) != base, "another epoch");
}

/* chi-squared of numbers below n, and the range */
static void
test_below(void)
{
	OsmlRandomKey key = {.seed = 42,.stream = OSML_STREAM_SAMPLE};
	int			count[7] = {0};
	double		chi2 = 0;
	double		mean = 0;
	bool		inside = true;

	for (uint64_t i = 0; i < 70000; i++)
	{
		count[osml_random_below(key, i, 7)]++;
		inside = inside && osml_random_below(key, i, 1) == 0 &&
			osml_random_below(key, i, UINT64_MAX) < UINT64_MAX;
		mean += osml_random_unit(key, i) / 70000;
	}
	for (int k = 0; k < 7; k++)
		chi2 += (count[k] - 10000.0) * (count[k] - 10000.0) / 10000;
	ok(inside, "always below the bound");
	ok(chi2 < 22.5, "seven faces, chi-squared %.1f of 6 degrees (p > 0.001)", chi2);
	ok(fabs(mean - 0.5) < 0.004, "mean of [0, 1): %.4f", mean);
}

/* each of 0 .. n - 1 once */
static bool
is_permutation(const uint32_t *order, uint32_t n)
{
	static bool seen[MANY];

	memset(seen, 0, sizeof(seen));
	for (uint32_t i = 0; i < n; i++)
	{
		if (order[i] >= n || seen[order[i]])
			return false;
		seen[order[i]] = true;
	}
	return true;
}

/* each run of `run` places from a multiple of it on has one of each stratum */
static bool
is_stratified(const uint32_t *order, uint32_t n, uint32_t run)
{
	for (uint32_t start = 0; start < n; start += run)
	{
		uint64_t	strata = 0;

		for (uint32_t i = start; i < start + run; i++)
			strata |= UINT64_C(1) << order[i] / (n / run);
		if (strata != (run == 64 ? UINT64_MAX : (UINT64_C(1) << run) - 1))
			return false;
	}
	return true;
}

/* largest distance of the mean of any `run` consecutive places from the middle,
 * in shares of n */
static double
worst_mean(const uint32_t *order, uint32_t n, uint32_t run)
{
	double		worst = 0;

	for (uint32_t start = 0; start + run <= n; start++)
	{
		double		sum = 0;

		for (uint32_t i = start; i < start + run; i++)
			sum += order[i];
		worst = fmax(worst, fabs(sum / run / n - 0.5));
	}
	return worst;
}

/* a random order whose every run is spread evenly */
static void
test_spread(void)
{
	const OsmlRandomKey key = {42, OSML_STREAM_SAMPLE, 0};
	uint32_t	order[MANY];
	uint32_t	other[MANY];
	OsmlRandomKey next = {42, OSML_STREAM_SAMPLE, 1};
	bool		fine = true;
	uint32_t	count[4][4] = {{0}};

	for (uint32_t n = 0; n <= 260; n++)
	{
		osml_random_spread(key, order, n);
		fine = fine && is_permutation(order, n);
	}
	osml_random_spread(key, order, MANY);
	ok(fine && is_permutation(order, MANY), "each number once");

	osml_random_spread(key, other, MANY);
	ok(memcmp(order, other, sizeof(order)) == 0, "the same key, the same order");
	osml_random_spread(next, other, MANY);
	ok(memcmp(order, other, sizeof(order)) != 0, "another key, another order");

	osml_random_spread(key, order, 1024);
	fine = true;
	for (uint32_t run = 2; run <= 64; run *= 2)
		fine = fine && is_stratified(order, 1024, run);
	ok(fine, "runs of 2, 4, .. 64 of 1,024 have one of each stratum");

	/*
	 * Independent draws of 100 would be off by 0.289 / 10 on average, and some
	 * of 4,900 runs by four times that.
	 */
	osml_random_spread(key, order, MANY);
	ok(worst_mean(order, MANY, 100) < 0.02, "any 100 places of 5,000 are even (%.3f)",
	   worst_mean(order, MANY, 100));

	/* every number comes to every place as often: 1,000 +- 5 deviations */
	for (uint32_t epoch = 0; epoch < 4000; epoch++)
	{
		OsmlRandomKey draw = {1, OSML_STREAM_SAMPLE, epoch};

		osml_random_spread(draw, order, 4);
		for (int i = 0; i < 4; i++)
			count[i][order[i]]++;
	}
	fine = true;
	for (int i = 0; i < 16; i++)
		fine = fine && abs((int) count[i / 4][i % 4] - 1000) < 140;
	ok(fine, "every number comes to every place");
}

int
main(void)
{
	test_philox();
	test_keys();
	test_below();
	test_spread();
	return done();
}
