/*
 * gram.c
 *	  Sums in pairs of float64; see gram.h.
 *
 * A tile holds rows column by column, the dense columns, a column of ones and the label
 * alike, so that one loop makes all products of pairs.  Each value is split in two halves
 * of 26 bits once, for Dekker's product.  A row that weighs w is the row times the root of
 * w: then all sums are of the same rows, however these were rounded, and what cancels
 * cancels.
 */
#include "compute/gram.h"

#include <math.h>

#include "compute/kernels.h"

#define TILE_ROWS 256

/* 2^27 + 1 */
#define SPLITTER 134217729.0

/* of the greatest term, what must be left of a loss: of the 106 bits these 36 then remain */
#define LEFT 0x1p-70

struct OsmlGramTile
{
	const OsmlLayout *layout;
	int			rows;
	int			columns;		/* dense, ones with a bias, label */
	double	   *x;				/* [columns x TILE_ROWS], and its halves */
	double	   *high;
	double	   *low;
	double	   *weight;			/* [TILE_ROWS] */
	double	   *one;			/* [TILE_ROWS] what a category counts: the root of it */
	int32_t    *code;			/* [n_codes x TILE_ROWS] */
};

size_t
osml_gram_values(const OsmlLayout *layout, bool bias)
{
	return (size_t) layout->n_dense + osml_layout_entries(layout) + (bias ? 1 : 0);
}

size_t
osml_gram_stride(const OsmlLayout *layout, bool bias)
{
	return (osml_gram_values(layout, bias) + 3) / 4 * 4;
}

size_t
osml_gram_bytes(const OsmlLayout *layout, bool bias)
{
	return sizeof(OsmlGram) + 2 * osml_gram_stride(layout, bias) *
		(osml_gram_values(layout, bias) + 1) * sizeof(double);
}

OsmlGram *
osml_gram_init(void *memory, const OsmlLayout *layout, bool bias)
{
	OsmlGram   *gram = memory;

	memset(memory, 0, osml_gram_bytes(layout, bias));
	gram->p = (int) osml_gram_values(layout, bias);
	gram->stride = (int) osml_gram_stride(layout, bias);
	gram->xy = (double *) (gram + 1);
	gram->xx = gram->xy + 2 * gram->stride;
	return gram;
}

static size_t
tile_columns(const OsmlLayout *layout, bool bias)
{
	return (size_t) layout->n_dense + (bias ? 1 : 0) + 1;
}

size_t
osml_gram_tile_bytes(const OsmlLayout *layout, bool bias)
{
	return sizeof(OsmlGramTile) + TILE_ROWS *
		((3 * tile_columns(layout, bias) + 2) * sizeof(double) +
		 (size_t) layout->n_codes * sizeof(int32_t));
}

OsmlGramTile *
osml_gram_tile_init(void *memory, const OsmlLayout *layout, bool bias)
{
	OsmlGramTile *tile = memory;
	size_t		size = tile_columns(layout, bias) * TILE_ROWS;
	double	   *next = (double *) (tile + 1);

	tile->layout = layout;
	tile->rows = 0;
	tile->columns = (int) tile_columns(layout, bias);
	tile->x = next;
	tile->high = next + size;
	tile->low = next + 2 * size;
	tile->weight = next + 3 * size;
	tile->one = tile->weight + TILE_ROWS;
	tile->code = (int32_t *) (tile->one + TILE_ROWS);
	return tile;
}

/* ---- numbers of two parts ---- */

/* add a number and what it was rounded by */
static inline void
add_pair(double *high, double *low, double value, double rest)
{
	double		sum = *high + value;
	double		part = sum - *high;

	*low += (*high - (sum - part)) + (value - part) + rest;
	*high = sum;
}

/* what a * b is rounded by */
static inline double
product_rest(double a, double b, double product)
{
	double		ca = SPLITTER * a;
	double		cb = SPLITTER * b;
	double		ah = ca - (ca - a);
	double		bh = cb - (cb - b);
	double		al = a - ah;
	double		bl = b - bh;

	return ((ah * bh - product) + ah * bl + al * bh) + al * bl;
}

/* high is what the two come to, low the rest */
static inline void
renormalize(double *high, double *low)
{
	double		sum = *high + *low;

	*low -= sum - *high;
	*high = sum;
}

/* halves of so many values */
OSML_CLONES static void
osml_gram_split(int n, const double *x, double *high, double *low)
{
	for (int i = 0; i < n; i++)
	{
		double		c = SPLITTER * x[i];

		high[i] = c - (c - x[i]);
		low[i] = x[i] - high[i];
	}
}

/* a column of a tile, with its halves */
typedef struct Halves
{
	const double *x;
	const double *high;
	const double *low;
} Halves;

/* add the products of two columns over n rows, in whole vectors */
OSML_CLONES static void
osml_gram_dot(int n, Halves a, Halves b, double *high, double *low)
{
	OsmlVec_f64 sum = {0};
	OsmlVec_f64 rest = {0};

	for (int i = 0; i < n; i += 4)
	{
		OsmlVec_f64 ah = *(const OsmlVec_f64 *) (a.high + i);
		OsmlVec_f64 al = *(const OsmlVec_f64 *) (a.low + i);
		OsmlVec_f64 bh = *(const OsmlVec_f64 *) (b.high + i);
		OsmlVec_f64 bl = *(const OsmlVec_f64 *) (b.low + i);
		OsmlVec_f64 product = *(const OsmlVec_f64 *) (a.x + i) * *(const OsmlVec_f64 *) (b.x + i);
		OsmlVec_f64 next = sum + product;
		OsmlVec_f64 part = next - sum;

		rest += (sum - (next - part)) + (product - part) +
			(((ah * bh - product) + ah * bl + al * bh) + al * bl);
		sum = next;
	}
	for (int k = 0; k < 4; k++)
		add_pair(high, low, sum[k], rest[k]);
	renormalize(high, low);
}

/* ---- adding rows ---- */

/* where the low part of an element of G is */
static inline size_t
low_part(const OsmlGram *gram)
{
	return (size_t) gram->p * (size_t) gram->stride;
}

/* add a product to an element of G, row i >= column j */
static inline void
add_xx(OsmlGram *gram, size_t i, size_t j, double a, double b)
{
	double	   *high = gram->xx + i * (size_t) gram->stride + j;
	double		product = a * b;

	add_pair(high, high + low_part(gram), product, product_rest(a, b, product));
}

static Halves
column(const OsmlGramTile *tile, int j)
{
	size_t		at = (size_t) j * TILE_ROWS;

	return (Halves) {tile->x + at, tile->high + at, tile->low + at};
}

/* the place among the values of a row of a tile's column: the bias is last */
static int
value_of(const OsmlGram *gram, const OsmlGramTile *tile, int j)
{
	return j < tile->layout->n_dense ? j : gram->p - 1;
}

/* products of dense columns, ones and label */
static void
add_dense(OsmlGram *gram, const OsmlGramTile *tile, int n)
{
	int			label = tile->columns - 1;

	for (int i = 0; i <= label; i++)
	{
		Halves		a = column(tile, i);
		size_t		row = (size_t) value_of(gram, tile, i) * (size_t) gram->stride;

		for (int j = 0; j <= i; j++)
		{
			Halves		b = column(tile, j);
			double	   *to = gram->xx + row + value_of(gram, tile, j);

			if (i < label)
				osml_gram_dot(n, a, b, to, to + low_part(gram));
			else if (j < label)
				osml_gram_dot(n, a, b, gram->xy + value_of(gram, tile, j),
							  gram->xy + gram->stride + value_of(gram, tile, j));
			else
				osml_gram_dot(n, a, b, &gram->yy[0], &gram->yy[1]);
		}
	}
}

/* a row's categories, with each other, dense columns, ones and label */
static void
add_codes(OsmlGram *gram, const OsmlGramTile *tile, int r)
{
	const OsmlLayout *layout = tile->layout;
	double		one = tile->one[r];
	double		y = tile->x[(size_t) (tile->columns - 1) * TILE_ROWS + r];
	bool		bias = tile->columns - 1 > layout->n_dense;
	size_t		table = (size_t) layout->n_dense;

	for (int c = 0; c < layout->n_codes; c++)
	{
		size_t		i = table + (size_t) tile->code[c * TILE_ROWS + r];
		size_t		before = (size_t) layout->n_dense;

		for (int j = 0; j < layout->n_dense; j++)
			add_xx(gram, i, (size_t) j, one, tile->x[(size_t) j * TILE_ROWS + r]);
		for (int k = 0; k < c; k++)
		{
			add_xx(gram, i, before + (size_t) tile->code[k * TILE_ROWS + r], one, one);
			before += (size_t) layout->code_sizes[k];
		}
		add_xx(gram, i, i, one, one);
		if (bias)
			add_xx(gram, (size_t) gram->p - 1, i, one, one);
		add_pair(&gram->xy[i], &gram->xy[gram->stride + (int) i], one * y,
				 product_rest(one, y, one * y));
		table += (size_t) layout->code_sizes[c];
	}
}

/* the tile's rows into the sums */
static void
flush(OsmlGram *gram, OsmlGramTile *tile)
{
	int			n = (tile->rows + 3) / 4 * 4;

	for (int r = 0; r < tile->rows; r++)
		tile->one[r] = tile->layout->has_weight ? sqrt(tile->weight[r]) : 1;
	for (int j = 0; j < tile->columns; j++)
	{
		double	   *x = tile->x + (size_t) j * TILE_ROWS;

		for (int r = 0; tile->layout->has_weight && r < tile->rows; r++)
			x[r] *= tile->one[r];
		for (int r = tile->rows; r < n; r++)
			x[r] = 0;
		osml_gram_split(n, x, tile->high + (x - tile->x), tile->low + (x - tile->x));
	}
	add_dense(gram, tile, n);
	for (int r = 0; tile->layout->n_codes > 0 && r < tile->rows; r++)
		add_codes(gram, tile, r);
	for (int r = 0; r < tile->rows; r++)
		gram->weight += tile->weight[r];
	gram->rows += tile->rows;
	tile->rows = 0;
}

/* n values of a column in the compute type, from row lo on */
static void
take_column(const OsmlBlock *block, int j, OsmlPrecision precision, int lo, int n, double *out)
{
	const double *from = osml_block_column(block, j);

	if (precision == OSML_FLOAT64)
	{
		memcpy(out, from + lo, (size_t) n * sizeof(double));
		return;
	}
	for (int r = 0; r < n; r++)
		out[r] = ((const float *) from)[lo + r];
}

void
osml_gram_add(OsmlGram *gram, OsmlGramTile *tile, OsmlPrecision precision,
			  const OsmlBlock *block, int lo, int hi)
{
	const OsmlLayout *layout = tile->layout;
	int			label = tile->columns - 1;

	while (lo < hi)
	{
		int			room = TILE_ROWS - tile->rows;
		int			n = hi - lo < room ? hi - lo : room;
		double	   *to = tile->x + tile->rows;

		for (int j = 0; j < layout->n_dense; j++)
			take_column(block, j, precision, lo, n, to + (size_t) j * TILE_ROWS);
		take_column(block, layout->n_dense, precision, lo, n, to + (size_t) label * TILE_ROWS);
		if (layout->has_weight)
			take_column(block, layout->n_dense + 1, precision, lo, n, tile->weight + tile->rows);
		for (int r = 0; r < n; r++)
		{
			if (label > layout->n_dense)
				to[(size_t) layout->n_dense * TILE_ROWS + r] = 1;
			if (!layout->has_weight)
				tile->weight[tile->rows + r] = 1;
		}
		for (int c = 0; c < layout->n_codes; c++)
			memcpy(tile->code + c * TILE_ROWS + tile->rows,
				   osml_block_codes(block, layout, c) + lo, (size_t) n * sizeof(int32_t));
		tile->rows += n;
		lo += n;
		if (tile->rows == TILE_ROWS)
			flush(gram, tile);
	}
}

void
osml_gram_close(OsmlGram *gram, OsmlGramTile *tile)
{
	size_t		stride = (size_t) gram->stride;

	if (tile->rows > 0)
		flush(gram, tile);
	for (size_t i = 0; i < (size_t) gram->p; i++)
	{
		renormalize(&gram->xy[i], &gram->xy[stride + i]);
		for (size_t j = 0; j <= i; j++)
		{
			double	   *lower = gram->xx + i * stride + j;
			double	   *upper = gram->xx + j * stride + i;

			renormalize(lower, lower + low_part(gram));
			*upper = *lower;
			upper[low_part(gram)] = lower[low_part(gram)];
		}
	}
}

/* ---- loss and gradient ---- */

/* G times t: row j of G times t[j], added over j; G is symmetric */
OSML_CLONES static void
osml_gram_multiply(const OsmlGram *gram, const double *t, double *high, double *low)
{
	for (int i = 0; i < gram->stride; i += 4)
	{
		OsmlVec_f64 sum = {0};
		OsmlVec_f64 rest = {0};
		const double *at = gram->xx + i;

		for (int j = 0; j < gram->p; j++, at += gram->stride)
		{
			OsmlVec_f64 g = *(const OsmlVec_f64 *) at;
			OsmlVec_f64 g_low = *(const OsmlVec_f64 *) (at + low_part(gram));
			double		c = SPLITTER * t[j];
			double		th = c - (c - t[j]);
			double		tl = t[j] - th;
			OsmlVec_f64 d = g * SPLITTER;
			OsmlVec_f64 gh = d - (d - g);
			OsmlVec_f64 gl = g - gh;
			OsmlVec_f64 product = g * t[j];
			OsmlVec_f64 next = sum + product;
			OsmlVec_f64 part = next - sum;

			rest += (sum - (next - part)) + (product - part) +
				(((gh * th - product) + gh * tl + gl * th) + gl * tl) + g_low * t[j];
			sum = next;
		}
		*(OsmlVec_f64 *) (high + i) = sum;
		*(OsmlVec_f64 *) (low + i) = rest;
	}
}

bool
osml_gram_apply(const OsmlGram *gram, OsmlPrecision precision, const void *params,
				double *gradient, double *loss, double *scratch)
{
	double	   *high = scratch;
	double	   *low = scratch + gram->stride;
	double		t[OSML_GRAM_MAX_VALUES];
	double		sum = gram->yy[0];
	double		rest = gram->yy[1];
	double		greatest = gram->yy[0];
	bool		finite = true;

	for (int j = 0; j < gram->p; j++)
		t[j] = precision == OSML_FLOAT32 ? (double) ((const float *) params)[j] :
			((const double *) params)[j];
	osml_gram_multiply(gram, t, high, low);
	for (int j = 0; j < gram->p; j++)
	{
		/* Gt - c is half of the gradient, and with another -c what t'(Gt - 2c) has */
		add_pair(&high[j], &low[j], -gram->xy[j], -gram->xy[gram->stride + j]);
		renormalize(&high[j], &low[j]);
		gradient[j] = 2 * high[j];
		finite = finite && isfinite(gradient[j]);
		add_pair(&high[j], &low[j], -gram->xy[j], -gram->xy[gram->stride + j]);
		add_pair(&sum, &rest, t[j] * high[j],
				 product_rest(t[j], high[j], t[j] * high[j]) + t[j] * low[j]);
		greatest = fmax(greatest, fabs(t[j] * high[j]));
	}
	*loss = sum + rest;
	return finite && isfinite(*loss) && *loss > LEFT * greatest;
}
