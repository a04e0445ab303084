/*
 * sums.h
 *	  What the metrics of a regression are made from: sums over rows that
 *	  parts, readers and replicas can add up.
 */
#ifndef OSML_METRIC_SUMS_H
#define OSML_METRIC_SUMS_H

#include <math.h>
#include <stdint.h>

typedef struct OsmlMetricSums
{
	int64_t		n;				/* rows */
	double		sum_sq;			/* of (z - y)^2 */
	double		sum_abs;		/* of |z - y| */
	double		label_mean;
	double		label_m2;		/* sum of (y - label_mean)^2 */
	double		loss_sum;		/* the model's own loss; the caller adds it */
} OsmlMetricSums;

#endif							/* OSML_METRIC_SUMS_H */
