/*
 * log.h
 *	  Metrics, events and progress of a run on their way to the catalog.
 *
 * Rows are kept in memory and written in one short transaction a second, and
 * at the end.  Training rows are rationed: a run may add osml.max_metric_rows
 * of them a second, and what it did not use for up to OSML_METRIC_BURST
 * seconds, so that short runs keep all and long ones are thinned evenly.  A
 * step, epoch or validation whose rows would go over is left out, which an
 * event records with the count.  Sanity, test and last rows are always kept.
 */
#ifndef OSML_LOG_H
#define OSML_LOG_H

#include "nodes/pg_list.h"

#include "catalog/run.h"

struct OsmlRun;

#define OSML_METRIC_BURST 10

typedef struct OsmlLog
{
	OsmlMetricRow *rows;
	int			n;
	int			capacity;
	double		ration;			/* rows that may still be logged now */
	TimestampTz ration_at;
	int64		points_dropped;
	List	   *names;			/* every metric name ever logged, in run memory */
	TimestampTz last_flush;
} OsmlLog;

extern void osml_log_init(struct OsmlRun *run);

/* may a step's n_rows optional rows be logged? */
extern bool osml_log_room(struct OsmlRun *run, int n_rows);

/* phase is a string constant */
extern void osml_log_metric(struct OsmlRun *run, const char *phase, const char *name,
							double value);

/* write what is pending when a second has passed, or now if forced */
extern void osml_log_flush(struct OsmlRun *run, bool force);

/* an event row, written in a transaction of its own */
extern void osml_log_event(struct OsmlRun *run, const char *severity,
						   const char *kind, const char *message);

#endif							/* OSML_LOG_H */
