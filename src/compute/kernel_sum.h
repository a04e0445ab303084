/*
 * kernel_sum.h
 *	  The sum of a vector, in eight float64 lanes whatever the type of the values.
 */
#ifndef OSML_KERNEL_SUM_H
#define OSML_KERNEL_SUM_H
#include "compute/kernel_lanes.h"

#define OSML_RULE_FILE "compute/kernel_sum.h"
#include "rules/both.h"
#define OSML_KERNEL_SUM_H_DONE
#elif !defined(OSML_KERNEL_SUM_H_DONE)

/* lanes += n values, or their squares; value i goes to lane i mod 8 */
OSML_RULE void
OSML_TYPED(osml_lanes_add_all) (OsmlLanes_f64 *lanes, size_t n, const OSML_REAL *v, bool squares)
{
	OsmlLanes_f64 sum = *lanes;
	OSML_REAL	tail[8] = {0};
	size_t		i = 0;

	for (; i < n; i += 8)
	{
		const OSML_REAL *at = v + i;
		OsmlLanes_f64 value;

		if (i + 8 > n)
			at = memcpy(tail, at, (n - i) * sizeof(OSML_REAL));
		OSML_TYPED(osml_load_wide) (at, &value.low);
		OSML_TYPED(osml_load_wide) (at + 4, &value.high);
		if (squares)
		{
			value.low = value.low * value.low;
			value.high = value.high * value.high;
		}
		sum.low += value.low;
		sum.high += value.high;
	}
	*lanes = sum;
}

/* the sum of n values, or of their squares */
OSML_RULE double
OSML_TYPED(osml_lane_sum) (size_t n, const OSML_REAL *v, bool squares)
{
	OsmlLanes_f64 sum = {{0}, {0}};

	OSML_TYPED(osml_lanes_add_all) (&sum, n, v, squares);
	return osml_lanes_total_f64(&sum);
}

/* the sum of n values */
OSML_CLONES static double
OSML_TYPED(osml_kernel_sum) (size_t n, const OSML_REAL *v)
{
	return OSML_TYPED(osml_lane_sum) (n, v, false);
}

#endif							/* OSML_KERNEL_SUM_H */
