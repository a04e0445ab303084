/*
 * metric.c
 *	  Sums over rows, and the table behind metric.h.
 */
#include "rules/metric/metric.h"

#include <stddef.h>

#include "rules/rule.h"

typedef struct MetricInfo
{
	const char *name;
	const char *meaning;
	bool		higher_is_better;
	double		(*value) (const OsmlMetricSums *sums);
} MetricInfo;

static const MetricInfo metrics[] = {
#define OSML_METRIC(symbol, function, name, higher_is_better, meaning) \
	{name, meaning, higher_is_better, function},
#include "rules/metric/list.h"
#undef OSML_METRIC
};

/*
 * Add n rows.  Labels are centred on the mean of these rows before they are
 * squared, so that r2 survives labels such as 1e9 plus a little.
 */
void
osml_metric_add(OsmlMetricSums *sums, const double *z, const double *y, int n)
{
	OsmlMetricSums part = {.n = n};
	double		rest = 0;

	if (n <= 0)
		return;
	for (int i = 0; i < n; i++)
	{
		double		diff = z[i] - y[i];

		part.sum_sq += diff * diff;
		part.sum_abs += fabs(diff);
		part.label_mean += y[i];
	}
	part.label_mean /= n;
	for (int i = 0; i < n; i++)
	{
		double		diff = y[i] - part.label_mean;

		rest += diff;
		part.label_m2 += diff * diff;
	}
	/* what the rounding of the mean left over */
	part.label_m2 -= rest * rest / n;
	part.label_mean += rest / n;
	osml_metric_merge(sums, &part);
}

/* add the sums of another part; Chan, Golub and LeVeque (1983) for the label */
void
osml_metric_merge(OsmlMetricSums *into, const OsmlMetricSums *from)
{
	double		n = (double) (into->n + from->n);
	double		delta = from->label_mean - into->label_mean;

	into->loss_sum += from->loss_sum;
	if (from->n == 0)
		return;
	into->label_m2 += from->label_m2 +
		delta * delta * ((double) into->n / n) * (double) from->n;
	into->label_mean += delta * ((double) from->n / n);
	into->sum_sq += from->sum_sq;
	into->sum_abs += from->sum_abs;
	into->n += from->n;
}

/* number of metrics */
int
osml_metric_count(void)
{
	return OSML_METRIC_COUNT;
}

/* the name as users see it */
const char *
osml_metric_name(int i)
{
	return metrics[i].name;
}

/* one line for the documentation */
const char *
osml_metric_meaning(int i)
{
	return metrics[i].meaning;
}

/* which way is better, for the choice of a best version */
bool
osml_metric_higher_is_better(int i)
{
	return metrics[i].higher_is_better;
}

/* the metric over the rows added so far */
double
osml_metric_value(int i, const OsmlMetricSums *sums)
{
	return metrics[i].value(sums);
}

/* the metric of that name, whatever its case, or -1 */
int
osml_metric_by_name(const char *name)
{
	for (int i = 0; i < OSML_METRIC_COUNT; i++)
	{
		if (osml_name_compare(name, metrics[i].name) == 0)
			return i;
	}
	return -1;
}
