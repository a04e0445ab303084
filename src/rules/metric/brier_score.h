/*
 * brier_score.h
 *	  Mean squared distance between probabilities and what came.
 */
#ifndef OSML_METRIC_BRIER_SCORE_H
#define OSML_METRIC_BRIER_SCORE_H

#include "rules/metric/measure.h"

/* of two classes the distance for the second; of several summed over all */
static inline double
osml_metric_brier_score(const OsmlMeasure *measure)
{
	return measure->classes.brier / measure->classes.weight;
}

#endif							/* OSML_METRIC_BRIER_SCORE_H */
