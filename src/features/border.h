/*
 * border.h
 *	  Does a column tell on which side of a border the label is, to the row?
 *
 * A status that is set once a label passes 3 does, and so does a value that is
 * filled in only then.  An honest feature does not, however strong it is: it is
 * there before the label, and what happens in between blurs every border.  In
 * the label's order the share of rows that have some value then changes by and
 * by, as the labels of those that have it and of the others overlap, and a value
 * that goes from no row to every row between two neighbouring labels was taken
 * from the label.  That is the sharp design of Thistlethwaite and Campbell (J.
 * Educational Psychology 51, 1960), and that a share mixed by noise has no jump
 * is why it is believed (Hahn, Todd and van der Klaauw, Econometrica 69, 2001).
 *
 * Good features divide a label too where it has no rows between two heaps, as
 * tariffs and closed shops make them, so the label itself must run through
 * the border: a dip or a gap there proves nothing (after McCrary, J.
 * Econometrics 142, 2008).  Nor does a border with a single value on one side,
 * which may be a state or a class of its own, nor several borders: the zones of
 * a tariff have many.
 *
 * Next: assess_known.c (what is made of it).
 */
#ifndef OSML_BORDER_H
#define OSML_BORDER_H

#include "features/view.h"

typedef struct OsmlBorder
{
	bool		found;			/* the other members are of any use */
	bool		sharp;			/* no honest feature does that */
	double		value;			/* above it, or not */
	double		below;			/* share of rows up to the border that are told
								 * apart from those above */
	double		above;			/* likewise of rows above it */
} OsmlBorder;

/*
 * The border that the column's values and NULL tell best, for a label of at
 * least six different numbers; not found for another.  Of a column of many
 * values only NULL, the usual value and the others count.  One walk along the
 * label's order, a byte a row.
 */
extern OsmlStatus osml_border(const OsmlArena *arena, const OsmlTarget *target,
							  const OsmlView *view, OsmlBorder *border);

#endif							/* OSML_BORDER_H */
