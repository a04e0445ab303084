/*
 * rowhash.h
 *	  A hash of each row's raw values: for splits and for fingerprints.
 *
 * A row hashes the same wherever it is stored and whoever reads it, so a split
 * on the hash keeps equal rows on one side, and the wrapping sum of the hashes
 * is a fingerprint of the data that does not depend on order.  Not
 * cryptographic.
 *
 * Source: the mixing steps of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
 */
#ifndef OSML_ROWHASH_H
#define OSML_ROWHASH_H

#include "compute/block.h"

/*
 * hash[r] for each row of a raw block, over dense columns, label, weight, keys
 * and codes in layout order.  -0.0 counts as 0.0 and all NaNs as one value; keys
 * are bits, of which none are equal to others.
 */
extern void osml_row_hash_block(const OsmlLayout *layout, const OsmlBlock *raw,
								uint64_t seed, uint64_t *hash);

/*
 * What n rows add to a fingerprint that depends on their order: the first of them is at
 * this position.  However rows are cut into blocks, the wrapping sum is the same.
 */
extern uint64_t osml_row_hash_ordered(int n, const uint64_t *hash, uint64_t position);

/* the hash as a number in [0, 1): a row is held out when it is below p */
static inline double
osml_row_hash_unit(uint64_t hash)
{
	return (double) (hash >> 11) * 0x1p-53;
}

#endif							/* OSML_ROWHASH_H */
