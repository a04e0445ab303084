/*
 * classes.c
 *	  Counts and sums over rows of classes; see classes.h.
 */
#include "rules/metric/classes.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

/* what a tile's rows are found to be, a column at a time */
typedef struct Tile
{
	bool	   *valid;
	double		best[OSML_CLASS_TILE];	/* probability of the predicted class */
	double		own[OSML_CLASS_TILE];	/* of the row's own class */
	double		square[OSML_CLASS_TILE];	/* sum of squares over the classes */
	int			predicted[OSML_CLASS_TILE];
} Tile;

OsmlStatus
osml_class_sums_init(OsmlClassSums *sums, const OsmlArena *arena, int n_classes)
{
	*sums = (OsmlClassSums) {.n_classes = n_classes};
	sums->confusion = osml_arena_alloc(arena, (size_t) n_classes *
									   (size_t) n_classes * sizeof(OsmlConfusion));
	return sums->confusion != NULL ? OSML_OK : OSML_OUT_OF_MEMORY;
}

/* scikit-learn's: a probability of 0 costs 36, not infinity */
static inline double
log_loss(double p)
{
	return -log(fmin(fmax(p, DBL_EPSILON), 1 - DBL_EPSILON));
}

/* which rows count, before a label becomes an index */
static void
find_valid(Tile *tile, int n_classes, const double *y, const double *weight, int n)
{
	for (int i = 0; i < n; i++)
		tile->valid[i] = y[i] >= 0 && y[i] < n_classes && y[i] == floor(y[i]) &&
			(weight == NULL || (weight[i] >= 0 && weight[i] < INFINITY));
}

/* rows of two classes with one probability */
static void
look_binary(Tile *tile, const double *z, const double *y, int n)
{
	for (int i = 0; i < n; i++)
	{
		tile->valid[i] = tile->valid[i] && z[i] >= 0 && z[i] <= 1;
		tile->predicted[i] = z[i] > 0.5;
		tile->best[i] = z[i];
		tile->own[i] = y[i] == 1 ? z[i] : 1 - z[i];
		tile->square[i] = (1 - tile->own[i]) * (1 - tile->own[i]);
	}
}

/* rows with a probability a class */
static void
look_classes(Tile *tile, int n_classes, const double *z, int stride,
			 const double *y, int n)
{
	for (int i = 0; i < n; i++)
	{
		tile->best[i] = -1;
		tile->own[i] = 0;
		tile->square[i] = 0;
		tile->predicted[i] = 0;
	}
	for (int c = 0; c < n_classes; c++)
	{
		const double *p = z + (size_t) c * (size_t) stride;

		for (int i = 0; i < n; i++)
		{
			double		miss = y[i] == c ? 1 - p[i] : p[i];

			tile->valid[i] = tile->valid[i] && p[i] >= 0 && p[i] <= 1;
			tile->square[i] += miss * miss;
			tile->own[i] = y[i] == c ? p[i] : tile->own[i];
			tile->predicted[i] = p[i] > tile->best[i] ? c : tile->predicted[i];
			tile->best[i] = p[i] > tile->best[i] ? p[i] : tile->best[i];
		}
	}
}

/* the bin of a probability */
static OsmlCalibrationBin *
bin_of(OsmlClassSums *sums, double p)
{
	int			bin = (int) (p * OSML_CALIBRATION_BINS);

	return &sums->bins[bin < OSML_CALIBRATION_BINS ? bin : OSML_CALIBRATION_BINS - 1];
}

void
osml_class_sums_add(OsmlClassSums *sums, bool binary, const double *z, int stride,
					const double *y, const double *weight, int n, bool *valid)
{
	Tile		tile = {.valid = valid};
	double		total = 0;		/* tiles first, so that sums of many rows stay exact */
	double		loss = 0;
	double		brier = 0;

	find_valid(&tile, sums->n_classes, y, weight, n);
	if (binary)
		look_binary(&tile, z, y, n);
	else
		look_classes(&tile, sums->n_classes, z, stride, y, n);
	for (int i = 0; i < n; i++)
	{
		double		w = weight ? weight[i] : 1;
		OsmlCalibrationBin *bin;
		OsmlConfusion *cell;
		int			predicted = tile.predicted[i];

		sums->n_invalid += !valid[i];
		if (!valid[i])
			continue;
		total += w;
		loss += w * log_loss(tile.own[i]);
		brier += w * tile.square[i];
		cell = &sums->confusion[(int) y[i] * sums->n_classes + predicted];
		cell->rows++;
		cell->weight += w;
		bin = bin_of(sums, tile.best[i]);
		bin->rows++;
		bin->weight += w;
		bin->probability += w * tile.best[i];
		bin->came_true += (binary ? y[i] == 1 : y[i] == predicted) ? w : 0;
	}
	sums->weight += total;
	sums->log_loss += loss;
	sums->brier += brier;
}

void
osml_class_sums_merge(OsmlClassSums *into, const OsmlClassSums *from)
{
	into->n_invalid += from->n_invalid;
	into->weight += from->weight;
	into->log_loss += from->log_loss;
	into->brier += from->brier;
	for (int i = 0; i < into->n_classes * into->n_classes; i++)
	{
		into->confusion[i].rows += from->confusion[i].rows;
		into->confusion[i].weight += from->confusion[i].weight;
	}
	for (int i = 0; i < OSML_CALIBRATION_BINS; i++)
	{
		into->bins[i].rows += from->bins[i].rows;
		into->bins[i].weight += from->bins[i].weight;
		into->bins[i].probability += from->bins[i].probability;
		into->bins[i].came_true += from->bins[i].came_true;
	}
}

/* --- reading ------------------------------------------------------------ */

static double
right(const OsmlClassSums *sums, int c)
{
	return sums->confusion[c * sums->n_classes + c].weight;
}

double
osml_class_actual(const OsmlClassSums *sums, int c)
{
	double		sum = 0;

	for (int j = 0; j < sums->n_classes; j++)
		sum += sums->confusion[c * sums->n_classes + j].weight;
	return sum;
}

double
osml_class_predicted(const OsmlClassSums *sums, int c)
{
	double		sum = 0;

	for (int i = 0; i < sums->n_classes; i++)
		sum += sums->confusion[i * sums->n_classes + c].weight;
	return sum;
}

static double
ratio(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

double
osml_class_precision(const OsmlClassSums *sums, int c)
{
	return ratio(right(sums, c), osml_class_predicted(sums, c));
}

double
osml_class_recall(const OsmlClassSums *sums, int c)
{
	return ratio(right(sums, c), osml_class_actual(sums, c));
}

double
osml_class_f1(const OsmlClassSums *sums, int c)
{
	return ratio(2 * right(sums, c),
				 osml_class_actual(sums, c) + osml_class_predicted(sums, c));
}

double
osml_class_average(const OsmlClassSums *sums,
				   double (*of) (const OsmlClassSums *sums, int c), bool of_actual)
{
	double		sum = 0;
	int			n = 0;

	for (int c = 0; c < sums->n_classes; c++)
	{
		if (osml_class_actual(sums, c) > 0 ||
			(!of_actual && osml_class_predicted(sums, c) > 0))
		{
			sum += of(sums, c);
			n++;
		}
	}
	return n > 0 ? sum / n : NAN;
}
