/*
 * gram.h
 *	  Steps of a squared loss from sums of their batches instead of rows: "gram".
 *
 * Where batches are the same in each epoch, one pass before the first makes the sums of
 * each (compute/gram.h); from then on an epoch costs what its steps do, however many
 * rows they have.  Lanes stand where rows would have brought them, so that a checkpoint,
 * or a batch that has to be taken from rows after all, finds its place.
 */
#ifndef OSML_TRAIN_GRAM_H
#define OSML_TRAIN_GRAM_H

#include "train/fit.h"

/* decide, and make the sums: fit->gram, or NULL.  Error where it is "on" and cannot be. */
extern void osml_gram_setup(OsmlFit *fit);

/* the next batch of the epoch: adds its loss, gradient and rows to the step, none where
 * the epoch is over; false where it is to be taken from rows, before which lanes stand */
extern bool osml_gram_batch(OsmlFit *fit);

/* lanes go to where batch number n_batches began, which is one of this epoch */
extern void osml_gram_rewind(OsmlFit *fit, int64 n_batches);

/* into the run's summary */
extern void osml_gram_end(OsmlFit *fit);

#endif							/* OSML_TRAIN_GRAM_H */
