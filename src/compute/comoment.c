/*
 * comoment.c
 *	  How two columns move together; see comoment.h.
 */
#include "compute/comoment.h"

#include <math.h>
#include <stdbool.h>

#include "compute/block.h"
#include "compute/kernel_lanes.h"
#include "compute/stats.h"

/* deviations of n values from the origin; their sum is returned */
OSML_CLONES static double
osml_comoment_deviations(const double *x, int n, double origin, double *out)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	double		total;
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		OsmlVec_f64 low = *(const OsmlVec_f64 *) (x + i) - origin;
		OsmlVec_f64 high = *(const OsmlVec_f64 *) (x + i + 4) - origin;

		sum.low += low;
		sum.high += high;
		*(OsmlVec_f64 *) (out + i) = low;
		*(OsmlVec_f64 *) (out + i + 4) = high;
	}
	total = osml_lanes_total_f64(&sum);
	for (; i < n; i++)
	{
		out[i] = x[i] - origin;
		total += out[i];
	}
	return total;
}

/* sum of products of (x - x_mean) and (y - y_mean) */
OSML_CLONES static double
osml_comoment_products(const double *x, double x_mean, const double *y,
					   double y_mean, int n)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	double		total;
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		sum.low += (*(const OsmlVec_f64 *) (x + i) - x_mean) *
			(*(const OsmlVec_f64 *) (y + i) - y_mean);
		sum.high += (*(const OsmlVec_f64 *) (x + i + 4) - x_mean) *
			(*(const OsmlVec_f64 *) (y + i + 4) - y_mean);
	}
	total = osml_lanes_total_f64(&sum);
	for (; i < n; i++)
		total += (x[i] - x_mean) * (y[i] - y_mean);
	return total;
}

/* are all values of both finite? */
OSML_CLONES static int
osml_comoment_all_finite(const double *x, const double *y, int n)
{
	double		total = 0;
	OsmlLanes_f64 sum = {{0}, {0}};
	int			i = 0;

	for (; i + 4 <= n; i += 4)
	{
		sum.low += *(const OsmlVec_f64 *) (x + i) * 0;
		sum.high += *(const OsmlVec_f64 *) (y + i) * 0;
	}
	total = osml_lanes_total_f64(&sum);
	for (; i < n; i++)
		total += x[i] * 0 + y[i] * 0;
	return total == 0;
}

/* add 0 < n <= OSML_BLOCK_ROWS rows of finite values */
static void
add_finite(OsmlComoment *comoment, const double *x, const double *y, int n)
{
	double		x_diff[OSML_BLOCK_ROWS];
	double		y_diff[OSML_BLOCK_ROWS];
	OsmlComoment part = {
		.n = n,
		.x_origin = comoment->n > 0 ? comoment->x_origin : x[0],
		.y_origin = comoment->n > 0 ? comoment->y_origin : y[0]
	};

	part.x_shift = osml_comoment_deviations(x, n, part.x_origin, x_diff) / n;
	part.y_shift = osml_comoment_deviations(y, n, part.y_origin, y_diff) / n;
	part.xx = osml_comoment_products(x_diff, part.x_shift, x_diff, part.x_shift, n);
	part.yy = osml_comoment_products(y_diff, part.y_shift, y_diff, part.y_shift, n);
	part.xy = osml_comoment_products(x_diff, part.x_shift, y_diff, part.y_shift, n);
	osml_comoment_merge(comoment, &part);
}

/* add n rows, those without two finite values left out */
void
osml_comoment_add(OsmlComoment *comoment, const double *x, const double *y, int n)
{
	for (int lo = 0; lo < n; lo += OSML_BLOCK_ROWS)
	{
		int			rows = n - lo < OSML_BLOCK_ROWS ? n - lo : OSML_BLOCK_ROWS;
		const double *a = x + lo;
		const double *b = y + lo;
		double		a_kept[OSML_BLOCK_ROWS];
		double		b_kept[OSML_BLOCK_ROWS];
		int			kept = 0;

		if (!osml_comoment_all_finite(a, b, rows))
		{
			for (int i = 0; i < rows; i++)
			{
				a_kept[kept] = a[i];
				b_kept[kept] = b[i];
				kept += isfinite(a[i]) && isfinite(b[i]);
			}
			a = a_kept;
			b = b_kept;
			rows = kept;
		}
		if (rows > 0)
			add_finite(comoment, a, b, rows);
	}
}

/* add another part of the rows */
void
osml_comoment_merge(OsmlComoment *into, const OsmlComoment *from)
{
	double		n = (double) (into->n + from->n);
	double		share;
	double		x_delta;
	double		y_delta;

	if (from->n == 0)
		return;
	if (into->n == 0)
	{
		*into = *from;
		return;
	}
	x_delta = (from->x_origin - into->x_origin) + (from->x_shift - into->x_shift);
	y_delta = (from->y_origin - into->y_origin) + (from->y_shift - into->y_shift);
	share = (double) into->n / n * (double) from->n;
	into->xx += from->xx + x_delta * x_delta * share;
	into->yy += from->yy + y_delta * y_delta * share;
	into->xy += from->xy + x_delta * y_delta * share;
	into->x_shift += x_delta * ((double) from->n / n);
	into->y_shift += y_delta * ((double) from->n / n);
	into->n += from->n;
}

/* a sum of squares that has its digits */
static bool
is_sure(double squares, int64_t n)
{
	return squares >= OSML_STATS_LEAST_SQUARE * (double) n && isfinite(squares);
}

/* Pearson's r; rounding must not take it out of [-1, 1] */
double
osml_comoment_correlation(const OsmlComoment *comoment)
{
	double		r = comoment->xy / sqrt(comoment->xx) / sqrt(comoment->yy);

	if (comoment->n == 0 || !is_sure(comoment->xx, comoment->n) ||
		!is_sure(comoment->yy, comoment->n) || isnan(r))
		return NAN;
	return r > 1 ? 1 : r < -1 ? -1 : r;
}
