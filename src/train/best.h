/*
 * best.h
 *	  The weights of a run at the best values of the monitored metric.
 *
 * "save_top_k" of them are kept in osml.checkpoint while the run lasts, so that
 * they survive it, and become versions at its end.
 */
#ifndef OSML_BEST_H
#define OSML_BEST_H

#include "train/run.h"

/* the run asks for them; max: larger values are better */
extern void osml_best_setup(OsmlRun *run, bool max);

/* a value of the metric named, and the weights that it is of: run->params; val_loss is
 * theirs too, or NaN, and is measured in the end */
extern void osml_best_offer(OsmlRun *run, const char *monitor, double value,
							double val_loss);

/* before the weights are tested and stored: the best ones become the run's, and what
 * osml_calibrate() makes of each is kept.  Where "save_last" asks for it the last ones
 * are kept beside. */
extern void osml_best_take(OsmlRun *run);

/* in the transaction that stores the run's version: versions of the others, before it */
extern void osml_best_store_others(OsmlRun *run);

#endif							/* OSML_BEST_H */
