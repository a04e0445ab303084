/*
 * calibration_error.h
 *	  Expected calibration error.
 */
#ifndef OSML_METRIC_CALIBRATION_ERROR_H
#define OSML_METRIC_CALIBRATION_ERROR_H

#include <math.h>

#include "rules/metric/measure.h"

/*
 * Mean distance, over OSML_CALIBRATION_BINS bins weighted by their rows, between
 * the mean probability and how often it came true; see classes.h for sources.
 */
static inline double
osml_metric_calibration_error(const OsmlMeasure *measure)
{
	double		sum = 0;

	for (int i = 0; i < OSML_CALIBRATION_BINS; i++)
		sum += fabs(measure->classes.bins[i].probability -
					measure->classes.bins[i].came_true);
	return sum / measure->classes.weight;
}

#endif							/* OSML_METRIC_CALIBRATION_ERROR_H */
