/*
 * account.c
 *	  Where the time of a run went and what memory its processes took: see account.h.
 */
#include "postgres.h"

#include <sys/resource.h>

#include "lib/stringinfo.h"
#include "storage/spin.h"
#include "utils/json.h"

#include "train/account.h"
#include "train/run.h"

double
osml_seconds_since(instr_time start)
{
	instr_time	now;

	INSTR_TIME_SET_CURRENT(now);
	INSTR_TIME_SUBTRACT(now, start);
	return INSTR_TIME_GET_DOUBLE(now);
}

void
osml_account_phase(OsmlAccount *account, const char *ends)
{
	double		spent = ends ? osml_seconds_since(account->since) : 0;
	int			i = 0;

	INSTR_TIME_SET_CURRENT(account->since);
	while (i < account->n && ends && strcmp(account->phases[i].phase, ends) != 0)
		i++;
	if (ends == NULL || i == OSML_MAX_PHASES)
		return;
	account->n = Max(account->n, i + 1);
	account->phases[i].phase = ends;
	account->phases[i].seconds += spent;
}

int64
osml_peak_rss_kb(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_SELF, &usage) == 0 ? (int64) usage.ru_maxrss : 0;
}

void
osml_account_summary(OsmlRun *run)
{
	const OsmlAccount *account = &run->account;
	StringInfoData phases;
	int64		reader_peak = 0;

	initStringInfo(&phases);
	for (int i = 0; i < account->n; i++)
	{
		appendStringInfoString(&phases, i > 0 ? ", " : "{");
		escape_json(&phases, account->phases[i].phase);
		appendStringInfo(&phases, ": %.6f", account->phases[i].seconds);
	}
	appendStringInfoChar(&phases, '}');
	osml_run_summary(run, "phase_seconds", phases.data);
	osml_run_summary(run, "waited_for_rows_seconds", psprintf("%.6f", account->waited));
	osml_run_summary_number(run, "peak_rss_kb", (double) osml_peak_rss_kb());
	SpinLockAcquire(&run->shared->mutex);
	for (int i = 0; i < run->plan->n_readers; i++)
		reader_peak = Max(reader_peak, run->shared->readers[i].peak_rss_kb);
	SpinLockRelease(&run->shared->mutex);
	if (reader_peak > 0)
		osml_run_summary_number(run, "reader_peak_rss_kb", (double) reader_peak);
}
