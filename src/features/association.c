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

/* the chance that two rows have different labels */
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

/* P(F >= f) */
static double
f_test_p(double f, double between, double within)
{
	double		x = within / (within + between * f);

	if (!isfinite(f))
		return 0;
	return osml_beta_inc(within / 2, between / 2, x, 1 - x);
}

typedef struct Sums
{
	int		   *count;
	double	   *sum;
} Sums;

/* squares within groups, and around the mean of the rows counted */
static void
split_squares(const OsmlTarget *target, const int32_t *code, int n_codes, int missing,
			  Sums *sums, double *within, double *total)
{
	*within = *total = 0;
	for (int k = 0; k < target->m; k++)
	{
		double		sum = 0;
		double		squares = 0;
		int			n = 0;

		for (int g = 0; g < n_codes + 1; g++)
		{
			sums->count[g] = 0;
			sums->sum[g] = 0;
		}
		for (int i = 0; i < target->n; i++)
		{
			int			g = code[i] >= 0 ? code[i] : missing;
			double		y = target->y[k][i];

			if (g < 0)
				continue;
			sums->count[g]++;
			sums->sum[g] += y;
			sum += y;
			squares += y * y;
			n++;
		}
		*total += squares - (n > 0 ? sum * sum / n : 0);
		for (int g = 0; g < n_codes + 1; g++)
			squares -= sums->count[g] > 0 ? sums->sum[g] * sums->sum[g] / sums->count[g] : 0;
		*within += fmax(squares, 0);
	}
}

OsmlStatus
osml_explain(const OsmlArena *arena, const OsmlTarget *target, const int32_t *code,
			 int n_codes, bool missing_too, OsmlExplained *explained)
{
	Sums		sums;
	double		within;
	double		total;
	double		mean_within;
	int			n = 0;

	explained->share = 0;
	explained->p = 1;
	explained->groups = 0;
	explained->within = 0;
	sums.count = osml_arena_alloc(arena, sizeof(int) * (n_codes + 1));
	sums.sum = osml_arena_alloc(arena, sizeof(double) * (n_codes + 1));
	if (sums.count == NULL || sums.sum == NULL)
		return OSML_OUT_OF_MEMORY;
	split_squares(target, code, n_codes, missing_too ? n_codes : -1, &sums, &within, &total);
	for (int g = 0; g < n_codes + 1; g++)
	{
		n += sums.count[g];
		explained->groups += sums.count[g] > 0 ? 1 : 0;
	}
	osml_arena_release(arena, sums.count);
	osml_arena_release(arena, sums.sum);
	explained->within = n - explained->groups;
	if (explained->groups < 2 || total <= 0 ||
		explained->within * label_gini(target) < MIN_DISCORDANT)
		return OSML_OK;
	mean_within = within / explained->within;
	explained->share = fmax(0, 1 - mean_within / (total / (n - 1)));
	explained->p = f_test_p((total - within) / (explained->groups - 1) / mean_within,
							explained->groups - 1, explained->within);
	return OSML_OK;
}

double
osml_follow(const OsmlTarget *target, const OsmlView *view)
{
	double		steps = 0;
	double		total = 0;
	int			n = view->n_present;

	if (n < 2 || n * label_gini(target) < MIN_DISCORDANT)
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
	if (total <= 0)
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
