/*
 * test_interval.c
 *	  Intervals against order statistics of the residuals themselves: exact while all
 *	  ranks are kept, at least as wide beyond; and how often they hold a new label.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "fixtures/arena.h"
#include "fixtures/blocks.h"
#include "model/interval.h"

#define MOST 600000

static const double levels[] = {0.01, 0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.999};
#define N_LEVELS ((int) (sizeof(levels) / sizeof(levels[0])))

/* rows of the test in hand: residuals are those of predictions 1 */
static double predictions[MOST];
static double labels[MOST];
static double sorted[MOST];

static int
compare(const void *a, const void *b)
{
	double		x = *(const double *) a;
	double		y = *(const double *) b;

	return (x > y) - (x < y);
}

/* skewed to the right, with ties where steps > 0 */
static void
draw(int n, uint32_t stream, double steps)
{
	for (int i = 0; i < n; i++)
	{
		double		r = exp(2 * noise(stream, (uint64_t) i)) - 1.5;

		if (steps > 0)
			r = floor(r * steps) / steps;
		predictions[i] = 1;
		labels[i] = 1 + r;
		sorted[i] = labels[i] - 1;
	}
	qsort(sorted, (size_t) n, sizeof(double), compare);
}

/* the tails of the first n rows; false: memory is out */
static bool
make_tails(const OsmlArena *arena, OsmlTask task, int n, const double *weight,
		   OsmlTails *tails)
{
	OsmlResiduals residuals;
	bool		fine = true;

	osml_residuals_init(&residuals, arena, task);
	for (int i = 0; i < n && fine; i += 1000)
		fine = osml_residuals_add(&residuals, predictions + i, labels + i,
								  weight ? weight + i : NULL, n - i < 1000 ? n - i : 1000) == OSML_OK;
	tails->below = calloc((size_t) osml_tail_length(n) + 1, sizeof(double));
	tails->above = calloc((size_t) osml_tail_length(n) + 1, sizeof(double));
	fine = fine && osml_residuals_tails(&residuals, tails) == OSML_OK;
	osml_residuals_clear(&residuals);
	return fine;
}

static void
free_tails(OsmlTails *tails)
{
	free(tails->below);
	free(tails->above);
}

/* how many rows are beyond an end, by the definition, in whole thousandths */
static int
beyond_of(int n, double level)
{
	return (int) (((int64_t) n + 1) * (1000 - (int64_t) lround(level * 1000)) / 2000);
}

/* every number of rows up to 2,000: the very order statistics, infinity without */
static void
test_exact(double steps)
{
	bool		fine = true;
	int			checked = 0;

	for (int n = 1; n <= 2000; n += n < 300 ? 1 : 97)
	{
		OsmlTails	tails;
		TestArena	test;

		draw(n, 3, steps);
		fine = make_tails(test_arena_init(&test), OSML_TASK_AMOUNT, n, NULL, &tails) && fine;
		for (int l = 0; l < N_LEVELS; l++)
		{
			int			j = beyond_of(n, levels[l]);
			double		lower;
			double		upper;

			if (j > 128)
				continue;
			osml_interval(&tails, OSML_TASK_AMOUNT, 7, levels[l], &lower, &upper);
			fine = fine && lower == (j == 0 ? -INFINITY : 7 + sorted[j - 1]) &&
				upper == (j == 0 ? INFINITY : 7 + sorted[n - j]);
			checked++;
		}
		free_tails(&tails);
		fine = fine && test.pieces == 0;
		test_arena_free(&test);
	}
	ok(fine && checked > 2000, "%d intervals are order statistics%s", checked,
	   steps > 0 ? ", with ties" : "");
}

/* rows beyond 0 and beyond more ranks or scores than are kept: never too narrow, and
 * how much too wide */
static void
test_many(int n, double most)
{
	TestArena	test;
	OsmlTails	tails;
	double		worst = 0;
	bool		safe = true;

	draw(n, 5, 0);
	safe = make_tails(test_arena_init(&test), OSML_TASK_AMOUNT, n, NULL, &tails);
	for (int l = 0; l < N_LEVELS; l++)
	{
		int			j = beyond_of(n, levels[l]);
		double		lower;
		double		upper;
		int			below = 0;
		int			above = 0;

		osml_interval(&tails, OSML_TASK_AMOUNT, 0, levels[l], &lower, &upper);
		safe = safe && lower <= sorted[j - 1] && upper >= sorted[n - j];
		for (int i = 0; i < n; i++)
		{
			below += sorted[i] < lower;
			above += sorted[i] > upper;
		}
		worst = fmax(worst, fmax(j - 1 - below, j - 1 - above) / j);
	}
	ok(safe, "%d rows: no interval is too narrow", n);
	ok(worst <= most, "nor leaves out %g less of the rows than it might: %g", most, worst);
	ok(test.most <= 144 * (size_t) OSML_RESIDUAL_SCORES, "in %zu bytes", test.most);
	free_tails(&tails);
	test_arena_free(&test);
}

/* 19 rows leave one beyond either end: 0.9 to the dot; labels and rows drawn alike */
static void
test_coverage(int n, double level, double expected)
{
	int			draws = 40000;
	int			held = 0;
	double		sigma = sqrt(expected * (1 - expected) / draws);

	for (int d = 0; d < draws; d++)
	{
		OsmlTails	tails;
		TestArena	test;
		double		lower;
		double		upper;

		for (int i = 0; i <= n; i++)
		{
			predictions[i] = noise(1, (uint64_t) (d * (n + 1) + i));
			labels[i] = predictions[i] + exp(2 * noise(2, (uint64_t) (d * (n + 1) + i)));
		}
		make_tails(test_arena_init(&test), OSML_TASK_AMOUNT, n, NULL, &tails);
		osml_interval(&tails, OSML_TASK_AMOUNT, predictions[n], level, &lower, &upper);
		held += labels[n] >= lower && labels[n] <= upper;
		free_tails(&tails);
		test_arena_free(&test);
	}
	/* a false alarm in 16,000 */
	is_close((double) held / draws, expected, 0, 4 * sigma, "share of labels that intervals hold");
}

/* counts: in units of the square root of the mean, and not below 0 */
static void
test_counts(void)
{
	TestArena	test;
	OsmlTails	tails;
	double		lower;
	double		upper;

	for (int i = 0; i < 39; i++)
	{
		predictions[i] = 4;
		labels[i] = i % 13;
	}
	/* one beyond either end */
	ok(make_tails(test_arena_init(&test), OSML_TASK_COUNT, 39, NULL, &tails), "counts");
	osml_interval(&tails, OSML_TASK_COUNT, 100, 0.95, &lower, &upper);
	is_close(lower, 100 + 10 * (0 - 4) / 2.0, 1e-15, 0, "wider where the mean is greater");
	is_close(upper, 100 + 10 * (12 - 4) / 2.0, 1e-15, 0, "at the upper end too");
	osml_interval(&tails, OSML_TASK_COUNT, 1, 0.95, &lower, &upper);
	ok(lower == 0 && upper == 5, "no count is below 0");
	osml_interval(&tails, OSML_TASK_COUNT, 1, 0.999, &lower, &upper);
	ok(lower == 0 && upper == INFINITY, "too few rows: no upper end, and 0");
	osml_interval(&tails, OSML_TASK_COUNT, 0, 0.95, &lower, &upper);
	ok(lower == 0 && upper == 0, "a mean of 0");
	osml_interval(&tails, OSML_TASK_COUNT, INFINITY, 0.95, &lower, &upper);
	ok(lower == 0 && upper == INFINITY, "and of infinity");
	free_tails(&tails);
	predictions[0] = predictions[1] = 0;
	labels[0] = 0;
	labels[1] = 1;
	ok(make_tails(&test.arena, OSML_TASK_COUNT, 39, NULL, &tails), "means of 0 in held-out rows");
	osml_interval(&tails, OSML_TASK_COUNT, 100, 0.95, &lower, &upper);
	ok(lower == 80 && upper == INFINITY, "what is not 0 is infinitely far from them");
	free_tails(&tails);
	test_arena_free(&test);
}

/* rows of no weight, rows without residual, no memory */
static void
test_odd(void)
{
	TestArena	test;
	OsmlTails	tails;
	double		weight[40];
	double		lower;
	double		upper;

	draw(40, 9, 0);
	for (int i = 0; i < 40; i++)
		weight[i] = i < 20 ? 0 : i;
	ok(make_tails(test_arena_init(&test), OSML_TASK_AMOUNT, 40, weight, &tails) && tails.n == 20,
	   "rows of weight 0 are not there");
	osml_interval(&tails, OSML_TASK_AMOUNT, NAN, 0.5, &lower, &upper);
	ok(lower == -INFINITY && upper == INFINITY, "no prediction, no end");
	free_tails(&tails);
	labels[7] = NAN;
	ok(make_tails(&test.arena, OSML_TASK_AMOUNT, 40, NULL, &tails) && tails.n == 0 && tails.n_kept == 0,
	   "a row without a residual: no intervals");
	free_tails(&tails);
	ok(osml_tail_length(0) == 0 && osml_tail_length(1) == 1, "of no row and of one");
	for (long budget = 0; budget < 4; budget++)
	{
		test.budget = budget;
		if (make_tails(&test.arena, OSML_TASK_AMOUNT, 40, NULL, &tails))
			break;
		ok(test.pieces == 0, "no memory after %ld pieces: said, and given back", budget);
		free_tails(&tails);
	}
	test_arena_free(&test);
}

int
main(void)
{
	test_exact(0);
	test_exact(8);
	/* a 64th by the ranks; where scores are blocks, their weight counts most at 0.999 */
	test_many(60000, 1.0 / 64);
	test_many(600000, 0.1);
	test_coverage(19, 0.9, 0.9);
	test_coverage(30, 0.7, 1 - 8 / 31.0);
	test_counts();
	test_odd();
	return done();
}
