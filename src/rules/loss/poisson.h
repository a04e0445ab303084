/*
 * poisson.h
 *	  Counts, with the logarithm of their mean as the output:
 *	  torch.nn.PoissonNLLLoss(log_input=True, full=False).
 */
#ifndef OSML_LOSS_POISSON_H
#define OSML_LOSS_POISSON_H
#define OSML_RULE_FILE "rules/loss/poisson.h"
#include "rules/both.h"
#define OSML_LOSS_POISSON_H_DONE
#elif !defined(OSML_LOSS_POISSON_H_DONE)

/* one row: e^z - y z, without the term log(y!) that no weight changes; *slope =
 * e^z - y */
OSML_RULE OSML_REAL
OSML_TYPED(osml_loss_poisson) (OSML_REAL z, OSML_REAL y, OSML_REAL param,
							   OSML_REAL *slope)
{
	OSML_REAL	mean = OSML_EXP(z);

	(void) param;
	*slope = mean - y;
	return mean - y * z;
}

#endif							/* OSML_LOSS_POISSON_H */
