/*
 * profile.c
 *	  What one pass tells about one column; see profile.h.
 */
#include "features/profile.h"

#include <math.h>
#include <string.h>

#include "compute/kernel_lanes.h"
#include "features/key.h"

#define PROFILE_FORMAT 1

/* what is wrong with numbers of a block */
typedef struct Oddities
{
	int			missing;
	int			nan;
	int			infinite;
} Oddities;

/* start one */
OsmlStatus
osml_profile_init(OsmlProfile *profile, const OsmlArena *arena, unsigned needs,
				  int capacity)
{
	memset(profile, 0, sizeof(*profile));
	profile->needs = needs;
	osml_stats_init(&profile->stats, 1);
	if (needs & OSML_NEED_QUANTILES)
		profile->kll = osml_kll_create(arena);
	if (needs & OSML_NEED_TALLY)
		profile->tally = osml_tally_create(arena, capacity);
	if (((needs & OSML_NEED_QUANTILES) && profile->kll == NULL) ||
		((needs & OSML_NEED_TALLY) && profile->tally == NULL))
	{
		osml_profile_free(profile);
		return OSML_OUT_OF_MEMORY;
	}
	return OSML_OK;
}

/* what the sketches take when they are full */
size_t
osml_profile_most_bytes(unsigned needs, int capacity, bool told)
{
	return (needs & OSML_NEED_QUANTILES ? osml_kll_most_bytes() : 0) +
		(needs & OSML_NEED_TALLY ? osml_tally_most_bytes(capacity, told) : 0);
}

/* give the sketches' memory back */
void
osml_profile_free(OsmlProfile *profile)
{
	osml_kll_free(profile->kll);
	osml_tally_free(profile->tally);
	profile->kll = NULL;
	profile->tally = NULL;
}

/* are all values finite?  x 0 is NaN where x is NaN or infinite */
OSML_CLONES static bool
osml_profile_all_finite(const double *x, int n)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	double		total;
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		sum.low += *(const OsmlVec_f64 *) (x + i) * 0;
		sum.high += *(const OsmlVec_f64 *) (x + i + 4) * 0;
	}
	total = osml_lanes_total_f64(&sum);
	for (; i < n; i++)
		total += x[i] * 0;
	return total == 0;
}

OSML_CLONES static int64_t
osml_profile_count_zeros(const double *x, int n)
{
	int64_t		zeros = 0;

	for (int i = 0; i < n; i++)
		zeros += x[i] == 0;
	return zeros;
}

/* sum of cubed deviations from origin + shift */
OSML_CLONES static double
osml_profile_cubes(const double *x, int n, double origin, double shift)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	double		total;
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		OsmlVec_f64 low = (*(const OsmlVec_f64 *) (x + i) - origin) - shift;
		OsmlVec_f64 high = (*(const OsmlVec_f64 *) (x + i + 4) - origin) - shift;

		sum.low += low * low * low;
		sum.high += high * high * high;
	}
	total = osml_lanes_total_f64(&sum);
	for (; i < n; i++)
	{
		double		diff = (x[i] - origin) - shift;

		total += diff * diff * diff;
	}
	return total;
}

/* the finite ones of n values in use to out; counts the others; returns how many */
static int
pick(const double *x, const bool *use, int n, double *out, Oddities *odd)
{
	int			kept = 0;

	for (int i = 0; i < n; i++)
	{
		if (use != NULL && !use[i])
			continue;
		out[kept] = x[i];
		if (isfinite(x[i]))
			kept++;
		else if (osml_is_missing(x[i]))
			odd->missing++;
		else if (isnan(x[i]))
			odd->nan++;
		else
			odd->infinite++;
	}
	return kept;
}

/*
 * m3 of two parts, before their statistics are merged; see profile.h for the
 * source.  The difference of the means is taken before they were rounded.
 */
static double
merge_m3(const OsmlColumnStats *a, double a_m3, const OsmlColumnStats *b, double b_m3)
{
	double		na = (double) a->n;
	double		nb = (double) b->n;
	double		n = na + nb;
	double		delta = (b->origin - a->origin) + (b->shift - a->shift);

	if (a->n == 0 || b->n == 0)
		return a->n == 0 ? b_m3 : a_m3;
	return a_m3 + b_m3 +
		delta * delta * delta * (na / n) * (nb / n) * (na - nb) +
		3 * delta * ((na / n) * b->m2 - (nb / n) * a->m2);
}

/* n > 0 finite values of a block */
static void
add_moments(OsmlProfile *profile, const double *x, int n)
{
	OsmlColumnStats part;
	double		m3;

	osml_stats_init(&part, 1);
	osml_stats_column(&part, x, n);
	m3 = osml_profile_cubes(x, n, part.origin, part.shift);
	profile->m3 = merge_m3(&profile->stats, profile->m3, &part, m3);
	osml_stats_merge(&profile->stats, &part);
	profile->zeros += osml_profile_count_zeros(x, n);
}

/* add n numbers */
OsmlStatus
osml_profile_numbers(OsmlProfile *profile, const double *x, const bool *use, int n)
{
	OsmlStatus	status = OSML_OK;

	for (int lo = 0; lo < n && status == OSML_OK; lo += OSML_BLOCK_ROWS)
	{
		int			rows = n - lo < OSML_BLOCK_ROWS ? n - lo : OSML_BLOCK_ROWS;
		double		picked[OSML_BLOCK_ROWS];
		const double *finite = x + lo;
		int			kept = rows;
		Oddities	odd = {0};

		if (use != NULL || !osml_profile_all_finite(finite, rows))
		{
			kept = pick(finite, use == NULL ? NULL : use + lo, rows, picked, &odd);
			finite = picked;
		}
		profile->rows += kept + odd.missing + odd.nan + odd.infinite;
		profile->missing += odd.missing;
		profile->nan += odd.nan;
		profile->infinite += odd.infinite;
		if (kept > 0 && (profile->needs & OSML_NEED_MOMENTS))
			add_moments(profile, finite, kept);
		if (profile->kll != NULL)
			status = osml_kll_add(profile->kll, finite, kept);
	}
	return status;
}

/* add n keys */
OsmlStatus
osml_profile_keys(OsmlProfile *profile, const uint64_t *keys, const bool *use, int n)
{
	for (int i = 0; i < n; i++)
	{
		bool		used = use == NULL || use[i];

		profile->rows += used;
		profile->missing += used && keys[i] == OSML_KEY_NULL;
	}
	if (profile->tally == NULL)
		return OSML_OK;
	return osml_tally_add(profile->tally, keys, use, n);
}

/* add another part of the rows; both have the same needs */
OsmlStatus
osml_profile_merge(OsmlProfile *into, const OsmlProfile *from)
{
	OsmlStatus	status = OSML_OK;

	if (into->needs != from->needs)
		return OSML_BAD_SHAPE;
	into->rows += from->rows;
	into->missing += from->missing;
	into->nan += from->nan;
	into->infinite += from->infinite;
	into->zeros += from->zeros;
	into->m3 = merge_m3(&into->stats, into->m3, &from->stats, from->m3);
	osml_stats_merge(&into->stats, &from->stats);
	if (into->kll != NULL)
		status = osml_kll_merge(into->kll, from->kll);
	if (into->tally != NULL && status == OSML_OK)
		status = osml_tally_merge(into->tally, from->tally);
	return status;
}

/* g1, the population skewness */
double
osml_profile_skewness(const OsmlProfile *profile)
{
	double		n = (double) profile->stats.n;
	double		deviation = osml_stats_deviation(&profile->stats);

	if (profile->stats.n == 0)
		return NAN;
	return deviation == 0 ? 0 :
		profile->m3 / n / deviation / deviation / deviation;
}

/* --- bytes --------------------------------------------------------------- */

typedef struct ProfileHeader
{
	int32_t		format;
	uint32_t	needs;
	int64_t		kll_size;
	int64_t		tally_size;
	int64_t		counts[5];
	double		m3;
	OsmlColumnStats stats;
} ProfileHeader;

/* bytes that osml_profile_write() fills */
size_t
osml_profile_size(const OsmlProfile *profile)
{
	return sizeof(ProfileHeader) +
		(profile->kll == NULL ? 0 : osml_kll_size(profile->kll)) +
		(profile->tally == NULL ? 0 : osml_tally_bytes(profile->tally));
}

/* the profile as bytes */
void
osml_profile_write(const OsmlProfile *profile, void *bytes)
{
	char	   *out = (char *) bytes + sizeof(ProfileHeader);
	ProfileHeader header = {
		.format = PROFILE_FORMAT,
		.needs = profile->needs,
		.counts = {profile->rows, profile->missing, profile->nan,
		profile->infinite, profile->zeros},
		.m3 = profile->m3,
		.stats = profile->stats
	};

	if (profile->kll != NULL)
	{
		header.kll_size = (int64_t) osml_kll_size(profile->kll);
		osml_kll_write(profile->kll, out);
		out += header.kll_size;
	}
	if (profile->tally != NULL)
	{
		header.tally_size = (int64_t) osml_tally_bytes(profile->tally);
		osml_tally_write(profile->tally, out);
	}
	memcpy(bytes, &header, sizeof(header));
}

/* the way back */
OsmlStatus
osml_profile_read(OsmlProfile *profile, const OsmlArena *arena, const void *bytes,
				  size_t size)
{
	const char *in = (const char *) bytes + sizeof(ProfileHeader);
	ProfileHeader header;

	memset(profile, 0, sizeof(*profile));
	if (size < sizeof(header))
		return OSML_BAD_FORMAT;
	memcpy(&header, bytes, sizeof(header));
	size -= sizeof(header);
	if (header.format != PROFILE_FORMAT || header.kll_size < 0 ||
		header.tally_size < 0 || (size_t) header.kll_size > size ||
		(size_t) header.tally_size != size - (size_t) header.kll_size)
		return OSML_BAD_FORMAT;
	profile->needs = header.needs;
	profile->rows = header.counts[0];
	profile->missing = header.counts[1];
	profile->nan = header.counts[2];
	profile->infinite = header.counts[3];
	profile->zeros = header.counts[4];
	profile->m3 = header.m3;
	profile->stats = header.stats;
	if (header.needs & OSML_NEED_QUANTILES)
		profile->kll = osml_kll_read(arena, in, (size_t) header.kll_size);
	if (header.needs & OSML_NEED_TALLY)
		profile->tally = osml_tally_read(arena, in + header.kll_size,
										 (size_t) header.tally_size);
	if (((header.needs & OSML_NEED_QUANTILES) && profile->kll == NULL) ||
		((header.needs & OSML_NEED_TALLY) && profile->tally == NULL))
	{
		osml_profile_free(profile);
		return OSML_BAD_FORMAT;
	}
	return OSML_OK;
}
