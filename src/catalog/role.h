/*
 * role.h
 *	  Owners and grantees are role names, never oids: rows travel through dump
 *	  and restore to servers where oids mean somebody else.
 */
#ifndef OSML_ROLE_H
#define OSML_ROLE_H

/*
 * current user has the privileges of this role name; false if there is no such
 * role, except to superusers
 */
extern bool osml_role_usable(const char *role);

/*
 * the same, but to superusers only their own role and those that they are members of:
 * what a role does by itself must not be left to whoever took a name first
 */
extern bool osml_role_own(const char *role);

/* current user's name, palloc'd */
extern char *osml_current_role(void);

#endif							/* OSML_ROLE_H */
