/*
 * tanh.h
 *	  torch.nn.Tanh.
 */
#ifndef OSML_ACTIVATION_TANH_H
#define OSML_ACTIVATION_TANH_H
#define OSML_RULE_FILE "rules/activation/tanh.h"
#include "rules/both.h"
#define OSML_ACTIVATION_TANH_H_DONE
#elif !defined(OSML_ACTIVATION_TANH_H_DONE)

/* the value at z; *slope = d value / d z */
OSML_RULE OSML_REAL
OSML_TYPED(osml_activation_tanh) (OSML_REAL z, OSML_REAL *slope)
{
	OSML_REAL	value = OSML_TANH(z);

	*slope = 1 - value * value;
	return value;
}

#endif							/* OSML_ACTIVATION_TANH_H */
