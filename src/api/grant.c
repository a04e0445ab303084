/*
 * grant.c
 *	  osml_grant(), osml_revoke(): who else may use a model.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "api/need.h"
#include "catalog/model.h"

PG_FUNCTION_INFO_V1(osml_grant);
PG_FUNCTION_INFO_V1(osml_revoke);

/* The privilege as stored, whatever case it was written in. */
static const char *
check_privilege(const char *word)
{
	static const char *const words[] = {"predict", "manage"};

	for (int i = 0; i < (int) lengthof(words); i++)
	{
		if (pg_strcasecmp(word, words[i]) == 0)
			return words[i];
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized privilege \"%s\"", word),
			 errhint("Privileges on models are \"predict\" and \"manage\".")));
}

/* "public" cannot be a role's name, and means everybody. */
static bool
role_exists(const char *role)
{
	return strcmp(role, OSML_PUBLIC) == 0 || OidIsValid(get_role_oid(role, true));
}

/* Raise: no such role. */
static void
undefined_role(const char *role)
{
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("role \"%s\" does not exist", role),
			 errhint("Name a role, or \"%s\" for everybody.", OSML_PUBLIC)));
}

/* What both functions are called with. */
typedef struct GrantArguments
{
	OsmlModelRow *model;
	char	   *role;
	const char *privilege;
} GrantArguments;

/* Read and check them; the right first. */
static GrantArguments
grant_arguments(FunctionCallInfo fcinfo, const char *function)
{
	GrantArguments arguments;

	osml_prevent_write(function);
	arguments.model = osml_need_model(osml_need_text(fcinfo, 0, "model"),
									  OSML_MANAGE);
	arguments.role = osml_need_text(fcinfo, 1, "role");
	arguments.privilege = check_privilege(osml_need_text(fcinfo, 2, "privilege"));
	return arguments;
}

/* osml_grant(model, role, privilege) */
Datum
osml_grant(PG_FUNCTION_ARGS)
{
	GrantArguments grant = grant_arguments(fcinfo, "osml_grant()");

	if (!role_exists(grant.role))
		undefined_role(grant.role);
	(void) osml_grant_set(grant.model, grant.role, grant.privilege, true);
	PG_RETURN_VOID();
}

/* osml_revoke(model, role, privilege): also from a role that is gone */
Datum
osml_revoke(PG_FUNCTION_ARGS)
{
	GrantArguments grant = grant_arguments(fcinfo, "osml_revoke()");

	if (!osml_grant_set(grant.model, grant.role, grant.privilege, false) &&
		!role_exists(grant.role))
		undefined_role(grant.role);
	PG_RETURN_VOID();
}
