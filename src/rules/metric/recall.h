/*
 * recall.h
 *	  Share of the rows of a class that are said to be.
 */
#ifndef OSML_METRIC_RECALL_H
#define OSML_METRIC_RECALL_H

#include "rules/metric/measure.h"

/* of the second of two classes; of several the mean over classes */
static inline double
osml_metric_recall(const OsmlMeasure *measure)
{
	if (measure->task == OSML_TASK_BINARY)
		return osml_class_recall(&measure->classes, 1);
	return osml_class_average(&measure->classes, osml_class_recall, false);
}

#endif							/* OSML_METRIC_RECALL_H */
