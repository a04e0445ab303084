/*
 * curve.c
 *	  Curves over a column's values; see curve.h.
 */
#include "features/curve.h"

/* weighted sums over the column's values, of deviations from the mean */
static double
product(const OsmlView *view, const double *a, const double *b)
{
	double		sum = 0;

	for (int c = 0; c < view->n_values; c++)
		sum += view->count[c] * a[c] * b[c];
	return sum;
}

static void
centre(const OsmlView *view, double *a)
{
	double		mean = 0;

	for (int c = 0; c < view->n_values; c++)
		mean += view->count[c] * a[c];
	mean /= view->n_present;
	for (int c = 0; c < view->n_values; c++)
		a[c] -= mean;
}

/* make columns orthogonal to each other and to a constant, by Gram and Schmidt */
static void
orthogonalize(const OsmlView *view, double **columns, int n)
{
	for (int i = 0; i < n; i++)
	{
		centre(view, columns[i]);
		for (int j = 0; j < i; j++)
		{
			double		square = product(view, columns[j], columns[j]);
			double		factor = square > 0 ?
				product(view, columns[i], columns[j]) / square : 0;

			for (int c = 0; c < view->n_values; c++)
				columns[i][c] -= factor * columns[j][c];
		}
	}
}

/* sum of squares of the label's means that orthogonal columns tell */
static double
told(const OsmlView *view, const double *mean, double **columns, int n)
{
	double		sum = 0;

	for (int i = 0; i < n; i++)
	{
		double		square = product(view, columns[i], columns[i]);
		double		with = product(view, columns[i], mean);

		sum += square > 0 ? with * with / square : 0;
	}
	return sum;
}

void
osml_curve_means(const OsmlTarget *target, const OsmlView *view, int k, double *mean)
{
	for (int c = 0; c < view->n_values; c++)
		mean[c] = 0;
	for (int i = 0; i < view->n; i++)
	{
		if (view->code[i] >= 0)
			mean[view->code[i]] += target->y[k][i] / view->count[view->code[i]];
	}
}

OsmlStatus
osml_curve_told(const OsmlArena *arena, const OsmlTarget *target, const OsmlView *view,
				double **columns, int n, double *sum)
{
	double	   *mean = osml_arena_alloc(arena, sizeof(double) * view->n_values);

	if (mean == NULL)
		return OSML_OUT_OF_MEMORY;
	orthogonalize(view, columns, n);
	*sum = 0;
	for (int k = 0; k < target->m; k++)
	{
		osml_curve_means(target, view, k, mean);
		*sum += told(view, mean, columns, n);
	}
	osml_arena_release(arena, mean);
	return OSML_OK;
}
