/*
 * turn_lock.h
 *	  Whose run of a model, or of a role, starts next, and who waits for which run: locks
 *	  that end with their owners.
 *
 * Four kinds, all visible in pg_locks: the trainer holds its model's as long as it
 * lives, and shares it with other runs of the model; a turn is held by one session from
 * the moment that it may start a run until that run has its row, so that nobody else
 * starts one meanwhile.  Locks are on names, since a model has no row before its first
 * version.  Nobody waits for the fourth, which says of a session that it waits for a run,
 * so that others can follow their locks through it.
 */
#ifndef OSML_CATALOG_TURN_LOCK_H
#define OSML_CATALOG_TURN_LOCK_H

#include "postgres.h"

#include "nodes/pg_list.h"

/* trainer: until this process ends */
extern void osml_model_lock_hold(const char *model);

/* does a trainer of the model live? */
extern bool osml_model_lock_held(const char *model);

/*
 * The turn to start a run of the model, until it is released or the transaction ends.
 * Waiting is first come, first served; else false: somebody has it.
 */
extern bool osml_model_turn_take(const char *model, bool wait);
extern void osml_model_turn_release(const char *model);

/* has somebody the turn? */
extern bool osml_model_turn_held(const char *model);

/* the same for any run of a role, which nobody holds for long */
extern void osml_role_turn_take(const char *role);
extern void osml_role_turn_release(const char *role);

/* a run that a session waits for, by its segment; looks: it notices cycles */
typedef struct OsmlWait
{
	bool		looks;
	uint32		segment;
	int64		run_id;			/* 0: none */
} OsmlWait;

/* wait for this run from now on; 0: for none */
extern void osml_wait_for(OsmlWait *wait, uint32 segment, int64 run_id);

/* what a process waits for, of OsmlWait, palloc'd */
extern List *osml_waits_of(int pid);

#endif							/* OSML_CATALOG_TURN_LOCK_H */
