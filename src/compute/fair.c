/*
 * fair.c
 *	  z-scores and chi-squares of parts of a finite whole; see fair.h.
 */
#include "compute/fair.h"

#include <math.h>

#include "compute/chi_square.h"
#include "compute/normal.h"

/* below this many expected, chi-square is no good approximation */
#define FEW 5

/* Chan, Golub and LeVeque's update of mean and variance. */
void
osml_moments_add(OsmlMoments *moments, const OsmlMoments *more)
{
	double		n = moments->n + more->n;
	double		share = more->n / n;
	double		delta = more->mean - moments->mean;

	if (!(more->n > 0))
		return;
	moments->variance += share * (more->variance - moments->variance) +
		share * (1 - share) * delta * delta;
	moments->mean += share * delta;
	moments->n = n;
}

/* z of the part's mean, with the finite population correction */
OsmlFairness
osml_fair_mean(const OsmlMoments *part, const OsmlMoments *whole)
{
	OsmlFairness fair = {NAN, NAN};
	double		left_out = whole->n - part->n;
	double		error;

	if (!(part->n > 0))
		return fair;
	error = sqrt(whole->variance / part->n * left_out / (whole->n - 1));
	/* 0 / 0 where the whole is one value, or all of it is in the part */
	fair.z = error > 0 ? (part->mean - whole->mean) / error : 0;
	fair.p = osml_normal_p(fair.z);
	return fair;
}

/*
 * The z of a chi-square, so that both kinds of columns can be compared.  A
 * p-value too small for a double has the z of one degree of freedom, which is
 * too large, but nobody tells 40 from 45.
 */
static double
deviate_of(double chi_square, double p)
{
	return p > 0 ? osml_normal_deviate(p) : sqrt(chi_square);
}

/* chi-square of the part's counts, with the finite population correction */
OsmlFairness
osml_fair_counts(const int64_t *part, const int64_t *whole, int n)
{
	OsmlFairness fair = {NAN, NAN};
	double		rows = 0;
	double		all = 0;
	double		few_got = 0;
	double		few_expected = 0;
	double		sum = 0;
	int			cells = 0;

	for (int i = 0; i < n; i++)
	{
		rows += part[i];
		all += whole[i];
	}
	if (!(rows > 0))
		return fair;
	for (int i = 0; i < n; i++)
	{
		double		expected = rows * (whole[i] / all);

		if (expected < FEW)
		{
			few_got += part[i];
			few_expected += expected;
			continue;
		}
		sum += (part[i] - expected) * (part[i] - expected) / expected;
		cells++;
	}
	if (few_expected > 0)
	{
		sum += (few_got - few_expected) * (few_got - few_expected) / few_expected;
		cells++;
	}
	fair.z = 0;
	fair.p = 1;
	if (cells > 1 && rows < all)
	{
		sum *= (all - 1) / (all - rows);
		fair.p = osml_chi_square_p(sum, cells - 1);
		fair.z = deviate_of(sum, fair.p);
	}
	return fair;
}
