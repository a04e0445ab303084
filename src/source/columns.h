/*
 * columns.h
 *	  Columns of a source read row by row, whatever their type, for reports.
 *
 * A number is its value, anything else a key, the hash of its text form; NULL,
 * NaN and infinities are handed over as they are.  Besides columns of the
 * source there may be candidates, SQL expressions over its row.  Training does
 * not come this way: see table.c.
 */
#ifndef OSML_COLUMNS_H
#define OSML_COLUMNS_H

#include "features/sample.h"
#include "source/source.h"

typedef struct OsmlColumns
{
	OsmlSource *source;
	int			n;				/* features, candidates, then the label */
	char	  **sql;			/* each in a SELECT list */
	bool	   *candidate;
	Oid		   *types;
	OsmlColumnKind *kinds;		/* names are those of features */
} OsmlColumns;

/*
 * The columns of a report: features (char *; NIL: all but the label), then
 * candidates, then the label (NULL: the first column).  An array of numbers is
 * a column an element.  Errors: no such column, with the nearest; a candidate
 * that no feature's expression may be (expression.h).
 */
extern OsmlColumns *osml_columns_resolve(OsmlSource *source, const char *label,
										 List *features, List *candidates);

/* raise the error for a feature that is neither a column nor an expression */
extern void osml_columns_check_feature(OsmlSource *source, char *text);

/* the same columns, without the candidates, of another source */
extern OsmlColumns *osml_columns_match(const OsmlColumns *columns, OsmlSource *source);

/* return false to stop; the row is the sink's until it returns */
typedef bool (*OsmlRowSink) (void *arg, const OsmlCell *row);

/* all rows in the order of the source; interrupts are checked */
extern void osml_columns_scan(const OsmlColumns *columns, OsmlRowSink sink, void *arg);

#endif							/* OSML_COLUMNS_H */
