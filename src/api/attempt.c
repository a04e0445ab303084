/*
 * attempt.c
 *	  Something that may fail; see attempt.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "utils/resowner.h"

#include "api/attempt.h"

ErrorData *
osml_attempt(OsmlAttemptBody body, void *arg)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	ErrorData  *volatile error = NULL;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(caller);
	PG_TRY();
	{
		body(arg);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		FlushErrorState();
		/* an error that leaves a subtransaction open leaves the session in it */
		RollbackAndReleaseCurrentSubTransaction();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	return error;
}

bool
osml_is_interruption(const ErrorData *error)
{
	int			category = ERRCODE_TO_CATEGORY(error->sqlerrcode);

	return category == ERRCODE_OPERATOR_INTERVENTION ||
		category == ERRCODE_INSUFFICIENT_RESOURCES || category == ERRCODE_INTERNAL_ERROR;
}
