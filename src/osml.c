/*
 * osml.c
 *	  The module's magic block, its settings, and where it is preloaded the
 *	  restarter; nothing else.
 *
 * Every backend that predicts loads this module, so loading must stay cheap.
 * Next file to read: src/README.md.
 */
#include "postgres.h"

#include <limits.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/guc.h"

#include "compat.h"
#include "osml.h"
#include "train/restart.h"

PG_MODULE_MAGIC;

int			osml_max_runs = 0;
int			osml_max_memory = 1024 * 1024;
int			osml_max_spill = 10 * 1024 * 1024;
int			osml_threads = 1;
int			osml_progress_interval = 1000;
int			osml_max_metric_rows = 1000;

extern void _PG_init(void);

/* Limits that protect the server from one user's run: superusers set them. */
static void
define_limits(void)
{
	DefineCustomIntVariable("osml.max_memory",
							"Memory that the rows of one training run may take.",
							"Rows beyond it go to temporary files.",
							&osml_max_memory,
							1024 * 1024, 1024, MAX_KILOBYTES,
							PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("osml.max_spill",
							"Temporary files that one training run may write.",
							"Beyond it the source is read again each epoch.",
							&osml_max_spill,
							10 * 1024 * 1024, 0, INT_MAX,
							PGC_SUSET, GUC_UNIT_KB, NULL, NULL, NULL);
	DefineCustomIntVariable("osml.threads",
							"Threads that one training run may compute with.",
							"They take processors from other sessions while it computes.",
							&osml_threads,
							1, 1, 64,
							PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("osml.max_metric_rows",
							"Rows a second that one training run may add to osml.metrics.",
							NULL,
							&osml_max_metric_rows,
							1000, 1, INT_MAX,
							PGC_SUSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("osml.max_runs",
							"Training runs of one role that may go on at a time.",
							"0 is any number.",
							&osml_max_runs,
							0, 0, INT_MAX,
							PGC_SUSET, 0, NULL, NULL, NULL);
}

void
_PG_init(void)
{
	define_limits();
	DefineCustomIntVariable("osml.progress_interval",
							"Time between the progress messages of osml_train.",
							"0 turns them off.",
							&osml_progress_interval,
							1000, 0, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	MarkGUCPrefixReserved("osml");
	if (process_shared_preload_libraries_in_progress)
		osml_restart_register();
}
