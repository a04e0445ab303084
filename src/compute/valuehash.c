/*
 * valuehash.c
 *	  Hashing values word by word; see valuehash.h.
 */
#include "compute/valuehash.h"

#include <math.h>
#include <string.h>

#include "compute/mix.h"

#define NAN_BITS UINT64_C(0x7FF8000000000000)
#define EXACT_INTEGERS 9007199254740992.0	/* 2^53 */
#define INT64_END 9223372036854775808.0 /* 2^63 */

uint64_t
osml_value_hash_begin(uint64_t seed)
{
	return osml_mix(0, seed);
}

uint64_t
osml_value_hash_word(uint64_t hash, OsmlValueKind kind, uint64_t word)
{
	return osml_mix(osml_mix(hash, kind), word);
}

/* little-endian words on every machine; the length tells "a" from "a\0" */
uint64_t
osml_value_hash_bytes(uint64_t hash, OsmlValueKind kind, const void *bytes,
					  size_t length)
{
	const unsigned char *next = bytes;

	hash = osml_value_hash_word(hash, kind, length);
	while (length > 0)
	{
		size_t		n = length < 8 ? length : 8;
		uint64_t	word = 0;

		for (size_t i = 0; i < n; i++)
			word |= (uint64_t) next[i] << (8 * i);
		hash = osml_mix(hash, word);
		next += n;
		length -= n;
	}
	return hash;
}

/* Integers up to 2^53 are numbers like any other. */
uint64_t
osml_value_hash_integer(uint64_t hash, int64_t number)
{
	if (number >= -(int64_t) EXACT_INTEGERS && number <= (int64_t) EXACT_INTEGERS)
		return osml_value_hash_number(hash, (double) number);
	return osml_value_hash_word(hash, OSML_VALUE_INTEGER, (uint64_t) number);
}

/* A whole number beyond 2^53 hashes as the integer it is. */
uint64_t
osml_value_hash_number(uint64_t hash, double number)
{
	uint64_t	bits;

	number += 0.0;				/* -0.0 becomes 0.0 */
	if (fabs(number) > EXACT_INTEGERS && number >= -INT64_END && number < INT64_END)
		return osml_value_hash_word(hash, OSML_VALUE_INTEGER, (uint64_t) (int64_t) number);
	memcpy(&bits, &number, sizeof(bits));
	if (isnan(number))
		bits = NAN_BITS;
	return osml_value_hash_word(hash, OSML_VALUE_NUMBER, bits);
}
