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
#include "compute/code_stats.h"
#include "compute/ols.h"
#include "compute/stats.h"
#include "features/scale.h"
#include "hparams/hparams.h"
#include "model/interval.h"
#include "model/model.h"
#include "model/predictor.h"
#include "source/resident.h"
#include "train/carry.h"
#include "train/intake.h"
#include "train/account.h"
#include "train/log.h"

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
	bool		told;			/* an event has said that its loss is not finite */
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
	const char *phase;			/* osml_run_phase() */
	OsmlAccount account;
	OsmlBudget	budget;
	Size		reserved;		/* of the budget, for the step loop: rows must not take it */
	OsmlIntake	intake;
	OsmlCarry	carry;
	OsmlPartData parts[OSML_N_PARTS];

	OsmlFeatureSet *set;		/* of the training part */
	OsmlClasses *classes;		/* of a label that is a key; else NULL */
	int64	   *class_rows;		/* of each */
	const double *class_weights;	/* factors on the weights of training rows, or NULL */
	const OsmlModelKind *kind;
	OsmlLayout	layout;			/* of features, once they are learned */
	OsmlColumnStats *stats;		/* n_dense columns, then the label */
	OsmlCodeStats code_stats;
	bool		have_stats;
	uint64		fingerprint;	/* sum of row hashes of the training rows */
	uint64		val_fingerprint;	/* of validation rows */
	uint64		order;			/* the same with their places: osml_row_hash_ordered() */
	uint64		val_order;
	bool		weighs;			/* has a training row a weight above 0? */
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
	bool		validation_logged;	/* the newest one is in osml.metrics */
	double		test_loss;
	OsmlTails	tails;			/* of residuals of held-out rows: osml_calibrate() */
	uint64		tails_of;		/* hash of the weights that they are of */
	const OsmlOls *ols;			/* exact: the whole solution; NULL otherwise */
	StringInfo	summary;		/* members of a JSON object, without its braces */
	bool		streamed;		/* trained straight from the queue */
	bool		reread;			/* training rows are read again each epoch */
	TimestampTz started_at;
	bool		diverged;
	bool		interrupted;	/* it lost a reader that was told to end */
	struct OsmlMonitor *monitor;	/* from the first step on */
	struct OsmlBest *best;		/* "save_top_k"; else NULL */
	struct OsmlResume *resume;	/* a run that goes on, until it is at its place */
	int64		version_step;	/* steps that the version's weights have seen */
	struct OsmlVersionRow *warm;	/* version that it goes on from, or NULL */
} OsmlRun;

/* the pulse of a run, called once a batch or block and in each wait:
 * interrupts, the cancel flag (raises an error when the run is to end), and
 * what is due in the catalog. */
extern void osml_run_check(void *run);

/* what the run does now, for pg_stat_activity.query and the process title; returns
 * what it did before, to go back to */
extern const char *osml_run_phase(OsmlRun *run, const char *phase);

/* take bytes of what was reserved, else of the run's budget; raises an error when that
 * is spent */
extern void osml_run_take(OsmlRun *run, Size bytes);

/* zeroed memory for as long as the run: of what was taken, or taken now */
extern void *osml_run_zeroed(OsmlRun *run, Size bytes);
extern void *osml_run_alloc(OsmlRun *run, Size bytes);

/* the model that hyperparameters ask for, over columns of this layout */
extern OsmlModelSpec osml_run_spec(const OsmlHparams *hparams, const OsmlLayout *layout,
								   int n_classes);

/* value i of a vector or a column in the compute type; and the first of values [i, n) that
 * is not finite, n where all are */
extern double osml_run_value(const OsmlModelSpec *spec, const void *vector, size_t i);
extern size_t osml_run_first_odd(const OsmlModelSpec *spec, const void *vector, size_t i,
								 size_t n);

/* set parameter i, whatever the compute type */
extern void osml_run_set_param(const OsmlModelSpec *spec, void *params, size_t i,
							   double value);

/* parameters at step 0: drawn, or given in the scaled columns' units */
extern void osml_run_init(const OsmlModelSpec *spec, const OsmlHparams *hparams,
						  void *params);

/* what rows [lo, hi) of a prepared block weigh */
extern double osml_run_weight(const OsmlModelSpec *spec, const OsmlBlock *block, int lo,
							  int hi);

/* what a run takes of its budget before the first row is kept: the model and all
 * that is counted of its columns; blocks for intake, split and window */
extern Size osml_run_model_bytes(const OsmlModelSpec *spec, int64 batch_rows);
extern Size osml_run_working_bytes(const OsmlModelSpec *spec, int64 batch_rows);

/* and what the step loop will take: gradient, optimiser, averages, and the copies of
 * weights that "save_top_k", "on_nonfinite" and checkpoints need */
extern Size osml_run_fit_bytes(const OsmlModelSpec *spec, const OsmlHparams *hparams);

/* of these what checkpoints need on their way to the table */
extern Size osml_run_checkpoint_bytes(const OsmlModelSpec *spec, const OsmlHparams *hparams);

/* add "key": value to the run's summary; value is JSON text */
extern void osml_run_summary(OsmlRun *run, const char *key, const char *value);
extern void osml_run_summary_number(OsmlRun *run, const char *key, double value);

#endif							/* OSML_RUN_H */
