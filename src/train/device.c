/*
 * device.c
 *	  What computes for a run: its backend, threads and library.
 */
#include "postgres.h"

#include "compute/cpu_team.h"
#include "osml.h"
#include "train/blas_module.h"
#include "train/device.h"
#include "train/log.h"
#include "train/run.h"

/* layers of fewer neurons are as fast in loops of our own */
#define WIDE_LAYER 64

void
osml_check_threads(const OsmlHparams *hparams)
{
	if (hparams->threads > osml_threads)
		ereport(ERROR,
				(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
				 errmsg("hyperparameter \"threads\" is " INT64_FORMAT ", more than osml.threads (%d) allows",
						hparams->threads, osml_threads),
				 errhint("Leave out \"threads\", or have a superuser raise osml.threads.")));
}

/* Threads are ended with the run's memory, on whichever way. */
static void
stop_team(void *arg)
{
	osml_team_stop(arg);
}

/* Results are the same on fewer threads, so a run does not fail for want of one. */
static OsmlTeam *
start_team(OsmlRun *run, int threads)
{
	MemoryContextCallback *callback = MemoryContextAllocZero(run->context, sizeof(*callback));
	int			started;
	OsmlTeam   *team = osml_team_start(threads, &started);

	if (started < threads)
		osml_log_event(run, "warning", "fewer_threads",
					   psprintf("the system gave %d of %d threads", started, threads));
	if (team == NULL)
		return NULL;
	callback->func = stop_team;
	callback->arg = team;
	MemoryContextRegisterResetCallback(run->context, callback);
	return team;
}

static bool
has_wide_layers(const OsmlNetwork *network)
{
	for (int l = 1; l < network->n_hidden; l++)
	{
		if (network->hidden[l - 1] >= WIDE_LAYER && network->hidden[l] >= WIDE_LAYER)
			return true;
	}
	return false;
}

const OsmlBackend *
osml_choose_backend(OsmlRun *run)
{
	int			threads = run->hparams->threads == OSML_AUTO ? osml_threads :
		(int) Min(run->hparams->threads, osml_threads);
	osml_gemm_fn gemm = NULL;
	OsmlBackend *backend;

	if (has_wide_layers(&run->spec.network))
		gemm = (osml_gemm_fn) osml_blas_function("osml_blas_gemm", threads);
	if (gemm == NULL && threads == 1)
		return &osml_backend_cpu;
	backend = MemoryContextAlloc(run->context, sizeof(OsmlBackend));
	*backend = osml_backend_cpu;
	if (threads > 1)
		osml_cpu_use_team(backend, start_team(run, threads));
	if (gemm)
		backend->gemm = gemm(threads);
	return backend;
}
