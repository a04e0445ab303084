/*
 * mse.h
 *	  Mean squared error.
 */
#ifndef OSML_METRIC_MSE_H
#define OSML_METRIC_MSE_H

#include "rules/metric/sums.h"

/* in the square of the label's units; NaN over no rows */
static inline double
osml_metric_mse(const OsmlMetricSums *sums)
{
	return sums->n == 0 ? NAN : sums->sum_sq / (double) sums->n;
}

#endif							/* OSML_METRIC_MSE_H */
