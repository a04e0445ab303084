/*
 * scope.c
 *	  Becoming the extension's owner for a few statements.
 *
 * Nobody but that owner may touch the base tables.  It is found by the owner
 * of osml.run, looked up by name each time: an extension that was dropped and
 * created again, perhaps by somebody else, needs no invalidation here.
 *
 * Next: statement.c (running the SQL).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/scope.h"

/* The relation that stands for the installation; an error if there is none. */
Oid
osml_catalog_run_relation(void)
{
	Oid			schema = get_namespace_oid("osml", true);
	Oid			relation = InvalidOid;

	if (OidIsValid(schema))
		relation = get_relname_relid("run", schema);
	if (!OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"osml\" is not installed in this database"),
				 errhint("Run CREATE EXTENSION osml.")));
	return relation;
}

/* Who owns the base tables. */
static Oid
catalog_owner(void)
{
	Oid			relation = osml_catalog_run_relation();
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", relation);
	owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
	ReleaseSysCache(tuple);
	return owner;
}

/*
 * The two flags keep code that the statements might reach, a trigger say, from
 * changing role or leaving something behind with the owner's rights.  The
 * search_path is set as function SET clauses do it, which parallel workers may
 * too.
 */
void
osml_catalog_begin(OsmlCatalogScope *scope)
{
	Oid			owner = catalog_owner();

	scope->caller = CurrentMemoryContext;
	GetUserIdAndSecContext(&scope->saved_user, &scope->saved_context);
	SetUserIdAndSecContext(owner, scope->saved_context |
						   SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION);
	scope->guc_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp",
							 PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
}

/* Back to the caller's identity, settings and memory context. */
void
osml_catalog_end(OsmlCatalogScope *scope)
{
	if (SPI_finish() != SPI_OK_FINISH)
		elog(ERROR, "SPI_finish failed");
	AtEOXact_GUC(false, scope->guc_level);
	SetUserIdAndSecContext(scope->saved_user, scope->saved_context);
	MemoryContextSwitchTo(scope->caller);
}
