/*
 * plateau.h
 *	  Has a metric stopped improving?  torch.optim.lr_scheduler.ReduceLROnPlateau.
 *
 * The state is plain numbers, so that a checkpoint can hold it.
 */
#ifndef OSML_PLATEAU_H
#define OSML_PLATEAU_H

#include <stdbool.h>
#include <stdint.h>

#include "rules/schedule/params.h"

typedef struct OsmlPlateau
{
	double		factor;			/* on lr, now */
	double		best;			/* of the metric */
	int64_t		bad;			/* metrics in a row that were no better */
	int64_t		cooldown;		/* metrics for which bad ones do not count yet */
} OsmlPlateau;

extern void osml_plateau_begin(OsmlPlateau *plateau,
							   const OsmlScheduleParams *params);

/* a new value of the metric; true: lr has been reduced.  NaN is no better */
extern bool osml_plateau_update(OsmlPlateau *plateau,
								const OsmlScheduleParams *params, double metric);

#endif							/* OSML_PLATEAU_H */
