/*
 * kernel_activation.h
 *	  One loop over values for each activation of rules/activation/list.h, and
 *	  the product that takes slopes back through it.
 */
#ifndef OSML_KERNEL_ACTIVATION_H
#define OSML_KERNEL_ACTIVATION_H
#include "compute/kernels.h"
#include "rules/activation/activation.h"

#define OSML_RULE_FILE "compute/kernel_activation.h"
#include "rules/both.h"
#define OSML_KERNEL_ACTIVATION_H_DONE
#elif !defined(OSML_KERNEL_ACTIVATION_H_DONE)

/* n values in place, and the slope at each */
#define OSML_ACTIVATION(symbol, function, name, meaning) \
OSML_CLONES static void \
OSML_TYPED(function##_all) (int n, OSML_REAL *restrict value, \
							OSML_REAL *restrict slope) \
{ \
	for (int i = 0; i < n; i++) \
		value[i] = OSML_TYPED(function) (value[i], &slope[i]); \
}
#include "rules/activation/list.h"
#undef OSML_ACTIVATION

typedef void (*OSML_TYPED(OsmlActivationAll)) (int n, OSML_REAL *restrict value,
											   OSML_REAL *restrict slope);

static const OSML_TYPED(OsmlActivationAll) OSML_TYPED(osml_activation_all)[] = {
#define OSML_ACTIVATION(symbol, function, name, meaning) \
	OSML_TYPED(function##_all),
#include "rules/activation/list.h"
#undef OSML_ACTIVATION
};

/* v *= factor, value by value */
OSML_CLONES static void
OSML_TYPED(osml_kernel_multiply) (int n, OSML_REAL *restrict v,
								  const OSML_REAL *restrict factor)
{
	for (int i = 0; i < n; i++)
		v[i] *= factor[i];
}

#endif							/* OSML_KERNEL_ACTIVATION_H */
