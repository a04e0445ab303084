/*
 * r2.h
 *	  Share of the label's variance that the predictions explain.
 */
#ifndef OSML_METRIC_R2_H
#define OSML_METRIC_R2_H

#include "rules/metric/sums.h"

/* no unit; NaN over no rows, and where the label does not vary */
static inline double
osml_metric_r2(const OsmlMetricSums *sums)
{
	return sums->label_m2 > 0 ? 1 - sums->sum_sq / sums->label_m2 : NAN;
}

#endif							/* OSML_METRIC_R2_H */
