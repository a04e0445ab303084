/*
 * mse.h
 *	  Squared error, torch.nn.MSELoss: (z - y)^2.
 */
#ifndef OSML_LOSS_MSE_H
#define OSML_LOSS_MSE_H
#define OSML_RULE_FILE "rules/loss/mse.h"
#include "rules/both.h"
#define OSML_LOSS_MSE_H_DONE
#elif !defined(OSML_LOSS_MSE_H_DONE)

/* one row: returns the value, *slope = d value / d z = 2 (z - y) */
OSML_RULE OSML_REAL
OSML_TYPED(osml_loss_mse) (OSML_REAL z, OSML_REAL y, OSML_REAL param,
						   OSML_REAL *slope)
{
	OSML_REAL	diff = z - y;

	(void) param;
	*slope = 2 * diff;
	return diff * diff;
}

#endif							/* OSML_LOSS_MSE_H */
