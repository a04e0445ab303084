/*
 * jacobi.h
 *	  Symmetric eigenvalues in plain C, for when OpenBLAS is not there.
 *
 * Cyclic Jacobi rotations: O(n^3) a sweep, some ten sweeps.  Good up to a few
 * hundred columns; osml_blas_syev (blas.h) has the same signature and is the
 * one for more.
 *
 * Source: Golub and Van Loan, "Matrix Computations", section 8.5.
 */
#ifndef OSML_JACOBI_H
#define OSML_JACOBI_H

/* an osml_syev_fn; see ols.h */
extern int	osml_jacobi_syev(int n, double *a, double *w);

#endif							/* OSML_JACOBI_H */
