/*
 * tally.h
 *	  The most frequent keys of a stream, with their counts, in bounded memory.
 *
 * Exact while there are at most `capacity` different keys.  When there are
 * more, keys with the smallest counts make room, and what a key may have lost
 * is bounded by osml_tally_error(): a key that is more frequent than that is
 * always there.  The texts of keys are kept as long as their keys are.
 *
 * Source: lossy counting, Manku and Motwani, VLDB 2002.
 */
#ifndef OSML_TALLY_H
#define OSML_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"

typedef struct OsmlTally OsmlTally;

typedef struct OsmlTallyEntry
{
	uint64_t	key;
	int64_t		count;
	const char *text;			/* NUL-terminated; NULL: never told */
} OsmlTallyEntry;

extern OsmlTally *osml_tally_create(const OsmlArena *arena, int capacity);

/* count n keys; OSML_KEY_NULL is not counted.  use[i] false: not row i; use may
 * be NULL */
extern OsmlStatus osml_tally_add(OsmlTally *tally, const uint64_t *keys,
								 const bool *use, int n);

/* the text of a key that is about to be counted, or has been */
extern OsmlStatus osml_tally_text(OsmlTally *tally, uint64_t key,
								  const char *text, size_t length);

/* counts and texts of `from` are added */
extern OsmlStatus osml_tally_merge(OsmlTally *into, const OsmlTally *from);

extern int64_t osml_tally_total(const OsmlTally *tally);	/* rows counted */
extern int64_t osml_tally_error(const OsmlTally *tally);	/* 0: counts are exact */
extern int	osml_tally_size(const OsmlTally *tally);		/* keys held */

/*
 * Up to n entries with at least min_count, the most frequent first; equal
 * counts in the order of their texts' bytes (of their keys without), so that
 * the result does not depend on the order of rows.  Returns their number.
 * Texts belong to the tally.
 */
extern OsmlStatus osml_tally_top(const OsmlTally *tally, int n, int64_t min_count,
								 OsmlTallyEntry *out, int *found);

extern size_t osml_tally_bytes(const OsmlTally *tally);
extern void osml_tally_write(const OsmlTally *tally, void *bytes);
extern OsmlTally *osml_tally_read(const OsmlArena *arena, const void *bytes, size_t size);

#endif							/* OSML_TALLY_H */
