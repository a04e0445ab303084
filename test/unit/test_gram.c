/*
 * test_gram.c
 *	  Loss and gradient of a batch from its sums, against rows in long double.
 */
#include "tap.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "compute/gram.h"
#include "fixtures/blocks.h"

#define ROWS 700
#define MAX_P 64

static const int32_t sizes[] = {5, 7};

/* what a test is about */
typedef struct Case
{
	const char *name;
	OsmlLayout	layout;
	bool		bias;
	OsmlPrecision precision;
	double		offset;			/* of the dense columns, whose spread is 1 */
	double		noise;			/* of the label */
	double		tolerance;		/* relative to what the terms of the sums come to */
} Case;

static const Case cases[] = {
	{"dense columns", {.n_dense = 8}, true, OSML_FLOAT64, 0, 1, 1e-15},
	{"no bias", {.n_dense = 3}, false, OSML_FLOAT64, 0, 1, 1e-15},
	{"bias alone", {.n_dense = 0}, true, OSML_FLOAT64, 0, 1, 1e-15},
	{"a mean of a million", {.n_dense = 5}, true, OSML_FLOAT64, 1e6, 1, 1e-15},
	{"hardly any noise", {.n_dense = 5}, true, OSML_FLOAT64, 1e3, 1e-5, 1e-15},
	{"weights", {.n_dense = 4,.has_weight = true}, true, OSML_FLOAT64, 10, 1, 4e-15},
	{"categories", {.n_dense = 2,.n_codes = 2,.code_sizes = sizes}, true, OSML_FLOAT64, 10, 1, 1e-15},
	{"weighted categories", {.n_dense = 1,.n_codes = 2,.code_sizes = sizes,.has_weight = true}, true, OSML_FLOAT64, 10, 1, 4e-15},
	{"categories without bias", {.n_dense = 0,.n_codes = 2,.code_sizes = sizes}, false, OSML_FLOAT64, 0, 1, 1e-15},
	{"float32", {.n_dense = 6}, true, OSML_FLOAT32, 3, 1, 1e-15},
};

static OsmlBlock *
make_block(const Case *c)
{
	const OsmlLayout *layout = &c->layout;
	OsmlBlock  *block = block_new(layout, ROWS);

	for (int i = 0; i < ROWS; i++)
	{
		double		y = 0;

		for (int j = 0; j < layout->n_dense; j++)
		{
			double		x = c->offset * (j + 1) + noise((uint32_t) j, (uint64_t) i);

			osml_block_column(block, j)[i] = x;
			y += (j % 2 ? -1 : 2) * x / (j + 1);
		}
		osml_block_label(block, layout)[i] = y + c->noise * noise(100, (uint64_t) i);
		if (layout->has_weight)
			osml_block_label(block, layout)[OSML_BLOCK_STRIDE + i] = i % 7 / 3.0;
		for (int k = 0; k < layout->n_codes; k++)
			osml_block_codes(block, layout, k)[i] = (i * (k + 3) + i / 9) % sizes[k];
	}
	for (int j = 0; c->precision == OSML_FLOAT32 && j < osml_layout_wide(layout); j++)
	{
		double	   *from = osml_block_column(block, j);

		for (int i = 0; i < ROWS; i++)
		{
			float		value = (float) from[i];

			memcpy((float *) from + i, &value, sizeof(value));
		}
	}
	return block;
}

static double
cell(const Case *c, const OsmlBlock *block, int j, int i)
{
	const double *column = osml_block_column(block, j);

	return c->precision == OSML_FLOAT32 ? ((const float *) column)[i] : column[i];
}

/* by rows; unit: what the terms come to, of the loss and of each part of the gradient */
static long double
by_rows(const Case *c, const OsmlBlock *block, const double *t, int p, long double *gradient,
		long double *unit)
{
	const OsmlLayout *layout = &c->layout;
	long double loss = 0;

	memset(gradient, 0, sizeof(long double) * MAX_P);
	memset(unit, 0, sizeof(long double) * (MAX_P + 1));
	for (int i = 0; i < ROWS; i++)
	{
		long double z = c->bias ? t[p - 1] : 0;
		long double size = fabsl(z);
		long double y = cell(c, block, layout->n_dense, i);
		long double w = layout->has_weight ? cell(c, block, layout->n_dense + 1, i) : 1;
		int			at = layout->n_dense;
		long double slope;

		for (int j = 0; j < layout->n_dense; j++)
		{
			z += t[j] * (long double) cell(c, block, j, i);
			size += fabsl(t[j] * (long double) cell(c, block, j, i));
		}
		for (int k = 0; k < layout->n_codes; at += sizes[k++])
		{
			z += t[at + osml_block_codes(block, layout, k)[i]];
			size += fabsl(t[at + osml_block_codes(block, layout, k)[i]]);
		}
		slope = 2 * w * (z - y);
		loss += w * (z - y) * (z - y);
		/* rounding of z is what summing over rows in float64 cannot do better than */
		unit[MAX_P] += w * fabsl(z - y) * (size + fabsl(y)) + w * DBL_EPSILON * (size + fabsl(y)) * (size + fabsl(y));
		for (int j = 0; j < layout->n_dense; j++)
		{
			gradient[j] += slope * cell(c, block, j, i);
			unit[j] += w * (size + fabsl(y)) * fabsl((long double) cell(c, block, j, i));
		}
		at = layout->n_dense;
		for (int k = 0; k < layout->n_codes; at += sizes[k++])
		{
			gradient[at + osml_block_codes(block, layout, k)[i]] += slope;
			unit[at + osml_block_codes(block, layout, k)[i]] += w * (size + fabsl(y));
		}
		if (c->bias)
		{
			gradient[p - 1] += slope;
			unit[p - 1] += w * (size + fabsl(y));
		}
	}
	return loss;
}

/* the sums of the block, added `step` rows at a time */
static OsmlGram *
sums_of(const Case *c, const OsmlBlock *block, int step)
{
	OsmlGram   *gram = osml_gram_init(malloc(osml_gram_bytes(&c->layout, c->bias)), &c->layout, c->bias);
	OsmlGramTile *tile = osml_gram_tile_init(malloc(osml_gram_tile_bytes(&c->layout, c->bias)),
											 &c->layout, c->bias);

	for (int i = 0; i < ROWS; i += step)
		osml_gram_add(gram, tile, c->precision, block, i, i + step < ROWS ? i + step : ROWS);
	osml_gram_close(gram, tile);
	free(tile);
	return gram;
}

static void
test_case(const Case *c)
{
	OsmlBlock  *block = make_block(c);
	OsmlGram   *gram = sums_of(c, block, ROWS);
	OsmlGram   *other = sums_of(c, block, 37);
	int			p = gram->p;
	double		t[MAX_P];
	float		narrow[MAX_P];
	double		gradient[MAX_P];
	double		again[MAX_P];
	double		scratch[2 * MAX_P];
	long double want[MAX_P];
	long double unit[MAX_P + 1];
	double		worst = 0;
	double		loss;
	double		loss_again;
	bool		same;

	ok(p == (int) osml_gram_values(&c->layout, c->bias) && gram->rows == ROWS, "%s: a batch of %d values", c->name, p);
	for (int round = 0; round < 3; round++)
	{
		/* some weights, and those that the labels were made with but for noise */
		for (int j = 0; j < p; j++)
		{
			t[j] = round == 0 ? noise(200, (uint64_t) j) :
				j < c->layout.n_dense ? (j % 2 ? -1.0 : 2.0) / (j + 1) : 0;
			if (round == 2)
				t[j] *= 1 + 1e-7;
			narrow[j] = (float) t[j];
			if (c->precision == OSML_FLOAT32)
				t[j] = narrow[j];
		}
		same = osml_gram_apply(gram, c->precision, c->precision == OSML_FLOAT32 ? (void *) narrow : t, gradient, &loss, scratch);
		ok(same, "%s, weights %d: something is left", c->name, round);
		worst = fmax(worst, (double) (fabsl(by_rows(c, block, t, p, want, unit) - loss) / unit[MAX_P]));
		for (int j = 0; j < p; j++)
			worst = fmax(worst, (double) (fabsl(want[j] - gradient[j]) / unit[j]));
	}
	ok(worst < c->tolerance, "%s: loss and gradient as by rows: %g", c->name, worst);
	(void) osml_gram_apply(other, c->precision, c->precision == OSML_FLOAT32 ? (void *) narrow : t, again, &loss_again, scratch);
	ok(loss_again == loss && memcmp(again, gradient, sizeof(double) * (size_t) p) == 0,
	   "%s: however the batch is cut", c->name);
	free(block);
	free(gram);
	free(other);
}

/* labels that weights explain to the last bit, and numbers whose squares are too large */
static void
test_limits(void)
{
	Case		exact = {"exact", {.n_dense = 1}, true, OSML_FLOAT64, 0, 0, 0};
	OsmlBlock  *block = make_block(&exact);
	OsmlGram   *gram = sums_of(&exact, block, ROWS);
	double		t[] = {2, 0};
	double		gradient[2];
	double		scratch[8];
	double		loss;

	ok(!osml_gram_apply(gram, OSML_FLOAT64, t, gradient, &loss, scratch), "nothing is left of a loss of 0: %g", loss);
	t[0] = 2 + 1e-6;
	ok(osml_gram_apply(gram, OSML_FLOAT64, t, gradient, &loss, scratch), "a trillionth is");
	t[0] = INFINITY;
	ok(!osml_gram_apply(gram, OSML_FLOAT64, t, gradient, &loss, scratch), "infinite weights are not finite");
	free(gram);
	osml_block_column(block, 0)[3] = 1e200;
	gram = sums_of(&exact, block, ROWS);
	t[0] = 1;
	ok(!osml_gram_apply(gram, OSML_FLOAT64, t, gradient, &loss, scratch), "nor are squares that are too large");
	free(gram);
	free(block);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		test_case(&cases[i]);
	test_limits();
	return done();
}
