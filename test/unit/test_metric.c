/*
 * test_metric.c
 *	  Metrics against scikit-learn and closed forms, whole and merged; curves;
 *	  the look-ups; rows that are no rows; memory that runs out.
 */
#include "tap.h"

#include <string.h>

#include "rules/metric/metric.h"
#include "fixtures/arena.h"
#include "fixtures/blocks.h"
#include "fixtures/sklearn_metrics.h"

#define ROWS 5000

/* the metric of that name */
static double
value(const char *name, const OsmlMeasure *measure)
{
	return osml_metric_value(osml_metric_by_name(name), measure);
}

/* rows [lo, hi) of a case, which has to be cut out of every column */
static bool
add_rows(OsmlMeasure *measure, const SklearnCase *c, int lo, int hi)
{
	int			outputs = c->task == OSML_TASK_CLASSES ? c->n_classes : 1;
	int			n = hi - lo;
	double	   *z = malloc(sizeof(double) * (size_t) (outputs * n));
	OsmlStatus	status;

	for (int k = 0; k < outputs; k++)
		memcpy(z + k * n, c->z + k * c->n + lo, sizeof(double) * (size_t) n);
	status = osml_measure_add(measure, z, c->y + lo, c->weight ? c->weight + lo : NULL, n);
	free(z);
	return status == OSML_OK;
}

/* every value that the case has; other metrics of the task need none there */
static void
check_values(const SklearnCase *c, const OsmlMeasure *measure, const char *how)
{
	char		name[100];

	for (int i = 0; i < c->n_values; i++)
	{
		int			metric = osml_metric_by_name(c->values[i].metric);
		double		got = value(c->values[i].metric, measure);
		double		want = c->values[i].value;

		snprintf(name, sizeof(name), "%s, %s: %s", c->name, how, c->values[i].metric);
		ok(metric >= 0 && osml_metric_applies(metric, measure), "%s applies", name);

		/* differences of numbers near 1, such as r2, have no relative precision */
		is_close(got, want, 1e-12, 1e-13, name);
	}
	for (int i = 0; c->confusion && i < c->n_classes * c->n_classes; i++)
	{
		snprintf(name, sizeof(name), "%s, %s: confusion %d", c->name, how, i);
		is_close(osml_measure_confusion(measure, i / c->n_classes, i % c->n_classes).weight,
				 c->confusion[i], 1e-13, 0, name);
	}
}

static void
check_curve(const SklearnCase *c, const OsmlMeasure *measure)
{
	OsmlCurve	curve;
	OsmlCurvePoint point;
	double		threshold = INFINITY;
	double		off = 0;
	int			n = 0;

	osml_curve_begin(&curve, osml_measure_rank(measure, 1), 0);
	for (; osml_curve_next(&curve, &point); n++)
	{
		if (n >= c->n_points)
			continue;
		off = fmax(off, fabs(point.fpr - c->fpr[n]));
		off = fmax(off, fabs(point.tpr - c->tpr[n]));
		off = fmax(off, fabs(point.precision - c->precision[n]));
		off = fmax(off, n > 0 && !(point.threshold < threshold));
		threshold = point.threshold;
	}
	ok(n == c->n_points, "%s: %d points of the curves", c->name, n);
	ok(off < 1e-12, "%s: curves off by %g", c->name, off);
}

static void
test_sklearn(const SklearnCase *c)
{
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);
	OsmlMeasure *whole = osml_measure_create(arena, c->task, c->n_classes, OSML_RANKED_ALL);
	OsmlMeasure *merged = osml_measure_create(arena, c->task, c->n_classes, OSML_RANKED_ALL);
	OsmlMeasure *pieces = osml_measure_create(arena, c->task, c->n_classes, OSML_RANKED_ALL);
	bool		fine = add_rows(whole, c, 0, c->n);

	fine = osml_measure_settle(whole) == OSML_OK && fine;
	for (int lo = 0; lo < c->n; lo += 13)
	{
		int			hi = lo + 13 < c->n ? lo + 13 : c->n;
		OsmlMeasure *part = osml_measure_create(arena, c->task, c->n_classes, OSML_RANKED_ALL);

		fine = add_rows(part, c, lo, hi) && add_rows(pieces, c, lo, hi) && fine;
		/* one that is settled between its rows */
		fine = osml_measure_settle(part) == OSML_OK &&
			osml_measure_settle(pieces) == OSML_OK && fine;
		fine = osml_measure_merge(merged, part) == OSML_OK && fine;
		osml_measure_free(part);
	}
	ok(fine && osml_measure_settle(merged) == OSML_OK && merged->n == c->n, "%s: fed",
	   c->name);
	check_values(c, whole, "whole");
	check_values(c, merged, "merged");
	check_values(c, pieces, "in pieces");
	ok(whole->n_ranks == 0 || osml_measure_auc_uncertainty(whole) == 0, "%s: exact",
	   c->name);
	if (c->n_points > 0)
		check_curve(c, merged);
	osml_measure_free(whole);
	osml_measure_free(merged);
	osml_measure_free(pieces);
	ok(test.pieces == 0, "%s: all memory given back", c->name);
	test_arena_free(&test);
}

/* predictions off by +1, -1, +3, -3 in turn, labels 0, 1, 2, .. from base */
static void
test_closed_form(double base)
{
	static const double off[] = {1, -1, 3, -3};
	static double z[ROWS];
	static double y[ROWS];
	double		variance = ((double) ROWS * ROWS - 1) / 12;
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);
	OsmlMeasure *whole = osml_measure_create(arena, OSML_TASK_AMOUNT, 0, OSML_RANKED_NONE);
	OsmlMeasure *merged = osml_measure_create(arena, OSML_TASK_AMOUNT, 0, OSML_RANKED_NONE);

	for (int i = 0; i < ROWS; i++)
	{
		y[i] = base + i;
		z[i] = y[i] + off[i % 4];
	}
	osml_measure_add(whole, z, y, NULL, ROWS);
	for (int lo = 0; lo < ROWS; lo += 777)
	{
		OsmlMeasure *part = osml_measure_create(arena, OSML_TASK_AMOUNT, 0, OSML_RANKED_NONE);

		part->loss_sum = 1;
		osml_measure_add(part, z + lo, y + lo, NULL, ROWS - lo < 777 ? ROWS - lo : 777);
		osml_measure_merge(merged, part);
	}
	for (int k = 0; k < 2; k++)
	{
		const OsmlMeasure *measure = k == 0 ? whole : merged;

		is_close(value("mse", measure), 5, 1e-13, 0, "mse");
		is_close(value("rmse", measure), sqrt(5), 1e-13, 0, "rmse");
		is_close(value("mae", measure), 2, 1e-13, 0, "mae");
		is_close(1 - value("r2", measure), 5 / variance, 1e-9, 0, "1 - r2");
		is_close(1 - value("explained_variance", measure), 5 / variance, 1e-9, 0,
				 "1 - explained_variance");
		is_close(measure->sums.label_mean, base + (ROWS - 1) / 2.0, 1e-15, 0,
				 "label mean");
		is_close(measure->sums.label_m2 / ROWS, variance, 1e-12, 0, "label variance");
		ok(measure->n == ROWS && osml_measure_weight(measure) == ROWS, "rows");
		ok(isnan(value("median_ae", measure)), "no median without scores");
	}
	is_close(osml_measure_loss(merged), 7.0 / ROWS, 1e-15, 0, "the caller's loss");
	test_arena_free(&test);
}

/* a row of weight k is k rows, to the median too */
static void
test_repeated_rows(void)
{
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);

	for (int t = 0; t < 4; t++)
	{
		OsmlTask	task = (OsmlTask) t;
		OsmlMeasure *once = osml_measure_create(arena, task, 3, OSML_RANKED_ALL);
		OsmlMeasure *many = osml_measure_create(arena, task, 3, OSML_RANKED_ALL);

		for (int i = 0; i < 40; i++)
		{
			double		w = i % 4;
			double		p = (1 + noise(0, (uint64_t) i)) / 2;
			double		z[3] = {p, (1 - p) / 3, (1 - p) * 2 / 3};
			double		y = t == OSML_TASK_CLASSES ? i % 3 : i % 2;

			osml_measure_add(once, z, &y, &w, 1);
			for (int k = 0; k < i % 4; k++)
				osml_measure_add(many, z, &y, NULL, 1);
		}
		osml_measure_settle(once);
		osml_measure_settle(many);
		for (int i = 0; i < osml_metric_count(); i++)
		{
			if (osml_metric_applies(i, once))
				is_close(osml_metric_value(i, once), osml_metric_value(i, many), 1e-13,
						 0, osml_metric_name(i));
		}
	}
	test_arena_free(&test);
}

/* no rows, no weight, a label that does not vary, NaN */
static void
test_corners(void)
{
	const double y[] = {1, 1, 1};
	const double z[] = {0.5, 1, 0.75};
	const double nothing[] = {0, 0, 0};
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);

	for (int t = 0; t < 4; t++)
	{
		OsmlMeasure *none = osml_measure_create(arena, (OsmlTask) t, 2, OSML_RANKED_ALL);

		osml_measure_add(none, z, y, NULL, 0);
		osml_measure_settle(none);
		for (int i = 0; i < osml_metric_count(); i++)
			ok(isnan(osml_metric_value(i, none)), "%s of no rows is NaN",
			   osml_metric_name(i));
		ok(isnan(osml_measure_loss(none)), "and so is the loss");
		if (t != OSML_TASK_CLASSES)
			osml_measure_add(none, z, y, nothing, 3);
		osml_measure_settle(none);
		for (int i = 0; i < osml_metric_count(); i++)
			ok(isnan(osml_metric_value(i, none)), "%s of no weight is NaN",
			   osml_metric_name(i));
	}
	test_arena_free(&test);
}

/* a row that is none shows in every metric, and leaves what counts rows alone */
static void
test_no_rows(void)
{
	static const struct
	{
		double		z;
		double		y;
		double		w;
	}			rows[] = {
		{NAN, 1, 1}, {0.5, NAN, 1}, {0.5, 2, 1}, {0.5, -1, 1}, {0.5, 0.5, 1},
		{1.5, 1, 1}, {-0.1, 1, 1}, {0.5, 1, NAN}, {0.5, 1, -1}, {0.5, 1, INFINITY}
	};
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);

	for (int r = 0; r < (int) (sizeof(rows) / sizeof(rows[0])); r++)
	{
		OsmlMeasure *measure = osml_measure_create(arena, OSML_TASK_BINARY, 2, OSML_RANKED_ALL);
		double		z[] = {0.25, rows[r].z, 0.75};
		double		y[] = {0, rows[r].y, 1};
		double		w[] = {1, rows[r].w, 1};
		int			numbers = 0;

		osml_measure_add(measure, z, y, w, 3);
		osml_measure_settle(measure);
		for (int i = 0; i < osml_metric_count(); i++)
			numbers += !isnan(osml_metric_value(i, measure));
		ok(numbers == 0 && measure->classes.n_invalid == 1, "row %d is none", r);
		ok(osml_measure_weight(measure) == 2 && osml_measure_rank(measure, 1)->n_entries == 2,
		   "the others count");
	}
	for (int t = 0; t <= OSML_TASK_COUNT; t++)
	{
		OsmlMeasure *measure = osml_measure_create(arena, (OsmlTask) t, 0, OSML_RANKED_ALL);
		double		z[] = {1, NAN, 3};
		double		y[] = {1, 2, 4};

		osml_measure_add(measure, z, y, NULL, 3);
		osml_measure_settle(measure);
		for (int i = 0; i < osml_metric_count(); i++)
			ok(isnan(osml_metric_value(i, measure)), "%s shows a NaN", osml_metric_name(i));
	}
	test_arena_free(&test);
}

/* the rows of the calibration table */
static void
test_calibration(void)
{
	const double z[] = {0, 0.05, 0.5, 0.5, 1};
	const double y[] = {0, 1, 1, 0, 1};
	TestArena	test;
	OsmlMeasure *measure = osml_measure_create(test_arena_init(&test),
											   OSML_TASK_BINARY, 2, false);
	OsmlCalibrationRow row;

	osml_measure_add(measure, z, y, NULL, 5);
	row = osml_measure_calibration(measure, 0);
	ok(row.low == 0 && row.weight == 2 && row.mean_probability == 0.025 &&
	   row.share_true == 0.5, "first bin");
	row = osml_measure_calibration(measure, 7);
	ok(row.weight == 2 && row.mean_probability == 0.5 && row.share_true == 0.5, "middle");
	row = osml_measure_calibration(measure, 14);
	ok(row.high == 1 && row.weight == 1 && row.share_true == 1, "1 is in the last bin");
	row = osml_measure_calibration(measure, 3);
	ok(row.weight == 0 && isnan(row.mean_probability) && isnan(row.share_true), "empty");
	is_close(value("calibration_error", measure), 0.95 / 5, 1e-14, 0, "their sum");
	test_arena_free(&test);
}

/* more rows than a tile, many classes, and a stride that is not the tile's */
static void
test_many_classes(void)
{
	enum {K = 1000, N = 600};
	double	   *z = calloc(K * N, sizeof(double));
	double	   *y = calloc(N, sizeof(double));
	TestArena	test;
	OsmlMeasure *measure = osml_measure_create(test_arena_init(&test),
											   OSML_TASK_CLASSES, K, OSML_RANKED_ALL);

	for (int i = 0; i < N; i++)
	{
		y[i] = (i * 7) % K;
		z[(i % 2 ? (int) y[i] : (i * 7 + 1) % K) * N + i] = 1;
	}
	ok(osml_measure_add(measure, z, y, NULL, N) == OSML_OK, "a thousand classes");
	ok(value("accuracy", measure) == 0.5 && value("balanced_accuracy", measure) == 0.5 &&
	   value("brier_score", measure) == 1, "half of them right");
	free(z);
	free(y);
	test_arena_free(&test);
}

/* what many_row() of sklearn_metrics.py does: integers, so that shares are the same */
static uint32_t
many_hash(uint32_t i, uint32_t c)
{
	uint32_t	x = i * 2654435761u + c * 2246822519u + 97;

	x = (x ^ x >> 15) * 2246822519u;
	x = (x ^ x >> 13) * 3266489917u;
	return x ^ x >> 16;
}

static void
many_row(int k, int n, int i, double *z, double *y)
{
	uint32_t	row = (uint32_t) i;
	uint32_t	own = i < n / 2 ? row % (uint32_t) k :
		many_hash(row, 5000) % (uint32_t) k * (many_hash(row, 6000) % (uint32_t) k) / (uint32_t) k;
	double		sum = 0;

	*y = own;
	for (int c = 0; c < k; c++)
	{
		double		u = (many_hash(row, (uint32_t) c) & 1023) + 1;

		if (c == (int) own)
			u *= 1 + many_hash(row, 7000) % 4;
		z[c * n + i] = u;
		sum += u;
	}
	for (int c = 0; c < k; c++)
		z[c * n + i] /= sum;
}

/*
 * A hundred and a thousand classes against scikit-learn: more different scores than
 * are kept of each class, so the tolerance is that of blocks: 1e-4 for the AUC,
 * 2e-3 for the average precision.  One class by itself has room enough, and is exact.
 */
static void
test_many_ranked(const SklearnMany *c)
{
	int			k = c->n_classes;
	double	   *z = malloc(sizeof(double) * (size_t) k * (size_t) c->n);
	double	   *y = malloc(sizeof(double) * (size_t) c->n);
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);
	OsmlMeasure *all = osml_measure_create(arena, OSML_TASK_CLASSES, k, OSML_RANKED_ALL);
	OsmlMeasure *one = osml_measure_create(arena, OSML_TASK_CLASSES, k, k - 1);
	size_t		room = 0;

	for (int i = 0; i < c->n; i++)
		many_row(k, c->n, i, z, &y[i]);
	ok(osml_measure_add(all, z, y, NULL, c->n) == OSML_OK &&
	   osml_measure_settle(all) == OSML_OK && osml_measure_add(one, z, y, NULL, c->n) == OSML_OK &&
	   osml_measure_settle(one) == OSML_OK, "%d classes", k);
	is_close(value("roc_auc", all), c->roc_auc, 0, 1e-4, "mean AUC");
	is_close(value("pr_auc", all), c->pr_auc, 0, 2e-3, "mean average precision");
	printf("# off by %.2g and %.2g, uncertainty %.2g\n", value("roc_auc", all) - c->roc_auc,
		   value("pr_auc", all) - c->pr_auc, osml_measure_auc_uncertainty(all));
	ok(fabs(value("roc_auc", all) - c->roc_auc) <= osml_measure_auc_uncertainty(all) + 1e-13,
	   "within what it admits");
	for (int r = 0; r < k; r++)
		room += (size_t) all->ranks[r].capacity;
	ok(!all->ranks[0].is_exact && room <= OSML_MEASURE_ALL_SCORES, "%zu scores kept", room);
	ok(osml_measure_rank(one, 0) == NULL && osml_measure_rank(one, k - 1)->is_exact,
	   "the last class alone");
	is_close(osml_rank_auc(osml_measure_rank(one, k - 1)), c->last_roc_auc, 1e-12, 0, "its AUC");
	is_close(osml_rank_average_precision(osml_measure_rank(one, k - 1)), c->last_pr_auc, 1e-12,
			 0, "its average precision");
	ok(isnan(value("roc_auc", one)) && value("accuracy", one) == value("accuracy", all),
	   "which is no mean");
	free(z);
	free(y);
	test_arena_free(&test);
}

/* the first of two classes has curves of its own, and goes to bytes and back */
static void
test_first_class(void)
{
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);
	OsmlMeasure *usual = osml_measure_create(arena, OSML_TASK_BINARY, 2, OSML_RANKED_ALL);
	OsmlMeasure *first = osml_measure_create(arena, OSML_TASK_BINARY, 2, 0);
	OsmlMeasure *mirror = osml_measure_create(arena, OSML_TASK_BINARY, 2, OSML_RANKED_ALL);
	OsmlMeasure *back;
	char	   *bytes;

	for (int i = 0; i < 500; i++)
	{
		double		p = (1 + noise(1, (uint64_t) i)) / 2;
		double		y = noise(2, (uint64_t) i) / 2 + 0.5 < p;
		double		other = 1 - p;
		double		not = 1 - y;

		osml_measure_add(usual, &p, &y, NULL, 1);
		osml_measure_add(first, &p, &y, NULL, 1);
		osml_measure_add(mirror, &other, &not, NULL, 1);
	}
	osml_measure_settle(usual);
	osml_measure_settle(first);
	osml_measure_settle(mirror);
	ok(osml_measure_rank(usual, 0) == NULL && osml_measure_rank(first, 1) == NULL,
	   "scores of one of the two");
	is_close(osml_rank_average_precision(osml_measure_rank(first, 0)),
			 value("pr_auc", mirror), 1e-14, 0, "of the first they are turned round");
	bytes = malloc(osml_measure_size(first));
	osml_measure_write(first, bytes);
	back = osml_measure_read(arena, bytes, osml_measure_size(first));
	ok(back != NULL && osml_measure_rank(back, 0) != NULL && osml_measure_rank(back, 1) == NULL,
	   "after bytes too");
	free(bytes);
	test_arena_free(&test);
}

/* the curve with fewer points */
static void
test_few_points(void)
{
	TestArena	test;
	OsmlMeasure *measure = osml_measure_create(test_arena_init(&test),
											   OSML_TASK_BINARY, 2, OSML_RANKED_ALL);
	OsmlCurve	curve;
	OsmlCurvePoint point;
	int			n = 0;

	for (int i = 0; i < ROWS; i++)
	{
		double		p = (1 + noise(1, (uint64_t) i)) / 2;
		double		y = noise(2, (uint64_t) i) / 2 + 0.5 < p;

		osml_measure_add(measure, &p, &y, NULL, 1);
	}
	osml_measure_settle(measure);
	osml_curve_begin(&curve, osml_measure_rank(measure, 1), 100);
	for (; osml_curve_next(&curve, &point); n++)
	{
		if (n == 0)
			ok(point.tpr == 0 && point.fpr == 0 && point.precision == 1, "from nothing");
	}
	ok(n > 80 && n <= 102, "%d points of about 100", n);
	ok(point.tpr == 1 && point.fpr == 1, "to everything");
	test_arena_free(&test);
}

/* every allocation may fail */
static void
test_memory(void)
{
	const double z[] = {0.25, 0.5, 0.25, 0.5};
	const double y[] = {0, 1};
	int			failures = 0;
	bool		finished = false;

	for (long budget = 0; budget < 100 && !finished; budget++)
	{
		TestArena	test;
		const OsmlArena *arena = test_arena_init(&test);
		OsmlMeasure *measure;

		test.budget = budget;
		measure = osml_measure_create(arena, OSML_TASK_CLASSES, 2, OSML_RANKED_ALL);
		finished = measure != NULL && osml_measure_add(measure, z, y, NULL, 2) == OSML_OK &&
			osml_measure_settle(measure) == OSML_OK &&
			osml_measure_merge(measure, measure) == OSML_OK;
		failures += !finished;
		osml_measure_free(measure);
		ok(test.pieces == 0, "nothing leaks after %ld allocations", budget);
		test_arena_free(&test);
	}
	ok(finished && failures >= 8, "%d ways to run out of memory", failures);
}

/* to bytes and back: the same values, and more rows may follow */
static void
check_bytes(const SklearnCase *c)
{
	TestArena	test;
	const OsmlArena *arena = test_arena_init(&test);
	OsmlMeasure *first = osml_measure_create(arena, c->task, c->n_classes, OSML_RANKED_ALL);
	OsmlMeasure *back;
	size_t		size;
	char	   *bytes;
	int			read = 0;

	add_rows(first, c, 0, c->n / 2);
	osml_measure_settle(first);
	size = osml_measure_size(first);
	bytes = malloc(size + 1);
	osml_measure_write(first, bytes + 1);	/* at no round address */
	back = osml_measure_read(arena, bytes + 1, size);
	ok(back != NULL && add_rows(back, c, c->n / 2, c->n) &&
	   osml_measure_settle(back) == OSML_OK, "%s: %zu bytes", c->name, size);
	if (back != NULL)
		check_values(c, back, "read");
	for (size_t n = 0; n < size; n += 1 + size / 97)
		read += osml_measure_read(arena, bytes + 1, n) != NULL;
	ok(read == 0, "%s: a part of them is no measure", c->name);

	/* any byte may be wrong: a measure or none, but nothing is overrun */
	for (size_t n = 0; n < size; n += 1 + size / 199)
	{
		bytes[1 + n] ^= (char) (1 << n % 8);
		osml_measure_free(osml_measure_read(arena, bytes + 1, size));
		bytes[1 + n] ^= (char) (1 << n % 8);
	}
	free(bytes);
	test_arena_free(&test);
}

static void
test_list(void)
{
	for (int i = 0; i < osml_metric_count(); i++)
	{
		int			tasks = 0;

		for (int t = 0; t < 4; t++)
			tasks += osml_metric_judges(i, (OsmlTask) t);
		ok(osml_metric_by_name(osml_metric_name(i)) == i &&
		   osml_metric_meaning(i)[0] != '\0' && tasks > 0 && tasks < 4,
		   "%s: by name, and what it judges", osml_metric_name(i));
	}
	ok(osml_metric_by_name("R2") >= 0 && osml_metric_by_name("r") == -1,
	   "names ignore case, parts are no names");
	ok(osml_metric_higher_is_better(OSML_METRIC_ROC_AUC) &&
	   !osml_metric_higher_is_better(OSML_METRIC_LOGLOSS) &&
	   osml_metric_higher_is_better(OSML_METRIC_R2) &&
	   !osml_metric_higher_is_better(OSML_METRIC_CALIBRATION_ERROR),
	   "which way is better");
	for (int t = 0; t < 4; t++)
		ok(osml_metric_judges(osml_metric_usual((OsmlTask) t), (OsmlTask) t) &&
		   !osml_metric_ranked(osml_metric_usual((OsmlTask) t)),
		   "task %d: its usual metric judges it, and takes no scores in order", t);
	ok(osml_metric_ranked(OSML_METRIC_ROC_AUC) && osml_metric_ranked(OSML_METRIC_MEDIAN_AE) &&
	   !osml_metric_ranked(OSML_METRIC_ACCURACY), "what scores are kept for");
	ok(osml_task_of_link(OSML_LINK_EXP) == OSML_TASK_COUNT &&
	   osml_task_of_link(OSML_LINK_SOFTMAX) == OSML_TASK_CLASSES &&
	   osml_task_of_link(OSML_LINK_LOGISTIC) == OSML_TASK_BINARY &&
	   osml_task_of_link(OSML_LINK_IDENTITY) == OSML_TASK_AMOUNT, "tasks of links");
}

int
main(void)
{
	for (size_t i = 0; i < SKLEARN_CASES; i++)
	{
		test_sklearn(&sklearn_cases[i]);
		check_bytes(&sklearn_cases[i]);
	}
	test_closed_form(0);
	test_closed_form(1e6);
	test_repeated_rows();
	test_corners();
	test_no_rows();
	test_calibration();
	test_many_classes();
	for (size_t i = 0; i < SKLEARN_MANY; i++)
		test_many_ranked(&sklearn_many[i]);
	test_first_class();
	test_few_points();
	test_memory();
	test_list();
	return done();
}
