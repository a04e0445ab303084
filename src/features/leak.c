/*
 * leak.c
 *	  Signs of leaks; see leak.h.
 */
#include "features/leak.h"

#include <math.h>

/*
 * Pure is so much of the marked rows.  Of a frequent class that is little, so
 * other classes must also be a fifth or less of what they are elsewhere; and no
 * chance is so many deviations.
 */
#define PURE 0.95
#define REST 0.2
#define DEVIATIONS 6

/* a side of an amount that most rows are on: its tail gets thin wherever amounts
 * are a little higher, so hardly any may be left */
#define ORDINARY 0.8
#define REST_OF_TAIL 0.02

/* rows are cut into so many stretches to see whether their order matters */
#define STRETCHES 32

/* keep a kind of label if marked rows are purer of it than of others */
static void
offer(OsmlPurity *best, double *best_z, const OsmlPurity *kind)
{
	double		z = (kind->share - kind->base) /
		sqrt(kind->base * (1 - kind->base) / kind->rows);

	double		rest = (1 - kind->share) / (1 - kind->base);
	bool		tail = kind->kind != OSML_LABEL_IS && kind->base > ORDINARY;

	if (kind->share < PURE || !(z > DEVIATIONS) || z <= *best_z ||
		rest > (tail ? REST_OF_TAIL : REST))
		return;
	*best_z = z;
	*best = *kind;
	best->rest = fmax(0, rest);
}

OsmlStatus
osml_purity(const OsmlArena *arena, const OsmlTarget *target, const bool *mark,
			OsmlPurity *purity)
{
	const OsmlView *label = target->view;
	int32_t    *marked = osml_arena_alloc(arena, sizeof(int32_t) * label->n_values);
	OsmlPurity	kind = {0};
	OsmlPurity	none = {0};
	double		best_z = 0;
	double		below = 0;
	double		below_marked = 0;

	*purity = none;
	if (marked == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < target->n; i++)
	{
		kind.rows += mark[i] ? 1 : 0;
		marked[label->code[i]] += mark[i] ? 1 : 0;
	}
	for (int c = 0; kind.rows > 0 && c < label->n_values; c++)
	{
		kind.value = label->value ? label->value[c] : NAN;
		kind.kind = OSML_LABEL_IS;
		kind.base = (double) label->count[c] / target->n;
		kind.share = (double) marked[c] / kind.rows;
		offer(purity, &best_z, &kind);
		below += kind.base;
		below_marked += kind.share;
		if (label->value == NULL)
			continue;
		/* a single value above, or below, is better named itself */
		kind.kind = OSML_LABEL_ABOVE;
		kind.base = 1 - below;
		kind.share = 1 - below_marked;
		if (c < label->n_values - 2)
			offer(purity, &best_z, &kind);
		kind.kind = OSML_LABEL_BELOW;
		kind.base = below - (double) label->count[c] / target->n;
		kind.share = below_marked - (double) marked[c] / kind.rows;
		if (c > 1)
			offer(purity, &best_z, &kind);
	}
	osml_arena_release(arena, marked);
	return OSML_OK;
}

OsmlStatus
osml_order_explains(const OsmlArena *arena, const OsmlTarget *target,
					OsmlExplained *explained)
{
	int32_t    *stretch = osml_arena_alloc(arena, sizeof(int32_t) * target->n);
	OsmlStatus	status;

	if (stretch == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < target->n; i++)
		stretch[i] = (int32_t) ((int64_t) i * STRETCHES / target->n);
	status = osml_explain(arena, target, stretch, STRETCHES, false, explained);
	osml_arena_release(arena, stretch);
	return status;
}
