/*
 * cpu_team.h
 *	  The CPU's backend on several threads.
 *
 * Each operation is cut where its results are independent: rows of an output, columns,
 * ranges of parameters.  No sum is cut, so every bit is the one of a single thread,
 * whatever the number of threads.  What is small is not cut at all.
 */
#ifndef OSML_CPU_TEAM_H
#define OSML_CPU_TEAM_H

#include "compute/backend.h"
#include "compute/team.h"

/* *backend becomes the CPU's on this team, which stays the caller's; its gemm is kept */
extern void osml_cpu_use_team(OsmlBackend *backend, OsmlTeam *team);

#endif							/* OSML_CPU_TEAM_H */
