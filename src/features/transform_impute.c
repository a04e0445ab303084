/*
 * transform_impute.c
 *	  A value in the place of NULL, and on request a second column that is 1
 *	  where it stands.  NaN is a value that somebody stored and stays.
 */
#include "compute/kernels.h"
#include "features/transforms.h"

enum
{
	METHOD, VALUE, FLAG
};

enum
{
	BY_MEAN, BY_MEDIAN, BY_CONSTANT
};

static const char *const methods[] = {"mean", "median", "constant", NULL};

static const OsmlParamDef params[] = {
	[METHOD] = {"method", OSML_PARAM_CHOICE, .choices = methods,.high = BY_CONSTANT,
		.standard = BY_MEAN,
		.meaning = "where the value comes from"},
	[VALUE] = {"value", OSML_PARAM_NUMBER, .fitted = true, OSML_ANY_NUMBER,
		.meaning = "what stands for NULL; learned from the training rows unless constant"},
	[FLAG] = {"flag", OSML_PARAM_BOOL,.high = 1,.standard = 0,
		.meaning = "make a column <feature>_missing too: 1 where NULL was, else 0"},
};

static int
n_out(const OsmlStep *step)
{
	return osml_step_number(step, FLAG) != 0 ? 2 : 1;
}

static bool
check(const OsmlStep *step, char *message)
{
	if (osml_step_number(step, METHOD) == BY_CONSTANT && !osml_step_given(step, VALUE))
		return osml_step_wrong(message, "method constant needs a value");
	return true;
}

static unsigned
needs(const OsmlStep *step)
{
	if (osml_step_given(step, VALUE))
		return 0;
	return osml_step_number(step, METHOD) == BY_MEDIAN ? OSML_NEED_QUANTILES :
		OSML_NEED_MOMENTS;
}

/* without a value, 0 */
static OsmlStatus
fit(OsmlStep *step, const OsmlArena *arena, const OsmlProfile *profile)
{
	const double half = 0.5;
	double		value = 0;
	OsmlStatus	status = OSML_OK;

	if (osml_step_number(step, METHOD) != BY_MEDIAN)
		value = profile->stats.n > 0 ? profile->stats.mean : 0;
	else if (osml_kll_count(profile->kll) > 0)
		status = osml_kll_quantiles(profile->kll, 1, &half, &value);
	if (status == OSML_OK)
		osml_step_learn(step, VALUE, value);
	return status;
}

OSML_CLONES static void
osml_impute_run(int n, double value, const double *x, double *out)
{
	for (int i = 0; i < n; i++)
		out[i] = osml_is_missing(x[i]) ? value : x[i];
}

OSML_CLONES static void
osml_impute_flags(int n, const double *x, double *out)
{
	for (int i = 0; i < n; i++)
		out[i] = osml_is_missing(x[i]) ? 1 : 0;
}

static void
run(const OsmlStep *step, int n, const OsmlColumn *in, const OsmlColumn *out)
{
	osml_impute_run(n, osml_step_number(step, VALUE), in->number, out[0].number);
	if (n_out(step) > 1)
		osml_impute_flags(n, in->number, out[1].number);
}

static const char *
out_name(const OsmlStep *step, int i)
{
	return i == 1 ? "missing" : NULL;
}

const OsmlTransform osml_transform_impute = {
	.name = "impute",
	.meaning = "a value in the place of NULL",
	.input = OSML_VALUE_NUMBER,
	.min_inputs = 1,
	.max_inputs = 1,
	.keeps_unit = true,
	.params = params,
	.n_params = OSML_LENGTH(params),
	.by_hand = "\"value\" with method constant",
	.n_out = n_out,
	.check = check,
	.needs = needs,
	.fit = fit,
	.run = run,
	.out_name = out_name,
};
