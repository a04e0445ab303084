/*
 * leak.h
 *	  What a column may know that nobody knows when a prediction is wanted.
 *
 * Next: assess.h (what is made of it).
 */
#ifndef OSML_LEAK_H
#define OSML_LEAK_H

#include "features/association.h"

/*
 * Labels of one kind: a value, or all on one side of one.  How far the marked
 * rows are of one kind, which all rows are not.
 */
typedef enum OsmlLabelKind
{
	OSML_LABEL_IS,
	OSML_LABEL_ABOVE,
	OSML_LABEL_BELOW
} OsmlLabelKind;

typedef struct OsmlPurity
{
	double		share;			/* of marked rows with labels of that kind; 0: none
								 * stands out */
	double		base;			/* of all rows */
	double		rest;			/* marked rows of other kinds, as a part of what all
								 * rows would have: 0 none, 1 as many */
	int			rows;			/* marked */
	OsmlLabelKind kind;
	double		value;			/* the value or the border; NaN for a key */
} OsmlPurity;

extern OsmlStatus osml_purity(const OsmlArena *arena, const OsmlTarget *target,
							  const bool *mark, OsmlPurity *purity);

/* the label's share that the place of a row in its source explains, and its p */
extern OsmlStatus osml_order_explains(const OsmlArena *arena, const OsmlTarget *target,
									  OsmlExplained *explained);

#endif							/* OSML_LEAK_H */
