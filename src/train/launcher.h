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
#include "utils/jsonb.h"

typedef struct OsmlTrainRequest
{
	const char *dataset;
	Jsonb	   *hparams;		/* or NULL */
	const char *model;			/* or NULL: named after the dataset or relation */
	bool		wait;
	int64		resume;			/* the run that is to go on; 0: a new one */
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
} OsmlLaunch;

/* check, resolve and start; with wait also see it through.  Returns the run id; 0: there
 * is no new row ("since"), which a notice says. */
extern int64 osml_launch(const OsmlTrainRequest *request);

/* resolve.c: everything the run needs to know; *continue_alone from hparams.  NULL: there
 * is no new row */
extern OsmlPlan *osml_resolve(const OsmlTrainRequest *request, bool *continue_alone);

/* caller.c: read if need be, wait for the end, raise the run's error */
extern void osml_see_through(OsmlLaunch *launch);

/*
 * caller.c: an error when a run waits for a lock of this transaction, which
 * waits for the run in the function named
 */
extern void osml_check_lock_cycle(OsmlShared *shared, const char *function);

#endif							/* OSML_LAUNCHER_H */
