/*
 * team.h
 *	  Threads of one run: a piece of work is cut, each does its part, all wait.
 *
 * The caller is one of them.  Nothing of what they are given may call the server: a
 * member is a thread with all signals blocked that knows nothing but its part.  Who waits
 * spins for some microseconds, since the next piece mostly follows at once, and then
 * sleeps, so that a team without work costs nothing.
 *
 * Next: cpu_team.h, which cuts what the CPU's backend does.
 */
#ifndef OSML_TEAM_H
#define OSML_TEAM_H

typedef struct OsmlTeam OsmlTeam;

/* does part `part` of `parts` of the work */
typedef void (*osml_team_fn) (const void *work, int part, int parts);

/*
 * A team of at most `threads`, the caller included: *started is how many there are, which
 * is fewer where the system refuses a thread.  NULL: no memory.  osml_team_stop() ends the
 * threads and frees it.
 */
extern OsmlTeam *osml_team_start(int threads, int *started);
extern void osml_team_stop(OsmlTeam *team);

/* how many parts there are; a team that is NULL has one */
extern int	osml_team_size(const OsmlTeam *team);

/* do all parts, each on a thread of its own; what they wrote is seen by the caller after */
extern void osml_team_run(OsmlTeam *team, osml_team_fn part, const void *work);

#endif							/* OSML_TEAM_H */
