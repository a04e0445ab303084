/*
 * transform_standardize.c
 *	  (x - mean) / std, with the population deviation.  A constant column has
 *	  deviation 0, which counts as 1: it becomes 0.
 */
#include "compute/kernels.h"
#include "features/transforms.h"

enum
{
	MEAN, STD
};

static const OsmlParamDef params[] = {
	[MEAN] = {"mean", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "what becomes 0; the mean of the training rows where not given"},
	[STD] = {"std", OSML_PARAM_NUMBER, .fitted = true,.low = 0,.high = DBL_MAX,
		.standard = NAN,
		.meaning = "what becomes 1; their standard deviation where not given"},
};

static bool
check(const OsmlStep *step, char *message)
{
	if (osml_step_given(step, STD) && osml_step_number(step, STD) <= 0)
		return osml_step_wrong(message, "std must be greater than 0");
	return true;
}

static unsigned
needs(const OsmlStep *step)
{
	return osml_step_given(step, MEAN) && osml_step_given(step, STD) ? 0 :
		OSML_NEED_MOMENTS;
}

/* without a value, the mean is 0 */
static OsmlStatus
fit(OsmlStep *step, const OsmlArena *arena, const OsmlProfile *profile)
{
	osml_step_learn(step, MEAN, profile->stats.n > 0 ? profile->stats.mean : 0);
	osml_step_learn(step, STD, osml_stats_std(&profile->stats));
	return OSML_OK;
}

/* NULL is told apart by its bits: arithmetic need not keep them */
OSML_CLONES static void
osml_standardize_run(int n, double mean, double std, const double *x, double *out)
{
	for (int i = 0; i < n; i++)
	{
		double		value = (x[i] - mean) / std;

		out[i] = osml_is_missing(x[i]) ? osml_missing() : value;
	}
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	osml_standardize_run(n, osml_step_number(step, MEAN), osml_step_number(step, STD),
						 in->number, out->number);
}

const OsmlTransform osml_transform_standardize = {
	.name = "standardize",
	.meaning = "mean 0 and standard deviation 1",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_null = true,
	.scales = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.by_hand = "\"mean\" and \"std\"",
	.check = check,
	.needs = needs,
	.fit = fit,
	.run = run,
};
