/*
 * role.c
 *	  Roles by name: the current user's, and those he may act for.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"

#include "catalog/role.h"

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

/* Superusers have the privileges of all roles, which says nothing of whom they work for. */
bool
osml_role_own(const char *role)
{
	Oid			oid = get_role_oid(role, true);

	if (!OidIsValid(oid))
		return false;
	return superuser() ? is_member_of_role_nosuper(GetUserId(), oid) :
		has_privs_of_role(GetUserId(), oid);
}

/* The name under which the current user owns what he makes. */
char *
osml_current_role(void)
{
	return GetUserNameFromId(GetUserId(), false);
}
