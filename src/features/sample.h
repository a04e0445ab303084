/*
 * sample.h
 *	  What a feature report keeps of a table: facts about all rows, and a
 *	  sample of rows in memory.
 *
 * Rows come one by one as cells, numbers or 64-bit keys, the label last.  The
 * sample is the rows whose numbers hash lowest: a uniform draw, the same each
 * time, and all rows where they fit.  Rows are then in their order in the
 * source, columns by themselves.
 *
 * Next: view.h (a column of the sample made ready), association.h.
 */
#ifndef OSML_SAMPLE_H
#define OSML_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "features/bottom.h"

typedef union OsmlCell
{
	double		number;			/* osml_missing(): NULL */
	uint64_t	key;			/* OSML_KEY_NULL: NULL */
} OsmlCell;

/* what a column is, as its type says */
typedef struct OsmlColumnKind
{
	const char *name;
	bool		is_key;			/* cells are keys, else numbers */
	bool		is_integer;		/* an integer type */
	bool		is_time;		/* a date or timestamp */
	bool		is_date;		/* a date, in days; else a time is in seconds */
	bool		is_flag;		/* boolean */
	bool		is_clock;		/* a time of day; its cells are keys */
	bool		takes_missing;	/* a model sees NULL as one category more */
	bool		regrouped;		/* a model sees its numbers as categories too, or on a
								 * circle */
} OsmlColumnKind;

/* of all rows that have a label */
typedef struct OsmlColumnFacts
{
	int64_t		present;
	int64_t		nan;
	int64_t		infinite;
	bool		integral;		/* no finite value has a fraction */
	double		min;
	double		max;
	OsmlBottom	distinct;
} OsmlColumnFacts;

typedef struct OsmlSample
{
	const OsmlArena *arena;
	int			n_columns;		/* the label is the last */
	const OsmlColumnKind *kinds;
	OsmlColumnFacts *facts;
	int64_t		rows;			/* all rows */
	int64_t		unlabelled;		/* rows without a finite label: left out */
	OsmlBottom	drawn;
	OsmlCell   *slots;			/* rows of the sample while it is drawn */
	int64_t    *slot_row;
	int			n;				/* rows of the sample, after _finish() */
	int64_t    *row;			/* number of each in the source, ascending */
	OsmlCell  **columns;
} OsmlSample;

extern OsmlStatus osml_sample_init(OsmlSample *sample, const OsmlArena *arena,
								   const OsmlColumnKind *kinds, int n_columns,
								   int capacity);

/* add the next row of the source */
extern void osml_sample_add(OsmlSample *sample, const OsmlCell *row);

extern OsmlStatus osml_sample_finish(OsmlSample *sample);

/* NULL, of either kind */
extern bool osml_cell_missing(const OsmlColumnKind *kind, OsmlCell cell);

/* share of the labelled rows that have a value, which NaN is not; 0 without rows */
extern double osml_sample_present(const OsmlSample *sample, int j);

/* hashes of a row's cells in the columns with use[j], the last of which is the label,
 * as twins.h wants them */
extern void osml_cells_hash(const OsmlColumnKind *kinds, int n_columns, const bool *use,
							const OsmlCell *row, uint64_t *whole, uint64_t *group);

#endif							/* OSML_SAMPLE_H */
