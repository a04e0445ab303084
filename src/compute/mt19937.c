/*
 * mt19937.c
 *	  The Mersenne Twister as PyTorch's CPU generator uses it; see mt19937.h.
 */
#include "compute/mt19937.h"

#include <math.h>

#define PERIOD 397				/* distance of the word mixed in */
#define PI 3.14159265358979323846

/* start from a seed, as at::mt19937 does */
void
osml_mt19937_seed(OsmlMt19937 *mt, uint64_t seed)
{
	mt->state[0] = (uint32_t) seed;
	for (uint32_t j = 1; j < OSML_MT19937_WORDS; j++)
		mt->state[j] = UINT32_C(1812433253) *
			(mt->state[j - 1] ^ (mt->state[j - 1] >> 30)) + j;
	mt->next = OSML_MT19937_WORDS;
	mt->has_normal = false;
	mt->normal = 0;
}

/* make the next 624 words */
static void
twist(OsmlMt19937 *mt)
{
	for (int i = 0; i < OSML_MT19937_WORDS; i++)
	{
		uint32_t	low = mt->state[(i + 1) % OSML_MT19937_WORDS];
		uint32_t	y = (mt->state[i] & UINT32_C(0x80000000)) |
			(low & UINT32_C(0x7fffffff));

		mt->state[i] = mt->state[(i + PERIOD) % OSML_MT19937_WORDS] ^ (y >> 1) ^
			((low & 1) ? UINT32_C(0x9908b0df) : 0);
	}
	mt->next = 0;
}

/* the next 32 bits, tempered */
uint32_t
osml_mt19937_u32(OsmlMt19937 *mt)
{
	uint32_t	y;

	if (mt->next == OSML_MT19937_WORDS)
		twist(mt);
	y = mt->state[mt->next++];
	y ^= y >> 11;
	y ^= (y << 7) & UINT32_C(0x9d2c5680);
	y ^= (y << 15) & UINT32_C(0xefc60000);
	return y ^ (y >> 18);
}

/* [0, 1) with 53 bits: the first draw is the high word */
double
osml_mt19937_unit_f64(OsmlMt19937 *mt)
{
	uint64_t	high = osml_mt19937_u32(mt);
	uint64_t	low = osml_mt19937_u32(mt);

	return (double) (((high << 32) | low) & ((UINT64_C(1) << 53) - 1)) * 0x1p-53;
}

/* [0, 1) with 24 bits of one draw */
float
osml_mt19937_unit_f32(OsmlMt19937 *mt)
{
	return (float) (osml_mt19937_u32(mt) & ((UINT32_C(1) << 24) - 1)) * 0x1p-24f;
}

/*
 * tensor.uniform_(from, to).  The bounds are rounded to the type first, and
 * the last step is one fused multiply-add, as in PyTorch's AVX2 build: without
 * it one weight in three differs in its last bit.
 */
void
osml_mt19937_uniform(OsmlMt19937 *mt, OsmlPrecision precision, size_t n,
					 double from, double to, void *out)
{
	float		from_f = (float) from;
	float		to_f = (float) to;

	for (size_t i = 0; i < n; i++)
	{
		if (precision == OSML_FLOAT32)
			((float *) out)[i] = fmaf(osml_mt19937_unit_f32(mt), to_f - from_f,
									  from_f);
		else
			((double *) out)[i] = fma(osml_mt19937_unit_f64(mt), to - from, from);
	}
}

/*
 * One normal value by Box and Muller: the cosine is handed out first, the sine
 * kept.  PyTorch does this in float64 for tensors of fewer than 16 values,
 * whatever their type.
 */
static double
normal_pair(OsmlMt19937 *mt)
{
	double		angle;
	double		radius;

	if (mt->has_normal)
	{
		mt->has_normal = false;
		return mt->normal;
	}
	angle = 2.0 * PI * osml_mt19937_unit_f64(mt);
	radius = sqrt(-2.0 * log1p(-osml_mt19937_unit_f64(mt)));
	mt->normal = radius * sin(angle);
	mt->has_normal = true;
	return radius * cos(angle);
}

/* 16 uniform values to 16 normal ones: i pairs with i + 8 */
static void
normal_fill_16(OsmlPrecision precision, void *values)
{
	for (int i = 0; i < 8; i++)
	{
		if (precision == OSML_FLOAT32)
		{
			float	   *v = values;
			float		radius = sqrtf(-2 * logf(1 - v[i]));
			float		angle = (float) (2.0f * PI * v[i + 8]);

			v[i] = radius * cosf(angle);
			v[i + 8] = radius * sinf(angle);
		}
		else
		{
			double	   *v = values;
			double		radius = sqrt(-2 * log(1 - v[i]));
			double		angle = 2.0 * PI * v[i + 8];

			v[i] = radius * cos(angle);
			v[i + 8] = radius * sin(angle);
		}
	}
}

/*
 * tensor.normal_(0, 1).  From 16 values on PyTorch fills the tensor with
 * uniform values and turns them into normal ones 16 at a time; a rest draws
 * the last 16 again.
 */
void
osml_mt19937_normal(OsmlMt19937 *mt, OsmlPrecision precision, size_t n,
					void *out)
{
	size_t		width = osml_precision_size(precision);
	char	   *values = out;

	if (n < 16)
	{
		for (size_t i = 0; i < n; i++)
		{
			if (precision == OSML_FLOAT32)
				((float *) out)[i] = (float) normal_pair(mt);
			else
				((double *) out)[i] = normal_pair(mt);
		}
		return;
	}
	osml_mt19937_uniform(mt, precision, n, 0, 1, values);
	for (size_t i = 0; i + 16 <= n; i += 16)
		normal_fill_16(precision, values + i * width);
	if (n % 16 != 0)
	{
		values += (n - 16) * width;
		osml_mt19937_uniform(mt, precision, 16, 0, 1, values);
		normal_fill_16(precision, values);
	}
}
