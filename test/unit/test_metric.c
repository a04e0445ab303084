/*
 * test_metric.c
 *	  Metrics against closed forms, in one go and merged, and the look-ups.
 */
#include "tap.h"

#include <string.h>

#include "rules/metric/metric.h"
#include "fixtures/blocks.h"

#define ROWS 5000

/* the metric of that name */
static double
value(const char *name, const OsmlMetricSums *sums)
{
	return osml_metric_value(osml_metric_by_name(name), sums);
}

/* predictions off by +1, -1, +3, -3 in turn, labels 0, 1, 2, .. from base */
static void
test_closed_form(double base)
{
	static const double off[] = {1, -1, 3, -3};
	double		z[ROWS];
	double		y[ROWS];
	OsmlMetricSums whole = {0};
	OsmlMetricSums merged = {0};
	OsmlMetricSums part = {0};

	for (int i = 0; i < ROWS; i++)
	{
		y[i] = base + i;
		z[i] = y[i] + off[i % 4];
	}
	osml_metric_add(&whole, z, y, ROWS);
	for (int lo = 0; lo < ROWS; lo += 777)
	{
		part = (OsmlMetricSums) {.loss_sum = 1};
		osml_metric_add(&part, z + lo, y + lo, ROWS - lo < 777 ? ROWS - lo : 777);
		osml_metric_merge(&merged, &part);
	}
	for (int k = 0; k < 2; k++)
	{
		const OsmlMetricSums *sums = k == 0 ? &whole : &merged;
		double		variance = ((double) ROWS * ROWS - 1) / 12;

		is_close(value("mse", sums), 5, 1e-13, 0, "mse");
		is_close(value("rmse", sums), sqrt(5), 1e-13, 0, "rmse");
		is_close(value("mae", sums), 2, 1e-13, 0, "mae");
		is_close(1 - value("r2", sums), 5 / variance, 1e-9, 0, "1 - r2");
		is_close(sums->label_mean, base + (ROWS - 1) / 2.0, 1e-15, 0, "label mean");
		is_close(sums->label_m2 / ROWS, variance, 1e-12, 0, "label variance");
		ok(sums->n == ROWS, "rows");
	}
	ok(merged.loss_sum == 7 && whole.loss_sum == 0, "the caller's loss is merged");
}

static void
test_corners(void)
{
	const double y[] = {3, 3, 3};
	const double z[] = {2, 3, 4};
	OsmlMetricSums sums = {0};
	OsmlMetricSums none = {0};

	for (int i = 0; i < osml_metric_count(); i++)
		ok(isnan(osml_metric_value(i, &none)), "%s of no rows is NaN", osml_metric_name(i));
	osml_metric_add(&sums, z, y, 0);
	ok(sums.n == 0, "adding none");
	osml_metric_add(&sums, z, y, 3);
	osml_metric_merge(&sums, &none);
	ok(isnan(value("r2", &sums)) && sums.n == 3, "r2 of a constant label is NaN");
	is_close(value("mae", &sums), 2.0 / 3, 1e-15, 0, "mae of it");
	sums = none;
	osml_metric_add(&sums, (const double[]) {NAN}, y, 1);
	ok(isnan(value("mse", &sums)), "a NaN shows");
}

static void
test_list(void)
{
	for (int i = 0; i < osml_metric_count(); i++)
		ok(osml_metric_by_name(osml_metric_name(i)) == i &&
		   osml_metric_meaning(i)[0] != '\0' &&
		   osml_metric_higher_is_better(i) == (strcmp(osml_metric_name(i), "r2") == 0),
		   "%s: by name, and which way is better", osml_metric_name(i));
	ok(osml_metric_by_name("R2") >= 0 && osml_metric_by_name("r") == -1,
	   "names ignore case, parts are no names");
}

int
main(void)
{
	test_closed_form(0);
	test_closed_form(1e6);
	test_corners();
	test_list();
	return done();
}
