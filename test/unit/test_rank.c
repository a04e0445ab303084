/*
 * test_rank.c
 *	  A rank of a million scores in bounded memory against the exact one.
 *
 * The exact one is a rank of the same code with room for all of them, which
 * test_metric.c checks against scikit-learn.
 */
#include "tap.h"

#include <string.h>
#include <time.h>

#include "rules/metric/rank.h"
#include "rules/metric/rank_code.h"
#include "fixtures/arena.h"
#include "fixtures/blocks.h"

#define ROWS 1000000
#define BLOCK 1000

/* near to a normal deviate */
static double
deviate(uint32_t stream, int i)
{
	double		sum = 0;

	for (uint32_t k = 0; k < 6; k++)
		sum += noise(10 * stream + k, (uint64_t) i);
	return sum / sqrt(2);
}

static double
logistic(double z)
{
	return 1 / (1 + exp(-z));
}

/* scores spread, crowded, rare, near 1; drifting, sorted, of few values */
static double
spread(int i)
{
	return logistic(2 * deviate(1, i));
}

static double
crowded(int i)
{
	return 0.1 + 1e-7 * deviate(1, i);
}

static double
rare(int i)
{
	return logistic(-7 + 1.5 * deviate(1, i));
}

static double
sure(int i)
{
	return logistic(20 + 3 * deviate(1, i));
}

/* first the crowd, then all over, then another crowd within what was seen */
static double
drifting(int i)
{
	return i < ROWS / 3 ? logistic(1e-3 * deviate(1, i)) :
		i < 2 * (ROWS / 3) ? logistic(3 * deviate(1, i)) :
		logistic(2 + 1e-2 * deviate(1, i));
}

static double
sorted(int i)
{
	return (i + 0.5) / ROWS;
}

static double
few(int i)
{
	return 0.001 * (double) (int) (1000 * spread(i));
}

typedef struct Shape
{
	const char *name;
	double		(*score) (int i);
	double		slope;			/* of the log-odds of being second over z-scores */
	double		offset;
} Shape;

static const Shape shapes[] = {
	{"spread", spread, 1, 0},
	{"spread, one class rare", spread, 2, -6},
	{"crowded", crowded, 1, 0},
	{"rare", rare, 1.5, -7},
	{"sure", sure, 1, 0},
	{"drifting", drifting, 1, 0},
	{"sorted", sorted, 1, 0},
	{"few values", few, 1, 0},
};

typedef struct Rows
{
	double		score[BLOCK];
	bool		second[BLOCK];
} Rows;

static void
make_rows(const Shape *shape, int start, Rows *rows)
{
	for (int i = 0; i < BLOCK; i++)
	{
		int			row = start + i;

		rows->score[i] = shape->score(row);
		rows->second[i] = noise(99, (uint64_t) row) / 2 + 0.5 <
			logistic(shape->slope * (shape->score == sorted ? 4 * rows->score[i] - 2 :
									 deviate(1, row)) + shape->offset);
	}
}

/* entries ascend and are apart, and nothing is lost */
static bool
is_sound(const OsmlRank *rank, double weight)
{
	double		totals[2];

	for (int i = 1; i < rank->n_entries; i++)
	{
		if (osml_rank_last_key(rank->entries[i - 1].code) >=
			osml_rank_first_key(rank->entries[i].code))
			return false;
	}
	osml_rank_totals(rank, totals);
	return totals[0] + totals[1] == weight && rank->n_entries <= rank->capacity;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

/* what an AUC and an average precision of a million rows may be off */
static void
compare(const Shape *shape, const OsmlRank *rank, const OsmlRank *exact,
		const char *how)
{
	double		off = fabs(osml_rank_auc(rank) - osml_rank_auc(exact));
	bool		late = shape->score == drifting;	/* what rank.h warns of */
	double		bound = osml_rank_uncertainty(rank);
	double		ap = osml_rank_average_precision(exact);

	ok(is_sound(rank, ROWS), "%s, %s: %d entries", shape->name, how, rank->n_entries);
	ok(off <= (late ? 1e-2 : 1e-5), "%s, %s: AUC %.6f off by %.2g", shape->name, how,
	   osml_rank_auc(exact), off);
	ok(off <= bound + 1e-13, "%s, %s: which is within %.2g", shape->name, how, bound);
	off = fabs(osml_rank_average_precision(rank) - ap);
	ok(off <= (late ? 5e-3 : 1e-4), "%s, %s: average precision %.6f off by %.2g", shape->name, how, ap,
	   off);
}

static void
test_shape(const Shape *shape, int capacity)
{
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);
	OsmlRank	whole;
	OsmlRank	exact;
	OsmlRank	parts[4];
	Rows		rows;
	double		took = 0;
	bool		fine = true;
	char		how[100];

	osml_rank_init(&exact, arena, 1 << 20, true);
	osml_rank_init(&whole, arena, capacity, true);
	for (int p = 0; p < 4; p++)
		osml_rank_init(&parts[p], arena, capacity, true);
	for (int start = 0; start < ROWS; start += BLOCK)
	{
		OsmlRank   *part = &parts[start / (ROWS / 4)];

		make_rows(shape, start, &rows);
		took -= seconds();
		fine = osml_rank_add(&whole, BLOCK, rows.score, rows.second, NULL) == OSML_OK && fine;
		took += seconds();
		fine = osml_rank_add(part, BLOCK, rows.score, rows.second, NULL) == OSML_OK && fine;
		fine = osml_rank_add(&exact, BLOCK, rows.score, rows.second, NULL) == OSML_OK && fine;
	}
	took -= seconds();
	fine = osml_rank_settle(&whole) == OSML_OK && fine;
	took += seconds();
	fine = osml_rank_settle(&exact) == OSML_OK && fine;
	for (int p = 0; p < 4; p++)
		fine = osml_rank_settle(&parts[p]) == OSML_OK && fine;
	for (int p = 1; p < 4; p++)
		fine = osml_rank_merge(&parts[0], &parts[p]) == OSML_OK && fine;
	ok(fine && exact.is_exact, "%s", shape->name);
	ok(whole.is_exact == (shape->score == few), "%s: exact if there are few", shape->name);
	printf("# %s: %.1f ns a row\n", shape->name, took * 1e9 / ROWS);
	snprintf(how, sizeof(how), "%d of them", capacity);
	compare(shape, &whole, &exact, how);
	snprintf(how, sizeof(how), "%d of them, merged", capacity);
	compare(shape, &parts[0], &exact, how);
	test_arena_free(&test);
}

/* medians of a million errors: as many on either side, a thousandth off */
static void
test_median(int capacity, bool weighted)
{
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);
	OsmlRank	rank;
	OsmlRank	exact;
	double		score[BLOCK];
	double		weight[BLOCK];

	osml_rank_init(&exact, arena, 1 << 20, false);
	osml_rank_init(&rank, arena, capacity, false);
	for (int start = 0; start < ROWS; start += BLOCK)
	{
		for (int i = 0; i < BLOCK; i++)
		{
			score[i] = 1e5 * fabs(deviate(3, start + i));
			weight[i] = 1 + noise(98, (uint64_t) (start + i));
		}
		osml_rank_add(&rank, BLOCK, score, NULL, weighted ? weight : NULL);
		osml_rank_add(&exact, BLOCK, score, NULL, weighted ? weight : NULL);
	}
	ok(osml_rank_settle(&rank) == OSML_OK && osml_rank_settle(&exact) == OSML_OK &&
	   exact.is_exact && !rank.is_exact, "errors in order");
	is_close(osml_rank_median(&rank), osml_rank_median(&exact), 5e-4, 0, "median");
	printf("# off by %.2g of it\n",
		   osml_rank_median(&rank) / osml_rank_median(&exact) - 1);
	test_arena_free(&test);
}

/* scores from keys and back, and blocks */
static void
test_keys(void)
{
	static const double shares[] = {0, 1e-320, 1e-5, 0.3, 0.5, 0.5000000000000001,
		0.9, 1 - 1e-16, 1};
	int			bad = 0;

	for (int i = 0; i < 9; i++)
	{
		uint64_t	key = osml_rank_key(shares[i], true);

		bad += osml_rank_score(key, true) != shares[i];
		bad += i > 0 && key <= osml_rank_key(shares[i - 1], true);
		bad += osml_rank_score(osml_rank_key(shares[i] * 1e300, false), false) !=
			shares[i] * 1e300;
		for (int level = 0; level <= OSML_RANK_KEY_BITS; level++)
		{
			uint64_t	code = osml_rank_code(key, level);

			bad += osml_rank_level(code) != level;
			bad += osml_rank_first_key(code) > key || osml_rank_last_key(code) < key;
			bad += !osml_rank_covers(code, osml_rank_code(key, 0)) ||
				(level > 0 && osml_rank_covers(osml_rank_code(key, 0), code));
			bad += !(osml_rank_score(osml_rank_last_key(code), true) >= shares[i]);
		}
	}
	ok(bad == 0, "keys, scores and blocks agree");
	ok(osml_rank_key(-0.0, true) == 0 && osml_rank_key(-0.0, false) == 0,
	   "there is one zero");
	ok(osml_rank_score(osml_rank_key(INFINITY, false), false) == INFINITY, "infinity");
}

/* a capacity that nothing fits: everything becomes one entry rather than more */
static void
test_tiny(void)
{
	TestArena	test;
	OsmlRank	rank;
	bool		fine = true;

	osml_rank_init(&rank, test_arena_init(&test), 4, true);
	for (int i = 0; i < 5000; i++)
	{
		double		score = rare(i);
		bool		second = i % 3 == 0;

		fine = osml_rank_add(&rank, 1, &score, &second, NULL) == OSML_OK && fine;
	}
	ok(fine && osml_rank_settle(&rank) == OSML_OK && is_sound(&rank, 5000),
	   "four entries are enough for anything");
	ok(fabs(osml_rank_auc(&rank) - 0.5) <= osml_rank_uncertainty(&rank) + 0.02,
	   "and tell how little they know: %g", osml_rank_uncertainty(&rank));
	test_arena_free(&test);
}

int
main(void)
{
	test_keys();
	for (size_t s = 0; s < sizeof(shapes) / sizeof(shapes[0]); s++)
	{
		test_shape(&shapes[s], 1 << 17);
		test_shape(&shapes[s], 1 << 13);
	}
	test_median(1 << 17, false);
	test_median(1 << 17, true);
	test_median(1 << 13, false);
	test_tiny();
	return done();
}
