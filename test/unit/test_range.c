/*
 * test_range.c
 *	  The learning-rate range test: rates, smoothing and suggestion against numpy.
 */
#include "tap.h"

#include "fixtures/numpy_range.h"
#include "rules/schedule/range.h"

#define MAX_STEPS 100

static void
test_curve(int k, const NumpyRange *numpy)
{
	OsmlRange	range = {.steps = numpy->n,.threshold = INFINITY};
	OsmlRangeState state = {0};
	double		smoothed[MAX_STEPS];
	bool		ended = false;

	for (int i = 0; i < numpy->n; i++)
		ended |= !osml_range_add(&range, &state, 2 + cos(k * i / 7.0) - i / 50.0 +
								 i * 7919 % 13 / 40.0, &smoothed[i]);
	ok(!ended && state.n == numpy->n, "curve %d goes on to its end", k);
	is_close(smoothed[numpy->n - 1], numpy->last, 1e-13, 0, "smoothed");
	ok(osml_range_suggest(smoothed, numpy->n) == numpy->suggestion, "suggests %d",
	   numpy->suggestion);
}

static void
test_end(void)
{
	OsmlRange	range = {.steps = 100,.threshold = 4};
	OsmlRangeState state = {0};
	double		smoothed;
	int			i;

	ok(osml_range_add(&range, &state, 3, &smoothed), "the first loss never ends it");
	is_close(smoothed, 3, 1e-15, 0, "and is its own average");
	for (i = 1; i < 50 && osml_range_add(&range, &state, 30, &smoothed); i++)
		;
	/* the average of 3 and i times 30 first passes 12 at the first of them: 16.6 */
	ok(i == 1 && smoothed > 12, "more than four times the best does");
	state = (OsmlRangeState)
	{
		0
	};
	for (i = 0; i < 50 && osml_range_add(&range, &state, 3, &smoothed); i++)
		;
	ok(i == 50, "the same does not");
}

static void
test_rates(void)
{
	OsmlRange	range = {.min = 1e-4,.max = 10,.steps = 11};

	ok(osml_range_rate(&range, 1) == 1e-4 && osml_range_rate(&range, 11) == 10,
	   "from least to greatest");
	is_close(osml_range_rate(&range, 5), 1e-2, 1e-14, 0, "by the same factor each step");
	range.linear = true;
	is_close(osml_range_rate(&range, 6), (1e-4 + 10) / 2, 1e-14, 0, "or in a line");
	ok(osml_range_rate(&range, 1) == 1e-4 && osml_range_rate(&range, 12) == 10,
	   "no further");
}

int
main(void)
{
	for (int k = 0; k < (int) (sizeof(numpy_ranges) / sizeof(numpy_ranges[0])); k++)
		test_curve(k, &numpy_ranges[k]);
	test_end();
	test_rates();
	return done();
}
