/*
 * blas_module.c
 *	  Opening osml_blas: see blas_module.h.
 */
#include "postgres.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fmgr.h"
#include "miscadmin.h"

#include "train/blas_module.h"

/* address space of the library, some 45 MB, and of the buffer that a thread works in,
 * 128 MB */
#define LIBRARY_BYTES ((size_t) 128 * 1024 * 1024)
#define THREAD_BYTES ((size_t) 128 * 1024 * 1024)

/*
 * OpenBLAS asks for its buffer again and again until it gets it, which no signal ends.
 * So it is asked for here first; the module's functions then have OpenBLAS take it at once,
 * before rows fill memory.
 */
static void
check_room(int threads)
{
	size_t		bytes = LIBRARY_BYTES + (size_t) threads * THREAD_BYTES;
	void	   *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
							MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory"),
				 errdetail("OpenBLAS may take %zu MB beside what osml.max_memory bounds.",
						   bytes / (1024 * 1024)),
				 errhint("Free memory, raise what the system lets a process of the server have, or train a model with narrower layers or fewer columns.")));
	munmap(room, bytes);
}

/*
 * load_external_function() raises an error on a missing file, so the file is
 * looked for first.  OpenBLAS starts threads when it is loaded, each with a buffer of
 * its own, unless the environment says otherwise.  If another library does so all the same,
 * they inherit a mask with every signal blocked, so that none of them ever takes a signal
 * meant for the server.
 */
void *
osml_blas_function(const char *name, int threads)
{
	char		path[MAXPGPATH];
	sigset_t	all;
	sigset_t	before;
	void	   *found;

	snprintf(path, sizeof(path), "%s/osml_blas%s", pkglib_path, DLSUFFIX);
	if (access(path, R_OK) != 0)
		return NULL;
	check_room(threads);
	setenv("OPENBLAS_NUM_THREADS", "1", 1);
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
