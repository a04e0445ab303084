/*
 * early_stopping.h
 *	  When to stop, by a metric that is watched: Lightning's EarlyStopping.
 *
 * Each value of the metric is offered, and the answer says why the run should
 * stop, if it should.  The state is plain numbers, so that a checkpoint can
 * hold it.
 */
#ifndef OSML_EARLY_STOPPING_H
#define OSML_EARLY_STOPPING_H

#include <stdbool.h>
#include <stdint.h>

typedef struct OsmlStopParams
{
	bool		max;			/* mode: is a larger value better? */
	bool		check_finite;	/* stop at a value that is not finite */
	int64_t		patience;		/* values in a row without improvement */
	double		min_delta;		/* at least 0: less is no improvement */
	double		stopping_threshold; /* good enough beyond it; NaN: none */
	double		divergence_threshold;	/* hopeless beyond it; NaN: none */
} OsmlStopParams;

typedef enum OsmlStopReason
{
	OSML_STOP_NOT,				/* go on */
	OSML_STOP_PATIENCE,			/* no improvement for too long */
	OSML_STOP_GOOD_ENOUGH,		/* stopping_threshold passed */
	OSML_STOP_DIVERGED,			/* divergence_threshold passed */
	OSML_STOP_NOT_FINITE
} OsmlStopReason;

typedef struct OsmlStop
{
	double		best;			/* infinitely bad at first */
	int64_t		waited;			/* values since the best */
	bool		improved;		/* was the last one the best? for a checkpoint */
} OsmlStop;

/* Lightning's: mode min, patience 3, min_delta 0, check_finite, no thresholds */
extern const OsmlStopParams osml_stop_defaults;

extern void osml_stop_begin(OsmlStop *stop, const OsmlStopParams *params);

/* a new value of the metric */
extern OsmlStopReason osml_stop_offer(OsmlStop *stop, const OsmlStopParams *params,
									  double value);

#endif							/* OSML_EARLY_STOPPING_H */
