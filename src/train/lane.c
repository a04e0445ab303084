/*
 * lane.c
 *	  Rows of a lane, segment by segment; see lane.h.
 */
#include "postgres.h"

#include "train/lane.h"

/* The lane's next row is in lane->block; false at the end of its epoch. */
static bool
lane_ready(OsmlLane *lane)
{
	while (lane->block == NULL || lane->row == lane->block->nrows)
	{
		lane->block = osml_feed_next(lane->feed);
		lane->row = 0;
		if (lane->block == NULL)
			return false;
	}
	return true;
}

int64
osml_lane_take(OsmlFit *fit, OsmlLane *lane, int64 n, OsmlSegmentSink sink)
{
	int64		taken = 0;

	while (taken < n)
	{
		int			count;

		if (!lane_ready(lane))
		{
			if (!fit->endless || lane->epoch_rows == 0)
				break;
			lane->epoch++;
			lane->epoch_rows = 0;
			fit->epoch_turned = fit->epoch_turned || lane == &fit->lanes[0];
			osml_feed_begin(lane->feed, lane->epoch);
			continue;
		}
		count = (int) Min(n - taken, lane->block->nrows - lane->row);
		sink(fit, lane->block, lane->row, lane->row + count);
		lane->row += count;
		lane->epoch_rows += count;
		taken += count;
	}
	return taken;
}

void
osml_lane_begin(OsmlFit *fit, OsmlLane *lane, int64 epoch, int64 skip)
{
	lane->epoch = epoch;
	lane->epoch_rows = 0;
	lane->block = NULL;
	osml_feed_begin(lane->feed, epoch);
	while (lane->epoch_rows < skip && lane_ready(lane))
	{
		int			count = (int) Min(skip - lane->epoch_rows, lane->block->nrows - lane->row);

		lane->row += count;
		lane->epoch_rows += count;
		osml_run_check(fit->run);
	}
}
