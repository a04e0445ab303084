/*
 * test_association.c
 *	  Shares of the label, correlations and redundancy: scipy 1.10.1 on the same
 *	  numbers (f_oneway, pearsonr, spearmanr, chi2_contingency), and limits.
 */
#include "tap.h"

#include "features/association.h"
#include "features/leak.h"
#include "fixtures/arena.h"
#include "fixtures/table.h"

#define N 60

typedef struct Fixture
{
	OsmlSample	sample;
	OsmlView	views[5];
	OsmlTarget	target;
} Fixture;

/* columns x, g (11 groups), a, b (4 keys each), label y */
static void
make(Fixture *fixture, const OsmlArena *arena, int n)
{
	static const OsmlColumnKind kinds[5] = {
		{.name = "x"}, {.name = "g",.is_integer = true}, {.name = "a",.is_key = true},
		{.name = "b",.is_key = true}, {.name = "y"}
	};
	OsmlCell	row[5];

	osml_sample_init(&fixture->sample, arena, kinds, 5, 1000);
	for (int i = 0; i < n; i++)
	{
		row[0] = table_number(i * 7 % 11 + i / 10.0);
		row[1] = table_number(i * 7 % 11);
		row[2] = table_key(i % 4);
		row[3] = table_key((i % 4 + (i % 5 == 0)) % 4);
		row[4] = table_number(2 + 3 * (i * 7 % 11) - (i * i % 13) / 2.0 + ((i * 37 % 17) - 8) / 4.0);
		osml_sample_add(&fixture->sample, row);
	}
	osml_sample_finish(&fixture->sample);
	for (int j = 0; j < 5; j++)
		osml_view_make(&fixture->views[j], &fixture->sample, j);
	osml_target_make(&fixture->target, &fixture->sample, &fixture->views[4]);
}

static void
test_references(const OsmlArena *arena)
{
	Fixture		f;
	OsmlExplained by;
	OsmlRedundancy same;
	double		r;

	make(&f, arena, N);
	osml_explain(arena, &f.target, f.views[1].code, f.views[1].n_values, false, &by);
	is_close(by.share, 0.9489656184346046, 1e-12, 0, "corrected share of ranks by groups");
	is_close(by.p, 4.3461686472498085e-30, 1e-9, 0, "its p-value");
	ok(by.groups == 11 && by.within == N - 11, "groups and rows within");
	r = osml_correlation(f.views[0].x, f.views[4].x, N, NULL);
	is_close(r, 0.8495727043866572, 1e-13, 0, "correlation");
	is_close(osml_correlation_p(r, N), 9.417788785929041e-18, 1e-9, 0, "its p-value");
	r = osml_correlation(f.views[0].rank, f.views[4].rank, N, NULL);
	is_close(r, 0.8596995985578899, 1e-13, 0, "rank correlation");
	osml_redundancy(arena, &f.views[2], &f.views[3], &same);
	is_close(same.value, 0.741940826802374, 1e-12, 0, "corrected Cramer's V");
	osml_redundancy(arena, &f.views[0], &f.views[0], &same);
	is_close(same.value, 1, 1e-14, 0, "a column is redundant to itself");
	osml_explain(arena, &f.target, f.views[0].code, f.views[0].n_values, false, &by);
	ok(by.share == 0 && by.p == 1, "an identifier tells nothing");
}

/* a share estimated from pure noise is 0 on average, of a mixture what was put in */
static void
test_noise(const OsmlArena *arena)
{
	static const OsmlColumnKind kinds[3] = {
		{.name = "noise",.is_key = true}, {.name = "signal"}, {.name = "y"}
	};
	OsmlSample	sample;
	OsmlView	views[3];
	OsmlTarget	target;
	OsmlExplained by;
	OsmlExplained order;
	OsmlTogether together;
	OsmlCell	row[3];

	osml_sample_init(&sample, arena, kinds, 3, 20000);
	for (int i = 0; i < 20000; i++)
	{
		row[0] = table_key((uint64_t) (1000 * table_unit(i, 1)));
		row[1] = table_number(table_normal(i, 2));
		row[2] = table_number(sin(3 * row[1].number) + 0.1 * table_normal(i, 3));
		osml_sample_add(&sample, row);
	}
	osml_sample_finish(&sample);
	for (int j = 0; j < 3; j++)
		osml_view_make(&views[j], &sample, j);
	osml_target_make(&target, &sample, &views[2]);
	osml_explain(arena, &target, views[0].code, views[0].n_values, false, &by);
	ok(by.share < 0.01 && by.p > 1e-3, "1,000 groups of noise tell nothing (%.4f)", by.share);
	is_close(osml_follow(&target, &views[0]), 0, 0, 0.03, "nor do neighbours");
	ok(osml_follow(&target, &views[1]) > 0.95, "a curve is followed where a line is not (%.3f)",
	   osml_follow(&target, &views[1]));
	ok(fabs(osml_correlation(views[1].x, views[2].x, 20000, NULL)) < 0.35, "no line");
	osml_order_explains(arena, &target, &order);
	ok(order.share < 0.01 && order.p > 1e-3, "the order of rows tells nothing");
	osml_together(arena, &target, &views[0], &views[1], &together);
	ok(together.repeats_expected == 0, "bins are no values");
	osml_together(arena, &target, &views[0], &views[0], &together);
	ok(together.repeats > 10 * together.repeats_expected && together.repeats_expected > 100,
	   "a column repeats with itself");
}

/* where marked rows are of one kind, and what kind */
static void
test_purity(const OsmlArena *arena)
{
	static const OsmlColumnKind kinds[1] = {{.name = "y"}};
	OsmlSample	sample;
	OsmlView	view;
	OsmlTarget	target;
	OsmlPurity	purity;
	bool		mark[3000];
	OsmlCell	cell;

	osml_sample_init(&sample, arena, kinds, 1, 3000);
	for (int i = 0; i < 3000; i++)
	{
		cell = table_number(floor(5 * table_unit(i, 1)));
		osml_sample_add(&sample, &cell);
	}
	osml_sample_finish(&sample);
	osml_view_make(&view, &sample, 0);
	osml_target_make(&target, &sample, &view);
	for (int i = 0; i < 3000; i++)
		mark[i] = view.x[i] == 4 && table_unit(i, 2) < 0.5;
	osml_purity(arena, &target, mark, &purity);
	ok(purity.kind == OSML_LABEL_IS && purity.value == 4 && purity.share == 1,
	   "marked rows have one label");
	for (int i = 0; i < 3000; i++)
		mark[i] = view.x[i] > 2 && table_unit(i, 2) < 0.5;
	osml_purity(arena, &target, mark, &purity);
	ok(purity.kind == OSML_LABEL_ABOVE && purity.value == 2, "or labels above one");
	for (int i = 0; i < 3000; i++)
		mark[i] = view.x[i] < 2 && table_unit(i, 2) < 0.5;
	osml_purity(arena, &target, mark, &purity);
	ok(purity.kind == OSML_LABEL_BELOW && purity.value == 2, "or below");
	for (int i = 0; i < 3000; i++)
		mark[i] = table_unit(i, 3) < 0.5;
	osml_purity(arena, &target, mark, &purity);
	ok(purity.share == 0, "or anything");
}

int
main(void)
{
	TestArena	memory;
	const OsmlArena *arena = test_arena_init(&memory);

	test_references(arena);
	test_noise(arena);
	test_purity(arena);
	test_arena_free(&memory);
	return done();
}
