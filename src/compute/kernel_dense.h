/*
 * kernel_dense.h
 *	  The loops of a dense layer over a tile of rows: outputs, gradients of
 *	  weights, gradients of inputs.
 *
 * Columns are column-major, a stride apart.  Registers hold sums of four outputs
 * by two vectors of rows, so that a value that was loaded is used several times.
 *
 * osml_kernel_dense adds within a row in the order of the inputs, after the bias:
 * a row has the same bits whatever rows are beside it.  osml_kernel_dense_grad
 * keeps a sum over rows in as many lanes as 32 bytes hold, row i in lane i mod
 * lanes, added at the end by halving: half the lanes of kernels.h, so that the
 * sums of eight weights fit the registers.
 */
#ifndef OSML_KERNEL_DENSE_H
#define OSML_KERNEL_DENSE_H
#include "compute/kernels.h"

#define OSML_RULE_FILE "compute/kernel_dense.h"
#include "rules/both.h"
#define OSML_KERNEL_DENSE_H_DONE
#elif !defined(OSML_KERNEL_DENSE_H_DONE)

#define OSML_VEC OSML_TYPED(OsmlVec)
#define OSML_WIDTH ((int) (sizeof(OSML_VEC) / sizeof(OSML_REAL)))

/*
 * z[o][r] = bias[o] + sum over k < n_sum of w[o * w_out + k * w_in] x[k][r].
 * The forward pass has w_in = 1, the way back has weights the other way round.
 */
typedef struct OSML_TYPED(OsmlProduct)
{
	int			n_sum;
	const OSML_REAL *w;
	size_t		w_out;
	size_t		w_in;
	const OSML_REAL *bias;		/* NULL: zeroes */
	const OSML_REAL *x;
	size_t		x_stride;
	OSML_REAL  *z;
	size_t		z_stride;
} OSML_TYPED(OsmlProduct);

/* outputs o .. o + m - 1 of v vectors of rows from i on; m and v are constants */
OSML_RULE void
OSML_TYPED(osml_dense_vectors) (const int m, const int v, int o, int i,
								const OSML_TYPED(OsmlProduct) *p)
{
	const OSML_REAL *w = p->w + (size_t) o * p->w_out;
	const OSML_REAL *x = p->x + i;
	OSML_REAL  *z = p->z + (size_t) o * p->z_stride + i;
	OSML_VEC	sum[4][2];

#pragma GCC unroll 4
	for (int a = 0; a < m; a++)
	{
		OSML_REAL	bias = p->bias != NULL ? p->bias[o + a] : 0;
		OSML_REAL	lane[OSML_WIDTH];
		OSML_VEC	first;

#pragma GCC unroll 8
		for (int l = 0; l < OSML_WIDTH; l++)
			lane[l] = bias;
		memcpy(&first, lane, sizeof(first));
#pragma GCC unroll 2
		for (int b = 0; b < v; b++)
			sum[a][b] = first;
	}
	for (int k = 0; k < p->n_sum; k++, x += p->x_stride, w += p->w_in)
	{
		const OSML_VEC *at = (const OSML_VEC *) x;

#pragma GCC unroll 4
		for (int a = 0; a < m; a++)
#pragma GCC unroll 2
			for (int b = 0; b < v; b++)
				sum[a][b] = sum[a][b] + w[(size_t) a * p->w_out] * at[b];
	}
#pragma GCC unroll 4
	for (int a = 0; a < m; a++)
#pragma GCC unroll 2
		for (int b = 0; b < v; b++)
			((OSML_VEC *) (z + (size_t) a * p->z_stride))[b] = sum[a][b];
}

/* the same of one row */
OSML_RULE void
OSML_TYPED(osml_dense_row) (const int m, int o, int i, const OSML_TYPED(OsmlProduct) *p)
{
	const OSML_REAL *w = p->w + (size_t) o * p->w_out;
	const OSML_REAL *x = p->x + i;
	OSML_REAL	sum[4];

#pragma GCC unroll 4
	for (int a = 0; a < m; a++)
		sum[a] = p->bias != NULL ? p->bias[o + a] : 0;
	for (int k = 0; k < p->n_sum; k++, x += p->x_stride, w += p->w_in)
	{
#pragma GCC unroll 4
		for (int a = 0; a < m; a++)
			sum[a] = sum[a] + w[(size_t) a * p->w_out] * *x;
	}
#pragma GCC unroll 4
	for (int a = 0; a < m; a++)
		p->z[(size_t) (o + a) * p->z_stride + i] = sum[a];
}

/* n rows of m outputs from o on */
OSML_RULE void
OSML_TYPED(osml_dense_outputs) (const int m, int o, int n, const OSML_TYPED(OsmlProduct) *p)
{
	int			i = 0;

	for (; i + 2 * OSML_WIDTH <= n; i += 2 * OSML_WIDTH)
		OSML_TYPED(osml_dense_vectors) (m, 2, o, i, p);
	for (; i + OSML_WIDTH <= n; i += OSML_WIDTH)
		OSML_TYPED(osml_dense_vectors) (m, 1, o, i, p);
	for (; i < n; i++)
		OSML_TYPED(osml_dense_row) (m, o, i, p);
}

/* n rows of n_out outputs */
OSML_CLONES static void
OSML_TYPED(osml_kernel_dense) (int n_out, int n, const OSML_TYPED(OsmlProduct) *p)
{
	int			o = 0;

	for (; o + 4 <= n_out; o += 4)
		OSML_TYPED(osml_dense_outputs) (4, o, n, p);
	if (n_out - o == 3)
		OSML_TYPED(osml_dense_outputs) (3, o, n, p);
	else if (n_out - o == 2)
		OSML_TYPED(osml_dense_outputs) (2, o, n, p);
	else if (n_out - o == 1)
		OSML_TYPED(osml_dense_outputs) (1, o, n, p);
}

/* g[o * n_in + j] += sum over n rows of slope[o][r] x[j][r] */
typedef struct OSML_TYPED(OsmlDenseGrad)
{
	int			n;
	int			n_in;
	const OSML_REAL *slope;
	size_t		slope_stride;
	const OSML_REAL *x;
	size_t		x_stride;
	OSML_REAL  *g;
} OSML_TYPED(OsmlDenseGrad);

/* sums += the products of one vector of rows */
#define OSML_ADD_PRODUCTS(s, s_stride, x, x_stride) \
do { \
	_Pragma("GCC unroll 4") \
	for (int a = 0; a < m; a++) \
		_Pragma("GCC unroll 4") \
		for (int b = 0; b < k; b++) \
			sum[a][b] = sum[a][b] + \
				*(const OSML_VEC *) ((s) + (size_t) a * (s_stride)) * \
				*(const OSML_VEC *) ((x) + (size_t) b * (x_stride)); \
} while (0)

/* outputs o .. o + m - 1 by inputs j .. j + k - 1; m and k are constants */
OSML_RULE void
OSML_TYPED(osml_dense_grad_block) (const int m, const int k, int o, int j,
								   const OSML_TYPED(OsmlDenseGrad) *p)
{
	const OSML_REAL *s = p->slope + (size_t) o * p->slope_stride;
	const OSML_REAL *x = p->x + (size_t) j * p->x_stride;
	OSML_VEC	sum[4][4];
	int			i = 0;

#pragma GCC unroll 4
	for (int a = 0; a < m; a++)
#pragma GCC unroll 4
		for (int b = 0; b < k; b++)
			sum[a][b] = (OSML_VEC) {0};
	for (; i + OSML_WIDTH <= p->n; i += OSML_WIDTH)
		OSML_ADD_PRODUCTS(s + i, p->slope_stride, x + i, p->x_stride);
	if (i < p->n)
	{
		OSML_REAL	s_rest[4][OSML_WIDTH] = {{0}};
		OSML_REAL	x_rest[4][OSML_WIDTH] = {{0}};
		size_t		rest = (size_t) (p->n - i) * sizeof(OSML_REAL);

		for (int a = 0; a < m; a++)
			memcpy(s_rest[a], s + (size_t) a * p->slope_stride + i, rest);
		for (int b = 0; b < k; b++)
			memcpy(x_rest[b], x + (size_t) b * p->x_stride + i, rest);
		OSML_ADD_PRODUCTS(s_rest[0], OSML_WIDTH, x_rest[0], OSML_WIDTH);
	}
#pragma GCC unroll 4
	for (int a = 0; a < m; a++)
	{
#pragma GCC unroll 4
		for (int b = 0; b < k; b++)
		{
			OSML_REAL	lane[OSML_WIDTH];

			memcpy(lane, &sum[a][b], sizeof(lane));
#pragma GCC unroll 3
			for (int half = OSML_WIDTH / 2; half > 0; half /= 2)
#pragma GCC unroll 4
				for (int l = 0; l < half; l++)
					lane[l] += lane[l + half];
			p->g[(size_t) (o + a) * (size_t) p->n_in + (size_t) (j + b)] += lane[0];
		}
	}
}

/* m outputs by all inputs, k at a time */
OSML_RULE void
OSML_TYPED(osml_dense_grad_outputs) (const int m, const int k, int o,
									 const OSML_TYPED(OsmlDenseGrad) *p)
{
	int			j = 0;

	for (; j + k <= p->n_in; j += k)
		OSML_TYPED(osml_dense_grad_block) (m, k, o, j, p);
	for (; j < p->n_in; j++)
		OSML_TYPED(osml_dense_grad_block) (m, 1, o, j, p);
}

/* gradient sums of n_out outputs */
OSML_CLONES static void
OSML_TYPED(osml_kernel_dense_grad) (int n_out, const OSML_TYPED(OsmlDenseGrad) *p)
{
	int			o = 0;

	for (; o + 4 <= n_out; o += 4)
		OSML_TYPED(osml_dense_grad_outputs) (4, 2, o, p);
	if (n_out - o == 3)
		OSML_TYPED(osml_dense_grad_outputs) (3, 2, o, p);
	else if (n_out - o == 2)
		OSML_TYPED(osml_dense_grad_outputs) (2, 4, o, p);
	else if (n_out - o == 1)
		OSML_TYPED(osml_dense_grad_outputs) (1, 4, o, p);
}

#undef OSML_ADD_PRODUCTS
#undef OSML_VEC
#undef OSML_WIDTH

#endif							/* OSML_KERNEL_DENSE_H */
