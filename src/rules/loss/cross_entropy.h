/*
 * cross_entropy.h
 *	  Cross entropy of k logits, torch.nn.CrossEntropyLoss.
 */
#ifndef OSML_LOSS_CROSS_ENTROPY_H
#define OSML_LOSS_CROSS_ENTROPY_H
#define OSML_RULE_FILE "rules/loss/cross_entropy.h"
#include "rules/both.h"
#define OSML_LOSS_CROSS_ENTROPY_H_DONE
#elif !defined(OSML_LOSS_CROSS_ENTROPY_H_DONE)

/*
 * One row with logits z[0], z[stride], ... of k classes and the number y of its
 * class: log(sum e^z) - z[y], the largest z taken out of the sum first.
 * slope[c * stride] = p[c], less 1 at y.
 */
OSML_RULE OSML_REAL
OSML_TYPED(osml_loss_cross_entropy) (int k, size_t stride, const OSML_REAL *z,
									 OSML_REAL y, OSML_REAL *slope)
{
	int			class = (int) y;
	OSML_REAL	most = z[0];
	OSML_REAL	sum = 0;

	/* a NaN stays in the sum below, whichever is the largest */
	for (int c = 1; c < k; c++)
		most = z[(size_t) c * stride] > most ? z[(size_t) c * stride] : most;
	for (int c = 0; c < k; c++)
	{
		slope[(size_t) c * stride] = OSML_EXP(z[(size_t) c * stride] - most);
		sum += slope[(size_t) c * stride];
	}
	for (int c = 0; c < k; c++)
		slope[(size_t) c * stride] /= sum;
	slope[(size_t) class * stride] -= 1;
	return OSML_LOG(sum) + most - z[(size_t) class * stride];
}

#endif							/* OSML_LOSS_CROSS_ENTROPY_H */
