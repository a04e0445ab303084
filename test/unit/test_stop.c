/*
 * test_stop.c
 *	  When to stop, by hand-made metrics and what Lightning says of them.
 */
#include "tap.h"

#include "rules/stop/early_stopping.h"

/* offer values until told to stop; *reason and how many were offered */
static int
run(const OsmlStopParams *params, const double *values, int n, OsmlStop *stop,
	OsmlStopReason *reason)
{
	osml_stop_begin(stop, params);
	for (int i = 0; i < n; i++)
	{
		*reason = osml_stop_offer(stop, params, values[i]);
		if (*reason != OSML_STOP_NOT)
			return i + 1;
	}
	return n;
}

int
main(void)
{
	const double down[] = {5, 4, 3.5, 3.45, 3.44, 3.43, 3.6, 3, 3, 3, 3};
	const double up[] = {0.5, 0.6, 0.6, 0.59, 0.61, 0.55, 0.6, 0.61};
	const double ends[] = {5, 4, NAN, 3, INFINITY, 2, 2, 2};
	OsmlStopParams params = osml_stop_defaults;
	OsmlStopReason reason;
	OsmlStop	stop;

	ok(run(&params, down, 11, &stop, &reason) == 11 && reason == OSML_STOP_PATIENCE &&
	   stop.best == 3 && stop.waited == 3, "patience counts from the best; equal is no better");
	params.min_delta = 0.1;
	ok(run(&params, down, 11, &stop, &reason) == 6 && reason == OSML_STOP_PATIENCE &&
	   stop.best == 3.5, "min_delta: small improvements are none");
	params.stopping_threshold = 3.5;
	ok(run(&params, down, 11, &stop, &reason) == 4 && reason == OSML_STOP_GOOD_ENOUGH,
	   "good enough is beyond the threshold, not at it");
	params = osml_stop_defaults;
	params.stopping_threshold = 4.5;
	ok(run(&params, down, 11, &stop, &reason) == 2 && stop.best == 4 && stop.improved,
	   "and the value that is good enough is the best");
	params.stopping_threshold = NAN;
	params.divergence_threshold = 4.5;
	ok(run(&params, down, 11, &stop, &reason) == 1 && reason == OSML_STOP_DIVERGED &&
	   !stop.improved, "hopeless");
	params = osml_stop_defaults;
	ok(run(&params, ends, 8, &stop, &reason) == 3 && reason == OSML_STOP_NOT_FINITE &&
	   stop.best == 4, "not finite");
	params.check_finite = false;
	ok(run(&params, ends, 8, &stop, &reason) == 8 && reason == OSML_STOP_NOT &&
	   stop.waited == 2, "which may be no better than others");
	params = osml_stop_defaults;
	params.max = true;
	ok(run(&params, up, 8, &stop, &reason) == 8 && reason == OSML_STOP_PATIENCE &&
	   stop.best == 0.61, "mode max");
	params.min_delta = 0.05;
	ok(run(&params, up, 8, &stop, &reason) == 5 && stop.best == 0.6, "and its min_delta");
	params.divergence_threshold = 0.55;
	ok(run(&params, up, 8, &stop, &reason) == 1 && reason == OSML_STOP_DIVERGED,
	   "hopeless is below");
	params = osml_stop_defaults;
	params.max = true;
	params.stopping_threshold = 0.6;
	ok(run(&params, up, 8, &stop, &reason) == 5 && reason == OSML_STOP_GOOD_ENOUGH,
	   "good enough is above");
	params = osml_stop_defaults;
	params.patience = 0;
	ok(run(&params, down, 11, &stop, &reason) == 7 && reason == OSML_STOP_PATIENCE,
	   "no patience: the first that is no better");
	osml_stop_begin(&stop, &params);
	osml_stop_offer(&stop, &params, 3);
	ok(stop.improved, "the first is the best");
	osml_stop_offer(&stop, &params, 4);
	ok(!stop.improved, "a worse one is not");
	return done();
}
