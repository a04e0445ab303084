/*
 * context_arena.h
 *	  Memory of the server for the pure rooms: an arena over a context.
 */
#ifndef OSML_CONTEXT_ARENA_H
#define OSML_CONTEXT_ARENA_H

#include "compute/arena.h"
#include "compute/status.h"
#include "utils/palloc.h"

/* each request for memory also looks for interrupts */
extern OsmlArena osml_context_arena(MemoryContext context);

/* raise the error for a status that is not OSML_OK */
extern void osml_check_status(OsmlStatus status);

#endif							/* OSML_CONTEXT_ARENA_H */
