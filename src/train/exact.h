/*
 * exact.h
 *	  Least squares itself: on return run->params hold the solution.
 */
#ifndef OSML_EXACT_H
#define OSML_EXACT_H

#include "train/run.h"

extern void osml_exact(OsmlRun *run);

#endif							/* OSML_EXACT_H */
