/*
 * link.c
 *	  From outputs to predictions; see link.h.
 */
#include "rules/loss/link.h"

#include <math.h>
#include <stddef.h>

static double
logistic(double z)
{
	double		power = exp(-fabs(z));

	return z < 0 ? power / (1 + power) : 1 / (1 + power);
}

/* one row's logits, n values apart */
static void
softmax(int k, int n, double *z)
{
	double		most = z[0];
	double		sum = 0;

	for (int c = 1; c < k; c++)
		most = fmax(most, z[(size_t) c * n]);
	for (int c = 0; c < k; c++)
	{
		z[(size_t) c * n] = exp(z[(size_t) c * n] - most);
		sum += z[(size_t) c * n];
	}
	for (int c = 0; c < k; c++)
		z[(size_t) c * n] /= sum;
}

void
osml_link_apply(OsmlLink link, int n_outputs, int n, double *z)
{
	for (int i = 0; link != OSML_LINK_IDENTITY && i < n; i++)
	{
		if (link == OSML_LINK_SOFTMAX)
			softmax(n_outputs, n, z + i);
		else
			z[i] = link == OSML_LINK_EXP ? exp(z[i]) : logistic(z[i]);
	}
}
