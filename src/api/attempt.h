/*
 * attempt.h
 *	  Something that may fail: a subtransaction undoes whatever was half done.
 */
#ifndef OSML_API_ATTEMPT_H
#define OSML_API_ATTEMPT_H

typedef void (*OsmlAttemptBody) (void *arg);

/*
 * The error, in the current context, or NULL.  The subtransaction is over then: an
 * error that nobody wanted may be raised again with ReThrowError().
 */
extern ErrorData *osml_attempt(OsmlAttemptBody body, void *arg);

/* is an error about the server or the session, and not about what was attempted? */
extern bool osml_is_interruption(const ErrorData *error);

#endif							/* OSML_API_ATTEMPT_H */
