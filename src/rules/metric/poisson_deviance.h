/*
 * poisson_deviance.h
 *	  Mean Poisson deviance of counts.
 */
#ifndef OSML_METRIC_POISSON_DEVIANCE_H
#define OSML_METRIC_POISSON_DEVIANCE_H

#include "rules/metric/measure.h"

/* scikit-learn's mean_poisson_deviance; infinite where a mean of 0 meets a row */
static inline double
osml_metric_poisson_deviance(const OsmlMeasure *measure)
{
	return 2 * measure->sums.deviance / measure->sums.weight;
}

#endif							/* OSML_METRIC_POISSON_DEVIANCE_H */
