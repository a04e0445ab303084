/*
 * twins.h
 *	  Rows that come more than once, and rows of two parts that are the same.
 *
 * Rows are hashed (osml_cells_hash()), and the smallest hashes kept (bottom.h): of
 * rows as a whole, and of groups, whose upper bits are the features and whose lower ones the
 * label, so that rows of the same features stand together, with all their labels.
 *
 * Are twins copies, which must not be parted by a split, or alike by chance, as
 * rows of few coarse columns are?  Rows drawn one by one, from whatever population,
 * come k times as mixed Poisson counts do: with f(k) rows that come k times,
 * k! f(k) is log-convex in k (Cauchy and Schwarz), so that many come twice only
 * where others come three times.  Copies do not keep to that.
 */
#ifndef OSML_TWINS_H
#define OSML_TWINS_H

#include <stdbool.h>

#include "features/bottom.h"

/* bits of a group's hash that are the label's */
#define OSML_TWINS_LABEL_BITS 24

typedef struct OsmlTwins
{
	double		share;			/* of the rows, that have a twin: what is to be
								 * expected of another draw from the same
								 * population */
	double		agree;			/* chance that of two rows of the same features both
								 * have one label; NaN: there are no two */
	bool		copies;			/* twins are, for the most part */
} OsmlTwins;

/* After osml_bottom_finish() of both.  alike: the chance that any two rows have one
 * label. */
extern void osml_twins(const OsmlBottom *rows, const OsmlBottom *groups, double alike,
					   OsmlTwins *twins);

/* After _finish() of both: the share of the rows of b whose hash a has too.  0
 * without rows. */
typedef struct OsmlOverlap
{
	double		share;
	int64_t		rows;			/* of b that were compared */
} OsmlOverlap;

extern void osml_overlap(const OsmlBottom *a, const OsmlBottom *b, OsmlOverlap *overlap);

/* Do the two share more rows than another draw would?  twins: of a. */
extern bool osml_overlap_is_leak(const OsmlOverlap *overlap, const OsmlTwins *twins);

#endif							/* OSML_TWINS_H */
