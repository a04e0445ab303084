/*
 * tally.h
 *	  The most frequent keys of a stream, with their counts, in bounded memory.
 *
 * Exact while there are at most twice `capacity` different keys, or as many as
 * there is room for.  When there are more, keys with the smallest counts make
 * room, and what a key may have lost is bounded by osml_tally_error(): a key that
 * is more frequent than that is always there, and a count is never too high.  The
 * bound itself is at most rows / capacity, for merged tallies too.  The texts of
 * keys are kept as long as their keys are.
 *
 * Sources: the bound that rises with the keys that go is that of Space-Saving,
 * Metwally et al., ICDT 2005, and so is choosing by the counts that are sure; why
 * it holds for merged parts, Agarwal et al., "Mergeable summaries", PODS 2012.
 */
#ifndef OSML_TALLY_H
#define OSML_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"

/* longest text that is kept, in bytes: a table of them is memory too.  A longer
 * one counts as never told */
#define OSML_TALLY_TEXT 1024

/* texts told before their keys are counted: as many as a block has */
#define OSML_TALLY_PENDING 1024

typedef struct OsmlTally OsmlTally;

typedef struct OsmlTallyEntry
{
	uint64_t	key;
	int64_t		count;
	const char *text;			/* NUL-terminated; NULL: never told */
} OsmlTallyEntry;

extern OsmlTally *osml_tally_create(const OsmlArena *arena, int capacity);

/* bytes that tallies may take together, tables and texts; each may hold twice its
 * capacity even when there are none left */
typedef struct OsmlTallyRoom
{
	int64_t		left;
} OsmlTallyRoom;

/* hold as many keys as there is room for; the room stays the caller's, and must
 * last as long as the tally */
extern void osml_tally_share_room(OsmlTally *tally, OsmlTallyRoom *room);

/* bytes that a tally without room takes at most, texts aside; told: keys have texts */
extern size_t osml_tally_most_bytes(int capacity, bool told);

/* count n keys; OSML_KEY_NULL is not counted.  use[i] false: not row i; use may
 * be NULL */
extern OsmlStatus osml_tally_add(OsmlTally *tally, const uint64_t *keys,
								 const bool *use, int n);

/*
 * The text of a key that the next osml_tally_add() counts, or that has been
 * counted.  At most OSML_TALLY_PENDING are kept ahead of their keys.  A key
 * that made room takes its text along, so tell it again when it comes back.
 */
extern OsmlStatus osml_tally_text(OsmlTally *tally, uint64_t key,
								  const char *text, size_t length);

/* counts and texts of `from` are added */
extern OsmlStatus osml_tally_merge(OsmlTally *into, const OsmlTally *from);

extern int	osml_tally_capacity(const OsmlTally *tally);
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

/* NULL when memory is out or the bytes are no tally */
extern OsmlTally *osml_tally_read(const OsmlArena *arena, const void *bytes,
								  size_t size);

/* give all of its memory back; NULL is fine */
extern void osml_tally_free(OsmlTally *tally);

#endif							/* OSML_TALLY_H */
