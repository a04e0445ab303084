/*
 * kind.h
 *	  The kind of model of a run, and how it reads the label.
 *
 * Resolved in two steps: in the caller, from hyperparameters and the label's
 * type; in the trainer, once the label's classes are counted.
 */
#ifndef OSML_KIND_H
#define OSML_KIND_H

#include "compute/stats.h"
#include "features/classes.h"
#include "hparams/hparams.h"
#include "model/model.h"
#include "source/feature.h"

/* Settles set->label_key, and hparams->model_type and loss unless the number of
 * classes decides.  Errors name the label. */
extern void osml_kind_resolve(OsmlHparams *hparams, OsmlFeatureSet *set);

/* The kind, now that classes are counted (NULL: the label is a number); source
 * names the rows in messages. */
extern const OsmlModelKind *osml_kind_settle(OsmlHparams *hparams,
											 const OsmlFeatureSet *set,
											 const OsmlClasses *classes,
											 const char *source);

/*
 * The factors on the weights of rows that "class_weight" asks for, one a class, which
 * the caller's context owns; NULL: it asks for none.  class_rows: rows of each class.
 * Raises that one is named that is no class.
 */
extern double *osml_kind_class_weights(const OsmlHparams *hparams, const OsmlFeatureSet *set,
									   const OsmlClasses *classes, const int64 *class_rows);

/* raise: the label is to be a count, and the training rows have a negative one; or one row
 * is to be normalised by its batch; stats are those of the number columns, then of the label */
extern void osml_kind_check_counts(const OsmlHparams *hparams, const OsmlFeatureSet *set,
								   const char *source, const OsmlColumnStats *stats);

/* the first classes for a message; palloc'd */
extern char *osml_classes_words(const OsmlClasses *classes);

#endif							/* OSML_KIND_H */
