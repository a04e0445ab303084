/*
 * metric.h
 *	  How good predictions are: sums over rows, and the metrics read off them.
 *
 * Next: sums.h, list.h (the entries), r2.h (one of them).
 */
#ifndef OSML_METRIC_H
#define OSML_METRIC_H

#include <stdbool.h>

#include "rules/metric/sums.h"

/* first reading: bring in the headers, outside of any enum */
#define OSML_METRIC(symbol, function, name, higher_is_better, meaning)
#include "rules/metric/list.h"
#undef OSML_METRIC

typedef enum OsmlMetric
{
#define OSML_METRIC(symbol, function, name, higher_is_better, meaning) \
	OSML_METRIC_##symbol,
#include "rules/metric/list.h"
#undef OSML_METRIC
	OSML_METRIC_COUNT
} OsmlMetric;

/* *sums = {0} starts one; z: predictions, y: labels, both in label units */
extern void osml_metric_add(OsmlMetricSums *sums, const double *z,
							const double *y, int n);
extern void osml_metric_merge(OsmlMetricSums *into, const OsmlMetricSums *from);

/* metric i of osml_metric_count() */
extern int	osml_metric_count(void);
extern const char *osml_metric_name(int i);
extern const char *osml_metric_meaning(int i);
extern bool osml_metric_higher_is_better(int i);
extern double osml_metric_value(int i, const OsmlMetricSums *sums);

/* the metric of that name, whatever its case, or -1 */
extern int	osml_metric_by_name(const char *name);

#endif							/* OSML_METRIC_H */
