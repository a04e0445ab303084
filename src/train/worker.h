/*
 * worker.h
 *	  What trainer and readers share: taking on the caller's identity, and
 *	  short transactions.
 */
#ifndef OSML_WORKER_H
#define OSML_WORKER_H

#include "train/segment.h"

/* First thing in a worker: signals, and a context of its own, which is current. */
extern void osml_worker_prepare(void);

/*
 * The same for a worker of a run, and map its segment.  The run's context is
 * current on return and lives as long as the process.
 */
extern OsmlSegment *osml_worker_start(Datum main_arg);

/* has the postmaster died: to be asked where something is about to be written that its
 * death may have set off; a system call */
extern bool osml_worker_orphaned(void);

/*
 * Connect to the plan's database as the authenticated user, take settings over,
 * and show the role ("trainer", "reader 1") in pg_stat_activity.
 */
extern void osml_worker_connect(const OsmlPlan *plan, const char *role);

/*
 * In a transaction: the lock of a run that has a row already.  Whoever just looks whether
 * its process is alive lets go at once; else it is an error: somebody has it.
 */
extern void osml_worker_take_run(int64 run_id);

/*
 * A transaction as the plan's current user with a snapshot.  Everything
 * allocated in the current context after begin is gone after end.
 */
extern void osml_worker_begin(const OsmlPlan *plan);
extern void osml_worker_end(void);

/* the identity and settings of this session, into a plan (launcher) */
extern void osml_identity_capture(OsmlPlan *plan);

#endif							/* OSML_WORKER_H */
