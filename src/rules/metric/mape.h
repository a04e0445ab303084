/*
 * mape.h
 *	  Mean absolute error as a share of the label.
 */
#ifndef OSML_METRIC_MAPE_H
#define OSML_METRIC_MAPE_H

#include "rules/metric/measure.h"

/* a share, not a percentage; huge where a label is 0, as in scikit-learn */
static inline double
osml_metric_mape(const OsmlMeasure *measure)
{
	return measure->sums.sum_relative / measure->sums.weight;
}

#endif							/* OSML_METRIC_MAPE_H */
