/*
 * code_stats.c
 *	  Counts and label means a code: see code_stats.h.
 */
#include "compute/code_stats.h"

void
osml_code_stats_block(OsmlCodeStats *stats, const OsmlLayout *layout,
					  const OsmlBlock *raw)
{
	const double *label = osml_block_label(raw, layout);
	int64_t    *count = stats->count;
	double	   *mean = stats->label_mean;

	for (int k = 0; k < layout->n_codes; k++)
	{
		const int32_t *codes = osml_block_codes(raw, layout, k);

		for (int r = 0; r < raw->nrows; r++)
		{
			int32_t		code = codes[r];

			count[code]++;
			mean[code] += (label[r] - mean[code]) / (double) count[code];
		}
		count += layout->code_sizes[k];
		mean += layout->code_sizes[k];
	}
}
