/*
 * curve.c
 *	  Walking down a rank; see curve.h.
 */
#include "rules/metric/curve.h"

#include <math.h>

void
osml_curve_begin(OsmlCurve *curve, const OsmlRank *rank, int max_points)
{
	*curve = (OsmlCurve) {.rank = rank, .next = rank->n_entries,
	.max_points = max_points};
	osml_rank_totals(rank, curve->totals);
}

/* rates of a class without rows are nobody's */
static double
share(double part, double total)
{
	return total > 0 ? part / total : NAN;
}

/* how far along the curve: shares of the two classes that are above */
static double
progress(const OsmlCurve *curve)
{
	double		sum = 0;

	for (int c = 0; c < 2; c++)
		sum += curve->totals[c] > 0 ? curve->above[c] / curve->totals[c] : 0;
	return sum;
}

/* the point at the last entry that was passed */
static void
show(OsmlCurve *curve, OsmlCurvePoint *point)
{
	int			n_entries = curve->rank->n_entries;

	point->threshold = curve->next == n_entries ? INFINITY :
		osml_rank_low(curve->rank, curve->next);
	point->fp = curve->above[0];
	point->tp = curve->above[1];
	point->fpr = share(point->fp, curve->totals[0]);
	point->tpr = share(point->tp, curve->totals[1]);
	point->precision = curve->next == n_entries ? 1 :
		point->tp / (point->tp + point->fp);
	curve->shown = progress(curve);
}

bool
osml_curve_next(OsmlCurve *curve, OsmlCurvePoint *point)
{
	const OsmlRank *rank = curve->rank;
	bool		first = curve->shown == 0 && curve->next == rank->n_entries;
	double		step = curve->max_points > 0 ? 2.0 / curve->max_points : 0;

	if (first && rank->n_entries > 0)
	{
		show(curve, point);
		curve->shown = -1;		/* the next one is shown however near it is */
		return true;
	}
	while (curve->next > 0)
	{
		curve->next--;
		curve->above[0] += rank->entries[curve->next].weight[0];
		curve->above[1] += rank->entries[curve->next].weight[1];
		if (rank->n_entries < curve->max_points || curve->next == 0 ||
			progress(curve) - fmax(curve->shown, 0) >= step)
		{
			show(curve, point);
			return true;
		}
	}
	return false;
}
