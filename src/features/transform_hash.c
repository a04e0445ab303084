/*
 * transform_hash.c
 *	  A category to one of a fixed number of buckets: nothing is learned, and
 *	  no vocabulary is kept, at the price that categories share buckets.
 *
 * A key is a hash already; its upper half is scaled to the buckets by a
 * product, which needs no division.
 */
#include <stdio.h>

#include "compute/kernels.h"
#include "features/key.h"
#include "features/transforms.h"

enum
{
	BUCKETS
};

static const OsmlParamDef params[] = {
	[BUCKETS] = {"buckets", OSML_PARAM_INTEGER,.low = 1,.high = OSML_MAX_CODES - 1,
		.standard = 1 << 18,
		.meaning = "how many; categories of one bucket have one weight"},
};

/* NULL comes after the buckets */
static int64_t
n_codes(const OsmlStep *step)
{
	return (int64_t) osml_step_number(step, BUCKETS) + 1;
}

OSML_CLONES static void
osml_bucket_run(int n, uint64_t buckets, const uint64_t *keys, int32_t *codes)
{
	for (int i = 0; i < n; i++)
	{
		uint64_t	bucket = (keys[i] >> 32) * buckets >> 32;

		codes[i] = (int32_t) (keys[i] == OSML_KEY_NULL ? buckets : bucket);
	}
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	osml_bucket_run(n, (uint64_t) osml_step_number(step, BUCKETS), in->key, out->code);
}

static void
code_name(const OsmlStep *step, int64_t code, char *out, size_t size)
{
	if (code == n_codes(step) - 1)
		snprintf(out, size, "(null)");
	else
		osml_bucket_name(code, out, size);
}

const OsmlTransform osml_transform_hash = {
	.name = "hash",
	.meaning = "a category to one of a fixed number of buckets, for columns of very many",
	.input = OSML_VALUE_KEY,
	.min_inputs = 1,
	.max_inputs = 1,
	.makes_codes = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.n_codes = n_codes,
	.run = run,
	.code_name = code_name,
};
