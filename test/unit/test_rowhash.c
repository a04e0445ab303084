/*
 * test_rowhash.c
 *	  Row hashes: equal rows agree, any change shows, splits are fair.
 */
#include "tap.h"

#include "compute/rowhash.h"
#include "fixtures/blocks.h"

static const OsmlLayout layout = {.n_dense = 3,.n_codes = 2,.has_weight = true};

/* a block with codes as well */
static OsmlBlock *
sample(int nrows)
{
	OsmlBlock  *block = block_noise(&layout, nrows, 0);

	for (int k = 0; k < 2; k++)
		for (int i = 0; i < nrows; i++)
			osml_block_codes(block, &layout, k)[i] = (i + k) % 5 - 1;
	return block;
}

/* any column that changes changes the row's hash and no other's */
static void
test_changes(void)
{
	OsmlBlock  *block = sample(100);
	uint64_t	before[1024];
	uint64_t	after[1024];

	osml_row_hash_block(&layout, block, 7, before);
	for (int j = 0; j < 7; j++)
	{
		int			others = 0;
		bool		code = j >= 5;
		double	   *x = osml_block_column(block, code ? 0 : j);
		int32_t    *codes = osml_block_codes(block, &layout, code ? j - 5 : 0);
		double		kept = x[42];

		if (code)
			codes[42]++;
		else
			x[42] = nextafter(kept, 2);
		osml_row_hash_block(&layout, block, 7, after);
		for (int i = 0; i < 100; i++)
			others += i != 42 && before[i] != after[i];
		ok(before[42] != after[42] && others == 0, "column %d counts", j);
		if (code)
			codes[42]--;
		else
			x[42] = kept;
	}
	osml_row_hash_block(&layout, block, 8, after);
	ok(before[0] != after[0], "the seed counts");
	osml_block_column(block, 0)[0] = osml_block_column(block, 1)[0];
	osml_block_column(block, 1)[0] = noise(0, 0);
	osml_row_hash_block(&layout, block, 7, after);
	ok(before[0] != after[0], "two columns exchanged are another row");
	free(block);
}

/* a row hashes alike wherever it stands; zeros and NaNs have one form */
static void
test_equal_rows(void)
{
	OsmlBlock  *block = sample(1024);
	OsmlBlock  *other = block_new(&layout, 1);
	uint64_t	hash[1024];
	uint64_t	alone;
	int			different = 0;

	osml_row_hash_block(&layout, block, 7, hash);
	for (int i = 0; i < 1024; i++)
	{
		for (int j = 0; j < 5; j++)
			osml_block_column(other, j)[0] = osml_block_column(block, j)[i];
		for (int k = 0; k < 2; k++)
			osml_block_codes(other, &layout, k)[0] = osml_block_codes(block, &layout, k)[i];
		osml_row_hash_block(&layout, other, 7, &alone);
		different += alone != hash[i];
	}
	ok(different == 0, "a row alone and in a block");
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 5; j++)
			osml_block_column(block, j)[i] = 1;
	for (int k = 0; k < 2; k++)
		for (int i = 0; i < 4; i++)
			osml_block_codes(block, &layout, k)[i] = 0;
	osml_block_column(block, 1)[0] = 0.0;
	osml_block_column(block, 1)[1] = -0.0;
	osml_block_column(block, 1)[2] = NAN;
	osml_block_column(block, 1)[3] = osml_missing();
	osml_row_hash_block(&layout, block, 7, hash);
	ok(hash[0] == hash[1], "-0.0 equals 0.0");
	ok(hash[2] == hash[3] && hash[2] != hash[0], "NaNs are equal");
	free(block);
	free(other);
}

/* keys are bits, and none of them equal others as numbers do */
static void
test_keys(void)
{
	const OsmlLayout keyed = {.n_dense = 1,.n_keys = 2,.n_codes = 1};
	OsmlBlock  *block = block_new(&keyed, 4);
	uint64_t	hash[4];
	uint64_t	again[4];
	int			changed = 0;

	for (int i = 0; i < 4; i++)
	{
		osml_block_keys(block, &keyed, 0)[i] = i == 0 ? 0 : UINT64_C(1) << 63;
		osml_block_keys(block, &keyed, 1)[i] = i == 2 ? UINT64_C(0x7FF8000000000001) :
			i == 3 ? OSML_MISSING_BITS : 7;
	}
	osml_row_hash_block(&keyed, block, 7, hash);
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < i; j++)
			changed += hash[i] == hash[j];
	ok(changed == 0, "keys that would be -0.0 or NaNs as numbers are all different");
	osml_block_codes(block, &keyed, 0)[1]++;
	osml_row_hash_block(&keyed, block, 7, again);
	ok(again[1] != hash[1] && again[2] == hash[2], "codes come after keys");
	free(block);
}

/* hashes of a row by an earlier version: models keep fingerprints of their data */
static void
test_constant(void)
{
	OsmlBlock  *block = sample(3);
	uint64_t	hash[3];

	osml_row_hash_block(&layout, block, 7, hash);
	ok(hash[0] == UINT64_C(0x09FAE01B08A5EC8D) && hash[2] == UINT64_C(0x93F5479968909902),
	   "hashes of layouts without keys never change");
	free(block);
}

/* a fingerprint of rows in their order */
static void
test_ordered(void)
{
	OsmlBlock  *block = sample(1000);
	uint64_t	hash[1000];
	uint64_t	sum;
	uint64_t	first;
	int			same = 0;

	osml_row_hash_block(&layout, block, 0, hash);
	sum = osml_row_hash_ordered(1000, hash, 5);
	ok(osml_row_hash_ordered(300, hash, 5) + osml_row_hash_ordered(700, hash + 300, 305) == sum,
	   "it does not matter where blocks end");
	same += osml_row_hash_ordered(1000, hash, 6) == sum;
	first = hash[0];
	for (int i = 1; i < 1000; i++)
	{
		hash[0] = hash[i];
		hash[i] = first;
		same += osml_row_hash_ordered(1000, hash, 5) == sum;
		hash[i] = hash[0];
	}
	ok(same == 0, "rows that change places, or are elsewhere, make another");
	free(block);
}

/* shares of splits and of single bits, over rows that differ in little */
static void
test_fair(void)
{
	const OsmlLayout one = {.n_dense = 1};
	OsmlBlock  *block = block_new(&one, 1024);
	uint64_t	hash[1024];
	int			bits[64] = {0};
	int			held_out = 0;
	double		worst = 0;

	for (int first = 0; first < 100 * 1024; first += 1024)
	{
		for (int i = 0; i < 1024; i++)
			osml_block_column(block, 0)[i] = first + i;
		osml_row_hash_block(&one, block, 0, hash);
		for (int i = 0; i < 1024; i++)
		{
			held_out += osml_row_hash_unit(hash[i]) < 0.2;
			for (int b = 0; b < 64; b++)
				bits[b] += hash[i] >> b & 1;
		}
	}
	for (int b = 0; b < 64; b++)
		worst = fmax(worst, fabs((bits[b] - 51200) / 160.0));
	ok(worst < 4.5, "each bit set in half of 102,400 rows (worst %.1f sigma)", worst);
	ok(fabs((held_out - 20480) / 128.0) < 4, "0.2 holds out a fifth (%d)", held_out);
	free(block);
}

int
main(void)
{
	test_changes();
	test_equal_rows();
	test_keys();
	test_constant();
	test_ordered();
	test_fair();
	return done();
}
