/*
 * measure.c
 *	  What is kept of rows for metrics; see measure.h.
 */
#include "rules/metric/measure.h"

#include <math.h>

/* scores in order for each class, or for errors */
static OsmlStatus
create_ranks(OsmlMeasure *measure)
{
	bool		several = measure->task == OSML_TASK_CLASSES &&
		measure->ranked == OSML_RANKED_ALL;
	int			capacity = OSML_MEASURE_SCORES;

	measure->n_ranks = several ? measure->n_classes : 1;
	while ((int64_t) capacity * measure->n_ranks > OSML_MEASURE_ALL_SCORES)
		capacity /= 2;
	measure->ranks = osml_arena_alloc(measure->arena,
									  (size_t) measure->n_ranks * sizeof(OsmlRank));
	if (measure->ranks == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int c = 0; c < measure->n_ranks; c++)
		osml_rank_init(&measure->ranks[c], measure->arena, capacity,
					   measure->n_classes > 0);
	return OSML_OK;
}

OsmlMeasure *
osml_measure_create(const OsmlArena *arena, OsmlTask task, int n_classes, int ranked)
{
	OsmlMeasure *measure = osml_arena_alloc(arena, sizeof(OsmlMeasure));
	OsmlStatus	status = OSML_OK;

	if (measure == NULL)
		return NULL;
	*measure = (OsmlMeasure) {.arena = arena, .task = task, .ranked = ranked};
	if (task == OSML_TASK_CLASSES)
		measure->n_classes = n_classes;
	else
		measure->n_classes = task == OSML_TASK_BINARY ? 2 : 0;
	if (measure->n_classes > 0)
		status = osml_class_sums_init(&measure->classes, arena, measure->n_classes);
	if (status == OSML_OK && ranked != OSML_RANKED_NONE)
		status = create_ranks(measure);
	if (status == OSML_OK)
		return measure;
	osml_measure_free(measure);
	return NULL;
}

void
osml_measure_free(OsmlMeasure *measure)
{
	if (measure == NULL)
		return;
	for (int c = 0; measure->ranks != NULL && c < measure->n_ranks; c++)
		osml_rank_clear(&measure->ranks[c]);
	osml_arena_release(measure->arena, measure->ranks);
	osml_arena_release(measure->arena, measure->classes.confusion);
	osml_arena_release(measure->arena, measure);
}

/* the class of the first rank; all of a binary model is its second class */
static int
first_ranked(const OsmlMeasure *measure)
{
	if (measure->ranked >= 0)
		return measure->ranked;
	return measure->task == OSML_TASK_BINARY ? 1 : 0;
}

/* --- rows in ------------------------------------------------------------- */

/* amounts and counts: errors in order of their size */
static OsmlStatus
rank_errors(OsmlMeasure *measure, const double *z, const double *y,
			const double *weight, int n)
{
	double		error[OSML_CLASS_TILE];
	OsmlStatus	status = OSML_OK;

	for (int start = 0; start < n && status == OSML_OK; start += OSML_CLASS_TILE)
	{
		int			rows = n - start < OSML_CLASS_TILE ? n - start : OSML_CLASS_TILE;

		/* a NaN has no place, but makes the sums NaN, and median_ae with them */
		for (int i = 0; i < rows; i++)
		{
			double		diff = z[start + i] - y[start + i];

			error[i] = isnan(diff) ? INFINITY : fabs(diff);
		}
		status = osml_rank_add(&measure->ranks[0], rows, error, NULL,
							   weight ? weight + start : NULL);
	}
	return status;
}

/* probabilities of class c; a binary model has those of its second class only */
static const double *
class_scores(const OsmlMeasure *measure, const double *z, int stride, int c, int n,
			 double *room)
{
	if (measure->task != OSML_TASK_BINARY)
		return z + (size_t) c * (size_t) stride;
	if (c == 1)
		return z;
	for (int i = 0; i < n; i++)
		room[i] = 1 - z[i];
	return room;
}

/* classes: rows that are no rows weigh nothing in the order */
static OsmlStatus
rank_classes(OsmlMeasure *measure, const double *z, int stride, const double *y,
			 const double *weight, int n)
{
	bool		second[OSML_CLASS_TILE];
	double		room[OSML_CLASS_TILE];

	for (int k = 0; k < measure->n_ranks; k++)
	{
		int			c = first_ranked(measure) + k;
		OsmlStatus	status;

		for (int i = 0; i < n; i++)
			second[i] = y[i] == c;
		status = osml_rank_add(&measure->ranks[k], n,
							   class_scores(measure, z, stride, c, n, room), second,
							   weight);
		if (status != OSML_OK)
			return status;
	}
	return OSML_OK;
}

/* a tile of rows of classes */
static OsmlStatus
add_classes(OsmlMeasure *measure, const double *z, int stride, const double *y,
			const double *weight, int n)
{
	bool		valid[OSML_CLASS_TILE];
	double		w[OSML_CLASS_TILE];
	int64_t		n_invalid = measure->classes.n_invalid;

	osml_class_sums_add(&measure->classes, measure->task == OSML_TASK_BINARY, z,
						stride, y, weight, n, valid);
	if (measure->classes.n_invalid > n_invalid)
	{
		for (int i = 0; i < n; i++)
			w[i] = !valid[i] ? 0 : weight ? weight[i] : 1;
		weight = w;
	}
	return rank_classes(measure, z, stride, y, weight, n);
}

OsmlStatus
osml_measure_add(OsmlMeasure *measure, const double *z, const double *y,
				 const double *weight, int n)
{
	OsmlStatus	status = OSML_OK;

	measure->n += n;
	if (measure->n_classes == 0)
	{
		osml_metric_sums_add(&measure->sums, z, y, weight, n,
							 measure->task == OSML_TASK_COUNT);
		return measure->n_ranks > 0 ? rank_errors(measure, z, y, weight, n) : OSML_OK;
	}
	for (int start = 0; start < n && status == OSML_OK; start += OSML_CLASS_TILE)
	{
		int			rows = n - start < OSML_CLASS_TILE ? n - start : OSML_CLASS_TILE;

		status = add_classes(measure, z + start, n, y + start,
							 weight ? weight + start : NULL, rows);
	}
	return status;
}

OsmlStatus
osml_measure_merge(OsmlMeasure *into, const OsmlMeasure *from)
{
	into->n += from->n;
	into->loss_sum += from->loss_sum;
	osml_metric_sums_merge(&into->sums, &from->sums);
	osml_class_sums_merge(&into->classes, &from->classes);
	for (int c = 0; c < into->n_ranks && c < from->n_ranks; c++)
	{
		OsmlStatus	status = osml_rank_merge(&into->ranks[c], &from->ranks[c]);

		if (status != OSML_OK)
			return status;
	}
	return OSML_OK;
}

OsmlStatus
osml_measure_settle(OsmlMeasure *measure)
{
	for (int c = 0; c < measure->n_ranks; c++)
	{
		OsmlStatus	status = osml_rank_settle(&measure->ranks[c]);

		if (status != OSML_OK)
			return status;
	}
	return OSML_OK;
}

/* --- reading ------------------------------------------------------------ */

double
osml_measure_weight(const OsmlMeasure *measure)
{
	return measure->n_classes > 0 ? measure->classes.weight : measure->sums.weight;
}

double
osml_measure_loss(const OsmlMeasure *measure)
{
	double		weight = osml_measure_weight(measure);

	return weight > 0 ? measure->loss_sum / weight : NAN;
}

OsmlConfusion
osml_measure_confusion(const OsmlMeasure *measure, int actual, int predicted)
{
	return measure->classes.confusion[actual * measure->n_classes + predicted];
}

OsmlCalibrationRow
osml_measure_calibration(const OsmlMeasure *measure, int i)
{
	const OsmlCalibrationBin *bin = &measure->classes.bins[i];
	bool		empty = bin->weight == 0;

	return (OsmlCalibrationRow) {
		.low = (double) i / OSML_CALIBRATION_BINS,
		.high = (double) (i + 1) / OSML_CALIBRATION_BINS,
		.rows = bin->rows,
		.weight = bin->weight,
		.mean_probability = empty ? NAN : bin->probability / bin->weight,
		.share_true = empty ? NAN : bin->came_true / bin->weight
	};
}

const OsmlRank *
osml_measure_rank(const OsmlMeasure *measure, int c)
{
	int			k = c - first_ranked(measure);

	if (measure->n_classes == 0 || k < 0 || k >= measure->n_ranks)
		return NULL;
	return &measure->ranks[k];
}

double
osml_measure_rank_average(const OsmlMeasure *measure,
						  double (*of) (const OsmlRank *rank))
{
	double		sum = 0;
	int			n = 0;

	for (int c = 0; c < measure->n_ranks; c++)
	{
		double		value = of(&measure->ranks[c]);

		if (isnan(value))
			continue;
		sum += value;
		n++;
	}
	return n > 0 ? sum / n : NAN;
}

double
osml_measure_auc_uncertainty(const OsmlMeasure *measure)
{
	return osml_measure_rank_average(measure, osml_rank_uncertainty);
}
