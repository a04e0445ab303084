/*
 * f1.h
 *	  Harmonic mean of precision and recall.
 */
#ifndef OSML_METRIC_F1_H
#define OSML_METRIC_F1_H

#include "rules/metric/measure.h"

/* of the second of two classes; of several the mean over classes */
static inline double
osml_metric_f1(const OsmlMeasure *measure)
{
	if (measure->task == OSML_TASK_BINARY)
		return osml_class_f1(&measure->classes, 1);
	return osml_class_average(&measure->classes, osml_class_f1, false);
}

#endif							/* OSML_METRIC_F1_H */
