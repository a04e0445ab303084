/*
 * valuehash.h
 *	  A hash of values that outlives server, version and machine.
 *
 * Split by this hash, a row is in the same part after dump and restore, on
 * another architecture, and whenever it is inserted again.  So the function is
 * stored data in a way, and never changes.  Each value is fed as a kind and
 * one word, or a kind and bytes; equal values are fed alike.  Not
 * cryptographic.
 *
 * Source: the finisher of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014) after
 * each word.
 */
#ifndef OSML_VALUEHASH_H
#define OSML_VALUEHASH_H

#include <stddef.h>
#include <stdint.h>

/* what a value is; append only */
typedef enum OsmlValueKind
{
	OSML_VALUE_NULL = 1,
	OSML_VALUE_NUMBER,			/* that a float64 holds, or is taken to hold */
	OSML_VALUE_INTEGER,			/* beyond 2^53 */
	OSML_VALUE_DIGITS,			/* more digits than either holds, as text */
	OSML_VALUE_INSTANT,			/* microseconds */
	OSML_VALUE_DURATION,
	OSML_VALUE_TEXT,
	OSML_VALUE_BYTES,
	OSML_VALUE_LIST,			/* its length; the items follow */
	OSML_VALUE_PAIRS			/* likewise, a key and a value each */
} OsmlValueKind;

/* the hash before any value; seeds give hashes that have nothing in common */
extern uint64_t osml_value_hash_begin(uint64_t seed);

extern uint64_t osml_value_hash_word(uint64_t hash, OsmlValueKind kind, uint64_t word);
extern uint64_t osml_value_hash_bytes(uint64_t hash, OsmlValueKind kind,
									  const void *bytes, size_t length);

/* a number of whatever type: 1, 1.0 and 1.00 are one value, so are the zeros
 * and so are the NaNs */
extern uint64_t osml_value_hash_number(uint64_t hash, double number);
extern uint64_t osml_value_hash_integer(uint64_t hash, int64_t number);

/* the hash as a number in [0, 1) */
static inline double
osml_value_hash_unit(uint64_t hash)
{
	return (double) (hash >> 11) * 0x1p-53;
}

#endif							/* OSML_VALUEHASH_H */
