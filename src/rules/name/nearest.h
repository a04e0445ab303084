/*
 * nearest.h
 *	  Which of these names did the user mean?
 *
 * Feed every valid name, then ask for the best: NULL when nothing is close
 * enough to be a likely slip of the fingers.  The strings are kept, not copied.
 */
#ifndef OSML_NEAREST_H
#define OSML_NEAREST_H

typedef struct OsmlNearest
{
	const char *wanted;
	const char *best;
	int			distance;
} OsmlNearest;

extern void osml_nearest_begin(OsmlNearest *nearest, const char *wanted);
extern void osml_nearest_offer(OsmlNearest *nearest, const char *name);
extern const char *osml_nearest_end(const OsmlNearest *nearest);

#endif							/* OSML_NEAREST_H */
