/*
 * transform_cyclic.c
 *	  A number that starts anew after each period (an hour, an angle) as a
 *	  point on a circle: 23 and 0 are neighbours.
 */
#include "features/transforms.h"

enum
{
	PERIOD, OFFSET
};

static const OsmlParamDef params[] = {
	[PERIOD] = {"period", OSML_PARAM_NUMBER,.low = 0,.high = DBL_MAX,.standard = NAN,
		.meaning = "the length of a turn, such as 24 for hours"},
	[OFFSET] = {"offset", OSML_PARAM_NUMBER,.low = -DBL_MAX,.high = DBL_MAX,.standard = 0,
		.meaning = "the value that a turn starts at, such as 1 for months"},
};

static int
n_out(const OsmlStep *step)
{
	return 2;
}

static bool
check(const OsmlStep *step, char *message)
{
	if (!osml_step_given(step, PERIOD))
		return osml_step_wrong(message, "period must be given");
	if (osml_step_number(step, PERIOD) <= 0)
		return osml_step_wrong(message, "period must be greater than 0");
	return true;
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	double		period = osml_step_number(step, PERIOD);
	double		offset = osml_step_number(step, OFFSET);

	for (int i = 0; i < n; i++)
	{
		double		x = in->number[i];

		osml_circle(isnan(x) ? x : x - offset, period, &out[0].number[i],
					&out[1].number[i]);
	}
}

static const char *
out_name(const OsmlStep *step, int i)
{
	return osml_circle_name(i);
}

const OsmlTransform osml_transform_cyclic = {
	.name = "cyclic",
	.meaning = "sine and cosine of a number that starts anew after each period",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_null = true,
	.scales = true,
	.turns = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.n_out = n_out,
	.check = check,
	.run = run,
	.out_name = out_name,
};
