/*
 * test_fair.c
 *	  Parts against the whole: 40-digit references (mpmath), exact variances by
 *	  drawing every part there is, limits.
 */
#include "tap.h"

#include "compute/fair.h"

/* moments of some of six values: those whose bit is set */
static OsmlMoments
moments_of(const double *values, int set)
{
	OsmlMoments all = {0};

	for (int i = 0; i < 6; i++)
	{
		OsmlMoments one = {1, values[i], 0};

		if (set >> i & 1)
			osml_moments_add(&all, &one);
	}
	return all;
}

/* merging in any order is computing at once */
static void
test_moments(void)
{
	static const double values[6] = {1, 4, 4, 9, -3, 0};
	OsmlMoments whole = moments_of(values, 63);
	OsmlMoments some = moments_of(values, 41);
	OsmlMoments rest = moments_of(values, 22);
	const OsmlMoments nothing = {0};

	is_close(whole.mean, 2.5, 1e-15, 0, "mean");
	is_close(whole.variance, 14.25, 1e-15, 0, "population variance");
	osml_moments_add(&some, &rest);
	is_close(some.mean, whole.mean, 1e-15, 0, "mean of two parts");
	is_close(some.variance, whole.variance, 1e-15, 0, "variance of two parts");
	osml_moments_add(&some, &nothing);
	ok(some.n == 6, "nothing adds nothing");
}

/* over all 15 parts of 2 of 6 values the z are a variable of variance 1 */
static void
test_every_part(void)
{
	static const double values[6] = {1, 4, 4, 9, -3, 0};
	OsmlMoments whole = moments_of(values, 63);
	double		sum = 0;
	double		squares = 0;
	int			parts = 0;

	for (int set = 0; set < 64; set++)
	{
		OsmlMoments part = moments_of(values, set);
		double		z;

		if (part.n != 2)
			continue;
		z = osml_fair_mean(&part, &whole).z;
		sum += z;
		squares += z * z;
		parts++;
	}
	ok(parts == 15, "15 parts");
	is_close(sum, 0, 0, 1e-13, "mean of z");
	is_close(squares / parts, 1, 1e-14, 0, "variance of z");
}

static void
test_mean(void)
{
	const OsmlMoments whole = {1000, 0.2, 0.16};
	const OsmlMoments part = {100, 0.3, 0.21};
	const OsmlMoments low = {100, 0.1, 0.09};
	const OsmlMoments constant = {1000, 7, 0};
	const OsmlMoments some = {10, 7, 0};
	const OsmlMoments nothing = {0};
	const OsmlMoments one = {1, 5, 0};
	OsmlFairness fair = osml_fair_mean(&part, &whole);

	is_close(fair.z, 2.63391343821318471, 1e-13, 0, "z of a mean");
	is_close(fair.p, 0.00844070037506000488, 1e-13, 0, "its p-value");
	is_close(osml_fair_mean(&low, &whole).z, -fair.z, 1e-13, 0, "the sign says which way");
	fair = osml_fair_mean(&whole, &whole);
	ok(fair.z == 0 && fair.p == 1, "the whole is fair");
	fair = osml_fair_mean(&some, &constant);
	ok(fair.z == 0 && fair.p == 1, "a constant is fair");
	fair = osml_fair_mean(&one, &one);
	ok(fair.z == 0 && fair.p == 1, "one value is fair");
	fair = osml_fair_mean(&nothing, &whole);
	ok(isnan(fair.z) && isnan(fair.p), "no values, no test");
}

static void
test_counts(void)
{
	static const int64_t part[] = {20, 30, 50};
	static const int64_t whole[] = {200, 400, 400};
	static const int64_t part2[] = {30, 70};
	static const int64_t whole2[] = {200, 800};
	static const int64_t thin[] = {20, 30, 49, 1, 0, 0};
	static const int64_t thin_whole[] = {200, 400, 390, 5, 4, 1};
	static const int64_t thin_pooled[] = {20, 30, 49, 1};
	static const int64_t thin_whole_pooled[] = {200, 400, 390, 10};
	static const int64_t none[] = {0, 0, 0};
	static const int64_t far[] = {2000000, 0, 0};
	static const int64_t far_whole[] = {2000000, 2000000, 2000000};
	OsmlFairness fair = osml_fair_counts(part, whole, 3);
	OsmlFairness other;

	is_close(fair.z, 1.86380227126354103, 1e-12, 0, "z of counts");
	is_close(fair.p, 0.0623494766896734234, 1e-12, 0, "their p-value");
	fair = osml_fair_counts(part2, whole2, 2);
	is_close(fair.z, 2.63391343821318471, 1e-12, 0, "two categories are a mean of 0 and 1");
	fair = osml_fair_counts(thin, thin_whole, 6);
	other = osml_fair_counts(thin_pooled, thin_whole_pooled, 4);
	ok(fair.p == other.p, "rare categories count as one");
	fair = osml_fair_counts(whole, whole, 3);
	ok(fair.z == 0 && fair.p == 1, "the whole is fair");
	fair = osml_fair_counts(part, whole, 1);
	ok(fair.z == 0 && fair.p == 1, "one category is fair");
	fair = osml_fair_counts(none, whole, 3);
	ok(isnan(fair.z) && isnan(fair.p), "no rows, no test");
	fair = osml_fair_counts(far, far_whole, 3);
	ok(fair.p == 0 && fair.z > 37 && isfinite(fair.z), "far off, but a number");
}

int
main(void)
{
	test_moments();
	test_every_part();
	test_mean();
	test_counts();
	return done();
}
