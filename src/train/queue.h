/*
 * queue.h
 *	  The worker that waits with a run which its client does not wait for.
 *
 * It is the run's process until its turn has come: it has the run's lock, and its row
 * says "queued".  Then it launches the run as a client would that waits, and reads for
 * it where no readers were asked for.  Until then osml_cancel() reaches it by the
 * segment that its row names, as it reaches a trainer.
 *
 * Next: turn.h (whose turn it is), launcher.c (who starts this worker).
 */
#ifndef OSML_QUEUE_H
#define OSML_QUEUE_H

#include "postgres.h"

extern PGDLLEXPORT void osml_queue_main(Datum main_arg);

#endif							/* OSML_QUEUE_H */
