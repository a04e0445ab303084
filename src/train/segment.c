/*
 * segment.c
 *	  Making, mapping and signalling a run's shared memory.
 */
#include "postgres.h"

#include <math.h>
#include <signal.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/memutils.h"
#include "utils/wait_event.h"
#include "utils/resowner.h"

#include "train/segment.h"

#define OSML_SEGMENT_MAGIC 0x6f736d6c

/* As the context of an error: the server's words for it name no setting. */
static void
shared_memory_hint(void *arg)
{
	if (geterrcode() == ERRCODE_DISK_FULL)
		errhint("A run takes %zu kB of shared memory, 1 MB of it for each reader: enlarge /dev/shm, or see dynamic_shared_memory_type.",
				*(Size *) arg / 1024);
}

/* A segment of the server's, not mapped by anybody else yet. */
static dsm_segment *
create_dsm(Size size)
{
	ErrorContextCallback callback = {error_context_stack, shared_memory_hint, &size};
	dsm_segment *dsm;

	error_context_stack = &callback;
	dsm = dsm_create(size, 0);
	error_context_stack = callback.previous;
	return dsm;
}

OsmlSegment *
osml_segment_create(OsmlPlan *plan)
{
	StringInfo	packed = osml_plan_pack(plan);
	int			n_queues = osml_plan_queues(plan);
	Size		plan_offset = MAXALIGN(sizeof(OsmlShared));
	Size		queue_offset = MAXALIGN(add_size(plan_offset, packed->len));
	Size		size = add_size(queue_offset, mul_size(n_queues, OSML_QUEUE_BYTES));
	OsmlSegment *segment = palloc0(sizeof(OsmlSegment));
	OsmlShared *shared;

	segment->dsm = create_dsm(size);
	segment->plan = plan;
	segment->shared = shared = dsm_segment_address(segment->dsm);
	memset(shared, 0, sizeof(OsmlShared));
	shared->magic = OSML_SEGMENT_MAGIC;
	shared->run_id = plan->run_id;
	shared->database = plan->database;
	shared->plan_offset = plan_offset;
	shared->plan_size = packed->len;
	shared->queue_offset = queue_offset;
	shared->n_queues = n_queues;
	SpinLockInit(&shared->mutex);
	shared->caller = MyProc;
	shared->loss = NAN;
	memcpy((char *) shared + plan_offset, packed->data, packed->len);
	for (int i = 0; i < n_queues; i++)
		shm_mq_create(osml_segment_queue(segment, i), OSML_QUEUE_BYTES);
	return segment;
}

OsmlSegment *
osml_segment_attach(dsm_handle handle)
{
	OsmlSegment *segment = palloc0(sizeof(OsmlSegment));

	segment->dsm = dsm_attach(handle);
	if (segment->dsm == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("could not map the shared memory of the run"),
				 errdetail("The session that started it is gone.")));
	dsm_pin_mapping(segment->dsm);
	segment->shared = dsm_segment_address(segment->dsm);
	if (segment->shared->magic != OSML_SEGMENT_MAGIC)
		elog(ERROR, "segment of an osml run has a wrong magic number");
	segment->plan = osml_plan_unpack((char *) segment->shared +
									 segment->shared->plan_offset,
									 segment->shared->plan_size);
	return segment;
}

shm_mq *
osml_segment_queue(OsmlSegment *segment, int i)
{
	OsmlShared *shared = segment->shared;

	return (shm_mq *) ((char *) shared + shared->queue_offset +
					   (Size) i * OSML_QUEUE_BYTES);
}

int
osml_nap(long ms)
{
	int			events = WaitLatch(MyLatch,
								   WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
								   ms, PG_WAIT_EXTENSION);

	ResetLatch(MyLatch);
	return events;
}

void
osml_shared_wake(OsmlShared *shared)
{
	PGPROC	   *procs[OSML_MAX_READERS + 2];
	int			n = 0;

	SpinLockAcquire(&shared->mutex);
	procs[n++] = shared->caller;
	procs[n++] = shared->trainer;
	for (int i = 0; i < OSML_MAX_READERS; i++)
	{
		if (shared->readers[i].proc)
			procs[n++] = shared->readers[i].proc;
	}
	SpinLockRelease(&shared->mutex);
	for (int i = 0; i < n; i++)
	{
		if (procs[i])
			SetLatch(&procs[i]->procLatch);
	}
}

/* The process is about to unmap: nobody may signal it any more. */
static void
leave(dsm_segment *dsm, Datum arg)
{
	OsmlShared *shared = dsm_segment_address(dsm);

	SpinLockAcquire(&shared->mutex);
	shared->trainer = NULL;
	shared->trainer_pid = 0;
	SpinLockRelease(&shared->mutex);
	osml_shared_abandon(shared);
}

void
osml_segment_own(OsmlSegment *segment)
{
	SpinLockAcquire(&segment->shared->mutex);
	segment->shared->trainer = MyProc;
	segment->shared->trainer_pid = MyProcPid;
	SpinLockRelease(&segment->shared->mutex);
	on_dsm_detach(segment->dsm, leave, (Datum) 0);
}

void
osml_shared_commit(OsmlShared *shared)
{
	SpinLockAcquire(&shared->mutex);
	shared->committed = true;
	SpinLockRelease(&shared->mutex);
	osml_shared_wake(shared);
}

void
osml_shared_end(OsmlShared *shared, const char *status, int version)
{
	SpinLockAcquire(&shared->mutex);
	strlcpy(shared->status, status, sizeof(shared->status));
	shared->version = version;
	shared->ended = true;
	SpinLockRelease(&shared->mutex);
	osml_shared_wake(shared);
}

void
osml_shared_abandon(OsmlShared *shared)
{
	SpinLockAcquire(&shared->mutex);
	if (!shared->ended)
	{
		strlcpy(shared->status, "interrupted", sizeof(shared->status));
		shared->ended = true;
	}
	SpinLockRelease(&shared->mutex);
	osml_shared_wake(shared);
}

/* Copy as many whole characters as fit: half a one must not reach a table. */
static void
copy_text(char *to, const char *from, Size size)
{
	int			length = from ? (int) strlen(from) : 0;

	length = pg_mbcliplen(from ? from : "", length, (int) size - 1);
	memcpy(to, from ? from : "", length);
	to[length] = '\0';
}

/*
 * The flag is all that a cancel is.  The trainer may be waiting for a lock
 * inside the server, where nobody looks at flags, so SIGINT, which is what
 * pg_cancel_backend sends, brings it back.
 */
bool
osml_shared_cancel(OsmlShared *shared, const char *reason)
{
	char		words[sizeof(shared->cancel_reason)];
	pid_t		pid;
	bool		ended;

	copy_text(words, reason, sizeof(words));
	SpinLockAcquire(&shared->mutex);
	ended = shared->ended;
	if (!ended && !shared->cancel)
	{
		shared->cancel = true;
		memcpy(shared->cancel_reason, words, sizeof(words));
	}
	pid = ended ? 0 : shared->trainer_pid;
	SpinLockRelease(&shared->mutex);
	if (pid != 0)
		kill(pid, SIGINT);
	osml_shared_wake(shared);
	return !ended;
}

void
osml_shared_report(OsmlShared *shared, ErrorData *edata)
{
	OsmlReport	report;

	report.sqlstate = edata->sqlerrcode;
	copy_text(report.message, edata->message ? edata->message : "unknown error",
			  sizeof(report.message));
	copy_text(report.detail, edata->detail, sizeof(report.detail));
	copy_text(report.hint, edata->hint, sizeof(report.hint));
	SpinLockAcquire(&shared->mutex);
	if (shared->report.sqlstate == 0)
		shared->report = report;
	SpinLockRelease(&shared->mutex);
}

OsmlShared *
osml_segment_borrow(dsm_handle handle, int64 run_id, dsm_segment **borrowed)
{
	dsm_segment *dsm = handle == 0 ? NULL : dsm_find_mapping(handle);
	OsmlShared *shared;

	*borrowed = NULL;
	if (handle != 0 && dsm == NULL)
		dsm = *borrowed = dsm_attach(handle);
	if (dsm == NULL)
		return NULL;
	/* a handle can be given out again: make sure that it is this run's */
	shared = dsm_segment_address(dsm);
	if (dsm_segment_map_length(dsm) >= sizeof(OsmlShared) &&
		shared->magic == OSML_SEGMENT_MAGIC && shared->run_id == run_id &&
		shared->database == MyDatabaseId)
		return shared;
	if (*borrowed)
		dsm_detach(*borrowed);
	*borrowed = NULL;
	return NULL;
}

bool
osml_segment_cancel(dsm_handle handle, int64 run_id, const char *reason)
{
	dsm_segment *borrowed;
	OsmlShared *shared = osml_segment_borrow(handle, run_id, &borrowed);
	bool		done = shared != NULL && osml_shared_cancel(shared, reason);

	if (borrowed)
		dsm_detach(borrowed);
	return done;
}

int
osml_shared_pids(OsmlShared *shared, pid_t *pids)
{
	int			n = 0;

	SpinLockAcquire(&shared->mutex);
	pids[n++] = shared->trainer_pid;
	for (int i = 0; i < shared->n_queues; i++)
		pids[n++] = shared->readers[i].pid;
	SpinLockRelease(&shared->mutex);
	return n;
}
