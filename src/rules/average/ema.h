/*
 * ema.h
 *	  Exponential moving average of parameters.
 */
#ifndef OSML_AVERAGE_EMA_H
#define OSML_AVERAGE_EMA_H
#define OSML_RULE_FILE "rules/average/ema.h"
#include "rules/both.h"
#define OSML_AVERAGE_EMA_H_DONE
#elif !defined(OSML_AVERAGE_EMA_H_DONE)

/*
 * One parameter: decay * average + (1 - decay) * param, written as
 * torch.optim.swa_utils.get_ema_multi_avg_fn does, which keeps a parameter that
 * does not change.  n, how many have been averaged before, is unused.
 */
OSML_RULE OSML_REAL
OSML_TYPED(osml_average_ema) (OSML_REAL average, OSML_REAL param, double decay,
							  int64_t n)
{
	(void) n;
	return average + (OSML_REAL) (1 - decay) * (param - average);
}

#endif							/* OSML_AVERAGE_EMA_H */
