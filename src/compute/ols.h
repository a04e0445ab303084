/*
 * ols.h
 *	  Exact least squares from sums, with the statistics of a regression table.
 *
 * The columns are scaled to unit length (with an intercept: to the correlation
 * matrix), which is then split into eigenvectors.  Eigenvalues below
 * OSML_OLS_TOLERANCE(d) of the largest count as zero; what they span is the
 * null space, and the solution is the one of minimum norm.  Categories that no
 * row has count as constant columns and cost nothing.
 *
 * All categories of a code column add up to a constant, so with code columns
 * and an intercept there is always a null space.  The weights of each code
 * column then add up to 0.
 *
 * Next: sums.h (the input), student.h (p-values), jacobi.h and blas.h (two
 * eigensolvers).
 */
#ifndef OSML_OLS_H
#define OSML_OLS_H

#include <stdbool.h>
#include <stddef.h>

#include "compute/status.h"
#include "compute/sums.h"

/*
 * Symmetric eigensolver: a [n x n] column-major is overwritten with the
 * eigenvectors as columns, w [n] gets the eigenvalues, ascending.  Returns 0,
 * or anything else when it did not converge.
 */
typedef int (*osml_syev_fn) (int n, double *a, double *w);

/* in which coordinates the minimum-norm solution is the shortest */
typedef enum OsmlOlsCoords
{
	OSML_OLS_RAW,				/* the columns' own units, as numpy's lstsq */
	OSML_OLS_STANDARDISED		/* dense columns of unit deviation; categories,
								 * which nothing scales, as they are */
} OsmlOlsCoords;

/*
 * Relative size under which an eigenvalue is zero.  Sums over thousands of
 * blocks leave some hundred roundings in each entry of the matrix, and the
 * smallest eigenvalue moves by at most d times that.
 */
#define OSML_OLS_TOLERANCE(d) ((d) * 256 * 0x1p-52)

/* a column whose null-space loading is above this is flagged */
#define OSML_OLS_LOADING 1e-6

typedef struct OsmlOls
{
	int			d;
	int			rank;			/* of the columns, without the intercept */
	double		dof;			/* n - rank - intercept; may be <= 0 */
	double		intercept;		/* 0 without one */
	double		r2;				/* NaN when the label does not vary */
	double		adjusted_r2;	/* NaN when dof <= 0 as well */
	double		sse;			/* 0 for a perfect fit */
	double		residual_std_error; /* NaN when dof <= 0 */
	double		condition;		/* of the scaled columns; Inf if collinear */
	double	   *weight;			/* [d] raw units; 0 for a constant column */

	/*
	 * [d + 1], the intercept last.  NaN where the data do not determine the
	 * value: collinear or constant columns, dof <= 0, a perfect fit (there is
	 * no residual to estimate from).
	 */
	double	   *std_error;
	double	   *t;
	double	   *p;				/* two-sided, Student's t with dof */
	bool	   *collinear;		/* [d] takes part in the null space */
	bool	   *constant;		/* [d] dropped */
} OsmlOls;

/* bytes of memory that osml_ols_init lays out */
extern size_t osml_ols_bytes(int d);
extern OsmlOls *osml_ols_init(void *memory, int d);

/*
 * Columns that are not constant: the size of the problem.  osml_ols_solve takes
 * osml_ols_scratch(active) bytes for itself; syev may take twice as much again.
 */
extern int	osml_ols_active(const OsmlSums *sums, bool intercept);
extern size_t osml_ols_scratch(int active);

/*
 * Fill out (from osml_ols_init with sums->d).  intercept false: through the
 * origin, and R² is then against zero.  OSML_BAD_SHAPE on no rows,
 * OSML_NOT_CONVERGED when syev failed or a sum is not finite.
 */
extern OsmlStatus osml_ols_solve(const OsmlSums *sums, bool intercept,
								 OsmlOlsCoords coords, osml_syev_fn syev,
								 OsmlOls *out);

#endif							/* OSML_OLS_H */
