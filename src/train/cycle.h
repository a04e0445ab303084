/*
 * cycle.h
 *	  A run that waits for a lock of whoever waits for the run: nothing would ever end that.
 *
 * The server sees no wait but those for locks.  So a session that waits for a run says so
 * (OsmlWait), and looks itself, now and then, whether a process of the run waits for it:
 * behind whatever others, who may wait for locks, or for runs of their own.
 *
 * Next: catalog/turn_lock.h (OsmlWait), caller.c.
 */
#ifndef OSML_CYCLE_H
#define OSML_CYCLE_H

#include "catalog/turn_lock.h"
#include "train/segment.h"

/*
 * An error when a run waits for a lock of this transaction, which waits for the run in the
 * function named
 */
extern void osml_check_lock_cycle(OsmlShared *shared, const char *function);

/* the same while the run has no row yet, for which its trainer alone is needed */
extern void osml_check_start_cycle(OsmlShared *shared, const char *function);

/* the same for somebody else's run */
extern void osml_check_wait_cycle(const OsmlWait *wait, const char *function);

#endif							/* OSML_CYCLE_H */
