/*
 * guard.h
 *	  Whose a row of a base table would be.
 */
#ifndef OSML_CATALOG_GUARD_H
#define OSML_CATALOG_GUARD_H

#include "postgres.h"

/*
 * Owner of the dataset, model, version or run (by that name of the kind) with
 * this number, palloc'd; NULL where there is none.  Runs as the current user,
 * who may read the tables if he may write them.
 */
extern char *osml_guard_owner(const char *kind, int64 id);

#endif							/* OSML_CATALOG_GUARD_H */
