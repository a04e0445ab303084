/*
 * stats.c
 *	  Mean, spread and range of columns; see stats.h.
 */
#include "compute/stats.h"

#include <math.h>

#include "compute/kernels.h"

/* sum and range of n values */
typedef struct FirstPass
{
	double		sum;
	double		min;
	double		max;
} FirstPass;

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

/* one value into lane k of the first pass */
static inline __attribute__((always_inline)) void
take_first(double value, double origin, int k, double *sum, double *min,
		   double *max)
{
	sum[k] += value - origin;
	min[k] = value < min[k] ? value : min[k];
	max[k] = value > max[k] ? value : max[k];
}

/* sum from the origin (in eight lanes, as all sums here) and range of n values */
OSML_CLONES static void
osml_stats_first_pass(const double *x, int n, double origin, FirstPass *out)
{
	double		sum[8] = {0};
	double		min[8];
	double		max[8];
	int			i = 0;

	for (int k = 0; k < 8; k++)
	{
		min[k] = INFINITY;
		max[k] = -INFINITY;
	}
	for (; i + 8 <= n; i += 8)
		for (int k = 0; k < 8; k++)
			take_first(x[i + k], origin, k, sum, min, max);
	for (int k = 0; i + k < n; k++)
		take_first(x[i + k], origin, k, sum, min, max);
	OSML_ADD_LANES(double, sum, 8, out->sum);
	for (int k = 1; k < 8; k++)
	{
		min[0] = min[k] < min[0] ? min[k] : min[0];
		max[0] = max[k] > max[0] ? max[k] : max[0];
	}
	out->min = min[0];
	out->max = max[0];
}

/* sums of deviations from origin + shift and of their squares */
OSML_CLONES static void
osml_stats_second_pass(const double *x, int n, double origin, double shift,
					   double *rest, double *squares)
{
	double		sum[8] = {0};
	double		square[8] = {0};
	int			i = 0;

	for (; i + 8 <= n; i += 8)
	{
		for (int k = 0; k < 8; k++)
		{
			double		diff = (x[i + k] - origin) - shift;

			sum[k] += diff;
			square[k] += diff * diff;
		}
	}
	for (int k = 0; i + k < n; k++)
	{
		double		diff = (x[i + k] - origin) - shift;

		sum[k] += diff;
		square[k] += diff * diff;
	}
	OSML_ADD_LANES(double, sum, 8, *rest);
	OSML_ADD_LANES(double, square, 8, *squares);
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
	FirstPass	first;
	double		rest;

	part.origin = stats->n > 0 ? stats->origin : x[0];
	osml_stats_first_pass(x, n, part.origin, &first);
	part.min = first.min;
	part.max = first.max;
	part.shift = first.sum / n;
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

/* population deviation, where 0 counts as 1 */
double
osml_stats_std(const OsmlColumnStats *stats)
{
	double		deviation = osml_stats_deviation(stats);

	return deviation == 0 ? 1 : deviation;
}
