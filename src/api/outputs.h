/*
 * outputs.h
 *	  Predictions as SQL values.
 */
#ifndef OSML_API_OUTPUTS_H
#define OSML_API_OUTPUTS_H

#include "api/loaded.h"

/* an error unless the model predicts one number */
extern void osml_need_number(const OsmlLoaded *loaded);

/* an error unless it predicts a number and was stored with residuals of held-out rows */
extern void osml_need_intervals(const OsmlLoaded *loaded);

/* the argument "level" of an interval; an error unless it is between 0 and 1 */
extern double osml_need_level(double level);

/* the interval of a prediction of such a model */
extern void osml_loaded_interval(const OsmlLoaded *loaded, double prediction, double level,
								 double *lower, double *upper);

/* an error unless the model predicts classes */
extern void osml_need_classes(const OsmlLoaded *loaded);

/* the same; which class a name is, an error with the nearest name if it is none.
 * NULL: the second of two, else -1. */
extern int	osml_need_class(const OsmlLoaded *loaded, const char *name);

/* Of a row whose prediction k is out[k * stride]: the probability of each class,
 * a float8[]; the most probable class, of equals the first, and its text, NULL where a
 * probability is NaN. */
extern Datum osml_proba(const OsmlLoaded *loaded, const double *out, size_t stride);
extern int	osml_best_class(const OsmlLoaded *loaded, const double *out, size_t stride);
extern const char *osml_class_text(const OsmlLoaded *loaded, const double *out,
								   size_t stride);

#endif							/* OSML_API_OUTPUTS_H */
