/*
 * kernel_vector.h
 *	  Loops over plain vectors: norm, scale, clamp; kernel_sum.h has the sum.
 */
#ifndef OSML_KERNEL_VECTOR_H
#define OSML_KERNEL_VECTOR_H
#include "compute/kernel_sum.h"
#include "compute/pages.h"

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

/* the same, of n values that are 0 beyond the marked pages; the lanes are those of all */
OSML_CLONES static double
OSML_TYPED(osml_kernel_norm_pages) (size_t n, const OSML_REAL *v, const uint64_t *pages)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	OsmlPageRun run = {0, 0};

	while (osml_pages_next(pages, n, &run))
		OSML_TYPED(osml_lanes_add_all) (&sum, run.n, v + run.first, true);
	return sqrt(osml_lanes_total_f64(&sum));
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
