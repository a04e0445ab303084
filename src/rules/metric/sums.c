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

/* LANES rows */
typedef struct Rows
{
	Vec			z;
	Vec			y;
	Vec			w;
} Rows;

/* add the lanes up; pointers, because vectors are never passed: see kernels.h */
OSML_RULE double
lanes_sum(const Vec *lane)
{
	return ((*lane)[0] + (*lane)[2]) + ((*lane)[1] + (*lane)[3]);
}

/* the rows from i on; those behind the n-th weigh nothing */
OSML_RULE void
get_rows(Rows *rows, const double *z, const double *y, const double *weight,
		 int i, int n)
{
	if (i + LANES <= n)
	{
		rows->z = *(const Vec *) (z + i);
		rows->y = *(const Vec *) (y + i);
		rows->w = weight ? *(const Vec *) (weight + i) : (Vec) {1, 1, 1, 1};
		return;
	}
	*rows = (Rows) {.z = {0}};
	for (int l = 0; i + l < n; l++)
	{
		rows->z[l] = z[i + l];
		rows->y[l] = y[i + l];
		rows->w[l] = weight ? weight[i + l] : 1;
	}
}

/* |*x|, of every lane */
OSML_RULE void
make_absolute(Vec *x)
{
	*x = (Vec) ((Bits) *x & INT64_MAX);
}

/* first look: plain sums */
OSML_RULE void
look_first(Lanes *lanes, const Rows *rows)
{
	const Vec	least = {DBL_EPSILON, DBL_EPSILON, DBL_EPSILON, DBL_EPSILON};
	Vec			error = rows->z - rows->y;
	Vec			size = error;
	Vec			label = rows->y;
	Bits		tiny;

	make_absolute(&size);
	make_absolute(&label);
	tiny = (Bits) (label < least);	/* scikit-learn's stand-in for a label of 0 */
	label = (Vec) (((Bits) least & tiny) | ((Bits) label & ~tiny));
	lanes->sq += rows->w * (error * error);
	lanes->abs += rows->w * size;
	lanes->relative += rows->w * (size / label);
	lanes->label += rows->w * rows->y;
	lanes->error += rows->w * error;
}

/* second look: sums around the means that the first one found */
OSML_RULE void
look_again(Lanes *lanes, const Rows *rows, const OsmlMetricSums *part)
{
	Vec			label = rows->y - part->label_mean;
	Vec			error = rows->z - rows->y - part->error_mean;

	lanes->label += rows->w * label;
	lanes->label_sq += rows->w * (label * label);
	lanes->error += rows->w * error;
	lanes->error_sq += rows->w * (error * error);
}

/* the sums of a tile whose weight is known */
OSML_CLONES static void
osml_metric_look(OsmlMetricSums *part, const double *z, const double *y,
				 const double *weight, int n)
{
	Lanes		lanes = {.sq = {0}};
	Lanes		around = {.sq = {0}};
	Rows		rows;
	double		rest;

	for (int i = 0; i < n; i += LANES)
	{
		get_rows(&rows, z, y, weight, i, n);
		look_first(&lanes, &rows);
	}
	part->sum_sq = lanes_sum(&lanes.sq);
	part->sum_abs = lanes_sum(&lanes.abs);
	part->sum_relative = lanes_sum(&lanes.relative);
	part->label_mean = lanes_sum(&lanes.label) / part->weight;
	part->error_mean = lanes_sum(&lanes.error) / part->weight;
	for (int i = 0; i < n; i += LANES)
	{
		get_rows(&rows, z, y, weight, i, n);
		look_again(&around, &rows, part);
	}
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
