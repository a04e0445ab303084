/*
 * profile.h
 *	  What one pass tells about one column: all that transforms are fitted from
 *	  and feature reports are made of.
 *
 * A profile of numbers has moments and, on request, quantiles; a profile of
 * keys has the most frequent keys on request.  Profiles of parts of the rows
 * merge; merged in the same order they give the same bits.
 *
 * Source of the moments: Pébay, "Formulas for robust, one-pass parallel
 * computation of covariances and arbitrary-order statistical moments", SAND2008.
 */
#ifndef OSML_PROFILE_H
#define OSML_PROFILE_H

#include "compute/stats.h"
#include "features/kll.h"
#include "features/tally.h"

/* what a profile gathers beside the counts; bits */
#define OSML_NEED_MOMENTS 1		/* mean, m2, min, max, m3, zeros */
#define OSML_NEED_QUANTILES 2
#define OSML_NEED_TALLY 4

typedef struct OsmlProfile
{
	unsigned	needs;
	int64_t		rows;			/* all rows counted */
	int64_t		missing;		/* NULLs */
	int64_t		nan;			/* numbers only, as the next four */
	int64_t		infinite;
	int64_t		zeros;
	OsmlColumnStats stats;		/* of finite values */
	double		m3;				/* sum of cubed deviations from the mean */
	OsmlKll    *kll;			/* of finite values; NULL unless needed */
	OsmlTally  *tally;			/* of keys; NULL unless needed */
} OsmlProfile;

/* start one; capacity is the tally's, without meaning where there is none */
extern OsmlStatus osml_profile_init(OsmlProfile *profile, const OsmlArena *arena,
									unsigned needs, int capacity);

/* bytes of its sketches at most, texts of keys aside */
extern size_t osml_profile_most_bytes(unsigned needs, int capacity, bool told);

/* add n values (osml_missing() is a NULL); use[i] false: not row i; use may be
 * NULL.  Stable on columns such as 1e9 plus noise. */
extern OsmlStatus osml_profile_numbers(OsmlProfile *profile, const double *x,
									   const bool *use, int n);
extern OsmlStatus osml_profile_keys(OsmlProfile *profile, const uint64_t *keys,
									const bool *use, int n);

/* both have the same needs */
extern OsmlStatus osml_profile_merge(OsmlProfile *into, const OsmlProfile *from);

/* g1, the population skewness; 0 for a constant column, NaN without values */
extern double osml_profile_skewness(const OsmlProfile *profile);

/* bytes for another process of this machine, and back: a profile that merges
 * as the first would have.  OSML_BAD_FORMAT: no profile, or memory is out */
extern size_t osml_profile_size(const OsmlProfile *profile);
extern void osml_profile_write(const OsmlProfile *profile, void *bytes);
extern OsmlStatus osml_profile_read(OsmlProfile *profile, const OsmlArena *arena,
									const void *bytes, size_t size);

/* give the sketches' memory back; the rest is the caller's */
extern void osml_profile_free(OsmlProfile *profile);

#endif							/* OSML_PROFILE_H */
