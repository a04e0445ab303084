/*
 * plateau.c
 *	  Reducing lr when a metric stops improving; see plateau.h.
 */
#include "rules/schedule/plateau.h"

#include <math.h>

void
osml_plateau_begin(OsmlPlateau *plateau, const OsmlScheduleParams *params)
{
	*plateau = (OsmlPlateau) {
		.factor = 1,
		.best = params->plateau_max ? -INFINITY : INFINITY
	};
}

/* better by more than the threshold; of the best with 'rel', or flat */
static bool
is_better(const OsmlPlateau *plateau, const OsmlScheduleParams *params, double metric)
{
	double		sign = params->plateau_max ? 1 : -1;
	double		threshold = params->plateau_threshold;

	if (params->plateau_abs)
		return sign * metric > sign * (plateau->best + sign * threshold);
	return sign * metric > sign * (plateau->best * (1 + sign * threshold));
}

bool
osml_plateau_update(OsmlPlateau *plateau, const OsmlScheduleParams *params,
					double metric)
{
	double		reduced;

	if (is_better(plateau, params, metric))
	{
		plateau->best = metric;
		plateau->bad = 0;
	}
	else
		plateau->bad++;
	if (plateau->cooldown > 0)
	{
		plateau->cooldown--;
		plateau->bad = 0;
	}
	if (plateau->bad <= params->plateau_patience)
		return false;
	plateau->cooldown = params->plateau_cooldown;
	plateau->bad = 0;
	reduced = fmax(plateau->factor * params->plateau_factor, params->plateau_min);
	if (!(plateau->factor - reduced > params->plateau_eps))
		return false;
	plateau->factor = reduced;
	return true;
}
