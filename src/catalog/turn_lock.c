/*
 * turn_lock.c
 *	  Locks on the names of models and roles: see turn_lock.h.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lock.h"

#include "catalog/scope.h"
#include "catalog/turn_lock.h"

/* object locks on osml.run; the runs themselves have 0 (run_lock.c) */
typedef enum Subject
{
	MODEL = 1,
	MODEL_TURN,
	ROLE_TURN
} Subject;

/* Names are hashed: two that fall together wait for each other, and that is all. */
static void
turn_locktag(LOCKTAG *tag, Subject subject, const char *name)
{
	uint32		hash = hash_bytes((const unsigned char *) name, (int) strlen(name));

	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, osml_catalog_run_relation(), hash, subject);
	/* as run_lock.c: session locks survive the end of a transaction that failed */
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

/* Does a lock that others hold stand in the way of this one? */
static bool
is_held(const LOCKTAG *tag, LOCKMODE mode)
{
	if (LockAcquire(tag, mode, false, true) == LOCKACQUIRE_NOT_AVAIL)
		return true;
	LockRelease(tag, mode, false);
	return false;
}

void
osml_model_lock_hold(const char *model)
{
	LOCKTAG		tag;

	turn_locktag(&tag, MODEL, model);
	(void) LockAcquire(&tag, RowExclusiveLock, true, false);
}

bool
osml_model_lock_held(const char *model)
{
	LOCKTAG		tag;

	turn_locktag(&tag, MODEL, model);
	return is_held(&tag, ShareLock);
}

bool
osml_model_turn_take(const char *model, bool wait)
{
	LOCKTAG		tag;

	turn_locktag(&tag, MODEL_TURN, model);
	return LockAcquire(&tag, ExclusiveLock, false, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

void
osml_model_turn_release(const char *model)
{
	LOCKTAG		tag;

	turn_locktag(&tag, MODEL_TURN, model);
	LockRelease(&tag, ExclusiveLock, false);
}

bool
osml_model_turn_held(const char *model)
{
	LOCKTAG		tag;

	turn_locktag(&tag, MODEL_TURN, model);
	return is_held(&tag, RowShareLock);
}

void
osml_role_turn_take(const char *role)
{
	LOCKTAG		tag;

	turn_locktag(&tag, ROLE_TURN, role);
	(void) LockAcquire(&tag, ExclusiveLock, false, false);
}

void
osml_role_turn_release(const char *role)
{
	LOCKTAG		tag;

	turn_locktag(&tag, ROLE_TURN, role);
	LockRelease(&tag, ExclusiveLock, false);
}
