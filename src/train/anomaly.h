/*
 * anomaly.h
 *	  "detect_anomaly": the first value that is not finite, and where it comes from.
 *
 * As torch.autograd.set_detect_anomaly() this is for finding a fault and not for every
 * run: rows go forward once more.  Each function raises an error, with run->diverged,
 * for what it finds, in the order in which it comes to be: columns of a row, outputs of
 * layers, the loss of a row, gradients, running statistics of batch norm, parameters.
 */
#ifndef OSML_ANOMALY_H
#define OSML_ANOMALY_H

#include "train/fit.h"

/* rows [lo, hi) are about to be added to the batch; block NULL: it is about to end */
extern void osml_anomaly_before(OsmlFit *fit, OsmlBlock *block, int lo, int hi, OsmlRowsAt at);

/* they were, or it has */
extern void osml_anomaly_after(OsmlFit *fit, OsmlBlock *block, int lo, int hi, OsmlRowsAt at);

/* a step has changed the parameters */
extern void osml_anomaly_update(OsmlFit *fit);

#endif							/* OSML_ANOMALY_H */
