/*
 * test_mt19937.c
 *	  PyTorch's CPU generator: numbers printed by torch 1.13.
 *
 * Uniform values agree in every bit.  Normal ones to a few roundings, since
 * PyTorch vectorises the logarithm and the cosine, in float32 with its own.
 */
#include "tap.h"

#include "compute/mt19937.h"

/* compare n values with the reference */
static void
check(OsmlPrecision precision, const void *got, const double *want, int n,
	  double tolerance, const char *what)
{
	double		worst = 0;

	for (int i = 0; i < n; i++)
	{
		double		value = precision == OSML_FLOAT32 ?
			((const float *) got)[i] : ((const double *) got)[i];

		worst = fmax(worst, fabs(value - want[i]));
	}
	ok(worst <= tolerance, "float%d %s: off by %.2g, at most %.0g",
	   precision == OSML_FLOAT32 ? 32 : 64, what, worst, tolerance);
}

static void
test_uniform(void)
{
	static const double wide[] = {
		2.268729424845488, 2.6857383983309124, 1.328638171576253,
		2.6972628270057006
	};
	static const double narrow[] = {
		2.908590793609619, 2.3980326652526855, 2.96071720123291,
		0.3053362965583801
	};
	static const double third[] = {0.03410819565052048, 0.28674022672130695};
	OsmlMt19937 mt;
	double		out[4];

	osml_mt19937_seed(&mt, 12345);
	osml_mt19937_uniform(&mt, OSML_FLOAT64, 4, -2, 3, out);
	check(OSML_FLOAT64, out, wide, 4, 0, "uniform");
	osml_mt19937_seed(&mt, 12345);
	osml_mt19937_uniform(&mt, OSML_FLOAT32, 4, -2, 3, out);
	check(OSML_FLOAT32, out, narrow, 4, 0, "uniform");
	osml_mt19937_seed(&mt, 3);
	osml_mt19937_uniform(&mt, OSML_FLOAT64, 2, 0, 1, out);
	check(OSML_FLOAT64, out, third, 2, 0, "seed 3");
	osml_mt19937_seed(&mt, (UINT64_C(1) << 40) + 3);
	osml_mt19937_uniform(&mt, OSML_FLOAT64, 2, 0, 1, out);
	check(OSML_FLOAT64, out, third, 2, 0, "seed 2^40 + 3: low 32 bits count");
}

/* std::mt19937's tenthousandth number, which the C++ standard fixes */
static void
test_standard(void)
{
	OsmlMt19937 mt;
	uint32_t	value = 0;

	osml_mt19937_seed(&mt, 5489);
	ok(osml_mt19937_u32(&mt) == 3499211612U, "the first of seed 5489");
	for (int i = 1; i < 10000; i++)
		value = osml_mt19937_u32(&mt);
	ok(value == 4123659995U, "the 10,000th, as ISO C++ 26.6.5 has it");
}

static void
test_normal(void)
{
	/* five values, then three more: the sixth was kept from the third pair */
	static const double few[] = {
		-0.1467950974849952, 0.7861412987235358, 0.9468216090039564,
		-1.1143440212610307, 1.6907901257942333, -0.8948278791726386,
		-0.3556250270062136, 1.2323857451651945
	};
	static const double wide[] = {
		0.06626753966449943, 0.04699155524392409, 1.8365386300294015,
		1.367690398536778, 1.457454937932726, 1.932214860010293,
		-1.4418139927522924, 0.7277603478716976, -1.3131496578292892,
		-0.3280001761367003, -1.3521685881505834, 1.7951074839458658,
		1.7421050311620636, -0.523961020712386, -0.28387899021947915,
		0.45257550210102954, -1.6677291342328766, -1.5870322969308357,
		2.03026332869622, 0.6596523264462502, 0.13053426110072325,
		0.33025572154675353, -0.07732070644914896
	};
	static const double narrow[] = {
		-0.8201345205307007, 0.39563116431236267, 0.8989084959030151,
		-1.3884038925170898, 0.19844505190849304, 0.7820726633071899,
		1.0391076803207397, -0.7245107293128967, -0.8489086031913757,
		-1.2169294357299805, -0.08102158457040787, 1.3614851236343384,
		-2.0614778995513916, 0.6741006970405579, -1.3233457803726196,
		-1.3597689867019653, -0.866701602935791, -0.5640066862106323,
		-2.056462526321411, -0.35672253370285034, 2.4505412578582764,
		2.025601863861084, 1.7791550159454346
	};
	static const double sixteen[] = {
		0.06626753966449943, 0.04699155524392409, 1.8365386300294015,
		1.367690398536778, 1.1213586638784168, 1.859747196003376
	};
	OsmlMt19937 mt;
	double		out[23];

	osml_mt19937_seed(&mt, 7);
	osml_mt19937_normal(&mt, OSML_FLOAT64, 5, out);
	osml_mt19937_normal(&mt, OSML_FLOAT64, 3, out + 5);
	check(OSML_FLOAT64, out, few, 8, 1e-15, "normal, five and three");
	osml_mt19937_seed(&mt, 7);
	osml_mt19937_normal(&mt, OSML_FLOAT32, 5, out);
	osml_mt19937_normal(&mt, OSML_FLOAT32, 3, (float *) out + 5);
	check(OSML_FLOAT32, out, few, 8, 1e-7, "normal, five and three");
	osml_mt19937_seed(&mt, 7);
	osml_mt19937_normal(&mt, OSML_FLOAT64, 16, out);
	check(OSML_FLOAT64, out, sixteen, 6, 2e-15, "normal, sixteen");
	osml_mt19937_seed(&mt, 7);
	osml_mt19937_normal(&mt, OSML_FLOAT64, 20, out);
	osml_mt19937_normal(&mt, OSML_FLOAT64, 3, out + 20);
	check(OSML_FLOAT64, out, wide, 23, 2e-15, "normal, twenty and three");
	osml_mt19937_seed(&mt, 7);
	osml_mt19937_normal(&mt, OSML_FLOAT32, 20, out);
	osml_mt19937_normal(&mt, OSML_FLOAT32, 3, (float *) out + 20);
	check(OSML_FLOAT32, out, narrow, 23, 1e-6, "normal, twenty and three");
}

int
main(void)
{
	test_uniform();
	test_standard();
	test_normal();
	return done();
}
