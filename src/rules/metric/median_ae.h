/*
 * median_ae.h
 *	  Median absolute error.
 */
#ifndef OSML_METRIC_MEDIAN_AE_H
#define OSML_METRIC_MEDIAN_AE_H

#include <math.h>

#include "rules/metric/measure.h"

/*
 * In the label's units; outliers leave it alone.  A row of weight 2 is two rows,
 * which before version 1.7 is not quite so in scikit-learn.
 */
static inline double
osml_metric_median_ae(const OsmlMeasure *measure)
{
	if (measure->n_ranks == 0 || isnan(measure->sums.sum_abs))
		return NAN;
	return osml_rank_median(&measure->ranks[0]);
}

#endif							/* OSML_METRIC_MEDIAN_AE_H */
