/*
 * launcher.h
 *	  osml_train() in the client's backend.
 *
 * resolve.c turns names into a plan, launcher.c starts the workers, caller.c
 * waits: it reads rows if no worker does, shows progress and notices a lost
 * client, a cancel and a lock cycle.
 */
#ifndef OSML_LAUNCHER_H
#define OSML_LAUNCHER_H

#include "postmaster/bgworker.h"
#include "train/segment.h"
#include "train/turn.h"
#include "utils/jsonb.h"

typedef struct OsmlTrainRequest
{
	const char *dataset;
	Jsonb	   *hparams;		/* or NULL */
	const char *model;			/* or NULL: named after the dataset or relation */
	bool		model_named;	/* by the user */
	bool		wait;
	int64		resume;			/* the run that is there already; 0: a new one */
	bool		waited;			/* it was queued and begins: its turn has come */
	const Jsonb *summary;		/* what that run has noted, or NULL */
	const char *function;		/* as the user called it, for messages */
	OsmlRange	range;			/* on: find a learning rate */
} OsmlTrainRequest;

/* what the launcher holds while a run starts */
typedef struct OsmlLaunch
{
	OsmlSegment *segment;
	BackgroundWorkerHandle *trainer;
	BackgroundWorkerHandle *readers[OSML_MAX_READERS];
	shm_mq_handle *queue;		/* if the caller reads, else NULL */
	bool		continue_alone;
	const char *function;
	OsmlTurn	turn;			/* until the run has its row */
} OsmlLaunch;

/* check, resolve and start; with wait also see it through.  Returns the run id; 0: there
 * is no new row ("since"), or another run is going on ("if_running"), which a notice
 * says.  turn: that of a queued run, whose lock this session has; or NULL */
extern int64 osml_launch(const OsmlTrainRequest *request, const OsmlTurn *turn);

/* resolve.c: everything the run needs to know, once it may start, into a plan and what
 * of launch is about hyperparameters and turn.  NULL: nothing is to be started */
extern OsmlPlan *osml_resolve(const OsmlTrainRequest *request, OsmlLaunch *launch);

/* caller.c: read if need be, wait for the end, raise the run's error */
extern void osml_see_through(OsmlLaunch *launch);

#endif							/* OSML_LAUNCHER_H */
