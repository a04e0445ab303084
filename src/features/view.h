/*
 * view.h
 *	  A column of a sample made ready for questions: values in order, codes of
 *	  its different values, bins, ranks; and the label as a target.
 *
 * NULL, NaN and infinities are missing here: code and bin -1.
 *
 * Next: association.h (what is asked of them).
 */
#ifndef OSML_VIEW_H
#define OSML_VIEW_H

#include "features/sample.h"

/* a number is cut into at most so many bins of about as many rows each */
#define OSML_VIEW_BINS 32

typedef struct OsmlView
{
	int			n;				/* rows of the sample */
	int			n_present;
	int			n_values;		/* different values present */
	int			n_bins;
	int32_t    *code;			/* [n] 0 .. n_values - 1, ascending with the value */
	int32_t    *bin;			/* [n] 0 .. n_bins - 1; of keys: like code */
	int32_t    *count;			/* [n_values] rows of each value */
	double	   *value;			/* [n_values], NULL for keys */
	double	   *x;				/* [n] NaN where missing; NULL for keys */
	double	   *rank;			/* [n] mean rank of ties, likewise */
	int32_t    *order;			/* [n_present] rows by value, ties mixed */
	int			modal;			/* code of the most frequent value */
} OsmlView;

/*
 * The label: one column of numbers (ranks, so that a skewed label does not
 * drown all but its tail), or for a label of keys a 0/1 column for each of its
 * most frequent classes.  Centred.
 */
#define OSML_TARGET_CLASSES 16

typedef struct OsmlTarget
{
	int			n;
	int			m;				/* columns */
	double	   *y[OSML_TARGET_CLASSES];
	double		total;			/* sum of squares over rows and columns */
	const OsmlView *view;		/* of the label */
	bool		is_class;		/* few values, each a class */
} OsmlTarget;

extern OsmlStatus osml_view_make(OsmlView *view, const OsmlSample *sample, int j);

/* share of the values more than so many interquartile ranges away from the
 * quartiles; 0 where half of all values are equal, and for keys */
extern double osml_view_outliers(const OsmlView *view, double ranges);

extern OsmlStatus osml_target_make(OsmlTarget *target, const OsmlSample *sample,
								   const OsmlView *label);

#endif							/* OSML_VIEW_H */
