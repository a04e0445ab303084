/*
 * rank_coarsen.c
 *	  Fewer entries: light neighbours become one; see rank.h.
 */
#include "rules/metric/rank_code.h"

/*
 * Blocks of one level: where all entries of a block weigh at most `most`, they
 * become one.  A lone entry grows as well, so that later scores near it find
 * it; but a single score that many rows have weighs more, and stays exact.
 */
static void
coarsen_level(OsmlRank *rank, int level, const double most[2])
{
	OsmlRankEntry *entries = rank->entries;
	int			n = 0;
	int			end;

	for (int start = 0; start < rank->n_entries; start = end)
	{
		uint64_t	block = entries[start].code >> level >> 1;
		double		weight[2] = {0, 0};

		for (end = start; end < rank->n_entries &&
			 entries[end].code >> level >> 1 == block; end++)
		{
			weight[0] += entries[end].weight[0];
			weight[1] += entries[end].weight[1];
		}
		/* an entry of a higher level is alone in its blocks */
		if (weight[0] <= most[0] && weight[1] <= most[1] &&
			osml_rank_level(entries[start].code) < level)
		{
			entries[n++] = (OsmlRankEntry) {
				.code = (block << 1 | 1) << level,
				.weight = {weight[0], weight[1]}
			};
			continue;
		}
		for (int i = start; i < end; i++)
			entries[n++] = entries[i];
	}
	rank->n_entries = n;
}

/*
 * From the finest level up until enough is free: so no block is wider than the
 * capacity needs, and those of crowds of scores stay narrow because they would
 * be too heavy.  When that does not suffice, heavier entries do.
 */
void
osml_rank_coarsen(OsmlRank *rank)
{
	double		totals[2];
	double		share = OSML_RANK_SHARE / rank->capacity;

	osml_rank_totals(rank, totals);
	rank->is_exact = false;
	for (; rank->n_entries > rank->capacity / 2; share *= 2)
	{
		double		most[2] = {share * totals[0], share * totals[1]};

		for (int level = 1; level <= OSML_RANK_KEY_BITS &&
			 rank->n_entries > rank->capacity / 2; level++)
			coarsen_level(rank, level, most);
	}
}
