/*
 * kernel_average.h
 *	  The loops over parameters of average.c, in both precisions.
 */
#ifndef OSML_KERNEL_AVERAGE_H
#define OSML_KERNEL_AVERAGE_H
#include "rules/average/average.h"

#define OSML_RULE_FILE "rules/average/kernel_average.h"
#include "rules/both.h"
#define OSML_KERNEL_AVERAGE_H_DONE
#elif !defined(OSML_KERNEL_AVERAGE_H_DONE)

/* a loop each, so that the rule is inlined */
#define OSML_AVERAGE(symbol, function, name, meaning) \
static void \
OSML_TYPED(osml_average_loop_##symbol) (size_t n_params, void *averages, \
										const void *params, double decay, int64_t n) \
{ \
	OSML_REAL  *average = averages; \
	const OSML_REAL *param = params; \
	\
	for (size_t i = 0; i < n_params; i++) \
		average[i] = OSML_TYPED(function) (average[i], param[i], decay, n); \
}
#include "rules/average/list.h"
#undef OSML_AVERAGE

#endif							/* OSML_KERNEL_AVERAGE_H */
