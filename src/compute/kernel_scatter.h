/*
 * kernel_scatter.h
 *	  Slopes summed by code, for tables of few entries.
 *
 * The slopes of a small table are summed in float64, in OSML_CODE_LANES sums an
 * entry, row lo + i into sum i mod lanes, and added to the gradient once a call:
 * a category that most rows have would lose float32 digits over a large batch,
 * and rows that all wait for the same sum are slow.  To a larger table slopes
 * are added row by row, since clearing the sums would take longer than the rows.
 */
#ifndef OSML_KERNEL_SCATTER_H
#define OSML_KERNEL_SCATTER_H
#include "compute/kernels.h"

#define OSML_CODE_LANES 4
#define OSML_SMALL_TABLE 256	/* 8 KB of sums, on the stack */

#define OSML_RULE_FILE "compute/kernel_scatter.h"
#include "rules/both.h"
#define OSML_KERNEL_SCATTER_H_DONE
#elif !defined(OSML_KERNEL_SCATTER_H_DONE)

/* g[code[i]] += slope[i] for a table of few entries */
static void
OSML_TYPED(osml_scatter_small) (int n, int size, const int32_t *code,
								const OSML_REAL *slope, OSML_REAL *g)
{
	double		sum[OSML_SMALL_TABLE][OSML_CODE_LANES];

	memset(sum, 0, (size_t) size * sizeof(sum[0]));
	for (int i = 0; i < n; i++)
		sum[code[i]][i % OSML_CODE_LANES] += slope[i];
	for (int c = 0; c < size; c++)
		g[c] += (OSML_REAL) ((sum[c][0] + sum[c][2]) + (sum[c][1] + sum[c][3]));
}

#endif							/* OSML_KERNEL_SCATTER_H */
