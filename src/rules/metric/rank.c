/*
 * rank.c
 *	  Scores in order, in bounded memory; see rank.h.
 */
#include "rules/metric/rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "rules/metric/rank_code.h"

#define LEAST_ROOM 1024

void
osml_rank_init(OsmlRank *rank, const OsmlArena *arena, int capacity,
			   bool is_share)
{
	*rank = (OsmlRank) {.arena = arena, .capacity = capacity,
	.is_share = is_share, .is_exact = true};
}

void
osml_rank_clear(OsmlRank *rank)
{
	osml_arena_release(rank->arena, rank->entries);
	osml_arena_release(rank->arena, rank->points);
	osml_rank_init(rank, rank->arena, rank->capacity, rank->is_share);
}

/* --- entries ------------------------------------------------------------ */

/*
 * Append an entry that is not before those in list.  What lies in its block
 * joins it; blocks are nested or apart, so that is a run at the end of the list,
 * or else the last entry takes the new one in.  Returns the entries in the list.
 */
static int
push_entry(OsmlRankEntry *list, int n, OsmlRankEntry entry)
{
	if (n > 0 && osml_rank_covers(list[n - 1].code, entry.code))
	{
		list[n - 1].weight[0] += entry.weight[0];
		list[n - 1].weight[1] += entry.weight[1];
		return n;
	}
	for (; n > 0 && osml_rank_covers(entry.code, list[n - 1].code); n--)
	{
		entry.weight[0] += list[n - 1].weight[0];
		entry.weight[1] += list[n - 1].weight[1];
	}
	list[n] = entry;
	return n + 1;
}

/* take more entries in, ascending and apart from each other */
static OsmlStatus
take_in(OsmlRank *rank, const OsmlRankEntry *more, int n_more)
{
	int			i = 0;
	int			j = 0;
	int			n = 0;
	OsmlRankEntry *list =
		osml_arena_alloc(rank->arena, ((size_t) rank->n_entries + (size_t) n_more) *
						 sizeof(OsmlRankEntry));

	if (list == NULL)
		return OSML_OUT_OF_MEMORY;
	while (i < rank->n_entries || j < n_more)
	{
		bool		own = j == n_more ||
			(i < rank->n_entries && rank->entries[i].code <= more[j].code);

		n = push_entry(list, n, own ? rank->entries[i++] : more[j++]);
	}
	osml_arena_release(rank->arena, rank->entries);
	rank->entries = list;
	rank->n_entries = n;
	if (n > rank->capacity)
		osml_rank_coarsen(rank);
	return OSML_OK;
}

/* --- points ------------------------------------------------------------- */

/*
 * Sort by code, stably, so that weights are always added in the order in which
 * rows came.  From the lowest digit to the highest; digits that all codes share
 * are passed over.
 */
#define DIGIT_BITS 11
#define DIGITS (1 << DIGIT_BITS)

static OsmlRankPoint *
sort_points(OsmlRankPoint *points, OsmlRankPoint *scratch, int n)
{
	uint64_t	differ = 0;

	for (int i = 1; i < n; i++)
		differ |= points[i].code ^ points[0].code;
	for (int shift = 0; shift < 64; shift += DIGIT_BITS)
	{
		int			start[DIGITS + 1] = {0};
		OsmlRankPoint *swap = points;

		if (((differ >> shift) & (DIGITS - 1)) == 0)
			continue;
		for (int i = 0; i < n; i++)
			start[((points[i].code >> shift) & (DIGITS - 1)) + 1]++;
		for (int d = 0; d < DIGITS; d++)
			start[d + 1] += start[d];
		for (int i = 0; i < n; i++)
			scratch[start[(points[i].code >> shift) & (DIGITS - 1)]++] = points[i];
		points = scratch;
		scratch = swap;
	}
	return points;
}

/* sorted points to entries, equal codes to one */
static int
collect_points(const OsmlRankPoint *points, int n, OsmlRankEntry *list)
{
	int			used = 0;

	for (int i = 0; i < n; i++)
	{
		if (used == 0 || list[used - 1].code != points[i].code)
			list[used++] = (OsmlRankEntry) {.code = points[i].code};
		list[used - 1].weight[points[i].weight > 0] += fabs(points[i].weight);
	}
	return used;
}

/* put what has come in in its place */
OsmlStatus
osml_rank_settle(OsmlRank *rank)
{
	int			n = rank->n_points;
	OsmlStatus	status = OSML_OUT_OF_MEMORY;
	OsmlRankPoint *scratch;
	OsmlRankEntry *list;

	if (n == 0)
		return OSML_OK;
	scratch = osml_arena_alloc(rank->arena, (size_t) n * sizeof(OsmlRankPoint));
	list = osml_arena_alloc(rank->arena, (size_t) n * sizeof(OsmlRankEntry));
	if (scratch != NULL && list != NULL)
	{
		OsmlRankPoint *sorted = sort_points(rank->points, scratch, n);

		status = take_in(rank, list, collect_points(sorted, n, list));
	}
	if (status == OSML_OK)
		rank->n_points = 0;
	osml_arena_release(rank->arena, scratch);
	osml_arena_release(rank->arena, list);
	return status;
}

/* room for more points, or fewer points */
static OsmlStatus
make_room(OsmlRank *rank)
{
	int			room = rank->room == 0 ? LEAST_ROOM : 2 * rank->room;
	OsmlRankPoint *points;

	if (room > rank->capacity)
		room = rank->capacity;
	if (room == rank->room)
		return osml_rank_settle(rank);
	points = osml_arena_alloc(rank->arena, (size_t) room * sizeof(OsmlRankPoint));
	if (points == NULL)
		return OSML_OUT_OF_MEMORY;
	if (rank->n_points > 0)
		memcpy(points, rank->points, (size_t) rank->n_points * sizeof(OsmlRankPoint));
	osml_arena_release(rank->arena, rank->points);
	rank->points = points;
	rank->room = room;
	return OSML_OK;
}

/* n scores; what weighs nothing is not there */
OsmlStatus
osml_rank_add(OsmlRank *rank, int n, const double *score, const bool *second,
			  const double *weight)
{
	for (int i = 0; i < n; i++)
	{
		double		w = weight ? weight[i] : 1;
		OsmlStatus	status;

		if (!(w > 0))
			continue;
		if (rank->n_points == rank->room && (status = make_room(rank)) != OSML_OK)
			return status;
		rank->points[rank->n_points++] = (OsmlRankPoint) {
			.code = osml_rank_code(osml_rank_key(score[i], rank->is_share), 0),
			.weight = second && second[i] ? w : -w
		};
	}
	return OSML_OK;
}

/* add a settled rank */
OsmlStatus
osml_rank_merge(OsmlRank *into, const OsmlRank *from)
{
	OsmlStatus	status = osml_rank_settle(into);

	if (status == OSML_OK)
		status = take_in(into, from->entries, from->n_entries);
	into->is_exact = into->is_exact && from->is_exact;
	return status;
}

/* entries have weights, ascend and share no key */
static bool
are_entries(const OsmlRankEntry *entries, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (entries[i].code == 0 ||
			!(entries[i].weight[0] >= 0 && entries[i].weight[1] >= 0) ||
			(i > 0 && osml_rank_last_key(entries[i - 1].code) >=
			 osml_rank_first_key(entries[i].code)))
			return false;
	}
	return true;
}

OsmlStatus
osml_rank_restore(OsmlRank *rank, const OsmlRankEntry *entries, int n,
				  bool is_exact)
{
	if (n > rank->capacity || !are_entries(entries, n))
		return OSML_BAD_FORMAT;
	rank->is_exact = is_exact;
	return take_in(rank, entries, n);
}

/* --- reading ------------------------------------------------------------ */

double
osml_rank_low(const OsmlRank *rank, int i)
{
	return osml_rank_score(osml_rank_first_key(rank->entries[i].code), rank->is_share);
}

double
osml_rank_high(const OsmlRank *rank, int i)
{
	return osml_rank_score(osml_rank_last_key(rank->entries[i].code), rank->is_share);
}

void
osml_rank_totals(const OsmlRank *rank, double totals[2])
{
	totals[0] = totals[1] = 0;
	for (int i = 0; i < rank->n_entries; i++)
	{
		totals[0] += rank->entries[i].weight[0];
		totals[1] += rank->entries[i].weight[1];
	}
}

/* the score in the middle of an entry's block */
static double
middle(const OsmlRank *rank, int i)
{
	double		low = osml_rank_low(rank, i);
	double		high = osml_rank_high(rank, i);

	/* infinity less infinity is no distance */
	return low == high ? low : low + (high - low) / 2;
}

/*
 * Where half of the weight falls between two scores it is their mean, as in
 * numpy.median(): a row of weight 2 then is the same as two rows.
 */
double
osml_rank_median(const OsmlRank *rank)
{
	double		totals[2];
	double		below = 0;

	osml_rank_totals(rank, totals);
	for (int i = 0; i < rank->n_entries; i++)
	{
		below += rank->entries[i].weight[0];
		if (below == totals[0] / 2 && i + 1 < rank->n_entries)
			return (middle(rank, i) + middle(rank, i + 1)) / 2;
		if (below >= totals[0] / 2)
			return middle(rank, i);
	}
	return NAN;
}

double
osml_rank_auc(const OsmlRank *rank)
{
	double		totals[2];
	double		below = 0;		/* weight of the first class */
	double		area = 0;

	osml_rank_totals(rank, totals);
	for (int i = 0; i < rank->n_entries; i++)
	{
		const double *weight = rank->entries[i].weight;

		area += weight[1] * (below + weight[0] / 2);	/* ties count half */
		below += weight[0];
	}
	return totals[0] > 0 && totals[1] > 0 ? area / totals[0] / totals[1] : NAN;
}

/* the pairs within one entry may be in any order, and count half */
double
osml_rank_uncertainty(const OsmlRank *rank)
{
	double		totals[2];
	double		pairs = 0;

	osml_rank_totals(rank, totals);
	for (int i = 0; i < rank->n_entries; i++)
	{
		if (osml_rank_level(rank->entries[i].code) > 0)
			pairs += rank->entries[i].weight[0] * rank->entries[i].weight[1] / 2;
	}
	return pairs > 0 ? pairs / totals[0] / totals[1] : 0;
}

/*
 * What an entry's second class adds: of single scores the precision at the score,
 * ties and all.  Within a block rows may be in any order: two points of Gauss and
 * Legendre along it stand for an even mixture.
 */
static double
precisions(const OsmlRankEntry *entry, const double above[2])
{
	static const double at[2] = {0.21132486540518713, 0.78867513459481287};
	double		sum = 0;

	if (osml_rank_level(entry->code) == 0)
		return entry->weight[1] * (above[1] + entry->weight[1]) /
			(above[0] + above[1] + entry->weight[0] + entry->weight[1]);
	for (int i = 0; i < 2; i++)
	{
		double		second = above[1] + at[i] * entry->weight[1];

		sum += second / (second + above[0] + at[i] * entry->weight[0]);
	}
	return entry->weight[1] * sum / 2;
}

double
osml_rank_average_precision(const OsmlRank *rank)
{
	double		above[2] = {0, 0};	/* weights from the highest score down */
	double		sum = 0;

	for (int i = rank->n_entries - 1; i >= 0; i--)
	{
		const OsmlRankEntry *entry = &rank->entries[i];

		if (entry->weight[1] > 0)
			sum += precisions(entry, above);
		above[0] += entry->weight[0];
		above[1] += entry->weight[1];
	}
	return above[1] > 0 ? sum / above[1] : NAN;
}
