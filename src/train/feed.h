/*
 * feed.h
 *	  Prepared blocks of a part, epoch by epoch.
 */
#ifndef OSML_FEED_H
#define OSML_FEED_H

#include "train/run.h"

typedef struct OsmlFeed OsmlFeed;

/* lives as long as the run; lane of lanes: every lanes-th block */
extern OsmlFeed *osml_feed_create(OsmlRun *run, OsmlPartData *data,
								  OsmlShuffle shuffle, int lane, int lanes);
/* an epoch begins; rows that were shuffled where they lie stay in that order */
extern void osml_feed_begin(OsmlFeed *feed, uint32 epoch);

/* before the first epoch of a run that goes on: rows lie as the epochs before this
 * one left them */
extern void osml_feed_replay(OsmlFeed *feed, int64 epoch);

/* next block with rows, or NULL at the end of the epoch; valid until the next
 * call */
extern OsmlBlock *osml_feed_next(OsmlFeed *feed);

#endif							/* OSML_FEED_H */
