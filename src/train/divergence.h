/*
 * divergence.h
 *	  Noticing that training explodes, and saying where.
 */
#ifndef OSML_DIVERGENCE_H
#define OSML_DIVERGENCE_H

#include "train/fit.h"

/* remember which rows are in the current step */
extern void osml_note_segment(OsmlFit *fit, OsmlBlock *block, int lo, int hi);

/* those rows in words, "1 to 99", or some row numbers of a shuffled batch; palloc'd */
extern char *osml_describe_rows(const OsmlFit *fit);

/*
 * Error NUMERIC_VALUE_OUT_OF_RANGE, and run->diverged, when loss or gradient
 * is not finite or the loss exceeds divergence_factor times the first.
 * Parameters are those before the step, so they are finite.
 */
extern void osml_check_divergence(OsmlFit *fit, const OsmlStepResult *step);

#endif							/* OSML_DIVERGENCE_H */
