/*
 * shuffle.h
 *	  Orders of blocks and of the rows inside a window of blocks.
 *
 * After CorgiPile (Xu et al., SIGMOD 2022): blocks are taken in seeded random
 * order into a window of many blocks, and the rows of the window are shuffled.
 * With a window as large as the data this is a full shuffle.
 *
 * Unlike CorgiPile's, the draw is stratified: a window gets one block of each
 * of as many equal stretches of the data.  In a table sorted by its label the
 * mean label of w blocks drawn independently is off by w^-1/2 of the deviation,
 * and training follows it there while the window lasts; that of a stratified
 * window is off by w^-3/2, and less where neighbouring stretches even out, so
 * that a few blocks of memory will do.
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

/*
 * order[n]: 0..n-1 dealt to windows, drawn for this seed and epoch.  Window w
 * ends before place window_end[w]; sizes differ by one at most.
 */
extern void osml_shuffle_order(OsmlShuffleKey key, uint32 *order, uint32 n,
							   uint32 *window_end, uint32 n_windows);

/*
 * Shuffle the rows of n blocks among each other, in place.  All but the last
 * are full; all are raw, or all are prepared for the given precision.  Takes
 * OSML_SHUFFLE_ROW_BYTES of memory a row meanwhile.
 */
#define OSML_SHUFFLE_ROW_BYTES (sizeof(uint32) + sizeof(uint64))
extern void osml_shuffle_rows(const OsmlLayout *layout, OsmlPrecision precision,
							  OsmlBlock **blocks, int n, OsmlShuffleKey key);

#endif							/* OSML_SHUFFLE_H */
