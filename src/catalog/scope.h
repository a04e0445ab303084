/*
 * scope.h
 *	  Typed access to schema osml.  No other room names its tables in SQL.
 *
 * The base tables belong to the extension's owner and nobody else may touch
 * them.  Each function here switches to that owner for its own statement, with
 * search_path pinned to pg_catalog, and switches back; the caller has checked
 * the user's right first (rights.h).  Reads use the active snapshot unless
 * said otherwise.
 *
 * Next: statement.h (running the SQL), then a file a table.
 *
 * Must not: start or commit transactions (the trainer and the API do), run
 * text that comes out of a row.
 */
#ifndef OSML_CATALOG_SCOPE_H
#define OSML_CATALOG_SCOPE_H

#include "utils/palloc.h"

/*
 * Run SQL as the extension's owner, connected to SPI; osml_catalog_end() undoes
 * all of it, and so does the end of the (sub)transaction after an error.
 */
typedef struct OsmlCatalogScope
{
	Oid			saved_user;
	int			saved_context;
	int			guc_level;
	MemoryContext caller;		/* results are allocated here */
} OsmlCatalogScope;

extern void osml_catalog_begin(OsmlCatalogScope *scope);
extern void osml_catalog_end(OsmlCatalogScope *scope);

/*
 * Lock the extension against being dropped, and make sure that what schema osml has is its
 * own: else an error.  osml_catalog_begin() does this, too; by itself it is for whoever
 * has SQL parsed that calls functions of the schema.  Not for long: the trainer cannot
 * write while somebody waits to drop the extension.
 */
extern Oid	osml_catalog_hold(void);
extern void osml_catalog_let_go(void);

/* oid of the extension; an error like those of osml_catalog_hold() */
extern Oid	osml_catalog_extension(void);

/* in a worker: any other extension than this one is an error from now on */
extern void osml_catalog_expect(Oid extension);

/* oid of osml.run, which also identifies the extension's installation */
extern Oid	osml_catalog_run_relation(void);

#endif							/* OSML_CATALOG_SCOPE_H */
