/*
 * stats.h
 *	  Mean, spread and range of each column, in one pass over blocks.
 *
 * Everything is measured from an origin, the first value of the column: values
 * 1e9 plus noise of 1e-3 lose nothing, and a constant column has a deviation of
 * exactly 0.  Inside a block the mean comes first and the squares of deviations
 * second; blocks, readers and replicas are then merged.
 *
 * Source: Chan, Golub and LeVeque, "Algorithms for computing the sample
 * variance", The American Statistician 37 (1983).
 */
#ifndef OSML_STATS_H
#define OSML_STATS_H

#include "compute/block.h"

/* a mean of squares below this has lost digits: those of single values underflow */
#define OSML_STATS_LEAST_SQUARE 1e-300

typedef struct OsmlColumnStats
{
	int64_t		n;				/* values present */
	int64_t		missing;		/* osml_is_missing() */
	double		mean;
	double		m2;				/* sum of squared deviations from the mean */
	double		min;			/* +Inf while n is 0 */
	double		max;			/* -Inf while n is 0 */
	double		origin;			/* the first value */
	double		shift;			/* mean - origin, before it was rounded */
} OsmlColumnStats;

extern void osml_stats_init(OsmlColumnStats *stats, int n);

/* add a raw block; stats has layout->n_dense + 1 entries, the label last */
extern void osml_stats_block(OsmlColumnStats *stats, const OsmlLayout *layout,
							 const OsmlBlock *raw);

/* add one column of n values */
extern void osml_stats_column(OsmlColumnStats *stats, const double *x, int n);

extern void osml_stats_merge(OsmlColumnStats *into, const OsmlColumnStats *from);

/* population deviation, exactly 0 when all values are equal or none is there */
extern double osml_stats_deviation(const OsmlColumnStats *stats);

/* the same for people to read: NaN where values differ by so little, or so much,
 * that squares are beyond a double */
extern double osml_stats_sure_deviation(const OsmlColumnStats *stats);

/* what standardize divides by: the deviation, where 0 counts as 1 */
extern double osml_stats_std(const OsmlColumnStats *stats);

#endif							/* OSML_STATS_H */
