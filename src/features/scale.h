/*
 * scale.h
 *	  Scaling constants, and the one place where raw columns become what a
 *	  model sees.  Training blocks and prediction rows both come through here.
 *
 * A column j is prepared as (x - center[j]) / scale[j]; a missing value
 * (osml_is_missing) is first replaced by impute[j].  Unscaled columns have
 * center 0 and scale 1 and keep their bits.  The label likewise, so that
 * prediction = z * label_scale + label_center.
 *
 * A float32 run narrows values and constants first and scales in float32, as
 * PyTorch does with float32 tensors.
 */
#ifndef OSML_SCALE_H
#define OSML_SCALE_H

#include "compute/block.h"

typedef struct OsmlScaling
{
	int			n;				/* dense columns */
	double	   *center;
	double	   *scale;			/* never 0: a constant column has 1 */
	double	   *impute;			/* mean over the training rows */
	double		label_center;
	double		label_scale;
} OsmlScaling;

/* Scale rows [0, nrows) of a raw block in place and narrow it for float32. */
extern void osml_prepare_block(const OsmlScaling *scaling, const OsmlLayout *layout,
							   OsmlPrecision precision, OsmlBlock *block);

/* The same for one row: raw[n] to out[n] (float32 runs round each value). */
extern void osml_prepare_row(const OsmlScaling *scaling, OsmlPrecision precision,
							 const double *raw, double *out);

/*
 * Labels of rows [lo, hi) of a prepared block, back in their own units: what
 * metrics compare predictions with.
 */
extern void osml_prepared_labels(const OsmlScaling *scaling,
								 const OsmlLayout *layout,
								 OsmlPrecision precision, const OsmlBlock *block,
								 int lo, int hi, double *out);

#endif							/* OSML_SCALE_H */
