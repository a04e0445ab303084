/*
 * student.c
 *	  Student's t through the regularised incomplete beta function.
 *
 * Sources: the continued fraction of DLMF 8.17.22, evaluated by Lentz's method
 * as Thompson and Barnett modified it (J. Comput. Phys. 64, 1986); for many
 * degrees of freedom, where the fraction would lose the digits of 1 - x, the
 * normal deviate of Hill (Algorithm 395, Comm. ACM 13, 1970).  No lgamma(): it
 * writes a global, and loses digits too.
 */
#include "compute/student.h"

#include <math.h>
#include <stdbool.h>

#define MAX_TERMS 100000
#define MANY_DOF 1e4
#define TINY 1e-300
#define SQRT_PI 1.77245385090551602730

/*
 * Gamma(a + 1/2) / Gamma(a).  Above 30 the asymptotic series (DLMF 5.11.13
 * with its coefficients worked out) is good to 1e-15.
 */
static double
gamma_ratio_half(double a)
{
	double		r = 1 / a;

	if (a < 30)
		return tgamma(a + 0.5) / tgamma(a);
	return sqrt(a) * (1 + r * (-1.0 / 8 + r * (1.0 / 128 + r * (5.0 / 1024 +
																r * (-21.0 / 32768 + r * (-399.0 / 262144 + r * (869.0 / 4194304)))))));
}

/* 1 / B(a, b); exact scaling when one of them is 1/2, as for Student's t */
static double
inverse_beta(double a, double b)
{
	if (b == 0.5)
		return gamma_ratio_half(a) / SQRT_PI;
	if (a == 0.5)
		return gamma_ratio_half(b) / SQRT_PI;
	return tgamma(a + b) / (tgamma(a) * tgamma(b));
}

/* the continued fraction of I_x(a, b), for x < (a + 1) / (a + b + 2) */
static double
beta_fraction(double a, double b, double x)
{
	double		c = 1;
	double		d = 1 - (a + b) * x / (a + 1);
	double		h;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	h = d;
	for (int m = 1; m < MAX_TERMS; m++)
	{
		double		even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double		odd = -(a + m) * (a + b + m) * x /
			((a + 2 * m) * (a + 2 * m + 1));
		double		step;

		d = 1 + even * d;
		c = 1 + even / c;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = fabs(c) < TINY ? TINY : c;
		h *= d * c;
		d = 1 + odd * d;
		c = 1 + odd / c;
		d = 1 / (fabs(d) < TINY ? TINY : d);
		c = fabs(c) < TINY ? TINY : c;
		step = d * c;
		h *= step;
		if (fabs(step - 1) < 1e-16)
			break;
	}
	return h;
}

/* log of the smaller-rounding of x and 1 - (1 - x) */
static double
log_share(double x, double y)
{
	return y < 0.5 ? log1p(-y) : log(x);
}

/* I_x(a, b) with y = 1 - x, which the caller knows to full precision */
double
osml_beta_inc(double a, double b, double x, double y)
{
	bool		direct = x < (a + 1) / (a + b + 2);
	double		front;

	if (!(a > 0 && b > 0 && x >= 0 && y >= 0))
		return NAN;
	if (x == 0)
		return 0;
	if (y == 0)
		return 1;
	front = exp(a * log_share(x, y) + b * log_share(y, x)) *
		inverse_beta(a, b);
	return direct ? front * beta_fraction(a, b, x) / a :
		1 - front * beta_fraction(b, a, y) / b;
}

/* the normal deviate z whose two-sided p-value is that of t; dof is large */
static double
normal_deviate(double t, double dof)
{
	double		a = dof - 0.5;
	double		b = 48 * a * a;
	double		w2 = a * log1p(t * t / dof);
	double		w = sqrt(w2);
	double		rest = ((0.4 * w2 + 3.3) * w2 + 24) * w2 + 85.5;

	return w * (1 + (w2 + 3) / b - rest / (b * (b + 0.8 * w2 * w2 + 100)));
}

/* P(|T| >= |t|) = I_x(dof / 2, 1 / 2) at x = dof / (dof + t^2) */
double
osml_student_p(double t, double dof)
{
	double		square = t * t;

	if (!(dof > 0) || isnan(t))
		return NAN;
	if (isinf(square))
		return 0;
	if (dof > MANY_DOF)
		return erfc(normal_deviate(t, dof) / sqrt(2));
	return osml_beta_inc(dof / 2, 0.5, dof / (dof + square),
						 square / (dof + square));
}
