/*
 * test_exact_codes.c
 *	  Exact least squares over code columns: the numbers of the same rows
 *	  one-hot, and numpy's.
 *
 * numpy's are lstsq() of the centred columns [x / deviation, one-hot] (or of
 * the plain ones without an intercept), rcond 1e-10.
 */
#include "tap.h"

#include <string.h>

#include "compute/jacobi.h"
#include "compute/ols.h"
#include "fixtures/codes.h"

static const int32_t some_sizes[] = {4, 1, 6, 3};

static OsmlSums *
new_sums(const OsmlLayout *layout)
{
	return osml_sums_init(malloc(osml_sums_bytes(layout)), layout);
}

static void
add(OsmlSums *sums, const OsmlLayout *layout, const OsmlBlock *block)
{
	void	   *scratch = malloc(osml_sums_scratch(layout));

	osml_sums_block(sums, layout, block, scratch);
	free(scratch);
}

/* noise whose first columns have a large mean and whose label knows the codes */
static OsmlBlock *
rows_block(const OsmlLayout *layout, int nrows, uint64_t first)
{
	OsmlBlock  *block = block_codes(layout, nrows, first);

	for (int i = 0; i < nrows; i++)
	{
		if (layout->n_dense > 0)
			osml_block_column(block, 0)[i] += 1e6;
		for (int k = 0; k < layout->n_codes; k++)
			osml_block_label(block, layout)[i] +=
				noise(77 + (uint32_t) k,
					  (uint64_t) osml_block_codes(block, layout, k)[i]);
	}
	return block;
}

/* blocks of size rows into sums of codes and of one-hot columns */
static void
sum_both(const OsmlLayout *layout, int first, int last, int size,
		 OsmlSums *codes, OsmlSums *one_hot)
{
	OsmlLayout	wide = one_hot_layout(layout);

	for (; first < last; first += size)
	{
		int			n = last - first < size ? last - first : size;
		OsmlBlock  *block = rows_block(layout, n, (uint64_t) first);
		OsmlBlock  *written = one_hot_block(layout, block);

		add(codes, layout, block);
		add(one_hot, &wide, written);
		free(block);
		free(written);
	}
}

/* largest difference of the products, in units of what the columns spread */
static double
worst_product(const OsmlSums *codes, const OsmlSums *one_hot)
{
	double		worst = fabs(codes->m2_y / one_hot->m2_y - 1);

	for (int i = 0; i < codes->d; i++)
	{
		double		of_i = osml_sums_product(one_hot, i, i);

		worst = fmax(worst, fabs(codes->mean[i] - one_hot->mean[i]) /
					 fmax(1, fabs(one_hot->mean[i])));
		worst = fmax(worst, fabs(codes->xy[i] - one_hot->xy[i]) /
					 fmax(1, sqrt(of_i * one_hot->m2_y)));
		for (int j = 0; j < codes->d; j++)
		{
			double		of_j = osml_sums_product(one_hot, j, j);

			worst = fmax(worst, fabs(osml_sums_product(codes, i, j) -
									 osml_sums_product(one_hot, i, j)) /
						 fmax(1, sqrt(of_i * of_j)));
		}
	}
	return worst;
}

/* products of all pairs, in one go and merged from two readers */
static void
test_sums(int n_dense, int n, int size)
{
	OsmlLayout	layout = {.n_dense = n_dense,.n_codes = 4,.code_sizes = some_sizes};
	OsmlLayout	wide = one_hot_layout(&layout);
	OsmlSums   *codes = new_sums(&layout);
	OsmlSums   *rest = new_sums(&layout);
	OsmlSums   *merged = new_sums(&layout);
	OsmlSums   *one_hot = new_sums(&wide);
	OsmlSums   *unused = new_sums(&wide);
	double		delta[8];
	double		worst;

	sum_both(&layout, 0, n, size, codes, one_hot);
	worst = worst_product(codes, one_hot);
	ok(codes->d == n_dense + 14 && codes->n == n && worst < 1e-12,
	   "%d number columns, %d rows by %d: products as one-hot (worst %.1g)",
	   n_dense, n, size, worst);
	ok(osml_sums_product(codes, n_dense + 4, n_dense + 4) == 0 &&
	   osml_sums_product(codes, n_dense + 3, n_dense + 3) == 0,
	   "exactly 0 for a category of all rows, and of none");
	sum_both(&layout, n / 3, n, size, rest, unused);
	osml_sums_merge(merged, rest, delta);
	memset(rest, 0, osml_sums_bytes(&layout));
	rest = osml_sums_init(rest, &layout);
	sum_both(&layout, 0, n / 3, size, rest, unused);
	osml_sums_merge(merged, rest, delta);
	worst = worst_product(merged, one_hot);
	ok(merged->n == n && worst < 1e-12, "merged from none and two (worst %.1g)", worst);
	free(codes);
	free(rest);
	free(merged);
	free(one_hot);
	free(unused);
}

static OsmlOls *
solve(const OsmlSums *sums, bool intercept, OsmlOlsCoords coords)
{
	OsmlOls    *ols = osml_ols_init(malloc(osml_ols_bytes(sums->d)), sums->d);
	OsmlStatus	status = osml_ols_solve(sums, intercept, coords, osml_jacobi_syev, ols);

	if (status != OSML_OK)
		printf("# osml_ols_solve returned %d\n", (int) status);
	return ols;
}

/* the difference of two numbers, 0 where neither is one */
static double
apart(double a, double b)
{
	return isnan(a) && isnan(b) ? 0 : isnan(a) || isnan(b) ? INFINITY :
		fabs(a - b) / fmax(1, fabs(b));
}

/* the whole result in the columns' own units is that of one-hot columns */
static void
test_solution(int n_dense, bool intercept)
{
	OsmlLayout	layout = {.n_dense = n_dense,.n_codes = 4,.code_sizes = some_sizes};
	OsmlLayout	wide = one_hot_layout(&layout);
	OsmlSums   *codes = new_sums(&layout);
	OsmlSums   *one_hot = new_sums(&wide);
	OsmlOls    *a;
	OsmlOls    *b;
	double		worst = 0;
	int			flags = 0;

	sum_both(&layout, 0, 2500, 1024, codes, one_hot);
	a = solve(codes, intercept, OSML_OLS_RAW);
	b = solve(one_hot, intercept, OSML_OLS_RAW);
	for (int j = 0; j <= a->d; j++)
	{
		if (j < a->d)
			worst = fmax(worst, apart(a->weight[j], b->weight[j]));
		worst = fmax(worst, apart(a->std_error[j], b->std_error[j]));
		flags += j < a->d && (a->collinear[j] != b->collinear[j] ||
							  a->constant[j] != b->constant[j]);
	}
	worst = fmax(worst, apart(a->r2, b->r2));
	worst = fmax(worst, apart(a->residual_std_error, b->residual_std_error));
	/* times a mean of 1e6 a weight's last digits count */
	worst = fmax(worst, apart(a->intercept, b->intercept) / 1e6);
	ok(worst < 1e-11 && flags == 0 && a->rank == b->rank && a->dof == b->dof,
	   "%d number columns, %s intercept: solved as one-hot (worst %.1g)", n_dense,
	   intercept ? "with" : "without", worst);
	free(a);
	free(b);
	free(codes);
	free(one_hot);
}

/* the table of fixtures/codes.h in two blocks; or with x0 a function of c0 */
static OsmlSums *
table_sums(bool dependent)
{
	static const double value[] = {0.7, -1.2, 2.0};
	OsmlSums   *sums = new_sums(&table_layout);

	for (int first = 0; first < TABLE_ROWS; first += 30)
	{
		OsmlBlock  *block = table_block(first, first == 0 ? 30 : 20);

		for (int i = 0; dependent && i < block->nrows; i++)
			osml_block_column(block, 0)[i] =
				value[osml_block_codes(block, &table_layout, 0)[i]];
		add(sums, &table_layout, block);
		free(block);
	}
	return sums;
}

/* one solution of the table against numpy's ten weights and intercept */
static void
check_numpy(const char *name, bool dependent, OsmlOlsCoords coords, int rank,
			const double *want)
{
	OsmlSums   *sums = table_sums(dependent);
	OsmlOls    *ols = solve(sums, want[10] != 0, coords);
	double		worst = 0;

	for (int j = 0; j < 10; j++)
		worst = fmax(worst, fabs(ols->weight[j] - want[j]));
	worst = fmax(worst, fabs(ols->intercept - want[10]));
	ok(worst < 1e-13 && ols->rank == rank, "%s: numpy's weights (worst %.1g)", name,
	   worst);
	free(ols);
	free(sums);
}

static void
test_numpy(void)
{
	static const double plain[] = {
		1.3515815260679347, -0.5903755098752239, -0.3172399263468846,
		0.017453866372882553, 0.29978605997400204, 0.734705592873779,
		0.5418932723413378, -0.13076077068143077, -1.145838094533686, 0,
		1.5877613080740325
	};
	static const double through_zero[] = {
		1.3515815260679327, -0.5903755098752239, 0.5900522496954183,
		0.9247460424151874, 1.2070782360163075, 1.4151747249055069,
		1.2223624043730659, 0.5497083613502977, -0.4653689625019581, 0, 0
	};
	static const double raw[] = {
		0.04512919233786274, -0.9564815031559956, -0.27353620094085285,
		0.09702120902663955, 0.17651499191421338, 0.727722411726129,
		0.7597946459921949, -0.051936173500007024, -1.4355808842183173, 0,
		1.5170337328450987
	};
	static const double scaled[] = {
		0.04166540807951878, -0.9564815031559946, -0.2728434440891849,
		0.09113277578745473, 0.18171066830172972, 0.7277224117261288,
		0.7597946459921949, -0.0519361735000068, -1.435580884218317, 0,
		1.5187656249742707
	};
	OsmlSums   *sums = table_sums(false);
	OsmlOls    *ols = solve(sums, true, OSML_OLS_STANDARDISED);

	check_numpy("own units", false, OSML_OLS_RAW, 7, plain);
	check_numpy("unit deviations", false, OSML_OLS_STANDARDISED, 7, plain);
	check_numpy("no intercept", false, OSML_OLS_RAW, 8, through_zero);
	check_numpy("a column that the code tells", true, OSML_OLS_RAW, 6, raw);
	check_numpy("the same, unit deviations", true, OSML_OLS_STANDARDISED, 6, scaled);
	is_close(ols->r2, 0.9921238367913903, 1e-13, 0, "numpy's R2");
	ok(!ols->collinear[0] && !ols->collinear[1] && ols->collinear[2] &&
	   ols->constant[9], "number columns are free, categories are not");
	ok(ols->std_error[0] > 0 && isnan(ols->std_error[2]) && isnan(ols->std_error[10]),
	   "and only free ones have standard errors");
	free(ols);
	free(sums);
}

/* a code column alone: intercept and weight add up to the category's mean */
static void
test_alone(void)
{
	static const int32_t size = 40000;
	OsmlLayout	layout = {.n_codes = 1,.code_sizes = &size};
	OsmlSums   *sums = new_sums(&layout);
	OsmlBlock  *block = block_noise(&layout, 1000, 0);
	double		mean[10] = {0};
	double		total = 0;
	double		worst = 0;
	OsmlOls    *ols;

	for (int i = 0; i < 1000; i++)
	{
		osml_block_codes(block, &layout, 0)[i] = i % 10 * 3999;
		mean[i % 10] += osml_block_label(block, &layout)[i] / 100;
	}
	add(sums, &layout, block);
	ols = solve(sums, true, OSML_OLS_STANDARDISED);
	for (int c = 0; c < 10; c++)
	{
		worst = fmax(worst, fabs(ols->weight[c * 3999] + ols->intercept - mean[c]));
		total += ols->weight[c * 3999];
	}
	ok(osml_ols_active(sums, true) == 10 && ols->rank == 9 &&
	   osml_sums_bytes(&layout) < 2000000,
	   "of 40,000 categories only the ten that occur cost anything");
	ok(worst < 1e-14, "weights are the means of the categories (worst %.1g)", worst);
	is_close(total, 0, 0, 1e-14, "and add up to 0");
	free(ols);
	free(block);
	free(sums);
}

int
main(void)
{
	static const int32_t huge[] = {INT32_MAX / 2, INT32_MAX / 2, 9, 9};
	OsmlLayout	layout = {.n_dense = 1000000,.n_codes = 2,.code_sizes = huge};

	test_sums(3, 10, 4);
	test_sums(3, 2500, 1024);
	test_sums(0, 700, 99);
	test_sums(6, 3000, 1000);
	test_solution(3, true);
	test_solution(0, true);
	test_solution(0, false);
	test_numpy();
	test_alone();
	ok(osml_sums_bytes(&layout) > SIZE_MAX / 4, "a size beyond all bounds is told");
	return done();
}
