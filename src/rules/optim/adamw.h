/*
 * adamw.h
 *	  Adam with decoupled weight decay (Loshchilov and Hutter, 2019), as
 *	  torch.optim.AdamW.
 *
 * The parameter shrinks by 1 - lr * weight_decay first; the gradient, and so
 * the two means, never see the decay.
 */
#ifndef OSML_OPTIM_ADAMW_H
#define OSML_OPTIM_ADAMW_H
#include "rules/optim/adam.h"

/* the means go on without a gradient */
static inline bool
osml_optim_adamw_follows(const OsmlOptimHyper *hyper)
{
	(void) hyper;
	return false;
}

#define OSML_RULE_FILE "rules/optim/adamw.h"
#include "rules/both.h"
#define OSML_OPTIM_ADAMW_H_DONE
#elif !defined(OSML_OPTIM_ADAMW_H_DONE)

/* one parameter: returns its new value; state as in adam.h */
OSML_RULE OSML_REAL
OSML_TYPED(osml_optim_adamw) (const OsmlOptimStep *step, OSML_REAL param,
							  OSML_REAL grad, OSML_REAL *state, size_t stride)
{
	param = param * (OSML_REAL) step->decay_factor;
	return OSML_TYPED(osml_adam_core) (step, param, grad, state, stride);
}

/* Adam's */
OSML_RULE OSML_REAL
OSML_TYPED(osml_optim_adamw_rate) (const OsmlOptimStep *step, const OSML_REAL *state,
								   size_t stride)
{
	return OSML_TYPED(osml_optim_adam_rate) (step, state, stride);
}

#endif							/* OSML_OPTIM_ADAMW_H */
