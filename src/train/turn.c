/*
 * turn.c
 *	  May a run start now: see turn.h.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "compat.h"
#include "catalog/run.h"
#include "catalog/turn_lock.h"
#include "osml.h"
#include "train/cycle.h"
#include "train/turn.h"

/* between looks at runs that are waited for */
#define LOOK_MS 100

/* the runs that are in the way */
typedef struct Obstacle
{
	int64		run_id;			/* of the model; 0: none, -1: somebody else's */
	uint32		segment;		/* that run's */
	bool		starting;		/* somebody else has the model's turn */
	int			n_runs;			/* of the role, where they are too many; else 0 */
} Obstacle;

static void
release_role(OsmlTurn *turn)
{
	if (turn->role)
		osml_role_turn_release(turn->owner);
	turn->role = false;
}

/* Runs of the role that are going on: how many, and the newest of the model. */
static int
count_runs(const OsmlTurn *turn, const char *model, OsmlRunRow **newest)
{
	List	   *runs = osml_runs_going_on(turn->owner);
	ListCell   *cell;

	*newest = NULL;
	foreach(cell, runs)
	{
		OsmlRunRow *row = lfirst(cell);

		if (model && strcmp(row->model, model) == 0)
			*newest = row;
	}
	return list_length(runs);
}

/* Is nothing in the way?  Then the role's turn is held, where its runs are limited. */
static bool
is_clear(OsmlTurn *turn, const char *model, Obstacle *obstacle)
{
	OsmlRunRow *row = NULL;
	bool		busy = model && osml_model_lock_held(model);
	int			n;

	memset(obstacle, 0, sizeof(*obstacle));
	if (!busy && osml_max_runs == 0)
		return true;
	if (osml_max_runs > 0)
	{
		osml_role_turn_take(turn->owner);
		turn->role = true;
	}
	n = count_runs(turn, model, &row);
	if (busy)
		obstacle->run_id = row ? row->run_id : -1;
	if (busy && row)
		obstacle->segment = row->segment;
	if (osml_max_runs > 0 && n >= osml_max_runs)
		obstacle->n_runs = n;
	if (!busy && obstacle->n_runs == 0)
		return true;
	release_role(turn);
	return false;
}

static char *
obstacle_words(const OsmlTurn *turn, const char *model, const Obstacle *obstacle)
{
	if (obstacle->n_runs > 0 && obstacle->run_id == 0)
		return psprintf("role \"%s\" has %d runs going on, as many as osml.max_runs allows",
						turn->owner, obstacle->n_runs);
	if (obstacle->starting)
		return psprintf("another run of model \"%s\" is starting", model);
	if (obstacle->run_id < 0)
		return psprintf("model \"%s\" is being trained", model);
	return psprintf("model \"%s\" is being trained by run " INT64_FORMAT, model,
					obstacle->run_id);
}

/* Too many runs are an error whatever "if_running" says, unless it says to wait. */
pg_noreturn static void
too_many(const OsmlTurn *turn, const Obstacle *obstacle)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("%s", obstacle_words(turn, NULL, obstacle)),
			 errhint("Wait for one of them with osml_wait, or set \"if_running\" to queue.")));
}

static OsmlTurnAnswer
refuse(const OsmlTurn *turn, const char *model, const Obstacle *obstacle,
	   OsmlIfRunning if_running)
{
	char	   *words = obstacle_words(turn, model, obstacle);

	if (if_running == OSML_IF_RUNNING_ERROR)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("%s", words),
				 obstacle->run_id > 0 ?
				 errhint("Wait for it with osml_wait(" INT64_FORMAT "), or set \"if_running\" to skip or queue.",
						 obstacle->run_id) :
				 errhint("Set \"if_running\" to skip or queue.")));
	ereport(NOTICE,
			(errmsg("%s: nothing is started", words)));
	return OSML_TURN_SKIP;
}

/*
 * The same.  What a worker has locked in vain it lets go, as others, such as who drops the
 * extension, would wait for it.
 */
static bool
look(OsmlTurn *turn, const char *model, Obstacle *obstacle, OsmlPatience patience)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	bool		clear;

	if (patience != OSML_PATIENCE_WORKER)
		return is_clear(turn, model, obstacle);
	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(context);
	clear = is_clear(turn, model, obstacle);
	if (clear)
		ReleaseCurrentSubTransaction();
	else
		RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return clear;
}

/* A run that we wait for may itself wait for a lock of this transaction. */
static void
wait_for_obstacle(OsmlWait *wait, const Obstacle *obstacle)
{
	if (obstacle->run_id > 0)
		osml_wait_for(wait, obstacle->segment, obstacle->run_id);
	else
		osml_wait_for(wait, 0, 0);
	if (wait->looks && wait->run_id != 0)
		osml_check_wait_cycle(wait, "osml_train");
}

/* Until nothing is in the way; interrupts and lock_timeout are the caller's way out. */
static void
wait_until_clear(OsmlTurn *turn, const char *model, Obstacle *obstacle, OsmlPatience patience)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "osml turn",
												  ALLOCSET_SMALL_SIZES);
	MemoryContext old;
	OsmlWait	wait = {.looks = patience == OSML_PATIENCE_CLIENT};

	ereport(NOTICE,
			(errmsg("%s: this run waits for its turn", obstacle_words(turn, model, obstacle))));
	if (turn->model == NULL && model)
	{
		(void) osml_model_turn_take(model, true);
		turn->model = model;
	}
	old = MemoryContextSwitchTo(scratch);
	while (!look(turn, model, obstacle, patience))
	{
		wait_for_obstacle(&wait, obstacle);
		MemoryContextReset(scratch);
		(void) osml_nap(LOOK_MS);
		CHECK_FOR_INTERRUPTS();
	}
	osml_wait_for(&wait, 0, 0);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
}

OsmlTurnAnswer
osml_turn_ask(OsmlTurn *turn, const char *owner, const char *model,
			  OsmlIfRunning if_running, OsmlPatience patience)
{
	/* runs beside others are nobody's turn */
	const char *alone = if_running == OSML_IF_RUNNING_START ? NULL : model;
	Obstacle	obstacle;

	*turn = (OsmlTurn) {.owner = owner};
	if (alone && osml_model_turn_take(alone, false))
		turn->model = alone;
	if ((alone == NULL || turn->model) && look(turn, alone, &obstacle, patience))
		return OSML_TURN_START;
	if (alone && turn->model == NULL)
		obstacle = (Obstacle) {.starting = true};
	if (if_running == OSML_IF_RUNNING_QUEUE && patience != OSML_PATIENCE_NONE)
	{
		wait_until_clear(turn, alone, &obstacle, patience);
		return OSML_TURN_START;
	}
	osml_turn_end(turn);
	if (if_running == OSML_IF_RUNNING_QUEUE)
		return OSML_TURN_QUEUE;
	if (obstacle.n_runs > 0 && obstacle.run_id == 0)
		too_many(turn, &obstacle);
	return refuse(turn, model, &obstacle, if_running);
}

void
osml_turn_end(OsmlTurn *turn)
{
	release_role(turn);
	if (turn->model)
		osml_model_turn_release(turn->model);
	turn->model = NULL;
}
