/*
 * transform_minmax.c
 *	  From [min, max] to [-1, 1].  Values beyond them go beyond; a constant
 *	  column becomes 0.
 */
#include "compute/kernels.h"
#include "features/transforms.h"

enum
{
	MIN, MAX
};

static const OsmlParamDef params[] = {
	[MIN] = {"min", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "what becomes -1; the least value of the training rows where not given"},
	[MAX] = {"max", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "what becomes 1; their greatest value where not given"},
};

static bool
check(const OsmlStep *step, char *message)
{
	if (osml_step_given(step, MIN) && osml_step_given(step, MAX) &&
		osml_step_number(step, MIN) > osml_step_number(step, MAX))
		return osml_step_wrong(message, "min must not be greater than max");
	return true;
}

/* a constant column is learned as one, but nobody means to make one */
static bool
check_given(const OsmlStep *step, char *message)
{
	if (osml_step_given(step, MIN) && osml_step_given(step, MAX) &&
		osml_step_number(step, MIN) == osml_step_number(step, MAX))
		return osml_step_wrong(message, "min must be less than max");
	return true;
}

static unsigned
needs(const OsmlStep *step)
{
	return osml_step_given(step, MIN) && osml_step_given(step, MAX) ? 0 :
		OSML_NEED_MOMENTS;
}

static bool
beyond(const OsmlStep *step, const OsmlProfile *profile)
{
	return osml_step_beyond(step, MIN, MAX, profile);
}

/*
 * A bound that was given may lie beyond all values; the other one then is the
 * same.  Without a value both are 0.
 */
static OsmlStatus
fit(OsmlStep *step, const OsmlArena *arena, const OsmlProfile *profile)
{
	double		min = profile->stats.n > 0 ? profile->stats.min : 0;
	double		max = profile->stats.n > 0 ? profile->stats.max : 0;

	if (osml_step_given(step, MIN))
		max = fmax(max, osml_step_number(step, MIN));
	if (osml_step_given(step, MAX))
		min = fmin(min, osml_step_number(step, MAX));
	osml_step_learn(step, MIN, min);
	osml_step_learn(step, MAX, max);
	return OSML_OK;
}

/*
 * The share comes first, so that min and max become -1 and 1 exactly.  Half of
 * everything is taken where the range itself is beyond float64.
 */
OSML_CLONES static void
osml_minmax_run(int n, double min, double max, const double *x, double *out)
{
	double		half = isinf(max - min) ? 0.5 : 1;
	double		low = min * half;
	double		range = max * half - low;

	for (int i = 0; i < n; i++)
	{
		double		value = 2 * ((x[i] * half - low) / range) - 1;

		out[i] = osml_is_missing(x[i]) ? osml_missing() : value;
	}
}

/* a constant column; NULL and NaN stay what they are */
static void
run_constant(int n, const double *x, double *out)
{
	for (int i = 0; i < n; i++)
		out[i] = isnan(x[i]) ? x[i] : 0;
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	double		min = osml_step_number(step, MIN);
	double		max = osml_step_number(step, MAX);

	if (min < max)
		osml_minmax_run(n, min, max, in->number, out->number);
	else
		run_constant(n, in->number, out->number);
}

const OsmlTransform osml_transform_minmax = {
	.name = "minmax",
	.meaning = "the range of values to [-1, 1]",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_null = true,
	.scales = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.by_hand = "\"min\" and \"max\"",
	.check = check,
	.check_given = check_given,
	.needs = needs,
	.beyond = beyond,
	.fit = fit,
	.run = run,
};
