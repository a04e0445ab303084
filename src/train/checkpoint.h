/*
 * checkpoint.h
 *	  Where a run can go on: its state after a step, in osml.checkpoint.
 *
 * The state is a safetensors file: the parameters by their names; "optimizer.0",
 * "optimizer.1", ... with a value for each trained parameter; "scaling.center",
 * "scaling.scale", "scaling.impute", "scaling.label" (center, scale); "lanes", the
 * epoch and the row of each lane; "average", of all parameters, where there is one yet; and
 * in the metadata the counters, fingerprints of the
 * rows and of their order, the classes and the fitted definitions.  Random numbers need no state: they are drawn by seed,
 * epoch, batch and row (compute/random.h).
 *
 * A run that goes on reads its data again, skips to its place in the epoch, and from
 * there does what it would have done.  Next: best.h (the best weights of a run).
 */
#ifndef OSML_CHECKPOINT_H
#define OSML_CHECKPOINT_H

#include "train/fit.h"

/* most bytes of a checkpoint: what a field of a row can hold, less its frame */
#define OSML_MAX_CHECKPOINT (1000 * 1024 * 1024)

/*
 * Before anything is learned from the data: find the last checkpoint, and take its
 * definitions over.  Without one the run begins anew.
 */
extern void osml_checkpoint_open(OsmlRun *run);

/* after the load pass: the scaling that the weights were trained under */
extern void osml_checkpoint_scaling(OsmlRun *run);

/* what hyperparameters ask for, of the run's memory */
extern void osml_checkpoint_setup(OsmlFit *fit);

/* all but the place in the data: weights, optimiser, counters, the monitor */
extern void osml_checkpoint_restore(OsmlFit *fit);

/* the lanes are at their places: are these the rows that it was trained on? */
extern void osml_checkpoint_compare(OsmlFit *fit);

/* at the end of a batch: make a checkpoint if one is due */
extern void osml_checkpoint_maybe(OsmlFit *fit);

#endif							/* OSML_CHECKPOINT_H */
