/*
 * precision.h
 *	  Share of the rows said to be of a class that are.
 */
#ifndef OSML_METRIC_PRECISION_H
#define OSML_METRIC_PRECISION_H

#include "rules/metric/measure.h"

/* of the second of two classes; of several the mean over classes */
static inline double
osml_metric_precision(const OsmlMeasure *measure)
{
	if (measure->task == OSML_TASK_BINARY)
		return osml_class_precision(&measure->classes, 1);
	return osml_class_average(&measure->classes, osml_class_precision, false);
}

#endif							/* OSML_METRIC_PRECISION_H */
