/*
 * kernel_vector.h
 *	  Loops over plain vectors: sum, norm, scale, clamp.
 *
 * Sums are kept in eight float64 lanes whatever the type of the values.
 */
#ifndef OSML_KERNEL_VECTOR_H
#define OSML_KERNEL_VECTOR_H
#include "compute/kernel_lanes.h"

#define OSML_RULE_FILE "compute/kernel_vector.h"
#include "rules/both.h"
#define OSML_KERNEL_VECTOR_H_DONE
#elif !defined(OSML_KERNEL_VECTOR_H_DONE)

/* the sum of n values, or of their squares */
OSML_RULE double
OSML_TYPED(osml_lane_sum) (size_t n, const OSML_REAL *v, bool squares)
{
	OsmlLanes_f64 sum = {{0}, {0}};
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
	return osml_lanes_total_f64(&sum);
}

/* the sum of n values */
OSML_CLONES static double
OSML_TYPED(osml_kernel_sum) (size_t n, const OSML_REAL *v)
{
	return OSML_TYPED(osml_lane_sum) (n, v, false);
}

/* Euclidean norm */
OSML_CLONES static double
OSML_TYPED(osml_kernel_norm) (size_t n, const OSML_REAL *v)
{
	return sqrt(OSML_TYPED(osml_lane_sum) (n, v, true));
}

/* v *= factor */
OSML_CLONES static void
OSML_TYPED(osml_kernel_scale) (size_t n, OSML_REAL *v, OSML_REAL factor)
{
	for (size_t i = 0; i < n; i++)
		v[i] *= factor;
}

/* v held within [-limit, limit]; a NaN stays, so that it is noticed */
OSML_CLONES static void
OSML_TYPED(osml_kernel_clamp) (size_t n, OSML_REAL *v, OSML_REAL limit)
{
	for (size_t i = 0; i < n; i++)
	{
		OSML_REAL	x = v[i];

		x = x > limit ? limit : x;
		v[i] = x < -limit ? -limit : x;
	}
}

#endif							/* OSML_KERNEL_VECTOR_H */
