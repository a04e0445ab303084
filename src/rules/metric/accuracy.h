/*
 * accuracy.h
 *	  Share of the rows whose class is the predicted one.
 */
#ifndef OSML_METRIC_ACCURACY_H
#define OSML_METRIC_ACCURACY_H

#include "rules/metric/measure.h"

/* see classes.h for what is predicted */
static inline double
osml_metric_accuracy(const OsmlMeasure *measure)
{
	double		right = 0;

	for (int c = 0; c < measure->n_classes; c++)
		right += osml_measure_confusion(measure, c, c).weight;
	return right / measure->classes.weight;
}

#endif							/* OSML_METRIC_ACCURACY_H */
