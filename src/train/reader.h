/*
 * reader.h
 *	  The reading side of a run: the caller's backend or a reader worker.
 */
#ifndef OSML_READER_H
#define OSML_READER_H

#include "train/channel.h"

/* become the sender of queue `index`; it detaches when this process lets go */
extern shm_mq_handle *osml_reader_attach(OsmlSegment *segment, int index);

/*
 * Serve the trainer's requests over that queue until it says that reading
 * is done or goes away.  Runs inside the transaction and under the snapshot
 * that the rows are to be seen with.
 */
extern void osml_serve_reads(OsmlSegment *segment, shm_mq_handle *queue, int index,
							 OsmlIdle idle, void *arg);

/* entry point of a reader worker */
extern PGDLLEXPORT void osml_reader_main(Datum main_arg);

#endif							/* OSML_READER_H */
