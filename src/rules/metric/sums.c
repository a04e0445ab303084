/*
 * sums.c
 *	  Sums over rows of amounts and counts; see sums.h.
 *
 * Each sum is kept in LANES parts, row i in part i mod LANES, and the parts are
 * added by halving: additions do not wait for each other, and the order, which
 * is part of the result, is in the source.
 */
#include "rules/metric/sums.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "compute/kernels.h"

/* rows at a time: the second look at them finds them in L1 */
#define TILE 512
#define LANES 4

typedef OsmlVec_f64 Vec;
typedef int64_t Bits __attribute__((vector_size(32)));

/* sums of one look at a tile, a lane for every LANES-th row */
typedef struct Lanes
{
	Vec			sq;
	Vec			abs;
	Vec			relative;
	Vec			label;
	Vec			label_sq;
	Vec			error;
	Vec			error_sq;
} Lanes;

/* LANES rows: where their values are */
typedef struct Rows
{
	const double *z;
	const double *y;
	const double *w;
} Rows;

/* add the lanes up; pointers, because vectors are never passed: see kernels.h */
OSML_RULE double
lanes_sum(const Vec *lane)
{
	return ((*lane)[0] + (*lane)[2]) + ((*lane)[1] + (*lane)[3]);
}

static const double ones[LANES] = {1, 1, 1, 1};

/* the rows from i on, all LANES of them */
OSML_RULE Rows
full_rows(const double *z, const double *y, const double *weight, int i)
{
	return (Rows) {z + i, y + i, weight ? weight + i : ones};
}

/* the last rows, fewer than LANES; those behind them weigh nothing */
static Rows
last_rows(const double *z, const double *y, const double *weight, int i, int n,
		  double copy[3][LANES])
{
	memset(copy, 0, 3 * sizeof(copy[0]));
	for (int l = 0; i + l < n; l++)
	{
		copy[0][l] = z[i + l];
		copy[1][l] = y[i + l];
		copy[2][l] = weight ? weight[i + l] : 1;
	}
	return (Rows) {copy[0], copy[1], copy[2]};
}

/* |*x|, of every lane */
OSML_RULE void
make_absolute(Vec *x)
{
	*x = (Vec) ((Bits) *x & INT64_MAX);
}

/* first look: plain sums */
OSML_RULE void
look_first(Lanes *lanes, Rows rows)
{
	const Vec	least = {DBL_EPSILON, DBL_EPSILON, DBL_EPSILON, DBL_EPSILON};
	Vec			y = *(const Vec *) rows.y;
	Vec			w = *(const Vec *) rows.w;
	Vec			error = *(const Vec *) rows.z - y;
	Vec			size = error;
	Vec			label = y;
	Bits		tiny;

	make_absolute(&size);
	make_absolute(&label);
	tiny = (Bits) (label < least);	/* scikit-learn's stand-in for a label of 0 */
	label = (Vec) (((Bits) least & tiny) | ((Bits) label & ~tiny));
	lanes->sq += w * (error * error);
	lanes->abs += w * size;
	lanes->relative += w * (size / label);
	lanes->label += w * y;
	lanes->error += w * error;
}

/* second look: sums around the means that the first one found */
OSML_RULE void
look_again(Lanes *lanes, Rows rows, double label_mean, double error_mean)
{
	Vec			y = *(const Vec *) rows.y;
	Vec			w = *(const Vec *) rows.w;
	Vec			label = y - label_mean;
	Vec			error = *(const Vec *) rows.z - y - error_mean;

	lanes->label += w * label;
	lanes->label_sq += w * (label * label);
	lanes->error += w * error;
	lanes->error_sq += w * (error * error);
}

/* the sums of a tile whose weight is known */
OSML_CLONES static void
osml_metric_look(OsmlMetricSums *part, const double *z, const double *y,
				 const double *weight, int n)
{
	int			full = n - n % LANES;
	double		copy[3][LANES];
	Rows		last = last_rows(z, y, weight, full, n, copy);
	Lanes		lanes = {.sq = {0}};
	Lanes		around = {.sq = {0}};
	double		rest;

	for (int i = 0; i < full; i += LANES)
		look_first(&lanes, full_rows(z, y, weight, i));
	look_first(&lanes, last);
	part->sum_sq = lanes_sum(&lanes.sq);
	part->sum_abs = lanes_sum(&lanes.abs);
	part->sum_relative = lanes_sum(&lanes.relative);
	part->label_mean = lanes_sum(&lanes.label) / part->weight;
	part->error_mean = lanes_sum(&lanes.error) / part->weight;
	for (int i = 0; i < full; i += LANES)
		look_again(&around, full_rows(z, y, weight, i), part->label_mean,
				   part->error_mean);
	look_again(&around, last, part->label_mean, part->error_mean);

	/* less what the rounding of the means left over */
	rest = lanes_sum(&around.label);
	part->label_m2 = lanes_sum(&around.label_sq) - rest * rest / part->weight;
	part->label_mean += rest / part->weight;
	rest = lanes_sum(&around.error);
	part->error_m2 = lanes_sum(&around.error_sq) - rest * rest / part->weight;
	part->error_mean += rest / part->weight;
}

/* a label of 0 has no logarithm and needs none */
static inline double
times_log(double y, double ratio)
{
	return y == 0 ? 0 : y * log(ratio);
}

/* what only counts need: two logarithms a row */
static void
count_look(OsmlMetricSums *part, const double *z, const double *y,
		   const double *weight, int n)
{
	for (int i = 0; i < n; i++)
	{
		double		w = weight ? weight[i] : 1;

		part->deviance += w * (times_log(y[i], y[i] / z[i]) - y[i] + z[i]);
		part->label_log += w * times_log(y[i], y[i]);
	}
}

/*
 * Add n rows.  Labels and errors are centred on the mean of their tile before
 * they are squared, so that r2 survives labels such as 1e9 plus a little.
 */
void
osml_metric_sums_add(OsmlMetricSums *sums, const double *z, const double *y,
					 const double *weight, int n, bool counts)
{
	for (int start = 0; start < n; start += TILE)
	{
		int			rows = n - start < TILE ? n - start : TILE;
		const double *w = weight ? weight + start : NULL;
		OsmlMetricSums part = {.weight = rows};

		if (w != NULL)
		{
			part.weight = 0;
			for (int i = 0; i < rows; i++)
				part.weight += w[i];
		}
		if (part.weight == 0)
			continue;
		osml_metric_look(&part, z + start, y + start, w, rows);
		if (counts)
			count_look(&part, z + start, y + start, w, rows);
		osml_metric_sums_merge(sums, &part);
	}
}

/* mean and squares around it of two parts; Chan, Golub and LeVeque (1983) */
static void
merge_moments(double *mean, double *m2, double weight,
			  const double *from_mean, const double *from_m2, double from_weight)
{
	double		total = weight + from_weight;
	double		delta = *from_mean - *mean;

	*m2 += *from_m2 + delta * delta * (weight / total) * from_weight;
	*mean += delta * (from_weight / total);
}

/* add the sums of another part */
void
osml_metric_sums_merge(OsmlMetricSums *into, const OsmlMetricSums *from)
{
	if (from->weight == 0)
		return;
	merge_moments(&into->label_mean, &into->label_m2, into->weight,
				  &from->label_mean, &from->label_m2, from->weight);
	merge_moments(&into->error_mean, &into->error_m2, into->weight,
				  &from->error_mean, &from->error_m2, from->weight);
	into->sum_sq += from->sum_sq;
	into->sum_abs += from->sum_abs;
	into->sum_relative += from->sum_relative;
	into->deviance += from->deviance;
	into->label_log += from->label_log;
	into->weight += from->weight;
}

/* --- reading ------------------------------------------------------------ */

double
osml_metric_explained(double part, double whole)
{
	if (whole == 0)
		return part == 0 ? 1 : part > 0 ? 0 : NAN;
	return 1 - part / whole;
}

static double
square(double mean, double m2, double weight)
{
	double		rounding = 2 * DBL_EPSILON * mean;

	return m2 <= weight * rounding * rounding ? 0 : m2;
}

double
osml_metric_label_square(const OsmlMetricSums *sums)
{
	return square(sums->label_mean, sums->label_m2, sums->weight);
}

double
osml_metric_error_square(const OsmlMetricSums *sums)
{
	return square(sums->error_mean, sums->error_m2, sums->weight);
}
