/*
 * kept.h
 *	  Rows of a scan kept in memory as they came: all, or a uniform sample where
 *	  they do not fit.
 *
 * Each row has a random number, a function of the seed and of its place in the
 * scan, and is kept while that is not above a limit, which is halved whenever
 * memory is full.  So what is kept is the same each time, and between half and all of
 * what fits.  In the end rows stand in an order that their values alone decide:
 * where all of them fit, the order of the scan is forgotten.
 *
 *	osml_kept_offer(), row by row, from a scan's row_sink
 *	osml_kept_settle(), from its sink: which rows of the block count
 *	osml_kept_finish(), then osml_kept_row() and osml_kept_value()
 */
#ifndef OSML_KEPT_H
#define OSML_KEPT_H

#include "access/tupdesc.h"
#include "compute/random.h"

typedef struct OsmlKeptRow OsmlKeptRow;

typedef struct OsmlKept
{
	uint32		n;				/* rows kept */

	/* kept.c's own */
	TupleDesc	desc;
	OsmlRandomKey random;
	int64		offered;
	uint64		limit;			/* no row kept has a greater number */
	Size		most;			/* bytes there may be */
	Size		row_extra;		/* bytes a row beside its own */
	Size		size;			/* of bytes[] */
	Size		used;
	Size		settled;		/* of these, of blocks before this one */
	char	   *bytes;			/* rows, one behind the other */
	OsmlKeptRow **order;
	MemoryContext scratch;		/* of one row */
	Datum	   *flat;
} OsmlKept;

/*
 * Of at most `most` bytes, in the current context; row_extra more of these the
 * caller wants for each row.  desc stays the caller's.
 */
extern OsmlKept *osml_kept_create(TupleDesc desc, uint64 seed, Size most, Size row_extra);

/* A row of the block to come, and its place there.  An error if it is larger than
 * all there may be. */
extern void osml_kept_offer(OsmlKept *kept, int place, const Datum *values,
							const bool *nulls);

/* The block is there: counts[i] says whether the row at place i counts. */
extern void osml_kept_settle(OsmlKept *kept, const bool *counts);

extern void osml_kept_finish(OsmlKept *kept);

/* row i of n, one value a column; what values point to stays where it is */
extern void osml_kept_row(const OsmlKept *kept, uint32 i, Datum *values, bool *nulls);

/* one value of row i; columns count from 0 */
extern Datum osml_kept_value(const OsmlKept *kept, uint32 i, int column, bool *isnull);

#endif							/* OSML_KEPT_H */
