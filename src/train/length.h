/*
 * length.h
 *	  How long the step loop will be, from hyperparameters and numbers of rows.
 */
#ifndef OSML_LENGTH_H
#define OSML_LENGTH_H

#include "hparams/hparams.h"

/* epochs of so many rows; OSML_AUTO: an endless stream.  "auto" aims at 2,000 steps */
extern int64 osml_length_epochs(const OsmlHparams *hparams, int64 n_rows);
extern int64 osml_length_batches(const OsmlHparams *hparams, int64 n_rows);	/* an epoch */

/* steps if nothing cuts the run short; 0: not known */
extern int64 osml_length_steps(const OsmlHparams *hparams, int64 epochs, int64 batches);

#endif							/* OSML_LENGTH_H */
