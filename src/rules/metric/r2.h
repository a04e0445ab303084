/*
 * r2.h
 *	  Share of the label's variance that the predictions explain.
 */
#ifndef OSML_METRIC_R2_H
#define OSML_METRIC_R2_H

#include <math.h>

#include "rules/metric/measure.h"

/* no unit; NaN where the label does not vary */
static inline double
osml_metric_r2(const OsmlMeasure *measure)
{
	const OsmlMetricSums *sums = &measure->sums;

	return sums->label_m2 > 0 ? 1 - sums->sum_sq / sums->label_m2 : NAN;
}

#endif							/* OSML_METRIC_R2_H */
