/*
 * status.h
 *	  How the pure rooms report failure.
 *
 * A pure room never calls the server, so it cannot raise an error.  It returns
 * one of these codes, and the caller (train, source, api) turns the code into
 * an ereport that names the object the user knows.
 */
#ifndef OSML_STATUS_H
#define OSML_STATUS_H

typedef enum OsmlStatus
{
	OSML_OK = 0,
	OSML_OUT_OF_MEMORY,			/* a scratch allocation failed */
	OSML_BAD_FORMAT,			/* bytes that are not what they claim to be */
	OSML_BAD_SHAPE,				/* sizes that do not fit each other */
	OSML_NOT_CONVERGED			/* a numeric method gave up */
} OsmlStatus;

#endif							/* OSML_STATUS_H */
