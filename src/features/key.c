/*
 * key.c
 *	  The key of a category; see key.h.
 *
 * Eight bytes at a time are mixed into the hash by multiplications and shifts
 * that lose nothing, so texts of one length up to eight bytes never share a
 * key.  Bytes are put together by hand: the order of bytes in memory does not
 * matter.  Keys are in stored models, so nothing here may ever change.
 *
 * Source of the mixing steps: Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014.
 */
#include "features/key.h"

#define MIX1 UINT64_C(0xBF58476D1CE4E5B9)
#define MIX2 UINT64_C(0x94D049BB133111EB)
#define STEP UINT64_C(0x9E3779B97F4A7C15)

/* n bytes, at most eight, the first one lowest */
static inline uint64_t
load(const char *text, size_t n)
{
	const unsigned char *bytes = (const unsigned char *) text;
	uint64_t	word = 0;

	for (size_t i = 0; i < n; i++)
		word |= (uint64_t) bytes[i] << (8 * i);
	return word;
}

/* take a word into a hash; one to one for either of them */
static inline uint64_t
mix(uint64_t hash, uint64_t word)
{
	hash = (hash + STEP) ^ word;
	hash = (hash ^ (hash >> 30)) * MIX1;
	hash = (hash ^ (hash >> 27)) * MIX2;
	return hash ^ (hash >> 31);
}

uint64_t
osml_key(const char *text, size_t length)
{
	uint64_t	hash = mix(0, length);

	while (length > 8)
	{
		hash = mix(hash, load(text, 8));
		text += 8;
		length -= 8;
	}
	hash = mix(hash, load(text, length));

	/* one key in 2^64 gives way to NULL */
	return hash != OSML_KEY_NULL ? hash : STEP;
}
