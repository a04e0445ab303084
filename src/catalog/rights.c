/*
 * rights.c
 *	  Who may see and use what.
 *
 * Rows name roles, not oids, because they travel through dump and restore to
 * servers where oids mean somebody else.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "catalog/rights.h"

/* Superusers use everything, also what belonged to a role dropped since. */
bool
osml_role_usable(const char *role)
{
	Oid			oid;

	if (superuser())
		return true;
	oid = get_role_oid(role, true);
	return OidIsValid(oid) && has_privs_of_role(GetUserId(), oid);
}

/* The name under which the current user owns what he makes. */
char *
osml_current_role(void)
{
	return GetUserNameFromId(GetUserId(), false);
}

/* The owner may do all; others what was granted to one of their roles. */
bool
osml_model_allowed(const OsmlModelRow *model, OsmlPrivilege privilege)
{
	if (osml_role_usable(model->owner) || osml_grant_exists(model, "manage"))
		return true;
	return privilege == OSML_PREDICT && osml_grant_exists(model, "predict");
}

/* Refuse, naming whom to ask and for what. */
void
osml_model_check(const OsmlModelRow *model, OsmlPrivilege privilege)
{
	const char *word = privilege == OSML_PREDICT ? "predict" : "manage";

	if (osml_model_allowed(model, privilege))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("permission denied for model \"%s\" of role \"%s\"",
					model->name, model->owner),
			 errhint("Its owner can run osml_grant(%s, %s, '%s').",
					 quote_literal_cstr(model->name),
					 quote_literal_cstr(osml_current_role()), word)));
}
