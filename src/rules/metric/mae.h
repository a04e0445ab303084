/*
 * mae.h
 *	  Mean absolute error.
 */
#ifndef OSML_METRIC_MAE_H
#define OSML_METRIC_MAE_H

#include "rules/metric/sums.h"

/* in the label's units; NaN over no rows */
static inline double
osml_metric_mae(const OsmlMetricSums *sums)
{
	return sums->n == 0 ? NAN : sums->sum_abs / (double) sums->n;
}

#endif							/* OSML_METRIC_MAE_H */
