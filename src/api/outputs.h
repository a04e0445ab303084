/*
 * outputs.h
 *	  Predictions as SQL values.
 */
#ifndef OSML_API_OUTPUTS_H
#define OSML_API_OUTPUTS_H

#include "api/loaded.h"

/* an error unless the model predicts one number */
extern void osml_need_number(const OsmlLoaded *loaded);

/* an error unless the model predicts classes */
extern void osml_need_classes(const OsmlLoaded *loaded);

/* Of a row whose prediction k is out[k * stride]: the probability of each class,
 * a float8[]; the most probable class, of equals the first. */
extern Datum osml_proba(const OsmlLoaded *loaded, const double *out, size_t stride);
extern const char *osml_class_text(const OsmlLoaded *loaded, const double *out,
								   size_t stride);

#endif							/* OSML_API_OUTPUTS_H */
