/*
 * test_safetensors.c
 *	  Writing and reading back, and bytes that mean harm: every truncation,
 *	  every flipped bit, lengths beyond reason, headers of other grammars.
 *
 * Hostile bytes are copied to a heap block of exactly their size, so that the
 * sanitizers see a read beyond it.
 */
#include "tap.h"

#include <stdlib.h>
#include <string.h>

#include "compute/random.h"
#include "model/safetensors.h"

static const double weights[8] = {1.5, -2, 3e300, 0.1, -0.0, 5e-324, 7, 8};
static const float bias[1] = {0.25f};

static const OsmlSafetensor tensors[] = {
	{.name = "weight",.precision = OSML_FLOAT64,.ndim = 2,.shape = {2, 4},.data = weights},
	{.name = "bias",.precision = OSML_FLOAT32,.ndim = 1,.shape = {1},.data = bias},
	{.name = "step",.precision = OSML_FLOAT64,.ndim = 0,.data = &weights[6]},
	{.name = "none",.precision = OSML_FLOAT64,.ndim = 2,.shape = {0, 9},.data = NULL}
};

static const OsmlSafetensorsMeta meta[] = {
	{"format", "pt"},
	{"a \"quoted\" \\ key", "tab\t, newline\n, bell\a, \xC3\xA9 and \xF0\x9F\x9A\x95"},
	{"empty", ""}
};

/* the file that the tests take apart; free() it */
static char *
sample(size_t *size)
{
	char	   *bytes;

	*size = osml_safetensors_size(tensors, 4, meta, 3);
	bytes = malloc(*size);
	osml_safetensors_write(tensors, 4, meta, 3, bytes);
	return bytes;
}

/* open a copy that ends where its allocation ends; then read all that is in it */
static OsmlStatus
open_copy(const char *bytes, size_t size)
{
	char	   *copy = malloc(size == 0 ? 1 : size);
	OsmlSafetensors file;
	OsmlStatus	status;

	memcpy(copy, bytes, size);
	status = osml_safetensors_open(copy, size, &file);
	for (int i = 0; status == OSML_OK && i < file.n_tensors; i++)
	{
		OsmlSafetensor tensor;
		size_t		n;
		double	   *values;

		if (!osml_safetensors_at(&file, i, &tensor))
			status = OSML_BAD_SHAPE;
		n = tensor.bytes / osml_precision_size(tensor.precision);
		values = malloc(n * sizeof(double) + 1);
		if (osml_safetensors_copy(&tensor, OSML_FLOAT64, n, values) != OSML_OK)
			status = OSML_BAD_SHAPE;
		free(values);
	}
	free(copy);
	return status;
}

/* a file of this header and so many bytes of data */
static OsmlStatus
open_header(const char *header, size_t data_bytes)
{
	size_t		length = strlen(header);
	char	   *bytes = calloc(1, 8 + length + data_bytes);
	OsmlStatus	status;

	memcpy(bytes, &length, 8);
	memcpy(bytes + 8, header, length);
	status = open_copy(bytes, 8 + length + data_bytes);
	free(bytes);
	return status;
}

static void
test_round_trip(void)
{
	size_t		size;
	char	   *bytes = sample(&size);
	OsmlSafetensors file;
	OsmlSafetensor tensor;
	double		values[8];
	float		narrow[8];
	char		text[64];

	ok(osml_safetensors_open(bytes, size, &file) == OSML_OK, "what was written opens");
	ok((file.data - bytes) % 8 == 0 && bytes[8] == '{', "data at a multiple of 8");
	ok(file.n_tensors == 4, "four tensors");
	for (int i = 0; i < 4; i++)
		ok(osml_safetensors_at(&file, i, &tensor) &&
		   strcmp(tensor.name, tensors[i].name) == 0 &&
		   tensor.precision == tensors[i].precision &&
		   tensor.ndim == tensors[i].ndim &&
		   memcmp(tensor.shape, tensors[i].shape, sizeof(tensor.shape)) == 0,
		   "tensor %d is %s", i, tensors[i].name);
	ok(!osml_safetensors_at(&file, 4, &tensor) &&
	   !osml_safetensors_at(&file, -1, &tensor), "no fifth one");
	ok(osml_safetensors_find(&file, "weight", &tensor) &&
	   osml_safetensors_copy(&tensor, OSML_FLOAT64, 8, values) == OSML_OK &&
	   memcmp(values, weights, sizeof(weights)) == 0, "values keep their bits");
	ok(osml_safetensors_copy(&tensor, OSML_FLOAT64, 7, values) == OSML_BAD_SHAPE &&
	   osml_safetensors_copy(&tensor, OSML_FLOAT64, 9, values) == OSML_BAD_SHAPE,
	   "another number of values is refused");
	ok(osml_safetensors_copy(&tensor, OSML_FLOAT32, 8, narrow) == OSML_OK &&
	   narrow[0] == 1.5f && narrow[3] == 0.1f, "narrowed on request");
	ok(osml_safetensors_find(&file, "bias", &tensor) &&
	   osml_safetensors_copy(&tensor, OSML_FLOAT64, 1, values) == OSML_OK &&
	   values[0] == 0.25, "widened on request");
	ok(!osml_safetensors_find(&file, "bia", &tensor) &&
	   !osml_safetensors_find(&file, "__metadata__", &tensor), "no such tensor");
	for (int i = 0; i < 3; i++)
		ok(osml_safetensors_metadata(&file, meta[i].key, text, sizeof(text)) ==
		   (int64_t) strlen(meta[i].value) && strcmp(text, meta[i].value) == 0,
		   "metadata %d comes back", i);
	ok(osml_safetensors_metadata(&file, "format", text, 2) == 2 &&
	   strcmp(text, "p") == 0, "a short buffer gets the start, and the length");
	ok(osml_safetensors_metadata(&file, "absent", text, sizeof(text)) == -1,
	   "an absent key");
	free(bytes);
}

/* at every odd address: a bytea's data need not be aligned */
static void
test_unaligned(void)
{
	size_t		size;
	char	   *bytes = sample(&size);
	char	   *moved = malloc(size + 8);
	int			good = 0;

	for (int offset = 0; offset < 8; offset++)
	{
		OsmlSafetensors file;
		OsmlSafetensor tensor;
		double		values[8];

		memcpy(moved + offset, bytes, size);
		good += osml_safetensors_open(moved + offset, size, &file) == OSML_OK &&
			osml_safetensors_find(&file, "weight", &tensor) &&
			osml_safetensors_copy(&tensor, OSML_FLOAT64, 8, values) == OSML_OK &&
			memcmp(values, weights, sizeof(weights)) == 0;
	}
	ok(good == 8, "read from eight alignments");
	free(moved);
	free(bytes);
}

static void
test_truncated(void)
{
	size_t		size;
	char	   *bytes = sample(&size);
	size_t		refused = 0;

	for (size_t n = 0; n < size; n++)
		refused += open_copy(bytes, n) == OSML_BAD_FORMAT;
	ok(refused == size, "all %zu truncations are refused", size);
	bytes = realloc(bytes, size + 1);
	bytes[size] = 0;
	ok(open_copy(bytes, size + 1) == OSML_BAD_FORMAT, "so is a byte too many");
	free(bytes);
}

/* one flipped bit at a time, then bursts of random bytes: no crash, no overrun */
static void
test_flipped(void)
{
	OsmlRandomKey key = {.seed = 1};
	size_t		size;
	char	   *bytes = sample(&size);
	char	   *broken = malloc(size);
	uint64_t	counter = 0;
	int			opened = 0;
	int			bad = 0;

	for (size_t bit = 0; bit < 8 * size; bit++)
	{
		OsmlStatus	status;

		memcpy(broken, bytes, size);
		broken[bit / 8] ^= (char) (1 << bit % 8);
		status = open_copy(broken, size);
		opened += status == OSML_OK;
		bad += status == OSML_BAD_SHAPE;
	}
	ok(bad == 0 && opened > 0,
	   "flipped bits: refused, or harmless and readable (%d of %zu)", opened, 8 * size);
	for (int round = 0; round < 20000; round++)
	{
		memcpy(broken, bytes, size);
		for (int k = 0; k < 1 + round % 6; k++, counter += 2)
			broken[osml_random_below(key, counter, size)] =
				(char) osml_random_u64(key, counter + 1);
		bad += open_copy(broken, size) == OSML_BAD_SHAPE;
	}
	ok(bad == 0, "20,000 bursts of random bytes");
	free(broken);
	free(bytes);
}

static void
test_lengths(void)
{
	static const uint64_t lengths[] = {
		UINT64_MAX, UINT64_MAX - 7, UINT64_C(1) << 63, INT64_MAX, 1000000, 0, 1
	};
	size_t		size;
	char	   *bytes = sample(&size);

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++)
	{
		memcpy(bytes, &lengths[i], 8);
		ok(open_copy(bytes, size) == OSML_BAD_FORMAT, "a header of %llu bytes",
		   (unsigned long long) lengths[i]);
	}
	free(bytes);
}

#define ENTRY(name, dtype, shape, from, to) \
	"\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape \
	",\"data_offsets\":[" #from "," #to "]}"

static void
test_headers(void)
{
	static const struct
	{
		const char *header;
		size_t		data;
	}			good[] = {
		{"{}", 0},
		{"{\"__metadata__\":{}}  ", 0},
		{"{" ENTRY("a", "F64", "[2]", 0, 16) "}", 16},
		{"{ \"a\" : { \"shape\" : [ 1 , 2 ] , \"data_offsets\" : [ 0 , 8 ] , \"dtype\" : \"F32\" } } \n", 8},
		{"{" ENTRY("b", "F32", "[1]", 8, 12) "," ENTRY("a", "F64", "[]", 0, 8) "}", 12},
		{"{" ENTRY("\\u00e9\\ud83d\\ude95", "F64", "[0]", 0, 0) "}", 0},
		{"{" ENTRY("a", "F64", "[1]", 0, 8) ",\"__metadata__\":{\"k\":\"v\"}}", 8}
	};
	static const struct
	{
		const char *header;
		size_t		data;
		const char *why;
	}			bad[] = {
		{"", 0, "no header"},
		{"[]", 0, "an array"},
		{" {}", 0, "a blank before the brace"},
		{"{}x", 0, "something behind"},
		{"{},", 0, "a comma behind"},
		{"{" ENTRY("a", "F64", "[2]", 0, 16) "}", 15, "data too short"},
		{"{" ENTRY("a", "F64", "[2]", 0, 16) "}", 17, "data too long"},
		{"{" ENTRY("a", "F64", "[2]", 0, 8) "}", 8, "shape and offsets differ"},
		{"{" ENTRY("a", "F64", "[1]", 8, 16) "}", 16, "a hole in front"},
		{"{" ENTRY("a", "F64", "[1]", 0, 8) "," ENTRY("b", "F64", "[1]", 0, 8) "}", 8, "an overlap"},
		{"{" ENTRY("a", "F64", "[1]", 0, 8) "," ENTRY("b", "F64", "[1]", 4, 12) "}", 12, "a partial overlap"},
		{"{" ENTRY("a", "F64", "[1]", 0, 8) "," ENTRY("b", "F64", "[1]", 16, 24) "}", 24, "a hole between"},
		{"{" ENTRY("a", "F64", "[1]", 0, 8) "," ENTRY("a", "F64", "[1]", 8, 16) "}", 16, "one name twice"},
		{"{" ENTRY("a", "F64", "[1]", 8, 0) "}", 8, "offsets backwards"},
		{"{" ENTRY("a", "F16", "[1]", 0, 2) "}", 2, "an unknown dtype"},
		{"{" ENTRY("a", "F64F64F64", "[1]", 0, 8) "}", 8, "a long dtype"},
		{"{" ENTRY("a", "F64", "[-1]", 0, 8) "}", 8, "a negative size"},
		{"{" ENTRY("a", "F64", "[1.0]", 0, 8) "}", 8, "a fraction"},
		{"{" ENTRY("a", "F64", "[01]", 0, 8) "}", 8, "a leading zero"},
		{"{" ENTRY("a", "F64", "[1,]", 0, 8) "}", 8, "a comma too many"},
		{"{" ENTRY("a", "F64", "[1,1,1,1,1]", 0, 8) "}", 8, "five dimensions"},
		{"{" ENTRY("a", "F64", "[4611686018427387904,4]", 0, 0) "}", 0, "a product beyond 64 bits"},
		{"{" ENTRY("a", "F64", "[2305843009213693952]", 0, 0) "}", 0, "bytes beyond 64 bits"},
		{"{" ENTRY("a", "F64", "[99999999999999999999]", 0, 8) "}", 8, "a number beyond 64 bits"},
		{"{" ENTRY("a", "F64", "[1]", 0, 9223372036854775807) "}", 8, "an offset beyond the data"},
		{"{\"a\":{\"dtype\":\"F64\",\"shape\":[1]}}", 8, "no offsets"},
		{"{\"a\":{\"dtype\":\"F64\",\"data_offsets\":[0,8]}}", 8, "no shape"},
		{"{\"a\":{\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "no dtype"},
		{"{\"a\":{}}", 0, "an empty entry"},
		{"{\"a\":{\"dtype\":\"F64\",\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "dtype twice"},
		{"{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8],\"x\":1}}", 8, "an unknown key"},
		{"{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0]}}", 8, "one offset"},
		{"{\"a\":{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 8, "three offsets"},
		{"{\"__metadata__\":{\"k\":1}}", 0, "metadata that is no string"},
		{"{\"__metadata__\":{\"k\"}}", 0, "metadata without a value"},
		{"{\"__metadata__\":[]}", 0, "metadata that is a list"},
		{"{\"a\\x\":0}", 0, "an unknown escape"},
		{"{\"__metadata__\":{\"k\":\"\\u0000\"}}", 0, "a zero byte"},
		{"{\"__metadata__\":{\"k\":\"\\ud800\"}}", 0, "half a pair"},
		{"{\"__metadata__\":{\"k\":\"\\ud800\\u0041\"}}", 0, "a pair's wrong half"},
		{"{\"__metadata__\":{\"k\":\"\\udc00\"}}", 0, "a pair's second half"},
		{"{\"__metadata__\":{\"k\":\"\\u12g4\"}}", 0, "bad hexadecimal digits"},
		{"{\"__metadata__\":{\"k\":\"\xC0\x80\"}}", 0, "overlong UTF-8"},
		{"{\"__metadata__\":{\"k\":\"\xED\xA0\x80\"}}", 0, "a surrogate in UTF-8"},
		{"{\"__metadata__\":{\"k\":\"\xF4\x90\x80\x80\"}}", 0, "beyond U+10FFFF"},
		{"{\"__metadata__\":{\"k\":\"\xFF\"}}", 0, "a byte that UTF-8 has not"},
		{"{\"__metadata__\":{\"k\":\"\xE2\x82\"}}", 0, "UTF-8 cut short"},
		{"{\"__metadata__\":{\"k\":\"a\nb\"}}", 0, "a raw newline"},
		{"{\"__metadata__\":{\"k\":\"v}}", 0, "a string without an end"},
		{"{\"0123456789012345678901234567890123456789012345678901234567890123\":"
		"{\"dtype\":\"F64\",\"shape\":[1],\"data_offsets\":[0,8]}}", 8, "a name of 64 characters"}
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(open_header(good[i].header, good[i].data) == OSML_OK, "good header %zu", i + 1);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(open_header(bad[i].header, bad[i].data) == OSML_BAD_FORMAT, "refused: %s",
		   bad[i].why);
}

int
main(void)
{
	test_round_trip();
	test_unaligned();
	test_truncated();
	test_flipped();
	test_lengths();
	test_headers();
	return done();
}
