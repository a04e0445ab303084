/*
 * key.c
 *	  The key of a category; see key.h.
 *
 * Eight bytes at a time are mixed into the hash by multiplications and shifts
 * that lose nothing, so texts of one length up to eight bytes never share a
 * key.  Bytes are put together by hand: the order of bytes in memory does not
 * matter.  Keys are in stored models, so nothing here may ever change.
 */
#include "features/key.h"

#include "compute/mix.h"


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

uint64_t
osml_key(const char *text, size_t length)
{
	uint64_t	hash = osml_mix(0, length);

	while (length > 8)
	{
		hash = osml_mix(hash, load(text, 8));
		text += 8;
		length -= 8;
	}
	hash = osml_mix(hash, load(text, length));

	/* one key in 2^64 gives way to NULL */
	return hash != OSML_KEY_NULL ? hash : OSML_MIX_STEP;
}
