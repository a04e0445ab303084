/*
 * chi_square.c
 *	  The chi-square distribution in closed form.
 *
 * With whole degrees of freedom the tail is a finite sum of positive terms,
 * so nothing cancels (Abramowitz and Stegun, 26.4.4 and 26.4.5):
 *
 *	  even dof: exp(-h) * sum of h^i / i!, i from 0 to dof / 2 - 1
 *	  odd dof:	erfc(sqrt(h)) + exp(-h) * sum of h^(i - 1/2) / Gamma(i + 1/2),
 *				i from 1 to (dof - 1) / 2
 *
 * with h = x / 2.  Terms are kept as logarithms, since exp(-h) alone may be
 * below what a double holds where the sum is not.
 */
#include "compute/chi_square.h"

#include <math.h>

#define LOG_SQRT_PI 0.57236494292470008707

/* P(X >= x) */
double
osml_chi_square_p(double x, int dof)
{
	double		h = x / 2;
	double		log_h = log(h);
	double		odd = dof % 2 == 1 ? 0.5 : 0;
	double		log_term;
	double		sum;

	if (dof < 1 || isnan(x))
		return NAN;
	if (x <= 0)
		return 1;
	if (isinf(x))
		return 0;
	/* log of h^(i - 1/2) / Gamma(i + 1/2) before i = 1: h^(-1/2) / Gamma(1/2) */
	log_term = odd > 0 ? -log_h / 2 - LOG_SQRT_PI - h : -h;
	sum = odd > 0 ? erfc(sqrt(h)) : exp(log_term);
	for (int i = 1; i <= (odd > 0 ? (dof - 1) / 2 : dof / 2 - 1); i++)
	{
		log_term += log_h - log(i - odd);
		sum += exp(log_term);
	}
	return fmin(sum, 1);
}
