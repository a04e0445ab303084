/*
 * range_test.h
 *	  The step loop as a learning-rate range test: osml_find_lr().
 *
 * A run like any other, which ends with a suggestion instead of a version.  Its curve
 * is in osml.metric, where the caller reads it.
 *
 * Next: rules/schedule/range.h (the rule), api/find_lr.c.
 */
#ifndef OSML_RANGE_TEST_H
#define OSML_RANGE_TEST_H

#include "train/fit.h"

/* names of the curve in osml.metric */
#define OSML_RANGE_LR "lr"
#define OSML_RANGE_LOSS "train_loss"
#define OSML_RANGE_SMOOTHED "train_loss_smoothed"

/* most steps of a test, each of which is three rows of osml.metric */
#define OSML_RANGE_MAX_STEPS 10000

/* caller: what of the hyperparameters gives way to the test */
extern void osml_range_resolve(OsmlHparams *hparams, const OsmlRange *range);

extern void osml_range_setup(OsmlFit *fit);

/* the step's loss and lr are there; false: it is not to be taken, the test is over */
extern bool osml_range_step(OsmlFit *fit, const OsmlStepResult *step);

/* it was taken */
extern void osml_range_log(OsmlFit *fit, const OsmlStepResult *step);

/* the result, into the run's summary */
extern void osml_range_end(OsmlFit *fit);

#endif							/* OSML_RANGE_TEST_H */
