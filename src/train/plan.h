/*
 * plan.h
 *	  What a run is to do: everything resolved in the caller's transaction.
 *
 * The launcher fills a plan, packs it into the shared segment, and the trainer
 * and the readers unpack the same bytes.  Nothing in it is looked up again by
 * a worker, so a rename or a change of search_path after the call has no say.
 *
 * Next: segment.h (the shared memory), launcher.c (who fills it).
 */
#ifndef OSML_PLAN_H
#define OSML_PLAN_H

#include "lib/stringinfo.h"
#include "hparams/hparams.h"
#include "rules/schedule/range.h"
#include "source/source.h"

/* the parts of a data set; val and test are read first */
typedef enum OsmlPartKind
{
	OSML_PART_VAL,
	OSML_PART_TEST,
	OSML_PART_TRAIN
} OsmlPartKind;

#define OSML_N_PARTS 3

/* heap pages a shard, at most, of a pass that samples shards in random order */
#define OSML_SAMPLE_PAGES 16
#define OSML_SAMPLE_SHARDS 16384

typedef struct OsmlPart
{
	bool		present;
	OsmlSource	source;			/* columns are not packed */
	OsmlFeatureSet set;
} OsmlPart;

typedef struct OsmlSetting
{
	char	   *name;
	char	   *value;
} OsmlSetting;

/* how new the training rows are: see since.h */
typedef struct OsmlSince
{
	char	   *column;			/* NULL: it does not matter */
	char	   *type;			/* with its schema */
	char	   *above;			/* rows are above it; NULL: all that have a value */
	char	   *value;			/* the greatest there is */
} OsmlSince;

typedef struct OsmlPlan
{
	int64		run_id;
	bool		resume;			/* the run is there already, and goes on */
	bool		waited;			/* its row is there from the queue, but it begins */
	bool		queued;			/* not packed: it has to wait for its turn, and hparams are
								 * those given */
	char	   *dataset;		/* as the user named it */
	char	   *model;
	bool		model_named;	/* by the call, not after what it trains on */
	char	   *hparams;		/* resolved set as JSON text */
	OsmlPart	parts[OSML_N_PARTS];
	OsmlSince	since;
	OsmlRange	range;			/* on: not a model is wanted but a learning rate */

	Oid			extension;		/* as installed when the run began */

	/* who: workers connect as authenticated and act as current */
	Oid			database;
	Oid			authenticated_user;
	Oid			session_user;
	Oid			current_user;
	char	   *role;			/* current_user's name: the owner of run and model */

	int			n_settings;		/* search_path, TimeZone, ..., osml.* */
	OsmlSetting *settings;

	bool		wait;			/* a client waits for the end */
	int			n_readers;		/* workers that read; 0: the caller reads */
} OsmlPlan;

/* number of queues: one a reader, or the caller's */
static inline int
osml_plan_queues(const OsmlPlan *plan)
{
	return Max(1, plan->n_readers);
}

extern StringInfo osml_plan_pack(OsmlPlan *plan);
/* the resolved hyperparameters, parsed into the current context */
extern OsmlHparams *osml_plan_hparams(const OsmlPlan *plan);

extern OsmlPlan *osml_plan_unpack(const char *bytes, size_t size);

/*
 * Shards of one pass over a part, in plan order.  sample_pages > 0: shards of so
 * many heap pages, in an order drawn from key in which any run of shards comes
 * from all over the source.  A single reader's unsampled pass is one shard: the
 * whole source by a plain cursor.
 */
extern OsmlShard *osml_plan_shards(const OsmlPlan *plan, OsmlPartKind part,
								   uint32 sample_pages, uint64 key, int *n_shards);

/* can rows of this part be sampled by block range? */
extern bool osml_part_sampleable(const OsmlPart *part);

#endif							/* OSML_PLAN_H */
