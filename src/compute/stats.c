/*
 * stats.c
 *	  Mean, spread and range of columns; see stats.h.
 */
#include "compute/stats.h"

#include <math.h>

#include "compute/kernel_lanes.h"

/* empty statistics for n columns */
void
osml_stats_init(OsmlColumnStats *stats, int n)
{
	for (int i = 0; i < n; i++)
		stats[i] = (OsmlColumnStats)
		{
			.min = INFINITY,
			.max = -INFINITY
		};
}

/*
 * Comparisons go by pairs: GCC takes those of longer vectors apart, value by
 * value, where the machine's registers are shorter.
 */
typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef int64_t Mask __attribute__((vector_size(16), aligned(8), may_alias));

/* *best = value where better says so; vectors have no ?: in C */
#define CHOOSE(best, better, value) \
	((best) = (Pair) (((Mask) (value) & (better)) | ((Mask) (best) & ~(better))))

/* range of n > 0 values */
OSML_CLONES static void
osml_stats_range(const double *x, int n, OsmlColumnStats *out)
{
	Pair		min[2] = {{x[0], x[0]}, {x[0], x[0]}};
	Pair		max[2] = {{x[0], x[0]}, {x[0], x[0]}};
	int			i = 0;

	for (; i + 4 <= n; i += 4)
	{
		Pair		first = *(const Pair *) (x + i);
		Pair		second = *(const Pair *) (x + i + 2);

		CHOOSE(min[0], first < min[0], first);
		CHOOSE(min[1], second < min[1], second);
		CHOOSE(max[0], first > max[0], first);
		CHOOSE(max[1], second > max[1], second);
	}
	CHOOSE(min[0], min[1] < min[0], min[1]);
	CHOOSE(max[0], max[1] > max[0], max[1]);
	out->min = min[0][0] < min[0][1] ? min[0][0] : min[0][1];
	out->max = max[0][0] > max[0][1] ? max[0][0] : max[0][1];
	for (; i < n; i++)
	{
		out->min = x[i] < out->min ? x[i] : out->min;
		out->max = x[i] > out->max ? x[i] : out->max;
	}
}

/* sum of n values from the origin; those that do not fill the lanes come last */
OSML_CLONES static double
osml_stats_sum(const double *x, int n, double origin)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	double		total;
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		sum.low += *(const OsmlVec_f64 *) (x + i) - origin;
		sum.high += *(const OsmlVec_f64 *) (x + i + 4) - origin;
	}
	total = osml_lanes_total_f64(&sum);
	for (; i < n; i++)
		total += x[i] - origin;
	return total;
}

/* sums of deviations from origin + shift and of their squares */
OSML_CLONES static void
osml_stats_second_pass(const double *x, int n, double origin, double shift,
					   double *rest, double *squares)
{
	OsmlLanes_f64 sum = {{0}, {0}};
	OsmlLanes_f64 square = {{0}, {0}};
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		OsmlVec_f64 low = (*(const OsmlVec_f64 *) (x + i) - origin) - shift;
		OsmlVec_f64 high = (*(const OsmlVec_f64 *) (x + i + 4) - origin) - shift;

		sum.low += low;
		sum.high += high;
		square.low += low * low;
		square.high += high * high;
	}
	*rest = osml_lanes_total_f64(&sum);
	*squares = osml_lanes_total_f64(&square);
	for (; i < n; i++)
	{
		double		diff = (x[i] - origin) - shift;

		*rest += diff;
		*squares += diff * diff;
	}
}

/* whether a missing value is among n values */
OSML_CLONES static int
osml_stats_count_missing(const double *x, int n)
{
	int64_t		missing = 0;

	for (int i = 0; i < n; i++)
		missing += osml_is_missing(x[i]);
	return (int) missing;
}

/* add n > 0 values, none of them missing */
static void
add_present(OsmlColumnStats *stats, const double *x, int n)
{
	OsmlColumnStats part = {.n = n};
	double		rest;

	part.origin = stats->n > 0 ? stats->origin : x[0];
	osml_stats_range(x, n, &part);
	part.shift = osml_stats_sum(x, n, part.origin) / n;
	osml_stats_second_pass(x, n, part.origin, part.shift, &rest, &part.m2);

	/* what the rounding of the mean left over */
	part.m2 -= rest * rest / n;
	part.shift += rest / n;
	osml_stats_merge(stats, &part);
}

/* add one column of n values, missing ones among them perhaps */
void
osml_stats_column(OsmlColumnStats *stats, const double *x, int n)
{
	double		present[OSML_BLOCK_ROWS];

	for (int lo = 0; lo < n; lo += OSML_BLOCK_ROWS)
	{
		const double *part = x + lo;
		int			rows = n - lo < OSML_BLOCK_ROWS ? n - lo : OSML_BLOCK_ROWS;
		int			missing = osml_stats_count_missing(part, rows);
		int			kept = 0;

		stats->missing += missing;
		if (missing > 0)
		{
			for (int i = 0; i < rows; i++)
			{
				present[kept] = part[i];
				kept += !osml_is_missing(part[i]);
			}
			part = present;
		}
		if (rows > missing)
			add_present(stats, part, rows - missing);
	}
}

/* add a raw block: each dense column, then the label */
void
osml_stats_block(OsmlColumnStats *stats, const OsmlLayout *layout,
				 const OsmlBlock *raw)
{
	for (int j = 0; j <= layout->n_dense; j++)
		osml_stats_column(&stats[j], osml_block_column(raw, j), raw->nrows);
}

/* add another part's statistics; see stats.h for the source */
void
osml_stats_merge(OsmlColumnStats *into, const OsmlColumnStats *from)
{
	double		n = (double) (into->n + from->n);
	double		delta;

	into->missing += from->missing;
	if (from->n == 0)
		return;
	if (into->n == 0)
		into->origin = from->origin;
	delta = (from->origin - into->origin) + (from->shift - into->shift);
	into->m2 += from->m2 +
		delta * delta * ((double) into->n / n) * (double) from->n;
	into->shift += delta * ((double) from->n / n);
	into->mean = into->origin + into->shift;
	into->n += from->n;
	into->min = from->min < into->min ? from->min : into->min;
	into->max = from->max > into->max ? from->max : into->max;
}

/* population deviation */
double
osml_stats_deviation(const OsmlColumnStats *stats)
{
	return stats->n == 0 ? 0 : sqrt(stats->m2 / (double) stats->n);
}

/* population deviation; NaN where it is not known */
double
osml_stats_sure_deviation(const OsmlColumnStats *stats)
{
	double		square = stats->m2 / (double) stats->n;

	if (stats->n == 0 || stats->min == stats->max)
		return 0;
	return square >= OSML_STATS_LEAST_SQUARE && isfinite(square) ? sqrt(square) : NAN;
}

/* population deviation, where 0 counts as 1 */
double
osml_stats_std(const OsmlColumnStats *stats)
{
	double		deviation = osml_stats_deviation(stats);

	return deviation == 0 ? 1 : deviation;
}
