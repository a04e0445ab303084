/*
 * rmse.h
 *	  Root of the mean squared error.
 */
#ifndef OSML_METRIC_RMSE_H
#define OSML_METRIC_RMSE_H

#include <math.h>

#include "rules/metric/measure.h"

/* in the label's units */
static inline double
osml_metric_rmse(const OsmlMeasure *measure)
{
	return sqrt(measure->sums.sum_sq / measure->sums.weight);
}

#endif							/* OSML_METRIC_RMSE_H */
