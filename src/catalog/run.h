/*
 * run.h
 *	  osml.run, osml.metric, osml.event: what a trainer writes while it lives.
 */
#ifndef OSML_CATALOG_RUN_H
#define OSML_CATALOG_RUN_H

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

typedef struct OsmlRunRow
{
	int64		run_id;
	char	   *owner;			/* role name */
	char	   *dataset;		/* as the user named it */
	char	   *model;
	bool		model_named;	/* by the user, who may mean somebody else's */
	int			version;		/* 0 until a version is written */
	char	   *status;			/* as stored; see osml_run_status() */
	char	   *error;			/* NULL or message */
	Jsonb	   *hparams;
	char	   *device;
	int64		steps;
	int64		epoch;
	int64		rows_read;		/* usable rows taken from the sources */
	int64		rows_seen;		/* rows in completed steps, epochs counted again */
	int64		rows_skipped;
	int32		trainer_pid;
	uint32		segment;		/* dsm_handle, for osml_cancel */
	Jsonb	   *summary;		/* r2, condition number, spill, times, ... */
} OsmlRunRow;

/* a new id from the sequence; not transactional */
extern int64 osml_run_new_id(void);

/* status 'running', started_at now */
extern void osml_run_insert(const OsmlRunRow *row);

/* status 'queued': a new run, or one that is to go on, which waits for its turn */
extern void osml_run_queue(const OsmlRunRow *row);

/* status 'running' of a run that was interrupted or queued, hparams replaced; first: it
 * starts only now */
extern void osml_run_restart(const OsmlRunRow *row, bool first);

/* counters only: steps, epoch, and the rows_ of all kinds */
extern void osml_run_progress(const OsmlRunRow *row);

/* ends the run: status, error, version, counters, summary, hparams; ended_at now */
extern void osml_run_end(const OsmlRunRow *row);

/* NULL if absent.  fresh: under the latest snapshot, whatever the isolation */
extern OsmlRunRow *osml_run_find(int64 run_id, bool fresh);

/* a role's runs (OsmlRunRow *) whose trainers live, the oldest first, under the latest
 * snapshot */
extern List *osml_runs_going_on(const char *owner);

/* may the current user see it: owner's rights, or pg_monitor (read only) */
extern bool osml_run_visible(const OsmlRunRow *row);

/*
 * Liveness: a session lock that the trainer holds while it lives.  take: by the
 * trainer, before the row is committed.  alive: a probe; true on a standby,
 * where nobody can know.
 */
extern void osml_run_lock_take(int64 run_id);
/* the same where another session may have it: false */
extern bool osml_run_lock_try(int64 run_id);
extern bool osml_run_lock_alive(int64 run_id);
/* a queued run's, for its trainer to take */
extern void osml_run_lock_release(int64 run_id);

/* queued or running */
extern bool osml_run_is_open(const char *status);

/*
 * Stored status, but of a row that says running or queued and whose lock is free the
 * true one: 'interrupted', unless the run has ended since the row was read.
 * Not in parallel mode, where no new snapshot can be taken.
 */
extern const char *osml_run_status(const OsmlRunRow *row);

/* a batch of metric rows, one statement */
typedef struct OsmlMetricRow
{
	int64		step;
	int64		epoch;
	const char *phase;			/* train, sanity, val, test */
	const char *name;
	double		value;
	TimestampTz at;
} OsmlMetricRow;
extern void osml_metric_insert(int64 run_id, const OsmlMetricRow *rows, int n);

/* the values of a training metric in the order of steps, palloc'd, and their number;
 * under the latest snapshot */
extern double *osml_metric_values(int64 run_id, const char *name, int64 *n);

/* kind: row_skipped, reread, diverged, collinear, ...; severity info|warning|error */
extern void osml_event_insert(int64 run_id, const char *severity, const char *kind,
							  int64 step, const char *message);

#endif							/* OSML_CATALOG_RUN_H */
