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

/* update n parameters; slot k of parameter i is state[k * stride + i] */
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
OSML_CLONES static void \
OSML_TYPED(function##_all) (const OsmlOptimStep *step, size_t n, \
							OSML_REAL *restrict params, \
							const OSML_REAL *restrict grad, \
							OSML_REAL *restrict state, size_t stride) \
{ \
	for (size_t i = 0; i < n; i++) \
		params[i] = OSML_TYPED(function) (step, params[i], grad[i], \
										  state + i, stride); \
}
#include "rules/optim/list.h"
#undef OSML_OPTIM

/* x nearer to 0 by `by`, and not past it; a NaN stays */
OSML_RULE OSML_REAL
OSML_TYPED(osml_soft) (OSML_REAL x, OSML_REAL by)
{
	OSML_REAL	less = x < 0 ? x + by : x - by;

	return (x < 0 ? -x : x) <= by ? 0 : less;
}

/* n of the parameters after their step: slot k of parameter i is state[k * stride + i] */
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
OSML_CLONES static void \
OSML_TYPED(function##_shrink) (const OsmlOptimStep *step, size_t n, OSML_REAL l1, \
							   OSML_REAL *restrict params, \
							   const OSML_REAL *restrict state, size_t stride) \
{ \
	for (size_t i = 0; i < n; i++) \
		params[i] = OSML_TYPED(osml_soft) (params[i], l1 * \
										   OSML_TYPED(function##_rate) (step, state + i, \
																		stride)); \
}
#include "rules/optim/list.h"
#undef OSML_OPTIM

typedef void (*OSML_TYPED(OsmlOptimShrink)) (const OsmlOptimStep *step, size_t n,
											 OSML_REAL l1, OSML_REAL *restrict params,
											 const OSML_REAL *restrict state,
											 size_t stride);

static const OSML_TYPED(OsmlOptimShrink) OSML_TYPED(osml_optim_shrink)[] = {
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
	OSML_TYPED(function##_shrink),
#include "rules/optim/list.h"
#undef OSML_OPTIM
};

typedef void (*OSML_TYPED(OsmlOptimAll)) (const OsmlOptimStep *step, size_t n,
										  OSML_REAL *restrict params,
										  const OSML_REAL *restrict grad,
										  OSML_REAL *restrict state, size_t stride);

static const OSML_TYPED(OsmlOptimAll) OSML_TYPED(osml_optim_all)[] = {
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
	OSML_TYPED(function##_all),
#include "rules/optim/list.h"
#undef OSML_OPTIM
};

#endif							/* OSML_KERNEL_OPTIM_H */
