/*
 * grant.c
 *	  osml.model_grant: what an owner allows to others.
 */
#include "postgres.h"

#include "catalog/model.h"
#include "catalog/role.h"
#include "catalog/scope.h"
#include "catalog/statement.h"

static OsmlStatement add_grant = OSML_STATEMENT(
	"INSERT INTO osml.model_grant (model_id, grantee, privilege)"
	" VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
	INT8OID, TEXTOID, TEXTOID);

static OsmlStatement remove_grant = OSML_STATEMENT(
	"DELETE FROM osml.model_grant"
	" WHERE model_id = $1 AND grantee = $2 AND privilege = $3",
	INT8OID, TEXTOID, TEXTOID);

static OsmlStatement find_grants = OSML_STATEMENT(
	"SELECT grantee FROM osml.model_grant WHERE model_id = $1 AND privilege = $2",
	INT8OID, TEXTOID);

/* Give or take; both may be repeated, which changes nothing. */
bool
osml_grant_set(const OsmlModelRow *model, const char *role,
			   const char *privilege, bool granted)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	osml_push_text(&args, role);
	osml_push_text(&args, privilege);
	n = osml_statement_write(granted ? &add_grant : &remove_grant, &args);
	osml_catalog_end(&scope);
	return n > 0;
}

/* Is any of these grantees everybody, or a role of the current user? */
bool
osml_grantee_matches(List *grantees)
{
	ListCell   *lc;

	foreach(lc, grantees)
	{
		const char *grantee = lfirst(lc);

		if (strcmp(grantee, OSML_PUBLIC) == 0 || osml_role_usable(grantee))
			return true;
	}
	return false;
}

/* Was the privilege granted to the current user? */
bool
osml_grant_exists(const OsmlModelRow *model, const char *privilege)
{
	OsmlCatalogScope scope;
	OsmlArgs	args = {0};
	List	   *grantees = NIL;
	uint64		n;

	osml_catalog_begin(&scope);
	osml_push_int8(&args, model->model_id);
	osml_push_text(&args, privilege);
	n = osml_statement_read(&find_grants, &args);
	MemoryContextSwitchTo(scope.caller);
	for (uint64 i = 0; i < n; i++)
	{
		OsmlFields	fields = osml_fields(&scope, i);

		grantees = lappend(grantees, osml_pull_text(&fields));
	}
	osml_catalog_end(&scope);

	/* asked outside the scope: inside, the current user is the owner */
	return osml_grantee_matches(grantees);
}
