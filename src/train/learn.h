/*
 * learn.h
 *	  What the transforms of a run's features learn before its load pass.
 */
#ifndef OSML_LEARN_H
#define OSML_LEARN_H

#include "train/run.h"

/*
 * Fit the program of the run's features to its training rows, in as many passes
 * over them as the definitions need (none, mostly), and give the set's
 * definitions what was learned.  Rows held out for validation have no say.
 */
extern void osml_learn_features(OsmlRun *run);

#endif							/* OSML_LEARN_H */
