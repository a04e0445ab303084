/*
 * sums_codes.h
 *	  What sums.c asks of sums_codes.c: the categories' part of the sums.
 */
#ifndef OSML_SUMS_CODES_H
#define OSML_SUMS_CODES_H

#include "compute/sums.h"

/* values of together; SIZE_MAX: more than can be counted */
extern size_t osml_sums_pairs(const OsmlLayout *layout);

/* fill table, owner and pair_at */
extern void osml_sums_number_codes(OsmlSums *sums, const OsmlLayout *layout);

/* bytes of scratch that osml_sums_codes needs (8-byte aligned) */
extern size_t osml_sums_codes_scratch(const OsmlLayout *layout);

/*
 * Add a block's categories, before sums->n is moved.  The dense columns of the
 * block, and the label behind them, stand centred in columns stride values
 * apart; delta is how far their means in the block are from those so far.
 */
extern void osml_sums_codes(OsmlSums *sums, const OsmlLayout *layout,
							const OsmlBlock *raw, const double *centred,
							int stride, const double *delta, void *scratch);

/* add other sums' categories, before into->n is moved; delta likewise */
extern void osml_sums_merge_codes(OsmlSums *into, const OsmlSums *from,
								  const double *delta);

/* the categories' shares of sums->n rows */
extern void osml_sums_shares(OsmlSums *sums);

/* the centred product of two categories */
extern double osml_sums_categories(const OsmlSums *sums, int a, int b);

#endif							/* OSML_SUMS_CODES_H */
