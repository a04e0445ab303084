/*
 * validate.h
 *	  Measuring the model on a part, and how far it is off on rows held out.
 */
#ifndef OSML_VALIDATE_H
#define OSML_VALIDATE_H

#include "train/run.h"

/*
 * Measure and log, always or while the ration lasts (log.h).  limit: full
 * batches of the wrapped stream, OSML_AUTO for each row once.  Returns the loss
 * in label units, NaN without rows.
 */
extern double osml_validate(OsmlRun *run, OsmlPartKind part, const char *phase,
							int64 limit, bool always);

/* the same loss of validation rows, of weights as they are; nothing is logged */
extern double osml_val_loss(OsmlRun *run);

/* are there to be residuals?  Not of models of classes, nor where validation rows are
 * trained on or not there. */
extern bool osml_calibrates(const OsmlRun *run);

/*
 * run->tails become those of the weights as they are, over every validation row once:
 * in a pass of its own, unless the last validation was of the same weights.  They take
 * some kB in the run's context.  Nothing where osml_calibrates() says no.
 */
extern void osml_calibrate(OsmlRun *run);

#endif							/* OSML_VALIDATE_H */
