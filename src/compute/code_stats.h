/*
 * code_stats.h
 *	  How many rows have each code, and the mean of their labels.
 *
 * Entries are laid out like a linear model's tables: those of code column 0,
 * then 1, ...  A mean is updated row by row, so it is stable and depends on the
 * order of rows alone.
 */
#ifndef OSML_CODE_STATS_H
#define OSML_CODE_STATS_H

#include "compute/block.h"

typedef struct OsmlCodeStats
{
	int64_t    *count;			/* [osml_layout_entries()] */
	double	   *label_mean;		/* likewise; 0 without a row */
} OsmlCodeStats;

/* add a raw block: codes, and labels in their own units */
extern void osml_code_stats_block(OsmlCodeStats *stats, const OsmlLayout *layout,
								  const OsmlBlock *raw);

/* codes that have rows */
extern int64_t osml_code_stats_used(const int64_t *count, int64_t n_codes);

/*
 * Up to `most` of the codes that have rows, the most frequent ones, of equals the
 * lower code; in ascending order.  Returns their number.
 */
extern int	osml_code_stats_frequent(const int64_t *count, int64_t n_codes, int most,
									 int32_t *codes);

#endif							/* OSML_CODE_STATS_H */
