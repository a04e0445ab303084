/*
 * logloss.h
 *	  Mean negative logarithm of the true class's probability.
 */
#ifndef OSML_METRIC_LOGLOSS_H
#define OSML_METRIC_LOGLOSS_H

#include "rules/metric/measure.h"

/*
 * Natural logarithms; probabilities are kept 2.2e-16 away from 0 and 1, as in
 * scikit-learn, so one row costs at most 36.
 */
static inline double
osml_metric_logloss(const OsmlMeasure *measure)
{
	return measure->classes.log_loss / measure->classes.weight;
}

#endif							/* OSML_METRIC_LOGLOSS_H */
