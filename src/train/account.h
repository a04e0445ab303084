/*
 * account.h
 *	  Where the time of a run went and what memory its processes took, for its summary.
 */
#ifndef OSML_ACCOUNT_H
#define OSML_ACCOUNT_H

#include "portability/instr_time.h"
#include "utils/palloc.h"

struct OsmlRun;

#define OSML_MAX_PHASES 16

/* one phase, and all the time in it, on and off */
typedef struct OsmlPhaseTime
{
	const char *phase;
	double		seconds;
} OsmlPhaseTime;

typedef struct OsmlAccount
{
	instr_time	since;			/* when the phase that goes on began */
	int			n;
	OsmlPhaseTime phases[OSML_MAX_PHASES];
	double		waited;			/* for rows, within phases */
} OsmlAccount;

/* a phase of the run ends (NULL: none has begun), and the next begins */
extern void osml_account_phase(OsmlAccount *account, const char *ends);

/* seconds since a moment */
extern double osml_seconds_since(instr_time start);

/* the most memory that this process has had resident, shared buffers that it touched
 * included */
extern int64 osml_peak_rss_kb(void);

/* into the run's summary: "phase_seconds", "waited_for_rows_seconds", "peak_rss_kb" of the
 * trainer and "reader_peak_rss_kb" of the largest reader, where there were readers */
extern void osml_account_summary(struct OsmlRun *run);

#endif							/* OSML_ACCOUNT_H */
