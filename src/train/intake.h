/*
 * intake.h
 *	  Rows from the queues into full blocks, one pass over a part at a time.
 */
#ifndef OSML_INTAKE_H
#define OSML_INTAKE_H

#include "train/channel.h"

struct OsmlRun;

/* receiving side of the queues */
typedef struct OsmlIntake
{
	shm_mq_handle *handles[OSML_MAX_READERS];
	bool		active;			/* a pass is not yet at its end */
	const OsmlLayout *layout;
	int			n_shards;
	int			position;		/* shard being received */
	int64		row_base;		/* rows of the shards before it */
	OsmlMessage message;		/* block being copied */
	const char *columns;
	int			taken;			/* rows of it already copied */
	int64		rows_read;		/* of this pass, dropped ones included */
	int64		n_null;
	int64		n_nonfinite;
} OsmlIntake;

extern void osml_intake_init(struct OsmlRun *run);

/* sample_pages and key: see osml_plan_shards(); 0, 0 for the rows in order */
extern void osml_intake_start(struct OsmlRun *run, OsmlPartKind part,
							  uint32 sample_pages, uint64 key);

/* append rows to block until it is full; false when the pass is over and the
 * block stayed empty */
extern bool osml_intake_fill(struct OsmlRun *run, OsmlBlock *block);

/* no more passes: readers and caller may go on */
extern void osml_intake_end(struct OsmlRun *run);

#endif							/* OSML_INTAKE_H */
