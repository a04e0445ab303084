/*
 * identifier.h
 *	  Does a column name rows: a serial number, a reference, an account?
 *
 * Keys of which nearly every row has its own do.  A whole number may measure
 * just as finely, or rank, so it takes a clue that it names something, and that
 * it has no relation to the label: drop is for what nothing can save.
 */
#ifndef OSML_IDENTIFIER_H
#define OSML_IDENTIFIER_H

#include "features/association.h"

/* last words of names that only identifiers have */
#define OSML_SURE_ID_WORDS " id key uuid guid serial "

typedef enum OsmlIdentity
{
	OSML_NAMES_NOTHING,
	OSML_MAY_NAME_ROWS,
	OSML_NAMES_ROWS
} OsmlIdentity;

/* what is known of a column when this is asked */
typedef struct OsmlIdentityClues
{
	double		p;				/* of the strongest relation to the label */
	double		strongest;		/* relation that the rows do not rule out, 0 .. 1 */
	double		place;			/* correlation with the place in the source */
	int			digits;			/* all values have so many; 0: they differ */
} OsmlIdentityClues;

extern OsmlIdentity osml_names_rows(const OsmlSample *sample, const OsmlView *view, int j,
									const OsmlIdentityClues *clues);

/* a column with so strong a correlation grows or falls with the order of rows */
#define OSML_ORDER_FOLLOWED 0.95

#endif							/* OSML_IDENTIFIER_H */
