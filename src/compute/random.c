/*
 * random.c
 *	  Philox4x32-10 and what is built on it; see random.h.
 */
#include "compute/random.h"

#include "compute/kernels.h"

#define MUL0 UINT32_C(0xD2511F53)
#define MUL1 UINT32_C(0xCD9E8D57)
#define WEYL0 UINT32_C(0x9E3779B9)
#define WEYL1 UINT32_C(0xBB67AE85)

/* ten rounds of multiply, swap and xor; the key moves on by a constant */
static inline __attribute__((always_inline)) void
philox(uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3, uint32_t k0, uint32_t k1,
	   uint32_t *out, size_t stride)
{
#pragma GCC unroll 10
	for (int round = 0; round < 10; round++)
	{
		uint64_t	p0 = (uint64_t) MUL0 * c0;
		uint64_t	p1 = (uint64_t) MUL1 * c2;

		c0 = (uint32_t) (p1 >> 32) ^ c1 ^ k0;
		c1 = (uint32_t) p1;
		c2 = (uint32_t) (p0 >> 32) ^ c3 ^ k1;
		c3 = (uint32_t) p0;
		k0 += WEYL0;
		k1 += WEYL1;
	}
	out[0] = c0;
	out[stride] = c1;
	out[2 * stride] = c2;
	out[3 * stride] = c3;
}

void
osml_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	philox(counter[0], counter[1], counter[2], counter[3], key[0], key[1], out, 1);
}

/* the same for n counters, a loop without branches that vectorises */
OSML_CLONES void
osml_random_words(OsmlRandomKey key, uint32_t first, uint32_t high, int n, uint32_t *out)
{
	for (int i = 0; i < n; i++)
		philox(first + (uint32_t) i, high, key.epoch, key.stream, (uint32_t) key.seed,
			   (uint32_t) (key.seed >> 32), out + i, (size_t) n);
}

/* the seed is the key; counter, epoch and stream are the counter */
uint64_t
osml_random_u64(OsmlRandomKey key, uint64_t counter)
{
	const uint32_t words[4] = {
		(uint32_t) counter, (uint32_t) (counter >> 32), key.epoch, key.stream
	};
	const uint32_t seed[2] = {
		(uint32_t) key.seed, (uint32_t) (key.seed >> 32)
	};
	uint32_t	out[4];

	osml_philox(words, seed, out);
	return out[0] | (uint64_t) out[1] << 32;
}

/*
 * [0, n) by the high half of a 128-bit product (Lemire, ACM TOMACS 29, 2019),
 * without his rejection: one counter must give one number.
 */
uint64_t
osml_random_below(OsmlRandomKey key, uint64_t counter, uint64_t n)
{
	return (uint64_t) (((unsigned __int128) osml_random_u64(key, counter) * n) >> 64);
}

/* [0, 1) with 53 bits */
double
osml_random_unit(OsmlRandomKey key, uint64_t counter)
{
	return (double) (osml_random_u64(key, counter) >> 11) * 0x1p-53;
}

/*
 * Reverse the bits of 0, 1, 2, ... and flip each bit at random, by a draw that
 * depends on the bits above it: the radical inverse of van der Corput,
 * scrambled after Owen (1995).  The bits of a number name a node of a binary
 * tree, and the draw is the node's.  Numbers of n and more are left out.
 */
void
osml_random_spread(OsmlRandomKey key, uint32_t *order, uint32_t n)
{
	int			bits = 0;
	uint32_t	filled = 0;

	while (bits < 32 && UINT64_C(1) << bits < n)
		bits++;
	for (uint64_t i = 0; filled < n; i++)
	{
		uint64_t	node = 1;

		for (int b = 0; b < bits; b++)
			node = node << 1 | ((i >> b ^ osml_random_u64(key, node)) & 1);
		node -= UINT64_C(1) << bits;
		if (node < n)
			order[filled++] = (uint32_t) node;
	}
}
