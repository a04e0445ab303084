/*
 * roc_auc.h
 *	  Area under the ROC curve.
 */
#ifndef OSML_METRIC_ROC_AUC_H
#define OSML_METRIC_ROC_AUC_H

#include "rules/metric/measure.h"

/*
 * Of several classes the mean of each against the rest, over those that some
 * row has: scikit-learn's multi_class='ovr', which refuses where one is missing.
 * NaN where all rows are of one class.
 */
static inline double
osml_metric_roc_auc(const OsmlMeasure *measure)
{
	return osml_measure_rank_average(measure, osml_rank_auc);
}

#endif							/* OSML_METRIC_ROC_AUC_H */
