/*
 * transforms.h
 *	  What the files transform_*.c share, and the entries they make.
 *
 * Only they and transform.c include this; everyone else reads transform.h.
 */
#ifndef OSML_TRANSFORMS_H
#define OSML_TRANSFORMS_H

#include <float.h>
#include <math.h>

#include "features/transform.h"

extern const OsmlTransform osml_transform_none;
extern const OsmlTransform osml_transform_standardize;
extern const OsmlTransform osml_transform_minmax;
extern const OsmlTransform osml_transform_log1p;
extern const OsmlTransform osml_transform_clip;
extern const OsmlTransform osml_transform_impute;
extern const OsmlTransform osml_transform_cyclic;
extern const OsmlTransform osml_transform_date_part;
extern const OsmlTransform osml_transform_great_circle;
extern const OsmlTransform osml_transform_bin;
extern const OsmlTransform osml_transform_category;
extern const OsmlTransform osml_transform_hash;
extern const OsmlTransform osml_transform_cross;

/* any number that JSON can hold */
#define OSML_ANY_NUMBER .low = -DBL_MAX, .high = DBL_MAX, .standard = NAN

#define OSML_LENGTH(array) ((int) (sizeof(array) / sizeof((array)[0])))

static inline bool
osml_step_given(const OsmlStep *step, int param)
{
	return step->params[param].given;
}

/* what fit() learned; a value that the user gave stays */
static inline void
osml_step_learn(OsmlStep *step, int param, double value)
{
	if (!step->params[param].given)
		step->params[param].number = value;
	step->params[param].given = true;
}

/* is the one of two bounds that is given on the wrong side of all values of a profile?
 * A column that is all of its value, which may be the bound, is not beyond it. */
extern bool osml_step_beyond(const OsmlStep *step, int low, int high,
							 const OsmlProfile *profile);

/* Fail a check: write the message (256 bytes) and return false. */
extern bool osml_step_wrong(char *message, const char *format,...)
			__attribute__((format(printf, 2, 3)));

/* The name of item `code` of a step without a better one: "bucket 17". */
extern void osml_bucket_name(int64_t code, char *out, size_t size);

/*
 * A point on a circle: the sine and cosine of x, of which one turn is `period`.
 * NULL where there is no such point.
 */
extern void osml_circle(double x, double period, double *sine, double *cosine);

/* "sin" and "cos" */
extern const char *osml_circle_name(int i);

#endif							/* OSML_TRANSFORMS_H */
