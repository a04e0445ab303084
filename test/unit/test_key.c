/*
 * test_key.c
 *	  Keys of texts: they are stored in models, so these numbers stay as they
 *	  are for ever.  A second implementation, in Python, made them: see wanted.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "features/key.h"

/*
 * def mix(h, w):
 *     h = ((h + 0x9E3779B97F4A7C15) & M) ^ w
 *     h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9 & M
 *     h = (h ^ h >> 27) * 0x94D049BB133111EB & M
 *     return h ^ h >> 31
 * h = mix(0, length), then mix(h, word) for each 8 bytes, little-endian, the
 * last word zero-filled; an empty text has one word, 0.  M is 2**64 - 1.
 */
static const struct
{
	const char *text;
	uint64_t	key;
}			wanted[] = {
	{"", UINT64_C(0xA706DD2F4D197E6F)},
	{"a", UINT64_C(0x61EE1BE14D221812)},
	{"b", UINT64_C(0xF337CC2280387D33)},
	{"cash", UINT64_C(0x52A82F4A0DC96B96)},
	{"20001", UINT64_C(0xE9F90000773E8A97)},
	{"12345678", UINT64_C(0x535F84ADA9625A89)},
	{"123456789", UINT64_C(0xFEC1487FECC0CCF3)},
	{"Zürich", UINT64_C(0xD84C19F4CCC65F30)},
	{"550e8400-e29b-41d4-a716-446655440000", UINT64_C(0x1FB65CE22AB47EF7)},
};

static int
compare(const void *a, const void *b)
{
	uint64_t	x = *(const uint64_t *) a;
	uint64_t	y = *(const uint64_t *) b;

	return (x > y) - (x < y);
}

/* a million texts that differ in little have a million keys, evenly spread */
static void
test_spread(void)
{
	const int	n = 1000000;
	uint64_t   *keys = malloc((size_t) n * sizeof(uint64_t));
	int			equal = 0;
	int			bits[64] = {0};
	double		worst = 0;

	for (int i = 0; i < n; i++)
	{
		char		text[32];
		int			length = snprintf(text, sizeof(text), "user %d", i);

		keys[i] = osml_key(text, (size_t) length);
		for (int b = 0; b < 64; b++)
			bits[b] += keys[i] >> b & 1;
	}
	for (int b = 0; b < 64; b++)
		worst = fmax(worst, fabs(bits[b] - n / 2.0) / sqrt(n / 4.0));
	qsort(keys, (size_t) n, sizeof(uint64_t), compare);
	for (int i = 1; i < n; i++)
		equal += keys[i] == keys[i - 1];
	ok(equal == 0 && keys[0] != OSML_KEY_NULL, "a million texts, a million keys");
	ok(worst < 4.5, "each bit set in half of them (worst %.1f sigma)", worst);
	free(keys);
}

int
main(void)
{
	char		shifted[64] = "-a text that does not begin at a multiple of 8";

	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		ok(osml_key(wanted[i].text, strlen(wanted[i].text)) == wanted[i].key,
		   "the key of \"%s\"", wanted[i].text);
	ok(osml_key(shifted + 1, strlen(shifted + 1)) ==
	   osml_key("a text that does not begin at a multiple of 8", strlen(shifted + 1)),
	   "a text's place in memory does not matter");
	ok(osml_key("a\0", 2) != osml_key("a", 1) && osml_key("", 0) != osml_key("\0", 1),
	   "zero bytes at the end count");
	test_spread();
	return done();
}
