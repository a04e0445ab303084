/*
 * association.c
 *	  Shares of the label's variance; see association.h.  Pairs of columns are
 *	  in pairs.c.
 */
#include "features/association.h"

#include <math.h>

#include "compute/student.h"

/* how often two rows of chance differ in their label must be seen to tell */
#define MIN_DISCORDANT 20

/* a class of fewer rows does not count, nor groups with fewer of its rows each */
#define MIN_CLASS_ROWS 20
#define CLASS_ROWS_A_GROUP 5

/* below this the beta function does not overflow */
#define FEW_DOF 200

/* the chance that two rows of the sample have different labels */
static double
label_gini(const OsmlTarget *target)
{
	double		same = 0;

	for (int c = 0; c < target->view->n_values; c++)
	{
		double		share = (double) target->view->count[c] / target->n;

		same += share * share;
	}
	return 1 - same;
}

/*
 * Likewise of rows whose label has this sum of squares: where a column is filled
 * for one class only, none of the rows that have it differ.
 */
static double
gini_among(const OsmlTarget *target, double squares, int n)
{
	double		all = target->total / target->n;

	return n > 0 && all > 0 ? label_gini(target) * fmin(1, squares / n / all) : 0;
}

/*
 * P(F >= f): exactly for few degrees of freedom, else by the cube root's near
 * normality (Paulson, Annals of Mathematical Statistics 13, 1942), which is off
 * by a few percent of p where p matters.
 */
static double
f_test_p(double f, double between, double within)
{
	double		x = within / (within + between * f);
	double		root = cbrt(f);
	double		a = 2 / (9 * between);
	double		b = 2 / (9 * within);

	if (!isfinite(f))
		return 0;
	if (between + within < FEW_DOF)
		return osml_beta_inc(within / 2, between / 2, x, 1 - x);
	return erfc(((1 - b) * root - (1 - a)) / sqrt(b * root * root + a) / sqrt(2)) / 2;
}

/* sums by group, the rows without a code in the last one */
typedef struct Sums
{
	int			n_groups;
	int		   *count;
	double	   *sum;
	double	   *squares;
} Sums;

static void
add_up(Sums *sums, const OsmlTarget *target, int k, const int32_t *code)
{
	for (int g = 0; g < sums->n_groups; g++)
	{
		sums->count[g] = 0;
		sums->sum[g] = sums->squares[g] = 0;
	}
	for (int i = 0; i < target->n; i++)
	{
		int			g = code[i] >= 0 ? code[i] : sums->n_groups - 1;
		double		y = target->y[k][i];

		sums->count[g]++;
		sums->sum[g] += y;
		sums->squares[g] += y * y;
	}
}

/* What groups of several rows add up to: lone rows show no spread. */
typedef struct Squares
{
	int			n;				/* rows in groups of several */
	int			alone;
	int			groups;
	double		within;
	double		total;
} Squares;

static void
split_squares(Sums *sums, const OsmlTarget *target, const int32_t *code, bool missing_too,
			  Squares *squares)
{
	squares->within = squares->total = 0;
	for (int k = 0; k < target->m; k++)
	{
		double		sum = 0;
		double		sum_squares = 0;

		squares->n = squares->alone = squares->groups = 0;
		add_up(sums, target, k, code);
		for (int g = 0; g < sums->n_groups - (missing_too ? 0 : 1); g++)
		{
			if (sums->count[g] < 2)
			{
				squares->alone += sums->count[g];
				continue;
			}
			squares->n += sums->count[g];
			squares->groups++;
			sum += sums->sum[g];
			sum_squares += sums->squares[g];
			squares->within += fmax(0, sums->squares[g] -
									sums->sum[g] * sums->sum[g] / sums->count[g]);
		}
		if (squares->n > 0)
			squares->total += sum_squares - sum * sum / squares->n;
	}
}

OsmlStatus
osml_explain(const OsmlArena *arena, const OsmlTarget *target, const int32_t *code,
			 int n_codes, bool missing_too, OsmlExplained *explained)
{
	Sums		sums = {n_codes + 1, NULL, NULL, NULL};
	Squares		squares = {0};
	double		mean_within;

	explained->share = 0;
	explained->p = 1;
	sums.count = osml_arena_alloc(arena, sizeof(int) * sums.n_groups);
	sums.sum = osml_arena_alloc(arena, sizeof(double) * sums.n_groups);
	sums.squares = osml_arena_alloc(arena, sizeof(double) * sums.n_groups);
	if (sums.count == NULL || sums.sum == NULL || sums.squares == NULL)
		return OSML_OUT_OF_MEMORY;
	split_squares(&sums, target, code, missing_too, &squares);
	osml_arena_release(arena, sums.count);
	osml_arena_release(arena, sums.sum);
	osml_arena_release(arena, sums.squares);
	explained->groups = squares.groups;
	explained->within = squares.n - squares.groups;
	/* groups of several rows must be most of what there is to speak for it */
	if (squares.groups < 2 || squares.n < squares.alone ||
		explained->within * gini_among(target, squares.total, squares.n) < MIN_DISCORDANT)
		return OSML_OK;
	mean_within = squares.within / explained->within;
	explained->share = fmax(0, 1 - mean_within / (squares.total / (squares.n - 1)));
	explained->p = f_test_p((squares.total - squares.within) / (squares.groups - 1) /
							mean_within, squares.groups - 1, explained->within);
	return OSML_OK;
}

/* tau of counts [group][class] weighted by 1 / rows of the class; 0 rows: not
 * counted */
static double
weighted_tau(const int32_t *cells, int n_groups, const int32_t *rows, int n_classes)
{
	double		counted = 0;
	double		within = 0;

	for (int k = 0; k < n_classes; k++)
		counted += rows[k] > 0 ? 1 : 0;
	for (int g = 0; g < n_groups; g++)
	{
		double		weight = 0;
		double		squares = 0;

		for (int k = 0; k < n_classes; k++)
		{
			double		share = rows[k] > 0 ? (double) cells[g * n_classes + k] / rows[k] : 0;

			weight += share;
			squares += share * share;
		}
		within += weight > 0 ? weight - squares / weight : 0;
	}
	return counted < 2 ? 0 : 1 - within / (counted - 1);
}

OsmlStatus
osml_explain_classes(const OsmlArena *arena, const OsmlTarget *target,
					 const OsmlView *view, double *share)
{
	const OsmlView *label = target->view;
	int			n_classes = label->n_values;
	int32_t    *rows;
	int32_t    *cells;
	int			rarest = target->n;
	int			n_groups;

	*share = 0;
	if (!target->is_class || view->n_bins == 0)
		return OSML_OK;
	rows = osml_arena_alloc(arena, sizeof(int32_t) * n_classes);
	cells = osml_arena_alloc(arena, sizeof(int32_t) * view->n_bins * n_classes);
	if (rows == NULL || cells == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int i = 0; i < target->n; i++)
		rows[label->code[i]] += view->bin[i] >= 0 ? 1 : 0;
	for (int k = 0; k < n_classes; k++)
	{
		if (rows[k] < MIN_CLASS_ROWS)
			rows[k] = 0;
		else if (rows[k] < rarest)
			rarest = rows[k];
	}
	/* neighbouring bins are joined; values of keys have no neighbours */
	n_groups = rarest / CLASS_ROWS_A_GROUP;
	if (view->n_bins <= n_groups || view->x)
	{
		n_groups = n_groups < view->n_bins ? n_groups : view->n_bins;
		for (int i = 0; i < target->n; i++)
		{
			if (view->bin[i] >= 0)
				cells[(int) ((int64_t) view->bin[i] * n_groups / view->n_bins) * n_classes +
					  label->code[i]]++;
		}
		*share = fmax(0, 1 - (1 - weighted_tau(cells, n_groups, rows, n_classes)) *
					  (1 + (double) n_groups / rarest));
	}
	osml_arena_release(arena, rows);
	osml_arena_release(arena, cells);
	return OSML_OK;
}

double
osml_follow(const OsmlTarget *target, const OsmlView *view)
{
	double		steps = 0;
	double		total = 0;
	int			n = view->n_present;

	if (n < 2)
		return 0;
	for (int k = 0; k < target->m; k++)
	{
		const double *y = target->y[k];
		double		sum = 0;
		double		squares = 0;

		for (int i = 0; i < n; i++)
		{
			double		value = y[view->order[i]];
			double		step = i > 0 ? value - y[view->order[i - 1]] : 0;

			sum += value;
			squares += value * value;
			steps += step * step;
		}
		total += squares - sum * sum / n;
	}
	if (n * gini_among(target, total, n) < MIN_DISCORDANT)
		return 0;
	return fmax(0, 1 - steps / 2 / total * n / (n - 1));
}

double
osml_correlation(const double *a, const double *b, int n, int *n_used)
{
	double		mean_a = 0;
	double		mean_b = 0;
	double		aa = 0;
	double		bb = 0;
	double		ab = 0;
	int			used = 0;

	for (int i = 0; i < n; i++)
	{
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		used++;
		mean_a += (a[i] - mean_a) / used;
		mean_b += (b[i] - mean_b) / used;
	}
	for (int i = 0; i < n; i++)
	{
		if (isnan(a[i]) || isnan(b[i]))
			continue;
		aa += (a[i] - mean_a) * (a[i] - mean_a);
		bb += (b[i] - mean_b) * (b[i] - mean_b);
		ab += (a[i] - mean_a) * (b[i] - mean_b);
	}
	if (n_used)
		*n_used = used;
	return aa > 0 && bb > 0 ? fmax(-1, fmin(1, ab / sqrt(aa) / sqrt(bb))) : 0;
}

double
osml_correlation_p(double r, int n)
{
	if (n < 3)
		return 1;
	if (fabs(r) >= 1)
		return 0;
	return osml_student_p(r * sqrt((n - 2) / (1 - r * r)), n - 2);
}
