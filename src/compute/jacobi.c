/*
 * jacobi.c
 *	  Cyclic Jacobi rotations for a symmetric matrix; see jacobi.h.
 */
#include "compute/jacobi.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SWEEPS 60

/* sum of squares off the diagonal, and on it */
static double
off_diagonal(int n, const double *a, double *diagonal)
{
	double		off = 0;

	*diagonal = 0;
	for (int j = 0; j < n; j++)
	{
		for (int i = 0; i < n; i++)
		{
			double		square = a[i + (size_t) j * n] * a[i + (size_t) j * n];

			if (i == j)
				*diagonal += square;
			else
				off += square;
		}
	}
	return off;
}

/* turn columns p and q of m by the angle with cosine c and sine s */
static void
rotate_columns(int n, double *m, int p, int q, double c, double s)
{
	double	   *x = m + (size_t) p * n;
	double	   *y = m + (size_t) q * n;

	for (int i = 0; i < n; i++)
	{
		double		xi = x[i];

		x[i] = c * xi - s * y[i];
		y[i] = s * xi + c * y[i];
	}
}

/* the same for rows p and q */
static void
rotate_rows(int n, double *m, int p, int q, double c, double s)
{
	for (int j = 0; j < n; j++)
	{
		double	   *column = m + (size_t) j * n;
		double		xj = column[p];

		column[p] = c * xj - s * column[q];
		column[q] = s * xj + c * column[q];
	}
}

/* make a[p][q] zero by a rotation, and keep the rotation in v */
static void
annihilate(int n, double *a, double *v, int p, int q)
{
	double		apq = a[p + (size_t) q * n];
	double		theta;
	double		t;
	double		c;

	if (apq == 0)
		return;
	theta = (a[q + (size_t) q * n] - a[p + (size_t) p * n]) / (2 * apq);
	t = copysign(1, theta) / (fabs(theta) + hypot(theta, 1));
	c = 1 / sqrt(t * t + 1);
	rotate_columns(n, a, p, q, c, t * c);
	rotate_rows(n, a, p, q, c, t * c);
	a[p + (size_t) q * n] = a[q + (size_t) p * n] = 0;
	rotate_columns(n, v, p, q, c, t * c);
}

/* eigenvalues ascending, their vectors with them */
static void
sort_pairs(int n, double *a, double *w)
{
	for (int i = 0; i + 1 < n; i++)
	{
		int			least = i;
		double		kept;

		for (int j = i + 1; j < n; j++)
			least = w[j] < w[least] ? j : least;
		if (least == i)
			continue;
		kept = w[i];
		w[i] = w[least];
		w[least] = kept;
		for (int k = 0; k < n; k++)
		{
			kept = a[k + (size_t) i * n];
			a[k + (size_t) i * n] = a[k + (size_t) least * n];
			a[k + (size_t) least * n] = kept;
		}
	}
}

/* a: matrix in, eigenvectors out; 0 on success */
int
osml_jacobi_syev(int n, double *a, double *w)
{
	double	   *v = calloc((size_t) n * (size_t) n + 1, sizeof(double));
	double		diagonal;
	double		off = 1;

	if (v == NULL)
		return -1;
	for (int i = 0; i < n; i++)
		v[i + (size_t) i * n] = 1;
	for (int sweep = 0; sweep < MAX_SWEEPS; sweep++)
	{
		off = off_diagonal(n, a, &diagonal);
		if (!(off > diagonal * 1e-34))
			break;
		for (int p = 0; p < n; p++)
			for (int q = p + 1; q < n; q++)
				annihilate(n, a, v, p, q);
	}
	off = off_diagonal(n, a, &diagonal);
	for (int i = 0; i < n; i++)
		w[i] = a[i + (size_t) i * n];
	memcpy(a, v, (size_t) n * (size_t) n * sizeof(double));
	free(v);
	sort_pairs(n, a, w);
	return off <= diagonal * 1e-24 ? 0 : 1;
}
