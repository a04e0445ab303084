/*
 * kernel_vector.h
 *	  Loops over plain vectors: norm, scale, clamp; kernel_sum.h has the sum.
 */
#ifndef OSML_KERNEL_VECTOR_H
#define OSML_KERNEL_VECTOR_H
#include "compute/kernel_sum.h"

#define OSML_RULE_FILE "compute/kernel_vector.h"
#include "rules/both.h"
#define OSML_KERNEL_VECTOR_H_DONE
#elif !defined(OSML_KERNEL_VECTOR_H_DONE)

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
