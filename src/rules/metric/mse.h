/*
 * mse.h
 *	  Mean squared error.
 */
#ifndef OSML_METRIC_MSE_H
#define OSML_METRIC_MSE_H

#include "rules/metric/measure.h"

/* in the square of the label's units */
static inline double
osml_metric_mse(const OsmlMeasure *measure)
{
	return measure->sums.sum_sq / measure->sums.weight;
}

#endif							/* OSML_METRIC_MSE_H */
