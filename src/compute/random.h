/*
 * random.h
 *	  Random numbers without state: value = f(key, counter).
 *
 * Shuffles, splits and dropout ask for number `counter` of a stream, so
 * threads, readers, replicas and a resumed run all see the same numbers
 * whatever the order in which they ask.
 *
 * Source: Philox4x32-10, Salmon, Moraes, Dror and Shaw, "Parallel random
 * numbers: as easy as 1, 2, 3", SC 2011.
 */
#ifndef OSML_RANDOM_H
#define OSML_RANDOM_H

#include <stdint.h>

/*
 * What the numbers are for.  Two purposes never share numbers, so a split does
 * not depend on whether rows were shuffled.  Append only: a stored run must
 * draw the same numbers after an upgrade.
 */
typedef enum OsmlStream
{
	OSML_STREAM_SHUFFLE_BLOCKS = 1,
	OSML_STREAM_SHUFFLE_ROWS,
	OSML_STREAM_SPLIT,
	OSML_STREAM_DROPOUT,
	OSML_STREAM_SAMPLE,
	OSML_STREAM_PERMUTE
} OsmlStream;

typedef struct OsmlRandomKey
{
	uint64_t	seed;
	uint32_t	stream;			/* OsmlStream */
	uint32_t	epoch;			/* or any other number that tells draws apart */
} OsmlRandomKey;

/* number `counter` of the stream: 64 random bits */
extern uint64_t osml_random_u64(OsmlRandomKey key, uint64_t counter);

/* in [0, n), n > 0; the bias is below n / 2^64 */
extern uint64_t osml_random_below(OsmlRandomKey key, uint64_t counter,
								  uint64_t n);

/* in [0, 1), 53 bits */
extern double osml_random_unit(OsmlRandomKey key, uint64_t counter);

/*
 * order = a random order of 0 .. n - 1 in which each run of consecutive places
 * is spread evenly: 2^k places from a multiple of 2^k on hold one number of
 * each of 2^k equal strata.
 */
extern void osml_random_spread(OsmlRandomKey key, uint32_t *order, uint32_t n);

/*
 * For tables of random bits: out[k * n + i] = word k of four of the block at
 * counter first + i, with high above it.  Word 0 is the low half of
 * osml_random_u64(key, high << 32 | (first + i)).
 */
extern void osml_random_words(OsmlRandomKey key, uint32_t first, uint32_t high, int n,
							  uint32_t *out);

/* one Philox4x32-10 block: out[4] from counter[4] and key[2] */
extern void osml_philox(const uint32_t counter[4], const uint32_t key[2],
						uint32_t out[4]);

#endif							/* OSML_RANDOM_H */
