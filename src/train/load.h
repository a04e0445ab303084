/*
 * load.h
 *	  The load pass, and what a streamed pass counts in its place.
 */
#ifndef OSML_LOAD_H
#define OSML_LOAD_H

#include "train/run.h"

/* read val, test and, unless they are streamed, the training rows */
extern void osml_load_parts(OsmlRun *run);

/* can the training rows go straight into steps, unkept? */
extern bool osml_can_stream(const OsmlRun *run);

/* append the rows of `from` that are on this side of the split to `to`, from
 * row *next on, until `to` is full; hash as osml_row_hash_block gives it */
extern void osml_split_rows(OsmlRun *run, OsmlBlock *from, const uint64 *hash,
							int side, OsmlBlock *to, int *next);

/* scaling constants, as the hyperparameters ask */
extern void osml_scaling_from_stats(OsmlRun *run);

/* streaming: what the load pass would have counted, block by block */
extern void osml_account_streamed(OsmlRun *run, const OsmlBlock *block);
extern void osml_streamed_end(OsmlRun *run);

#endif							/* OSML_LOAD_H */
