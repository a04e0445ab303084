/*
 * test_loss.c
 *	  Each loss of the list: slope against finite differences, known values,
 *	  the corners, and the look-ups.
 */
#include "tap.h"

#include <string.h>

#include "fixtures/blocks.h"
#include "compute/backend.h"

#define ROWS 300
#define DELTA 0.75

static double
row_loss(OsmlLoss loss, double z, double y, double param)
{
	return osml_loss_value(loss, 1, 1, &z, y, param);
}

static const OsmlLayout layout = {.n_dense = 0};
static const OsmlBackend *const cpu = &osml_backend_cpu;

/* value and slope of one row through the backend */
static double
one_row(OsmlLoss loss, double param, double z, double y, double *slope)
{
	OsmlBlock  *block = block_new(&layout, 1);
	double		value;

	osml_block_label(block, &layout)[0] = y;
	value = cpu->loss(cpu, OSML_FLOAT64, loss, param, &layout, block, 0, 1, &z, slope);
	free(block);
	return value;
}

/* the slope is the derivative of the value, in both precisions */
static void
test_slopes(OsmlLoss loss)
{
	const double h = 1e-6;
	double		worst = 0;
	double		worst_f = 0;

	for (uint64_t i = 0; i < ROWS; i++)
	{
		double		z = 3 * noise(1, i);
		double		y = 3 * noise(2, i);
		double		slope;
		double		unused;
		float		slope_f;
		float		z_f = (float) z;
		OsmlBlock  *block = block_new(&layout, 1);
		double		numeric = (one_row(loss, DELTA, z + h, y, &unused) -
							   one_row(loss, DELTA, z - h, y, &unused)) / (2 * h);

		one_row(loss, DELTA, z, y, &slope);
		*(float *) osml_block_label(block, &layout) = (float) y;
		cpu->loss(cpu, OSML_FLOAT32, loss, DELTA, &layout, block, 0, 1, &z_f, &slope_f);
		worst = fmax(worst, fabs(numeric - slope));
		worst_f = fmax(worst_f, fabs(slope - slope_f));
		free(block);
	}
	ok(worst < 1e-8, "%s: slope against finite differences (worst %.1g)",
	   osml_loss_name(loss), worst);
	ok(worst_f < 2e-6, "%s: float32 slope against float64 (worst %.1g)",
	   osml_loss_name(loss), worst_f);
}

/* a row's value and slope, NaN where the value is NaN */
static void
test_values(void)
{
	double		slope;

	is_close(one_row(OSML_LOSS_MSE, 0, 3, 1, &slope), 4, 0, 0, "mse of 2");
	is_close(slope, 4, 0, 0, "its slope");
	is_close(one_row(OSML_LOSS_MAE, 0, -1, 2, &slope), 3, 0, 0, "mae of -3");
	is_close(slope, -1, 0, 0, "its slope");
	is_close(one_row(OSML_LOSS_MAE, 0, 2, 2, &slope), 0, 0, 0, "mae of 0");
	is_close(slope, 0, 0, 0, "whose slope is 0, as PyTorch has it");
	is_close(one_row(OSML_LOSS_HUBER, 2, 1, 2, &slope), 0.5, 0, 0, "huber inside");
	is_close(slope, -1, 0, 0, "its slope");
	is_close(one_row(OSML_LOSS_HUBER, 2, 10, 2, &slope), 14, 0, 0, "huber outside");
	is_close(slope, 2, 0, 0, "its slope is delta");
	is_close(one_row(OSML_LOSS_HUBER, 2, 4, 2, &slope), 2, 0, 0, "huber at delta");
	is_close(slope, 2, 0, 0, "its slope there");
	for (int loss = 0; loss < OSML_ROW_LOSS_COUNT; loss++)
		ok(isnan(one_row((OsmlLoss) loss, 1, NAN, 0, &slope)) && isnan(slope),
		   "%s: a NaN stays a NaN", osml_loss_name((OsmlLoss) loss));
	ok(isinf(one_row(OSML_LOSS_MSE, 0, 1e200, 0, &slope)),
	   "mse: a square too large is Inf");
}

/* names, hints and units */
static void
test_list(void)
{
	for (int loss = 0; loss < OSML_ROW_LOSS_COUNT; loss++)
		ok(osml_loss_by_name(osml_losses[loss].name) == loss &&
		   osml_losses[loss].meaning[0] != '\0', "%s: found by name",
		   osml_loss_name((OsmlLoss) loss));
	ok(osml_loss_by_name("MSE") == OSML_LOSS_MSE, "names ignore case");
	ok(osml_loss_by_name("ms") == -1 && osml_loss_by_name("") == -1 &&
	   osml_loss_by_name("msee") == -1, "a part of a name is no name");
	ok(osml_loss_is_squared(OSML_LOSS_MSE) && !osml_loss_is_squared(OSML_LOSS_MAE) &&
	   !osml_loss_is_squared(OSML_LOSS_HUBER), "mse alone is squared");
}

/* loss of labels in dollars = unit * loss of scaled ones, parameter scaled too */
static void
test_units(OsmlLoss loss)
{
	const double scale = 4.5;
	double		param = osml_losses[loss].unit_power != 0 ? DELTA / scale : DELTA;
	double		worst = 0;

	/* classes and counts are not scaled, nor need a loss of amounts have a power */
	if (osml_losses[loss].unit_power == 0)
		return;
	for (uint64_t i = 0; i < 50; i++)
	{
		double		z = 3 * noise(3, i);
		double		y = 3 * noise(4, i);
		double		slope;
		double		dollars = row_loss(loss, z, y, DELTA);
		double		scaled = one_row(loss, param, z / scale, y / scale, &slope);

		worst = fmax(worst, fabs(dollars - scaled * osml_loss_unit(loss, scale)));
	}
	ok(worst < 1e-14, "%s: value in the label's units (worst %.1g)",
	   osml_loss_name(loss), worst);
}

/* a weight column multiplies value and slope */
static void
test_weights(void)
{
	const OsmlLayout weighted = {.n_dense = 0,.has_weight = true};
	OsmlBlock  *block = block_new(&weighted, 3);
	const double z[] = {1, 2, 3};
	double		slope[3];
	double		sum;

	for (int i = 0; i < 3; i++)
		osml_block_column(block, 1)[i] = i;
	sum = cpu->loss(cpu, OSML_FLOAT64, OSML_LOSS_MSE, 0, &weighted, block, 0, 3, z, slope);
	is_close(sum, 4 + 2 * 9, 0, 0, "weights multiply the loss");
	ok(slope[0] == 0 && slope[1] == 4 && slope[2] == 12, "and the slopes");
	free(block);
}

int
main(void)
{
	for (int loss = 0; loss < OSML_ROW_LOSS_COUNT; loss++)
	{
		test_slopes((OsmlLoss) loss);
		test_units((OsmlLoss) loss);
	}
	test_values();
	test_list();
	test_weights();
	return done();
}
