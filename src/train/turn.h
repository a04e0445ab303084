/*
 * turn.h
 *	  May a run start now: "if_running", and osml.max_runs.
 *
 * Asked by whoever launches a run, before anything about it is looked up: what waited
 * must see the model, the rows and the definitions as they are when its turn has come.
 * Turns end once the run has its row, or with the transaction.
 *
 * Next: catalog/turn_lock.h (the locks), queue.h (who waits for a client that does not).
 */
#ifndef OSML_TURN_H
#define OSML_TURN_H

#include "hparams/hparams.h"

typedef enum OsmlTurnAnswer
{
	OSML_TURN_START,
	OSML_TURN_SKIP,				/* a notice has said why */
	OSML_TURN_QUEUE				/* it has to wait, and the caller would not */
} OsmlTurnAnswer;

/* who has a run wait that may have to */
typedef enum OsmlPatience
{
	OSML_PATIENCE_NONE,
	OSML_PATIENCE_CLIENT,		/* a session, whose locks may be in the way */
	OSML_PATIENCE_WORKER		/* nobody knows that it is there: it holds nothing up */
} OsmlPatience;

typedef struct OsmlTurn
{
	const char *owner;			/* role */
	const char *model;			/* NULL: no turn of a model is held */
	bool		role;			/* the role's is held */
} OsmlTurn;

/*
 * model: NULL for a run that makes none.  patience: wait here where "if_running" is
 * queue.  Errors: another run of the model is going on and "if_running" is error; the
 * role has as many runs as osml.max_runs allows.
 */
extern OsmlTurnAnswer osml_turn_ask(OsmlTurn *turn, const char *owner, const char *model,
									OsmlIfRunning if_running,
									OsmlPatience patience);

extern void osml_turn_end(OsmlTurn *turn);

#endif							/* OSML_TURN_H */
