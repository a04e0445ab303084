/*
 * range.h
 *	  The learning-rate range test: lr rises step by step, and where the loss falls
 *	  fastest a run learns best.
 *
 * Sources: Smith, "Cyclical Learning Rates for Training Neural Networks", WACV 2017;
 * the smoothing, the end and the suggestion are those of PyTorch Lightning's lr_find.
 */
#ifndef OSML_SCHEDULE_RANGE_H
#define OSML_SCHEDULE_RANGE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OsmlRange
{
	bool		on;
	bool		linear;			/* else lr rises by the same factor each step */
	double		min;
	double		max;
	int64_t		steps;			/* at least 2 */
	double		threshold;		/* ends when the loss is so many times the best; INFINITY:
								 * never */
} OsmlRange;

/* zeroes at first */
typedef struct OsmlRangeState
{
	int64_t		n;				/* losses so far */
	double		average;
	double		best;			/* lowest smoothed one */
} OsmlRangeState;

/* lr of step 1 (min) to steps (max), evenly spaced, or evenly in their logarithms */
extern double osml_range_rate(const OsmlRange *range, int64_t step);

/*
 * The next step's loss, which is finite: *smoothed is the exponential moving average,
 * 0.98 of it the past, free of its bias to 0.  False: it is more than threshold times
 * the best, the test is over.
 */
extern bool osml_range_add(const OsmlRange *range, OsmlRangeState *state, double loss,
						   double *smoothed);

/*
 * Which of n smoothed losses, from 0, falls fastest by numpy.gradient(), the first ten
 * and the last left out; -1: there are too few.
 */
extern int64_t osml_range_suggest(const double *smoothed, int64_t n);

#endif							/* OSML_SCHEDULE_RANGE_H */
