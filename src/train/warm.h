/*
 * warm.h
 *	  "warm_start": a run that goes on from the weights of a version of its model.
 *
 * For weights to mean the same, what they are weights of must be the same: the version's
 * learned params of features, its scaling constants and its classes stand in for those
 * that the run would learn, and its hyperparameters that shape the model are the run's
 * defaults.  The optimiser starts anew.
 *
 * Next: source/adopt.h (features), resolve.c and trainer.c (who calls).
 */
#ifndef OSML_WARM_H
#define OSML_WARM_H

#include "catalog/dataset.h"
#include "catalog/model.h"
#include "train/plan.h"

struct OsmlRun;

/* caller: the version to start from; NULL: there is none, which is an error unless
 * hparams->warm_start is just true.  model NULL: it has no name */
extern OsmlVersionRow *osml_warm_find(const char *model, const OsmlHparams *hparams);

/* caller: hyperparameters anew, over those of the version, with its number as
 * warm_start; errors name one that differs and must not */
extern OsmlHparams *osml_warm_hparams(const OsmlVersionRow *version, const char *model,
									  const OsmlDatasetRow *dataset, Jsonb *given);

/* caller: learned params for the features of the training rows, which must be the same */
extern void osml_warm_features(const OsmlVersionRow *version, const char *model,
							   const OsmlDatasetRow *dataset, OsmlPart *train);

/* trainer: the version, into run->warm; then one by one what the run takes from it.
 * Without "warm_start" these do nothing */
extern void osml_warm_load(struct OsmlRun *run);
extern void osml_warm_classes(struct OsmlRun *run);
extern void osml_warm_scaling(struct OsmlRun *run);
extern void osml_warm_params(struct OsmlRun *run);

#endif							/* OSML_WARM_H */
