/*
 * arena.h
 *	  Where the pure rooms get memory: from whoever calls them.
 *
 * The server hands over a memory context, a unit test malloc.  A pure room
 * keeps nothing else, so that an error thrown out of alloc leaks nothing.
 */
#ifndef OSML_ARENA_H
#define OSML_ARENA_H

#include <stddef.h>

typedef struct OsmlArena
{
	void	   *(*alloc) (void *arg, size_t size);	/* zeroed; NULL: out of memory */
	void		(*release) (void *arg, void *memory);
	void	   *arg;
} OsmlArena;

static inline void *
osml_arena_alloc(const OsmlArena *arena, size_t size)
{
	return arena->alloc(arena->arg, size > 0 ? size : 1);
}

static inline void
osml_arena_release(const OsmlArena *arena, void *memory)
{
	if (memory != NULL)
		arena->release(arena->arg, memory);
}

#endif							/* OSML_ARENA_H */
