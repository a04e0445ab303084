/*
 * twins.c
 *	  Rows that come more than once; see twins.h.
 */
#include "features/twins.h"

#include <math.h>

/* so many rows of a kind are no copies: the data are coarse, or nothing is lost
 * where a kind is on both sides */
#define MANY_A_KIND 10

/* counts up to this are looked at */
#define MAX_TIMES 64

/* bounds of a count are so many deviations and so many rows away from it */
#define DEVIATIONS 2.5
#define ROWS 3

/* labels of rows of the same features that agree no more than this, beyond what any
 * do, tell that rows are alike in coarse features only; a label as fine as this
 * tells nothing */
#define SURELY_AGREE 0.9
#define FINE_LABEL 0.01

/* more rows than are expected by this share are no chance */
#define TOLERANCE 0.005

/*
 * Do rows come k times too often for draws, seeing how many come `by` times less and
 * more often?  All three are taken at the end that speaks against it.
 */
static bool
is_too_many(const double *times, int k, int by)
{
	double		here = fmax(0, times[k] - DEVIATIONS * sqrt(times[k]));
	double		less = times[k - by] + DEVIATIONS * sqrt(times[k - by]) + ROWS;
	double		more = times[k + by] + DEVIATIONS * sqrt(times[k + by]) + ROWS;
	double		factor = 1;

	/* k!^2 / ((k - by)! (k + by)!) */
	for (int i = 1; i <= by; i++)
		factor *= (double) (k - by + i) / (k + i);
	return here * here * factor > less * more;
}

static bool
are_draws(const OsmlBottom *rows)
{
	double		times[MAX_TIMES + 2] = {0};

	for (int i = 0; i < rows->n; i++)
		times[rows->items[i].count <= MAX_TIMES ? rows->items[i].count : MAX_TIMES + 1]++;
	for (int k = 2; k < MAX_TIMES; k++)
	{
		for (int by = 1; by < k && k + by <= MAX_TIMES; by++)
		{
			if (is_too_many(times, k, by))
				return false;
		}
	}
	return true;
}

/* the chance that a row's label is that of another row of the same features */
static double
labels_agree(const OsmlBottom *groups)
{
	double		n = 0;
	double		agree = 0;

	for (int start = 0, end; start < groups->n; start = end)
	{
		uint64_t	features = groups->items[start].hash >> OSML_TWINS_LABEL_BITS;
		double		group = 0;
		double		pairs = 0;

		for (end = start; end < groups->n &&
			 groups->items[end].hash >> OSML_TWINS_LABEL_BITS == features; end++)
		{
			double		count = (double) groups->items[end].count;

			group += count;
			pairs += count * (count - 1);
		}
		if (group < 2)
			continue;
		n += group;
		agree += pairs / (group - 1);
	}
	return n > 0 ? agree / n : NAN;
}

void
osml_twins(const OsmlBottom *rows, const OsmlBottom *groups, double alike, OsmlTwins *twins)
{
	double		n = 0;
	double		n_twins = 0;

	for (int i = 0; i < rows->n; i++)
	{
		n += (double) rows->items[i].count;
		n_twins += rows->items[i].count > 1 ? (double) rows->items[i].count : 0;
	}
	twins->share = n > 0 ? n_twins / n : 0;
	twins->agree = labels_agree(groups);
	twins->copies = n_twins > 0 && n < MANY_A_KIND * (double) rows->n && !are_draws(rows) &&
		(alike < FINE_LABEL || twins->agree - alike > SURELY_AGREE * (1 - alike));
}

void
osml_overlap(const OsmlBottom *a, const OsmlBottom *b, OsmlOverlap *overlap)
{
	uint64_t	limit = a->limit < b->limit ? a->limit : b->limit;
	int64_t		shared = 0;
	int			i = 0;

	overlap->rows = 0;
	for (int j = 0; j < b->n && b->items[j].hash <= limit; j++)
	{
		while (i < a->n && a->items[i].hash < b->items[j].hash)
			i++;
		overlap->rows += b->items[j].count;
		if (i < a->n && a->items[i].hash == b->items[j].hash)
			shared += b->items[j].count;
	}
	overlap->share = overlap->rows > 0 ? (double) shared / overlap->rows : 0;
}

/* copies are no draws, and excuse nothing */
bool
osml_overlap_is_leak(const OsmlOverlap *overlap, const OsmlTwins *twins)
{
	double		expected = twins->copies ? 0 : twins->share;
	double		error = sqrt(expected * (1 - expected) / fmax(1, (double) overlap->rows));

	return overlap->share * (double) overlap->rows >= 1 &&
		overlap->share > expected + TOLERANCE + 4 * error;
}
