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

/* codes with more than so many rows */
static int64_t
above(const int64_t *count, int64_t n_codes, int64_t rows)
{
	int64_t		n = 0;

	for (int64_t code = 0; code < n_codes; code++)
		n += count[code] > rows;
	return n;
}

int64_t
osml_code_stats_used(const int64_t *count, int64_t n_codes)
{
	return above(count, n_codes, 0);
}

/*
 * The fewest rows that no more than `most` codes exceed, found by halving: there may
 * be millions of codes, and sorting them would take memory.
 */
static int64_t
limit_of(const int64_t *count, int64_t n_codes, int most)
{
	int64_t		lo = 0;
	int64_t		hi = 0;

	for (int64_t code = 0; code < n_codes; code++)
		hi = count[code] > hi ? count[code] : hi;
	while (lo < hi)
	{
		int64_t		middle = lo + (hi - lo) / 2;

		if (above(count, n_codes, middle) <= most)
			hi = middle;
		else
			lo = middle + 1;
	}
	return lo;
}

int
osml_code_stats_frequent(const int64_t *count, int64_t n_codes, int most, int32_t *codes)
{
	int64_t		limit = limit_of(count, n_codes, most);
	int64_t		equals = most - above(count, n_codes, limit);
	int			n = 0;

	for (int64_t code = 0; code < n_codes; code++)
	{
		if (count[code] <= limit && (limit == 0 || count[code] < limit || equals-- <= 0))
			continue;
		codes[n++] = (int32_t) code;
	}
	return n;
}
