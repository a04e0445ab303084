/*
 * mae.h
 *	  Absolute error, torch.nn.L1Loss: |z - y|.
 */
#ifndef OSML_LOSS_MAE_H
#define OSML_LOSS_MAE_H
#define OSML_RULE_FILE "rules/loss/mae.h"
#include "rules/both.h"
#define OSML_LOSS_MAE_H_DONE
#elif !defined(OSML_LOSS_MAE_H_DONE)

/* one row: returns the value, *slope = sign(z - y), with sign(0) = 0 */
OSML_RULE OSML_REAL
OSML_TYPED(osml_loss_mae) (OSML_REAL z, OSML_REAL y, OSML_REAL param,
						   OSML_REAL *slope)
{
	OSML_REAL	diff = z - y;

	(void) param;

	/* a NaN must stay one, or a diverged row would count as a perfect one */
	*slope = diff > 0 ? (OSML_REAL) 1 : (diff < 0 ? (OSML_REAL) -1 : diff);
	return diff < 0 ? -diff : diff;
}

#endif							/* OSML_LOSS_MAE_H */
