/*
 * kernel_optim.h
 *	  One loop over parameters for each optimiser of rules/optim/list.h.
 */
#ifndef OSML_KERNEL_OPTIM_H
#define OSML_KERNEL_OPTIM_H
#include "compute/kernels.h"
#include "rules/optim/optim.h"

#define OSML_RULE_FILE "compute/kernel_optim.h"
#include "rules/both.h"
#define OSML_KERNEL_OPTIM_H_DONE
#elif !defined(OSML_KERNEL_OPTIM_H_DONE)

/* update n parameters; slot k of parameter i is state[k * n + i] */
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
OSML_CLONES static void \
OSML_TYPED(function##_all) (const OsmlOptimStep *step, size_t n, \
							OSML_REAL *restrict params, \
							const OSML_REAL *restrict grad, \
							OSML_REAL *restrict state) \
{ \
	for (size_t i = 0; i < n; i++) \
		params[i] = OSML_TYPED(function) (step, params[i], grad[i], \
										  state + i, n); \
}
#include "rules/optim/list.h"
#undef OSML_OPTIM

typedef void (*OSML_TYPED(OsmlOptimAll)) (const OsmlOptimStep *step, size_t n,
										  OSML_REAL *restrict params,
										  const OSML_REAL *restrict grad,
										  OSML_REAL *restrict state);

static const OSML_TYPED(OsmlOptimAll) OSML_TYPED(osml_optim_all)[] = {
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
	OSML_TYPED(function##_all),
#include "rules/optim/list.h"
#undef OSML_OPTIM
};

#endif							/* OSML_KERNEL_OPTIM_H */
