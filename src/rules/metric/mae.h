/*
 * mae.h
 *	  Mean absolute error.
 */
#ifndef OSML_METRIC_MAE_H
#define OSML_METRIC_MAE_H

#include "rules/metric/measure.h"

/* in the label's units */
static inline double
osml_metric_mae(const OsmlMeasure *measure)
{
	return measure->sums.sum_abs / measure->sums.weight;
}

#endif							/* OSML_METRIC_MAE_H */
