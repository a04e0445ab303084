/*
 * fair.h
 *	  Is a part of the rows a fair sample of the whole?
 *
 * The part was drawn from the whole without replacement, so what it says of
 * the whole is more certain than a sample of as many rows of an endless
 * population: variances shrink by the finite population correction
 * (N - n) / (N - 1).
 *
 * Source: Cochran, Sampling Techniques, chapters 2 and 3; for counts the
 * covariance of the multivariate hypergeometric distribution.
 */
#ifndef OSML_FAIR_H
#define OSML_FAIR_H

#include <stdint.h>

/* values of one column: how many, their mean and population variance */
typedef struct OsmlMoments
{
	double		n;
	double		mean;			/* 0 where there are none */
	double		variance;
} OsmlMoments;

typedef struct OsmlFairness
{
	double		z;				/* NaN where there is nothing to test */
	double		p;
} OsmlFairness;

/* more values into the same moments */
extern void osml_moments_add(OsmlMoments *moments, const OsmlMoments *more);

/*
 * The mean of the part against that of the whole, which holds the part.  A
 * constant column and a part that is the whole are as fair as can be: z is 0.
 */
extern OsmlFairness osml_fair_mean(const OsmlMoments *part, const OsmlMoments *whole);

/*
 * Counts of n categories in the part against those in the whole: chi-square
 * with n - 1 degrees of freedom; categories of which fewer than 5 are expected
 * in the part are counted as one.  z >= 0 is the normal deviate of the same
 * two-sided p-value.
 */
extern OsmlFairness osml_fair_counts(const int64_t *part, const int64_t *whole, int n);

#endif							/* OSML_FAIR_H */
