/*
 * sums.c
 *	  Centred products of all pairs of columns, block by block; see sums.h.
 *
 * A block is copied to scratch with its columns centred and padded with zero
 * columns to a multiple of TILE; the label counts as column d.  Then the lower
 * triangle is walked in TILE x TILE tiles of dot products.  STRIDE is a little
 * more than a block's rows, since columns 8 KB apart would all fall on the
 * same lines of the L1 cache.
 */
#include "compute/sums.h"

#include "compute/kernel_lanes.h"
#include "compute/sums_codes.h"

#define TILE 4
#define STRIDE (OSML_BLOCK_ROWS + 8)

/* columns of scratch: dense columns and label, rounded up to whole tiles */
static int
padded(int d)
{
	return (d + 1 + TILE - 1) / TILE * TILE;
}

/* the struct, and the arrays in the order of osml_sums_init */
size_t
osml_sums_bytes(const OsmlLayout *layout)
{
	size_t		n_dense = (size_t) layout->n_dense;
	size_t		n_codes = (size_t) layout->n_codes;
	size_t		categories = osml_layout_entries(layout);
	size_t		pairs = osml_sums_pairs(layout);
	size_t		fixed = sizeof(OsmlSums) + n_codes * sizeof(size_t) +
		(n_codes + 1 + categories) * sizeof(int) +
		(4 * n_dense + 2 + n_dense * n_dense + categories * (n_dense + 3)) *
		sizeof(double);

	return pairs > (SIZE_MAX - fixed) / sizeof(double) ? SIZE_MAX :
		fixed + pairs * sizeof(double);
}

/* lay out an empty one */
OsmlSums *
osml_sums_init(void *memory, const OsmlLayout *layout)
{
	OsmlSums   *sums = memory;
	int			n_dense = layout->n_dense;
	size_t		categories = osml_layout_entries(layout);

	memset(memory, 0, osml_sums_bytes(layout));
	sums->d = n_dense + (int) categories;
	sums->n_dense = n_dense;
	sums->n_codes = layout->n_codes;
	sums->mean = (double *) (sums + 1);
	sums->origin = sums->mean + sums->d;
	sums->shift = sums->origin + n_dense + 1;
	sums->xy = sums->shift + n_dense + 1;
	sums->xx = sums->xy + sums->d;
	sums->cx = sums->xx + (size_t) n_dense * (size_t) n_dense;
	sums->count = sums->cx + categories * (size_t) n_dense;
	sums->together = sums->count + categories;
	sums->pair_at = (size_t *) (sums->together + osml_sums_pairs(layout));
	sums->table = (int *) (sums->pair_at + sums->n_codes);
	sums->owner = sums->table + sums->n_codes + 1;
	osml_sums_number_codes(sums, layout);
	return sums;
}

/* bytes of the centred columns and of the distances of block means from means */
static size_t
dense_scratch(int n_dense)
{
	return (size_t) padded(n_dense) * (STRIDE + 1) * sizeof(double);
}

/* those, then what the categories need */
size_t
osml_sums_scratch(const OsmlLayout *layout)
{
	return dense_scratch(layout->n_dense) + osml_sums_codes_scratch(layout);
}

/*
 * Centre a column of n values on its own mean, into out, padded with zeros to
 * whole lanes.  Returns the mean, measured from origin.
 */
OSML_CLONES static double
osml_sums_centre(const double *x, int n, double origin, double *out)
{
	static const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
	OsmlLanes_f64 sum = {{0}, {0}};
	double		mean;

	for (int i = 0; i < n; i++)
		out[i] = x[i] - origin;
	for (int i = n; i % 8 != 0; i++)
		out[i] = 0;
	for (int i = 0; i < n; i += 8)
		osml_lanes_add_product_f64(&sum, out + i, ones);
	mean = osml_lanes_total_f64(&sum) / n;
	for (int i = 0; i < n; i++)
		out[i] -= mean;
	return mean;
}

/*
 * Dot products over n rows (in whole lanes) of two columns a, a + STRIDE with
 * two columns b, b + STRIDE; out has rows of TILE.  Four sums at a time are
 * what sixteen registers hold.
 */
OSML_RULE void
dot_2x2(int n, const double *a, const double *b, double *out)
{
	OsmlLanes_f64 sum00 = {{0}, {0}};
	OsmlLanes_f64 sum01 = {{0}, {0}};
	OsmlLanes_f64 sum10 = {{0}, {0}};
	OsmlLanes_f64 sum11 = {{0}, {0}};

	for (int i = 0; i < n; i += 8)
	{
		osml_lanes_add_product_f64(&sum00, a + i, b + i);
		osml_lanes_add_product_f64(&sum01, a + i, b + STRIDE + i);
		osml_lanes_add_product_f64(&sum10, a + STRIDE + i, b + i);
		osml_lanes_add_product_f64(&sum11, a + STRIDE + i, b + STRIDE + i);
	}
	out[0] = osml_lanes_total_f64(&sum00);
	out[1] = osml_lanes_total_f64(&sum01);
	out[TILE] = osml_lanes_total_f64(&sum10);
	out[TILE + 1] = osml_lanes_total_f64(&sum11);
}

/* the same for TILE columns from a and TILE from b */
OSML_CLONES static void
osml_sums_tile(int n, const double *a, const double *b, double *out)
{
	for (int i = 0; i < TILE; i += 2)
		for (int j = 0; j < TILE; j += 2)
			dot_2x2(n, a + i * STRIDE, b + j * STRIDE, out + i * TILE + j);
}

/* where the sum of products of dense columns i >= j is kept; NULL for padding */
static double *
entry(OsmlSums *sums, int i, int j)
{
	if (i > sums->n_dense)
		return NULL;
	if (i == sums->n_dense)
		return j == sums->n_dense ? &sums->m2_y : &sums->xy[j];
	return &sums->xx[(size_t) i * (size_t) sums->n_dense + (size_t) j];
}

/*
 * Add a block's products: those inside the block and, factor * delta delta',
 * those of its means with the means so far.
 */
static void
add_products(OsmlSums *sums, int n, const double *centred, const double *delta,
			 double factor)
{
	double		tile[TILE * TILE];

	for (int i = 0; i <= sums->n_dense; i += TILE)
	{
		for (int j = 0; j <= i; j += TILE)
		{
			osml_sums_tile(n, centred + (size_t) i * STRIDE,
						   centred + (size_t) j * STRIDE, tile);
			for (int k = 0; k < TILE * TILE; k++)
			{
				int			row = i + k / TILE;
				int			col = j + k % TILE;
				double	   *sum = col <= row ? entry(sums, row, col) : NULL;

				if (sum != NULL)
					*sum += tile[k] + factor * delta[row] * delta[col];
			}
		}
	}
}

/* copy the lower triangle of the matrix to the upper one */
static void
mirror(OsmlSums *sums)
{
	size_t		d = (size_t) sums->n_dense;

	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < i; j++)
			sums->xx[j * d + i] = sums->xx[i * d + j];
}

/* all means move by share * delta */
static void
move_means(OsmlSums *sums, const double *delta, double share)
{
	for (int j = 0; j <= sums->n_dense; j++)
		sums->shift[j] += delta[j] * share;
	for (int j = 0; j < sums->n_dense; j++)
		sums->mean[j] = sums->origin[j] + sums->shift[j];
	sums->mean_y = sums->origin[sums->n_dense] + sums->shift[sums->n_dense];
}

/* add a raw block; the label follows the d = n_dense dense columns */
void
osml_sums_block(OsmlSums *sums, const OsmlLayout *layout, const OsmlBlock *raw,
				void *scratch)
{
	int			d = layout->n_dense;
	int			n = raw->nrows;
	double	   *centred = scratch;
	double	   *delta = centred + (size_t) padded(d) * STRIDE;
	double		share = (double) n / (double) (sums->n + n);

	if (n == 0)
		return;
	for (int j = 0; j < padded(d); j++)
	{
		double	   *out = centred + (size_t) j * STRIDE;
		const double *x = osml_block_column(raw, j);

		if (j > d)
		{
			memset(out, 0, STRIDE * sizeof(double));
			delta[j] = 0;
			continue;
		}
		if (sums->n == 0)
			sums->origin[j] = x[0];
		delta[j] = osml_sums_centre(x, n, sums->origin[j], out) - sums->shift[j];
	}
	add_products(sums, n, centred, delta, (double) sums->n * share);
	osml_sums_codes(sums, layout, raw, centred, STRIDE, delta,
					(char *) scratch + dense_scratch(d));
	mirror(sums);
	move_means(sums, delta, share);
	sums->n += n;
	osml_sums_shares(sums);
}

/*
 * Add another reader's or replica's sums.  delta is scratch of n_dense + 1
 * values: how far from's means are from into's.
 */
void
osml_sums_merge(OsmlSums *into, const OsmlSums *from, double *delta)
{
	size_t		d = (size_t) into->n_dense;
	double		share = (double) from->n / (double) (into->n + from->n);
	double		factor = (double) into->n * share;

	if (from->n == 0)
		return;
	for (size_t j = 0; j <= d; j++)
	{
		if (into->n == 0)
			into->origin[j] = from->origin[j];
		delta[j] = (from->origin[j] - into->origin[j]) +
			(from->shift[j] - into->shift[j]);
	}
	for (size_t i = 0; i < d; i++)
	{
		for (size_t j = 0; j < d; j++)
			into->xx[i * d + j] += from->xx[i * d + j] +
				factor * delta[i] * delta[j];
		into->xy[i] += from->xy[i] + factor * delta[i] * delta[d];
	}
	into->m2_y += from->m2_y + factor * delta[d] * delta[d];
	osml_sums_merge_codes(into, from, delta);
	move_means(into, delta, share);
	into->n += from->n;
	osml_sums_shares(into);
}

/* the centred product of any two columns */
double
osml_sums_product(const OsmlSums *sums, int i, int j)
{
	int			d = sums->n_dense;
	int			low = i < j ? i : j;
	int			high = i < j ? j : i;

	if (high < d)
		return sums->xx[(size_t) high * (size_t) d + (size_t) low];
	if (low < d)
		return sums->cx[(size_t) (high - d) * (size_t) d + (size_t) low];
	return osml_sums_categories(sums, high - d, low - d);
}
