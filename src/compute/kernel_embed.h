/*
 * kernel_embed.h
 *	  Embeddings and dropout masks: one column of a tile at a time.
 *
 * A table has a row of width values a category.  Slopes go into it as
 * kernel_scatter.h says, column by column.
 */
#ifndef OSML_KERNEL_EMBED_H
#define OSML_KERNEL_EMBED_H
#include "compute/kernel_scatter.h"

#define OSML_RULE_FILE "compute/kernel_embed.h"
#include "rules/both.h"
#define OSML_KERNEL_EMBED_H_DONE
#elif !defined(OSML_KERNEL_EMBED_H_DONE)

/* z[i] = table[code[i] * width] */
static void
OSML_TYPED(osml_kernel_embed) (int n, const int32_t *code, int width,
							   const OSML_REAL *table, OSML_REAL *z)
{
	for (int i = 0; i < n; i++)
		z[i] = table[(size_t) code[i] * (size_t) width];
}

/* g[code[i] * width] += slope[i], of size categories */
static void
OSML_TYPED(osml_kernel_embed_grad) (int n, int size, const int32_t *code, int width,
									const OSML_REAL *slope, OSML_REAL *g)
{
	OSML_REAL	sum[OSML_SMALL_TABLE];

	if (size <= OSML_SMALL_TABLE && size <= n)
	{
		memset(sum, 0, (size_t) size * sizeof(OSML_REAL));
		OSML_TYPED(osml_scatter_small) (n, size, code, slope, sum);
		for (int c = 0; c < size; c++)
			g[(size_t) c * (size_t) width] += sum[c];
	}
	else
		for (int i = 0; i < n; i++)
			g[(size_t) code[i] * (size_t) width] += slope[i];
}

/* value and slope *= factor where the word is at least limit, else 0 */
OSML_CLONES static void
OSML_TYPED(osml_kernel_dropout) (int n, const uint32_t *restrict word, uint32_t limit,
								 OSML_REAL factor, OSML_REAL *restrict value,
								 OSML_REAL *restrict slope)
{
	for (int i = 0; i < n; i++)
	{
		OSML_REAL	kept = word[i] >= limit ? factor : 0;

		/* a product, so that a NaN stays one */
		value[i] *= kept;
		slope[i] *= kept;
	}
}

#endif							/* OSML_KERNEL_EMBED_H */
