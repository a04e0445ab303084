/*
 * test_comoment.c
 *	  Correlations against two passes in long double, parts against the whole.
 */
#include "tap.h"

#include <string.h>

#include "compute/comoment.h"
#include "fixtures/blocks.h"

#define ROWS 20000

/* two passes in long double over rows with two finite values, from the first one */
static double
two_pass(const double *x, const double *y, int n)
{
	long double mean[2] = {0, 0};
	long double sums[3] = {0, 0, 0};
	int			kept = 0;
	int			first = -1;

	for (int pass = 0; pass < 2; pass++)
	{
		for (int i = 0; i < n; i++)
		{
			long double a;
			long double b;

			if (!isfinite(x[i]) || !isfinite(y[i]))
				continue;
			first = first < 0 ? i : first;
			a = (long double) x[i] - x[first] - mean[0];
			b = (long double) y[i] - y[first] - mean[1];
			sums[0] += pass == 0 ? a : a * a;
			sums[1] += pass == 0 ? b : b * b;
			sums[2] += pass == 0 ? 0 : a * b;
			kept += pass == 0;
		}
		if (pass == 0)
		{
			mean[0] = sums[0] / kept;
			mean[1] = sums[1] / kept;
			memset(sums, 0, sizeof(sums));
		}
	}
	return (double) (sums[2] / sqrtl(sums[0]) / sqrtl(sums[1]));
}

static void
check(const double *x, const double *y, int n, int part, double abstol, const char *what)
{
	OsmlComoment whole = {0};
	OsmlComoment merged = {0};
	double		want = two_pass(x, y, n);

	for (int lo = 0; lo < n; lo += part)
	{
		OsmlComoment one = {0};
		int			rows = n - lo < part ? n - lo : part;

		osml_comoment_add(&whole, x + lo, y + lo, rows);
		osml_comoment_add(&one, x + lo, y + lo, rows);
		osml_comoment_merge(&merged, &one);
	}
	is_close(osml_comoment_correlation(&whole), want, 1e-12, abstol, what);
	is_close(osml_comoment_correlation(&merged), want, 1e-12, abstol, "merged");
	ok(whole.n == merged.n, "rows");
}

/* right, or NaN: squares of such deviations underflow, overflow, or lose digits */
static void
test_extremes(double *x, double *y)
{
	static const double scales[] = {1e-300, 1e-200, 1e-160, 1e-156, 1e-140, 1e140, 1e160, 1e297};

	for (int s = 0; s < (int) (sizeof(scales) / sizeof(scales[0])); s++)
	{
		OsmlComoment one = {0};
		OsmlComoment both = {0};
		double		r;

		for (int i = 0; i < 100; i++)
		{
			x[i] = (i * 37 % 101) * scales[s];
			y[i] = i * 37 % 101;
		}
		osml_comoment_add(&one, x, y, 100);
		osml_comoment_add(&both, x, x, 100);
		r = osml_comoment_correlation(&one);
		ok(isnan(r) || fabs(r - 1) < 1e-12, "values of %g: r is %g", scales[s], r);
		ok(isnan(r) == (scales[s] < 1e-155 || scales[s] > 1e155), "NaN there alone");
		r = osml_comoment_correlation(&both);
		ok(isnan(r) || fabs(r - 1) < 1e-12, "with itself: r is %g", r);
	}
}

int
main(void)
{
	static double x[ROWS];
	static double y[ROWS];
	OsmlComoment comoment = {0};

	ok(isnan(osml_comoment_correlation(&comoment)), "no rows: NaN");
	for (int i = 0; i < ROWS; i++)
	{
		x[i] = noise(1, (uint64_t) i);
		y[i] = x[i] + noise(2, (uint64_t) i);
	}
	check(x, y, ROWS, 1024, 0, "noise");
	check(x, y, ROWS, 37, 0, "noise in parts of 37");
	check(x, y, ROWS, 3000, 0, "noise in parts of 3,000");
	for (int i = 0; i < ROWS; i++)
	{
		x[i] = 1e9 + 1e-3 * x[i];
		y[i] = -1e9 - 1e-4 * i + 1e-3 * y[i];
	}
	check(x, y, ROWS, 1000, 1e-13, "1e9 and noise of 1e-3");
	for (int i = 0; i < ROWS; i += 3)
		(i % 2 ? x : y)[i] = i % 5 == 0 ? NAN : i % 7 == 0 ? INFINITY : osml_missing();
	check(x, y, ROWS, 1000, 1e-13, "with NULL, NaN and infinity");
	for (int i = 0; i < ROWS; i++)
	{
		x[i] = 0.1 * i;
		y[i] = 7 - 0.3 * i;
	}
	osml_comoment_add(&comoment, x, y, ROWS);
	is_close(osml_comoment_correlation(&comoment), -1, 1e-15, 0, "a line");
	memset(&comoment, 0, sizeof(comoment));
	for (int i = 0; i < ROWS; i++)
		y[i] = 0.1;
	osml_comoment_add(&comoment, x, y, ROWS);
	ok(isnan(osml_comoment_correlation(&comoment)), "a constant: NaN");
	test_extremes(x, y);
	return done();
}
