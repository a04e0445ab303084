/*
 * rank_code.h
 *	  Keys, levels and codes of a rank's entries; for rank*.c only.
 */
#ifndef OSML_RANK_CODE_H
#define OSML_RANK_CODE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "rules/metric/rank.h"

/* bits of a key: a double without its sign */
#define OSML_RANK_KEY_BITS 63

/* the bits of 0.5, and those of infinity */
#define OSML_RANK_HALF UINT64_C(0x3FE0000000000000)
#define OSML_RANK_INFINITY UINT64_C(0x7FF0000000000000)

/*
 * The bits of a positive double sort as it does, and have the same relative
 * resolution everywhere.  Shares above a half are mirrored, so that those near
 * 1 are told apart as well as those near 0: there 1 - p is exact.
 */
static inline uint64_t
osml_rank_key(double score, bool is_share)
{
	bool		mirror = is_share && score > 0.5;
	double		x = mirror ? 1 - score : score + 0.0;	/* no negative zero */
	uint64_t	bits;

	memcpy(&bits, &x, sizeof(bits));
	return mirror ? 2 * OSML_RANK_HALF - bits : bits;
}

/* the score of a key */
static inline double
osml_rank_score(uint64_t key, bool is_share)
{
	bool		mirror = is_share && key > OSML_RANK_HALF;
	uint64_t	bits = mirror ? 2 * OSML_RANK_HALF - key : key;
	double		x;

	/* a block may reach beyond the last key, 1 or infinity */
	if (mirror && key > 2 * OSML_RANK_HALF)
		bits = 0;
	if (!mirror && key > OSML_RANK_INFINITY)
		bits = OSML_RANK_INFINITY;
	memcpy(&x, &bits, sizeof(x));
	return mirror ? 1 - x : x;
}

/* the block of 2^level keys that key is in */
static inline uint64_t
osml_rank_code(uint64_t key, int level)
{
	return ((key >> level) << 1 | 1) << level;
}

static inline int
osml_rank_level(uint64_t code)
{
	return __builtin_ctzll(code);
}

static inline uint64_t
osml_rank_first_key(uint64_t code)
{
	int			level = osml_rank_level(code);

	return code >> 1 >> level << level;
}

static inline uint64_t
osml_rank_last_key(uint64_t code)
{
	return osml_rank_first_key(code) + ((UINT64_C(1) << osml_rank_level(code)) - 1);
}

/* does a's block contain b's? */
static inline bool
osml_rank_covers(uint64_t a, uint64_t b)
{
	int			level = osml_rank_level(a);

	return osml_rank_level(b) <= level && ((a ^ b) >> level >> 1) == 0;
}

/* make at most half of the capacity's entries of these; needs no memory */
extern void osml_rank_coarsen(OsmlRank *rank);

#endif							/* OSML_RANK_CODE_H */
