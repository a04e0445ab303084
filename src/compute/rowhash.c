/*
 * rowhash.c
 *	  Hashes of rows, a column at a time; see rowhash.h.
 *
 * Columns are the outer loop and rows the inner one, so the hashes of eight
 * rows are mixed at once.
 */
#include "compute/rowhash.h"

#include "compute/kernels.h"
#include "compute/mix.h"


/* take one value into a hash; the step makes the order of columns count */
static inline __attribute__((always_inline)) uint64_t
mix(uint64_t hash, uint64_t bits)
{
	hash = (hash + OSML_MIX_STEP) ^ bits;
	hash = (hash ^ (hash >> 30)) * OSML_MIX_1;
	return hash ^ (hash >> 27);
}

/* one float64 column: adding 0.0 turns -0.0 into 0.0 */
OSML_CLONES static void
osml_hash_wide(int n, const double *x, uint64_t *hash)
{
	for (int i = 0; i < n; i++)
	{
		double		value = x[i] + 0.0;
		uint64_t	bits;

		memcpy(&bits, &value, sizeof(bits));
		bits = value != value ? UINT64_C(0x7FF8000000000000) : bits;
		hash[i] = mix(hash[i], bits);
	}
}

/* one column of keys: bits that stand for nothing but themselves */
OSML_CLONES static void
osml_hash_keys(int n, const uint64_t *x, uint64_t *hash)
{
	for (int i = 0; i < n; i++)
		hash[i] = mix(hash[i], x[i]);
}

/* one column of codes */
OSML_CLONES static void
osml_hash_codes(int n, const int32_t *x, uint64_t *hash)
{
	for (int i = 0; i < n; i++)
		hash[i] = mix(hash[i], (uint32_t) x[i]);
}

/* the last mixing steps of SplitMix64, so that every bit counts */
OSML_CLONES static void
osml_hash_finish(int n, uint64_t *hash)
{
	for (int i = 0; i < n; i++)
	{
		uint64_t	h = hash[i];

		h = (h ^ (h >> 30)) * OSML_MIX_1;
		h = (h ^ (h >> 27)) * OSML_MIX_2;
		hash[i] = h ^ (h >> 31);
	}
}

/* hash[r] of each row of a raw block */
void
osml_row_hash_block(const OsmlLayout *layout, const OsmlBlock *raw,
					uint64_t seed, uint64_t *hash)
{
	int			n = raw->nrows;

	for (int i = 0; i < n; i++)
		hash[i] = seed;
	for (int j = 0; j < osml_layout_wide(layout) - layout->n_keys; j++)
		osml_hash_wide(n, osml_block_column(raw, j), hash);
	for (int k = 0; k < layout->n_keys; k++)
		osml_hash_keys(n, osml_block_keys(raw, layout, k), hash);
	for (int k = 0; k < layout->n_codes; k++)
		osml_hash_codes(n, osml_block_codes(raw, layout, k), hash);
	osml_hash_finish(n, hash);
}

OSML_CLONES uint64_t
osml_row_hash_ordered(int n, const uint64_t *hash, uint64_t position)
{
	uint64_t	sum = 0;

	for (int i = 0; i < n; i++)
		sum += osml_mix(hash[i], position + i);
	return sum;
}
