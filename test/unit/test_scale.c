/*
 * test_scale.c
 *	  Preparing blocks and rows: imputing, scaling, narrowing, and labels back.
 */
#include "tap.h"

#include <string.h>

#include "features/scale.h"
#include "fixtures/blocks.h"

static const OsmlLayout layout = {.n_dense = 3,.n_codes = 1,.has_weight = true};

static double center[3] = {1e9, 0, -3};
static double scale[3] = {1e-3, 1, 7};
static double impute[3] = {1e9, 5, -3};
static const OsmlScaling scaling = {
	.n = 3,.center = center,.scale = scale,.impute = impute,
	.label_center = 12,.label_scale = 4
};

/* value i of a prepared column */
static double
at(OsmlPrecision precision, const OsmlBlock *block, int j, int i)
{
	const void *column = osml_block_column(block, j);

	return precision == OSML_FLOAT32 ? ((const float *) column)[i] :
		((const double *) column)[i];
}

static void
test_block(OsmlPrecision precision)
{
	OsmlBlock  *raw = block_noise(&layout, 1000, 0);
	OsmlBlock  *block;
	int			wrong = 0;
	double		labels[1000];
	double		worst = 0;

	for (int i = 0; i < 1000; i++)
	{
		osml_block_column(raw, 0)[i] = 1e9 + osml_block_column(raw, 0)[i] / 1000;
		osml_block_codes(raw, &layout, 0)[i] = i;
	}
	osml_block_column(raw, 0)[3] = osml_missing();
	osml_block_column(raw, 1)[4] = osml_missing();
	osml_block_column(raw, 1)[5] = -0.0;
	block = malloc(osml_block_bytes(&layout));
	memcpy(block, raw, osml_block_bytes(&layout));
	osml_prepare_block(&scaling, &layout, precision, block);
	ok(block->prepared, "the block is marked as prepared");
	for (int i = 0; i < 1000; i++)
	{
		double		row[3];
		double		out[3];

		for (int j = 0; j < 3; j++)
		{
			double		x = osml_block_column(raw, j)[i];
			double		want;

			row[j] = x;
			x = osml_is_missing(x) ? impute[j] : x;
			want = precision == OSML_FLOAT32 ?
				(double) (((float) x - (float) center[j]) / (float) scale[j]) :
				(x - center[j]) / scale[j];
			wrong += at(precision, block, j, i) != want;
		}
		osml_prepare_row(&scaling, precision, row, out);
		for (int j = 0; j < 3; j++)
			wrong += at(precision, block, j, i) != out[j];
		wrong += at(precision, block, 4, i) !=
			(precision == OSML_FLOAT32 ?
			 (float) osml_block_column(raw, 4)[i] : osml_block_column(raw, 4)[i]);
		wrong += osml_block_codes(block, &layout, 0)[i] != i;
	}
	ok(wrong == 0, "float%d: columns, rows, weight and codes",
	   precision == OSML_FLOAT32 ? 32 : 64);
	ok(at(precision, block, 1, 4) == 5 && signbit(at(precision, block, 1, 5)),
	   "an unscaled column is imputed and keeps its bits");
	osml_prepared_labels(&scaling, &layout, precision, block, 10, 1000, labels);
	for (int i = 10; i < 1000; i++)
		worst = fmax(worst, fabs(labels[i - 10] - osml_block_column(raw, 3)[i]));
	ok(worst < (precision == OSML_FLOAT32 ? 2e-6 : 2e-15),
	   "labels come back in their own units (worst %.1g)", worst);
	free(raw);
	free(block);
}

/* 1e9 and noise of 1e-3 survive standardising in float64 */
static void
test_precision(void)
{
	double		raw[3] = {1e9 + 0.0005, 0, 0};
	double		out[3];
	double		tiny = 1e-60;
	OsmlScaling one = {.n = 1,.center = &center[1],.scale = &tiny,.impute = impute};

	osml_prepare_row(&scaling, OSML_FLOAT64, raw, out);
	is_close(out[0], 0.5, 1e-3, 0, "1e9 and a little, scaled by 1e-3");
	raw[0] = 3;
	osml_prepare_row(&one, OSML_FLOAT32, raw, out);
	ok(out[0] == 3, "a scale that float32 has not counts as 1");
	osml_prepare_row(&scaling, OSML_FLOAT64, raw, raw);
	ok(raw[1] == 0 && raw[2] == 3.0 / 7, "a row may be prepared in place");
}

int
main(void)
{
	test_block(OSML_FLOAT64);
	test_block(OSML_FLOAT32);
	test_precision();
	return done();
}
