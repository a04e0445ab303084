/*
 * fit.h
 *	  The step loop, and its state, which blame.c and divergence.c read.
 */
#ifndef OSML_TRAIN_FIT_H
#define OSML_TRAIN_FIT_H

#include "model/gradient.h"
#include "portability/instr_time.h"
#include "train/averaging.h"
#include "train/feed.h"

/* pieces of the current step's rows, kept for a message that names them: a quarter of
 * a million rows in whole blocks */
#define OSML_MAX_SEGMENTS 256

typedef struct OsmlRowSegment
{
	uint32		first;			/* row numbers in the source, see block.h */
	uint32		last;
	bool		consecutive;	/* first..last without gaps */
	OsmlBlock  *block;			/* where they were; other rows may be there by now */
	int			lo;
	int			hi;
} OsmlRowSegment;

/* the largest value of a column in the rows of a step */
typedef struct OsmlPeak
{
	double		magnitude;		/* as the model sees it, scaled; NaN beats all */
	double		raw;
	uint32		row;
} OsmlPeak;

/* one sub-stream of the training rows */
typedef struct OsmlLane
{
	OsmlFeed   *feed;
	OsmlBlock  *block;
	int			row;			/* next row of block */
	int64		epoch;
	int64		epoch_rows;
} OsmlLane;

typedef struct OsmlStepResult
{
	double		raw_loss;		/* mean over the rows, in training units */
	double		loss;			/* in the label's units */
	double		norm;			/* of the mean gradient */
	double		norm_clipped;
	double		lr;
} OsmlStepResult;

/* "on_nonfinite" skip and rollback: what to return to; see divergence.c */
typedef struct OsmlFallback
{
	void	   *buffers;		/* not trained values after the last good step; or NULL */
	void	   *params;			/* rollback: all values and the optimiser's state ... */
	void	   *optim_state;
	void	   *averages;		/* ... the averages of weights, if there are such ... */
	int64		averaged;
	double		rate_before;
	bool		stale;
	double		loss;			/* ... the loss of that step ... */
	int64		step;
	int64		epoch;			/* ... and what its epoch had by then */
	double		epoch_loss_sum;
	double		epoch_weight;
	int64		kept;			/* steps that led there, without those that were given up */
	int64		since;			/* steps taken from there */
	bool		due;			/* the weights are to be a place, once a step leads on from them */
	int64		exploded;		/* steps in a row that exploded straight from the weights */
	double		lr_factor;		/* on lr, since rollbacks */
	int64		skipped;
	int64		skipped_in_a_row;
	int64		rollbacks;
} OsmlFallback;

typedef struct OsmlFit
{
	OsmlRun    *run;
	OsmlLane   *lanes;
	size_t		n_params;
	void	   *grad;			/* sum over the rows of the step so far */
	OsmlGradient gradient;		/* how it is gone through */
	void	   *optim_state;
	OsmlOptimHyper hyper;
	OsmlAveraging averaging;
	void	   *kept_grad;		/* drop_last: grad before this batch; else NULL */
	double		kept_loss_sum;
	double		kept_weight;
	const char *loss_name;		/* train_mse, ... */
	const char *epoch_loss_name;	/* train_mse_epoch, ... */

	double		loss_sum;
	int64		step_rows;
	double		step_weight;	/* of those rows */
	int64		batch_rows;
	int64		batches_in_step;
	int64		n_batches;
	int64		batches_per_epoch;
	int64		epoch_first_batch;	/* n_batches when the epoch began */
	int64		epoch_batches;	/* most that an epoch takes: overfit_batches */
	int64		epochs;			/* OSML_AUTO: endless */
	int64		total_steps;	/* 0: unknown, for schedules */
	int64		validated_batch;
	bool		endless;
	bool		done;

	bool		epoch_turned;	/* endless: the data began anew in this step */
	double		epoch_loss_sum;
	double		epoch_weight;
	double		first_loss;
	int64		clipped_steps;
	OsmlStepResult last;
	OsmlRangeState range;		/* of a test of learning rates */
	double	   *smoothed;		/* its losses */
	int			n_segments;
	OsmlRowSegment segments[OSML_MAX_SEGMENTS];
	OsmlPeak   *peaks;			/* of each column, taken when a message needs them or
								 * the loss ceases to be finite */
	bool		has_peaks;		/* of this step */

	OsmlFallback fallback;
	struct OsmlGramBatches *gram;	/* sums of the batches, for steps without rows; or NULL */

	/* checkpoint.c */
	bool		checkpoint_off; /* none is wanted, or there is no room */
	bool		checkpoint_paid;	/* its memory has been taken */
	int64		checkpoint_step;	/* steps at the last one */
	TimestampTz checkpoint_at;

	instr_time	lap_start;
	int64		lap_step;
	int64		lap_rows;
	int64		logged_step;
} OsmlFit;

/* fit_setup.c: from the run's rows and hyperparameters */
extern void osml_fit_setup(OsmlFit *fit, OsmlRun *run);

/* train; on return run->params hold the result */
extern void osml_fit(OsmlRun *run);

#endif							/* OSML_TRAIN_FIT_H */
