/*
 * silu.h
 *	  torch.nn.SiLU: z times its sigmoid.
 */
#ifndef OSML_ACTIVATION_SILU_H
#define OSML_ACTIVATION_SILU_H
#define OSML_RULE_FILE "rules/activation/silu.h"
#include "rules/both.h"
#define OSML_ACTIVATION_SILU_H_DONE
#elif !defined(OSML_ACTIVATION_SILU_H_DONE)

/* the value at z; *slope = d value / d z = s + z s (1 - s), s the sigmoid */
OSML_RULE OSML_REAL
OSML_TYPED(osml_activation_silu) (OSML_REAL z, OSML_REAL *slope)
{
	OSML_REAL	power = OSML_EXP(z < 0 ? z : -z);
	OSML_REAL	sigmoid = (z < 0 ? power : 1) / (1 + power);

	*slope = sigmoid + z * (power / ((1 + power) * (1 + power)));
	return z * sigmoid;
}

#endif							/* OSML_ACTIVATION_SILU_H */
