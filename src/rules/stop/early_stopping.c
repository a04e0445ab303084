/*
 * early_stopping.c
 *	  Lightning's EarlyStopping; see early_stopping.h.
 */
#include "rules/stop/early_stopping.h"

#include <math.h>

const OsmlStopParams osml_stop_defaults = {
	.check_finite = true,
	.patience = 3,
	.stopping_threshold = NAN,
	.divergence_threshold = NAN
};

void
osml_stop_begin(OsmlStop *stop, const OsmlStopParams *params)
{
	*stop = (OsmlStop) {.best = params->max ? -INFINITY : INFINITY};
}

/* strictly better; a NaN is neither better nor worse than anything */
static bool
better(const OsmlStopParams *params, double a, double b)
{
	return params->max ? a > b : a < b;
}

/*
 * Lightning does not compare a value that is good enough with the best.  Here it
 * is compared, because the best is what gets deployed.
 */
OsmlStopReason
osml_stop_offer(OsmlStop *stop, const OsmlStopParams *params, double value)
{
	double		delta = params->max ? params->min_delta : -params->min_delta;

	stop->improved = false;
	if (params->check_finite && !isfinite(value))
		return OSML_STOP_NOT_FINITE;
	if (better(params, params->divergence_threshold, value))
		return OSML_STOP_DIVERGED;
	if (better(params, value - delta, stop->best))
	{
		stop->improved = true;
		stop->best = value;
		stop->waited = 0;
	}
	else
		stop->waited++;
	if (better(params, value, params->stopping_threshold))
		return OSML_STOP_GOOD_ENOUGH;
	return stop->waited > 0 && stop->waited >= params->patience ?
		OSML_STOP_PATIENCE : OSML_STOP_NOT;
}
