/*
 * comoment.h
 *	  How two columns move together, in one pass: what a correlation is made of.
 *
 * As stats.h does, everything is measured from the first values, so 1e9 plus
 * noise of 1e-3 loses nothing; parts of the rows merge.
 *
 * Source: Pébay, "Formulas for robust, one-pass parallel computation of
 * covariances and arbitrary-order statistical moments", SAND2008-6212.
 */
#ifndef OSML_COMOMENT_H
#define OSML_COMOMENT_H

#include <stdint.h>

/* of rows where both values are finite; start with {0} */
typedef struct OsmlComoment
{
	int64_t		n;
	double		x_origin;		/* the first value */
	double		y_origin;
	double		x_shift;		/* mean - origin */
	double		y_shift;
	double		xx;				/* sums of products of deviations from the means */
	double		yy;
	double		xy;
} OsmlComoment;

/* add n rows */
extern void osml_comoment_add(OsmlComoment *comoment, const double *x,
							  const double *y, int n);

extern void osml_comoment_merge(OsmlComoment *into, const OsmlComoment *from);

/* Pearson's r, in [-1, 1]; NaN where a column does not vary, or by so little or so
 * much that squares are beyond a double */
extern double osml_comoment_correlation(const OsmlComoment *comoment);

#endif							/* OSML_COMOMENT_H */
