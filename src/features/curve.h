/*
 * curve.h
 *	  How closely the label follows a curve over a column's values.
 *
 * A curve is a sum of given functions of the value, by least squares over the rows;
 * what it tells is the part of the sum of squares of the label's means by value, so
 * noise within values does not count.
 */
#ifndef OSML_CURVE_H
#define OSML_CURVE_H

#include "features/view.h"

/* the label's means [n_values] by value, of its column k */
extern void osml_curve_means(const OsmlTarget *target, const OsmlView *view, int k, double *mean);

/* columns: n functions of view->value, [n_values] each, which are overwritten;
 * *told: the sum of squares that they tell, of all columns of the label */
extern OsmlStatus osml_curve_told(const OsmlArena *arena, const OsmlTarget *target,
								  const OsmlView *view, double **columns, int n, double *told);

#endif							/* OSML_CURVE_H */
