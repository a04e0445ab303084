/*
 * sigmoid.h
 *	  torch.nn.Sigmoid: 1 / (1 + e^-z).
 */
#ifndef OSML_ACTIVATION_SIGMOID_H
#define OSML_ACTIVATION_SIGMOID_H
#define OSML_RULE_FILE "rules/activation/sigmoid.h"
#include "rules/both.h"
#define OSML_ACTIVATION_SIGMOID_H_DONE
#elif !defined(OSML_ACTIVATION_SIGMOID_H_DONE)

/* the value at z, written so that no power of e is above 1; *slope = d value / d z */
OSML_RULE OSML_REAL
OSML_TYPED(osml_activation_sigmoid) (OSML_REAL z, OSML_REAL *slope)
{
	OSML_REAL	power = OSML_EXP(z < 0 ? z : -z);
	OSML_REAL	value = (z < 0 ? power : 1) / (1 + power);

	/* not value (1 - value), which has no digits left where value is near 1 */
	*slope = power / ((1 + power) * (1 + power));
	return value;
}

#endif							/* OSML_ACTIVATION_SIGMOID_H */
