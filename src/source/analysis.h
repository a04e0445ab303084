/*
 * analysis.h
 *	  What one pass over a source tells about each of its columns.
 *
 *		analysis = osml_analysis_create(set);
 *		osml_analysis_scan(analysis, source, num_workers);
 *		... analysis->columns[i].profile, .distinct, .with_label ...
 *
 * Each shard of the source gives an analysis of its own, and those are merged
 * in the order of the shards, whoever read them: the outcome does not depend on
 * the number of workers, to the bit.
 *
 * The profiles are of the set's inputs, so a transform of a plain column can be
 * fitted from them (osml_fit_profile()) without another pass.
 *
 * Next: analysis_scan.c (shards and workers).
 */
#ifndef OSML_ANALYSIS_H
#define OSML_ANALYSIS_H

#include "lib/hyperloglog.h"

#include "compute/comoment.h"
#include "features/profile.h"
#include "source/source.h"

/* values whose counts are kept, where nobody wants more; exact for twice as many */
#define OSML_ANALYSIS_VALUES 500

/* bytes of a worker's queue; a column's message takes about half of it */
#define OSML_ANALYSIS_QUEUE (256 * 1024)

typedef struct OsmlAnalysisColumn
{
	char	   *name;			/* of the input; "name[k]" of an array's element */
	Oid			type;			/* of the column; InvalidOid for an expression */
	bool		is_key;			/* a text, or whatever is read as one */
	bool		is_label;
	int			index;			/* among the number, or key, columns of a reader's block */
	int			capacity;		/* of the tally; may be raised before the scan */
	OsmlProfile profile;		/* numbers are tallied by osml_number_key() */
	hyperLogLogState distinct;	/* values that are neither NULL nor NaN nor infinite */
	OsmlComoment with_label;	/* numbers: x is the column, y the label */
} OsmlAnalysisColumn;

typedef struct OsmlAnalysis
{
	MemoryContext context;		/* everything below lives there */
	const OsmlFeatureSet *set;	/* what is read: the label is an input here */
	int			n_columns;
	OsmlAnalysisColumn *columns;	/* in the order of the set's inputs; label last */
	int			label;			/* its number column in a block, or -1 */
	int			label_input;	/* among the set's inputs, or -1 */
} OsmlAnalysis;

/*
 * For all inputs of a set and its label, in the current context.  What is made
 * of the inputs has no say: rows with NULLs count, those without a label too.
 * Numbers that the set reads otherwise only, as a category say, are read as
 * numbers beside.  Number and key columns have the places that they have in the
 * set.
 */
extern OsmlAnalysis *osml_analysis_create(const OsmlFeatureSet *set);

/*
 * Bytes that n_workers take for it, and the session: sketches of all columns for
 * the whole and for the part being merged in, and each worker's, and its queue.
 * At most, but for the texts of frequent values.
 */
extern Size osml_analysis_bytes(const OsmlAnalysis *analysis, int n_workers);

/*
 * Read the source once; an error where that takes more than osml.max_memory.
 * Workers read heap tables; whatever only the session
 * itself may or can read (queries, views, temporary and foreign tables, tables
 * with row security, expressions) it reads itself, as it does when no worker
 * process is free.
 */
extern void osml_analysis_scan(OsmlAnalysis *analysis, const OsmlSource *source,
							   int num_workers);

/* different values; *exact: no estimate, whose standard error is 0.8 % */
extern int64 osml_analysis_distinct(OsmlAnalysisColumn *column, bool *exact);

/* a finite number as a key of a tally, in the order of the numbers; and back */
extern uint64 osml_number_key(double value);
extern double osml_key_number(uint64 key);

/* --- for analysis_scan.c -------------------------------------------------- */

/* begin: no rows yet */
extern void osml_analysis_start(OsmlAnalysis *analysis);

/* another one of the same columns, without rows, in a context below the first's */
extern OsmlAnalysis *osml_analysis_part(const OsmlAnalysis *whole);

/* an analysis of a set that has its label among its inputs already: position
 * among them, or -1 */
extern OsmlAnalysis *osml_analysis_of_inputs(const OsmlFeatureSet *set, int label);

/* sinks of a scan; arg is the analysis */
extern bool osml_analysis_block(void *arg, OsmlBlock *block);
extern void osml_analysis_text(void *arg, int key_column, uint64 key,
							   const char *text, int length);

/* add a column of another part; the part's may then be thrown away */
extern void osml_analysis_merge(OsmlAnalysisColumn *into, const OsmlAnalysisColumn *from);

/* a column as bytes for another process, and back into one without rows */
extern size_t osml_analysis_column_size(const OsmlAnalysisColumn *column);
extern void osml_analysis_column_write(const OsmlAnalysisColumn *column, char *bytes);
extern void osml_analysis_column_read(OsmlAnalysisColumn *column, MemoryContext context,
									  const char *bytes, size_t size);

#endif							/* OSML_ANALYSIS_H */
