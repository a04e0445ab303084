/*
 * test_student.c
 *	  Two-sided p-values: 40-digit references (mpmath), tables, limits.
 */
#include "tap.h"

#include "compute/student.h"

int
main(void)
{
	static const double cases[][3] = {
		{0.0, 5.0, 1.0},
		{1e-08, 3.0, 0.99999999264894806104},
		{1.0, 1.0, 0.5},
		{12.706204736432095, 1.0, 0.049999999998991305639},
		{2.5, 2.0, 0.12961172022151080911},
		{4.302652729911275, 2.0, 0.049999999996516630904},
		{2.228138851964939, 10.0, 0.050000000001808631294},
		{0.5, 30.0, 0.62072300488512728596},
		{2.042272456301238, 30.0, 0.050000000000000010006},
		{5.0, 30.0, 0.000023296685467007795133},
		{60.0, 30.0, 8.3113096135322486942e-33},
		{1.98, 100.0, 0.050451606833095377059},
		{1.9599639845400545, 1000000.0, 0.050000277295221608124},
		{100.0, 7.5, 5.3747990408141911819e-13},
		{10000000000.0, 3.0, 2.205315581687168198e-30},
		{1e+60, 4.5, 1.0498390247286866545e-269},
		{3.0, 0.5, 0.3673081559859434482},
		{1.5, 59.0, 0.13894692537960427673},
		{1.5, 60.0, 0.138858354318179776},
		{1.5, 61.0, 0.13877267728075789919},
		{8.0, 123456.0, 1.2548742122498512267e-15}
	};
	double		below;
	double		above;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		is_close(osml_student_p(cases[i][0], cases[i][1]), cases[i][2], 1e-10, 0,
				 "p-value");
	ok(osml_student_p(-2.5, 2) == osml_student_p(2.5, 2), "the sign is no matter");
	is_close(osml_student_p(1.96, 1e12), erfc(1.96 / sqrt(2)), 1e-10, 0,
			 "the normal distribution with endless degrees of freedom");
	for (double t = 0.5; t < 36; t *= 2)
	{
		below = osml_student_p(t, 1e4);
		above = osml_student_p(t, nextafter(1e4, 2e4));
		is_close(above, below, 1e-10, 0, "both methods meet at 10,000 degrees");
	}
	ok(isnan(osml_student_p(1, 0)) && isnan(osml_student_p(1, -3)) &&
	   isnan(osml_student_p(NAN, 3)), "no degrees of freedom, no t: NaN");
	ok(osml_student_p(INFINITY, 3) == 0, "an infinite t: 0");
	is_close(osml_beta_inc(2, 3, 0.25, 0.75), 0.26171875, 1e-14, 0, "I_x(2, 3)");
	ok(isnan(osml_beta_inc(-1, 3, 0.25, 0.75)), "outside the domain: NaN");
	return done();
}
