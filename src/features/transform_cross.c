/*
 * transform_cross.c
 *	  Every combination of several codes as a code of its own.
 *
 * Combinations are numbered with the first input as the most significant
 * digit; `other` and NULL are digits like any other.  Where there are more of
 * them than buckets, they are hashed to the buckets.
 */

#include "compute/kernels.h"
#include "features/transforms.h"

enum
{
	BUCKETS
};

static const OsmlParamDef params[] = {
	[BUCKETS] = {"buckets", OSML_PARAM_INTEGER,.low = 1,.high = OSML_MAX_CODES,
		.standard = 1 << 20,
		.meaning = "most codes to make; more combinations are hashed to as many"},
};

#define MIX1 UINT64_C(0xBF58476D1CE4E5B9)
#define MIX2 UINT64_C(0x94D049BB133111EB)
#define STEP UINT64_C(0x9E3779B97F4A7C15)

/* at most the buckets */
static int64_t
n_codes(const OsmlStep *step)
{
	int64_t		buckets = (int64_t) osml_step_number(step, BUCKETS);
	int64_t		product = 1;

	for (int k = 0; k < step->n_in && product <= buckets; k++)
		product *= step->in_codes[k];
	return product < buckets ? product : buckets;
}

/* are the combinations more than the codes? */
static bool
is_hashed(const OsmlStep *step, int64_t codes)
{
	int64_t		product = 1;

	for (int k = 0; k < step->n_in && product <= codes; k++)
		product *= step->in_codes[k];
	return product > codes;
}

OSML_CLONES static void
osml_cross_first(int n, int32_t size, const int32_t *a, const int32_t *b, int32_t *out)
{
	for (int i = 0; i < n; i++)
		out[i] = a[i] * size + b[i];
}

OSML_CLONES static void
osml_cross_next(int n, int32_t size, const int32_t *b, int32_t *out)
{
	for (int i = 0; i < n; i++)
		out[i] = out[i] * size + b[i];
}

/* the mixing steps of SplitMix64, once a digit; stored models rely on it */
static void
run_hashed(const OsmlStep *step, uint64_t buckets, int n, const OsmlColumn *in,
		   int32_t *out)
{
	for (int i = 0; i < n; i++)
	{
		uint64_t	hash = 0;

		for (int k = 0; k < step->n_in; k++)
		{
			hash = (hash + STEP) ^ (uint32_t) in[k].code[i];
			hash = (hash ^ (hash >> 30)) * MIX1;
			hash = (hash ^ (hash >> 27)) * MIX2;
			hash ^= hash >> 31;
		}
		out[i] = (int32_t) ((hash >> 32) * buckets >> 32);
	}
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	int64_t		codes = n_codes(step);

	if (is_hashed(step, codes))
	{
		run_hashed(step, (uint64_t) codes, n, in, out->code);
		return;
	}
	osml_cross_first(n, step->in_codes[1], in[0].code, in[1].code, out->code);
	for (int k = 2; k < step->n_in; k++)
		osml_cross_next(n, step->in_codes[k], in[k].code, out->code);
}

const OsmlTransform osml_transform_cross = {
	.name = "cross",
	.meaning = "each combination of several bins or categories",
	.input = OSML_VALUE_CODE,
	.min_inputs = 2,
	.max_inputs = OSML_MAX_STEP_INPUTS,
	.makes_codes = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.n_codes = n_codes,
	.run = run,
};
