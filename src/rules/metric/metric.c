/*
 * metric.c
 *	  The table behind metric.h.
 */
#include "rules/metric/metric.h"

#include <math.h>

#include "rules/rule.h"

typedef struct MetricInfo
{
	const char *name;
	const char *meaning;
	int			tasks;
	bool		ranked;
	bool		higher_is_better;
	double		(*value) (const OsmlMeasure *measure);
} MetricInfo;

static const MetricInfo metrics[] = {
#define OSML_METRIC(symbol, function, name, tasks, ranked, higher, meaning) \
	{name, meaning, tasks, ranked, higher, function},
#include "rules/metric/list.h"
#undef OSML_METRIC
};

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

bool
osml_metric_ranked(int i)
{
	return metrics[i].ranked;
}

/* what training minimises, but of amounts in their own units */
int
osml_metric_usual(OsmlTask task)
{
	static const OsmlMetric usual[] = {
		[OSML_TASK_AMOUNT] = OSML_METRIC_RMSE,
		[OSML_TASK_COUNT] = OSML_METRIC_POISSON_DEVIANCE,
		[OSML_TASK_BINARY] = OSML_METRIC_LOGLOSS,
		[OSML_TASK_CLASSES] = OSML_METRIC_LOGLOSS
	};

	return (int) usual[task];
}

bool
osml_metric_judges(int i, OsmlTask task)
{
	return (metrics[i].tasks >> task & 1) != 0;
}

bool
osml_metric_applies(int i, const OsmlMeasure *measure)
{
	return osml_metric_judges(i, measure->task) &&
		(!metrics[i].ranked || measure->ranked == OSML_RANKED_ALL);
}

double
osml_metric_value(int i, const OsmlMeasure *measure)
{
	if (!osml_metric_applies(i, measure) || measure->classes.n_invalid > 0 ||
		osml_measure_weight(measure) == 0)
		return NAN;
	return metrics[i].value(measure);
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
