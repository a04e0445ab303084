/*
 * rights.h
 *	  Who may see and use what.  Owners and grantees are role names, never oids.
 */
#ifndef OSML_RIGHTS_H
#define OSML_RIGHTS_H

#include "catalog/model.h"

/*
 * current user has the privileges of this role name; false if there is no such
 * role, except to superusers
 */
extern bool osml_role_usable(const char *role);

/* current user's name, palloc'd */
extern char *osml_current_role(void);

typedef enum OsmlPrivilege
{
	OSML_PREDICT,				/* predict, evaluate, see versions and weights */
	OSML_MANAGE					/* train into it, deploy, grant, drop */
} OsmlPrivilege;

extern bool osml_model_allowed(const OsmlModelRow *model, OsmlPrivilege privilege);

/* the same, raising insufficient_privilege that names the model's owner */
extern void osml_model_check(const OsmlModelRow *model, OsmlPrivilege privilege);

#endif							/* OSML_RIGHTS_H */
