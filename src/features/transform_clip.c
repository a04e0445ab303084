/*
 * transform_clip.c
 *	  Values below lo become lo, values above hi become hi.
 *
 * Either bound may be left out.  With `quantile` q, those not given are the
 * quantiles q and 1 - q of the training rows.
 */
#include "compute/kernels.h"
#include "features/transforms.h"

enum
{
	LO, HI, QUANTILE
};

static const OsmlParamDef params[] = {
	[LO] = {"lo", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "the least value"},
	[HI] = {"hi", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "the greatest value"},
	[QUANTILE] = {"quantile", OSML_PARAM_NUMBER,.low = 0,.high = 0.5,.standard = NAN,
		.meaning = "the share of training rows to clip on each side where lo or hi is not given"},
};

/* equal bounds may be: a constant column has no others */
static bool
check(const OsmlStep *step, char *message)
{
	if (!osml_step_given(step, LO) && !osml_step_given(step, HI) &&
		!osml_step_given(step, QUANTILE))
		return osml_step_wrong(message, "lo, hi or quantile must be given");
	if (osml_step_given(step, LO) && osml_step_given(step, HI) &&
		osml_step_number(step, LO) > osml_step_number(step, HI))
		return osml_step_wrong(message, "lo must not be greater than hi");
	return true;
}

static unsigned
needs(const OsmlStep *step)
{
	bool		both = osml_step_given(step, LO) && osml_step_given(step, HI);

	return osml_step_given(step, QUANTILE) && !both ? OSML_NEED_QUANTILES : 0;
}

/* a bound that was given may lie beyond the quantile; without a value, 0 */
static OsmlStatus
fit(OsmlStep *step, const OsmlArena *arena, const OsmlProfile *profile)
{
	double		q = osml_step_number(step, QUANTILE);
	const double p[2] = {q, 1 - q};
	double		bounds[2] = {0, 0};
	OsmlStatus	status = OSML_OK;

	if (osml_kll_count(profile->kll) > 0)
		status = osml_kll_quantiles(profile->kll, 2, p, bounds);
	if (status != OSML_OK)
		return status;
	if (osml_step_given(step, LO))
		bounds[1] = fmax(bounds[1], osml_step_number(step, LO));
	if (osml_step_given(step, HI))
		bounds[0] = fmin(bounds[0], osml_step_number(step, HI));
	osml_step_learn(step, LO, bounds[0]);
	osml_step_learn(step, HI, bounds[1]);
	return OSML_OK;
}

/* comparisons are false for NaN, which so keeps its bits, NULL's too */
OSML_CLONES static void
osml_clip_run(int n, double lo, double hi, const double *x, double *out)
{
	for (int i = 0; i < n; i++)
	{
		double		value = x[i] < lo ? lo : x[i];

		out[i] = value > hi ? hi : value;
	}
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	double		lo = osml_step_given(step, LO) ? osml_step_number(step, LO) : -INFINITY;
	double		hi = osml_step_given(step, HI) ? osml_step_number(step, HI) : INFINITY;

	osml_clip_run(n, lo, hi, in->number, out->number);
}

const OsmlTransform osml_transform_clip = {
	.name = "clip",
	.meaning = "values beyond bounds become the bounds",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_null = true,
	.keeps_unit = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.by_hand = "\"lo\" and \"hi\"",
	.check = check,
	.needs = needs,
	.fit = fit,
	.run = run,
};
