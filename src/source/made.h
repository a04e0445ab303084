/*
 * made.h
 *	  Features that definitions make, row by row, for reports.
 *
 * A row goes the way of osml_predict(): row.h takes it in, the set's program runs
 * over it.  What comes out are cells (features/sample.h), a column each: a number
 * is its value, NULL included; a category, bin or cross is a key, its code.  A text that is a
 * category because nobody said otherwise is the key of the text, as a plain text
 * column is.
 *
 * Next: columns.h, where they stand beside plain columns.
 */
#ifndef OSML_MADE_H
#define OSML_MADE_H

#include "nodes/bitmapset.h"

#include "features/sample.h"
#include "source/feature.h"

/* a column of a feature, and what it is made of */
typedef struct OsmlMadeColumn
{
	char	   *name;			/* "feature", or "feature_sin" of one of several */
	int			feature;		/* among the set's */
	const char *type;			/* for people */
	Oid			value_type;		/* of the expression that it is; InvalidOid: none, or
								 * there are steps behind it */
	OsmlRegister at;			/* in the program */
	bool		is_code;
	int			text_key;		/* key column of the program's input: a code, but the key
								 * of its text is the cell; -1: not so */
	bool		takes_null;		/* NULL of its inputs is a category too */
	Bitmapset  *sources;		/* inputs of the set */
	Bitmapset  *numbers;		/* number registers of the program on the way */
	List	   *behind;			/* columns of the source: char * */
	char	   *origin;			/* the one column whose values it has in another
								 * form, and of which what is known holds; or NULL */
	bool		regroups;		/* its numbers are categories, or go round */
} OsmlMadeColumn;

typedef struct OsmlMade
{
	OsmlFeatureSet *set;
	int			n;
	OsmlMadeColumn *columns;	/* in the order of the set's features */
	struct OsmlRowReader *reader;
	double	   *numbers;		/* of one row: inputs */
	uint64	   *keys;
	double	   *dense;			/* outputs */
	int32	   *codes;
	void	   *scratch;
} OsmlMade;

/* The set's program is complete.  In the current context. */
extern OsmlMade *osml_made_create(OsmlFeatureSet *set);

/* The cells of a row, whose values are those of the set's columns.  What expressions
 * allocate stays in the current context. */
extern void osml_made_cells(OsmlMade *made, const Datum *values, const bool *nulls,
							OsmlCell *cells);

#endif							/* OSML_MADE_H */
