/*
 * pr_auc.h
 *	  Area under the precision-recall curve.
 */
#ifndef OSML_METRIC_PR_AUC_H
#define OSML_METRIC_PR_AUC_H

#include "rules/metric/measure.h"

/*
 * scikit-learn's average_precision_score: recall in steps, no interpolation.
 * Of several classes the mean of each against the rest, over those that some row
 * has; NaN where no row is of the second class.
 */
static inline double
osml_metric_pr_auc(const OsmlMeasure *measure)
{
	return osml_measure_rank_average(measure, osml_rank_average_precision);
}

#endif							/* OSML_METRIC_PR_AUC_H */
