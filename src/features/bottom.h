/*
 * bottom.h
 *	  The k smallest different hashes of a stream, with their counts.
 *
 * One structure answers three questions in bounded memory: how many different
 * values a stream has (exact up to k, then off by about 1/sqrt(k)), which rows
 * make a sample of k (hash the row's number), and how many rows two streams
 * share (both keep the same part of the hashes).  What is kept depends on the
 * set of hashes alone, never on their order, and the counts of what is kept
 * are exact: a hash that ends among the smallest was never put out.
 *
 * Source: Beyer, Haas, Reinwald, Sismanis and Gemulla, "On synopses for
 * distinct-value estimation under multiset operations", SIGMOD 2007.
 */
#ifndef OSML_BOTTOM_H
#define OSML_BOTTOM_H

#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"

typedef struct OsmlBottomItem
{
	uint64_t	hash;
	int64_t		count;
	int32_t		slot;			/* of what the caller keeps for it */
} OsmlBottomItem;

typedef struct OsmlBottom
{
	int			k;
	int			n;				/* items in use; sorted up to k by _finish() */
	int			n_slots;		/* slots are 0 .. n_slots - 1 */
	uint64_t	limit;			/* hashes from here on are of no use */
	OsmlBottomItem *items;
} OsmlBottom;

extern OsmlStatus osml_bottom_init(OsmlBottom *bottom, const OsmlArena *arena, int k);

/*
 * Count a hash.  Returns the slot to fill for it, or -1 when it is not among
 * the smallest.  A hash that is there already may get a second slot; one of
 * them is let go later, so the caller fills both with the same.
 */
extern int	osml_bottom_add(OsmlBottom *bottom, uint64_t hash);

/* leave at most k items, ascending, each hash once; adding may go on */
extern void osml_bottom_finish(OsmlBottom *bottom);

/* after _finish(): how many different hashes the stream had */
extern double osml_bottom_distinct(const OsmlBottom *bottom);

/* spread the bits of a value over 64: SplitMix64's last steps */
static inline uint64_t
osml_mix64(uint64_t x)
{
	x += UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
	return x ^ (x >> 31);
}

#endif							/* OSML_BOTTOM_H */
