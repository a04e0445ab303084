/*
 * test_kernels.c
 *	  The CPU backend against loops that anybody can read, for odd numbers of
 *	  rows and columns, in both precisions.
 */
#include "tap.h"

#include <string.h>

#include "fixtures/codes.h"
#include "compute/backend.h"

#define MAX_DENSE 23

static double
row_loss(OsmlLoss loss, double z, double y, double param)
{
	return osml_loss_value(loss, 1, 1, &z, y, param);
}

static const OsmlBackend *const cpu = &osml_backend_cpu;

/* a block of noise, narrowed for float32 */
static OsmlBlock *
prepared(const OsmlLayout *layout, OsmlPrecision precision)
{
	OsmlBlock  *block = block_noise(layout, OSML_BLOCK_ROWS, 0);

	if (precision == OSML_FLOAT32)
	{
		for (int j = 0; j < osml_layout_wide(layout); j++)
		{
			float		narrow[OSML_BLOCK_ROWS];

			for (int i = 0; i < OSML_BLOCK_ROWS; i++)
				narrow[i] = (float) osml_block_column(block, j)[i];
			memcpy(osml_block_column(block, j), narrow, sizeof(narrow));
		}
	}
	return block;
}

/* value i of a vector of either type */
static double
at(OsmlPrecision precision, const void *v, int i)
{
	return precision == OSML_FLOAT32 ? ((const float *) v)[i] :
		((const double *) v)[i];
}

/* set value i */
static void
put(OsmlPrecision precision, void *v, int i, double value)
{
	if (precision == OSML_FLOAT32)
		((float *) v)[i] = (float) value;
	else
		((double *) v)[i] = value;
}

/*
 * The same sum as the kernel makes: lane i mod lanes, lanes added by halving.
 * Written out here so that the order itself is under test.
 */
static double
lane_sum(OsmlPrecision precision, int n, const double *products)
{
	int			lanes = precision == OSML_FLOAT32 ? 16 : 8;
	double		lane[16] = {0};

	for (int i = 0; i < n; i++)
		lane[i % lanes] = precision == OSML_FLOAT32 ?
			(float) lane[i % lanes] + (float) products[i] :
			lane[i % lanes] + products[i];
	for (int half = lanes / 2; half > 0; half /= 2)
		for (int i = 0; i < half; i++)
			lane[i] = precision == OSML_FLOAT32 ?
				(float) lane[i] + (float) lane[i + half] :
				lane[i] + lane[i + half];
	return lane[0];
}

/* outputs and gradients of rows [lo, hi) over n_dense columns, bit by bit */
static void
check_range(OsmlPrecision precision, int n_dense, int lo, int hi)
{
	OsmlLayout	layout = {.n_dense = n_dense};
	OsmlBlock  *block = prepared(&layout, precision);
	double		w[MAX_DENSE];
	double		z[OSML_BLOCK_ROWS];
	double		g[MAX_DENSE + 1];
	int			bad_z = 0;
	int			bad_g = 0;

	for (int j = 0; j < n_dense; j++)
	{
		put(precision, w, j, noise(50, (uint64_t) j));
		put(precision, g, j, j);
	}
	put(precision, g, n_dense, 99);
	cpu->affine(cpu, precision, &layout, block, lo, hi, w, 0.375, z);
	for (int i = lo; i < hi; i++)
	{
		double		want = 0.375;
		float		want_f = 0.375f;

		for (int j = 0; j < n_dense; j++)
		{
			double		x = at(precision, osml_block_column(block, j), i);

			want = want + at(precision, w, j) * x;
			want_f = want_f + (float) at(precision, w, j) * (float) x;
		}
		bad_z += at(precision, z, i - lo) !=
			(precision == OSML_FLOAT32 ? (double) want_f : want);
	}
	cpu->affine_grad(cpu, precision, &layout, block, lo, hi, 0, n_dense, z, g);
	for (int j = 0; j < n_dense; j++)
	{
		double		product[OSML_BLOCK_ROWS];
		double		sum;

		for (int i = lo; i < hi; i++)
		{
			double		x = at(precision, osml_block_column(block, j), i);
			double		slope = at(precision, z, i - lo);

			product[i - lo] = precision == OSML_FLOAT32 ?
				(float) slope * (float) x : slope * x;
		}
		sum = lane_sum(precision, hi - lo, product);
		sum = precision == OSML_FLOAT32 ? (float) j + (float) sum : j + sum;
		bad_g += at(precision, g, j) != sum;
	}
	ok(bad_z == 0 && bad_g == 0 && at(precision, g, n_dense) == 99,
	   "float%d, %d columns, rows %d to %d: affine and its gradient, bit by bit",
	   precision == OSML_FLOAT32 ? 32 : 64, n_dense, lo, hi);
	free(block);
}

/* entries looked up and added to over rows [lo, hi), bit by bit */
static void
check_codes(OsmlPrecision precision, int lo, int hi)
{
	static const int32_t sizes[] = {1, 300, 5};
	OsmlLayout	layout = {.n_codes = 3,.code_sizes = sizes};
	OsmlBlock  *block = block_codes(&layout, OSML_BLOCK_ROWS, 0);
	double		tables[307];
	double		g[307] = {0};
	double		want_g[307] = {0};
	double		sum[307][4] = {{0}};
	double		z[OSML_BLOCK_ROWS];
	double		slope[OSML_BLOCK_ROWS];
	int			bad = 0;

	for (int e = 0; e < 306; e++)
		put(precision, tables, e, noise(53, (uint64_t) e));
	for (int i = 0; i < hi - lo; i++)
	{
		put(precision, z, i, noise(54, (uint64_t) i));
		put(precision, slope, i, noise(55, (uint64_t) i));
	}
	put(precision, g, 306, 99);
	cpu->gather(cpu, precision, &layout, block, lo, hi, tables, z);
	cpu->scatter(cpu, precision, &layout, block, lo, hi, slope, g);
	for (int i = 0; i < hi - lo; i++)
	{
		double		want = noise(54, (uint64_t) i);

		if (precision == OSML_FLOAT32)
			want = (float) want;
		for (int k = 0; k < 3; k++)
		{
			int			e = (int) osml_layout_table(&layout, k) +
				osml_block_codes(block, &layout, k)[lo + i];
			double		row = at(precision, slope, i);
			bool		in_sums = sizes[k] <= 256 && sizes[k] <= hi - lo;

			want += at(precision, tables, e);
			if (precision == OSML_FLOAT32)
				want = (float) want;
			if (in_sums)
				sum[e][i % 4] += row;
			else
				put(precision, want_g, e, at(precision, want_g, e) + row);
		}
		bad += at(precision, z, i) != want;
	}
	for (int e = 0; e < 306; e++)
	{
		double		total = (sum[e][0] + sum[e][2]) + (sum[e][1] + sum[e][3]);

		bad += at(precision, g, e) != (total == 0 ? at(precision, want_g, e) :
									   precision == OSML_FLOAT32 ? (float) total : total);
	}
	ok(bad == 0 && at(precision, g, 306) == 99,
	   "float%d, rows %d to %d: gather and scatter, bit by bit",
	   precision == OSML_FLOAT32 ? 32 : 64, lo, hi);
	free(block);
}

/*
 * A category that every row of a large batch has keeps its float32 digits;
 * added row by row they would be off by more than a hundredth.
 */
static void
check_large_batch(void)
{
	static const int32_t size = 3;
	OsmlLayout	layout = {.n_codes = 1,.code_sizes = &size};
	OsmlBlock  *block = block_new(&layout, OSML_BLOCK_ROWS);
	float		slope[OSML_BLOCK_ROWS];
	float		g[3] = {0};

	for (int i = 0; i < OSML_BLOCK_ROWS; i++)
		slope[i] = 0.1f;
	for (int b = 0; b < 1000; b++)
		cpu->scatter(cpu, OSML_FLOAT32, &layout, block, 0, OSML_BLOCK_ROWS, slope, g);
	is_close(g[0], 1000.0 * OSML_BLOCK_ROWS * 0.1f, 2e-5, 0,
			 "float32 slopes of a million rows in one entry");
	free(block);
}

/* every loss summed over rows [lo, hi) against row by row */
static void
check_loss(OsmlPrecision precision, OsmlLoss loss, int lo, int hi)
{
	OsmlLayout	layout = {.n_dense = 1};
	OsmlBlock  *block = prepared(&layout, precision);
	double		tolerance = precision == OSML_FLOAT32 ? 1e-6 : 1e-14;
	double		z[OSML_BLOCK_ROWS];
	double		slope[OSML_BLOCK_ROWS];
	double		want = 0;
	double		sum;
	double		worst = 0;

	for (int i = 0; i < hi - lo; i++)
		put(precision, z, i, 2 * noise(60, (uint64_t) i));
	sum = cpu->loss(cpu, precision, loss, 0.5, &layout, block, lo, hi, z, slope);
	for (int i = 0; i < hi - lo; i++)
	{
		double		y = at(precision, osml_block_label(block, &layout), lo + i);

		want += row_loss(loss, at(precision, z, i), y, 0.5);
	}
	worst = fabs(sum - want);
	is_close(sum, want, tolerance, tolerance, osml_loss_name(loss));
	sum = want = 0;
	cpu->sums(cpu, precision, (OsmlTile) {slope, 0, hi - lo, 1}, &sum);
	for (int i = 0; i < hi - lo; i++)
		want += at(precision, slope, i);
	ok(fabs(sum - want) < 1e-14 * fmax(100, fabs(want)) && worst < 1e-3,
	   "float%d %s, rows %d to %d: the sum of slopes comes back",
	   precision == OSML_FLOAT32 ? 32 : 64, osml_loss_name(loss), lo, hi);
	free(block);
}

/* norm, scale, clamp over n values */
static void
check_vectors(OsmlPrecision precision, int n)
{
	double		v[64] = {0};
	double		sum = 0;
	bool		scaled = true;
	bool		clamped = true;

	for (int i = 0; i < n; i++)
	{
		put(precision, v, i, 3 * noise(70, (uint64_t) i));
		sum += at(precision, v, i) * at(precision, v, i);
	}
	is_close(cpu->norm(cpu, precision, (size_t) n, v, NULL), sqrt(sum), 1e-14, 0, "norm");
	cpu->scale(cpu, precision, (size_t) n, v, 0.5);
	for (int i = 0; i < n; i++)
		scaled = scaled && fabs(at(precision, v, i) -
								1.5 * noise(70, (uint64_t) i)) < 1e-6;
	cpu->clamp(cpu, precision, (size_t) n, v, 0.25);
	for (int i = 0; i < n; i++)
		clamped = clamped && fabs(at(precision, v, i)) <= 0.25 &&
			(fabs(1.5 * noise(70, (uint64_t) i)) > 0.25 ||
			 fabs(at(precision, v, i) - 1.5 * noise(70, (uint64_t) i)) < 1e-6);
	ok(scaled && clamped, "%d values scaled and clamped", n);
}

/* what is not finite must stay so */
static void
check_not_finite(OsmlPrecision precision)
{
	double		v[9];

	for (int bad = 0; bad < 9; bad++)
	{
		memset(v, 0, sizeof(v));
		put(precision, v, bad, NAN);
		ok(isnan(cpu->norm(cpu, precision, 9, v, NULL)), "norm sees a NaN at %d", bad);
		cpu->clamp(cpu, precision, 9, v, 1);
		ok(isnan(at(precision, v, bad)), "clamp keeps it");
		put(precision, v, bad, -INFINITY);
		ok(isinf(cpu->norm(cpu, precision, 9, v, NULL)), "norm sees an Inf at %d", bad);
	}
	put(precision, v, 0, 1e30);
	is_close(cpu->norm(cpu, precision, 1, v, NULL), 1e30, 1e-7, 0,
			 "a float32 norm does not overflow on the way");
}

/* the kernel's sum over rows of a layer: as many lanes as 32 bytes hold */
static double
layer_sum(OsmlPrecision precision, int n, const double *products)
{
	int			lanes = precision == OSML_FLOAT32 ? 8 : 4;
	double		lane[8] = {0};

	for (int i = 0; i < n; i++)
		lane[i % lanes] = precision == OSML_FLOAT32 ?
			(float) lane[i % lanes] + (float) products[i] : lane[i % lanes] + products[i];
	for (int half = lanes / 2; half > 0; half /= 2)
		for (int i = 0; i < half; i++)
			lane[i] = precision == OSML_FLOAT32 ?
				(float) lane[i] + (float) lane[i + half] : lane[i] + lane[i + half];
	return lane[0];
}

/* a product rounded as the precision does */
static double
times(OsmlPrecision precision, double a, double b)
{
	return precision == OSML_FLOAT32 ? (float) a * (float) b : a * b;
}

static double
plus(OsmlPrecision precision, double a, double b)
{
	return precision == OSML_FLOAT32 ? (float) a + (float) b : a + b;
}

/* a dense layer of few inputs, outputs and rows, forward and back, bit by bit */
static void
check_layer(OsmlPrecision precision, int n_in, int n_out, int rows)
{
	enum
	{
		STRIDE = 45, MOST = 11
	};
	double		x[MOST * STRIDE];
	double		w[MOST * MOST];
	double		bias[MOST];
	double		z[MOST * STRIDE];
	double		g[MOST * MOST] = {0};
	double		back[MOST * STRIDE];
	OsmlTile in = {x, STRIDE, rows, n_in};
	OsmlTile out = {z, (size_t) rows, rows, n_out};
	int			bad = 0;

	for (int i = 0; i < MOST * STRIDE; i++)
		put(precision, x, i, noise(70, (uint64_t) i));
	for (int i = 0; i < MOST * MOST; i++)
		put(precision, w, i, noise(71, (uint64_t) i));
	for (int i = 0; i < MOST; i++)
		put(precision, bias, i, noise(72, (uint64_t) i));
	cpu->dense(cpu, precision, w, bias, in, out);
	cpu->dense_grad(cpu, precision, out, in, g, NULL);
	cpu->dense_back(cpu, precision, w, out, (OsmlTile) {back, STRIDE, rows, n_in});
	for (int r = 0; r < rows; r++)
	{
		for (int o = 0; o < n_out; o++)
		{
			double		sum = at(precision, bias, o);

			for (int j = 0; j < n_in; j++)
				sum = plus(precision, sum, times(precision, at(precision, w, o * n_in + j),
												 at(precision, x, j * STRIDE + r)));
			bad += sum != at(precision, z, o * rows + r);
		}
		for (int j = 0; j < n_in; j++)
		{
			double		sum = 0;

			for (int o = 0; o < n_out; o++)
				sum = plus(precision, sum, times(precision, at(precision, w, o * n_in + j),
												 at(precision, z, o * rows + r)));
			bad += sum != at(precision, back, j * STRIDE + r);
		}
	}
	for (int o = 0; o < n_out; o++)
	{
		for (int j = 0; j < n_in; j++)
		{
			double		product[STRIDE];

			for (int r = 0; r < rows; r++)
				product[r] = times(precision, at(precision, z, o * rows + r),
								   at(precision, x, j * STRIDE + r));
			bad += layer_sum(precision, rows, product) != at(precision, g, o * n_in + j);
		}
	}
	ok(bad == 0, "layer of %d x %d, %d rows, float%d", n_in, n_out, rows,
	   precision == OSML_FLOAT32 ? 32 : 64);
}

/* every remainder of the kernels' tiles */
static void
check_layers(void)
{
	static const int rows[] = {1, 3, 4, 7, 8, 15, 16, 29, 43};

	for (int p = 0; p < 2; p++)
		for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++)
			for (int n = 1; n <= 6; n++)
				check_layer((OsmlPrecision) p, n == 6 ? 11 : 7 - n, n == 6 ? 9 : n, rows[r]);
}

int
main(void)
{
	static const int ranges[][2] = {
		{0, 1024}, {0, 1}, {1023, 1024}, {3, 3}, {5, 12}, {1, 1024}, {7, 900},
		{100, 116}, {100, 115}, {100, 117}, {512, 1000}
	};
	static const int columns[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 23};

	for (int precision = 0; precision < 2; precision++)
	{
		for (size_t r = 0; r < sizeof(ranges) / sizeof(ranges[0]); r++)
		{
			for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
				check_range((OsmlPrecision) precision, columns[c], ranges[r][0],
							ranges[r][1]);
			check_codes((OsmlPrecision) precision, ranges[r][0], ranges[r][1]);
			for (int loss = 0; loss < OSML_ROW_LOSS_COUNT; loss++)
				check_loss((OsmlPrecision) precision, (OsmlLoss) loss,
						   ranges[r][0], ranges[r][1]);
		}
		for (int n = 0; n < 64; n += 9)
			check_vectors((OsmlPrecision) precision, n);
		check_not_finite((OsmlPrecision) precision);
	}
	check_large_batch();
	check_layers();
	return done();
}
