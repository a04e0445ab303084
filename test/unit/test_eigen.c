/*
 * test_eigen.c
 *	  The two symmetric eigensolvers: A v = lambda v, orthonormal, ascending; and
 *	  the library's matrix products against the loops of a layer.
 *
 * The wrapper around OpenBLAS is compiled right here, on a LAPACK found at run
 * time, so that the test builds where there is none.
 */
#include "tap.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "compute/backend.h"
#include "compute/jacobi.h"
#include "compute/ols.h"
#include "fixtures/blocks.h"

/* blas.c calls these; they pass the call on to the library, if any */
#define dsyevd_ test_dsyevd
#define dgemm_ test_dgemm
#define sgemm_ test_sgemm
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

#define PASS_ON(name, type, pointer) \
static void (*pointer) (const char *, const char *, const int *, const int *, const int *, \
						const type *, const type *, const int *, const type *, const int *, \
						const type *, type *, const int *, size_t, size_t); \
\
void \
name(const char *transa, const char *transb, const int *m, const int *n, const int *k, \
	 const type *alpha, const type *a, const int *lda, const type *b, const int *ldb, \
	 const type *beta, type *c, const int *ldc, size_t transa_length, \
	 size_t transb_length) \
{ \
	pointer(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, transa_length, \
			transb_length); \
}

PASS_ON(dgemm_, double, library_dgemm)
PASS_ON(sgemm_, float, library_sgemm)

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

/*
 * A layer of a network by the library and by the loops: outputs, gradients of the
 * weights and slopes of the inputs, of noise.
 */
static void
check_layer(OsmlPrecision precision, int n_in, int n_out, int rows)
{
	OsmlBackend with = osml_backend_cpu;
	size_t		stride = (size_t) rows + 5;
	size_t		width = osml_precision_size(precision);
	size_t		n = ((size_t) (n_in > n_out ? n_in : n_out) * (stride + (size_t) n_in) + 64);
	void	   *w = malloc(n * width);
	void	   *x = malloc(n * width);
	void	   *out[2][4];
	double		worst = 0;

	with.gemm = osml_blas_gemm(1);
	for (size_t i = 0; i < n; i++)
	{
		if (precision == OSML_FLOAT32)
		{
			((float *) w)[i] = (float) noise(5, i);
			((float *) x)[i] = (float) noise(6, i);
		}
		else
		{
			((double *) w)[i] = noise(5, i);
			((double *) x)[i] = noise(6, i);
		}
	}
	for (int g = 0; g < 2; g++)
	{
		const OsmlBackend *backend = g == 1 ? &with : &osml_backend_cpu;
		OsmlTile in = {x, stride, rows, n_in};
		OsmlTile z = {out[g][0] = calloc(n, width), (size_t) rows, rows, n_out};
		OsmlTile back = {out[g][1] = calloc(n, width), stride, rows, n_in};

		out[g][2] = calloc(n, width);
		out[g][3] = calloc(n, width);
		backend->dense(backend, precision, w, w, in, z);
		backend->dense_grad(backend, precision, z, in, out[g][2], out[g][3]);
		backend->dense_grad(backend, precision, z, in, out[g][2], out[g][3]);
		backend->dense_back(backend, precision, w, z, back);
	}
	for (int k = 0; k < 4; k++)
	{
		for (size_t i = 0; i < n; i++)
		{
			double		a = precision == OSML_FLOAT32 ? ((float *) out[0][k])[i] :
				((double *) out[0][k])[i];
			double		b = precision == OSML_FLOAT32 ? ((float *) out[1][k])[i] :
				((double *) out[1][k])[i];

			worst = fmax(worst, fabs(a - b) / fmax(1, fabs(a)));
		}
		free(out[0][k]);
		free(out[1][k]);
	}
	ok(worst < (precision == OSML_FLOAT32 ? 1e-3 : 1e-12),
	   "layer of %d x %d, %d rows, float%d: library against loops (worst %.1g)", n_in,
	   n_out, rows, precision == OSML_FLOAT32 ? 32 : 64, worst);
	free(w);
	free(x);
}

/* a function of the library, by name */
static void
find(void *library, const char *name, void *function)
{
	void	   *symbol = library == NULL ? NULL : dlsym(library, name);

	memcpy(function, &symbol, sizeof(symbol));
}

int
main(void)
{
	void	   *library = dlopen("libopenblas.so.0", RTLD_LAZY | RTLD_LOCAL);

	check_all("Jacobi", osml_jacobi_syev);
	find(library, "dsyevd_", &lapack);
	find(library, "dgemm_", &library_dgemm);
	find(library, "sgemm_", &library_sgemm);
	if (lapack == NULL || library_dgemm == NULL || library_sgemm == NULL)
	{
		skip(17, "OpenBLAS is not installed");
		return done();
	}
	check_all("OpenBLAS", osml_blas_syev);
	ok(threads == 1, "one thread was asked for");
	for (int precision = 0; precision < 2; precision++)
	{
		check_layer((OsmlPrecision) precision, 70, 130, 200);
		check_layer((OsmlPrecision) precision, 64, 64, 64);
	}
	return done();
}
