/*
 * pinned.h
 *	  The settings under which expressions are read and run, whatever the session's.
 *
 * A feature must be the same in the caller, in a worker, in training and in a
 * prediction years later, so what decides what a text means, or what a value
 * looks like as a text, has one value here: see pinned.c for the list.
 */
#ifndef OSML_PINNED_H
#define OSML_PINNED_H

/* Pin them until AtEOXact_GUC(false, result). */
extern int	osml_pin_settings(void);

#endif							/* OSML_PINNED_H */
