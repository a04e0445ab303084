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
#include "compute/kernels.h"

#define OSML_RULE_FILE "compute/kernel_affine.h"
#include "rules/both.h"
#define OSML_KERNEL_AFFINE_H_DONE
#elif !defined(OSML_KERNEL_AFFINE_H_DONE)

#define OSML_VEC OSML_TYPED(OsmlVec)
#define OSML_LANES ((int) (sizeof(OSML_VEC) / sizeof(OSML_REAL)))

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

	for (; i + OSML_LANES <= n; i += OSML_LANES)
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

/*
 * The last n < OSML_LANES rows, as a whole vector padded with zeros: adding
 * 0 * 0 to a lane changes nothing.
 */
OSML_RULE void
OSML_TYPED(osml_load_tail) (const OSML_REAL *x, int n, OSML_VEC *out)
{
	OSML_REAL	pad[OSML_LANES] = {0};

	for (int i = 0; i < n; i++)
		pad[i] = x[i];
	memcpy(out, pad, sizeof(pad));
}

/* g[0..3] += dot products of n rows of slope with four columns */
OSML_RULE void
OSML_TYPED(osml_dot4) (int n, const OSML_REAL *slope, const OSML_REAL *const x[4],
					   OSML_REAL *g)
{
	OSML_VEC	sum[4] = {{0}, {0}, {0}, {0}};
	OSML_VEC	s;
	OSML_VEC	tail;
	int			i = 0;

	for (; i + OSML_LANES <= n; i += OSML_LANES)
	{
		s = *(const OSML_VEC *) (slope + i);
		sum[0] = sum[0] + s * *(const OSML_VEC *) (x[0] + i);
		sum[1] = sum[1] + s * *(const OSML_VEC *) (x[1] + i);
		sum[2] = sum[2] + s * *(const OSML_VEC *) (x[2] + i);
		sum[3] = sum[3] + s * *(const OSML_VEC *) (x[3] + i);
	}
	OSML_TYPED(osml_load_tail) (slope + i, n - i, &s);
	for (int k = 0; k < 4; k++)
	{
		OSML_REAL	total;

		OSML_TYPED(osml_load_tail) (x[k] + i, n - i, &tail);
		sum[k] = sum[k] + s * tail;
		OSML_ADD_LANES(OSML_REAL, sum[k], OSML_LANES, total);
		g[k] += total;
	}
}

/* g[j] += dot product of n rows of slope with one column */
OSML_RULE void
OSML_TYPED(osml_dot1) (int n, const OSML_REAL *slope, const OSML_REAL *x,
					   OSML_REAL *g)
{
	OSML_VEC	sum = {0};
	OSML_VEC	s;
	OSML_VEC	tail;
	OSML_REAL	total;
	int			i = 0;

	for (; i + OSML_LANES <= n; i += OSML_LANES)
		sum = sum + *(const OSML_VEC *) (slope + i) * *(const OSML_VEC *) (x + i);
	OSML_TYPED(osml_load_tail) (slope + i, n - i, &s);
	OSML_TYPED(osml_load_tail) (x + i, n - i, &tail);
	sum = sum + s * tail;
	OSML_ADD_LANES(OSML_REAL, sum, OSML_LANES, total);
	*g += total;
}

/* g[j] += sum over r of slope[r - lo] x[j][r] */
OSML_CLONES static void
OSML_TYPED(osml_kernel_affine_grad) (int n_dense, const OsmlBlock *block,
									 int lo, int hi, const OSML_REAL *slope,
									 OSML_REAL *g)
{
	int			j = 0;

	for (; j + 4 <= n_dense; j += 4)
	{
		const OSML_REAL *const x[4] = {
			OSML_TYPED(osml_column) (block, j, lo),
			OSML_TYPED(osml_column) (block, j + 1, lo),
			OSML_TYPED(osml_column) (block, j + 2, lo),
			OSML_TYPED(osml_column) (block, j + 3, lo)
		};

		OSML_TYPED(osml_dot4) (hi - lo, slope, x, g + j);
	}
	for (; j < n_dense; j++)
		OSML_TYPED(osml_dot1) (hi - lo, slope,
							   OSML_TYPED(osml_column) (block, j, lo), g + j);
}

#undef OSML_VEC
#undef OSML_LANES

#endif							/* OSML_KERNEL_AFFINE_H */
