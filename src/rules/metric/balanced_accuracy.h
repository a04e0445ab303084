/*
 * balanced_accuracy.h
 *	  Mean of the classes' recalls.
 */
#ifndef OSML_METRIC_BALANCED_ACCURACY_H
#define OSML_METRIC_BALANCED_ACCURACY_H

#include "rules/metric/measure.h"

/* over the classes that some row has, so that a rare one counts as much as others */
static inline double
osml_metric_balanced_accuracy(const OsmlMeasure *measure)
{
	return osml_class_average(&measure->classes, osml_class_recall, true);
}

#endif							/* OSML_METRIC_BALANCED_ACCURACY_H */
