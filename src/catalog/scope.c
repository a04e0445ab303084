/*
 * scope.c
 *	  Becoming the extension's owner for a few statements.
 *
 * Nobody but that owner may touch the base tables.  It is found by the owner
 * of osml.run, looked up by name each time: an extension that was dropped and
 * created again, perhaps by somebody else, needs no invalidation here.
 *
 * Whoever owns a trusted extension may drop it and put tables of the same names
 * in its place, when a statement has found out as whom it is to run and waits
 * for a lock.  So the extension is locked first, which no drop goes past, and
 * schema and table must be members of it.  Once the statement has locked its
 * tables that lock is let go: who drops the extension waits for the tables.
 *
 * Next: statement.c (running the SQL).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_extension.h"
#include "catalog/pg_namespace.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "catalog/scope.h"

/* what was found to be genuine last */
static Oid	known_extension = InvalidOid;
static Oid	known_relation = InvalidOid;

/* what a worker goes by, if this is one: InvalidOid is no extension at all */
static bool expects = false;
static Oid	expected = InvalidOid;

static LOCKTAG
extension_tag(Oid extension)
{
	LOCKTAG		tag;

	SET_LOCKTAG_OBJECT(tag, MyDatabaseId, ExtensionRelationId, extension, 0);
	return tag;
}

/* Until the transaction ends, or earlier; what others have dropped is known from then on. */
static void
lock_extension(Oid extension)
{
	LOCKTAG		tag = extension_tag(extension);

	(void) LockAcquire(&tag, AccessShareLock, false, false);
	AcceptInvalidationMessages();
}

static void
unlock_extension(Oid extension)
{
	LOCKTAG		tag = extension_tag(extension);

	(void) LockRelease(&tag, AccessShareLock, false);
}

/* The extension, locked; or InvalidOid.  A name may mean another one after a wait. */
static Oid
find_extension(void)
{
	Oid			extension = get_extension_oid("osml", true);

	while (OidIsValid(extension))
	{
		Oid			now;

		lock_extension(extension);
		now = get_extension_oid("osml", true);
		if (now == extension)
			break;
		unlock_extension(extension);
		extension = now;
	}
	return extension;
}

static Oid
find_relation(void)
{
	Oid			schema = get_namespace_oid("osml", true);

	return OidIsValid(schema) ? get_relname_relid("run", schema) : InvalidOid;
}

/* Raise unless schema and table, which have the right names, belong to the extension. */
static void
check_genuine(Oid extension, Oid relation)
{
	if (!OidIsValid(extension) || !OidIsValid(relation))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("extension \"osml\" is not installed in this database"),
				 errhint("Run CREATE EXTENSION osml.")));
	if (expects && extension != expected)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("extension \"osml\" is not the one that the run began with"),
				 errdetail("It has been dropped and created again.")));
	if (getExtensionOfObject(NamespaceRelationId, get_rel_namespace(relation)) != extension ||
		getExtensionOfObject(RelationRelationId, relation) != extension)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table \"osml.run\" does not belong to extension \"osml\"")));
}

/*
 * Tables go together with their extension, so as long as the table is the one that was
 * looked at, it is all as it was; this is asked for each prediction.
 */
Oid
osml_catalog_hold(void)
{
	Oid			extension;
	Oid			relation;

	if (OidIsValid(known_extension))
	{
		lock_extension(known_extension);
		if (find_relation() == known_relation)
			return known_extension;
		unlock_extension(known_extension);
		known_extension = InvalidOid;
	}
	extension = find_extension();
	relation = find_relation();
	check_genuine(extension, relation);
	known_extension = extension;
	known_relation = relation;
	return extension;
}

void
osml_catalog_let_go(void)
{
	unlock_extension(known_extension);
}

Oid
osml_catalog_extension(void)
{
	Oid			extension = osml_catalog_hold();

	osml_catalog_let_go();
	return extension;
}

void
osml_catalog_expect(Oid extension)
{
	expects = true;
	expected = extension;
	known_extension = InvalidOid;
}

/* The relation that stands for the installation; an error if there is none. */
Oid
osml_catalog_run_relation(void)
{
	(void) osml_catalog_extension();
	return known_relation;
}

/* Who owns the base tables, which osml_catalog_hold() has found. */
static Oid
catalog_owner(void)
{
	HeapTuple	tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(known_relation));
	Oid			owner;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for relation %u", known_relation);
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
	Oid			owner;

	/* before the owner is asked for, and until the statements have locked the tables */
	(void) osml_catalog_hold();
	owner = catalog_owner();
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
	osml_catalog_let_go();
	MemoryContextSwitchTo(scope->caller);
}
