/*
 * range.c
 *	  The learning-rate range test: see range.h.
 */
#include "rules/schedule/range.h"

#include <math.h>

#define PAST 0.98
#define SKIP_FIRST 10
#define SKIP_LAST 1

double
osml_range_rate(const OsmlRange *range, int64_t step)
{
	double		passed = (double) (step - 1) / (double) (range->steps - 1);

	if (step >= range->steps)
		return range->max;
	return range->linear ? range->min + passed * (range->max - range->min) :
		range->min * pow(range->max / range->min, passed);
}

bool
osml_range_add(const OsmlRange *range, OsmlRangeState *state, double loss, double *smoothed)
{
	state->n++;
	state->average = PAST * state->average + (1 - PAST) * loss;
	*smoothed = state->average / (1 - pow(PAST, (double) state->n));
	/* threshold times the best, or as far from it where that is negative */
	if (state->n > 1 &&
		*smoothed > state->best + (range->threshold - 1) * fabs(state->best))
		return false;
	if (state->n == 1 || *smoothed < state->best)
		state->best = *smoothed;
	return true;
}

int64_t
osml_range_suggest(const double *smoothed, int64_t n)
{
	int64_t		first = SKIP_FIRST;
	int64_t		last = n - 1 - SKIP_LAST;
	int64_t		best = -1;
	double		steepest = INFINITY;

	for (int64_t i = first; i <= last && last > first; i++)
	{
		int64_t		before = i > first ? i - 1 : i;
		int64_t		after = i < last ? i + 1 : i;
		double		slope = (smoothed[after] - smoothed[before]) / (double) (after - before);

		if (slope < steepest)
		{
			steepest = slope;
			best = i;
		}
	}
	return best;
}
