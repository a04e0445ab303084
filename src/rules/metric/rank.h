/*
 * rank.h
 *	  The weights of two classes over a score, in order of the score: what
 *	  medians and ranking metrics are made from, in bounded memory.
 *
 * A score is a key of 63 bits that sorts as the scores do.  An entry stands for
 * a block of 2^level keys that starts at a multiple of 2^level; the entries are
 * in order and share no key.  While there are at most `capacity` different
 * scores every entry is one of them (level 0) and all answers are exact.  Then
 * neighbours become one entry, level by level, until half of the capacity is
 * free, but only while it has at most a share of OSML_RANK_SHARE / capacity of
 * either class: so crowds of scores keep narrow blocks, and a score that many
 * rows have keeps an entry of its own.  Later scores go to the entry whose block
 * they are in, or become new entries.
 *
 * So the weights of an entry are always exact, and what is lost is the order
 * within it.  Measured in test_rank.c with 2^17 and 2^13 entries over 10^6 rows,
 * an AUC is off by less than 1e-5, an average precision by less than 1e-4 and a
 * median by less than a thousandth.  Rows in
 * an order where a crowd comes late, and between scores that had been few, do
 * worse: osml_rank_uncertainty() says how wrong an AUC can be in the worst case.
 *
 * Blocks are nested or apart, whoever made them, so that two ranks merge.
 * The idea of merging light neighbours in a trie of keys is that of the
 * q-digest, Shrivastava et al., "Medians and Beyond", SenSys 2004; unlike there
 * a weight never moves to a block around other entries.
 *
 * Next: curve.h (what is read from a rank).
 */
#ifndef OSML_RANK_H
#define OSML_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"

#define OSML_RANK_SHARE 8.0

/*
 * The block is in the code: above its marker, the lowest bit that is set, stand
 * the bits that its keys share, and the marker is bit `level`.  Codes sort like
 * the middles of their blocks.
 */
typedef struct OsmlRankEntry
{
	uint64_t	code;
	double		weight[2];		/* of the first class, of the second */
} OsmlRankEntry;

/* a score that has come in and is not yet in order */
typedef struct OsmlRankPoint
{
	uint64_t	code;
	double		weight;			/* negative: of the first class */
} OsmlRankPoint;

typedef struct OsmlRank
{
	const OsmlArena *arena;
	int			capacity;
	bool		is_share;		/* scores are in [0, 1], see osml_rank_key() */
	bool		is_exact;		/* all entries are single scores */
	int			n_entries;
	OsmlRankEntry *entries;		/* ascending */
	int			n_points;
	int			room;			/* for points; grows up to capacity */
	OsmlRankPoint *points;
} OsmlRank;

/* an empty one; is_share: scores are in [0, 1], else at least 0 */
extern void osml_rank_init(OsmlRank *rank, const OsmlArena *arena, int capacity,
						   bool is_share);
extern void osml_rank_clear(OsmlRank *rank);

/* n scores: of the class second[i] (NULL: the first), of weight[i] (NULL: 1) */
extern OsmlStatus osml_rank_add(OsmlRank *rank, int n, const double *score,
								const bool *second, const double *weight);

/* put what has come in in its place; reading needs it */
extern OsmlStatus osml_rank_settle(OsmlRank *rank);

/* `from` has been settled */
extern OsmlStatus osml_rank_merge(OsmlRank *into, const OsmlRank *from);

/* an empty rank takes n entries that another one had; BAD_FORMAT: it had not */
extern OsmlStatus osml_rank_restore(OsmlRank *rank, const OsmlRankEntry *entries,
									int n, bool is_exact);

/* --- reading a settled rank -------------------------------------------- */

/* the lowest and the highest score that entry i may stand for */
extern double osml_rank_low(const OsmlRank *rank, int i);
extern double osml_rank_high(const OsmlRank *rank, int i);

/* weights of the first and of the second class */
extern void osml_rank_totals(const OsmlRank *rank, double totals[2]);

/* the score with half of the first class's weight on either side */
extern double osml_rank_median(const OsmlRank *rank);

/* probability that the second class has the higher score; NaN without either */
extern double osml_rank_auc(const OsmlRank *rank);

/* how much osml_rank_auc() may be off; 0: exact */
extern double osml_rank_uncertainty(const OsmlRank *rank);

/* sum over thresholds of precision times the recall that it adds; within an entry of
 * several scores that is integrated over an even mixture */
extern double osml_rank_average_precision(const OsmlRank *rank);

#endif							/* OSML_RANK_H */
