/*
 * team.c
 *	  Threads of one run: see team.h.
 *
 * A round is a number that the caller raises when the work lies ready; a member that sees
 * it raised does its part and counts itself done.  Both sides spin first, then sleep on a
 * condition: a sleeper says so under the lock before it looks once more, and who changes
 * the number takes the lock only if somebody sleeps.
 */
#include "compute/team.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* looks at the number before a sleep: some 20 microseconds */
#define SPINS 4000

/* a member's stack: its deepest user is a library's product of matrices */
#define STACK_BYTES (2 * 1024 * 1024)

/* a number that others wait for */
typedef struct Signal
{
	_Alignas(64) atomic_uint value;
	atomic_int	sleepers;
	pthread_mutex_t lock;
	pthread_cond_t changed;
} Signal;

typedef struct Member
{
	OsmlTeam   *team;
	pthread_t	thread;
	int			part;
} Member;

struct OsmlTeam
{
	Signal		round;
	Signal		done;			/* members, of all rounds */
	osml_team_fn	run;			/* NULL: go home */
	const void *work;
	int			n_members;		/* without the caller */
	Member		members[];
};

static void
pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#endif
}

static void
signal_init(Signal *signal)
{
	atomic_init(&signal->value, 0);
	atomic_init(&signal->sleepers, 0);
	pthread_mutex_init(&signal->lock, NULL);
	pthread_cond_init(&signal->changed, NULL);
}

static void
signal_destroy(Signal *signal)
{
	pthread_cond_destroy(&signal->changed);
	pthread_mutex_destroy(&signal->lock);
}

static void
signal_raise(Signal *signal)
{
	atomic_fetch_add(&signal->value, 1);
	if (atomic_load(&signal->sleepers) == 0)
		return;
	pthread_mutex_lock(&signal->lock);
	pthread_cond_broadcast(&signal->changed);
	pthread_mutex_unlock(&signal->lock);
}

/* until the number is the wanted one; it passes none by */
static void
signal_await(Signal *signal, unsigned wanted)
{
	for (int i = 0; i < SPINS; i++)
	{
		if (atomic_load_explicit(&signal->value, memory_order_acquire) == wanted)
			return;
		pause_briefly();
	}
	pthread_mutex_lock(&signal->lock);
	atomic_fetch_add(&signal->sleepers, 1);
	while (atomic_load(&signal->value) != wanted)
		pthread_cond_wait(&signal->changed, &signal->lock);
	atomic_fetch_sub(&signal->sleepers, 1);
	pthread_mutex_unlock(&signal->lock);
}

static void *
member_main(void *arg)
{
	Member	   *member = arg;
	OsmlTeam   *team = member->team;

	for (unsigned round = 1;; round++)
	{
		signal_await(&team->round, round);
		if (team->run == NULL)
			return NULL;
		team->run(team->work, member->part, team->n_members + 1);
		signal_raise(&team->done);
	}
}

/* a thread that never takes a signal meant for the process */
static bool
start_member(Member *member)
{
	pthread_attr_t attr;
	sigset_t	all;
	sigset_t	before;
	int			rc;

	if (pthread_attr_init(&attr) != 0)
		return false;
	(void) pthread_attr_setstacksize(&attr, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	rc = pthread_create(&member->thread, &attr, member_main, member);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return rc == 0;
}

OsmlTeam *
osml_team_start(int threads, int *started)
{
	size_t		bytes = sizeof(OsmlTeam) + sizeof(Member) * (size_t) threads;
	OsmlTeam   *team = aligned_alloc(64, (bytes + 63) / 64 * 64);

	*started = 1;
	if (team == NULL)
		return NULL;
	signal_init(&team->round);
	signal_init(&team->done);
	team->n_members = 0;
	for (int i = 0; i + 1 < threads; i++)
	{
		team->members[i] = (Member) {.team = team,.part = i + 1};
		if (!start_member(&team->members[i]))
			break;
		team->n_members++;
	}
	*started = team->n_members + 1;
	return team;
}

void
osml_team_stop(OsmlTeam *team)
{
	if (team == NULL)
		return;
	team->run = NULL;
	signal_raise(&team->round);
	for (int i = 0; i < team->n_members; i++)
		pthread_join(team->members[i].thread, NULL);
	signal_destroy(&team->round);
	signal_destroy(&team->done);
	free(team);
}

int
osml_team_size(const OsmlTeam *team)
{
	return team == NULL ? 1 : team->n_members + 1;
}

void
osml_team_run(OsmlTeam *team, osml_team_fn part, const void *work)
{
	unsigned	members = team == NULL ? 0 : (unsigned) team->n_members;
	unsigned	wanted;

	if (members == 0)
	{
		part(work, 0, 1);
		return;
	}
	wanted = atomic_load(&team->done.value) + members;
	team->run = part;
	team->work = work;
	signal_raise(&team->round);
	part(work, 0, (int) members + 1);
	signal_await(&team->done, wanted);
}
