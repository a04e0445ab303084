/*
 * gradient.h
 *	  The summed gradient of a step: scaled, measured, clipped and followed.
 *
 * A linear model with tables of many codes has a gradient that is zero almost
 * everywhere.  Where a model says which parts rows touch (OsmlModelOps.touch), only
 * those are gone through, and in the update all that has ever moved: what the
 * optimiser does to a parameter of 0 that has had no gradient yet is nothing.  The
 * bits are those of going through everything.
 */
#ifndef OSML_GRADIENT_H
#define OSML_GRADIENT_H

#include "model/model.h"

typedef struct OsmlGradient
{
	const OsmlModelSpec *spec;
	const OsmlBackend *backend;
	size_t		n;
	void	   *values;			/* n, in the compute type; zeroes at the start */
	uint64_t   *touched;		/* pages that are not all zero; NULL: any may be */
	uint64_t   *moving;			/* pages of parameters that an update may change */
	bool		moving_known;
} OsmlGradient;

/*
 * Words of memory, zeroed, that pages take: 0 where they are of no use.  It is for
 * osml_gradient_init(), with pages NULL in that case.
 */
extern size_t osml_gradient_pages(const OsmlModelSpec *spec);
extern void osml_gradient_init(OsmlGradient *gradient, const OsmlModelSpec *spec,
							   const OsmlBackend *backend, void *values, uint64_t *pages);

/* rows [lo, hi) of the block are being added to values */
extern void osml_gradient_rows(OsmlGradient *gradient, const OsmlBlock *block, int lo, int hi);

extern void osml_gradient_scale(OsmlGradient *gradient, double factor);
extern double osml_gradient_norm(const OsmlGradient *gradient);
extern void osml_gradient_clamp(OsmlGradient *gradient, double limit);

/* one update of parameters and state, which nobody else changed since the last one,
 * unless back to what they were once */
extern void osml_gradient_step(OsmlGradient *gradient, OsmlOptim optim,
							   const OsmlOptimStep *step, void *params, void *state);

/* all zero again */
extern void osml_gradient_clear(OsmlGradient *gradient);

#endif							/* OSML_GRADIENT_H */
