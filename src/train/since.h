/*
 * since.h
 *	  "since": a run reads only the rows that are newer than the last run's.
 *
 * A column says what newer is.  The greatest value that a run read is kept in the
 * summary of its version, as text under the settings of source/pinned.h; the next run
 * reads what is greater, up to the greatest there is when it starts, in all of its
 * passes.  Values are compared in the source's query, by their type's own order.  A run
 * that makes no version moves nothing.
 */
#ifndef OSML_SINCE_H
#define OSML_SINCE_H

#include "catalog/model.h"
#include "train/plan.h"

struct OsmlRun;

/*
 * caller: which rows are new, into plan->since, and the training rows' source becomes a
 * query for them.  warm: the version that the run goes on from, or NULL, for the newest
 * of that model with such a value; without any all rows that have a value are new.
 * False: there are none, and since->above is the value that none is above.  Without
 * "since" nothing is done, and true returned.  summary: of a run that goes on, whose
 * rows are the same however many have come since; or NULL.
 */
extern bool osml_since_resolve(OsmlSince *since, OsmlPart *train, const OsmlHparams *hparams,
							   const char *model, const OsmlVersionRow *warm,
							   const Jsonb *summary);

/* trainer: both values, into the run's summary */
extern void osml_since_note(struct OsmlRun *run);

#endif							/* OSML_SINCE_H */
