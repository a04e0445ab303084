/*
 * test_sums.c
 *	  Centred products of all pairs of columns against long double.
 */
#include "tap.h"

#include <string.h>

#include "compute/sums.h"
#include "fixtures/blocks.h"

/* column j of row i of the test's table: each with its own mean and spread */
static double
cell(int j, int i)
{
	return (j % 3 == 0 ? 1e6 : j) + noise((uint32_t) j, (uint64_t) i) / (j + 1);
}

/* rows [first, first + n) as a block */
static OsmlBlock *
rows_block(const OsmlLayout *layout, int first, int n)
{
	OsmlBlock  *block = block_new(layout, n);

	for (int j = 0; j <= layout->n_dense; j++)
		for (int i = 0; i < n; i++)
			osml_block_column(block, j)[i] = cell(j, first + i);
	return block;
}

/* add rows [first, last), `size` rows a block */
static void
add_rows(OsmlSums *sums, int first, int last, int size)
{
	OsmlLayout	layout = {.n_dense = sums->d};
	void	   *scratch = malloc(osml_sums_scratch(&layout));

	for (; first < last; first += size)
	{
		OsmlBlock  *block = rows_block(&layout, first,
									   last - first < size ? last - first : size);

		osml_sums_block(sums, &layout, block, scratch);
		free(block);
	}
	free(scratch);
}

/* worst entry against long double, in units of the columns' spreads */
static double
worst_error(const OsmlSums *sums, int n)
{
	int			d = sums->d;
	long double *mean = calloc((size_t) d + 1, sizeof(long double));
	double		worst = 0;

	for (int j = 0; j <= d; j++)
		for (int i = 0; i < n; i++)
			mean[j] += (long double) cell(j, i) / n;
	for (int a = 0; a <= d; a++)
	{
		for (int b = 0; b <= d; b++)
		{
			long double sum = 0;
			double		got = a < d && b < d ? sums->xx[a * d + b] :
				a < d ? sums->xy[a] : b < d ? sums->xy[b] : sums->m2_y;

			for (int i = 0; i < n; i++)
				sum += (cell(a, i) - mean[a]) * (cell(b, i) - mean[b]);
			worst = fmax(worst, fabs(got - (double) sum) * (a + 1) * (b + 1) / n);
		}
	}
	for (int j = 0; j < d; j++)
		worst = fmax(worst, fabs(sums->mean[j] / (double) mean[j] - 1));
	worst = fmax(worst, fabs(sums->mean_y / (double) mean[d] - 1));
	free(mean);
	return worst;
}

/* one size of table, in one go and merged from two readers */
static void
check(int d, int n, int size)
{
	OsmlLayout	layout = {.n_dense = d};
	OsmlSums   *sums = osml_sums_init(malloc(osml_sums_bytes(&layout)), &layout);
	OsmlSums   *other = osml_sums_init(malloc(osml_sums_bytes(&layout)), &layout);
	OsmlSums   *none = osml_sums_init(malloc(osml_sums_bytes(&layout)), &layout);
	double	   *delta = malloc(((size_t) d + 1) * sizeof(double));
	double		worst;

	add_rows(sums, 0, n, size);
	worst = worst_error(sums, n);
	ok(sums->n == n && worst < 1e-13, "%d columns, %d rows by %d (worst %.1g)", d, n,
	   size, worst);
	free(sums);
	sums = osml_sums_init(malloc(osml_sums_bytes(&layout)), &layout);
	add_rows(sums, n / 3, n, size);
	add_rows(other, 0, n / 3, size);
	osml_sums_merge(none, sums, delta);
	osml_sums_merge(none, other, delta);
	worst = worst_error(none, n);
	ok(none->n == n && worst < 1e-13, "merged from none and two (worst %.1g)", worst);
	free(sums);
	free(other);
	free(none);
	free(delta);
}

int
main(void)
{
	OsmlLayout	layout = {.n_dense = 1};
	OsmlSums   *sums = osml_sums_init(malloc(osml_sums_bytes(&layout)), &layout);
	OsmlBlock  *block = block_new(&layout, 5);
	void	   *scratch = malloc(osml_sums_scratch(&layout));

	check(1, 10, 3);
	check(2, 1000, 1024);
	check(3, 3000, 1024);
	check(8, 2500, 1000);
	check(13, 700, 99);
	check(31, 1500, 1024);

	for (int i = 0; i < 5; i++)
		osml_block_column(block, 0)[i] = 0.1;
	osml_sums_block(sums, &layout, block, scratch);
	osml_sums_block(sums, &layout, block, scratch);
	ok(sums->xx[0] == 0 && sums->mean[0] == 0.1, "a constant has products of 0");
	block->nrows = 0;
	osml_sums_block(sums, &layout, block, scratch);
	ok(sums->n == 10, "an empty block adds nothing");
	free(block);
	free(scratch);
	free(sums);
	return done();
}
