/*
 * sums.h
 *	  XᵀX and Xᵀy of a whole pass, centred: all that exact least squares needs.
 *
 * Values are measured from the first row, each block is centred on its own
 * means before it is multiplied, and blocks are merged as variances are
 * (stats.h): columns such as a longitude, a large mean with a tiny spread, keep
 * their digits, and a constant column has products of exactly 0.
 *
 * Each category of a code column counts as a one-hot column behind the dense
 * ones.  It is never written out: its products with dense columns are sums over
 * its rows, those with other categories are counts of rows, which are exact.
 * Categories of the same code column never meet, so that one code column of
 * thousands of categories needs no more memory than a table a dense column.
 *
 * Rows with missing values must not come here: the caller imputes or skips.
 *
 * Next: ols.h (the solution), sums_codes.h (the categories' part).
 */
#ifndef OSML_SUMS_H
#define OSML_SUMS_H

#include "compute/block.h"

typedef struct OsmlSums
{
	int			d;				/* columns: n_dense, then all categories */
	int			n_dense;
	int			n_codes;
	int64_t		n;				/* rows */
	double		mean_y;
	double		m2_y;			/* sum of (y - mean_y)^2 */
	double	   *mean;			/* [d]; of a category its share of the rows */
	double	   *origin;			/* [n_dense + 1] first row; the label last */
	double	   *shift;			/* [n_dense + 1] mean - origin, not yet rounded */
	double	   *xy;				/* [d] sum of (x_j - mean_j) (y - mean_y) */
	double	   *xx;				/* [n_dense x n_dense], both triangles: centred products */

	/* categories, numbered from 0 over all code columns */
	double	   *cx;				/* [categories x n_dense] centred products */
	double	   *count;			/* [categories] rows */
	double	   *together;		/* rows with two categories: see pair_at */
	size_t	   *pair_at;		/* [n_codes] where the rows of a code column start:
								 * one a category, with the categories of all
								 * code columns before its own */
	int		   *table;			/* [n_codes + 1] number of the first category */
	int		   *owner;			/* [categories] code column */
} OsmlSums;

/* bytes of memory that osml_sums_init lays out; SIZE_MAX: more than there is */
extern size_t osml_sums_bytes(const OsmlLayout *layout);

/* lay an empty OsmlSums out in memory (8-byte aligned) and return it */
extern OsmlSums *osml_sums_init(void *memory, const OsmlLayout *layout);

/* bytes of scratch that osml_sums_block needs (8-byte aligned) */
extern size_t osml_sums_scratch(const OsmlLayout *layout);

/* add a raw (float64) block: dense columns, label and codes */
extern void osml_sums_block(OsmlSums *sums, const OsmlLayout *layout,
							const OsmlBlock *raw, void *scratch);

/* add other sums; delta is scratch of n_dense + 1 values */
extern void osml_sums_merge(OsmlSums *into, const OsmlSums *from, double *delta);

/* the centred product of any two of the d columns */
extern double osml_sums_product(const OsmlSums *sums, int i, int j);

#endif							/* OSML_SUMS_H */
