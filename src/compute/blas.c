/*
 * blas.c
 *	  A module of its own around LAPACK's dsyevd and BLAS's gemm, as OpenBLAS brings
 *	  them.
 *
 * The trainer opens it with load_external_function, and only a library with
 * PostgreSQL's magic block can be opened so: that block is the one use of a
 * server header in the pure rooms, and it is compiled in only where the file
 * is built as the module (OSML_PG_MODULE).  Unit tests build it without.
 */
#ifdef OSML_PG_MODULE
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;
#endif

#include "compute/blas.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>

/* LAPACK; the last two are the lengths of jobz and uplo, as Fortran passes them */
extern void dsyevd_(const char *jobz, const char *uplo, const int *n, double *a,
					const int *lda, double *w, double *work, const int *lwork,
					int *iwork, const int *liwork, int *info,
					size_t jobz_length, size_t uplo_length);

/* BLAS: column-major, C = alpha op(A) op(B) + beta C */
#define DECLARE_GEMM(name, type) \
extern void name(const char *transa, const char *transb, const int *m, const int *n, \
				 const int *k, const type *alpha, const type *a, const int *lda, \
				 const type *b, const int *ldb, const type *beta, type *c, \
				 const int *ldc, size_t transa_length, size_t transb_length)

DECLARE_GEMM(dgemm_, double);
DECLARE_GEMM(sgemm_, float);

/* OpenBLAS's own; absent when another LAPACK is linked */
extern void openblas_set_num_threads(int threads) __attribute__((weak));
extern void *blas_memory_alloc(int position) __attribute__((weak));
extern void blas_memory_free(void *buffer) __attribute__((weak));

/* that a run may have, see osml.threads */
#define MAX_THREADS 64

/* run dsyevd; with lwork and liwork -1 it only says what it needs */
static int
call_dsyevd(int n, double *a, double *w, double *work, int lwork, int *iwork,
			int liwork)
{
	int			info = 0;

	dsyevd_("V", "L", &n, a, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
	return info;
}

/*
 * Have the library take the buffers that it works in while there is memory for them: it
 * keeps what is given back.  Without its own functions one product of a size that is not
 * small has it take one.
 */
static void
take_buffers(int threads)
{
	const int	n = 128;
	const double one = 1;
	void	   *buffers[MAX_THREADS];
	double	   *a;

	threads = threads < MAX_THREADS ? threads : MAX_THREADS;
	if (blas_memory_alloc != NULL && blas_memory_free != NULL)
	{
		for (int i = 0; i < threads; i++)
			buffers[i] = blas_memory_alloc(0);
		for (int i = 0; i < threads; i++)
			blas_memory_free(buffers[i]);
		return;
	}
	a = calloc((size_t) n * n * 2, sizeof(double));
	if (a != NULL)
		dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &one, a + n * n, &n, 1, 1);
	free(a);
}

/* eigenvalues (ascending) and vectors of a symmetric n x n matrix; 0: done */
int
osml_blas_syev(int n, double *a, double *w)
{
	double		lwork = 0;
	int			liwork = 0;
	double	   *work;
	int		   *iwork;
	int			info;

	if (openblas_set_num_threads != NULL)
		openblas_set_num_threads(1);
	take_buffers(1);
	info = call_dsyevd(n, a, w, &lwork, -1, &liwork, -1);
	if (info != 0)
		return info;
	if (lwork > INT_MAX)
		return -1;				/* LAPACK counts in int */
	work = malloc((size_t) lwork * sizeof(double) + 1);
	iwork = malloc((size_t) liwork * sizeof(int) + 1);
	info = work == NULL || iwork == NULL ? -1 :
		call_dsyevd(n, a, w, work, (int) lwork, iwork, liwork);
	free(work);
	free(iwork);
	return info;
}

/*
 * Row-major C = A B is column-major Cᵀ = Bᵀ Aᵀ: the factors change places, and a
 * matrix that lies as it should is one that BLAS calls not transposed.
 */
#define DEFINE_GEMM(function, name, type) \
static void \
function(const OsmlGemmShape *s, const type *a, const type *b, type *c) \
{ \
	const type	one = 1; \
	const type	keep = s->add ? 1 : 0; \
\
	name(s->b_transposed ? "T" : "N", s->a_transposed ? "T" : "N", &s->n, &s->m, &s->k, \
		 &one, b, &s->ldb, a, &s->lda, &keep, c, &s->ldc, 1, 1); \
}

DEFINE_GEMM(gemm_f64, dgemm_, double)
DEFINE_GEMM(gemm_f32, sgemm_, float)

/*
 * Threads are the caller's: the library's own would cut a product by their number, and
 * bits would depend on it.
 */
const OsmlGemm *
osml_blas_gemm(int threads)
{
	static const OsmlGemm gemm = {.f64 = gemm_f64,.f32 = gemm_f32};

	if (openblas_set_num_threads != NULL)
		openblas_set_num_threads(1);
	take_buffers(threads);
	return &gemm;
}
