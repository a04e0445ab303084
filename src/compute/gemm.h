/*
 * gemm.h
 *	  Products of matrices by a library, for whoever has one: a backend is handed
 *	  these functions by the trainer, and runs its own loops without.
 *
 * Next: blas.h (OpenBLAS's), backend.h (OsmlBackend.gemm).
 */
#ifndef OSML_GEMM_H
#define OSML_GEMM_H

#include <stdbool.h>

/*
 * C = A B, or C += A B: C is m x n, the sum has k terms, all row-major with rows
 * lda, ldb and ldc values apart.  A or B may lie transposed.
 */
typedef struct OsmlGemmShape
{
	int			m;
	int			n;
	int			k;
	bool		a_transposed;
	bool		b_transposed;
	bool		add;			/* C += */
	int			lda;
	int			ldb;
	int			ldc;
} OsmlGemmShape;

typedef struct OsmlGemm
{
	void		(*f64) (const OsmlGemmShape *shape, const double *a, const double *b,
						double *c);
	void		(*f32) (const OsmlGemmShape *shape, const float *a, const float *b,
						float *c);
} OsmlGemm;

/* of a module that has one: functions that so many threads may call at once, each of which
 * stays on the thread that calls; their memory is taken now */
typedef const OsmlGemm *(*osml_gemm_fn) (int threads);

#endif							/* OSML_GEMM_H */
