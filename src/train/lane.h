/*
 * lane.h
 *	  One of the sub-streams that batches are dealt from.
 */
#ifndef OSML_LANE_H
#define OSML_LANE_H

#include "train/fit.h"

/* what takes rows [lo, hi) of a block, which is valid until the lane's next row */
typedef void (*OsmlSegmentSink) (OsmlFit *fit, OsmlBlock *block, int lo, int hi);

/* a lane at the start of an epoch, or so many rows into it */
extern void osml_lane_begin(OsmlFit *fit, OsmlLane *lane, int64 epoch, int64 skip);

/*
 * Up to n rows of a lane.  In an endless stream the lane wraps at the end of its data;
 * within an epoch it stops.  Returns rows taken.
 */
extern int64 osml_lane_take(OsmlFit *fit, OsmlLane *lane, int64 n, OsmlSegmentSink sink);

#endif							/* OSML_LANE_H */
