/*
 * kernel_lanes.h
 *	  The fixed sum: products added lane by lane, lanes added by halving.
 */
#ifndef OSML_KERNEL_LANES_H
#define OSML_KERNEL_LANES_H
#include "compute/kernels.h"

#define OSML_RULE_FILE "compute/kernel_lanes.h"
#include "rules/both.h"
#define OSML_KERNEL_LANES_H_DONE
#elif !defined(OSML_KERNEL_LANES_H_DONE)

#define LANES ((int) (sizeof(OSML_TYPED(OsmlLanes)) / sizeof(OSML_REAL)))

/* lanes += a b, over as many values as there are lanes */
OSML_RULE void
OSML_TYPED(osml_lanes_add_product) (OSML_TYPED(OsmlLanes) *lanes,
									const OSML_REAL *a, const OSML_REAL *b)
{
	const OSML_TYPED(OsmlVec) *x = (const OSML_TYPED(OsmlVec) *) a;
	const OSML_TYPED(OsmlVec) *y = (const OSML_TYPED(OsmlVec) *) b;

	lanes->low += x[0] * y[0];
	lanes->high += x[1] * y[1];
}

/* the same over fewer values: a lane gets 0 * 0 added, which changes nothing */
OSML_RULE void
OSML_TYPED(osml_lanes_add_tail) (OSML_TYPED(OsmlLanes) *lanes, int n,
								 const OSML_REAL *a, const OSML_REAL *b)
{
	OSML_REAL	x[LANES] = {0};
	OSML_REAL	y[LANES] = {0};

	for (int i = 0; i < n; i++)
	{
		x[i] = a[i];
		y[i] = b[i];
	}
	OSML_TYPED(osml_lanes_add_product) (lanes, x, y);
}

/* ((0+4)+(2+6)) + ((1+5)+(3+7)) for eight lanes */
OSML_RULE OSML_REAL
OSML_TYPED(osml_lanes_total) (const OSML_TYPED(OsmlLanes) *lanes)
{
	OSML_REAL	lane[LANES];

	memcpy(lane, lanes, sizeof(lane));
	for (int half = LANES / 2; half > 0; half /= 2)
		for (int i = 0; i < half; i++)
			lane[i] += lane[i + half];
	return lane[0];
}

/* four values as float64 */
OSML_RULE void
OSML_TYPED(osml_load_wide) (const OSML_REAL *v, OsmlVec_f64 *out)
{
	typedef OSML_REAL Four __attribute__((vector_size(4 * sizeof(OSML_REAL)),
										  aligned(sizeof(OSML_REAL)),
										  may_alias));

	*out = __builtin_convertvector(*(const Four *) v, OsmlVec_f64);
}

#undef LANES

#endif							/* OSML_KERNEL_LANES_H */
