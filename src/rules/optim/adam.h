/*
 * adam.h
 *	  Adam (Kingma and Ba, 2015) with the decay as L2 in the gradient, as
 *	  torch.optim.Adam.
 *
 * Two state slots: the running means of the gradient and of its square.
 */
#ifndef OSML_OPTIM_ADAM_H
#define OSML_OPTIM_ADAM_H
#include "rules/optim/step.h"

/* the means go on without a gradient */
static inline bool
osml_optim_adam_follows(const OsmlOptimHyper *hyper)
{
	(void) hyper;
	return false;
}

#define OSML_RULE_FILE "rules/optim/adam.h"
#include "rules/both.h"
#define OSML_OPTIM_ADAM_H_DONE
#elif !defined(OSML_OPTIM_ADAM_H_DONE)

/* what a step's mean is divided by; square as it is after the step */
OSML_RULE OSML_REAL
OSML_TYPED(osml_adam_denom) (const OsmlOptimStep *step, OSML_REAL square)
{
	return OSML_SQRT(square) / (OSML_REAL) step->bias_correction2_sqrt +
		(OSML_REAL) step->hyper.eps;
}

/*
 * The part that Adam and AdamW share: one parameter, its new value returned.
 * state[0] and state[stride] are the two means.  The order of operations is
 * that of PyTorch's single-tensor code, so that float32 rounds alike.
 */
OSML_RULE OSML_REAL
OSML_TYPED(osml_adam_core) (const OsmlOptimStep *step, OSML_REAL param,
							OSML_REAL grad, OSML_REAL *state, size_t stride)
{
	OSML_REAL	beta1 = (OSML_REAL) step->hyper.beta1;
	OSML_REAL	beta2 = (OSML_REAL) step->hyper.beta2;
	OSML_REAL	mean = state[0] * beta1 +
		(OSML_REAL) (1 - step->hyper.beta1) * grad;
	OSML_REAL	square = state[stride] * beta2 +
		(OSML_REAL) (1 - step->hyper.beta2) * grad * grad;
	OSML_REAL	denom = OSML_TYPED(osml_adam_denom) (step, square);

	state[0] = mean;
	state[stride] = square;
	return param - (OSML_REAL) step->step_size * mean / denom;
}

/* how far a gradient of 1 moves the parameter in this step, as it moved after it */
OSML_RULE OSML_REAL
OSML_TYPED(osml_optim_adam_rate) (const OsmlOptimStep *step, const OSML_REAL *state,
								  size_t stride)
{
	return (OSML_REAL) step->lr / OSML_TYPED(osml_adam_denom) (step, state[stride]);
}

/* one parameter: returns its new value; the decay is part of the gradient */
OSML_RULE OSML_REAL
OSML_TYPED(osml_optim_adam) (const OsmlOptimStep *step, OSML_REAL param,
							 OSML_REAL grad, OSML_REAL *state, size_t stride)
{
	if (step->hyper.weight_decay != 0)
		grad = grad + (OSML_REAL) step->hyper.weight_decay * param;
	return OSML_TYPED(osml_adam_core) (step, param, grad, state, stride);
}

#endif							/* OSML_OPTIM_ADAM_H */
