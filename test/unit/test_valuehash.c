/*
 * test_valuehash.c
 *	  Hashes of values: pinned, since splits are stored by them; equal values
 *	  alike; uniform.  The pins come from a program in another language.
 */
#include "tap.h"

#include <string.h>

#include "compute/valuehash.h"

static void
test_pins(void)
{
	uint64_t	h = osml_value_hash_begin(0);

	ok(h == UINT64_C(0xe220a8397b1dcdaf), "the first output of SplitMix64");
	ok(osml_value_hash_begin(7) == UINT64_C(0xf75f04cbb5a1a1dd), "another seed");
	ok(osml_value_hash_number(h, 1) == UINT64_C(0x87d8b1abc02d280d), "a number");
	ok(osml_value_hash_number(osml_value_hash_begin(7), -2.5) ==
	   UINT64_C(0x8f9be9adf654f739), "a number, another seed");
	ok(osml_value_hash_integer(h, (INT64_C(1) << 53) + 1) ==
	   UINT64_C(0xa6c98969bf7c9419), "a large integer");
	ok(osml_value_hash_bytes(h, OSML_VALUE_TEXT, "hash of a text", 14) ==
	   UINT64_C(0x659a24dfaacebef1), "a text");
	ok(osml_value_hash_unit(osml_value_hash_number(h, 1)) == 0.5306502384484487,
	   "a number in [0, 1)");
	ok(osml_value_hash_unit(0) == 0 && osml_value_hash_unit(UINT64_MAX) < 1,
	   "0 is in, 1 is out");
}

static void
test_equal(void)
{
	uint64_t	h = osml_value_hash_begin(3);
	double		nan1 = NAN;
	double		nan2;
	uint64_t	bits = UINT64_C(0xFFF8000000000123);

	memcpy(&nan2, &bits, sizeof(bits));
	ok(osml_value_hash_number(h, -0.0) == osml_value_hash_number(h, 0.0), "zeros");
	ok(osml_value_hash_number(h, nan1) == osml_value_hash_number(h, nan2), "NaNs");
	ok(osml_value_hash_integer(h, 12345) == osml_value_hash_number(h, 12345), "12345");
	ok(osml_value_hash_integer(h, INT64_MIN) == osml_value_hash_number(h, -0x1p63),
	   "-2^63");
	ok(osml_value_hash_integer(h, INT64_C(1) << 60) == osml_value_hash_number(h, 0x1p60),
	   "2^60");
	ok(osml_value_hash_integer(h, (INT64_C(1) << 60) + 1) !=
	   osml_value_hash_integer(h, INT64_C(1) << 60), "2^60 + 1 is another");
	ok(osml_value_hash_number(h, INFINITY) != osml_value_hash_number(h, -INFINITY) &&
	   osml_value_hash_number(h, 0x1p63) != osml_value_hash_number(h, INFINITY),
	   "infinities and large numbers");
	ok(osml_value_hash_bytes(h, OSML_VALUE_TEXT, "a", 1) !=
	   osml_value_hash_bytes(h, OSML_VALUE_TEXT, "a\0", 2), "length counts");
	ok(osml_value_hash_bytes(h, OSML_VALUE_TEXT, "a", 1) !=
	   osml_value_hash_bytes(h, OSML_VALUE_BYTES, "a", 1), "the kind counts");
	ok(osml_value_hash_bytes(osml_value_hash_bytes(h, OSML_VALUE_TEXT, "ab", 2),
							 OSML_VALUE_TEXT, "c", 1) !=
	   osml_value_hash_bytes(osml_value_hash_bytes(h, OSML_VALUE_TEXT, "a", 1),
							 OSML_VALUE_TEXT, "bc", 2), "borders count");
}

/* consecutive integers under consecutive seeds */
static void
test_fair(void)
{
	int			both = 0;
	int			one = 0;
	int			bits[64] = {0};
	double		worst = 0;

	for (int i = 0; i < 102400; i++)
	{
		uint64_t	a = osml_value_hash_integer(osml_value_hash_begin(0), i);
		uint64_t	b = osml_value_hash_integer(osml_value_hash_begin(1), i);

		one += osml_value_hash_unit(a) < 0.2;
		both += osml_value_hash_unit(a) < 0.2 && osml_value_hash_unit(b) < 0.2;
		for (int k = 0; k < 64; k++)
			bits[k] += a >> k & 1;
	}
	for (int k = 0; k < 64; k++)
		worst = fmax(worst, fabs((bits[k] - 51200) / 160.0));
	ok(worst < 4.5, "each bit set in half of the values (worst %.1f sigma)", worst);
	ok(fabs((one - 20480) / 128.0) < 4, "a fifth below 0.2 (%d)", one);
	ok(fabs((both - 4096) / 62.7) < 4, "seeds are independent (%d)", both);
}

int
main(void)
{
	test_pins();
	test_equal();
	test_fair();
	return done();
}
