/*
 * meaning.h
 *	  What the numbers of a column stand for: sizes, or codes, circles and
 *	  points in time that only look like sizes.
 *
 * The evidence is in the values and in how the label follows them; a column's
 * name counts, but never alone.
 */
#ifndef OSML_MEANING_H
#define OSML_MEANING_H

#include "features/cycle.h"
#include "features/identifier.h"
#include "features/moment.h"

typedef enum OsmlMeaning
{
	OSML_MEANS_SIZE,
	OSML_MEANS_CATEGORY,		/* keys */
	OSML_MEANS_FLAG,			/* two values */
	OSML_MEANS_CODE,			/* numbers that name things */
	OSML_MEANS_CYCLE,			/* hour of day, month, angle */
	OSML_MEANS_TIME,
	OSML_MEANS_CONSTANT,
	OSML_MEANS_IDENTIFIER
} OsmlMeaning;

typedef struct OsmlMeaningFound
{
	OsmlMeaning meaning;
	OsmlCycle	cycle;
	OsmlMoment	moment;
	double		line;			/* of what values tell of the label, the share that a
								 * straight line tells; NaN: values tell nothing */
	double		jagged;			/* how far neighbouring values differ in their label:
								 * 0 a smooth curve, 1 as if shuffled; NaN unknown */
	double		bend;			/* the same by a parabola; NaN: likewise */
	int			digits;			/* all values have so many; 0: they differ */
	bool		looks_named;	/* a code by its name or digits, not by the label alone */
	double		place;			/* correlation with the order of rows, of numbers */
	bool		may_name_rows;	/* an identifier, or a rank or measure as fine */
} OsmlMeaningFound;

/* r and p: the best correlation with the label, and the p-value of the best of
 * all measures */
extern OsmlStatus osml_meaning(const OsmlSample *sample, const OsmlTarget *target,
							   const OsmlView *view, int j, double r, double p,
							   OsmlMeaningFound *found);

/* "size", "category", ... */
extern const char *osml_meaning_name(OsmlMeaning meaning);

#endif							/* OSML_MEANING_H */
