/*
 * context_arena.c
 *	  An arena over a memory context.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "source/context_arena.h"

/*
 * NULL, not an error, when there is no memory: pure rooms report that.  They do
 * not know of interrupts either, and ask for memory at each step of what takes
 * long.
 */
static void *
context_alloc(void *arg, size_t size)
{
	CHECK_FOR_INTERRUPTS();
	return MemoryContextAllocExtended(arg, size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO |
									  MCXT_ALLOC_NO_OOM);
}

static void
context_release(void *arg, void *memory)
{
	pfree(memory);
}

OsmlArena
osml_context_arena(MemoryContext context)
{
	OsmlArena	arena = {context_alloc, context_release, context};

	return arena;
}

void
osml_check_status(OsmlStatus status)
{
	if (status == OSML_OUT_OF_MEMORY)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory")));
	if (status != OSML_OK)
		elog(ERROR, "status %d of a pure room", (int) status);
}
