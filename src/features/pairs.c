/*
 * pairs.c
 *	  Two columns at a time; see association.h.
 */
#include <math.h>

#include "features/association.h"

/* |r| of ranks above |r| of values by so much: the relation is no line */
#define RANK_AHEAD 0.005

/* rows of equal codes in both columns, as groups */
typedef struct Groups
{
	int			n;				/* rows that have both */
	int			n_groups;
	int32_t    *group;			/* [rows] -1: one of them is missing */
	int32_t    *count;			/* [n_groups] */
	int32_t    *first;			/* [n_groups] a row of each */
	int			table_size;		/* a power of 2 */
	int32_t    *table;			/* group + 1 of a hash's place; 0: free */
} Groups;

static OsmlStatus
allocate(Groups *groups, const OsmlArena *arena, int n)
{
	groups->table_size = 16;
	while (groups->table_size < 2 * n)
		groups->table_size *= 2;
	groups->group = osml_arena_alloc(arena, sizeof(int32_t) * n);
	groups->count = osml_arena_alloc(arena, sizeof(int32_t) * n);
	groups->first = osml_arena_alloc(arena, sizeof(int32_t) * n);
	groups->table = osml_arena_alloc(arena, sizeof(int32_t) * groups->table_size);
	groups->n = groups->n_groups = 0;
	return groups->group && groups->count && groups->first && groups->table ?
		OSML_OK : OSML_OUT_OF_MEMORY;
}

static void
release(Groups *groups, const OsmlArena *arena)
{
	osml_arena_release(arena, groups->group);
	osml_arena_release(arena, groups->count);
	osml_arena_release(arena, groups->first);
	osml_arena_release(arena, groups->table);
}

/* the group of a pair of codes, made if it is new */
static int
find_group(Groups *groups, const int32_t *a, const int32_t *b, int row)
{
	uint64_t	pair = (uint64_t) a[row] << 32 | (uint32_t) b[row];
	uint32_t	mask = (uint32_t) groups->table_size - 1;
	uint32_t	at = (uint32_t) osml_mix64(pair) & mask;

	while (groups->table[at] > 0)
	{
		int			group = groups->table[at] - 1;
		int			first = groups->first[group];

		if (a[first] == a[row] && b[first] == b[row])
			return group;
		at = (at + 1) & mask;
	}
	groups->first[groups->n_groups] = row;
	groups->table[at] = ++groups->n_groups;
	return groups->n_groups - 1;
}

static OsmlStatus
make_groups(Groups *groups, const OsmlArena *arena, int n, const int32_t *a,
			const int32_t *b)
{
	if (allocate(groups, arena, n) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < n; i++)
	{
		groups->group[i] = -1;
		if (a[i] < 0 || b[i] < 0)
			continue;
		groups->group[i] = find_group(groups, a, b, i);
		groups->count[groups->group[i]]++;
		groups->n++;
	}
	return OSML_OK;
}

/* rows of each code among the rows that have both columns */
static OsmlStatus
margins(const OsmlArena *arena, const Groups *groups, const int32_t *code, int n_codes,
		int32_t **count, int *used)
{
	*count = osml_arena_alloc(arena, sizeof(int32_t) * n_codes);
	if (*count == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int g = 0; g < groups->n_groups; g++)
		(*count)[code[groups->first[g]]] += groups->count[g];
	*used = 0;
	for (int c = 0; c < n_codes; c++)
		*used += (*count)[c] > 0 ? 1 : 0;
	return OSML_OK;
}

/* Cramer's V, corrected for what chance alone gives large tables */
static OsmlStatus
cramers_v(const OsmlArena *arena, const OsmlView *a, const OsmlView *b, double *v)
{
	Groups		groups;
	int32_t    *rows_a;
	int32_t    *rows_b;
	int			used_a;
	int			used_b;
	double		phi2 = -1;
	double		n;
	double		side;

	*v = 0;
	if (make_groups(&groups, arena, a->n, a->bin, b->bin) != OSML_OK ||
		margins(arena, &groups, a->bin, a->n_bins, &rows_a, &used_a) != OSML_OK ||
		margins(arena, &groups, b->bin, b->n_bins, &rows_b, &used_b) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	n = groups.n;
	for (int g = 0; g < groups.n_groups; g++)
		phi2 += (double) groups.count[g] / rows_a[a->bin[groups.first[g]]] *
			groups.count[g] / rows_b[b->bin[groups.first[g]]];
	osml_arena_release(arena, rows_a);
	osml_arena_release(arena, rows_b);
	release(&groups, arena);
	if (n < 2 || used_a < 2 || used_b < 2)
		return OSML_OK;
	phi2 = fmax(0, phi2 - (used_a - 1.0) * (used_b - 1.0) / (n - 1));
	side = fmin(used_a - (used_a - 1.0) * (used_a - 1.0) / (n - 1),
				used_b - (used_b - 1.0) * (used_b - 1.0) / (n - 1)) - 1;
	*v = side > 0.5 ? sqrt(fmin(1, phi2 / side)) : 0;
	return OSML_OK;
}

OsmlStatus
osml_redundancy(const OsmlArena *arena, const OsmlView *a, const OsmlView *b,
				OsmlRedundancy *redundancy)
{
	double		rank;

	if (a->x == NULL || b->x == NULL)
	{
		redundancy->measure = "Cramer's V";
		return cramers_v(arena, a, b, &redundancy->value);
	}
	redundancy->measure = "correlation";
	redundancy->value = fabs(osml_correlation(a->x, b->x, a->n, NULL));
	rank = fabs(osml_correlation(a->rank, b->rank, a->n, NULL));
	if (rank > redundancy->value + RANK_AHEAD)
	{
		redundancy->value = rank;
		redundancy->measure = "rank correlation";
	}
	return OSML_OK;
}

/* the codes by which rows are paired: values, or bins where nearly every row
 * has a value of its own */
static const int32_t *
pair_codes(const OsmlView *view, int *n_codes)
{
	bool		values = view->x == NULL || view->n_values <= view->n_present / 10;

	*n_codes = values ? view->n_values : view->n_bins;
	return values ? view->code : view->bin;
}

/* the label's share that the best plane over two numbers explains */
static double
plane_share(const OsmlTarget *target, const OsmlView *a, const OsmlView *b)
{
	const double *y = target->view->x;
	int			n;
	double		ry_a;
	double		ry_b;
	double		rab;

	if (y == NULL || a->x == NULL || b->x == NULL)
		return 0;
	rab = osml_correlation(a->x, b->x, a->n, &n);
	ry_a = osml_correlation(a->x, y, a->n, NULL);
	ry_b = osml_correlation(b->x, y, a->n, NULL);
	/* each r is over the rows that have both: only then are they of one table */
	if (n < 30 || n < 0.95 * a->n || rab * rab > 0.9999)
		return 0;
	return fmin(1, (ry_a * ry_a + ry_b * ry_b - 2 * ry_a * ry_b * rab) / (1 - rab * rab));
}

OsmlStatus
osml_together(const OsmlArena *arena, const OsmlTarget *target, const OsmlView *a,
			  const OsmlView *b, OsmlTogether *together)
{
	int			n_a;
	int			n_b;
	const int32_t *codes_a = pair_codes(a, &n_a);
	const int32_t *codes_b = pair_codes(b, &n_b);
	int32_t    *rows[2];
	int			used;
	Groups		groups;
	OsmlExplained explained;
	double		alike[2] = {0, 0};

	if (make_groups(&groups, arena, a->n, codes_a, codes_b) != OSML_OK ||
		margins(arena, &groups, codes_a, n_a, &rows[0], &used) != OSML_OK ||
		margins(arena, &groups, codes_b, n_b, &rows[1], &used) != OSML_OK ||
		osml_explain(arena, target, groups.group, groups.n_groups, false,
					 &explained) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	together->repeats = 0;
	for (int g = 0; g < groups.n_groups; g++)
		together->repeats += groups.count[g] * (groups.count[g] - 1.0) / 2;
	for (int c = 0; c < n_a; c++)
		alike[0] += rows[0][c] * (rows[0][c] - 1.0);
	for (int c = 0; c < n_b; c++)
		alike[1] += rows[1][c] * (rows[1][c] - 1.0);
	/* bins are alike for many rows that are not */
	together->repeats_expected =
		groups.n < 2 || codes_a != a->code || codes_b != b->code ? 0 :
		alike[0] / groups.n * alike[1] / (groups.n - 1.0) / 2;
	together->by = NULL;
	together->share = fmax(explained.share, plane_share(target, a, b));
	osml_arena_release(arena, rows[0]);
	osml_arena_release(arena, rows[1]);
	release(&groups, arena);
	return OSML_OK;
}
