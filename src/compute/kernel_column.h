/*
 * kernel_column.h
 *	  What batch norm asks of one column of a tile: sums, kept in float64
 *	  whatever the type of the values, and maps.
 */
#ifndef OSML_KERNEL_COLUMN_H
#define OSML_KERNEL_COLUMN_H
#include "compute/kernel_lanes.h"

#define OSML_RULE_FILE "compute/kernel_column.h"
#include "rules/both.h"
#define OSML_KERNEL_COLUMN_H_DONE
#elif !defined(OSML_KERNEL_COLUMN_H_DONE)

/* the sum of (a - center) (b - center) over n rows, in eight lanes */
OSML_CLONES static double
OSML_TYPED(osml_kernel_comoment) (int n, const OSML_REAL *a, const OSML_REAL *b,
								  double center)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	double		lane[8];
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		OsmlLanes_f64 x;
		OsmlLanes_f64 y;

		OSML_TYPED(osml_load_wide) (a + i, &x.low);
		OSML_TYPED(osml_load_wide) (a + i + 4, &x.high);
		OSML_TYPED(osml_load_wide) (b + i, &y.low);
		OSML_TYPED(osml_load_wide) (b + i + 4, &y.high);
		sum.low += (x.low - center) * (y.low - center);
		sum.high += (x.high - center) * (y.high - center);
	}
	memcpy(lane, &sum, sizeof(lane));
	for (int l = 0; i < n; i++, l++)
		lane[l] += (a[i] - center) * (b[i] - center);
	memcpy(&sum, lane, sizeof(lane));
	return osml_lanes_total_f64(&sum);
}

/* out[i] = (x[i] - center) factor + shift; out may be x */
OSML_CLONES static void
OSML_TYPED(osml_kernel_map) (int n, const OSML_REAL *x, OSML_REAL center,
							 OSML_REAL factor, OSML_REAL shift, OSML_REAL *out)
{
	for (int i = 0; i < n; i++)
		out[i] = (x[i] - center) * factor + shift;
}

/* v[i] = factor (v[i] - shift - x[i] share) */
OSML_CLONES static void
OSML_TYPED(osml_kernel_unmap) (int n, const OSML_REAL *restrict x, OSML_REAL factor,
							   OSML_REAL shift, OSML_REAL share, OSML_REAL *restrict v)
{
	for (int i = 0; i < n; i++)
		v[i] = factor * (v[i] - shift - x[i] * share);
}

#endif							/* OSML_KERNEL_COLUMN_H */
