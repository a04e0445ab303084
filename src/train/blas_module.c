/*
 * blas_module.c
 *	  Opening osml_blas: see blas_module.h.
 */
#include "postgres.h"

#include <signal.h>
#include <unistd.h>

#include "fmgr.h"
#include "miscadmin.h"

#include "train/blas_module.h"

/*
 * load_external_function() raises an error on a missing file, so the file is
 * looked for first.  OpenBLAS may start threads when it is loaded; they inherit a
 * mask with every signal blocked, so that none of them ever takes a signal meant
 * for the server.
 */
void *
osml_blas_function(const char *name)
{
	char		path[MAXPGPATH];
	sigset_t	all;
	sigset_t	before;
	void	   *found;

	snprintf(path, sizeof(path), "%s/osml_blas%s", pkglib_path, DLSUFFIX);
	if (access(path, R_OK) != 0)
		return NULL;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	PG_TRY();
	{
		found = load_external_function("$libdir/osml_blas", name, true, NULL);
	}
	PG_FINALLY();
	{
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	PG_END_TRY();
	return found;
}
