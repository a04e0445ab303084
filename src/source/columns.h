/*
 * columns.h
 *	  Columns of a source read row by row, whatever their type, for reports.
 *
 * A number is its value, anything else a key, the hash of its text form; NULL,
 * NaN and infinities are handed over as they are.  Besides columns of the
 * source there may be candidates, SQL expressions over its row, and what
 * definitions make of it.  Training does not come this way: see table.c.
 *
 * Next: columns.c (which columns), columns_scan.c (their rows), made.h.
 */
#ifndef OSML_COLUMNS_H
#define OSML_COLUMNS_H

#include "source/made.h"
#include "source/source.h"

typedef enum OsmlColumnRole
{
	OSML_COLUMN_PLAIN,			/* of the source, as it is */
	OSML_COLUMN_CANDIDATE,
	OSML_COLUMN_MADE,			/* by definitions */
	OSML_COLUMN_BEHIND			/* of the source, no feature: something is made of it */
} OsmlColumnRole;

typedef struct OsmlColumns
{
	OsmlSource *source;
	int			n;				/* features, candidates, those behind, then the label */
	OsmlColumnRole *roles;
	char	  **sql;			/* each in a SELECT list; NULL: made */
	Oid		   *types;
	OsmlColumnKind *kinds;		/* names are those of features */

	OsmlMade   *made;			/* or NULL */
	int		   *made_column;	/* among its columns; -1: it is read */
	int		   *origin;			/* of a made one the column that it is in another form;
								 * -1: none */
	Bitmapset **sources;		/* inputs of the made set that it is, or is made of */
} OsmlColumns;

/*
 * The columns of a report: features (char *), then candidates, then the label.  A
 * feature that made (or NULL) has is what its definitions make, any other a column
 * of the source; an array of numbers is a column an element.  Errors: no such column, with the
 * nearest; a candidate that no feature's expression may be (expression.h).
 */
extern OsmlColumns *osml_columns_resolve(OsmlSource *source, const char *label,
										 List *features, List *candidates,
										 OsmlMade *made);

/* is column j one of the source? */
extern bool osml_column_is_read(const OsmlColumns *columns, int j);

/* the type of column j, or what stands for one, for people */
extern const char *osml_column_type(const OsmlColumns *columns, int j);

/* is one of two, of which one is a category, made of the other, or both of one
 * column?  That they say much the same goes without saying. */
extern bool osml_columns_akin(const OsmlColumns *columns, int a, int b);

/* raise the error for a feature that is neither a column nor an expression */
extern void osml_columns_check_feature(OsmlSource *source, char *text);

/* the columns that are read, of another source */
extern OsmlColumns *osml_columns_match(const OsmlColumns *columns, OsmlSource *source);

/* return false to stop; the row is the sink's until it returns */
typedef bool (*OsmlRowSink) (void *arg, const OsmlCell *row);

/* all rows in the order of the source; interrupts are checked */
extern void osml_columns_scan(const OsmlColumns *columns, OsmlRowSink sink, void *arg);

#endif							/* OSML_COLUMNS_H */
