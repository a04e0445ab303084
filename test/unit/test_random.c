/*
 * test_random.c
 *	  The counter-based generator: published vectors, uniformity, permutations.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "compute/random.h"

/* the known-answer vectors that Random123 ships (kat_vectors) */
static void
test_philox(void)
{
	static const uint32_t cases[][10] = {
		{0, 0, 0, 0, 0, 0, 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8},
		{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff,
		0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd},
		{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0,
		0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}
	};

	for (int i = 0; i < 3; i++)
	{
		uint32_t	out[4];

		osml_philox(cases[i], cases[i] + 4, out);
		ok(memcmp(out, cases[i] + 6, sizeof(out)) == 0,
		   "Philox4x32-10, known answer %d", i + 1);
	}
}

/* seed, stream, epoch and counter each make another number */
static void
test_keys(void)
{
	OsmlRandomKey key = {.seed = 1,.stream = 2,.epoch = 3};
	OsmlRandomKey other = key;
	uint64_t	base = osml_random_u64(key, 4);

	ok(osml_random_u64(key, 4) == base, "the same key and counter: the same");
	ok(osml_random_u64(key, 5) != base, "another counter");
	ok(osml_random_u64(key, 4 + (UINT64_C(1) << 32)) != base,
	   "another counter above 2^32");
	other.seed = 1 + (UINT64_C(1) << 32);
	ok(osml_random_u64(other, 4) != base, "another seed above 2^32");
	other = key;
	other.stream++;
	ok(osml_random_u64(other, 4) != base, "another stream");
	other = key;
	other.epoch++;
	ok(osml_random_u64(other, 4) != base, "another epoch");
}

/* chi-squared of numbers below n, and the range */
static void
test_below(void)
{
	OsmlRandomKey key = {.seed = 42,.stream = OSML_STREAM_SAMPLE};
	int			count[7] = {0};
	double		chi2 = 0;
	double		mean = 0;
	bool		inside = true;

	for (uint64_t i = 0; i < 70000; i++)
	{
		count[osml_random_below(key, i, 7)]++;
		inside = inside && osml_random_below(key, i, 1) == 0 &&
			osml_random_below(key, i, UINT64_MAX) < UINT64_MAX;
		mean += osml_random_unit(key, i) / 70000;
	}
	for (int k = 0; k < 7; k++)
		chi2 += (count[k] - 10000.0) * (count[k] - 10000.0) / 10000;
	ok(inside, "always below the bound");
	ok(chi2 < 22.5, "seven faces, chi-squared %.1f of 6 degrees (p > 0.001)", chi2);
	ok(fabs(mean - 0.5) < 0.004, "mean of [0, 1): %.4f", mean);
}

/* every order of four equally often; every number once; seeds differ */
static void
test_permutation(void)
{
	OsmlRandomKey key = {.seed = 5,.stream = OSML_STREAM_SHUFFLE_ROWS};
	int			count[256] = {0};
	uint32_t	perm[1024];
	uint32_t	again[1024];
	char		seen[1024] = {0};
	double		chi2 = 0;
	int			distinct = 0;

	for (key.epoch = 0; key.epoch < 24000; key.epoch++)
	{
		osml_random_permutation(key, perm, 4);
		count[perm[0] * 64 + perm[1] * 16 + perm[2] * 4 + perm[3]]++;
	}
	for (int k = 0; k < 256; k++)
	{
		distinct += count[k] > 0;
		if (count[k] > 0)
			chi2 += (count[k] - 1000.0) * (count[k] - 1000.0) / 1000;
	}
	ok(distinct == 24 && chi2 < 49.7,
	   "24 orders of four, chi-squared %.1f of 23 degrees (p > 0.001)", chi2);
	osml_random_permutation(key, perm, 1024);
	osml_random_permutation(key, again, 1024);
	for (int i = 0; i < 1024; i++)
		seen[perm[i]]++;
	ok(memchr(seen, 0, 1024) == NULL, "each of 1,024 numbers once");
	ok(memcmp(perm, again, sizeof(perm)) == 0, "the same key: the same order");
	key.seed++;
	osml_random_permutation(key, again, 1024);
	ok(memcmp(perm, again, sizeof(perm)) != 0, "another seed: another order");
	osml_random_permutation(key, perm, 0);
	osml_random_permutation(key, perm, 1);
	ok(perm[0] == 0, "one and none");
}

int
main(void)
{
	test_philox();
	test_keys();
	test_below();
	test_permutation();
	return done();
}
