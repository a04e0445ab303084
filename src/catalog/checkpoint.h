/*
 * checkpoint.h
 *	  osml.checkpoint: where a run can go on, and its best weights so far.
 *
 * A run has one checkpoint of kind "last" at most, and a few of kind "best".
 */
#ifndef OSML_CATALOG_CHECKPOINT_H
#define OSML_CATALOG_CHECKPOINT_H

#include "datatype/timestamp.h"
#include "nodes/pg_list.h"

#define OSML_CHECKPOINT_LAST "last"
#define OSML_CHECKPOINT_BEST "best"

typedef struct OsmlCheckpointRow
{
	int64		run_id;
	const char *kind;
	int64		step;
	int64		epoch;
	const char *monitor;		/* best: the metric; else NULL */
	double		value;			/* of it; NaN: none, as in the losses */
	double		train_loss;
	double		val_loss;
	bytea	   *state;			/* safetensors; see train/checkpoint.h */
	TimestampTz at;
} OsmlCheckpointRow;

/* in place of the run's last one */
extern void osml_checkpoint_put_last(const OsmlCheckpointRow *row);

/* beside the others; that of step `evicted` goes (-1: none) */
extern void osml_checkpoint_put_best(const OsmlCheckpointRow *row, int64 evicted);

/* the run's last one, or NULL */
extern OsmlCheckpointRow *osml_checkpoint_last(int64 run_id);

/* the best ones in the order of their steps (OsmlCheckpointRow *), without state */
extern List *osml_checkpoint_list_best(int64 run_id);

/* one of those, with its state; an internal error when it is gone */
extern OsmlCheckpointRow *osml_checkpoint_best(int64 run_id, int64 step);

/* All checkpoints of the run go; returns their number. */
extern uint64 osml_checkpoints_delete(int64 run_id);

/*
 * The run goes on from its last checkpoint: what it recorded later (metrics, best
 * ones) goes, since it will come again.  Without one all of that goes.
 */
extern void osml_checkpoint_rewind(int64 run_id);

#endif							/* OSML_CATALOG_CHECKPOINT_H */
