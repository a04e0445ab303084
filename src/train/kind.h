/*
 * kind.h
 *	  The kind of model of a run, and how it reads the label.
 *
 * Resolved in two steps: in the caller, from hyperparameters and the label's
 * type; in the trainer, once the label's classes are counted.
 */
#ifndef OSML_KIND_H
#define OSML_KIND_H

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

/* the first classes for a message; palloc'd */
extern char *osml_classes_words(const OsmlClasses *classes);

#endif							/* OSML_KIND_H */
