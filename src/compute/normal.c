/*
 * normal.c
 *	  The normal distribution through erfc().
 */
#include "compute/normal.h"

#include <math.h>

#define SQRT_HALF 0.70710678118654752440
#define SQRT_TWO_OVER_PI 0.79788456080286535588
#define MAX_STEPS 60

/* P(|Z| >= |z|) */
double
osml_normal_p(double z)
{
	return erfc(fabs(z) * SQRT_HALF);
}

/*
 * Newton's method on log p, which is concave in z: from the right of the root,
 * where the bound p <= exp(-z^2 / 2) puts the start, each step stays to the
 * right of it until rounding ends the way.
 */
double
osml_normal_deviate(double p)
{
	double		z;

	if (!(p > 0 && p <= 1))
		return NAN;
	if (p > 0.5)				/* log p is flat there; p itself is not */
	{
		z = (1 - p) / SQRT_TWO_OVER_PI;
		for (int i = 0; i < MAX_STEPS; i++)
		{
			double		step = (erf(z * SQRT_HALF) - (1 - p)) /
			(SQRT_TWO_OVER_PI * exp(-z * z / 2));

			z -= step;
			if (fabs(step) <= 1e-16 * z)
				break;
		}
		return z;
	}
	z = sqrt(-2 * log(p));
	for (int i = 0; i < MAX_STEPS; i++)
	{
		double		tail = osml_normal_p(z);
		double		slope = SQRT_TWO_OVER_PI * exp(-z * z / 2) / tail;
		double		step;

		/* beyond erfc()'s range the bound is as good as any */
		if (!(tail > 0) || !(slope > 0) || isinf(slope))
			break;
		step = log(p / tail) / slope;
		z -= step;
		if (fabs(step) <= 1e-15 * z)
			break;
	}
	return z;
}
