/*
 * test_spread.c
 *	  osml_random_spread(): a random order whose every run is spread evenly.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "compute/random.h"

#define MANY 5000

static const OsmlRandomKey key = {42, OSML_STREAM_SAMPLE, 0};

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

int
main(void)
{
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
	return done();
}
