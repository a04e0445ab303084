/*
 * interval.c
 *	  Residuals of held-out rows, their tails, and intervals; see interval.h.
 */
#include "model/interval.h"

#include <float.h>
#include <math.h>

/* binary digits of the ranks that are kept */
#define RANK_DIGITS 7
#define HALF (1 << (RANK_DIGITS - 1))

/* rows whose scores are made at a time */
#define TILE 256

/* --- ranks that are kept ------------------------------------------------- */

/*
 * Place i has rank m 2^e, where i = e HALF + m - 1 and m has RANK_DIGITS digits, or fewer
 * where e is 0.
 */
static int64_t
rank_at(int i)
{
	int			e = i < HALF ? 0 : (i - HALF + 1) / HALF;

	return (int64_t) (i + 1 - e * HALF) << e;
}

/* the place of the greatest rank that is not above this one, at least 1 */
static int
place_of(int64_t rank)
{
	int			e = 0;

	while (rank >> e >= 2 * HALF)
		e++;
	return e * HALF + (int) (rank >> e) - 1;
}

/* no level asks for more than half of the rows */
int
osml_tail_length(int64_t n)
{
	return n > 0 ? place_of((n + 1) / 2) + 1 : 0;
}

/* --- rows in ------------------------------------------------------------- */

void
osml_residuals_init(OsmlResiduals *residuals, const OsmlArena *arena, OsmlTask task)
{
	*residuals = (OsmlResiduals) {.task = task};
	osml_rank_init(&residuals->rank, arena, OSML_RESIDUAL_SCORES, false);
}

void
osml_residuals_clear(OsmlResiduals *residuals)
{
	osml_rank_clear(&residuals->rank);
}

/* the unit of a prediction's scores */
static double
spread(OsmlTask task, double prediction)
{
	return task == OSML_TASK_COUNT ? sqrt(prediction) : 1;
}

/* how far a label is from its prediction; a mean of 0 misses only what is not 0 */
static double
score(OsmlTask task, double prediction, double y)
{
	double		residual = y - prediction;

	return residual == 0 ? 0 : residual / spread(task, prediction);
}

OsmlStatus
osml_residuals_add(OsmlResiduals *residuals, const double *z, const double *y,
				   const double *weight, int n)
{
	OsmlStatus	status = OSML_OK;

	for (int start = 0; start < n && status == OSML_OK; start += TILE)
	{
		int			end = start + TILE < n ? start + TILE : n;
		double		size[TILE];
		bool		above[TILE];
		int			kept = 0;

		for (int i = start; i < end; i++)
		{
			double		s = score(residuals->task, z[i], y[i]);

			if (weight && !(weight[i] > 0))
				continue;
			residuals->undefined = residuals->undefined || isnan(s);
			size[kept] = isnan(s) ? 0 : fabs(s);
			above[kept++] = s > 0;
		}
		residuals->n += kept;
		status = osml_rank_add(&residuals->rank, kept, size, above, NULL);
	}
	return status;
}

/* --- tails --------------------------------------------------------------- */

/*
 * One tail, from its end inward: the scores of its own sign from the greatest down,
 * then the others from the least up.  Of a block of scores the one farthest out.
 */
static void
fill_tail(const OsmlRank *rank, int class, int n, double *out)
{
	double		sign = class == 1 ? 1 : -1;
	double		passed = 0;
	int			filled = 0;

	for (int step = 0; step < 2 * rank->n_entries && filled < n; step++)
	{
		bool		own = step < rank->n_entries;
		int			i = own ? rank->n_entries - 1 - step : step - rank->n_entries;

		passed += rank->entries[i].weight[own ? class : 1 - class];
		while (filled < n && (double) rank_at(filled) <= passed)
			out[filled++] = own ? sign * osml_rank_high(rank, i) :
				-sign * osml_rank_low(rank, i);
	}
}

OsmlStatus
osml_residuals_tails(OsmlResiduals *residuals, OsmlTails *tails)
{
	OsmlStatus	status = osml_rank_settle(&residuals->rank);

	if (status != OSML_OK)
		return status;
	tails->n = residuals->undefined ? 0 : residuals->n;
	tails->n_kept = osml_tail_length(tails->n);
	fill_tail(&residuals->rank, 0, tails->n_kept, tails->below);
	fill_tail(&residuals->rank, 1, tails->n_kept, tails->above);
	return OSML_OK;
}

/* --- intervals ----------------------------------------------------------- */

/*
 * How many rows are beyond each end.  1 - level is off by the rounding of a decimal
 * such as 0.9, which must not take a whole row.
 */
static int64_t
rows_beyond(int64_t n, double level)
{
	double		rows = (double) n + 1;

	return (int64_t) floor(rows * (1 - level) / 2 + rows * DBL_EPSILON);
}

void
osml_interval(const OsmlTails *tails, OsmlTask task, double prediction, double level,
			  double *lower, double *upper)
{
	int64_t		beyond = rows_beyond(tails->n, level);
	int			i = beyond > 0 ? place_of(beyond) : -1;

	*lower = -INFINITY;
	*upper = INFINITY;
	if (i >= tails->n_kept)
		i = tails->n_kept - 1;
	if (i >= 0 && isfinite(prediction))
	{
		double		unit = spread(task, prediction);

		/* an infinite score of no unit has no end either */
		*lower = isinf(tails->below[i]) ? tails->below[i] : prediction + unit * tails->below[i];
		*upper = isinf(tails->above[i]) ? tails->above[i] : prediction + unit * tails->above[i];
	}
	if (task == OSML_TASK_COUNT)
	{
		*lower = fmax(*lower, 0);
		*upper = fmax(*upper, 0);
	}
}
