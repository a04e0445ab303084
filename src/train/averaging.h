/*
 * averaging.h
 *	  The average of the weights that a run keeps in the place of the last ones.
 *
 * The optimiser goes on with the weights themselves.  An average of each step's
 * (ema) takes in the running statistics of batch norm too; one of the ends of
 * epochs (swa) has them measured anew, in a pass over the training rows.
 *
 * Next: rules/average/average.h (the averages), fit.c (who calls).
 */
#ifndef OSML_AVERAGING_H
#define OSML_AVERAGING_H

#include "rules/average/average.h"
#include "train/feed.h"

typedef struct OsmlAveraging
{
	bool		on;
	int64		first_epoch;	/* swa: from whose end on, from 0 */
	size_t		n_values;		/* parameters and buffers */
	size_t	   *counters;		/* buffers that count batches, which are copied */
	int			n_counters;
	OsmlFeed   *feed;			/* training rows of the pass; made when needed */

	/* all that a run which is taken up again needs besides */
	OsmlAverage average;
	void	   *values;			/* averages; nothing before the first update */
	double		rate_before;	/* swa_lrs: lr when averaging began; NaN: it has not */
	bool		stale;			/* buffers are those of other weights */
} OsmlAveraging;

/* epochs: OSML_AUTO in an endless stream */
extern void osml_averaging_setup(OsmlAveraging *averaging, OsmlRun *run, int64 epochs);

/* the learning rate of a step, from what the schedule says */
extern double osml_averaging_rate(OsmlAveraging *averaging, const OsmlRun *run, double lr);

/* a step was taken */
extern void osml_averaging_step(OsmlAveraging *averaging, OsmlRun *run);

/* an epoch is over; measure: its weights are about to be validated */
extern void osml_averaging_epoch(OsmlAveraging *averaging, OsmlRun *run, bool measure);

/* the weights to measure and to keep: averages once there are any */
extern void *osml_averaging_weights(const OsmlAveraging *averaging, const OsmlRun *run);

/* training is over: run->params become those weights */
extern void osml_averaging_end(OsmlAveraging *averaging, OsmlRun *run);

#endif							/* OSML_AVERAGING_H */
