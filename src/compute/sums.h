/*
 * sums.h
 *	  XᵀX and Xᵀy of a whole pass, centred: all that exact least squares needs.
 *
 * Values are measured from the first row, each block is centred on its own
 * means before it is multiplied, and blocks are merged as variances are
 * (stats.h): columns such as a longitude, a large mean with a tiny spread, keep
 * their digits, and a constant column has products of exactly 0.
 *
 * Rows with missing values must not come here: the caller imputes or skips.
 *
 * Next: ols.h (the solution).
 */
#ifndef OSML_SUMS_H
#define OSML_SUMS_H

#include "compute/block.h"

typedef struct OsmlSums
{
	int			d;				/* dense columns */
	int64_t		n;				/* rows */
	double		mean_y;
	double		m2_y;			/* sum of (y - mean_y)^2 */
	double	   *mean;			/* [d] */
	double	   *origin;			/* [d + 1] first row; the label last */
	double	   *shift;			/* [d + 1] mean - origin, not yet rounded */
	double	   *xy;				/* [d] sum of (x_j - mean_j) (y - mean_y) */
	double	   *xx;				/* [d x d], both triangles: centred products */
} OsmlSums;

/* bytes of memory that osml_sums_init lays out */
extern size_t osml_sums_bytes(int d);

/* lay an empty OsmlSums out in memory (8-byte aligned) and return it */
extern OsmlSums *osml_sums_init(void *memory, int d);

/* bytes of scratch that osml_sums_block needs (8-byte aligned) */
extern size_t osml_sums_scratch(int d);

/* add a raw (float64) block: dense columns and label */
extern void osml_sums_block(OsmlSums *sums, const OsmlLayout *layout,
							const OsmlBlock *raw, void *scratch);

/* add other sums; delta is scratch of d + 1 values */
extern void osml_sums_merge(OsmlSums *into, const OsmlSums *from, double *delta);

#endif							/* OSML_SUMS_H */
