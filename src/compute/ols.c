/*
 * ols.c
 *	  Exact least squares by an eigendecomposition; see ols.h.
 *
 * Notation: S is the d x d matrix of centred products (of plain ones without
 * an intercept), D the roots of its diagonal, R = S / (D D') with ones on the
 * diagonal, V and lambda its eigenvectors and eigenvalues, s and r = s / (D
 * |y|) the products with the label, u the solution of R u = r.  A weight in raw
 * units is u |y| / D.  Only the m active columns, those not constant, are in.
 */
#include "compute/ols.h"

#include <math.h>
#include <stdlib.h>

#include "compute/student.h"

/* loadings below this are rounding, not part of a null vector */
#define LOADING_NOISE 1e-11

typedef struct Work
{
	const OsmlSums *sums;
	bool		intercept;
	int			m;				/* active columns */
	int			null;			/* eigenvalues that count as zero: 0 .. null - 1 */
	double		yy;				/* sum of squares of the label */
	int		   *column;			/* [m] number of each active column */
	double	   *length;			/* [m] D */
	double	   *r;				/* [m] */
	double	   *lambda;			/* [m] ascending */
	double	   *u;				/* [m] */
	double	   *loading;		/* [m] length of the row of null vectors */
	double	   *v;				/* [m x m] column-major eigenvectors */
} Work;

/* bytes that osml_ols_init lays out: four vectors and two of flags */
size_t
osml_ols_bytes(int d)
{
	return sizeof(OsmlOls) + (4 * (size_t) d + 3) * sizeof(double) +
		2 * (size_t) d * sizeof(bool);
}

/* lay out an empty result */
OsmlOls *
osml_ols_init(void *memory, int d)
{
	OsmlOls    *ols = memory;
	double	   *next = (double *) (ols + 1);

	memset(memory, 0, osml_ols_bytes(d));
	ols->d = d;
	ols->weight = next;
	ols->std_error = ols->weight + d;
	ols->t = ols->std_error + d + 1;
	ols->p = ols->t + d + 1;
	ols->collinear = (bool *) (ols->p + d + 1);
	ols->constant = ols->collinear + d;
	return ols;
}

/* entry of S for columns i and j */
static double
product(const OsmlSums *sums, bool intercept, int i, int j)
{
	double		centred = osml_sums_product(sums, i, j);

	return intercept ? centred :
		centred + (double) sums->n * sums->mean[i] * sums->mean[j];
}

/* entry of s */
static double
product_y(const Work *work, int j)
{
	const OsmlSums *sums = work->sums;

	return work->intercept ? sums->xy[j] :
		sums->xy[j] + (double) sums->n * sums->mean[j] * sums->mean_y;
}

/* columns that are not constant */
int
osml_ols_active(const OsmlSums *sums, bool intercept)
{
	int			active = 0;

	for (int j = 0; j < sums->d; j++)
		active += product(sums, intercept, j, j) != 0;
	return active;
}

/* the vectors of Work and its matrix */
size_t
osml_ols_scratch(int active)
{
	size_t		m = (size_t) active;

	return (m * m + 6 * m + 1) * sizeof(double);
}

/* note the active columns and their lengths; the others are constant */
static void
choose_columns(Work *work, OsmlOls *out)
{
	const OsmlSums *sums = work->sums;

	work->yy = work->intercept ? sums->m2_y :
		sums->m2_y + (double) sums->n * sums->mean_y * sums->mean_y;
	work->m = 0;
	for (int j = 0; j < sums->d; j++)
	{
		double		square = product(sums, work->intercept, j, j);

		out->constant[j] = square == 0;
		out->weight[j] = 0;
		out->collinear[j] = false;
		if (out->constant[j])
			continue;
		work->column[work->m] = j;
		work->length[work->m] = sqrt(square);
		work->m++;
	}
}

/* fill R and r; false when a sum is not finite */
static bool
fill_matrix(Work *work)
{
	int			m = work->m;
	double		length_y = work->yy > 0 ? sqrt(work->yy) : 1;
	double		check = work->yy;

	for (int i = 0; i < m; i++)
	{
		double	   *column = work->v + (size_t) i * (size_t) m;

		for (int k = 0; k < m; k++)
		{
			column[k] = i == k ? 1 :
				product(work->sums, work->intercept, work->column[i],
						work->column[k]) /
				work->length[i] / work->length[k];
			check += column[k];
		}
		work->r[i] = product_y(work, work->column[i]) / work->length[i] / length_y;
		check += work->r[i] + work->length[i];
	}
	return isfinite(check);
}

/*
 * u = sum of v (v'r) / lambda over the eigenvalues that are not zero, and how
 * far each column reaches into the space of those that are.  Returns r'u, the
 * share of the label explained.
 */
static double
solve_scaled(Work *work)
{
	int			m = work->m;
	double		tolerance = m > 0 ? OSML_OLS_TOLERANCE(m) * work->lambda[m - 1] : 0;
	double		explained = 0;

	work->null = 0;
	for (int k = 0; k < m; k++)
	{
		const double *v = work->v + (size_t) k * (size_t) m;
		double		along = 0;

		if (!(work->lambda[k] > tolerance))
		{
			for (int i = 0; i < m; i++)
				work->loading[i] = hypot(work->loading[i], v[i]);
			work->null++;
			continue;
		}
		for (int i = 0; i < m; i++)
			along += v[i] * work->r[i];
		for (int i = 0; i < m; i++)
			work->u[i] += v[i] * (along / work->lambda[k]);
		explained += along * (along / work->lambda[k]);
	}
	return explained;
}

/* x -= its part along the unit vector b */
static void
project_out(int m, double *x, const double *b)
{
	double		along = 0;

	for (int i = 0; i < m; i++)
		along += x[i] * b[i];
	for (int i = 0; i < m; i++)
		x[i] -= along * b[i];
}

/*
 * How long a unit of each active column's weight is in the coordinates asked
 * for, into coord: those in which dense columns have unit deviation stretch a
 * weight by the deviation.
 */
static void
fill_coords(const Work *work, OsmlOlsCoords coords, double *coord)
{
	double		root_n = sqrt((double) work->sums->n);

	for (int i = 0; i < work->m; i++)
		coord[i] = coords == OSML_OLS_RAW ||
			work->column[i] >= work->sums->n_dense ? 1 : work->length[i] / root_n;
}

/*
 * Shorten the weights, in the coordinates coord, as far as the null space
 * allows: take out of them their part along its basis, null vectors / D made
 * orthonormal by Gram and Schmidt, twice for stability.  The null vectors in
 * work->v are overwritten.
 */
static void
shorten(Work *work, const double *coord, double *weight)
{
	int			m = work->m;

	for (int i = 0; i < m; i++)
		weight[i] *= coord[i];
	for (int k = 0; k < work->null; k++)
	{
		double	   *b = work->v + (size_t) k * (size_t) m;
		double		norm = 0;

		for (int i = 0; i < m; i++)
			b[i] = work->loading[i] > LOADING_NOISE ?
				b[i] * (coord[i] / coord[0]) * (work->length[0] / work->length[i]) : 0;
		for (int twice = 0; twice < 2; twice++)
			for (int before = 0; before < k; before++)
				project_out(m, b, work->v + (size_t) before * (size_t) m);
		for (int i = 0; i < m; i++)
			norm = hypot(norm, b[i]);
		for (int i = 0; i < m; i++)
			b[i] = norm > 0 ? b[i] / norm : 0;
		project_out(m, weight, b);
	}
	for (int i = 0; i < m; i++)
		weight[i] /= coord[i];
}

/*
 * Raw weights, the intercept and the flags.  u is shortest as it is where every
 * column is scaled to unit length.  work->r is free by now and serves as scratch.
 */
static void
fill_weights(Work *work, OsmlOlsCoords coords, OsmlOls *out)
{
	const OsmlSums *sums = work->sums;
	double		length_y = work->yy > 0 ? sqrt(work->yy) : 0;
	double	   *weight = work->u;

	for (int i = 0; i < work->m; i++)
		weight[i] = work->u[i] * length_y / work->length[i];
	if (work->null > 0 && (coords == OSML_OLS_RAW || sums->n_dense < sums->d))
	{
		fill_coords(work, coords, work->r);
		shorten(work, work->r, weight);
	}
	out->intercept = work->intercept ? sums->mean_y : 0;
	for (int i = 0; i < work->m; i++)
	{
		int			j = work->column[i];

		out->weight[j] = weight[i];
		out->collinear[j] = work->loading[i] > OSML_OLS_LOADING;
		if (work->intercept)
			out->intercept -= weight[i] * sums->mean[j];
	}
}

/* how well the whole fits; see ols.h for each number */
static void
fill_quality(const Work *work, double explained, OsmlOls *out)
{
	double		n = (double) work->sums->n;
	double		free_mean = work->intercept ? 1 : 0;
	double		rest = 1 - explained;

	/* below what the sums can tell from zero the fit is perfect */
	if (work->yy == 0 || rest < (work->m + 8) * 4 * 0x1p-52)
		rest = 0;
	out->rank = work->m - work->null;
	out->dof = n - out->rank - free_mean;
	out->sse = rest * work->yy;
	out->r2 = work->yy > 0 ? 1 - rest : NAN;
	out->adjusted_r2 = out->dof > 0 ?
		1 - (1 - out->r2) * (n - free_mean) / out->dof : NAN;
	out->residual_std_error = out->dof > 0 ? sqrt(out->sse / out->dof) : NAN;
	if (work->m == 0)
		out->condition = 1;
	else
		out->condition = work->null > 0 ? INFINITY :
			sqrt(work->lambda[work->m - 1] / work->lambda[0]);
}

/*
 * q' R^+ q for a vector q, R^+ over the eigenvalues that are not zero; NaN when
 * q reaches into the null space, where no data speak.
 */
static double
inverse_form(const Work *work, const double *q)
{
	int			m = work->m;
	double		sum = 0;
	double		outside = 0;
	double		norm = 0;

	for (int k = 0; k < m; k++)
	{
		const double *v = work->v + (size_t) k * (size_t) m;
		double		along = 0;

		for (int i = 0; i < m; i++)
			along += v[i] * q[i];
		norm = hypot(norm, along);
		if (k < work->null)
			outside = hypot(outside, along);
		else
			sum += along * (along / work->lambda[k]);
	}
	return outside > OSML_OLS_LOADING * norm ? NAN : sum;
}

/*
 * The diagonal of the inverse in raw units: variances as multiples of sigma^2,
 * left in out->std_error for fill_tests.  Must run before fill_weights, which
 * overwrites the null vectors; work->r is free by now and serves as scratch.
 */
static void
fill_variances(const Work *work, OsmlOls *out)
{
	const OsmlSums *sums = work->sums;
	int			m = work->m;

	for (int j = 0; j <= out->d; j++)
		out->std_error[j] = NAN;
	for (int i = 0; i < m; i++)
	{
		int			j = work->column[i];
		double		sum = 0;

		for (int k = work->null; k < m; k++)
		{
			double		vik = work->v[(size_t) i + (size_t) k * (size_t) m];

			sum += vik * (vik / work->lambda[k]);
		}
		work->r[i] = sums->mean[j] / work->length[i];
		if (work->loading[i] <= OSML_OLS_LOADING)
			out->std_error[j] = sum / work->length[i] / work->length[i];
	}
	if (work->intercept)
		out->std_error[out->d] = 1 / (double) sums->n +
			inverse_form(work, work->r);
}

/* variances to standard errors, t and p, where there is a residual */
static void
fill_tests(OsmlOls *out)
{
	bool		known = out->dof > 0 && out->sse > 0;

	for (int j = 0; j <= out->d; j++)
	{
		double		value = j < out->d ? out->weight[j] : out->intercept;

		out->std_error[j] = known ?
			out->residual_std_error * sqrt(out->std_error[j]) : NAN;
		out->t[j] = value / out->std_error[j];
		out->p[j] = osml_student_p(out->t[j], out->dof);
	}
}

/* everything once the memory is there */
static OsmlStatus
solve(Work *work, OsmlOlsCoords coords, osml_syev_fn syev, OsmlOls *out)
{
	double		explained;

	choose_columns(work, out);
	if (!fill_matrix(work))
		return OSML_NOT_CONVERGED;
	if (work->m > 0 && syev(work->m, work->v, work->lambda) != 0)
		return OSML_NOT_CONVERGED;
	explained = solve_scaled(work);
	fill_quality(work, explained, out);
	fill_variances(work, out);
	fill_weights(work, coords, out);
	fill_tests(out);
	return OSML_OK;
}

/* see ols.h */
OsmlStatus
osml_ols_solve(const OsmlSums *sums, bool intercept, OsmlOlsCoords coords,
			   osml_syev_fn syev, OsmlOls *out)
{
	size_t		m;
	Work		work = {.sums = sums,.intercept = intercept};
	double	   *memory;
	OsmlStatus	status;

	if (sums->n <= 0 || out->d != sums->d)
		return OSML_BAD_SHAPE;
	m = (size_t) osml_ols_active(sums, intercept);
	memory = calloc(1, osml_ols_scratch((int) m));
	if (memory == NULL)
		return OSML_OUT_OF_MEMORY;
	work.length = memory;
	work.r = work.length + m;
	work.lambda = work.r + m;
	work.u = work.lambda + m;
	work.loading = work.u + m;
	work.column = (int *) (work.loading + m);
	work.v = work.loading + 2 * m;
	status = solve(&work, coords, syev, out);
	free(memory);
	return status;
}
