/*
 * swa.h
 *	  Stochastic weight averaging: the mean of all parameters so far, as
 *	  torch.optim.swa_utils.AveragedModel.
 *
 * Source: Izmailov et al., "Averaging Weights Leads to Wider Optima and Better
 * Generalization", UAI 2018.
 */
#ifndef OSML_AVERAGE_SWA_H
#define OSML_AVERAGE_SWA_H
#define OSML_RULE_FILE "rules/average/swa.h"
#include "rules/both.h"
#define OSML_AVERAGE_SWA_H_DONE
#elif !defined(OSML_AVERAGE_SWA_H_DONE)

/* one parameter, after n others have been averaged; decay is unused */
OSML_RULE OSML_REAL
OSML_TYPED(osml_average_swa) (OSML_REAL average, OSML_REAL param, double decay,
							  int64_t n)
{
	(void) decay;
	return average + (param - average) / (OSML_REAL) (n + 1);
}

#endif							/* OSML_AVERAGE_SWA_H */
