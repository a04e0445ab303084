/*
 * reader.c
 *	  Scanning shards for the trainer.
 *
 * Reader i of n owns the shards at positions i, i + n, ... of each pass and
 * sends them in that order; the trainer takes positions 0, 1, 2, ... from the
 * queues in turn, so the order of rows never depends on who was first.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "libpq/pqsignal.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/lmgr.h"
#include "tcop/tcopprot.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "catalog/scope.h"
#include "features/tally.h"
#include "hparams/hparams.h"
#include "train/account.h"
#include "train/reader.h"
#include "train/worker.h"

/* what the sink needs */
typedef struct ReadState
{
	OsmlSender	sender;
	const OsmlLayout *layout;
	bool		trainer_gone;
	StringInfoData texts;		/* of the block being filled */
	int			n_texts;
} ReadState;

/* Keep a text until its block is full; of long ones nothing is learned but that they are. */
static void
text_sink(void *arg, int key_column, uint64 key, const char *text, int length)
{
	ReadState  *state = arg;
	OsmlTextHeader header = {key, key_column, length};

	if (length > OSML_TALLY_TEXT)
		return;
	appendBinaryStringInfo(&state->texts, (const char *) &header, sizeof(header));
	appendBinaryStringInfo(&state->texts, text, length);
	state->n_texts++;
}

static bool
send_sink(void *arg, OsmlBlock *block)
{
	ReadState  *state = arg;

	if (state->n_texts > 0 &&
		!osml_send_texts(&state->sender, block->shard, &state->texts, state->n_texts))
		state->trainer_gone = true;
	resetStringInfo(&state->texts);
	state->n_texts = 0;
	if (!state->trainer_gone &&
		!osml_send_block(&state->sender, state->layout, block))
		state->trainer_gone = true;
	return !state->trainer_gone;
}

/* All names in the query have been looked up. */
static void
scan_opened(void *arg)
{
	osml_catalog_let_go();
}

/*
 * Scan one shard of a pass and close it.  Queries of osml_split() and expressions call
 * functions of the extension, which must be its own.
 */
static void
read_shard(ReadState *state, OsmlShared *shared, const OsmlPart *part,
		   const OsmlHparams *hparams, const OsmlShard *shard, int position,
		   uint64 text_keys)
{
	OsmlScanUnit whole = {part->source.from, part->source.label, 0};
	OsmlScan	scan = {0};
	int64		rows = 0;
	int64		peak;

	scan.set = &part->set;
	scan.on_null = hparams->on_null;
	scan.on_nonfinite = hparams->on_nonfinite;
	scan.sink = send_sink;
	scan.opened = scan_opened;
	scan.arg = state;
	scan.shard = position;
	scan.stop = &shared->pass_done;
	scan.text_sink = text_sink;
	scan.text_keys = text_keys;
	if (!shared->pass_done)
	{
		(void) osml_catalog_hold();
		rows = osml_scan_unit(&scan,
							  shard->unit < 0 ? &whole : &part->source.units[shard->unit],
							  shard->first_block, shard->n_blocks);
	}
	peak = osml_peak_rss_kb();
	/* before the trainer can be done with it */
	SpinLockAcquire(&shared->mutex);
	shared->readers[position % shared->n_queues].peak_rss_kb = peak;
	SpinLockRelease(&shared->mutex);
	if (!state->trainer_gone &&
		!osml_send_end_of_shard(&state->sender, position, rows))
		state->trainer_gone = true;
}

/* One pass: this reader's share of the shards. */
static void
serve_request(ReadState *state, OsmlSegment *segment, const OsmlHparams *hparams,
			  const OsmlRequest *request, int index)
{
	const OsmlPlan *plan = segment->plan;
	const OsmlPart *part = &plan->parts[request->part];
	MemoryContext pass = AllocSetContextCreate(CurrentMemoryContext, "osml pass",
											   ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(pass);
	int			n_shards;
	OsmlShard  *shards = osml_plan_shards(plan, request->part, request->sample_pages,
										  request->key, &n_shards);

	state->layout = &part->set.layout;
	initStringInfo(&state->texts);
	state->n_texts = 0;
	for (int position = index; position < n_shards && !state->trainer_gone;
		 position += segment->shared->n_queues)
	{
		CHECK_FOR_INTERRUPTS();
		read_shard(state, segment->shared, part, hparams, &shards[position],
				   position, request->text_keys);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(pass);
}

/* Wait for a request after number `last`; false when reading is over. */
static bool
next_request(OsmlShared *shared, uint64 last, OsmlRequest *request,
			 OsmlIdle idle, void *arg)
{
	for (;;)
	{
		bool		done;

		SpinLockAcquire(&shared->mutex);
		*request = shared->request;
		done = shared->reading_done || shared->ended;
		SpinLockRelease(&shared->mutex);
		if (done)
			return false;
		if (request->number > last)
			return true;
		(void) osml_nap(1000);
		CHECK_FOR_INTERRUPTS();
		idle(arg);
	}
}

shm_mq_handle *
osml_reader_attach(OsmlSegment *segment, int index)
{
	shm_mq	   *queue = osml_segment_queue(segment, index);

	shm_mq_set_sender(queue, MyProc);
	return shm_mq_attach(queue, segment->dsm, NULL);
}

void
osml_serve_reads(OsmlSegment *segment, shm_mq_handle *queue, int index,
				 OsmlIdle idle, void *arg)
{
	ReadState	state = {0};
	OsmlHparams *hparams;
	OsmlRequest request;
	uint64		last = 0;

	hparams = osml_plan_hparams(segment->plan);
	state.sender.handle = queue;
	state.sender.idle = idle;
	state.sender.arg = arg;
	while (!state.trainer_gone &&
		   next_request(segment->shared, last, &request, idle, arg))
	{
		serve_request(&state, segment, hparams, &request, index);
		last = request.number;
	}
	shm_mq_detach(queue);
}

/* A reader has nothing to look after but its trainer. */
static void
reader_idle(void *arg)
{
}

/* this reader was told to end, by somebody or by a server that shuts down */
static volatile sig_atomic_t told_to_end = false;

static void
reader_die(SIGNAL_ARGS)
{
	told_to_end = true;
	die(postgres_signal_arg);
}

/* Leave the slot on the way out, so that nobody signals another process. */
static void
reader_leave(dsm_segment *dsm, Datum arg)
{
	OsmlReaderSlot *slot = (OsmlReaderSlot *) DatumGetPointer(arg);
	OsmlShared *shared = dsm_segment_address(dsm);

	SpinLockAcquire(&shared->mutex);
	slot->proc = NULL;
	slot->pid = 0;
	slot->terminated = told_to_end;
	SpinLockRelease(&shared->mutex);
	osml_shared_wake(shared);
}

/*
 * The snapshot all readers share: the first exports its own, the others import
 * it before any query.  The first stays in its transaction until reading is
 * over, as the exporter must.
 */
static void
share_snapshot(OsmlSegment *segment, int index)
{
	OsmlShared *shared = segment->shared;
	char		name[MAXPGPATH] = "";

	if (index == 0)
	{
		char	   *exported = ExportSnapshot(GetTransactionSnapshot());

		SpinLockAcquire(&shared->mutex);
		strlcpy(shared->snapshot_name, exported, sizeof(shared->snapshot_name));
		shared->snapshot_ready = true;
		SpinLockRelease(&shared->mutex);
		osml_shared_wake(shared);
		return;
	}
	for (;;)
	{
		bool		ready;

		SpinLockAcquire(&shared->mutex);
		ready = shared->snapshot_ready || shared->ended || shared->reading_done;
		strlcpy(name, shared->snapshot_name, sizeof(name));
		SpinLockRelease(&shared->mutex);
		if (ready)
			break;
		(void) osml_nap(1000);
		CHECK_FOR_INTERRUPTS();
	}
	if (name[0] != '\0')
		ImportSnapshot(name);
}

/*
 * Before there is a snapshot, which would be too old for a table that somebody rewrites
 * or empties while we wait for its lock; and for all parts at once, as whoever comes
 * between might wait for the session that waits for this run.
 */
static void
lock_sources(const OsmlPlan *plan)
{
	for (int p = 0; p < OSML_N_PARTS; p++)
	{
		ListCell   *cell;

		foreach(cell, plan->parts[p].source.relations)
			LockRelationOid(lfirst_oid(cell), AccessShareLock);
	}
}

/* Read inside one read-only, repeatable-read transaction. */
static void
reader_transaction(OsmlSegment *segment, shm_mq_handle *queue, int index)
{
	StartTransactionCommand();
	XactIsoLevel = XACT_REPEATABLE_READ;
	XactReadOnly = true;
	lock_sources(segment->plan);
	share_snapshot(segment, index);
	/* restricted: nothing of a query, such as a held cursor, outlives its transaction
	 * and runs as the session's user */
	SetUserIdAndSecContext(segment->plan->current_user, SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION);
	PushActiveSnapshot(GetTransactionSnapshot());
	osml_serve_reads(segment, queue, index, reader_idle, NULL);
	osml_worker_end();
}

void
osml_reader_main(Datum main_arg)
{
	int			index;
	OsmlSegment *segment;
	OsmlReaderSlot *slot;
	shm_mq_handle *queue;
	MemoryContext run;

	memcpy(&index, MyBgworkerEntry->bgw_extra, sizeof(index));
	segment = osml_worker_start(main_arg);
	pqsignal(SIGTERM, reader_die);
	if (ProcDiePending)
		told_to_end = true;
	run = CurrentMemoryContext;
	/* at once, so that whatever ends this process ends its queue too */
	queue = osml_reader_attach(segment, index);
	slot = &segment->shared->readers[index];
	SpinLockAcquire(&segment->shared->mutex);
	slot->proc = MyProc;
	slot->pid = MyProcPid;
	slot->attached = true;
	SpinLockRelease(&segment->shared->mutex);
	osml_shared_wake(segment->shared);
	on_dsm_detach(segment->dsm, reader_leave, PointerGetDatum(slot));

	osml_worker_connect(segment->plan, psprintf("reader %d", index + 1));
	pgstat_report_activity(STATE_RUNNING, "osml reader");
	PG_TRY();
	{
		reader_transaction(segment, queue, index);
	}
	PG_CATCH();
	{
		ErrorData  *edata;

		MemoryContextSwitchTo(run);
		edata = CopyErrorData();
		/* the trainer stops a reader that it no longer needs: not an error */
		if (!segment->shared->reading_done && !segment->shared->ended)
		{
			osml_shared_report(segment->shared, edata);
			PG_RE_THROW();
		}
		FlushErrorState();
		AbortCurrentTransaction();
	}
	PG_END_TRY();
}
