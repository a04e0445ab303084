/*
 * names.c
 *	  Lists of names: see names.h.
 */
#include "postgres.h"

#include "source/names.h"

bool
osml_names_hold(const List *names, const char *name)
{
	const ListCell *cell;

	foreach(cell, names)
	{
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	}
	return false;
}
