/*
 * intake.c
 *	  Rows from the queues into full blocks, in plan order.
 *
 * Whatever sizes the readers' blocks have, the trainer packs rows into blocks
 * of exactly 1,024, so sums and batches do not depend on how many readers
 * there were or where a shard ended.  Training rows that a learning pass has kept come
 * from there (carry.h), and no reader is asked.
 */
#include "postgres.h"

#include <signal.h>

#include "storage/proc.h"
#include "utils/memutils.h"

#include "compute/rowhash.h"
#include "train/run.h"

void
osml_intake_init(OsmlRun *run)
{
	OsmlIntake *intake = &run->intake;

	for (int i = 0; i < run->shared->n_queues; i++)
	{
		shm_mq	   *queue = osml_segment_queue(run->segment, i);

		shm_mq_set_receiver(queue, MyProc);
		intake->handles[i] = shm_mq_attach(queue, run->segment->dsm, NULL);
	}
}

/* Was one of those readers that are gone told to end? */
static bool
any_terminated(OsmlShared *shared)
{
	bool		any = false;

	SpinLockAcquire(&shared->mutex);
	for (int i = 0; i < shared->n_queues; i++)
		any = any || shared->readers[i].terminated;
	SpinLockRelease(&shared->mutex);
	return any;
}

/*
 * The error for a reader that went away in the middle.  A server that shuts down
 * terminates it, perhaps before it terminates us.
 */
static void
reader_lost(OsmlRun *run)
{
	/* its own error, or the cancel that ended it, says more */
	osml_run_check(run);
	if (run->shared->report.sqlstate != 0)
		ereport(ERROR,
				(errcode(run->shared->report.sqlstate),
				 errmsg_internal("%s", run->shared->report.message),
				 run->shared->report.detail[0] ?
				 errdetail_internal("%s", run->shared->report.detail) : 0,
				 run->shared->report.hint[0] ?
				 errhint("%s", run->shared->report.hint) : 0));
	run->interrupted = any_terminated(run->shared);
	if (run->interrupted)
		ereport(ERROR,
				(errcode(ERRCODE_ADMIN_SHUTDOWN),
				 errmsg("a reader was terminated")));
	ereport(ERROR,
			(errcode(ERRCODE_CONNECTION_FAILURE),
			 errmsg("a reader ended before it had sent all rows"),
			 errhint("The server log has its last message.")));
}

/*
 * Readers stay until reading is over, so one that has left is lost.  Its queue
 * does not always tell: a reader that died before it attached to the queue
 * never detaches, and the queue's turn may be far off.
 */
static void
intake_idle(void *arg)
{
	OsmlRun    *run = arg;
	bool		lost = false;

	osml_run_check(run);
	SpinLockAcquire(&run->shared->mutex);
	for (int i = 0; i < run->plan->n_readers; i++)
	{
		const OsmlReaderSlot *slot = &run->shared->readers[i];

		lost = lost || (slot->attached && slot->proc == NULL);
	}
	SpinLockRelease(&run->shared->mutex);
	if (lost)
		reader_lost(run);
}

/* Hand the texts of a message to whoever asked for them. */
static void
take_texts(OsmlIntake *intake)
{
	const char *at = intake->columns;

	for (int i = 0; i < intake->message.n_texts; i++)
	{
		OsmlTextHeader header;

		memcpy(&header, at, sizeof(header));
		at += sizeof(header);
		if (intake->texts)
			intake->texts(intake->texts_arg, header.key_column, header.key, at,
						  header.length);
		at += header.length;
	}
	intake->message.nrows = intake->taken = 0;
}

/* Next message of the pass; false when its last shard has ended. */
static bool
next_message(OsmlRun *run)
{
	OsmlIntake *intake = &run->intake;

	while (intake->position < intake->n_shards)
	{
		int			queue = intake->position % run->shared->n_queues;
		instr_time	began;

		INSTR_TIME_SET_CURRENT(began);
		if (osml_receive(intake->handles[queue], intake_idle, run,
						 &intake->message, &intake->columns) != SHM_MQ_SUCCESS)
			reader_lost(run);
		run->account.waited += osml_seconds_since(began);
		if (intake->message.shard != intake->position)
			elog(ERROR, "osml reader sent shard %d where %d was due",
				 intake->message.shard, intake->position);
		if (intake->message.kind == OSML_MESSAGE_TEXTS)
		{
			take_texts(intake);
			continue;
		}
		if (intake->message.kind == OSML_MESSAGE_BLOCK)
		{
			intake->taken = 0;
			intake->n_null += intake->message.n_null;
			intake->n_nonfinite += intake->message.n_nonfinite;
			return true;
		}
		intake->row_base += intake->message.rows_read;
		intake->rows_read += intake->message.rows_read;
		intake->position++;
		intake->message.nrows = intake->taken = 0;
	}
	intake->active = false;
	return false;
}

/* Forget the pass before. */
static void
reset_pass(OsmlRun *run, OsmlPartKind part)
{
	OsmlIntake *intake = &run->intake;

	/* one that was left early is still in the queues */
	while (intake->active && next_message(run))
		;
	intake->carried = false;
	intake->layout = &run->plan->parts[part].set.layout;
	intake->position = 0;
	intake->row_base = 0;
	intake->rows_read = intake->n_null = intake->n_nonfinite = 0;
	intake->encoder.n_unknown = 0;
	intake->message.nrows = intake->taken = 0;
	intake->encoder.label = run->plan->parts[part].source.label;
	if (intake->raw)
		intake->raw->nrows = 0;
	intake->encoded = NULL;
}

/* The pass's rows are here already. */
static void
start_carried(OsmlRun *run)
{
	OsmlIntake *intake = &run->intake;

	intake->carried = true;
	intake->rows_read = run->carry.rows_read;
	intake->n_null = run->carry.n_null;
	intake->n_nonfinite = run->carry.n_nonfinite;
}

/* Ask for a pass; see osml_intake_start(). */
static void
request_pass(OsmlRun *run, OsmlPartKind part, uint32 sample_pages, uint64 key,
			 uint64 text_keys)
{
	OsmlIntake *intake = &run->intake;
	MemoryContext pass;
	MemoryContext old;

	pass = AllocSetContextCreate(CurrentMemoryContext, "osml shard list",
								 ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(pass);
	(void) osml_plan_shards(run->plan, part, sample_pages, key, &intake->n_shards);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(pass);

	intake->active = true;
	SpinLockAcquire(&run->shared->mutex);
	run->shared->request.number++;
	run->shared->pass_done = false;
	run->shared->request.part = part;
	run->shared->request.sample_pages = sample_pages;
	run->shared->request.key = key;
	run->shared->request.text_keys = text_keys;
	SpinLockRelease(&run->shared->mutex);
	osml_shared_wake(run->shared);
}

void
osml_intake_start(OsmlRun *run, OsmlPartKind part, uint32 sample_pages, uint64 key)
{
	run->intake.texts = NULL;
	reset_pass(run, part);
	if (part == OSML_PART_TRAIN && sample_pages == 0 && osml_carry_open(run))
		start_carried(run);
	else
		request_pass(run, part, sample_pages, key, 0);
}

void
osml_intake_start_texts(OsmlRun *run, OsmlPartKind part, uint64 text_keys,
						OsmlTextReceiver texts, void *arg)
{
	run->intake.texts = texts;
	run->intake.texts_arg = arg;
	reset_pass(run, part);
	request_pass(run, part, 0, 0, text_keys);
}

/* Copy n rows of the message to the end of the block. */
static void
copy_rows(OsmlIntake *intake, OsmlBlock *block, int n)
{
	const OsmlLayout *layout = intake->layout;
	int			n_wide = osml_layout_wide(layout);
	Size		stride = osml_message_stride(&intake->message);
	const double *wide = (const double *) intake->columns;
	const int32 *narrow = (const int32 *) (wide + n_wide * stride);

	if (block->nrows == 0)
		block->first_row = intake->row_base + intake->message.first_row + intake->taken;
	for (int j = 0; j < n_wide; j++)
		memcpy(osml_block_column(block, j) + block->nrows,
			   wide + j * stride + intake->taken, n * sizeof(double));
	for (int k = 0; k < osml_layout_narrow(layout); k++)
		memcpy(osml_block_codes(block, layout, k) + block->nrows,
			   narrow + k * stride + intake->taken, n * sizeof(int32));
	if (layout->has_row_number && intake->row_base > 0)
	{
		uint32	   *numbers = osml_block_row_numbers(block, layout) + block->nrows;

		for (int r = 0; r < n; r++)
			numbers[r] += (uint32) intake->row_base;
	}
	block->nrows += n;
	intake->taken += n;
}

bool
osml_intake_fill_inputs(OsmlRun *run, OsmlBlock *block)
{
	OsmlIntake *intake = &run->intake;

	if (intake->carried)
		return osml_carry_next(run, block);
	while (block->nrows < OSML_BLOCK_ROWS)
	{
		int			left = intake->message.nrows - intake->taken;

		if (left == 0)
		{
			if (!intake->active || !next_message(run))
				break;
			continue;
		}
		copy_rows(intake, block, Min(left, OSML_BLOCK_ROWS - block->nrows));
	}
	return block->nrows > 0;
}

void
osml_intake_encode(OsmlRun *run)
{
	OsmlIntake *intake = &run->intake;
	MemoryContext old = MemoryContextSwitchTo(run->context);

	intake->encoder.set = run->set;
	intake->encoder.classes = run->classes;
	intake->encoder.on_null = run->hparams->on_null;
	intake->encoder.on_nonfinite = run->hparams->on_nonfinite;
	osml_encoder_init(&intake->encoder);
	if (!run->set->program->identity || run->classes)
		intake->raw = osml_new_block(run->context, &run->set->layout);
	MemoryContextSwitchTo(old);
}

/* Encode the next full block of inputs; false at the end of the pass. */
static bool
encode_next(OsmlRun *run, bool hashed)
{
	OsmlIntake *intake = &run->intake;

	intake->raw->nrows = 0;
	intake->encoded = NULL;
	if (!osml_intake_fill_inputs(run, intake->raw))
		return false;
	if (hashed)
		osml_row_hash_block(&run->set->layout, intake->raw, 0, intake->hash);
	intake->encoded = osml_encode_block(&intake->encoder, intake->raw,
										hashed ? intake->hash : NULL);
	intake->encoded_taken = 0;
	intake->n_null += intake->encoded->n_null;
	intake->n_nonfinite += intake->encoded->n_nonfinite;
	return true;
}

/* Append n encoded rows to a block, and their hashes. */
static void
append_encoded(OsmlRun *run, OsmlBlock *block, int n, uint64 *hash)
{
	OsmlIntake *intake = &run->intake;
	const OsmlBlock *from = intake->encoded;
	int			lo = intake->encoded_taken;

	if (block->nrows == 0)
		block->first_row = from->first_row + lo;
	for (int j = 0; j < osml_layout_wide(&run->layout); j++)
		memcpy(osml_block_column(block, j) + block->nrows,
			   osml_block_column(from, j) + lo, n * sizeof(double));
	for (int k = 0; k < osml_layout_narrow(&run->layout); k++)
		memcpy(osml_block_codes(block, &run->layout, k) + block->nrows,
			   osml_block_codes(from, &run->layout, k) + lo, n * sizeof(int32));
	if (hash)
		memcpy(hash + block->nrows, intake->hash + lo, n * sizeof(uint64));
	block->nrows += n;
	intake->encoded_taken += n;
}

bool
osml_intake_fill(OsmlRun *run, OsmlBlock *block, uint64 *hash)
{
	OsmlIntake *intake = &run->intake;

	if (run->set->program->identity && run->classes == NULL)
	{
		bool		any = osml_intake_fill_inputs(run, block);

		if (any && hash)
			osml_row_hash_block(&run->layout, block, 0, hash);
		return any;
	}
	while (block->nrows < OSML_BLOCK_ROWS)
	{
		int			left = intake->encoded ?
			intake->encoded->nrows - intake->encoded_taken : 0;

		if (left > 0)
			append_encoded(run, block, Min(left, OSML_BLOCK_ROWS - block->nrows), hash);
		else if (!encode_next(run, hash != NULL))
			break;
	}
	return block->nrows > 0;
}

void
osml_intake_enough(OsmlRun *run)
{
	if (run->intake.carried)
	{
		osml_carry_drop(run);
		return;
	}
	SpinLockAcquire(&run->shared->mutex);
	run->shared->pass_done = true;
	SpinLockRelease(&run->shared->mutex);
}

void
osml_intake_end(OsmlRun *run)
{
	SpinLockAcquire(&run->shared->mutex);
	run->shared->reading_done = run->shared->pass_done = true;
	SpinLockRelease(&run->shared->mutex);
	for (int i = 0; i < run->shared->n_queues; i++)
	{
		if (run->intake.handles[i])
			shm_mq_detach(run->intake.handles[i]);
		run->intake.handles[i] = NULL;
	}
	/* a reader inside a long query sees no flag; SIGINT ends the query */
	for (int i = 0; i < run->plan->n_readers; i++)
	{
		pid_t		pid;

		SpinLockAcquire(&run->shared->mutex);
		pid = run->shared->readers[i].proc ? run->shared->readers[i].pid : 0;
		SpinLockRelease(&run->shared->mutex);
		if (pid != 0 && run->intake.active)
			kill(pid, SIGINT);
	}
	osml_shared_wake(run->shared);
}
