/*
 * anneal.c
 *	  Learning rates of stochastic weight averaging: see anneal.h.
 */
#include "rules/average/anneal.h"

#include <math.h>

double
osml_anneal(OsmlAnneal strategy, double from, double to, int64_t epoch, int64_t epochs)
{
	double		passed;
	double		share;

	if (epoch >= epochs)
		return to;
	passed = (double) epoch / (double) epochs;
	share = strategy == OSML_ANNEAL_COS ? (1 - cos(M_PI * passed)) / 2 : passed;
	return to * share + from * (1 - share);
}
