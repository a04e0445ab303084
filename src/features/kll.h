/*
 * kll.h
 *	  Quantiles of a stream in bounded memory.
 *
 * Exact while there are at most OSML_KLL_K values.  Beyond that the rank of an
 * answer is off by at most OSML_KLL_ERROR of the count (with 99 % confidence;
 * test_kll.c measures it).  Two sketches merge into one of the same error.
 * Which of two neighbours survives a compaction is drawn from a counter and
 * from the values, so the same values in the same order give the same sketch,
 * and sketches of different parts err independently.
 *
 * Source: Karnin, Lang and Liberty, "Optimal Quantile Approximation in
 * Streams", FOCS 2016.
 */
#ifndef OSML_KLL_H
#define OSML_KLL_H

#include <stddef.h>
#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"

#define OSML_KLL_K 2048
#define OSML_KLL_ERROR 0.0025

typedef struct OsmlKll OsmlKll;

extern OsmlKll *osml_kll_create(const OsmlArena *arena);

/* add n values; NaNs are not values */
extern OsmlStatus osml_kll_add(OsmlKll *kll, const double *x, int n);
extern OsmlStatus osml_kll_merge(OsmlKll *into, const OsmlKll *from);

/* bytes that a sketch takes at most, however many values it is given */
extern size_t osml_kll_most_bytes(void);

extern int64_t osml_kll_count(const OsmlKll *kll);

/*
 * out[i] = the value with a share of p[i] of all values below or equal to it
 * (numpy's "inverted_cdf" while exact); p ascending, 0 gives the smallest and 1
 * the largest value seen.  NaN without a value.
 */
extern OsmlStatus osml_kll_quantiles(const OsmlKll *kll, int n, const double *p,
									 double *out);

/*
 * below[i] = how many values are less than x[i], x ascending; off by at most
 * OSML_KLL_ERROR of the count, but never against the order of x, and exact at
 * the smallest and above the largest value.
 */
extern OsmlStatus osml_kll_below(const OsmlKll *kll, int n, const double *x,
								 int64_t *below);

/* the least value that is greater than each x (ascending), as far as the sketch kept
 * values; NaN where none is */
extern OsmlStatus osml_kll_above(const OsmlKll *kll, int n, const double *x,
								 double *above);

/* bytes for another process of this machine, and back */
extern size_t osml_kll_size(const OsmlKll *kll);
extern void osml_kll_write(const OsmlKll *kll, void *bytes);

/* NULL when memory is out or the bytes are no sketch */
extern OsmlKll *osml_kll_read(const OsmlArena *arena, const void *bytes,
							  size_t size);

/* give all of its memory back; NULL is fine */
extern void osml_kll_free(OsmlKll *kll);

#endif							/* OSML_KLL_H */
