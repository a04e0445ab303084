/*
 * sgd.h
 *	  Stochastic gradient descent with momentum, as torch.optim.SGD.
 *
 * One state slot: the momentum buffer.  The first step sets it to the gradient
 * itself, undampened, as PyTorch does.
 */
#ifndef OSML_OPTIM_SGD_H
#define OSML_OPTIM_SGD_H
#include "rules/optim/step.h"

/* without momentum and decay a parameter follows its gradient alone */
static inline bool
osml_optim_sgd_follows(const OsmlOptimHyper *hyper)
{
	return hyper->momentum == 0 && hyper->weight_decay == 0;
}

#define OSML_RULE_FILE "rules/optim/sgd.h"
#include "rules/both.h"
#define OSML_OPTIM_SGD_H_DONE
#elif !defined(OSML_OPTIM_SGD_H_DONE)

/*
 * One parameter: returns its new value.  state[0] is the momentum buffer;
 * stride is unused.
 */
OSML_RULE OSML_REAL
OSML_TYPED(osml_optim_sgd) (const OsmlOptimStep *step, OSML_REAL param,
							OSML_REAL grad, OSML_REAL *state, size_t stride)
{
	const OsmlOptimHyper *hyper = &step->hyper;
	OSML_REAL	momentum = (OSML_REAL) hyper->momentum;

	(void) stride;
	if (hyper->weight_decay != 0)
		grad = grad + (OSML_REAL) hyper->weight_decay * param;
	if (hyper->momentum != 0)
	{
		OSML_REAL	buffer = grad;

		if (step->step > 1)
			buffer = momentum * state[0] +
				(OSML_REAL) (1 - hyper->dampening) * grad;
		state[0] = buffer;
		grad = hyper->nesterov ? grad + momentum * buffer : buffer;
	}
	return param - (OSML_REAL) step->lr * grad;
}

/* how far a gradient of 1 moves the parameter: by all of its momentum in the end */
OSML_RULE OSML_REAL
OSML_TYPED(osml_optim_sgd_rate) (const OsmlOptimStep *step, const OSML_REAL *state,
								 size_t stride)
{
	const OsmlOptimHyper *hyper = &step->hyper;
	double		momentum = hyper->momentum < 1 ? hyper->momentum : 0;

	(void) state;
	(void) stride;
	return (OSML_REAL) (step->lr * (momentum == 0 ? 1 :
									(1 - hyper->dampening) / (1 - momentum)));
}

#endif							/* OSML_OPTIM_SGD_H */
