/*
 * log.c
 *	  Metric rows in memory, flushed once a second in a transaction of their own.
 */
#include "postgres.h"

#include <math.h>

#include "pgstat.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "osml.h"
#include "train/run.h"
#include "train/worker.h"

#define FLUSH_MS 1000

void
osml_log_init(OsmlRun *run)
{
	OsmlLog    *log = &run->log;

	log->capacity = 256;
	log->rows = MemoryContextAlloc(run->context, sizeof(OsmlMetricRow) * log->capacity);
	log->last_flush = log->ration_at = GetCurrentTimestamp();
	log->ration = (double) osml_max_metric_rows * OSML_METRIC_BURST;
}

bool
osml_log_room(OsmlRun *run, int n_rows)
{
	OsmlLog    *log = &run->log;
	TimestampTz now = GetCurrentTimestamp();
	double		earned = (double) osml_max_metric_rows * (now - log->ration_at) / USECS_PER_SEC;

	log->ration = Min(log->ration + earned,
					  (double) osml_max_metric_rows * OSML_METRIC_BURST);
	log->ration_at = now;
	if (log->ration < n_rows)
	{
		log->points_dropped++;
		return false;
	}
	log->ration -= n_rows;
	return true;
}

/* The run's own copy of a name, made once: a run logs few names many times. */
static const char *
intern_name(OsmlRun *run, const char *name)
{
	ListCell   *cell;
	MemoryContext old;
	char	   *copy;

	foreach(cell, run->log.names)
	{
		if (strcmp(lfirst(cell), name) == 0)
			return lfirst(cell);
	}
	old = MemoryContextSwitchTo(run->context);
	copy = pstrdup(name);
	run->log.names = lappend(run->log.names, copy);
	MemoryContextSwitchTo(old);
	return copy;
}

void
osml_log_metric(OsmlRun *run, const char *phase, const char *name, double value)
{
	OsmlLog    *log = &run->log;
	OsmlMetricRow *row;

	if (run->hparams->fast_dev_run > 0)
		return;
	if (log->n == log->capacity)
	{
		log->capacity *= 2;
		log->rows = repalloc_huge(log->rows, sizeof(OsmlMetricRow) * log->capacity);
	}
	row = &log->rows[log->n++];
	row->step = run->row.steps;
	row->epoch = run->row.epoch;
	row->phase = phase;
	row->name = intern_name(run, name);
	row->value = value;
	row->at = GetCurrentTimestamp();
}

/* Write the pending rows and the counters in one transaction. */
static void
write_pending(OsmlRun *run)
{
	osml_worker_begin(run->plan);
	/* a lost second of progress is no loss: do not wait for the disk */
	(void) set_config_option("synchronous_commit", "off", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_LOCAL, true, 0, false);
	if (run->log.n > 0)
		osml_metric_insert(run->row.run_id, run->log.rows, run->log.n);
	osml_run_progress(&run->row);
	osml_worker_end();
	run->log.n = 0;
}

void
osml_log_flush(OsmlRun *run, bool force)
{
	TimestampTz now = GetCurrentTimestamp();
	MemoryContext old = CurrentMemoryContext;

	if (!force && !TimestampDifferenceExceeds(run->log.last_flush, now, FLUSH_MS))
		return;
	run->log.last_flush = now;
	write_pending(run);
	MemoryContextSwitchTo(old);
}

void
osml_log_event(OsmlRun *run, const char *severity, const char *kind,
			   const char *message)
{
	MemoryContext old = CurrentMemoryContext;

	osml_worker_begin(run->plan);
	osml_event_insert(run->row.run_id, severity, kind, run->row.steps, message);
	osml_worker_end();
	MemoryContextSwitchTo(old);
}
