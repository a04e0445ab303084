/*
 * huber.h
 *	  Huber loss, torch.nn.HuberLoss(delta): square near zero, line beyond.
 */
#ifndef OSML_LOSS_HUBER_H
#define OSML_LOSS_HUBER_H
#define OSML_RULE_FILE "rules/loss/huber.h"
#include "rules/both.h"
#define OSML_LOSS_HUBER_H_DONE
#elif !defined(OSML_LOSS_HUBER_H_DONE)

/*
 * One row, d = z - y: d^2 / 2 while |d| <= delta, else delta (|d| - delta / 2).
 * *slope is d held within [-delta, delta].  Both arms are computed and one is
 * chosen, so that the loop over rows has no branch and can be vectorised.
 */
OSML_RULE OSML_REAL
OSML_TYPED(osml_loss_huber) (OSML_REAL z, OSML_REAL y, OSML_REAL delta,
							 OSML_REAL *slope)
{
	OSML_REAL	diff = z - y;
	OSML_REAL	size = diff < 0 ? -diff : diff;
	OSML_REAL	square = (OSML_REAL) 0.5 * diff * diff;
	OSML_REAL	line = delta * (size - (OSML_REAL) 0.5 * delta);
	OSML_REAL	limit = diff < 0 ? -delta : delta;

	/* written so that a NaN takes the arms that keep it */
	*slope = size > delta ? limit : diff;
	return size > delta ? line : square;
}

#endif							/* OSML_LOSS_HUBER_H */
