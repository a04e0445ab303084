/*
 * divergence.h
 *	  Noticing that training explodes, and what is done then.
 */
#ifndef OSML_DIVERGENCE_H
#define OSML_DIVERGENCE_H

#include "train/fit.h"

/* memory for what "on_nonfinite" returns to */
extern void osml_fallback_setup(OsmlFit *fit);

/* what may be places to return to: the run is at its start; a step has been taken; an
 * epoch is over */
extern void osml_fallback_begin(OsmlFit *fit);
extern void osml_fallback_step(OsmlFit *fit);
extern void osml_fallback_epoch(OsmlFit *fit);

/* the run goes on from a checkpoint, which has brought the place to return to */
extern void osml_fallback_resume(OsmlFit *fit);

/* bytes of values and of the optimiser's state in such a place */
extern Size osml_fallback_params_bytes(const OsmlRun *run);
extern Size osml_fallback_optim_bytes(const OsmlFit *fit);

/* would osml_judge_step() use it?  Nothing is done */
extern bool osml_step_usable(const OsmlFit *fit, const OsmlStepResult *step);

/*
 * May this step's gradient be used?  It may not when loss, gradient or batch norm's
 * running statistics are not finite or the loss exceeds divergence_factor times the
 * first.  Then "on_nonfinite" has been done: the step is left out, with an event that
 * names its rows, after a rollback if that is asked for.  Error
 * NUMERIC_VALUE_OUT_OF_RANGE, and run->diverged, where it is stop, or where nothing
 * helps.  Parameters are those before the step, so they are finite.
 */
extern bool osml_judge_step(OsmlFit *fit, const OsmlStepResult *step);

/* the run is over: raise, as above, if it left out every step or returned from each, so
 * that its weights are those that it began with, or if the last step made them infinite */
extern void osml_fallback_end(OsmlFit *fit);

#endif							/* OSML_DIVERGENCE_H */
