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
extern char *osml_describe_rows(OsmlFit *fit);

/* memory for what "on_nonfinite" returns to */
extern void osml_fallback_setup(OsmlFit *fit);

/* a step has been taken, or the run is at its start: a place to return to */
extern void osml_fallback_note(OsmlFit *fit, bool force);

/* the run goes on from a checkpoint, which has brought the place to return to */
extern void osml_fallback_resume(OsmlFit *fit);

/* bytes of values and of the optimiser's state in such a place */
extern Size osml_fallback_params_bytes(const OsmlRun *run);
extern Size osml_fallback_optim_bytes(const OsmlFit *fit);

/*
 * May this step's gradient be used?  It may not when loss or gradient is not finite
 * or the loss exceeds divergence_factor times the first.  Then "on_nonfinite" has
 * been done: the step is left out, with an event that names its rows, after a
 * rollback if that is asked for.  Error NUMERIC_VALUE_OUT_OF_RANGE, and
 * run->diverged, where it is stop, or where nothing helps.  Parameters are those
 * before the step, so they are finite.
 */
extern bool osml_judge_step(OsmlFit *fit, const OsmlStepResult *step);

/* a run that took no step: raise, as above, that it left out every one; if it did */
extern void osml_all_skipped(OsmlFit *fit);

#endif							/* OSML_DIVERGENCE_H */
