/*
 * segment.h
 *	  The shared memory of one run: state, requests, queues.
 *
 * One DSM segment a run, made by the launcher and mapped by the trainer, the
 * readers, the waiting caller and, for a moment, whoever calls osml_cancel().
 * Layout: an OsmlShared, the packed plan, then one shm_mq a reader.
 *
 * Fields of OsmlShared are guarded by its mutex unless they say otherwise; the
 * mutex is a leaf, held for a few instructions, never while another lock is
 * taken.  Waiting is done on latches: whoever changes a field that others wait
 * for calls osml_shared_wake().
 *
 * Next: channel.h (blocks over the queues), trainer.c, launcher.c.
 */
#ifndef OSML_SEGMENT_H
#define OSML_SEGMENT_H

#include "port/atomics.h"
#include "storage/dsm.h"
#include "storage/proc.h"
#include "storage/shm_mq.h"
#include "storage/spin.h"

#include "train/plan.h"

#define OSML_MAX_READERS 64
#define OSML_QUEUE_BYTES (1024 * 1024)

/* an error on its way from one process to another */
typedef struct OsmlReport
{
	int			sqlstate;		/* 0: none */
	char		message[1024];
	char		detail[1024];
	char		hint[512];
} OsmlReport;

/* one pass over a part, asked for by the trainer */
typedef struct OsmlRequest
{
	uint64		number;			/* 0: none yet; each request adds 1 */
	OsmlPartKind part;
	uint32		sample_pages;	/* 0: in order */
	uint64		key;
	uint64		text_keys;		/* send the texts of these key columns too; row.h */
} OsmlRequest;

typedef struct OsmlReaderSlot
{
	PGPROC	   *proc;			/* NULL until it attaches, and after it left */
	pid_t		pid;
	bool		attached;		/* once true, stays true */
	bool		terminated;		/* it left because it was told to, as at a shutdown */
	int64		peak_rss_kb;	/* the most it had resident, by its last shard */
} OsmlReaderSlot;

typedef struct OsmlShared
{
	uint32		magic;			/* constant */
	int64		run_id;			/* constant */
	Oid			database;		/* constant */
	Size		plan_offset;	/* constant, and so the next three */
	Size		plan_size;
	Size		queue_offset;
	int			n_queues;

	slock_t		mutex;

	/* who is here */
	PGPROC	   *caller;			/* NULL when nobody waits */
	bool		caller_needed;	/* its leaving cancels the run */
	bool		caller_reads;	/* constant: there are no readers */
	bool		continue_alone; /* constant: on_disconnect says continue */
	PGPROC	   *trainer;
	pid_t		trainer_pid;
	OsmlReaderSlot readers[OSML_MAX_READERS];

	/* start */
	bool		committed;		/* the run row is there */
	bool		snapshot_ready; /* readers: snapshot_name is valid */
	char		snapshot_name[MAXPGPATH];

	/* reading */
	OsmlRequest request;
	bool		reading_done;	/* readers may leave, the caller stops reading;
								 * read without the lock in loops */
	bool		pass_done;		/* of the current pass, or of all: no more rows are
								 * wanted; likewise */

	/* end */
	bool		cancel;			/* read without the lock in loops */
	char		cancel_reason[256];
	bool		ended;			/* status and report are final */
	char		status[16];
	int			version;
	OsmlReport	report;

	/* progress, for the waiting caller; plain values, torn reads do not hurt */
	int64		step;
	int64		epoch;
	int64		rows_seen;
	int64		rows_loaded;
	char		loss_name[32];
	double		loss;			/* label units; NaN until the first step */
} OsmlShared;

/* one process's view of a run's segment */
typedef struct OsmlSegment
{
	dsm_segment *dsm;
	OsmlShared *shared;
	OsmlPlan   *plan;
} OsmlSegment;

/* launcher: make the segment for a plan; it goes with the current resource owner */
extern OsmlSegment *osml_segment_create(OsmlPlan *plan);

/* worker: map for life and unpack the plan (in the current context) */
extern OsmlSegment *osml_segment_attach(dsm_handle handle);

extern shm_mq *osml_segment_queue(OsmlSegment *segment, int i);

/* trainer, or the worker that waits in its place: this process is the run's, which a
 * cancel signals, until it unmaps the segment */
extern void osml_segment_own(OsmlSegment *segment);

/* the run's row is there, and its end is final: for those who wait for that */
extern void osml_shared_commit(OsmlShared *shared);
extern void osml_shared_end(OsmlShared *shared, const char *status, int version);

/* The trainer is gone, or never came: what has not ended ends here, so that
 * readers do not wait for it. */
extern void osml_shared_abandon(OsmlShared *shared);

/*
 * Sleep until somebody wakes this process or ms have passed, and return
 * WaitLatch's events.  Interrupts are the caller's to look at.
 */
extern int	osml_nap(long ms);

/* set every waiting process's latch */
extern void osml_shared_wake(OsmlShared *shared);

/* ask the run to end; false when it already has.  Safe from any process. */
extern bool osml_shared_cancel(OsmlShared *shared, const char *reason);

/* keep the first error of a run; later ones are consequences */
extern void osml_shared_report(OsmlShared *shared, ErrorData *edata);

/*
 * Processes of a run: the trainer first, then the readers, OSML_MAX_READERS + 1
 * at most; 0 for one that is not there.  Returns their number.
 */
extern int	osml_shared_pids(OsmlShared *shared, pid_t *pids);

/*
 * Another session's run: its shared memory by the handle its row names.  NULL
 * when there is no such segment any more.  The caller detaches *borrowed when
 * done, if that is not NULL.
 */
extern OsmlShared *osml_segment_borrow(dsm_handle handle, int64 run_id,
									   dsm_segment **borrowed);

/* osml_cancel(): false when the run is over */
extern bool osml_segment_cancel(dsm_handle handle, int64 run_id, const char *reason);

#endif							/* OSML_SEGMENT_H */
