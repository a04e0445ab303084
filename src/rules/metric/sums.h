/*
 * sums.h
 *	  What the metrics of amounts and counts are made from: sums over rows that
 *	  parts, readers and replicas can add up.
 *
 * Weights multiply what a row adds; a row without one weighs 1.  A NaN among
 * predictions or labels shows in every metric: leaving the row out would make
 * a diverged model look good.
 */
#ifndef OSML_METRIC_SUMS_H
#define OSML_METRIC_SUMS_H

#include <stdbool.h>

typedef struct OsmlMetricSums
{
	double		weight;			/* sum of the rows' weights */
	double		sum_sq;			/* of (z - y)^2 */
	double		sum_abs;		/* of |z - y| */
	double		sum_relative;	/* of |z - y| / |y| */
	double		label_mean;
	double		label_m2;		/* sum of (y - label_mean)^2 */
	double		error_mean;		/* of z - y */
	double		error_m2;		/* sum of (z - y - error_mean)^2 */
	double		deviance;		/* counts: sum of y log(y / z) - y + z */
	double		label_log;		/* counts: sum of y log y */
} OsmlMetricSums;

/*
 * *sums = {0} starts one.  z: predictions, y: labels, both in label units;
 * weight may be NULL.  With `counts` the sums that take logarithms are kept.
 */
extern void osml_metric_sums_add(OsmlMetricSums *sums, const double *z,
								 const double *y, const double *weight, int n,
								 bool counts);
extern void osml_metric_sums_merge(OsmlMetricSums *into,
								   const OsmlMetricSums *from);

/*
 * 1 - part / whole, of variances: scikit-learn's, with force_finite.  Where the
 * label does not vary 1 if nothing is left over, else 0.
 */
extern double osml_metric_explained(double part, double whole);

/* sums of squares around the means; 0 where they are no more than what rounding the
 * mean of equal values leaves over */
extern double osml_metric_label_square(const OsmlMetricSums *sums);
extern double osml_metric_error_square(const OsmlMetricSums *sums);

#endif							/* OSML_METRIC_SUMS_H */
