/*
 * test_average.c
 *	  Averages of parameters against their closed forms.
 */
#include "tap.h"

#include "rules/average/average.h"
#include "fixtures/blocks.h"

#define N 37
#define UPDATES 50

/* parameter i after update t */
static double
param(int i, int t)
{
	return i == 0 ? 0.1 : 10 * noise((uint32_t) i, (uint64_t) t) + i;
}

/* weight of update t in an average of all of them */
static double
weight(const OsmlAverage *average, int t)
{
	if (average->kind == OSML_AVERAGE_SWA)
		return 1.0 / UPDATES;
	return pow(average->decay, UPDATES - 1 - t) * (t == 0 ? 1 : 1 - average->decay);
}

static void
test_closed_form(OsmlAverageKind kind, double decay)
{
	OsmlAverage wide = {.kind = kind,.decay = decay};
	OsmlAverage narrow = wide;
	double		average[N];
	float		average_f32[N];
	double		off = 0;
	double		off_f32 = 0;

	for (int t = 0; t < UPDATES; t++)
	{
		double		params[N];
		float		params_f32[N];

		for (int i = 0; i < N; i++)
			params_f32[i] = (float) (params[i] = param(i, t));
		osml_average_update(&wide, OSML_FLOAT64, N, average, params);
		osml_average_update(&narrow, OSML_FLOAT32, N, average_f32, params_f32);
	}
	for (int i = 0; i < N; i++)
	{
		double		want = 0;

		for (int t = 0; t < UPDATES; t++)
			want += weight(&wide, t) * param(i, t);
		off = fmax(off, fabs(average[i] - want) / (1 + fabs(want)));
		off_f32 = fmax(off_f32, fabs(average_f32[i] - want) / (1 + fabs(want)));
	}
	ok(wide.n == UPDATES && off < 1e-13, "%s %g: off by %.2g", osml_averages[kind].name,
	   decay, off);
	ok(off_f32 < 2e-6, "in float32 by %.2g", off_f32);
	ok(average[0] == 0.1 && average_f32[0] == 0.1f, "what does not change stays");
}

int
main(void)
{
	test_closed_form(OSML_AVERAGE_SWA, 0);
	test_closed_form(OSML_AVERAGE_EMA, 0.9);
	test_closed_form(OSML_AVERAGE_EMA, 0.999);
	for (int i = 0; i < OSML_AVERAGE_COUNT; i++)
		ok(osml_average_by_name(osml_averages[i].name) == i, "%s by name",
		   osml_averages[i].name);
	ok(osml_average_by_name("EMA") == OSML_AVERAGE_EMA && osml_average_by_name("e") == -1,
	   "names ignore case, parts are no names");
	return done();
}
