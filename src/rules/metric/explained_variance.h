/*
 * explained_variance.h
 *	  Share of the label's variance that is not in the errors.
 */
#ifndef OSML_METRIC_EXPLAINED_VARIANCE_H
#define OSML_METRIC_EXPLAINED_VARIANCE_H

#include <math.h>

#include "rules/metric/measure.h"

/* no unit: r2 of predictions whose mean error is taken out */
static inline double
osml_metric_explained_variance(const OsmlMeasure *measure)
{
	const OsmlMetricSums *sums = &measure->sums;

	return osml_metric_explained(osml_metric_error_square(sums),
								 osml_metric_label_square(sums));
}

#endif							/* OSML_METRIC_EXPLAINED_VARIANCE_H */
