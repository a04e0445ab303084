/*
 * average.c
 *	  The table behind average.h.
 */
#include "rules/average/average.h"

#include <string.h>

#include "rules/average/kernel_average.h"

typedef void (*AverageLoop) (size_t n_params, void *averages, const void *params,
							 double decay, int64_t n);

const OsmlAverageInfo osml_averages[] = {
#define OSML_AVERAGE(symbol, function, name, meaning) {name, meaning},
#include "rules/average/list.h"
#undef OSML_AVERAGE
};

static const AverageLoop loops[OSML_AVERAGE_COUNT][2] = {
#define OSML_AVERAGE(symbol, function, name, meaning) \
	{[OSML_FLOAT64] = osml_average_loop_##symbol##_f64, \
	[OSML_FLOAT32] = osml_average_loop_##symbol##_f32},
#include "rules/average/list.h"
#undef OSML_AVERAGE
};

/* the average of that name, whatever its case, or -1 */
int
osml_average_by_name(const char *name)
{
	for (int i = 0; i < OSML_AVERAGE_COUNT; i++)
	{
		if (osml_name_compare(name, osml_averages[i].name) == 0)
			return i;
	}
	return -1;
}

void
osml_average_update(OsmlAverage *average, OsmlPrecision precision, size_t n_params,
					void *averages, const void *params)
{
	if (average->n == 0)
		memcpy(averages, params, n_params * osml_precision_size(precision));
	else
		loops[average->kind][precision] (n_params, averages, params,
										 average->decay, average->n);
	average->n++;
}
