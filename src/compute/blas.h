/*
 * blas.h
 *	  OpenBLAS, behind two functions: the only place that names it.
 *
 * blas.c is a module of its own, opened only by a trainer, since OpenBLAS
 * starts its threads when it is loaded.
 */
#ifndef OSML_BLAS_H
#define OSML_BLAS_H

#include "compute/gemm.h"

/* an osml_syev_fn (ols.h) on LAPACK's dsyevd; runs on one thread */
extern int	osml_blas_syev(int n, double *a, double *w);

/* an osml_gemm_fn: OpenBLAS's dgemm and sgemm */
extern const OsmlGemm *osml_blas_gemm(int threads);

#endif							/* OSML_BLAS_H */
