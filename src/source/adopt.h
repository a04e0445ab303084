/*
 * adopt.h
 *	  A feature set that takes over what another has learned.
 */
#ifndef OSML_ADOPT_H
#define OSML_ADOPT_H

#include "source/feature.h"

/*
 * Fill in the learned params of the set's definitions with those of another set of the
 * same features, and build its program anew, so that what a model has learned of the
 * one means the same of the other.  `whose` is the other in words; dataset is for
 * messages and may be NULL.  Errors name the first feature that is not the same.
 */
extern void osml_feature_set_adopt(OsmlFeatureSet *set, OsmlFeatureSet *other,
								   const char *whose, const char *dataset);

#endif							/* OSML_ADOPT_H */
