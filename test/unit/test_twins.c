/*
 * test_twins.c
 *	  Rows of two parts that are the same, and twins: copies, or alike by chance.
 */
#include "tap.h"

#include "features/sample.h"
#include "features/twins.h"
#include "fixtures/arena.h"
#include "fixtures/table.h"

#define KEPT 16384

/* a part: rows of features and a label */
typedef struct Part
{
	OsmlBottom	rows;
	OsmlBottom	groups;
} Part;

static void
begin(Part *part, const OsmlArena *arena)
{
	osml_bottom_init(&part->rows, arena, KEPT);
	osml_bottom_init(&part->groups, arena, KEPT);
}

static void
add(Part *part, double a, double b, double label)
{
	static const OsmlColumnKind kinds[3];
	static const bool use[3] = {true, true, true};
	OsmlCell	row[3] = {table_number(a), table_number(b), table_number(label)};
	uint64_t	whole;
	uint64_t	group;

	osml_cells_hash(kinds, 3, use, row, &whole, &group);
	(void) osml_bottom_add(&part->rows, whole);
	(void) osml_bottom_add(&part->groups, group);
}

static OsmlTwins
end(Part *part, double alike)
{
	OsmlTwins	twins;

	osml_bottom_finish(&part->rows);
	osml_bottom_finish(&part->groups);
	osml_twins(&part->rows, &part->groups, alike, &twins);
	return twins;
}

/* whole numbers below n, from number k of row i */
static double
below(int n, int i, int k)
{
	return floor(n * table_unit(i, k));
}

/* 300 of the 1,000 rows of b are in a; nothing has a twin */
static void
test_overlap(const OsmlArena *arena)
{
	Part		a;
	Part		b;
	OsmlTwins	twins;
	OsmlOverlap overlap;

	begin(&a, arena);
	begin(&b, arena);
	for (int i = 0; i < 1000; i++)
	{
		add(&a, i, 1, 2);
		add(&b, 700 + i, 1, 2);
	}
	twins = end(&a, 1);
	(void) end(&b, 1);
	osml_overlap(&a.rows, &b.rows, &overlap);
	ok(overlap.share == 0.3 && overlap.rows == 1000 && twins.share == 0 && !twins.copies &&
	   isnan(twins.agree), "an overlap of parts that fit is exact");
	ok(osml_overlap_is_leak(&overlap, &twins), "and a leak where nothing has a twin");

	begin(&a, arena);
	begin(&b, arena);
	for (int i = 0; i < 50000; i++)
	{
		add(&a, i, 1, 2);
		add(&a, i, 1, 2);
		add(&b, 25000 + i, 1, 2);
	}
	twins = end(&a, 1);
	(void) end(&b, 1);
	osml_overlap(&a.rows, &b.rows, &overlap);
	is_close(overlap.share, 0.5, 0, 5 * 0.5 / sqrt(KEPT / 2), "of parts that do not, an estimate");
	ok(twins.share == 1 && twins.agree == 1, "all rows of a have twins");

	begin(&a, arena);
	twins = end(&a, 0);
	osml_overlap(&a.rows, &a.rows, &overlap);
	ok(overlap.share == 0 && twins.share == 0 && !twins.copies &&
	   !osml_overlap_is_leak(&overlap, &twins), "no rows");
}

/* what a row of a table that comes `times` in the source is, seen 70 % of the times */
typedef struct Source
{
	const char *name;
	int			n;
	int			times;			/* of a row with a label of 1 */
	int			times_others;
	int			values;			/* of each feature; 0: all differ */
	double		ones;			/* share of label 1; 0: the label is fine */
	bool		copies;
} Source;

static const Source sources[] = {
	{"each row twice", 2000, 2, 2, 0, 0, true},
	{"each row twice, with a label of two classes", 2000, 2, 2, 0, 0.3, true},
	{"a rare label", 4000, 2, 2, 0, 0.02, true},
	{"each row three times", 1000, 3, 3, 0, 0.5, true},
	{"a rare class twenty times", 5000, 20, 1, 0, 0.05, true},
	{"a tenth of the rows twice", 5000, 2, 1, 0, 0.1, true},
	{"coarse features and a fine label", 3000, 2, 2, 6, 0, true},
	{"coarse features, drawn", 10000, 1, 1, 12, 0.3, false},
	{"some of them seen once", 4000, 1, 1, 40, 0.3, false},
	{"a rare label", 4000, 1, 1, 40, 0.02, false},
	{"few rows of each kind", 3000, 1, 1, 60, 0.5, false},
	{"all features differ", 5000, 1, 1, 0, 0.5, false},
};

static void
test_source(const OsmlArena *arena, const Source *source, int seed)
{
	Part		part;
	OsmlTwins	twins;

	begin(&part, arena);
	for (int i = 0; i < source->n; i++)
	{
		int			k = 100 * seed;
		double		a = source->values ? below(source->values, i, k) : i;
		double		b = source->values ? below(source->values, i, k + 1) : table_unit(i, k + 1);
		double		y = source->ones == 0 ? table_unit(i, k + 2) : table_unit(i, k + 2) < source->ones;
		int			times = y == 1 ? source->times : source->times_others;

		for (int t = 0; t < times; t++)
		{
			if (table_unit(i, k + 3 + t) < 0.7)
				add(&part, a, b, y);
		}
	}
	twins = end(&part, source->ones == 0 ? 0 :
				source->ones * source->ones + (1 - source->ones) * (1 - source->ones));
	ok(twins.copies == source->copies, "%s: %s (share %.3f, labels agree %.3f)", source->name,
	   source->copies ? "copies" : "no copies", twins.share, twins.agree);
}

/* a plan: each combination of two features eight times, whose labels differ */
static void
test_plan(const OsmlArena *arena)
{
	Part		part;
	OsmlTwins	twins;

	begin(&part, arena);
	for (int i = 0; i < 8000; i++)
		add(&part, i % 40, i / 40 % 25, table_unit(i, 1) < 0.02);
	twins = end(&part, 0.98 * 0.98 + 0.02 * 0.02);
	ok(!twins.copies, "rows by a plan, whose labels differ as any");
	begin(&part, arena);
	for (int i = 0; i < 8000; i++)
		add(&part, i % 20, i / 20 % 20, i % 2);
	twins = end(&part, 0.5);
	ok(!twins.copies && twins.agree == 1, "many rows of each kind");
}

int
main(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);

	test_overlap(arena);
	for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
	{
		for (int seed = 1; seed <= 5; seed++)
			test_source(arena, &sources[i], seed);
	}
	test_plan(arena);
	test_arena_free(&memory);
	return done();
}
