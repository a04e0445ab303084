/*
 * metric.h
 *	  The metrics as numbers: the enum and the look-ups made from list.h.
 *
 *	for (int i = 0; i < osml_metric_count(); i++)
 *		if (osml_metric_applies(i, measure))
 *			... osml_metric_name(i), osml_metric_value(i, measure) ...
 *
 * Next: measure.h (what they are read off), list.h (the entries), r2.h (one of
 * them).
 */
#ifndef OSML_METRIC_H
#define OSML_METRIC_H

#include <stdbool.h>

#include "rules/metric/measure.h"

/* first reading: bring in the headers, outside of any enum */
#define OSML_METRIC(symbol, function, name, tasks, ranked, higher, meaning)
#include "rules/metric/list.h"
#undef OSML_METRIC

typedef enum OsmlMetric
{
#define OSML_METRIC(symbol, function, name, tasks, ranked, higher, meaning) \
	OSML_METRIC_##symbol,
#include "rules/metric/list.h"
#undef OSML_METRIC
	OSML_METRIC_COUNT
} OsmlMetric;

/* metric i of osml_metric_count(), whatever it judges */
extern int	osml_metric_count(void);
extern const char *osml_metric_name(int i);
extern const char *osml_metric_meaning(int i);
extern bool osml_metric_higher_is_better(int i);

/* is it read from scores in order, which measures keep on request? */
extern bool osml_metric_ranked(int i);

/* does it judge such predictions? */
extern bool osml_metric_judges(int i, OsmlTask task);

/* the metric of who names none */
extern int	osml_metric_usual(OsmlTask task);

/* and has this measure kept what it is read from? */
extern bool osml_metric_applies(int i, const OsmlMeasure *measure);

/*
 * The metric over the rows of a settled measure.  NaN over no rows, where it
 * does not apply, and where a row was no row (measure.h).
 */
extern double osml_metric_value(int i, const OsmlMeasure *measure);

/* the metric of that name, whatever its case, or -1 */
extern int	osml_metric_by_name(const char *name);

#endif							/* OSML_METRIC_H */
