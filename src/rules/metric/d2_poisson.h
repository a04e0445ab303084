/*
 * d2_poisson.h
 *	  Share of the Poisson deviance that the predictions explain.
 */
#ifndef OSML_METRIC_D2_POISSON_H
#define OSML_METRIC_D2_POISSON_H

#include <math.h>

#include "rules/metric/measure.h"

/*
 * scikit-learn's d2_tweedie_score(power=1): what r2 is to squares.  The deviance
 * from the labels' mean is sum y log y - (sum y) log mean; NaN where labels do
 * not vary.
 */
static inline double
osml_metric_d2_poisson(const OsmlMeasure *measure)
{
	const OsmlMetricSums *sums = &measure->sums;
	double		mean = sums->label_mean;
	double		whole = sums->label_log - sums->weight * mean * log(mean);

	return osml_metric_label_square(sums) > 0 ? 1 - sums->deviance / whole : NAN;
}

#endif							/* OSML_METRIC_D2_POISSON_H */
