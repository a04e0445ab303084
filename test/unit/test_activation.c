/*
 * test_activation.c
 *	  Each activation of the list: slope against finite differences, known values,
 *	  the far ends, NaN, and the look-ups.
 */
#include "tap.h"

#include <string.h>

#include "fixtures/blocks.h"
#include "compute/backend.h"

#define VALUES 301

static const OsmlBackend *const cpu = &osml_backend_cpu;

/* one value and its slope through the backend */
static double
one(OsmlActivation activation, double z, double *slope)
{
	OsmlTile value = {&z, 1, 1, 1};
	OsmlTile slopes = {slope, 1, 1, 1};

	cpu->activate(cpu, OSML_FLOAT64, activation, value, slopes);
	return z;
}

/* the slope is the derivative of the value, and float32 agrees with float64 */
static void
test_slopes(OsmlActivation activation)
{
	const double h = 1e-5;
	double		worst = 0;
	double		worst_f = 0;
	float		value_f[VALUES];
	float		slope_f[VALUES];
	OsmlTile values = {value_f, VALUES, VALUES, 1};
	OsmlTile slopes = {slope_f, VALUES, VALUES, 1};

	for (uint64_t i = 0; i < VALUES; i++)
		value_f[i] = (float) (5 * noise(1, i));
	cpu->activate(cpu, OSML_FLOAT32, activation, values, slopes);
	for (uint64_t i = 0; i < VALUES; i++)
	{
		double		z = (float) (5 * noise(1, i));
		double		slope;
		double		unused;
		double		value = one(activation, z, &slope);
		double		numeric = (one(activation, z + h, &unused) -
							   one(activation, z - h, &unused)) / (2 * h);

		worst = fmax(worst, fabs(numeric - slope));
		worst_f = fmax(worst_f, fabs(value - value_f[i]) / fmax(1, fabs(value)));
		worst_f = fmax(worst_f, fabs(slope - slope_f[i]));
	}
	ok(worst < 1e-9, "%s: slope against finite differences (worst %.1g)",
	   osml_activation_name(activation), worst);
	ok(worst_f < 5e-7, "%s: float32 against float64 (worst %.1g)",
	   osml_activation_name(activation), worst_f);
}

/* NaN stays NaN, and far from zero value and slope are finite */
static void
test_ends(OsmlActivation activation)
{
	static const double ends[] = {-1000, -40, -20, 20, 40, 1000};
	double		slope;
	bool		finite = true;
	float		nan_f = NAN;
	float		slope_f;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
	{
		float		end = (float) ends[i];
		OsmlTile value = {&end, 1, 1, 1};
		OsmlTile slopes = {&slope_f, 1, 1, 1};

		finite = finite && isfinite(one(activation, ends[i], &slope)) && isfinite(slope);
		cpu->activate(cpu, OSML_FLOAT32, activation, value, slopes);
		finite = finite && isfinite(end) && isfinite(slope_f);
	}
	ok(finite, "%s: finite far from zero", osml_activation_name(activation));
	ok(isnan(one(activation, NAN, &slope)), "%s: a NaN stays a NaN",
	   osml_activation_name(activation));
	cpu->activate(cpu, OSML_FLOAT32, activation, (OsmlTile) {&nan_f, 1, 1, 1},
				  (OsmlTile) {&slope_f, 1, 1, 1});
	ok(isnan(nan_f), "%s: in float32 too", osml_activation_name(activation));
}

/* values and slopes at -1.5 and slopes at 0 as PyTorch 1.13 prints them */
static void
test_values(void)
{
	static const struct
	{
		OsmlActivation activation;
		double		value;
		double		slope;
		double		slope_at_0;
	}			known[] = {
		{OSML_ACTIVATION_RELU, 0, 0, 0},
		{OSML_ACTIVATION_LEAKY_RELU, -0.015, 0.01, 0.01},
		{OSML_ACTIVATION_TANH, -0.9051482536448665, 0.18070663892364855, 1},
		{OSML_ACTIVATION_SIGMOID, 0.18242552380635632, 0.14914645207033284, 0.25},
		{OSML_ACTIVATION_GELU, -0.10021080190328704, -0.1274691922299796, 0.5},
		{OSML_ACTIVATION_SILU, -0.27363828570953450, -0.04129415429914295, 0.5},
	};
	double		slope;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
	{
		is_close(one(known[i].activation, -1.5, &slope), known[i].value, 1e-14, 0,
				 osml_activation_name(known[i].activation));
		is_close(slope, known[i].slope, 1e-14, 0, "its slope at -1.5");
		one(known[i].activation, 0, &slope);
		is_close(slope, known[i].slope_at_0, 1e-15, 0, "and at 0");
	}
}

/* names */
static void
test_list(void)
{
	for (int i = 0; i < OSML_ACTIVATION_COUNT; i++)
		ok(osml_activation_by_name(osml_activations[i].name) == i &&
		   osml_activations[i].meaning[0] != '\0', "%s: found by name",
		   osml_activation_name((OsmlActivation) i));
	ok(osml_activation_by_name("GELU") == OSML_ACTIVATION_GELU &&
	   osml_activation_by_name("rel") == -1, "names ignore case, a part is none");
}

int
main(void)
{
	for (int i = 0; i < OSML_ACTIVATION_COUNT; i++)
	{
		test_slopes((OsmlActivation) i);
		test_ends((OsmlActivation) i);
	}
	test_values();
	test_list();
	return done();
}
