/*
 * blas.c
 *	  A module of its own around LAPACK's dsyevd, as OpenBLAS brings it.
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

/* OpenBLAS's own; absent when another LAPACK is linked */
extern void openblas_set_num_threads(int threads) __attribute__((weak));

/* run dsyevd; with lwork and liwork -1 it only says what it needs */
static int
call_dsyevd(int n, double *a, double *w, double *work, int lwork, int *iwork,
			int liwork)
{
	int			info = 0;

	dsyevd_("V", "L", &n, a, &n, w, work, &lwork, iwork, &liwork, &info, 1, 1);
	return info;
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

	/* one trainer, one thread: the operator decides about more */
	if (openblas_set_num_threads != NULL)
		openblas_set_num_threads(1);
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
