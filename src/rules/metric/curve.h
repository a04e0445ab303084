/*
 * curve.h
 *	  The ROC curve and the precision-recall curve of a rank, point by point.
 */
#ifndef OSML_METRIC_CURVE_H
#define OSML_METRIC_CURVE_H

#include <stdbool.h>

#include "rules/metric/rank.h"

/* when rows with at least this score are said to be of the second class */
typedef struct OsmlCurvePoint
{
	double		threshold;		/* infinity in the first point: no row is */
	double		tp;				/* weight of true positives */
	double		fp;				/* weight of false positives */
	double		tpr;			/* recall; NaN without a positive row */
	double		fpr;			/* NaN without a negative row */
	double		precision;		/* 1 in the first point */
} OsmlCurvePoint;

typedef struct OsmlCurve
{
	const OsmlRank *rank;
	int			next;			/* entry; n_entries: the point before the first */
	int			max_points;		/* 0: all of them */
	double		totals[2];
	double		above[2];		/* weights of the entries passed */
	double		shown;			/* share of both classes at the last point */
} OsmlCurve;

/*
 * Start at the highest threshold.  The rank is settled, and stays as it is.  Of
 * more than max_points (0: no limit) the curve shows about that many, evenly
 * along it, and always the first and the last.
 */
extern void osml_curve_begin(OsmlCurve *curve, const OsmlRank *rank,
							 int max_points);

/* the next point, towards lower thresholds; false: there is none */
extern bool osml_curve_next(OsmlCurve *curve, OsmlCurvePoint *point);

#endif							/* OSML_METRIC_CURVE_H */
