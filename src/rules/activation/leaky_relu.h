/*
 * leaky_relu.h
 *	  torch.nn.LeakyReLU: a hundredth of what is negative.
 */
#ifndef OSML_ACTIVATION_LEAKY_RELU_H
#define OSML_ACTIVATION_LEAKY_RELU_H
#define OSML_RULE_FILE "rules/activation/leaky_relu.h"
#include "rules/both.h"
#define OSML_ACTIVATION_LEAKY_RELU_H_DONE
#elif !defined(OSML_ACTIVATION_LEAKY_RELU_H_DONE)

/* the value at z; *slope = d value / d z, 0.01 at 0 as in PyTorch */
OSML_RULE OSML_REAL
OSML_TYPED(osml_activation_leaky_relu) (OSML_REAL z, OSML_REAL *slope)
{
	*slope = z > 0 ? 1 : (OSML_REAL) 0.01;
	/* a NaN must stay one */
	return z < 0 ? (OSML_REAL) 0.01 * z : z;
}

#endif							/* OSML_ACTIVATION_LEAKY_RELU_H */
