/*
 * test_eigen.c
 *	  The two symmetric eigensolvers: A v = lambda v, orthonormal, ascending.
 *
 * The wrapper around OpenBLAS is compiled right here, on a LAPACK found at run
 * time, so that the test builds where there is none.
 */
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "compute/jacobi.h"
#include "compute/ols.h"
#include "fixtures/blocks.h"

/* blas.c calls these two; they pass the call on to the library, if any */
#define dsyevd_ test_dsyevd
#define openblas_set_num_threads test_set_num_threads
#include "compute/blas.c"

typedef void (*Dsyevd) (const char *, const char *, const int *, double *,
						const int *, double *, double *, const int *, int *,
						const int *, int *, size_t, size_t);

static Dsyevd lapack;
static int	threads;

void
dsyevd_(const char *jobz, const char *uplo, const int *n, double *a,
		const int *lda, double *w, double *work, const int *lwork, int *iwork,
		const int *liwork, int *info, size_t jobz_length, size_t uplo_length)
{
	lapack(jobz, uplo, n, a, lda, w, work, lwork, iwork, liwork, info,
		   jobz_length, uplo_length);
}

void
openblas_set_num_threads(int n)
{
	threads = n;
}

/* a symmetric matrix of noise; its last `copies` rows and columns are copies */
static void
fill(int n, int copies, double *a)
{
	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < n; j++)
		{
			int			p = i >= n - copies ? 0 : i;
			int			q = j >= n - copies ? 0 : j;

			a[i + j * n] = p == q ? 2 : noise(3, (uint64_t) (p < q ? p * 100 + q : q * 100 + p));
		}
	}
}

/* one matrix through one solver */
static void
check(const char *name, osml_syev_fn syev, int n, int copies)
{
	double	   *a = calloc((size_t) (n * n) + 1, sizeof(double));
	double	   *v = calloc((size_t) (n * n) + 1, sizeof(double));
	double	   *w = calloc((size_t) n + 1, sizeof(double));
	double		residual = 0;
	double		skew = 0;
	bool		ascending = true;

	fill(n, copies, a);
	memcpy(v, a, (size_t) (n * n) * sizeof(double));
	ok(syev(n, v, w) == 0, "%s, %d x %d: converged", name, n, n);
	for (int k = 0; k < n; k++)
	{
		ascending = ascending && (k == 0 || w[k - 1] <= w[k]);
		for (int i = 0; i < n; i++)
		{
			double		av = 0;
			double		vv = 0;

			for (int j = 0; j < n; j++)
			{
				av += a[i + j * n] * v[j + k * n];
				vv += v[j + i * n] * v[j + k * n];
			}
			residual = fmax(residual, fabs(av - w[k] * v[i + k * n]));
			skew = fmax(skew, fabs(vv - (i == k)));
		}
	}
	ok(ascending && residual < 1e-12 && skew < 1e-13,
	   "%s, %d x %d, %d copies: A v = w v to %.1g, v'v = 1 to %.1g", name, n, n,
	   copies, residual, skew);
	free(a);
	free(v);
	free(w);
}

/* the sizes that matter */
static void
check_all(const char *name, osml_syev_fn syev)
{
	check(name, syev, 1, 0);
	check(name, syev, 2, 0);
	check(name, syev, 2, 1);
	check(name, syev, 9, 0);
	check(name, syev, 9, 3);
	check(name, syev, 60, 10);
}

int
main(void)
{
	void	   *library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);
	void	   *symbol = library == NULL ? NULL : dlsym(library, "dsyevd_");

	check_all("Jacobi", osml_jacobi_syev);
	if (symbol == NULL)
	{
		skip(13, "OpenBLAS is not installed");
		return done();
	}
	memcpy(&lapack, &symbol, sizeof(lapack));
	check_all("OpenBLAS", osml_blas_syev);
	ok(threads == 1, "one thread was asked for");
	return done();
}
