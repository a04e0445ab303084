/*
 * classes.h
 *	  The classes of a label: a vocabulary in the order of its values.
 *
 * Readers send the key of a label's text (features/key.h) where a number would
 * be; a model knows classes by number, from 0.  Numbers are sorted as numbers,
 * other texts by their bytes, so that false comes before true and 9 before 10,
 * whatever rows came first.
 *
 * Next: tally.h (what they are learned from).
 */
#ifndef OSML_CLASSES_H
#define OSML_CLASSES_H

#include "compute/arena.h"
#include "compute/status.h"
#include "features/tally.h"

typedef struct OsmlClasses
{
	int			n;
	const char **texts;			/* [n] in order */
	double	   *values;			/* [n] as numbers, or NULL: some text is none */
	uint64_t   *keys;			/* [n] ascending, for finding */
	int		   *numbers;		/* [n] of each key */
} OsmlClasses;

/* of n different texts, copied; all memory is the arena's */
extern OsmlStatus osml_classes_create(const OsmlArena *arena, const char *const *texts,
									  int n, OsmlClasses *classes);

/* the number of the class with this key, or -1 */
extern int	osml_classes_find(const OsmlClasses *classes, uint64_t key);

#endif							/* OSML_CLASSES_H */
