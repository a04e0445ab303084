/*
 * rmse.h
 *	  Root of the mean squared error.
 */
#ifndef OSML_METRIC_RMSE_H
#define OSML_METRIC_RMSE_H

#include "rules/metric/sums.h"

/* in the label's units; NaN over no rows */
static inline double
osml_metric_rmse(const OsmlMetricSums *sums)
{
	return sums->n == 0 ? NAN : sqrt(sums->sum_sq / (double) sums->n);
}

#endif							/* OSML_METRIC_RMSE_H */
