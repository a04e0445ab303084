/*
 * chi_square.h
 *	  Upper tails of the chi-square distribution.
 */
#ifndef OSML_CHI_SQUARE_H
#define OSML_CHI_SQUARE_H

/* P(X >= x) with dof whole degrees of freedom; NaN when dof < 1 or x is NaN */
extern double osml_chi_square_p(double x, int dof);

#endif							/* OSML_CHI_SQUARE_H */
