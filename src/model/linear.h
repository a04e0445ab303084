/*
 * linear.h
 *	  What only linear models have: weights in the columns' own units.
 *
 * Next: linear.c (the model), model.h (what every model offers).
 */
#ifndef OSML_LINEAR_H
#define OSML_LINEAR_H

#include "features/scale.h"
#include "model/model.h"

/* where output k's weight of dense column j, its entry i of the code columns'
 * tables and its bias are in a parameter vector */
extern size_t osml_linear_weight(const OsmlModelSpec *spec, int k, int j);
extern size_t osml_linear_entry(const OsmlModelSpec *spec, int k, size_t i);
extern size_t osml_linear_bias(const OsmlModelSpec *spec, int k);

/*
 * Undo the scaling of columns and label.  Of each output weight gets n_dense
 * values in label units per unit of the column, then one in label units for each
 * entry of the code columns' tables, what a row of that category gets added; and
 * intercept one value.  params in spec->precision.
 */
extern void osml_linear_unscale(const OsmlModelSpec *spec,
								const OsmlScaling *scaling, const void *params,
								double *weight, double *intercept);

/*
 * The reverse, of a model with one output: parameters that give these raw
 * weights (optimizer "exact").  Without a bias the intercept is left out.
 */
extern void osml_linear_rescale(const OsmlModelSpec *spec,
								const OsmlScaling *scaling, const double *weight,
								double intercept, void *params);

#endif							/* OSML_LINEAR_H */
