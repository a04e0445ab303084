/*
 * parts.h
 *	  A dataset's parts as a run reads them, and what hyperparameters must fit in
 *	  them.  osml_train() and osml_check() ask the same functions.
 *
 * Next: resolve.c (osml_train), api/check.c.
 */
#ifndef OSML_TRAIN_PARTS_H
#define OSML_TRAIN_PARTS_H

#include "catalog/dataset.h"
#include "train/plan.h"

/* the training rows: label and features as hyperparameters, then the dataset, say */
extern void osml_resolve_train(OsmlPart *part, const OsmlDatasetRow *dataset,
							   const OsmlHparams *hparams);

/* the name of a model where none is given: the dataset's, or the relation's; NULL: the
 * source is a query */
extern char *osml_default_model(const OsmlDatasetRow *dataset);

/* raise: no name of a model, or of one that is not the current role's to train into;
 * named: by the user, not after what is trained on */
extern void osml_check_model(const char *name, bool named);

/* raise what can be wrong with hyperparameters once the features are known; settles
 * the kind of model and how the label is read (kind.h) */
extern void osml_resolve_counts(OsmlPart *train, const OsmlDatasetRow *dataset,
								OsmlHparams *hparams);

/* val or test, which must have what train has; not present: the dataset has none */
extern void osml_resolve_held_out(OsmlPart *part, OsmlPartKind kind,
								  const OsmlDatasetRow *dataset, const OsmlPart *train);

/* raise: "initial_weights" are given, and not one for each parameter of a model with
 * these features, whose categories are known */
extern void osml_check_initial_weights(const OsmlHparams *hparams, const OsmlLayout *layout,
									   int n_classes);

/* what "auto" of "scale_label" means */
extern void osml_resolve_scale_label(OsmlHparams *hparams);

#endif							/* OSML_TRAIN_PARTS_H */
