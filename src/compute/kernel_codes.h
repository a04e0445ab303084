/*
 * kernel_codes.h
 *	  A table looked up for each row's code, and its transpose.
 *
 * A code column stands for one-hot columns: looking an entry up is X w without
 * the products by zero, adding a slope to an entry is Xᵀ slope.  The order of
 * additions within a row is that of the code columns; the order of sums over rows
 * is kernel_scatter.h's.
 */
#ifndef OSML_KERNEL_CODES_H
#define OSML_KERNEL_CODES_H
#include "compute/kernel_scatter.h"

#define OSML_RULE_FILE "compute/kernel_codes.h"
#include "rules/both.h"
#define OSML_KERNEL_CODES_H_DONE
#elif !defined(OSML_KERNEL_CODES_H_DONE)

/* z[i] += table[code[i]] */
OSML_CLONES static void
OSML_TYPED(osml_kernel_gather) (int n, const int32_t *code,
								const OSML_REAL *table, OSML_REAL *z)
{
	for (int i = 0; i < n; i++)
		z[i] = z[i] + table[code[i]];
}

/* g[code[i]] += slope[i] for a table of size entries */
static void
OSML_TYPED(osml_kernel_scatter) (int n, int size, const int32_t *code,
								 const OSML_REAL *slope, OSML_REAL *g)
{
	if (size <= OSML_SMALL_TABLE && size <= n)
		OSML_TYPED(osml_scatter_small) (n, size, code, slope, g);
	else
		for (int i = 0; i < n; i++)
			g[code[i]] += slope[i];
}

#endif							/* OSML_KERNEL_CODES_H */
