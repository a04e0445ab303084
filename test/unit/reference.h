/*
 * reference.h
 *		How far results are from a reference: the rule of DESIGN 5.
 */
#ifndef OSML_REFERENCE_H
#define OSML_REFERENCE_H

#include <math.h>

/*
 * Note the error of one value, of a tensor of this norm, if it is the worst so far: it
 * is relative to the value, or to a thousandth of the norm where the value is smaller.
 * NaN stays the worst.
 */
static inline void
reference_compare(double *worst, double got, double want, double norm)
{
	double		error = fabs(got - want) / fmax(fabs(want), norm / 1000);

	if (got != want && !(error <= *worst))
		*worst = error;
}

#endif							/* OSML_REFERENCE_H */
