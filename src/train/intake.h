/*
 * intake.h
 *	  Rows from the queues into full blocks, one pass over a part at a time.
 */
#ifndef OSML_INTAKE_H
#define OSML_INTAKE_H

#include "source/encode.h"
#include "train/channel.h"

struct OsmlRun;

/* told the text of a key before the block that it is in */
typedef void (*OsmlTextReceiver) (void *arg, int key_column, uint64 key,
								  const char *text, int length);

/* receiving side of the queues */
typedef struct OsmlIntake
{
	shm_mq_handle *handles[OSML_MAX_READERS];
	bool		active;			/* a pass is not yet at its end */
	bool		carried;		/* its rows come from run->carry instead */
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
	OsmlTextReceiver texts;		/* NULL: no texts are asked for */
	void	   *texts_arg;

	/* from inputs to features, where the program has steps */
	OsmlEncoder encoder;
	OsmlBlock  *raw;			/* inputs being packed */
	OsmlBlock  *encoded;		/* their features, with room taken of it */
	int			encoded_taken;
	uint64		hash[OSML_BLOCK_ROWS];	/* of the encoded rows */
} OsmlIntake;

extern void osml_intake_init(struct OsmlRun *run);

/* sample_pages and key: see osml_plan_shards(); 0, 0 for the rows in order */
extern void osml_intake_start(struct OsmlRun *run, OsmlPartKind part,
							  uint32 sample_pages, uint64 key);

/* the same for the rows in order, with the texts of some key columns (row.h) */
extern void osml_intake_start_texts(struct OsmlRun *run, OsmlPartKind part,
									uint64 text_keys, OsmlTextReceiver texts, void *arg);

/* the program is complete: rows can be taken as features from now on */
extern void osml_intake_encode(struct OsmlRun *run);

/*
 * Append rows, as features, to block until it is full; false when the pass is
 * over and the block stayed empty.  hash, if not NULL, has a place for each row
 * of a block and gets the hash of each row's inputs; alike throughout a pass.
 */
extern bool osml_intake_fill(struct OsmlRun *run, OsmlBlock *block, uint64 *hash);

/* the same as inputs: what the readers sent */
extern bool osml_intake_fill_inputs(struct OsmlRun *run, OsmlBlock *block);

/* the rest of the pass is not wanted: readers end it as soon as they can */
extern void osml_intake_enough(struct OsmlRun *run);

/* no more passes: readers and caller may go on */
extern void osml_intake_end(struct OsmlRun *run);

#endif							/* OSML_INTAKE_H */
