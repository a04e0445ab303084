/*
 * fit_dataset.h
 *	  What a dataset's own features are, learned from all of its training rows.
 *
 * For people: runs learn for themselves, from the rows they train on.
 */
#ifndef OSML_API_FIT_DATASET_H
#define OSML_API_FIT_DATASET_H

#include "compat.h"
#include "catalog/dataset.h"
#include "source/analysis.h"

/*
 * Learn and store: fitted of the definitions, and bins with their counts.  The
 * set is osml_defined_features() of a dataset of the current user's own, whose
 * definitions are locked; known, or NULL, as osml_source_learn() has it.
 */
extern void osml_fit_set(const OsmlDatasetRow *dataset, const OsmlSource *source,
						 OsmlFeatureSet *set, const OsmlAnalysis *known);

/* is everything known that osml_fitted_features() needs? */
extern bool osml_is_fitted(const OsmlDatasetRow *dataset);

/* a dataset's features with what is given or was learned; an error when that
 * is not all */
extern OsmlFeatureSet *osml_fitted_features(const OsmlDatasetRow *dataset);

/* raise: a feature is not fitted, or not since it changed */
pg_noreturn extern void osml_not_fitted(const OsmlDatasetRow *dataset, const char *feature);

#endif							/* OSML_API_FIT_DATASET_H */
