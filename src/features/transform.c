/*
 * transform.c
 *	  The list of transforms, and what several of them need.
 */
#include "features/transforms.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TURN 6.283185307179586476925	/* 2 pi */

const OsmlTransform *const osml_transforms[] = {
	&osml_transform_none,
	&osml_transform_standardize,
	&osml_transform_minmax,
	&osml_transform_log1p,
	&osml_transform_clip,
	&osml_transform_impute,
	&osml_transform_cyclic,
	&osml_transform_date_part,
	&osml_transform_great_circle,
	&osml_transform_bin,
	&osml_transform_category,
	&osml_transform_hash,
	&osml_transform_cross,
	NULL
};

/* the transform of that name, or NULL */
const OsmlTransform *
osml_transform_by_name(const char *name)
{
	for (int i = 0; osml_transforms[i] != NULL; i++)
	{
		if (strcmp(osml_transforms[i]->name, name) == 0)
			return osml_transforms[i];
	}
	return NULL;
}

/* the position of a parameter, or -1 */
int
osml_param_by_name(const OsmlTransform *transform, const char *name)
{
	for (int i = 0; i < transform->n_params; i++)
	{
		if (strcmp(transform->params[i].name, name) == 0)
			return i;
	}
	return -1;
}

/* NaN when it is neither given nor has a standard */
double
osml_step_number(const OsmlStep *step, int param)
{
	return step->params[param].given ? step->params[param].number :
		step->transform->params[param].standard;
}

bool
osml_step_beyond(const OsmlStep *step, int low, int high, const OsmlProfile *profile)
{
	const OsmlColumnStats *stats = &profile->stats;
	bool		constant = stats->min == stats->max;

	if (stats->n == 0 || osml_step_given(step, low) == osml_step_given(step, high))
		return false;
	if (osml_step_given(step, low))
		return osml_step_number(step, low) > stats->max ||
			(osml_step_number(step, low) == stats->max && !constant);
	return osml_step_number(step, high) < stats->min ||
		(osml_step_number(step, high) == stats->min && !constant);
}

bool
osml_step_wrong(char *message, const char *format,...)
{
	va_list		args;

	va_start(args, format);
	vsnprintf(message, 256, format, args);
	va_end(args);
	return false;
}

void
osml_bucket_name(int64_t code, char *out, size_t size)
{
	snprintf(out, size, "bucket %lld", (long long) code);
}

/*
 * fmod() is exact, so a large x loses nothing.  A NaN stays one that is no
 * NULL; infinity is nowhere on a circle.
 */
void
osml_circle(double x, double period, double *sine, double *cosine)
{
	double		angle = fmod(x, period) / period * TURN;

	if (isfinite(x))
	{
		*sine = sin(angle);
		*cosine = cos(angle);
	}
	else
		*sine = *cosine = isnan(x) ? x : osml_missing();
}

const char *
osml_circle_name(int i)
{
	return i == 0 ? "sin" : "cos";
}
