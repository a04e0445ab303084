/*
 * r2.h
 *	  Share of the label's variance that the predictions explain.
 */
#ifndef OSML_METRIC_R2_H
#define OSML_METRIC_R2_H

#include <math.h>

#include "rules/metric/measure.h"

/* no unit; NaN of a single row */
static inline double
osml_metric_r2(const OsmlMeasure *measure)
{
	const OsmlMetricSums *sums = &measure->sums;

	if (measure->n < 2)
		return NAN;
	return osml_metric_explained(sums->sum_sq, osml_metric_label_square(sums));
}

#endif							/* OSML_METRIC_R2_H */
