/*
 * test_normal.c
 *	  Normal and chi-square tails: 50-digit references (mpmath), limits.
 */
#include "tap.h"

#include "compute/chi_square.h"
#include "compute/normal.h"

static void
test_normal(void)
{
	static const double tails[][2] = {
		{0, 1},
		{1e-8, 0.99999999202115439197},
		{0.5, 0.61707507745197379272},
		{1, 0.31731050786291410283},
		{1.959963984540054, 0.050000000000000021752},
		{3, 0.0026997960632601890533},
		{8, 1.2441921148543568247e-15},
		{30, 9.8134278542963741191e-198},
		{37, 1.1451142445049153645e-299}
	};
	static const double deviates[][2] = {
		{1, 0},
		{0.999999, 1.2533141373518682489e-6},
		{0.9, 0.12566134685507400616},
		{0.51, 0.65883769273618774229},
		{0.5, 0.6744897501960817432},
		{0.05, 1.9599639845400542118},
		{0.01, 2.5758293035489007538},
		{1e-10, 6.4669510872405161663},
		{1e-100, 21.305940069351527445},
		{1e-300, 37.065787880772130393}
	};
	double		worst = 0;

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		is_close(osml_normal_p(tails[i][0]), tails[i][1], 1e-13, 0, "P(|Z| >= z)");
	ok(osml_normal_p(-2) == osml_normal_p(2), "the sign is no matter");
	ok(isnan(osml_normal_p(NAN)) && osml_normal_p(INFINITY) == 0, "NaN and infinity");
	/* 1 - 0.999999 has ten digits */
	for (size_t i = 0; i < sizeof(deviates) / sizeof(deviates[0]); i++)
		is_close(osml_normal_deviate(deviates[i][0]), deviates[i][1], 1e-10, 0,
				 "deviate of p");
	for (double z = 0.001; z < 37; z *= 1.1)
		worst = fmax(worst, fabs(osml_normal_deviate(osml_normal_p(z)) / z - 1));
	ok(worst < 1e-11, "there and back again (%g)", worst);
	ok(isnan(osml_normal_deviate(0)) && isnan(osml_normal_deviate(1.1)) &&
	   isnan(osml_normal_deviate(NAN)), "no deviate outside (0, 1]");
	ok(isfinite(osml_normal_deviate(5e-324)), "the smallest p");
}

static void
test_chi_square(void)
{
	static const struct
	{
		double		x;
		int			dof;
		double		p;
	}			cases[] = {
		{3.841458820694124, 1, 0.050000000000000057435},
		{0.1, 1, 0.75182963404584927583},
		{5.991464547107979, 2, 0.050000000000000073572},
		{7.5, 3, 0.057558451972636406967},
		{30, 7, 0.000094959725081341837597},
		{18.307038053275146, 10, 0.050000000000000006706},
		{0.001, 5, 0.99999999831851228103},
		{200, 20, 1.1253473960842733885e-31},
		{20, 21, 0.5212612504839523785},
		{1500, 1000, 1.0454640385979657294e-22},
		{1, 1000, 1},
		{900, 1001, 0.98991038268446569424},
		{2500, 1, 0},
		{10000, 200, 0}
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_close(osml_chi_square_p(cases[i].x, cases[i].dof), cases[i].p, 1e-12, 0,
				 "P(X >= x)");
	is_close(osml_chi_square_p(9, 1), osml_normal_p(3), 1e-14, 0,
			 "one degree is a squared normal");
	ok(osml_chi_square_p(0, 4) == 1 && osml_chi_square_p(-1, 4) == 1, "nothing: 1");
	ok(osml_chi_square_p(INFINITY, 4) == 0, "infinity: 0");
	ok(isnan(osml_chi_square_p(1, 0)) && isnan(osml_chi_square_p(NAN, 1)),
	   "no degrees of freedom, no x: NaN");
}

int
main(void)
{
	test_normal();
	test_chi_square();
	return done();
}
