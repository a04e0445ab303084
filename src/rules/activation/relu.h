/*
 * relu.h
 *	  torch.nn.ReLU: the positive part.
 */
#ifndef OSML_ACTIVATION_RELU_H
#define OSML_ACTIVATION_RELU_H
#define OSML_RULE_FILE "rules/activation/relu.h"
#include "rules/both.h"
#define OSML_ACTIVATION_RELU_H_DONE
#elif !defined(OSML_ACTIVATION_RELU_H_DONE)

/* the value at z; *slope = d value / d z, 0 at 0 as in PyTorch */
OSML_RULE OSML_REAL
OSML_TYPED(osml_activation_relu) (OSML_REAL z, OSML_REAL *slope)
{
	*slope = z > 0 ? 1 : 0;
	/* a NaN must stay one */
	return z < 0 ? 0 : z;
}

#endif							/* OSML_ACTIVATION_RELU_H */
