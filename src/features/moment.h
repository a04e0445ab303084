/*
 * moment.h
 *	  Columns that are points in time, whatever type they are stored as.
 *
 * The evidence is in the values: dates and timestamps by their type, numbers
 * that all lie where Unix time lies since 2001, whole numbers that all read as
 * a date yyyymmdd or as a year and its day yyyyddd.  The order of rows plays no
 * part.
 */
#ifndef OSML_MOMENT_H
#define OSML_MOMENT_H

#include "features/view.h"

typedef struct OsmlMoment
{
	const char *form;			/* how it is stored; NULL: no point in time */
	const char *maybe;			/* what it may count, where a size may be as high */
	double		day;			/* a day in the column's units */
	double		years;			/* from the first to the last */
	bool		fine;			/* finer than days, so of something that happened at a
								 * time of day; dates may be anything, as of birth */
} OsmlMoment;

extern OsmlMoment osml_moment(const OsmlColumnKind *kind, const OsmlColumnFacts *facts,
							  const OsmlView *view);

#endif							/* OSML_MOMENT_H */
