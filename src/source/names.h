/*
 * names.h
 *	  Lists of names.
 */
#ifndef OSML_NAMES_H
#define OSML_NAMES_H

#include "nodes/pg_list.h"

/* is the name among those of a list of char *? */
extern bool osml_names_hold(const List *names, const char *name);

#endif							/* OSML_NAMES_H */
