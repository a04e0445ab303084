/*
 * analysis_scan.c
 *	  One pass over a source for an analysis: shards, and who reads them.
 *
 * Worker i of n reads shards i, i + n, ... of those that workers can read, and
 * sends what each told, a message a column.  The session takes shards in order:
 * from the worker whose turn it is, or it reads the shard itself.  As a worker
 * waits until its message fits the queue, nobody runs far ahead.
 *
 * Workers are PostgreSQL's own parallel workers, so the session's snapshot,
 * uncommitted rows included, its user and its settings come along, and errors
 * come back.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/xact.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/rls.h"

#include "compat.h"
#include "osml.h"
#include "source/analysis.h"

/* places in the shared table of contents */
#define KEY_SHARED UINT64CONST(1)
#define KEY_TASK UINT64CONST(2)
#define KEY_QUEUES UINT64CONST(3)

/* how many workers there are is known only after they have been started */
typedef struct SharedTeam
{
	pg_atomic_uint32 n_workers;
	ConditionVariable started;
} SharedTeam;

/* what a worker is to do, unpacked */
typedef struct Task
{
	OsmlAnalysis *analysis;
	int			n_units;
	OsmlScanUnit *units;
	int			n_shards;
	OsmlShard  *shards;
} Task;

/* the session's side */
typedef struct Team
{
	ParallelContext *pcxt;
	int			n_workers;
	shm_mq_handle **queues;
} Team;

extern PGDLLEXPORT void osml_analysis_worker(dsm_segment *seg, shm_toc *toc);

/* Read one shard into a part. */
static void
scan_shard(OsmlAnalysis *part, const OsmlScanUnit *unit, const OsmlShard *shard)
{
	OsmlScan	scan = {
		.set = part->set,
		.on_null = OSML_ON_NULL_MEAN,
		.on_nonfinite = OSML_ON_NONFINITE_KEEP,
		.keep_null_rows = true,
		.sink = osml_analysis_block,
		.text_sink = osml_analysis_text,
		.text_keys = part->set->layout.n_keys > 0 ? OSML_ALL_KEYS : 0,
		.arg = part
	};

	(void) osml_scan_unit(&scan, unit, shard->first_block, shard->n_blocks);
}

/* --- the task as bytes ----------------------------------------------------- */

static StringInfo
pack_task(const OsmlAnalysis *analysis, const OsmlSource *source,
		  const OsmlShard *shards, int n_shards)
{
	StringInfo	buf = makeStringInfo();
	Jsonb	   *set = osml_feature_set_to_jsonb(analysis->set);

	pq_sendstring(buf, JsonbToCString(NULL, &set->root, VARSIZE(set)));
	for (int i = 0; i < analysis->set->n_columns; i++)
		pq_sendint32(buf, analysis->set->columns[i].type);
	pq_sendint32(buf, analysis->label_input);
	for (int i = 0; i < analysis->n_columns; i++)
		pq_sendint32(buf, analysis->columns[i].capacity);
	pq_sendint32(buf, source->n_units);
	for (int i = 0; i < source->n_units; i++)
	{
		pq_sendstring(buf, source->units[i].from);
		pq_sendstring(buf, source->units[i].label);
	}
	pq_sendint32(buf, n_shards);
	for (int i = 0; i < n_shards; i++)
	{
		pq_sendint32(buf, shards[i].unit);
		pq_sendint32(buf, shards[i].first_block);
		pq_sendint32(buf, shards[i].n_blocks);
	}
	return buf;
}

/* The set and its analysis, as in the session. */
static OsmlAnalysis *
unpack_analysis(StringInfo buf)
{
	Datum		json = DirectFunctionCall1(jsonb_in,
										   CStringGetDatum(pq_getmsgstring(buf)));
	OsmlFeatureSet *set = osml_feature_set_from_jsonb(DatumGetJsonbP(json));
	OsmlAnalysis *analysis;

	for (int i = 0; i < set->n_columns; i++)
		set->columns[i].type = pq_getmsgint(buf, 4);
	osml_feature_set_build(set, NULL);
	analysis = osml_analysis_of_inputs(set, (int32) pq_getmsgint(buf, 4));
	for (int i = 0; i < analysis->n_columns; i++)
		analysis->columns[i].capacity = pq_getmsgint(buf, 4);
	return analysis;
}

static void
unpack_task(Task *task, char *bytes, int size)
{
	StringInfoData buf = {bytes, size, size, 0};

	task->analysis = unpack_analysis(&buf);
	task->n_units = pq_getmsgint(&buf, 4);
	task->units = palloc0(sizeof(OsmlScanUnit) * Max(1, task->n_units));
	for (int i = 0; i < task->n_units; i++)
	{
		task->units[i].from = pstrdup(pq_getmsgstring(&buf));
		task->units[i].label = pstrdup(pq_getmsgstring(&buf));
	}
	task->n_shards = pq_getmsgint(&buf, 4);
	task->shards = palloc(sizeof(OsmlShard) * Max(1, task->n_shards));
	for (int i = 0; i < task->n_shards; i++)
	{
		task->shards[i].unit = pq_getmsgint(&buf, 4);
		task->shards[i].first_block = pq_getmsgint(&buf, 4);
		task->shards[i].n_blocks = pq_getmsgint(&buf, 4);
	}
}

/* --- a worker -------------------------------------------------------------- */

static int
wait_for_start(SharedTeam *shared)
{
	uint32		n;

	while ((n = pg_atomic_read_u32(&shared->n_workers)) == 0)
		ConditionVariableSleep(&shared->started, PG_WAIT_EXTENSION);
	ConditionVariableCancelSleep();
	return (int) n;
}

/* A message a column.  False: the session has left. */
static bool
send_part(shm_mq_handle *queue, const OsmlAnalysis *part)
{
	for (int i = 0; i < part->n_columns; i++)
	{
		const OsmlAnalysisColumn *column = &part->columns[i];
		size_t		size = osml_analysis_column_size(column);
		char	   *bytes = MemoryContextAllocHuge(part->context, size);
		shm_mq_iovec message = {bytes, size};

		osml_analysis_column_write(column, bytes);
		if (osml_shm_mq_sendv(queue, &message, 1, false, true) != SHM_MQ_SUCCESS)
			return false;
		pfree(bytes);
	}
	return true;
}

void
osml_analysis_worker(dsm_segment *seg, shm_toc *toc)
{
	SharedTeam *shared = shm_toc_lookup(toc, KEY_SHARED, false);
	char	   *packed = shm_toc_lookup(toc, KEY_TASK, false);
	char	   *queues = shm_toc_lookup(toc, KEY_QUEUES, false);
	shm_mq	   *queue = (shm_mq *) (queues + (Size) ParallelWorkerNumber * OSML_ANALYSIS_QUEUE);
	shm_mq_handle *handle;
	int			n_workers;
	int32		size;
	Task		task;
	bool		wanted = true;

	shm_mq_set_sender(queue, MyProc);
	handle = shm_mq_attach(queue, seg, NULL);
	n_workers = wait_for_start(shared);
	memcpy(&size, packed, sizeof(size));
	unpack_task(&task, packed + sizeof(size), size);
	for (int i = ParallelWorkerNumber; i < task.n_shards && wanted; i += n_workers)
	{
		OsmlAnalysis *part = osml_analysis_part(task.analysis);

		scan_shard(part, &task.units[task.shards[i].unit], &task.shards[i]);
		wanted = send_part(handle, part);
		MemoryContextDelete(part->context);
	}
	shm_mq_detach(handle);
}

/* --- the session ----------------------------------------------------------- */

/* Why other processes cannot read the source as the session would; NULL: they can. */
static const char *
unshared_reason(const OsmlAnalysis *analysis, const OsmlSource *source, int n_shared)
{
	if (source->temporary)
		return "only this session can read its temporary table";
	if (!OidIsValid(source->relid))
		return "a query is read by the session alone";
	if (check_enable_rls(source->relid, InvalidOid, true) == RLS_ENABLED)
		return "rows under row security are read by the session alone";
	for (int i = 0; i < analysis->set->n_inputs; i++)
	{
		if (analysis->set->inputs[i].column < 0)
			return "expressions of features run in the session alone";
	}
	if (n_shared == 0)
		return "only heap tables that may be read whole can be cut to pieces";
	return IsInParallelMode() ? "the query that asks is parallel itself" : NULL;
}

/* How many workers to ask for; a notice where it is none though some are wanted. */
static int
usable_workers(const OsmlAnalysis *analysis, const OsmlSource *source, int n_shared,
			   int num_workers)
{
	const char *reason = unshared_reason(analysis, source, n_shared);

	if (reason == NULL)
		return Min(num_workers, n_shared);
	if (num_workers > 0)
		ereport(NOTICE,
				(errmsg("num_workers is ignored: %s", reason),
				 OidIsValid(source->relid) || source->temporary ? 0 :
				 errdetail("After osml_split the parts of a dataset are queries, too.")));
	return 0;
}

/* Only a heap table that can be cut is a worker's. */
static bool
is_shared(const OsmlShard *shard)
{
	return shard->n_blocks > 0;
}

/* Fill the shared segment and make the queues. */
static SharedTeam *
fill_segment(Team *team, StringInfo task)
{
	ParallelContext *pcxt = team->pcxt;
	int			n = pcxt->nworkers;
	int32		size = task->len;
	SharedTeam *shared = shm_toc_allocate(pcxt->toc, sizeof(SharedTeam));
	char	   *packed = shm_toc_allocate(pcxt->toc, sizeof(size) + size);
	char	   *queues = shm_toc_allocate(pcxt->toc, mul_size(OSML_ANALYSIS_QUEUE, n));

	pg_atomic_init_u32(&shared->n_workers, 0);
	ConditionVariableInit(&shared->started);
	shm_toc_insert(pcxt->toc, KEY_SHARED, shared);
	memcpy(packed, &size, sizeof(size));
	memcpy(packed + sizeof(size), task->data, size);
	shm_toc_insert(pcxt->toc, KEY_TASK, packed);
	team->queues = palloc(sizeof(shm_mq_handle *) * n);
	for (int i = 0; i < n; i++)
	{
		shm_mq	   *queue = shm_mq_create(queues + (Size) i * OSML_ANALYSIS_QUEUE, OSML_ANALYSIS_QUEUE);

		shm_mq_set_receiver(queue, MyProc);
		team->queues[i] = shm_mq_attach(queue, pcxt->seg, NULL);
	}
	shm_toc_insert(pcxt->toc, KEY_QUEUES, queues);
	return shared;
}

/*
 * Start up to n workers.  Fewer may come, or none, when all worker processes
 * are taken; then the session reads for itself, more slowly.
 */
static void
start_team(Team *team, int n, StringInfo task)
{
	ParallelContext *pcxt;
	SharedTeam *shared;

	EnterParallelMode();
	team->pcxt = pcxt = CreateParallelContext("osml", "osml_analysis_worker", n);
	shm_toc_estimate_chunk(&pcxt->estimator, sizeof(SharedTeam));
	shm_toc_estimate_chunk(&pcxt->estimator, sizeof(int32) + task->len);
	shm_toc_estimate_chunk(&pcxt->estimator, mul_size(OSML_ANALYSIS_QUEUE, n));
	shm_toc_estimate_keys(&pcxt->estimator, 3);
	InitializeParallelDSM(pcxt);
	/* without a shared segment there are no workers */
	if (pcxt->seg == NULL)
		return;
	shared = fill_segment(team, task);
	LaunchParallelWorkers(pcxt);
	team->n_workers = pcxt->nworkers_launched;
	for (int i = 0; i < team->n_workers; i++)
		shm_mq_set_handle(team->queues[i], pcxt->worker[i].bgwhandle);
	pg_atomic_write_u32(&shared->n_workers, (uint32) team->n_workers);
	ConditionVariableBroadcast(&shared->started);
}

static void
end_team(Team *team)
{
	if (team->pcxt == NULL)
		return;
	WaitForParallelWorkersToFinish(team->pcxt);
	DestroyParallelContext(team->pcxt);
	ExitParallelMode();
}

/* Merge what a worker found in its next shard. */
static void
receive_part(Team *team, int worker, OsmlAnalysis *analysis)
{
	OsmlAnalysis *part = osml_analysis_part(analysis);

	for (int i = 0; i < part->n_columns; i++)
	{
		Size		size;
		void	   *bytes;

		if (shm_mq_receive(team->queues[worker], &size, &bytes, false) != SHM_MQ_SUCCESS)
		{
			/* raises the worker's error, if it had the time to send one */
			WaitForParallelWorkersToFinish(team->pcxt);
			ereport(ERROR,
					(errcode(ERRCODE_INTERNAL_ERROR),
					 errmsg("a parallel worker ended before it had read its part")));
		}
		osml_analysis_column_read(&part->columns[i], part->context, bytes, size);
		osml_analysis_merge(&analysis->columns[i], &part->columns[i]);
	}
	MemoryContextDelete(part->context);
}

/* Merge what the session reads itself. */
static void
read_part(OsmlAnalysis *analysis, const OsmlScanUnit *unit, const OsmlShard *shard)
{
	OsmlAnalysis *part = osml_analysis_part(analysis);

	scan_shard(part, unit, shard);
	for (int i = 0; i < part->n_columns; i++)
		osml_analysis_merge(&analysis->columns[i], &part->columns[i]);
	MemoryContextDelete(part->context);
}

/* Refuse what the server's owner does not want one user to take. */
static void
check_memory(const OsmlAnalysis *analysis, int n_workers)
{
	Size		bytes = osml_analysis_bytes(analysis, n_workers);

	if (bytes <= (Size) osml_max_memory * 1024)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("analysis of %d columns needs %zu kB of memory, more than osml.max_memory allows",
					analysis->n_columns, bytes / 1024 + 1),
			 n_workers == 0 ?
			 errhint("Raise osml.max_memory, or name fewer features.") :
			 errhint("Raise osml.max_memory, name fewer features, or use fewer workers.")));
}

void
osml_analysis_scan(OsmlAnalysis *analysis, const OsmlSource *source, int num_workers)
{
	MemoryContext old = MemoryContextSwitchTo(analysis->context);
	Team		team = {0};
	int			n_shards;
	OsmlShard  *shards = osml_source_shards(source, OSML_PASS_PAGES, &n_shards);
	OsmlShard  *shared = palloc(sizeof(OsmlShard) * Max(1, n_shards));
	int			n_shared = 0;
	int			turn = 0;

	for (int i = 0; i < n_shards; i++)
	{
		if (is_shared(&shards[i]))
			shared[n_shared++] = shards[i];
	}
	num_workers = usable_workers(analysis, source, n_shared, num_workers);
	check_memory(analysis, num_workers);
	osml_analysis_start(analysis);
	if (num_workers > 0)
		start_team(&team, num_workers,
				   pack_task(analysis, source, shared, n_shared));
	for (int i = 0; i < n_shards; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (team.n_workers > 0 && is_shared(&shards[i]))
			receive_part(&team, turn++ % team.n_workers, analysis);
		else
			read_part(analysis, &source->units[shards[i].unit], &shards[i]);
	}
	end_team(&team);
	MemoryContextSwitchTo(old);
}
