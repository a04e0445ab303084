/*
 * source.h
 *	  Where rows come from: a relation or a SELECT, and how it is cut to shards.
 *
 * osml_source_resolve() runs in the session of the user who named the source:
 * names, rights and search_path are that user's.  osml_scan_*() turns rows
 * into blocks inside the process that reads: the caller's backend, or a reader
 * worker that has taken on the caller's identity.
 *
 * Next: table.c (scanning), resident.h (where a trainer keeps blocks).
 */
#ifndef OSML_SOURCE_H
#define OSML_SOURCE_H

#include "access/tupdesc.h"
#include "compute/block.h"
#include "nodes/pg_list.h"
#include "source/feature.h"
#include "source/row.h"

/* what a NULL, and what a NaN or an infinity, in a row leads to */
typedef enum OsmlOnNull
{
	OSML_ON_NULL_SKIP,
	OSML_ON_NULL_ERROR,
	OSML_ON_NULL_MEAN
} OsmlOnNull;

typedef enum OsmlOnNonfinite
{
	OSML_ON_NONFINITE_STOP,
	OSML_ON_NONFINITE_SKIP,
	OSML_ON_NONFINITE_ROLLBACK, /* for rows the same as skip */
	OSML_ON_NONFINITE_KEEP		/* prediction: NaN in, NaN out */
} OsmlOnNonfinite;

/*
 * One thing that can be scanned: a FROM item.  A heap relation without
 * anything in the way of it can also be scanned by block range.
 */
typedef struct OsmlScanUnit
{
	char	   *from;			/* "schema"."rel", or (SELECT ...) AS osml_source */
	char	   *label;			/* for messages: relation "s.r", or query */
	uint32		n_blocks;		/* heap blocks if it can be cut, else 0 */
} OsmlScanUnit;

typedef struct OsmlSource
{
	char	   *text;			/* what the user wrote */
	Oid			relid;			/* InvalidOid for a SELECT */
	List	   *relations;		/* oids: all that is read, through views, and partitions; locked */
	char	   *from;			/* FROM item of the whole */
	char	   *label;			/* for messages */
	const char *dataset;		/* whose it is, for messages; or NULL */
	bool		temporary;		/* only the session itself can read it */
	TupleDesc	columns;		/* names and types */
	int			n_units;		/* leaf partitions, or the whole as one */
	OsmlScanUnit *units;
} OsmlSource;

/* heap pages a shard: of a whole-table pass by several readers */
#define OSML_PASS_PAGES 512

/* a contiguous piece of one unit; the whole unit when n_blocks is 0 */
typedef struct OsmlShard
{
	int			unit;
	uint32		first_block;
	uint32		n_blocks;
} OsmlShard;

/*
 * Resolve text to a source: a SELECT (or VALUES, TABLE, WITH) when it starts
 * with such a word, else a relation by regclass rules.  Errors: undefined
 * table with the nearest hint, wrong object type, insufficient privilege, a
 * URL (not supported by this version).  part, NULL where there is but one
 * source, tells queries apart in messages: "val" makes "the val query".
 */
extern OsmlSource *osml_source_resolve(const char *text, const char *part);

/* is there a relation of that name?  No error if it is no name at all. */
extern bool osml_source_is_relation(const char *text);

/* columns that are no features unless they are named as such; NULL: none, but for
 * the label, which is then the first column */
typedef struct OsmlRoles
{
	const char *label;
	const char *weight;
	const char *exposure;
	const char *since;
} OsmlRoles;

/*
 * Pick label and features.  features NIL: all columns without another role, then
 * all defined features (list of char *).
 * definitions (of OsmlDefinition, ordered by feature and step) are those of the
 * dataset, whose name is for messages, or NIL.  Array lengths are taken from
 * the first row that has the array.  The set has its program, as yet unfitted.
 * Errors: no such column (nearest name as hint), a type that cannot be used, a
 * definition that makes no sense.
 */
extern OsmlFeatureSet *osml_source_features(OsmlSource *source, const OsmlRoles *roles,
											List *features, List *definitions,
											const char *dataset);

/*
 * Check that another source (val, test, predict, evaluate) has the features by
 * name with usable types, and return the set with that source's own types.
 * with_label: it must have the label as well.
 */
extern OsmlFeatureSet *osml_source_match(OsmlSource *source,
										 const OsmlFeatureSet *set, bool with_label);

/* Cut into shards of at most pages heap blocks each, in plan order. */
extern OsmlShard *osml_source_shards(const OsmlSource *source, uint32 pages,
									 int *n_shards);

/*
 * Scan one shard and hand over blocks; the sink may keep nothing of a block.
 * A sink returns false to stop early.  Rows that on_null or on_nonfinite drop
 * are counted in the next block's header; a last, possibly empty, block
 * carries the rest.  Where the set's program has steps, all rows with a label are
 * handed over: what the features are decides (encode.h).  Interrupts are checked in the executor's loop.
 * from/label: of the unit.  keys: extra output expressions evaluated for each
 * row (NIL mostly), handed to key_sink row by row; row_sink gets all of a row's
 * values, of the columns of osml_scan_columns(), and its place in the block to come.
 */
typedef bool (*OsmlBlockSink) (void *arg, OsmlBlock *block);

typedef struct OsmlScan
{
	const OsmlFeatureSet *set;
	OsmlOnNull	on_null;
	OsmlOnNonfinite on_nonfinite;
	OsmlBlockSink sink;
	void	   *arg;
	void		(*opened) (void *arg);	/* or NULL: the query is parsed, no row is read */
	int32		shard;			/* copied to each block */
	const char *key_column;		/* extra column (SQL, quoted) or NULL */
	void		(*key_sink) (void *arg, int row, Datum key, bool isnull);
	void		(*row_sink) (void *arg, int row, const Datum *values, const bool *nulls);
	const volatile bool *stop;	/* or NULL: once set, rows are of no more use;
								 * looked at row by row, since a block of a slow
								 * source can take minutes */
	bool		keep_null_rows; /* prediction: a row with a NULL feature stays,
								 * its values osml_missing() */
	OsmlTextSink text_sink;		/* called with arg */
	uint64		text_keys;		/* for these key columns; see row.h */
	Oid			owner;			/* as whom expressions run; InvalidOid: the user */
} OsmlScan;

/* Returns the rows read, dropped ones included. */
extern int64 osml_scan_unit(const OsmlScan *scan, const OsmlScanUnit *unit,
							uint32 first_block, uint32 n_blocks);

/* the columns that a scan reads: the set's, label, weight and exposure; palloc'd */
extern TupleDesc osml_scan_columns(const OsmlFeatureSet *set);

/*
 * Rows that the caller has, of the columns of osml_scan_columns(), to the same sink.
 * unit is for messages.  Everything lives in the context that is current at the
 * beginning.  A flush hands over the rows of a block that is not full yet.
 */
typedef struct OsmlRows OsmlRows;

extern OsmlRows *osml_rows_begin(const OsmlScan *scan, const OsmlScanUnit *unit);
extern void osml_rows_put(OsmlRows *rows, const Datum *values, const bool *nulls);
extern void osml_rows_flush(OsmlRows *rows);

/* settings for a whole-table pass, until AtEOXact_GUC(false, result) */
extern int	osml_scan_settings(void);

#endif							/* OSML_SOURCE_H */
