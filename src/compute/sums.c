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

#include <math.h>

#include "compute/kernels.h"
#include "compute/stats.h"

#define TILE 4
#define STRIDE (OSML_BLOCK_ROWS + 8)

/* columns of scratch: dense columns and label, rounded up to whole tiles */
static int
padded(int d)
{
	return (d + 1 + TILE - 1) / TILE * TILE;
}

/* the struct, four vectors of d and the d x d matrix */
size_t
osml_sums_bytes(int d)
{
	return sizeof(OsmlSums) +
		(4 * (size_t) d + (size_t) d * (size_t) d) * sizeof(double);
}

/* lay out an empty one */
OsmlSums *
osml_sums_init(void *memory, int d)
{
	OsmlSums   *sums = memory;
	double	   *next = (double *) (sums + 1);

	memset(memory, 0, osml_sums_bytes(d));
	sums->d = d;
	sums->mean = next;
	sums->min = next + d;
	sums->max = next + 2 * (size_t) d;
	sums->xy = next + 3 * (size_t) d;
	sums->xx = next + 4 * (size_t) d;
	sums->min_y = INFINITY;
	sums->max_y = -INFINITY;
	for (int j = 0; j < d; j++)
	{
		sums->min[j] = INFINITY;
		sums->max[j] = -INFINITY;
	}
	return sums;
}

/* the centred columns, and the distance of each block mean from the mean */
size_t
osml_sums_scratch(int d)
{
	return (size_t) padded(d) * (STRIDE + 1) * sizeof(double);
}

/* out = x - mean, padded with zeros to whole vectors */
OSML_CLONES static void
osml_sums_centre(const double *x, int n, double mean, double *out)
{
	for (int i = 0; i < n; i++)
		out[i] = x[i] - mean;
	for (int i = n; i % 8 != 0; i++)
		out[i] = 0;
}

/* dot products of columns a, a + STRIDE, .. with b, b + STRIDE, .. over n rows */
OSML_CLONES static void
osml_sums_tile(int n, const double *a, const double *b,
			   double out[TILE * TILE])
{
	for (int half = 0; half < TILE; half += 2)
	{
		const double *a0 = a + half * STRIDE;
		const double *a1 = a0 + STRIDE;
		OsmlVec_f64 sum[2 * TILE] = {{0}};

		for (int i = 0; i < n; i += 8)
		{
			OsmlVec_f64 x0 = *(const OsmlVec_f64 *) (a0 + i);
			OsmlVec_f64 x1 = *(const OsmlVec_f64 *) (a1 + i);

			for (int k = 0; k < TILE; k++)
			{
				OsmlVec_f64 y = *(const OsmlVec_f64 *) (b + k * STRIDE + i);

				sum[k] += x0 * y;
				sum[TILE + k] += x1 * y;
			}
		}
		for (int k = 0; k < 2 * TILE; k++)
			OSML_ADD_LANES(double, sum[k], 8, out[half * TILE + k]);
	}
}

/*
 * Centre column j of the block (or the label, j = d) into scratch and update
 * its range.  Returns the block's mean.
 */
static double
centre_column(OsmlSums *sums, int j, const double *x, int n, double *out)
{
	double	   *min = j < sums->d ? &sums->min[j] : &sums->min_y;
	double	   *max = j < sums->d ? &sums->max[j] : &sums->max_y;
	OsmlColumnStats stats;

	osml_stats_init(&stats, 1);
	osml_stats_column(&stats, x, n);
	osml_sums_centre(x, n, stats.mean, out);
	*min = stats.min < *min ? stats.min : *min;
	*max = stats.max > *max ? stats.max : *max;
	return stats.mean;
}

/* where the sum of products of columns i >= j is kept; NULL for padding */
static double *
entry(OsmlSums *sums, int i, int j)
{
	if (i > sums->d)
		return NULL;
	if (i == sums->d)
		return j == sums->d ? &sums->m2_y : &sums->xy[j];
	return &sums->xx[(size_t) i * (size_t) sums->d + (size_t) j];
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

	for (int i = 0; i <= sums->d; i += TILE)
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
	size_t		d = (size_t) sums->d;

	for (size_t i = 0; i < d; i++)
		for (size_t j = 0; j < i; j++)
			sums->xx[j * d + i] = sums->xx[i * d + j];
}

/* a constant column keeps exactly its value as mean */
static void
move_means(OsmlSums *sums, const double *delta, double share)
{
	for (int j = 0; j < sums->d; j++)
		sums->mean[j] = sums->min[j] == sums->max[j] ? sums->min[j] :
			sums->mean[j] + delta[j] * share;
	sums->mean_y = sums->min_y == sums->max_y ? sums->min_y :
		sums->mean_y + delta[sums->d] * share;
}

/* add a raw block */
void
osml_sums_block(OsmlSums *sums, const OsmlLayout *layout, const OsmlBlock *raw,
				void *scratch)
{
	int			d = sums->d;
	int			n = raw->nrows;
	double	   *centred = scratch;
	double	   *delta = centred + (size_t) padded(d) * STRIDE;
	double		share = (double) n / (double) (sums->n + n);

	if (n == 0)
		return;
	for (int j = 0; j <= d; j++)
		delta[j] = centre_column(sums, j, osml_block_column(raw, j), n,
								 centred + (size_t) j * STRIDE) -
			(j < d ? sums->mean[j] : sums->mean_y);
	for (int j = d + 1; j < padded(d); j++)
	{
		memset(centred + (size_t) j * STRIDE, 0, STRIDE * sizeof(double));
		delta[j] = 0;
	}
	(void) layout;				/* the label follows the d dense columns */
	add_products(sums, n, centred, delta, (double) sums->n * share);
	mirror(sums);
	move_means(sums, delta, share);
	sums->n += n;
}

/* add another reader's or replica's sums */
void
osml_sums_merge(OsmlSums *into, const OsmlSums *from)
{
	size_t		d = (size_t) into->d;
	double		share = (double) from->n / (double) (into->n + from->n);
	double		factor = (double) into->n * share;
	double		delta_y = from->mean_y - into->mean_y;

	if (from->n == 0)
		return;
	for (size_t i = 0; i < d; i++)
	{
		double		delta = from->mean[i] - into->mean[i];

		for (size_t j = 0; j < d; j++)
			into->xx[i * d + j] += from->xx[i * d + j] +
				factor * delta * (from->mean[j] - into->mean[j]);
		into->xy[i] += from->xy[i] + factor * delta * delta_y;
	}
	into->m2_y += from->m2_y + factor * delta_y * delta_y;
	into->mean_y += delta_y * share;
	into->n += from->n;
	for (size_t j = 0; j < d; j++)
	{
		into->mean[j] += (from->mean[j] - into->mean[j]) * share;
		into->min[j] = fmin(into->min[j], from->min[j]);
		into->max[j] = fmax(into->max[j], from->max[j]);
		if (into->min[j] == into->max[j])
			into->mean[j] = into->min[j];
	}
	into->min_y = fmin(into->min_y, from->min_y);
	into->max_y = fmax(into->max_y, from->max_y);
	if (into->min_y == into->max_y)
		into->mean_y = into->min_y;
}
