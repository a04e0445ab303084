/*
 * turn_lock.c
 *	  Locks on the names of models and roles, and of those who wait: see turn_lock.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/lock.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "catalog/turn_lock.h"

/* sub-objects of a name's 64 bits, or of a run's two numbers; runs themselves, which are
 * objects of osml.run, have 0 (run_lock.c) */
typedef enum Subject
{
	MODEL = 1,
	MODEL_TURN,
	ROLE_TURN,
	WAIT
} Subject;

/*
 * Names are hashed, and two that fall together wait for each other.  Nobody may find one
 * that falls together with somebody else's, and hold up his runs: so the hash is
 * cryptographic, and has all the bits that a lock has room for.
 */
static void
turn_locktag(LOCKTAG *tag, Subject subject, const char *name)
{
	bytea	   *digest = DatumGetByteaPP(DirectFunctionCall1(sha256_bytea,
															 PointerGetDatum(cstring_to_text(name))));
	uint32		words[2];

	memcpy(words, VARDATA_ANY(digest), sizeof(words));
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, words[0], words[1], subject);
	/* as run_lock.c: session locks survive the end of a transaction that failed */
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

/* session: until this process ends, else until the transaction does */
static bool
take(Subject subject, const char *name, LOCKMODE mode, bool session, bool wait)
{
	LOCKTAG		tag;

	turn_locktag(&tag, subject, name);
	return LockAcquire(&tag, mode, session, !wait) != LOCKACQUIRE_NOT_AVAIL;
}

static void
release(Subject subject, const char *name, LOCKMODE mode)
{
	LOCKTAG		tag;

	turn_locktag(&tag, subject, name);
	LockRelease(&tag, mode, false);
}

/* Does a lock that others hold stand in the way of this one? */
static bool
is_held(Subject subject, const char *name, LOCKMODE mode)
{
	if (!take(subject, name, mode, false, false))
		return true;
	release(subject, name, mode);
	return false;
}

void
osml_model_lock_hold(const char *model)
{
	(void) take(MODEL, model, RowExclusiveLock, true, true);
}

bool
osml_model_lock_held(const char *model)
{
	return is_held(MODEL, model, ShareLock);
}

bool
osml_model_turn_take(const char *model, bool wait)
{
	return take(MODEL_TURN, model, ExclusiveLock, false, wait);
}

void
osml_model_turn_release(const char *model)
{
	release(MODEL_TURN, model, ExclusiveLock);
}

bool
osml_model_turn_held(const char *model)
{
	return is_held(MODEL_TURN, model, RowShareLock);
}

void
osml_role_turn_take(const char *role)
{
	(void) take(ROLE_TURN, role, ExclusiveLock, false, true);
}

void
osml_role_turn_release(const char *role)
{
	release(ROLE_TURN, role, ExclusiveLock);
}

static void
wait_locktag(LOCKTAG *tag, const OsmlWait *wait)
{
	/* run ids end at 2^32 - 1 (run_lock.c) */
	SET_LOCKTAG_OBJECT(*tag, MyDatabaseId, wait->segment, (uint32) wait->run_id, WAIT);
	tag->locktag_lockmethodid = USER_LOCKMETHOD;
}

/* Modes that do not exclude each other: many may wait for a run. */
static LOCKMODE
wait_mode(bool looks)
{
	return looks ? RowShareLock : AccessShareLock;
}

void
osml_wait_for(OsmlWait *wait, uint32 segment, int64 run_id)
{
	LOCKTAG		tag;

	if (wait->segment == segment && wait->run_id == run_id)
		return;
	if (wait->run_id != 0)
	{
		wait_locktag(&tag, wait);
		LockRelease(&tag, wait_mode(wait->looks), false);
	}
	wait->segment = segment;
	wait->run_id = run_id;
	if (run_id != 0)
	{
		wait_locktag(&tag, wait);
		(void) LockAcquire(&tag, wait_mode(wait->looks), false, false);
	}
}

/* The server tells the locks of all processes only. */
List *
osml_waits_of(int pid)
{
	LockData   *data = GetLockStatusData();
	List	   *waits = NIL;

	for (int i = 0; i < data->nelements; i++)
	{
		const LockInstanceData *lock = &data->locks[i];
		const LOCKTAG *tag = &lock->locktag;
		OsmlWait   *wait;

		if (lock->pid != pid || tag->locktag_lockmethodid != USER_LOCKMETHOD ||
			tag->locktag_type != LOCKTAG_OBJECT || tag->locktag_field4 != WAIT ||
			tag->locktag_field1 != MyDatabaseId)
			continue;
		wait = palloc(sizeof(OsmlWait));
		wait->segment = tag->locktag_field2;
		wait->run_id = tag->locktag_field3;
		wait->looks = (lock->holdMask & LOCKBIT_ON(wait_mode(true))) != 0;
		waits = lappend(waits, wait);
	}
	return waits;
}
