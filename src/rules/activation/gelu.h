/*
 * gelu.h
 *	  torch.nn.GELU: z times the normal distribution function at z.
 */
#ifndef OSML_ACTIVATION_GELU_H
#define OSML_ACTIVATION_GELU_H
#define OSML_RULE_FILE "rules/activation/gelu.h"
#include "rules/both.h"
#define OSML_ACTIVATION_GELU_H_DONE
#elif !defined(OSML_ACTIVATION_GELU_H_DONE)

/* the value at z, by the error function as PyTorch's default has it, not by its
 * tanh approximation; *slope = d value / d z = cdf + z density */
OSML_RULE OSML_REAL
OSML_TYPED(osml_activation_gelu) (OSML_REAL z, OSML_REAL *slope)
{
	OSML_REAL	cdf = (OSML_REAL) 0.5 *
		(1 + OSML_ERF(z * (OSML_REAL) 0.70710678118654752440));
	OSML_REAL	density = OSML_EXP((OSML_REAL) -0.5 * z * z) *
		(OSML_REAL) 0.39894228040143267794;

	*slope = cdf + z * density;
	return z * cdf;
}

#endif							/* OSML_ACTIVATION_GELU_H */
