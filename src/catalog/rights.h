/*
 * rights.h
 *	  Who may see and use which model, and where nobody may write.
 *
 * Next: role.h (roles by name), grant.c (what owners allowed).
 */
#ifndef OSML_RIGHTS_H
#define OSML_RIGHTS_H

#include "catalog/model.h"
#include "catalog/role.h"

typedef enum OsmlPrivilege
{
	OSML_PREDICT,				/* predict, evaluate, see versions and weights */
	OSML_MANAGE					/* train into it, deploy, grant, drop */
} OsmlPrivilege;

extern bool osml_model_allowed(const OsmlModelRow *model, OsmlPrivilege privilege);

/* the same, raising insufficient_privilege that names the model's owner */
extern void osml_model_check(const OsmlModelRow *model, OsmlPrivilege privilege);

/* raise: a run whose call does not name the model, but a source of its name, is to train
 * into somebody else's */
extern void osml_model_check_named(const OsmlModelRow *model, bool named);

/* raise, for a command such as "osml_cancel()": on a standby, which has rows of the
 * primary's runs but not the runs */
extern void osml_prevent_in_recovery(const char *command);

/* raise: on a standby, and in a read-only transaction */
extern void osml_prevent_write(const char *command);

#endif							/* OSML_RIGHTS_H */
