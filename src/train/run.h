/*
 * run.h
 *	  One run inside the trainer: what its files share.
 *
 * The life of a run, file by file: trainer.c starts it, intake.c receives
 * rows, load.c fills the resident sets and the statistics, feed.c walks them
 * epoch by epoch, fit.c takes steps (exact.c solves instead), validate.c
 * measures, log.c writes metrics and progress, version.c stores the result.
 */
#ifndef OSML_RUN_H
#define OSML_RUN_H

#include "catalog/run.h"
#include "compute/stats.h"
#include "features/scale.h"
#include "hparams/hparams.h"
#include "model/model.h"
#include "model/predictor.h"
#include "source/resident.h"
#include "train/channel.h"
#include "train/log.h"

/* receiving side of the queues, one pass at a time */
typedef struct OsmlIntake
{
	OsmlSegment *segment;
	shm_mq_handle *handles[OSML_MAX_READERS];
	uint64		request;		/* number of the pass under way */
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

/* a part as the run holds it */
typedef struct OsmlPartData
{
	bool		present;
	OsmlPartKind kind;			/* where its rows come from: val rows split off
								 * the training rows come from OSML_PART_TRAIN */
	OsmlResident *set;			/* NULL: read again for each pass */
	int64		n_rows;			/* usable rows */
	struct OsmlFeed *feed;		/* how validation walks it; made when needed */
	int			side;			/* of the split: 0 all rows, 1 held out, 2 kept */
} OsmlPartData;

typedef struct OsmlRun
{
	OsmlSegment *segment;
	OsmlShared *shared;
	OsmlPlan   *plan;
	OsmlHparams *hparams;
	MemoryContext context;		/* lives as long as the run */
	OsmlRunRow	row;
	OsmlLog		log;
	OsmlBudget	budget;
	OsmlIntake	intake;
	OsmlPartData parts[OSML_N_PARTS];

	const OsmlFeatureSet *set;	/* of the training part */
	OsmlLayout	layout;
	OsmlColumnStats *stats;		/* n_dense columns, then the label */
	bool		have_stats;
	uint64		fingerprint;	/* sum of row hashes of the training rows */
	int64		rows_null;
	int64		rows_nonfinite;

	OsmlScaling scaling;
	const OsmlBackend *backend;
	OsmlModelSpec spec;
	void	   *params;
	void	   *scratch;
	double		loss_unit;		/* loss in label units = loss * loss_unit */

	double		train_loss;		/* last values in label units; NaN = none */
	double		val_loss;
	double		test_loss;
	double	   *std_error;		/* exact: of each weight, raw units; the last is
								 * the intercept's; NULL otherwise */
	double	   *t_stat;
	double	   *p_value;
	bool	   *collinear;
	StringInfo	summary;		/* members of a JSON object */
	bool		streamed;		/* trained straight from the queue */
	bool		reread;			/* training rows are read again each epoch */
	TimestampTz started_at;
	bool		diverged;
} OsmlRun;

/* trainer.c: the pulse of a run, called once a batch or block and in each wait:
 * interrupts, the cancel flag (raises an error when the run is to end), and
 * what is due in the catalog. */
extern void osml_run_check(void *run);

/* add "key": value to the run's summary; value is JSON text */
extern void osml_run_summary(OsmlRun *run, const char *key, const char *value);
extern void osml_run_summary_number(OsmlRun *run, const char *key, double value);

/* intake.c */
extern void osml_intake_init(OsmlRun *run);
/* sample_pages and key: see osml_plan_shards(); 0, 0 for the rows in order */
extern void osml_intake_start(OsmlRun *run, OsmlPartKind part, uint32 sample_pages,
							  uint64 key);
/* append rows to block until it is full; false when the pass is over and the
 * block stayed empty */
extern bool osml_intake_fill(OsmlRun *run, OsmlBlock *block);
/* no more passes: readers and caller may go on */
extern void osml_intake_end(OsmlRun *run);

/* load.c */
extern void osml_load_parts(OsmlRun *run);
/* can the training rows go straight into steps, unkept? */
extern bool osml_can_stream(const OsmlRun *run);
/* append the rows of `from` that are on this side of the split to `to`, from
 * row *next on, until `to` is full; hash as osml_row_hash_block gives it */
extern void osml_split_rows(OsmlRun *run, OsmlBlock *from, const uint64 *hash,
							int side, OsmlBlock *to, int *next);
extern void osml_scaling_from_stats(OsmlRun *run);
/* streaming: what the load pass would have counted, block by block */
extern void osml_account_streamed(OsmlRun *run, const OsmlBlock *block);
extern void osml_streamed_end(OsmlRun *run);

/* feed.c: prepared blocks of a part, epoch by epoch */
typedef struct OsmlFeed OsmlFeed;
extern OsmlFeed *osml_feed_create(OsmlRun *run, OsmlPartData *data,
								  OsmlShuffle shuffle, int lane, int lanes);
extern void osml_feed_begin(OsmlFeed *feed, uint32 epoch);
/* next block with rows, or NULL at the end of the epoch; valid until the next
 * call */
extern OsmlBlock *osml_feed_next(OsmlFeed *feed);

/* fit.c and exact.c: train; on return run->params hold the result */
extern void osml_fit(OsmlRun *run);
extern void osml_exact(OsmlRun *run);

/* validate.c: measure on a part and log, always or while the ration lasts;
 * limit: full batches of the wrapped stream, OSML_AUTO for each row once.
 * Returns the loss in label units, NaN without rows. */
extern double osml_validate(OsmlRun *run, OsmlPartKind part, const char *phase,
							int64 limit, bool always);

/* version.c: insert the model version; inside a transaction */
extern void osml_store_version(OsmlRun *run);

#endif							/* OSML_RUN_H */
