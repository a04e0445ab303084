/*
 * shuffle.h
 *	  Orders of blocks and of the rows inside a window of blocks.
 *
 * After CorgiPile (Xu et al., SIGMOD 2022): blocks are taken in seeded random
 * order into a window of many blocks, and the rows of the window are shuffled.
 * With a window as large as the data this is a full shuffle.
 */
#ifndef OSML_SHUFFLE_H
#define OSML_SHUFFLE_H

#include "compute/block.h"

/* what tells one draw from another */
typedef struct OsmlShuffleKey
{
	uint64		seed;
	uint32		epoch;			/* 0 for draws that are kept for the whole run */
	uint32		draw;			/* window within the epoch; lane in the high bits */
} OsmlShuffleKey;

/* order[n]: a random order of 0..n-1 for this seed and epoch */
extern void osml_shuffle_order(OsmlShuffleKey key, uint32 *order, uint32 n);

/*
 * Shuffle the rows of n blocks among each other, in place.  All but the last
 * are full; all are raw, or all are prepared for the given precision.
 */
extern void osml_shuffle_rows(const OsmlLayout *layout, OsmlPrecision precision,
							  OsmlBlock **blocks, int n, OsmlShuffleKey key);

#endif							/* OSML_SHUFFLE_H */
