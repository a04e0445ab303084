/*
 * logloss.h
 *	  Binary cross entropy of a logit, torch.nn.BCEWithLogitsLoss.
 */
#ifndef OSML_LOSS_LOGLOSS_H
#define OSML_LOSS_LOGLOSS_H
#define OSML_RULE_FILE "rules/loss/logloss.h"
#include "rules/both.h"
#define OSML_LOSS_LOGLOSS_H_DONE
#elif !defined(OSML_LOSS_LOGLOSS_H_DONE)

/*
 * One row, y in [0, 1]: -y log p - (1 - y) log(1 - p) with p = 1 / (1 + e^-z),
 * written so that no power of e is above 1.  *slope = p - y.
 */
OSML_RULE OSML_REAL
OSML_TYPED(osml_loss_logloss) (OSML_REAL z, OSML_REAL y, OSML_REAL param,
							   OSML_REAL *slope)
{
	OSML_REAL	power = OSML_EXP(z < 0 ? z : -z);
	OSML_REAL	p = z < 0 ? power / (1 + power) : 1 / (1 + power);
	OSML_REAL	above = z < 0 ? 0 : z;

	(void) param;
	*slope = p - y;
	return above - z * y + OSML_LOG1P(power);
}

#endif							/* OSML_LOSS_LOGLOSS_H */
