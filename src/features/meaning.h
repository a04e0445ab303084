/*
 * meaning.h
 *	  What the numbers of a column stand for: sizes, or codes and circles that
 *	  only look like sizes.
 *
 * The evidence is in the values and in how the label follows them; a column's
 * name counts, but never alone.
 */
#ifndef OSML_MEANING_H
#define OSML_MEANING_H

#include "features/association.h"

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
	double		period;			/* of a cycle */
	const char *cycle;			/* its name */
	double		line;			/* of what values tell of the label, the share that a
								 * straight line tells; NaN: values tell nothing */
	double		jagged;			/* how far neighbouring values differ in their label:
								 * 0 a smooth curve, 1 as if shuffled; NaN unknown */
	int			digits;			/* all values have so many; 0: they differ */
	bool		rises;			/* with the order of rows, nearly always */
	bool		dense;			/* whole numbers without large gaps */
	bool		named;			/* the column's name says so too */
} OsmlMeaningFound;

extern OsmlStatus osml_meaning(const OsmlSample *sample, const OsmlTarget *target,
							   const OsmlView *view, int j, double r,
							   OsmlMeaningFound *found);

/* "size", "category", ... */
extern const char *osml_meaning_name(OsmlMeaning meaning);

#endif							/* OSML_MEANING_H */
