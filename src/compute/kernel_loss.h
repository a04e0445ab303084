/*
 * kernel_loss.h
 *	  One loop over rows for each loss of rules/loss/list.h.
 *
 * Sums as kernel_sum.h does.
 */
#ifndef OSML_KERNEL_LOSS_H
#define OSML_KERNEL_LOSS_H
#include "compute/kernel_sum.h"
#include "rules/loss/loss.h"

#define OSML_RULE_FILE "compute/kernel_loss.h"
#include "rules/both.h"
#define OSML_KERNEL_LOSS_H_DONE
#elif !defined(OSML_KERNEL_LOSS_H_DONE)

/*
 * slope[i] and value[i] of n rows.  value is an array, not a running sum, so
 * that the loop vectorises without changing the order of the sum.
 */
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, link, meaning) \
OSML_CLONES static void \
OSML_TYPED(function##_rows) (int n, OSML_REAL param, \
							 const OSML_REAL *restrict z, \
							 const OSML_REAL *restrict y, \
							 OSML_REAL *restrict slope, \
							 OSML_REAL *restrict value) \
{ \
	for (int i = 0; i < n; i++) \
		value[i] = OSML_TYPED(function) (z[i], y[i], param, &slope[i]); \
}
#include "rules/loss/list.h"
#undef OSML_LOSS

typedef void (*OSML_TYPED(OsmlLossRows)) (int n, OSML_REAL param,
										  const OSML_REAL *restrict z,
										  const OSML_REAL *restrict y,
										  OSML_REAL *restrict slope,
										  OSML_REAL *restrict value);

static const OSML_TYPED(OsmlLossRows) OSML_TYPED(osml_loss_rows)[] = {
#define OSML_LOSS(symbol, function, name, is_squared, uses_param, unit_power, link, meaning) \
	OSML_TYPED(function##_rows),
#include "rules/loss/list.h"
#undef OSML_LOSS
};

/*
 * The sum of the loss over n <= OSML_BLOCK_ROWS rows, and each row's slope;
 * both times the row's weight where there is one (weight not NULL).
 */
static double
OSML_TYPED(osml_kernel_loss) (OsmlLoss loss, OSML_REAL param, int n,
							  const OSML_REAL *z, const OSML_REAL *y,
							  const OSML_REAL *weight, OSML_REAL *slope)
{
	OSML_REAL	value[OSML_BLOCK_ROWS];

	OSML_TYPED(osml_loss_rows)[loss] (n, param, z, y, slope, value);
	if (weight != NULL)
	{
		for (int i = 0; i < n; i++)
		{
			value[i] *= weight[i];
			slope[i] *= weight[i];
		}
	}
	return OSML_TYPED(osml_kernel_sum) ((size_t) n, value);
}

typedef OSML_REAL (*OSML_TYPED(OsmlClassLoss)) (int k, size_t stride, const OSML_REAL *z,
												OSML_REAL y, OSML_REAL *slope);

static const OSML_TYPED(OsmlClassLoss) OSML_TYPED(osml_class_losses)[] = {
#define OSML_CLASS_LOSS(symbol, function, name, link, meaning) OSML_TYPED(function),
#include "rules/loss/classes/list.h"
#undef OSML_CLASS_LOSS
};

/* the same of losses by class: output c of row i is z[c * n + i] */
static double
OSML_TYPED(osml_kernel_class_loss) (OsmlLoss loss, int k, int n, const OSML_REAL *z,
									const OSML_REAL *y, const OSML_REAL *weight,
									OSML_REAL *slope)
{
	OSML_TYPED(OsmlClassLoss) one = OSML_TYPED(osml_class_losses)[loss - OSML_ROW_LOSS_COUNT];
	OSML_REAL	value[OSML_BLOCK_ROWS];

	for (int i = 0; i < n; i++)
		value[i] = one(k, (size_t) n, z + i, y[i], slope + i);
	for (int i = 0; weight != NULL && i < n; i++)
	{
		value[i] *= weight[i];
		for (int c = 0; c < k; c++)
			slope[(size_t) c * n + i] *= weight[i];
	}
	return OSML_TYPED(osml_kernel_sum) ((size_t) n, value);
}

#endif							/* OSML_KERNEL_LOSS_H */
