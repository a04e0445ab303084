/*
 * kernel_affine.h
 *	  bias + X w over rows, and its transpose: the two loops of a linear layer.
 *
 * Columns are taken four at a time, so that z (or the slope) is read once for
 * four columns; the order of additions within a row stays j = 0, 1, 2, ..., the
 * one of a plain dot product, and each column keeps its own sum over rows.
 */
#ifndef OSML_KERNEL_AFFINE_H
#define OSML_KERNEL_AFFINE_H
#include "compute/kernel_lanes.h"

#define OSML_RULE_FILE "compute/kernel_affine.h"
#include "rules/both.h"
#define OSML_KERNEL_AFFINE_H_DONE
#elif !defined(OSML_KERNEL_AFFINE_H_DONE)

#define OSML_VEC OSML_TYPED(OsmlVec)
#define OSML_WIDTH ((int) (sizeof(OSML_VEC) / sizeof(OSML_REAL)))
#define OSML_LANES (2 * OSML_WIDTH)

/* row lo of prepared column j */
OSML_RULE const OSML_REAL *
OSML_TYPED(osml_column) (const OsmlBlock *block, int j, int lo)
{
	return (const OSML_REAL *) osml_block_column(block, j) + lo;
}

/* z[i] += w[0] x0[i], then w[1] x1[i], ... for four columns and n rows */
OSML_RULE void
OSML_TYPED(osml_axpy4) (int n, const OSML_REAL *w, const OSML_REAL *x0,
						const OSML_REAL *x1, const OSML_REAL *x2,
						const OSML_REAL *x3, OSML_REAL *z)
{
	int			i = 0;

	for (; i + OSML_WIDTH <= n; i += OSML_WIDTH)
	{
		OSML_VEC	sum = *(const OSML_VEC *) (z + i);

		sum = sum + w[0] * *(const OSML_VEC *) (x0 + i);
		sum = sum + w[1] * *(const OSML_VEC *) (x1 + i);
		sum = sum + w[2] * *(const OSML_VEC *) (x2 + i);
		sum = sum + w[3] * *(const OSML_VEC *) (x3 + i);
		*(OSML_VEC *) (z + i) = sum;
	}
	for (; i < n; i++)
		z[i] = z[i] + w[0] * x0[i] + w[1] * x1[i] + w[2] * x2[i] + w[3] * x3[i];
}

/* z[r - lo] = bias + sum over j of w[j] x[j][r], added in the order of j */
OSML_CLONES static void
OSML_TYPED(osml_kernel_affine) (int n_dense, const OsmlBlock *block, int lo,
								int hi, const OSML_REAL *w, OSML_REAL bias,
								OSML_REAL *z)
{
	int			n = hi - lo;
	int			j = 0;

	for (int i = 0; i < n; i++)
		z[i] = bias;
	for (; j + 4 <= n_dense; j += 4)
		OSML_TYPED(osml_axpy4) (n, w + j,
								OSML_TYPED(osml_column) (block, j, lo),
								OSML_TYPED(osml_column) (block, j + 1, lo),
								OSML_TYPED(osml_column) (block, j + 2, lo),
								OSML_TYPED(osml_column) (block, j + 3, lo), z);
	for (; j < n_dense; j++)
	{
		const OSML_REAL *x = OSML_TYPED(osml_column) (block, j, lo);
		OSML_REAL	wj = w[j];

		for (int i = 0; i < n; i++)
			z[i] = z[i] + wj * x[i];
	}
}

/* g[0..3] += dot products of n rows of slope with four columns */
OSML_RULE void
OSML_TYPED(osml_dot4) (int n, const OSML_REAL *slope, const OSML_REAL *x0,
					   const OSML_REAL *x1, const OSML_REAL *x2,
					   const OSML_REAL *x3, OSML_REAL *g)
{
	OSML_TYPED(OsmlLanes) sum0 = {{0}, {0}};
	OSML_TYPED(OsmlLanes) sum1 = {{0}, {0}};
	OSML_TYPED(OsmlLanes) sum2 = {{0}, {0}};
	OSML_TYPED(OsmlLanes) sum3 = {{0}, {0}};
	int			i = 0;

	for (; i + OSML_LANES <= n; i += OSML_LANES)
	{
		OSML_TYPED(osml_lanes_add_product) (&sum0, slope + i, x0 + i);
		OSML_TYPED(osml_lanes_add_product) (&sum1, slope + i, x1 + i);
		OSML_TYPED(osml_lanes_add_product) (&sum2, slope + i, x2 + i);
		OSML_TYPED(osml_lanes_add_product) (&sum3, slope + i, x3 + i);
	}
	OSML_TYPED(osml_lanes_add_tail) (&sum0, n - i, slope + i, x0 + i);
	OSML_TYPED(osml_lanes_add_tail) (&sum1, n - i, slope + i, x1 + i);
	OSML_TYPED(osml_lanes_add_tail) (&sum2, n - i, slope + i, x2 + i);
	OSML_TYPED(osml_lanes_add_tail) (&sum3, n - i, slope + i, x3 + i);
	g[0] += OSML_TYPED(osml_lanes_total) (&sum0);
	g[1] += OSML_TYPED(osml_lanes_total) (&sum1);
	g[2] += OSML_TYPED(osml_lanes_total) (&sum2);
	g[3] += OSML_TYPED(osml_lanes_total) (&sum3);
}

/* g[0] += dot product of n rows of slope with one column */
OSML_RULE void
OSML_TYPED(osml_dot1) (int n, const OSML_REAL *slope, const OSML_REAL *x,
					   OSML_REAL *g)
{
	OSML_TYPED(OsmlLanes) sum = {{0}, {0}};
	int			i = 0;

	for (; i + OSML_LANES <= n; i += OSML_LANES)
		OSML_TYPED(osml_lanes_add_product) (&sum, slope + i, x + i);
	OSML_TYPED(osml_lanes_add_tail) (&sum, n - i, slope + i, x + i);
	*g += OSML_TYPED(osml_lanes_total) (&sum);
}

/* g[j] += sum over r of slope[r - lo] x[j][r], first <= j < last */
OSML_CLONES static void
OSML_TYPED(osml_kernel_affine_grad) (int first, int last, const OsmlBlock *block,
									 int lo, int hi, const OSML_REAL *slope,
									 OSML_REAL *g)
{
	int			j = first;

	for (; j + 4 <= last; j += 4)
		OSML_TYPED(osml_dot4) (hi - lo, slope,
							   OSML_TYPED(osml_column) (block, j, lo),
							   OSML_TYPED(osml_column) (block, j + 1, lo),
							   OSML_TYPED(osml_column) (block, j + 2, lo),
							   OSML_TYPED(osml_column) (block, j + 3, lo), g + j);
	for (; j < last; j++)
		OSML_TYPED(osml_dot1) (hi - lo, slope,
							   OSML_TYPED(osml_column) (block, j, lo), g + j);
}

#undef OSML_VEC
#undef OSML_WIDTH
#undef OSML_LANES

#endif							/* OSML_KERNEL_AFFINE_H */
