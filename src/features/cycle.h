/*
 * cycle.h
 *	  Columns that go round: hour of day, month, angle.
 *
 * A name and a range make one; without a name the values must fill the range,
 * and the label must follow a circle better than a line.
 */
#ifndef OSML_CYCLE_H
#define OSML_CYCLE_H

#include "features/association.h"

typedef struct OsmlCycle
{
	const char *name;			/* "hour of day", ...; NULL: goes round nowhere */
	bool		named;			/* the column's name says so too */
} OsmlCycle;

/* explained: of the label, by the column's values or bins, whichever is more */
extern OsmlStatus osml_cycle(const OsmlArena *arena, const OsmlColumnKind *kind,
							 const OsmlColumnFacts *facts, const OsmlTarget *target,
							 const OsmlView *view, const OsmlExplained *explained,
							 OsmlCycle *found);

#endif							/* OSML_CYCLE_H */
