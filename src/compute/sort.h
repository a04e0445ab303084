/*
 * sort.h
 *	  Sorting numbers, and merging sorted numbers, without branches.
 *
 * For the few thousand values of a sketch's buffer: comparison sorts of a
 * library lose most of their time to mispredicted branches there.
 */
#ifndef OSML_SORT_H
#define OSML_SORT_H

/* n values in ascending order; scratch holds n more; no NaN among them */
extern void osml_sort(double *x, int n, double *scratch);

/* out = na values of a and nb of b, each ascending; out overlaps neither */
extern void osml_sort_merge(const double *a, int na, const double *b, int nb,
							double *out);

#endif							/* OSML_SORT_H */
