/*
 * cpu_network.c
 *	  Layers of a network on the CPU: the typed kernel by precision, column by
 *	  column, and a library's matrix product where there is one and it pays.
 */
#include "compute/cpu_network.h"

#include "compute/kernel_activation.h"
#include "compute/kernel_column.h"
#include "compute/kernel_dense.h"
#include "compute/kernel_embed.h"
#include "compute/kernel_sum.h"
#include "compute/random.h"

/* a library packs its matrices first, which small ones are not worth */
#define GEMM_MIN 64

/* column j of a tile, typed */
#define COLUMN(type, columns, j) \
	((type *) (columns).values + (size_t) (j) * (columns).stride)

bool
osml_cpu_uses_gemm(const OsmlBackend *self, int n_in, int n_out, int rows)
{
	return self->gemm != NULL && n_in >= GEMM_MIN && n_out >= GEMM_MIN && rows >= GEMM_MIN;
}

/* the library's product in the precision, some rows of C at a time */
static void
gemm(const OsmlBackend *self, OsmlPrecision precision, const OsmlGemmShape *shape,
	 const void *a, const void *b, void *c)
{
	OsmlGemmShape piece = *shape;

	for (int first = 0; first < shape->m; first += piece.m)
	{
		size_t		at_a = (size_t) first * (size_t) (shape->a_transposed ? 1 : shape->lda);
		size_t		at_c = (size_t) first * (size_t) shape->ldc;
		int			rest = shape->m - first;

		piece.m = rest < 2 * OSML_GEMM_COLUMNS ? rest : OSML_GEMM_COLUMNS;
		if (precision == OSML_FLOAT32)
			self->gemm->f32(&piece, (const float *) a + at_a, b, (float *) c + at_c);
		else
			self->gemm->f64(&piece, (const double *) a + at_a, b, (double *) c + at_c);
	}
}

/* z[o][r] = bias[o] */
static void
fill_bias(OsmlPrecision precision, const void *bias, OsmlTile z)
{
	for (int o = 0; o < z.n; o++)
	{
		for (int i = 0; precision == OSML_FLOAT32 && i < z.rows; i++)
			COLUMN(float, z, o)[i] = bias == NULL ? 0 : ((const float *) bias)[o];
		for (int i = 0; precision == OSML_FLOAT64 && i < z.rows; i++)
			COLUMN(double, z, o)[i] = bias == NULL ? 0 : ((const double *) bias)[o];
	}
}

/* z = bias + w x, by the loops; w[o * w_out + j * w_in] */
static void
product(OsmlPrecision precision, const void *w, size_t w_out, size_t w_in,
		const void *bias, OsmlTile x, OsmlTile z)
{
	const OsmlProduct_f64 wide = {
		x.n, w, w_out, w_in, bias, x.values, x.stride, z.values, z.stride
	};
	const OsmlProduct_f32 narrow = {
		x.n, w, w_out, w_in, bias, x.values, x.stride, z.values, z.stride
	};

	if (precision == OSML_FLOAT32)
		osml_kernel_dense_f32(z.n, z.rows, &narrow);
	else
		osml_kernel_dense_f64(z.n, z.rows, &wide);
}

void
osml_cpu_dense(const OsmlBackend *self, OsmlPrecision precision, const void *w,
			   const void *bias, OsmlTile x, OsmlTile z)
{
	const OsmlGemmShape shape = {
		.m = z.n,.n = z.rows,.k = x.n,.add = true,
		.lda = x.n,.ldb = (int) x.stride,.ldc = (int) z.stride
	};

	if (!osml_cpu_uses_gemm(self, x.n, z.n, z.rows))
	{
		product(precision, w, (size_t) x.n, 1, bias, x, z);
		return;
	}
	fill_bias(precision, bias, z);
	gemm(self, precision, &shape, w, x.values, z.values);
}

void
osml_cpu_dense_back_inputs(const OsmlBackend *self, OsmlPrecision precision, const void *w,
						   int n_in, OsmlTile slope, OsmlTile x_slope)
{
	const OsmlGemmShape shape = {
		.m = x_slope.n,.n = slope.rows,.k = slope.n,.a_transposed = true,
		.lda = n_in,.ldb = (int) slope.stride,.ldc = (int) x_slope.stride
	};

	if (osml_cpu_uses_gemm(self, x_slope.n, slope.n, slope.rows))
		gemm(self, precision, &shape, w, slope.values, x_slope.values);
	else
		product(precision, w, 1, (size_t) n_in, NULL, slope, x_slope);
}

void
osml_cpu_dense_back(const OsmlBackend *self, OsmlPrecision precision, const void *w,
					OsmlTile slope, OsmlTile x_slope)
{
	osml_cpu_dense_back_inputs(self, precision, w, x_slope.n, slope, x_slope);
}

/* g += slope xᵀ, by the loops */
static void
outer_sum(OsmlPrecision precision, OsmlTile slope, OsmlTile x, void *g)
{
	const OsmlDenseGrad_f64 wide = {
		x.rows, x.n, slope.values, slope.stride, x.values, x.stride, g
	};
	const OsmlDenseGrad_f32 narrow = {
		x.rows, x.n, slope.values, slope.stride, x.values, x.stride, g
	};

	if (precision == OSML_FLOAT32)
		osml_kernel_dense_grad_f32(slope.n, &narrow);
	else
		osml_kernel_dense_grad_f64(slope.n, &wide);
}

void
osml_cpu_dense_grad(const OsmlBackend *self, OsmlPrecision precision, OsmlTile slope,
					OsmlTile x, void *g, void *g_bias)
{
	const OsmlGemmShape shape = {
		.m = slope.n,.n = x.n,.k = x.rows,.b_transposed = true,.add = true,
		.lda = (int) slope.stride,.ldb = (int) x.stride,.ldc = x.n
	};

	if (osml_cpu_uses_gemm(self, x.n, slope.n, x.rows))
		gemm(self, precision, &shape, slope.values, x.values, g);
	else
		outer_sum(precision, slope, x, g);
	for (int o = 0; g_bias != NULL && o < slope.n; o++)
	{
		if (precision == OSML_FLOAT32)
			((float *) g_bias)[o] += (float)
				osml_kernel_sum_f32((size_t) slope.rows, COLUMN(float, slope, o));
		else
			((double *) g_bias)[o] +=
				osml_kernel_sum_f64((size_t) slope.rows, COLUMN(double, slope, o));
	}
}

void
osml_cpu_activate(const OsmlBackend *self, OsmlPrecision precision,
				  OsmlActivation activation, OsmlTile value, OsmlTile slope)
{
	for (int j = 0; j < value.n; j++)
	{
		if (precision == OSML_FLOAT32)
			osml_activation_all_f32[activation] (value.rows, COLUMN(float, value, j),
												 COLUMN(float, slope, j));
		else
			osml_activation_all_f64[activation] (value.rows, COLUMN(double, value, j),
												 COLUMN(double, slope, j));
	}
}

void
osml_cpu_multiply(const OsmlBackend *self, OsmlPrecision precision, OsmlTile v, OsmlTile factor)
{
	for (int j = 0; j < v.n; j++)
	{
		if (precision == OSML_FLOAT32)
			osml_kernel_multiply_f32(v.rows, COLUMN(float, v, j), COLUMN(float, factor, j));
		else
			osml_kernel_multiply_f64(v.rows, COLUMN(double, v, j), COLUMN(double, factor, j));
	}
}

/* one draw of four words serves four neurons of a row */
void
osml_cpu_dropout(const OsmlBackend *self, OsmlPrecision precision,
				 const OsmlDropout *dropout, OsmlTile value, OsmlTile slope)
{
	OsmlRandomKey key = {
		.seed = dropout->seed,
		.stream = OSML_STREAM_DROPOUT,
		.epoch = (uint32_t) dropout->batch
	};
	uint32_t	limit = (uint32_t) (dropout->probability * 0x1p32);
	double		factor = 1 / (1 - dropout->probability);
	uint32_t	words[4 * OSML_BLOCK_ROWS];

	for (int j = 0; j < value.n; j++)
	{
		const uint32_t *word = words + (size_t) (j % 4) * (size_t) value.rows;

		if (j % 4 == 0)
			osml_random_words(key, (uint32_t) dropout->row,
							  (uint32_t) dropout->layer << 26 | (uint32_t) (j / 4),
							  value.rows, words);
		if (precision == OSML_FLOAT32)
			osml_kernel_dropout_f32(value.rows, word, limit, (float) factor,
									COLUMN(float, value, j), COLUMN(float, slope, j));
		else
			osml_kernel_dropout_f64(value.rows, word, limit, factor,
									COLUMN(double, value, j), COLUMN(double, slope, j));
	}
}

void
osml_cpu_embed(const OsmlBackend *self, OsmlPrecision precision, const int32_t *codes,
			   const void *table, OsmlTile z)
{
	for (int j = 0; j < z.n; j++)
	{
		if (precision == OSML_FLOAT32)
			osml_kernel_embed_f32(z.rows, codes, z.n, (const float *) table + j,
								  COLUMN(float, z, j));
		else
			osml_kernel_embed_f64(z.rows, codes, z.n, (const double *) table + j,
								  COLUMN(double, z, j));
	}
}

void
osml_cpu_embed_grad(const OsmlBackend *self, OsmlPrecision precision, const int32_t *codes,
					int size, OsmlTile slope, void *g)
{
	for (int j = 0; j < slope.n; j++)
	{
		if (precision == OSML_FLOAT32)
			osml_kernel_embed_grad_f32(slope.rows, size, codes, slope.n,
									   COLUMN(float, slope, j), (float *) g + j);
		else
			osml_kernel_embed_grad_f64(slope.rows, size, codes, slope.n,
									   COLUMN(double, slope, j), (double *) g + j);
	}
}

void
osml_cpu_sums(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x, double *sums)
{
	for (int j = 0; j < x.n; j++)
		sums[j] += precision == OSML_FLOAT32 ?
			osml_kernel_sum_f32((size_t) x.rows, COLUMN(float, x, j)) :
			osml_kernel_sum_f64((size_t) x.rows, COLUMN(double, x, j));
}

void
osml_cpu_comoments(const OsmlBackend *self, OsmlPrecision precision, OsmlTile a, OsmlTile b,
				   const double *center, double *sums)
{
	for (int j = 0; j < a.n; j++)
		sums[j] += precision == OSML_FLOAT32 ?
			osml_kernel_comoment_f32(a.rows, COLUMN(float, a, j), COLUMN(float, b, j),
									 center[j]) :
			osml_kernel_comoment_f64(a.rows, COLUMN(double, a, j), COLUMN(double, b, j),
									 center[j]);
}

void
osml_cpu_map(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x, const double *center,
			 const double *factor, const double *shift, OsmlTile out)
{
	for (int j = 0; j < x.n; j++)
	{
		if (precision == OSML_FLOAT32)
			osml_kernel_map_f32(x.rows, COLUMN(float, x, j), (float) center[j],
								(float) factor[j], (float) shift[j], COLUMN(float, out, j));
		else
			osml_kernel_map_f64(x.rows, COLUMN(double, x, j), center[j], factor[j],
								shift[j], COLUMN(double, out, j));
	}
}

void
osml_cpu_unmap(const OsmlBackend *self, OsmlPrecision precision, OsmlTile x, const double *factor,
			   const double *shift, const double *share, OsmlTile v)
{
	for (int j = 0; j < x.n; j++)
	{
		if (precision == OSML_FLOAT32)
			osml_kernel_unmap_f32(x.rows, COLUMN(float, x, j), (float) factor[j],
								  (float) shift[j], (float) share[j], COLUMN(float, v, j));
		else
			osml_kernel_unmap_f64(x.rows, COLUMN(double, x, j), factor[j], shift[j],
								  share[j], COLUMN(double, v, j));
	}
}
