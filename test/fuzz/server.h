/*
 * server.h
 *	  As much of a server as src/hparams calls, so that it can be fuzzed without one.
 *
 * The server's headers are the real ones; what they declare and hparams uses is
 * in server.c, with memory in an arena of which each piece is fenced off for the
 * address sanitizer, and errors that jump back to the target.  JSON is a tree in
 * place of jsonb's bytes, behind the same calls.
 */
#ifndef OSML_FUZZ_SERVER_H
#define OSML_FUZZ_SERVER_H

#include "postgres.h"

#include <setjmp.h>

#include "utils/jsonb.h"

/* where an error goes; the target sets it */
extern sigjmp_buf fuzz_error_jump;

/* the SQLSTATE of the last error */
extern int	fuzz_error_code;

/* the text of the last Jsonb that was read from a text */
extern char *fuzz_last_text;

/* all memory at once */
extern void fuzz_forget(void);

/*
 * Any bytes as an object: what is not JSON is passed over, what is open at the end
 * is closed, and a byte above 127 where a key belongs is a number of keys[], so
 * that nearly every input reaches the parser.
 */
extern Jsonb *fuzz_read_object(const char *bytes, size_t size, const char *const *keys, int n_keys);

#endif							/* OSML_FUZZ_SERVER_H */
