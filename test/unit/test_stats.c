/*
 * test_stats.c
 *	  Column statistics against two passes in long double, and the corners.
 */
#include "tap.h"

#include <string.h>

#include "compute/stats.h"
#include "fixtures/blocks.h"

#define ROWS 20000

/*
 * Mean and m2 of n values, two passes in long double, missing ones left out.
 * The sum is taken from x[1], since 20,000 times 1e9 outgrows a long double.
 */
static void
two_pass(const double *x, int n, long double *mean, long double *m2)
{
	int			present = 0;

	*mean = *m2 = 0;
	for (int i = 0; i < n; i++)
	{
		if (osml_is_missing(x[i]))
			continue;
		*mean += (long double) x[i] - x[1];
		present++;
	}
	*mean = *mean / present + x[1];
	for (int i = 0; i < n; i++)
	{
		if (!osml_is_missing(x[i]))
			*m2 += (x[i] - *mean) * (x[i] - *mean);
	}
}

/* statistics in parts of some rows against two passes over all */
static void
check(const double *x, int n, int part, const char *what)
{
	OsmlColumnStats stats;
	OsmlColumnStats merged;
	long double mean;
	long double m2;
	double		deviation;

	osml_stats_init(&stats, 1);
	osml_stats_init(&merged, 1);
	for (int lo = 0; lo < n; lo += part)
	{
		int			rows = n - lo < part ? n - lo : part;
		OsmlColumnStats one;

		osml_stats_column(&stats, x + lo, rows);
		osml_stats_init(&one, 1);
		osml_stats_column(&one, x + lo, rows);
		osml_stats_merge(&merged, &one);
	}
	two_pass(x, n, &mean, &m2);
	ok(stats.n + stats.missing == n, "%s: every row counted", what);

	/* a mean may be off by its own rounding and by 1e-13 deviations */
	deviation = osml_stats_deviation(&stats);
	is_close(stats.mean, (double) mean, 2e-16, 1e-13 * deviation, "mean, in parts");
	is_close(merged.mean, (double) mean, 2e-16, 1e-13 * deviation, "mean, merged");
	is_close(stats.m2, (double) m2, 1e-12, 0, "m2, in parts");
	is_close(merged.m2, (double) m2, 1e-12, 0, "m2, merged");
	ok(stats.min == merged.min && stats.max == merged.max &&
	   stats.n == merged.n && stats.missing == merged.missing,
	   "range and counts agree");
}

static void
test_columns(void)
{
	static double x[ROWS];

	for (int i = 0; i < ROWS; i++)
		x[i] = noise(1, (uint64_t) i);
	check(x, ROWS, 1024, "noise");
	check(x, 1001, 7, "noise in parts of 7");
	for (int i = 0; i < ROWS; i++)
		x[i] = 1e9 + 1e-3 * noise(1, (uint64_t) i);
	check(x, ROWS, 1024, "1e9 and noise of 1e-3");
	check(x, ROWS, 100, "1e9 and noise of 1e-3, parts of 100");
	for (int i = 0; i < ROWS; i++)
		x[i] = -77.03 + 0.01 * noise(1, (uint64_t) i) + (i > ROWS / 2 ? 0.05 : 0);
	check(x, ROWS, 1024, "a longitude, sorted in two");
	for (int i = 0; i < ROWS; i += 3)
		x[i] = osml_missing();
	check(x, ROWS, 1024, "a third missing");
	x[1] = 1e15;
	check(x, ROWS, 1024, "an outlier among the first rows");
}

/* a constant must not get a deviation of 1e-17, which scaling would divide by */
static void
test_constant(void)
{
	OsmlColumnStats stats;
	double		x[3000];

	for (int i = 0; i < 3000; i++)
		x[i] = 0.1;
	osml_stats_init(&stats, 1);
	osml_stats_column(&stats, x, 3000);
	ok(stats.mean == 0.1 && stats.m2 == 0 && stats.min == 0.1 && stats.max == 0.1,
	   "3,000 times 0.1: mean 0.1, no spread");
	ok(osml_stats_deviation(&stats) == 0 && osml_stats_std(&stats) == 1,
	   "deviation 0 counts as 1 for scaling");
	osml_stats_init(&stats, 1);
	ok(osml_stats_deviation(&stats) == 0 && osml_stats_std(&stats) == 1 &&
	   stats.min > stats.max, "no rows at all");
	x[0] = osml_missing();
	osml_stats_column(&stats, x, 1);
	ok(stats.n == 0 && stats.missing == 1, "all missing");
	x[0] = NAN;
	osml_stats_column(&stats, x, 2);
	ok(isnan(stats.m2) && isnan(osml_stats_std(&stats)),
	   "a NaN that is not a missing value shows");
}

/* a block: dense columns, then the label */
static void
test_block(void)
{
	const OsmlLayout layout = {.n_dense = 3};
	OsmlBlock  *block = block_noise(&layout, 777, 0);
	OsmlColumnStats stats[4];
	OsmlColumnStats alone;

	osml_stats_init(stats, 4);
	osml_stats_block(stats, &layout, block);
	for (int j = 0; j < 4; j++)
	{
		osml_stats_init(&alone, 1);
		osml_stats_column(&alone, osml_block_column(block, j), 777);
		ok(memcmp(&alone, &stats[j], sizeof(alone)) == 0,
		   "column %d of a block: as alone", j);
	}
	free(block);
}

/* a deviation is right, or said to be unknown */
static void
test_sure(void)
{
	static const double scales[] = {1e-300, 1e-200, 1e-156, 1e-140, 1, 1e140, 1e160, 1e297};
	OsmlColumnStats stats;
	double		x[100];

	for (int s = 0; s < (int) (sizeof(scales) / sizeof(scales[0])); s++)
	{
		double		deviation;

		for (int i = 0; i < 100; i++)
			x[i] = i * scales[s];
		osml_stats_init(&stats, 1);
		osml_stats_column(&stats, x, 100);
		deviation = osml_stats_sure_deviation(&stats);
		ok(isnan(deviation) || fabs(deviation / scales[s] - sqrt(833.25)) < 1e-12,
		   "values of %g: %g", scales[s], deviation);
		ok(isnan(deviation) == (scales[s] < 1e-150 || scales[s] > 1e155), "NaN there alone");
		osml_stats_init(&stats, 1);
		osml_stats_column(&stats, x + 1, 1);
		ok(osml_stats_sure_deviation(&stats) == 0, "one value: 0");
	}
}

int
main(void)
{
	test_columns();
	test_constant();
	test_block();
	test_sure();
	return done();
}
