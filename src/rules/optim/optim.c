/*
 * optim.c
 *	  The table behind optim.h, and the scalars of a step.
 */
#include "rules/optim/optim.h"

#include <math.h>

const OsmlOptimInfo osml_optims[] = {
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
	{name, meaning, slots, weight_decay, function##_follows},
#include "rules/optim/list.h"
#undef OSML_OPTIM
};

/* the optimiser of that name, whatever its case, or -1 */
int
osml_optim_by_name(const char *name)
{
	for (int i = 0; i < OSML_OPTIM_COUNT; i++)
	{
		if (osml_name_compare(name, osml_optims[i].name) == 0)
			return i;
	}
	return -1;
}

/* the name as users write it */
const char *
osml_optim_name(OsmlOptim optim)
{
	return osml_optims[optim].name;
}

/* values of state per parameter; the closed form, which is behind the list, has none */
int
osml_optim_slots(OsmlOptim optim)
{
	return optim < OSML_OPTIM_COUNT ? osml_optims[optim].slots : 0;
}

/* the default weight decay: PyTorch's differs between Adam and AdamW */
double
osml_optim_weight_decay(OsmlOptim optim)
{
	return osml_optims[optim].weight_decay;
}

/* PyTorch's defaults; lr is the caller's, since SGD has none */
void
osml_optim_defaults(OsmlOptim optim, double lr, OsmlOptimHyper *hyper)
{
	*hyper = (OsmlOptimHyper)
	{
		.lr = lr,
		.weight_decay = osml_optims[optim].weight_decay,
		.beta1 = 0.9,
		.beta2 = 0.999,
		.eps = 1e-8
	};
}

/*
 * Work out what all parameters of a step share.  pow() on the step's number,
 * not a running product, so that a resumed run has the same bits.
 */
void
osml_optim_begin_step(OsmlOptimStep *out, const OsmlOptimHyper *hyper,
					  double lr_now, int64_t step)
{
	out->hyper = *hyper;
	out->lr = lr_now;
	out->step = step;
	out->step_size = lr_now / (1 - pow(hyper->beta1, (double) step));
	out->bias_correction2_sqrt = sqrt(1 - pow(hyper->beta2, (double) step));
	out->decay_factor = 1 - lr_now * hyper->weight_decay;
}
