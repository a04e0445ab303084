/*
 * sample.c
 *	  Facts about all rows, and a sample of them; see sample.h.
 */
#include "features/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compute/block.h"
#include "features/key.h"
#include "features/twins.h"

/* different values are estimated within 2.2 % */
#define DISTINCT_KEPT 2048

OsmlStatus
osml_sample_init(OsmlSample *sample, const OsmlArena *arena,
				 const OsmlColumnKind *kinds, int n_columns, int capacity)
{
	OsmlStatus	status;

	memset(sample, 0, sizeof(*sample));
	sample->arena = arena;
	sample->n_columns = n_columns;
	sample->kinds = kinds;
	sample->facts = osml_arena_alloc(arena, sizeof(OsmlColumnFacts) * n_columns);
	if (sample->facts == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int j = 0; j < n_columns; j++)
	{
		OsmlColumnFacts *facts = &sample->facts[j];

		facts->integral = true;
		facts->min = INFINITY;
		facts->max = -INFINITY;
		status = osml_bottom_init(&facts->distinct, arena, DISTINCT_KEPT);
		if (status != OSML_OK)
			return status;
	}
	status = osml_bottom_init(&sample->drawn, arena, capacity);
	if (status != OSML_OK)
		return status;
	sample->slots = osml_arena_alloc(arena, sizeof(OsmlCell) * n_columns *
									 (size_t) sample->drawn.n_slots);
	sample->slot_row = osml_arena_alloc(arena, sizeof(int64_t) *
										(size_t) sample->drawn.n_slots);
	return sample->slots && sample->slot_row ? OSML_OK : OSML_OUT_OF_MEMORY;
}

bool
osml_cell_missing(const OsmlColumnKind *kind, OsmlCell cell)
{
	return kind->is_key ? cell.key == OSML_KEY_NULL : osml_is_missing(cell.number);
}

/* the bits that stand for a cell: equal for equal values */
static uint64_t
cell_bits(const OsmlColumnKind *kind, OsmlCell cell)
{
	if (!kind->is_key)
	{
		if (osml_is_missing(cell.number))
			return OSML_MISSING_BITS;
		cell.number = cell.number != cell.number ? NAN : cell.number + 0.0;
	}
	return cell.key;
}

static void
count_number(OsmlColumnFacts *facts, double x)
{
	if (!isfinite(x))
	{
		if (isnan(x))
			facts->nan++;
		else
			facts->infinite++;
		return;
	}
	facts->integral = facts->integral && x == floor(x);
	facts->min = fmin(facts->min, x);
	facts->max = fmax(facts->max, x);
}

/* A row without a label teaches nothing, so it counts for no column. */
void
osml_sample_add(OsmlSample *sample, const OsmlCell *row)
{
	int			label = sample->n_columns - 1;
	int			slot;

	sample->rows++;
	if (osml_cell_missing(&sample->kinds[label], row[label]) ||
		(!sample->kinds[label].is_key && !isfinite(row[label].number)))
	{
		sample->unlabelled++;
		return;
	}
	for (int j = 0; j < sample->n_columns; j++)
	{
		const OsmlColumnKind *kind = &sample->kinds[j];
		OsmlColumnFacts *facts = &sample->facts[j];

		if (osml_cell_missing(kind, row[j]))
			continue;
		facts->present++;
		(void) osml_bottom_add(&facts->distinct, osml_mix64(cell_bits(kind, row[j])));
		if (!kind->is_key)
			count_number(facts, row[j].number);
	}
	slot = osml_bottom_add(&sample->drawn, osml_mix64((uint64_t) sample->rows));
	if (slot >= 0)
	{
		memcpy(sample->slots + (size_t) slot * sample->n_columns, row,
			   sizeof(OsmlCell) * sample->n_columns);
		sample->slot_row[slot] = sample->rows;
	}
}

typedef struct Place
{
	int64_t		row;
	int32_t		slot;
} Place;

static int
compare_places(const void *left, const void *right)
{
	const Place *a = left;
	const Place *b = right;

	return a->row < b->row ? -1 : a->row > b->row;
}

/* the sample's rows in the order of the source, as slots */
static Place *
ordered_places(OsmlSample *sample)
{
	Place	   *places = osml_arena_alloc(sample->arena, sizeof(Place) * sample->n);

	if (places == NULL)
		return NULL;
	for (int i = 0; i < sample->n; i++)
	{
		places[i].slot = sample->drawn.items[i].slot;
		places[i].row = sample->slot_row[places[i].slot];
	}
	qsort(places, sample->n, sizeof(Place), compare_places);
	return places;
}

OsmlStatus
osml_sample_finish(OsmlSample *sample)
{
	Place	   *places;

	for (int j = 0; j < sample->n_columns; j++)
		osml_bottom_finish(&sample->facts[j].distinct);
	osml_bottom_finish(&sample->drawn);
	sample->n = sample->drawn.n;
	places = ordered_places(sample);
	sample->row = osml_arena_alloc(sample->arena, sizeof(int64_t) * sample->n);
	sample->columns = osml_arena_alloc(sample->arena,
									   sizeof(OsmlCell *) * sample->n_columns);
	if (places == NULL || sample->row == NULL || sample->columns == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int j = 0; j < sample->n_columns; j++)
	{
		sample->columns[j] = osml_arena_alloc(sample->arena, sizeof(OsmlCell) * sample->n);
		if (sample->columns[j] == NULL)
			return OSML_OUT_OF_MEMORY;
		for (int i = 0; i < sample->n; i++)
			sample->columns[j][i] =
				sample->slots[(size_t) places[i].slot * sample->n_columns + j];
	}
	for (int i = 0; i < sample->n; i++)
		sample->row[i] = places[i].row;
	osml_arena_release(sample->arena, places);
	osml_arena_release(sample->arena, sample->slots);
	sample->slots = NULL;
	return OSML_OK;
}

double
osml_sample_present(const OsmlSample *sample, int j)
{
	int64_t		rows = sample->rows - sample->unlabelled;

	return rows > 0 ? (double) (sample->facts[j].present - sample->facts[j].nan) / rows : 0;
}

void
osml_cells_hash(const OsmlColumnKind *kinds, int n_columns, const bool *use,
				const OsmlCell *row, uint64_t *whole, uint64_t *group)
{
	const uint64_t label_mask = (UINT64_C(1) << OSML_TWINS_LABEL_BITS) - 1;
	int			label = n_columns - 1;
	uint64_t	features = 0;
	uint64_t	bits = cell_bits(&kinds[label], row[label]);

	for (int j = 0; j < label; j++)
	{
		if (use[j])
			features = osml_mix64(features ^ cell_bits(&kinds[j], row[j]));
	}
	*whole = osml_mix64(features ^ bits);
	*group = (features & ~label_mask) | (osml_mix64(bits) & label_mask);
}
