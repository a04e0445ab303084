/*
 * explained_variance.h
 *	  Share of the label's variance that is not in the errors.
 */
#ifndef OSML_METRIC_EXPLAINED_VARIANCE_H
#define OSML_METRIC_EXPLAINED_VARIANCE_H

#include <math.h>

#include "rules/metric/measure.h"

/* r2 of predictions whose mean error is taken out; NaN where the label does not
 * vary */
static inline double
osml_metric_explained_variance(const OsmlMeasure *measure)
{
	const OsmlMetricSums *sums = &measure->sums;

	return sums->label_m2 > 0 ? 1 - sums->error_m2 / sums->label_m2 : NAN;
}

#endif							/* OSML_METRIC_EXPLAINED_VARIANCE_H */
