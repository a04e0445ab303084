/*
 * optim.h
 *	  The optimisers as numbers, and what is worked out once a step.
 *
 * Next: list.h (the entries), step.h (a step's scalars), sgd.h (one of them).
 */
#ifndef OSML_OPTIM_H
#define OSML_OPTIM_H

#include "rules/optim/step.h"

/* first reading: bring in the rules' headers, outside of any enum */
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning)
#include "rules/optim/list.h"
#undef OSML_OPTIM

typedef enum OsmlOptim
{
#define OSML_OPTIM(symbol, function, name, slots, weight_decay, meaning) \
	OSML_OPTIM_##symbol,
#include "rules/optim/list.h"
#undef OSML_OPTIM
	OSML_OPTIM_COUNT
} OsmlOptim;

typedef struct OsmlOptimInfo
{
	const char *name;			/* as users write it */
	const char *meaning;		/* one line for the documentation */
	int			slots;			/* state values per parameter */
	double		weight_decay;	/* default */

	/* does a step move only parameters whose gradient is not 0, whatever the state,
	 * and leave the state of the others as it is? */
	bool		(*follows) (const OsmlOptimHyper *hyper);
} OsmlOptimInfo;

/* OSML_OPTIM_COUNT entries, in the order of the enum; hints walk it */
extern const OsmlOptimInfo osml_optims[];

/* the optimiser of that name, whatever its case, or -1 */
extern int	osml_optim_by_name(const char *name);

extern const char *osml_optim_name(OsmlOptim optim);
extern int	osml_optim_slots(OsmlOptim optim);
extern double osml_optim_weight_decay(OsmlOptim optim);

/* PyTorch's defaults for this optimiser; lr as given */
extern void osml_optim_defaults(OsmlOptim optim, double lr,
								OsmlOptimHyper *hyper);

/* the scalars of step number `step` (the first is 1) at learning rate lr_now */
extern void osml_optim_begin_step(OsmlOptimStep *out,
								  const OsmlOptimHyper *hyper,
								  double lr_now, int64_t step);

#endif							/* OSML_OPTIM_H */
