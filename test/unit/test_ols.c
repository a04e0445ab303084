/*
 * test_ols.c
 *	  Exact least squares: certified data, numpy's numbers and the odd cases.
 *
 * Sources: NIST StRD (Longley, NoInt1); numpy.linalg.lstsq and scipy.stats for
 * the made-up tables; closed forms elsewhere.
 */
#include "tap.h"

#include <stdlib.h>

#include "compute/jacobi.h"
#include "compute/ols.h"
#include "fixtures/blocks.h"

/* a table of n rows, label first, into sums, `rows` rows a block */
static OsmlSums *
sums_of(const double *table, int n, int d, int rows)
{
	OsmlLayout	layout = {.n_dense = d};
	OsmlSums   *sums = osml_sums_init(malloc(osml_sums_bytes(&layout)), &layout);
	void	   *scratch = malloc(osml_sums_scratch(&layout));

	for (int lo = 0; lo < n; lo += rows)
	{
		OsmlBlock  *block = block_new(&layout, n - lo < rows ? n - lo : rows);

		for (int i = 0; i < block->nrows; i++)
			for (int j = 0; j <= d; j++)
				osml_block_column(block, j == 0 ? d : j - 1)[i] =
					table[(lo + i) * (d + 1) + j];
		osml_sums_block(sums, &layout, block, scratch);
		free(block);
	}
	free(scratch);
	return sums;
}

/* solve and free the sums; the caller frees the result */
static OsmlOls *
solve(OsmlSums *sums, bool intercept, OsmlOlsCoords coords)
{
	OsmlOls    *ols = osml_ols_init(malloc(osml_ols_bytes(sums->d)), sums->d);
	OsmlStatus	status = osml_ols_solve(sums, intercept, coords,
										osml_jacobi_syev, ols);

	if (status != OSML_OK)
		printf("# osml_ols_solve returned %d\n", (int) status);
	free(sums);
	return ols;
}

static void
test_longley(void)
{
	static const double table[] = {
		60323, 83.0, 234289, 2356, 1590, 107608, 1947,
		61122, 88.5, 259426, 2325, 1456, 108632, 1948,
		60171, 88.2, 258054, 3682, 1616, 109773, 1949,
		61187, 89.5, 284599, 3351, 1650, 110929, 1950,
		63221, 96.2, 328975, 2099, 3099, 112075, 1951,
		63639, 98.1, 346999, 1932, 3594, 113270, 1952,
		64989, 99.0, 365385, 1870, 3547, 115094, 1953,
		63761, 100.0, 363112, 3578, 3350, 116219, 1954,
		66019, 101.2, 397469, 2904, 3048, 117388, 1955,
		67857, 104.6, 419180, 2822, 2857, 118734, 1956,
		68169, 108.4, 442769, 2936, 2798, 120445, 1957,
		66513, 110.8, 444546, 4681, 2637, 121950, 1958,
		68655, 112.6, 482704, 3813, 2552, 123366, 1959,
		69564, 114.2, 502601, 3931, 2514, 125368, 1960,
		69331, 115.7, 518173, 4806, 2572, 127852, 1961,
		70551, 116.9, 554894, 4007, 2827, 130081, 1962
	};
	static const double weight[] = {
		15.0618722713733, -0.0358191792925910, -2.02022980381683,
		-1.03322686717359, -0.0511041056535807, 1829.15146461355
	};
	static const double std_error[] = {
		84.9149257747669, 0.0334910077722432, 0.488399681651699,
		0.214274163161675, 0.226073200069370, 455.478499142212,
		890420.383607373
	};
	OsmlOls    *ols = solve(sums_of(table, 16, 6, 5), true, OSML_OLS_RAW);

	for (int j = 0; j < 6; j++)
		is_close(ols->weight[j], weight[j], 1e-9, 0, "Longley: weight");
	is_close(ols->intercept, -3482258.63459582, 1e-9, 0, "Longley: intercept");
	for (int j = 0; j < 7; j++)
		is_close(ols->std_error[j], std_error[j], 1e-9, 0,
				 "Longley: standard error");
	is_close(ols->residual_std_error, 304.854073561965, 1e-10, 0,
			 "Longley: residual standard error");
	is_close(ols->r2, 0.995479004577296, 1e-13, 0, "Longley: R2");
	ok(ols->rank == 6 && ols->dof == 9, "Longley: rank 6 and 9 degrees");
	free(ols);
}

static void
test_no_intercept(void)
{
	double		table[22];
	OsmlOls    *ols;

	for (int i = 0; i < 11; i++)
	{
		table[2 * i] = 130 + i;
		table[2 * i + 1] = 60 + i;
	}
	ols = solve(sums_of(table, 11, 1, 4), false, OSML_OLS_RAW);
	is_close(ols->weight[0], 2.07438016528926, 1e-13, 0, "NoInt1: weight");
	is_close(ols->std_error[0], 0.0165289256198347, 1e-11, 0,
			 "NoInt1: standard error");
	is_close(ols->residual_std_error, 3.56753034006338, 1e-11, 0,
			 "NoInt1: residual standard error");
	is_close(ols->r2, 0.999365492298663, 1e-13, 0, "NoInt1: R2 against zero");
	ok(ols->intercept == 0 && isnan(ols->std_error[1]),
	   "NoInt1: no intercept and no error of one");
	ok(ols->dof == 10, "NoInt1: ten degrees of freedom");
	free(ols);
}

/* 40 rows of the generator that numpy's numbers were made with */
static void
made_up(double *table, int d)
{
	uint32_t	state = 12345;

	for (int i = 0; i < 40; i++)
	{
		double		raw[4];
		double	   *row = table + i * (d + 1);

		for (int j = 0; j < 4; j++)
		{
			state = (state * UINT32_C(1103515245) + 12345) & 0x7FFFFFFF;
			raw[j] = ((int) ((state >> 8) % 2001) - 1000) / 8.0;
		}
		row[1] = raw[0];
		row[2] = raw[1] * 4 + 100;
		row[3] = raw[2] / 16;
		if (d == 4)
			row[4] = row[1] + 2 * row[2] - 8 * row[3];
		row[0] = raw[3] + 0.5 * row[1];
	}
}

static void
test_numpy_table(void)
{
	static const double weight[] = {
		0.6129299613096536, -0.019135540428943776, 5.258036634062359
	};
	static const double std_error[] = {
		0.17906441436240408, 0.038380100650380874, 2.51286670190406,
		12.729765959731283
	};
	static const double p[] = {
		0.0015596160465465643, 0.6211082602203186, 0.04351095509774384,
		0.30832212234432604
	};
	double		table[160];
	OsmlOls    *ols;

	made_up(table, 3);
	ols = solve(sums_of(table, 40, 3, 16), true, OSML_OLS_RAW);
	for (int j = 0; j < 3; j++)
		is_close(ols->weight[j], weight[j], 1e-11, 0, "table: weight");
	is_close(ols->intercept, -13.154586852412908, 1e-11, 0, "table: intercept");
	for (int j = 0; j < 4; j++)
	{
		is_close(ols->std_error[j], std_error[j], 1e-11, 0, "table: std error");
		is_close(ols->p[j], p[j], 1e-10, 0, "table: p");
		is_close(ols->t[j], (j < 3 ? weight[j] : -13.154586852412908) /
				 std_error[j], 1e-10, 0, "table: t");
	}
	is_close(ols->r2, 0.3685994711862508, 1e-12, 0, "table: R2");
	is_close(ols->adjusted_r2, 1 - (1 - 0.3685994711862508) * 39 / 36, 1e-12, 0,
			 "table: adjusted R2");
	is_close(ols->sse, 180959.06475891866, 1e-12, 0, "table: sse");
	is_close(ols->condition, 1.3419973731833932, 1e-11, 0,
			 "table: condition number");
	free(ols);
}

static void
test_numpy_collinear(void)
{
	static const double raw[] = {
		1.2056390211960382, 1.1662825793438243, 0.5163641549712596,
		-0.5927090598863837
	};
	static const double standardised[] = {
		0.6154461771921174, -0.014103108664015228, 5.237906907002634,
		-0.0025162158824643113
	};
	double		table[200];
	OsmlOls    *ols;

	made_up(table, 4);
	ols = solve(sums_of(table, 40, 4, 7), true, OSML_OLS_RAW);
	for (int j = 0; j < 4; j++)
		is_close(ols->weight[j], raw[j], 1e-10, 0,
				 "collinear: numpy's minimum norm in raw units");
	is_close(ols->intercept, -13.15458685241303, 1e-10, 0,
			 "collinear: intercept");
	is_close(ols->sse, 180959.06475891866, 1e-11, 0,
			 "collinear: the same fit as without the extra column");
	ok(ols->rank == 3 && ols->dof == 36 && isinf(ols->condition),
	   "collinear: rank 3, infinite condition");
	for (int j = 0; j < 4; j++)
		ok(ols->collinear[j] && isnan(ols->std_error[j]) && isnan(ols->p[j]),
		   "collinear: column %d flagged, no standard error", j);
	is_close(ols->std_error[4], 12.729765959731283, 1e-9, 0,
			 "collinear: the intercept is still determined");
	free(ols);

	ols = solve(sums_of(table, 40, 4, 40), true, OSML_OLS_STANDARDISED);
	for (int j = 0; j < 4; j++)
		is_close(ols->weight[j], standardised[j], 1e-10, 0,
				 "collinear: numpy's minimum norm on standardised columns");
	free(ols);
}

/* y = 2 + 3 x + noise, with x twice, the second times `factor`, and z */
static void
test_duplicates(double factor, OsmlOlsCoords coords, double share)
{
	double		table[4 * 50];
	OsmlOls    *both;
	OsmlOls    *once;

	for (int i = 0; i < 50; i++)
	{
		double	   *row = table + 4 * i;

		row[1] = 38.9 + noise(1, (uint64_t) i) / 100;
		row[2] = row[1] * factor;
		row[3] = noise(2, (uint64_t) i);
		row[0] = 2 + 3 * row[1] - row[3] + noise(3, (uint64_t) i) / 10;
	}
	both = solve(sums_of(table, 50, 3, 50), true, coords);
	for (int i = 0; i < 50; i++)
		table[4 * i + 2] = 7;
	once = solve(sums_of(table, 50, 3, 50), true, coords);

	is_close(both->weight[0], once->weight[0] * share, 1e-8, 0,
			 "duplicates: the first one's share of the weight");
	is_close(both->weight[0] + factor * both->weight[1], once->weight[0], 1e-8, 0,
			 "duplicates: together they make the whole weight");
	is_close(both->weight[2], once->weight[2], 1e-8, 0,
			 "duplicates: other weights are as without");
	ok(both->collinear[0] && both->collinear[1] && !both->collinear[2],
	   "duplicates: the two are flagged, the third is not");
	is_close(both->std_error[2], once->std_error[2], 1e-8, 0,
			 "duplicates: the third column's standard error is as without");
	is_close(both->std_error[3], once->std_error[3], 1e-7, 0,
			 "duplicates: so is the intercept's");
	ok(once->constant[1] && once->weight[1] == 0 && isnan(once->std_error[1]) &&
	   !once->collinear[1] && once->rank == 2,
	   "constant column: dropped with weight 0, others solved");
	free(both);
	free(once);
}

/* indicators of three groups, which add up to one, beside an intercept */
static void
test_indicators(void)
{
	static const double mean[] = {10, 20, 60};
	double		table[4 * 30];
	OsmlOls    *ols;

	for (int i = 0; i < 30; i++)
	{
		int			group = i < 5 ? 0 : i < 15 ? 1 : 2;

		for (int j = 0; j < 3; j++)
			table[4 * i + 1 + j] = j == group;

		/* +1 and -1 in turn leave the group's mean where it is, or near it */
		table[4 * i] = mean[group] + (i < 5 ? 0 : i % 2 == 0 ? 1 : -1);
	}
	ols = solve(sums_of(table, 30, 3, 8), true, OSML_OLS_RAW);
	for (int j = 0; j < 3; j++)
		is_close(ols->weight[j] + ols->intercept,
				 mean[j] + (j == 2 ? -1.0 / 15 : 0), 1e-11, 0,
				 "indicators: weight and intercept make the group's mean");
	is_close(ols->weight[0] + ols->weight[1] + ols->weight[2], 0, 0, 1e-10,
			 "indicators: minimum norm weights add up to zero");
	ok(isnan(ols->std_error[3]),
	   "indicators: no standard error of an intercept that data do not fix");
	free(ols);

	ols = solve(sums_of(table, 30, 3, 8), false, OSML_OLS_RAW);
	for (int j = 0; j < 3; j++)
		is_close(ols->weight[j], mean[j] + (j == 2 ? -1.0 / 15 : 0), 1e-12, 0,
				 "indicators without intercept: weights are the groups' means");
	ok(ols->rank == 3 && !ols->collinear[0], "and nothing is collinear");
	free(ols);
}

static void
test_small(void)
{
	static const double line[] = {5, 1, 7, 2, 9, 3};
	static const double flat[] = {4, 1, 4, 2, 4, 5};
	OsmlOls    *ols = solve(sums_of(line, 1, 1, 9), true, OSML_OLS_RAW);

	ok(ols->weight[0] == 0 && ols->intercept == 5 && ols->rank == 0 &&
	   isnan(ols->r2) && isnan(ols->std_error[1]),
	   "one row: the intercept is its label");
	free(ols);
	ols = solve(sums_of(line, 2, 1, 9), true, OSML_OLS_RAW);
	is_close(ols->weight[0], 2, 1e-14, 0, "two rows: the line through them");
	ok(ols->dof == 0 && isnan(ols->std_error[0]) && isnan(ols->adjusted_r2) &&
	   isnan(ols->residual_std_error) && ols->r2 == 1,
	   "two rows: no degree of freedom, no standard error");
	free(ols);
	ols = solve(sums_of(line, 3, 1, 9), true, OSML_OLS_RAW);
	is_close(ols->intercept, 3, 1e-13, 0, "three rows on a line: intercept");
	ok(ols->sse == 0 && ols->residual_std_error == 0 && ols->r2 == 1 &&
	   isnan(ols->std_error[0]) && isnan(ols->p[0]),
	   "perfect fit: no residual to estimate an error from");
	free(ols);
	ols = solve(sums_of(flat, 3, 1, 9), true, OSML_OLS_RAW);
	ok(ols->weight[0] == 0 && ols->intercept == 4 && isnan(ols->r2) &&
	   ols->sse == 0, "constant label: that value, no R2");
	free(ols);
	ols = solve(sums_of(line, 3, 0, 9), true, OSML_OLS_RAW);
	ok(ols->rank == 0 && ols->condition == 1, "no column at all");
	free(ols);
}

/* more columns than rows */
static void
test_wide(void)
{
	double		table[3 * 6];
	OsmlOls    *ols;

	for (int i = 0; i < 18; i++)
		table[i] = noise(7, (uint64_t) i);
	ols = solve(sums_of(table, 3, 5, 3), true, OSML_OLS_RAW);
	for (int i = 0; i < 3; i++)
	{
		double		z = ols->intercept;

		for (int j = 0; j < 5; j++)
			z += ols->weight[j] * table[i * 6 + 1 + j];
		is_close(z, table[i * 6], 1e-10, 1e-10, "three rows, five columns: fits");
	}
	ok(ols->rank == 2 && ols->dof == 0 && isnan(ols->std_error[0]),
	   "three rows, five columns: rank 2");
	free(ols);
}

/*
 * Moving columns by 2^30 changes no slope.  Values are multiples of 2^-20, so
 * the moved ones are exact and only the arithmetic is on trial.
 */
static void
test_large_means(void)
{
	static double table[3 * 4000];
	double		weight[2];
	OsmlOls    *ols;

	for (int i = 0; i < 4000; i++)
	{
		double	   *row = table + 3 * i;

		row[1] = floor(noise(4, (uint64_t) i) * 0x1p20) * 0x1p-20;
		row[2] = floor(noise(5, (uint64_t) i) * 0x1p20) * 0x1p-20;
		row[0] = row[1] - 2 * row[2] + noise(6, (uint64_t) i);
	}
	ols = solve(sums_of(table, 4000, 2, 1024), true, OSML_OLS_RAW);
	weight[0] = ols->weight[0];
	weight[1] = ols->weight[1];
	free(ols);
	for (int i = 0; i < 4000; i++)
	{
		table[3 * i + 1] += 0x1p30;
		table[3 * i + 2] -= 0x1p30;
	}
	ols = solve(sums_of(table, 4000, 2, 1024), true, OSML_OLS_RAW);
	is_close(ols->weight[0], weight[0], 1e-10, 0, "mean 2^30, spread 1: slope");
	is_close(ols->weight[1], weight[1], 1e-10, 0, "mean -2^30, spread 1: slope");
	free(ols);
}

static int
no_syev(int n, double *a, double *w)
{
	(void) n;
	(void) a;
	(void) w;
	return 1;
}

static void
test_failures(void)
{
	static const double bad[] = {1, 2, 3, NAN};
	OsmlLayout	layout = {.n_dense = 1};
	OsmlOls    *ols = osml_ols_init(malloc(osml_ols_bytes(1)), 1);
	OsmlSums   *sums = osml_sums_init(malloc(osml_sums_bytes(&layout)), &layout);

	ok(osml_ols_solve(sums, true, OSML_OLS_RAW, osml_jacobi_syev, ols) ==
	   OSML_BAD_SHAPE, "no rows: bad shape");
	free(sums);
	sums = sums_of(bad, 2, 1, 2);
	ok(osml_ols_solve(sums, true, OSML_OLS_RAW, osml_jacobi_syev, ols) ==
	   OSML_NOT_CONVERGED, "a value that is not finite: not converged");
	free(sums);
	sums = sums_of((const double[]) {1, 2, 3, 4}, 2, 1, 2);
	ok(osml_ols_solve(sums, true, OSML_OLS_RAW, no_syev, ols) ==
	   OSML_NOT_CONVERGED, "an eigensolver that gives up: not converged");
	free(sums);
	free(ols);
}

int
main(void)
{
	test_longley();
	test_no_intercept();
	test_numpy_table();
	test_numpy_collinear();
	test_duplicates(1, OSML_OLS_RAW, 0.5);
	test_duplicates(1, OSML_OLS_STANDARDISED, 0.5);
	test_duplicates(10, OSML_OLS_RAW, 1.0 / 101);
	test_duplicates(-1e6, OSML_OLS_STANDARDISED, 0.5);
	test_indicators();
	test_small();
	test_wide();
	test_large_means();
	test_failures();
	return done();
}
