/*
 * feed.c
 *	  Prepared blocks of a part, epoch by epoch, in the order of the plan or in
 *	  a drawn one.
 *
 * Three ways, by where the rows are:
 *
 *	in place	the set is in memory: prepared once, and shuffled where it lies
 *	window		part of the set is on disk: blocks in drawn order are copied
 *				into a window of memory, shuffled there and prepared
 *	reread		the set did not fit at all, or is not kept: the same window is
 *				filled from the queue, the readers sampling shards at random
 *
 * Without shuffling the window is one block.  A lane of n is every n-th block
 * of a resident set.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "source/shuffle.h"
#include "train/feed.h"
#include "train/load.h"

/* blocks shuffled together when memory is no limit: a million rows */
#define WINDOW_BLOCKS 1024

/* reread: shards that a window is to be filled from, where it has the pages */
#define WINDOW_SHARDS 64

struct OsmlFeed
{
	OsmlRun    *run;
	OsmlPartData *data;
	OsmlShuffle shuffle;
	int			lane;
	int			lanes;
	bool		in_place;
	uint32		epoch;
	bool		shuffled;		/* in place: 'once' has been done */

	/* resident: the lane's blocks in the order of this epoch */
	uint32	   *order;
	int			n_order;
	int			next;
	uint32	   *window_end;		/* shuffled: where each window ends in order */
	uint32		n_windows;

	/* window and reread */
	OsmlBlock **window;
	int			window_size;
	int			window_used;
	int			window_next;
	uint32		draw;
	OsmlBlock  *raw;			/* reread with a split: rows before it */
	int			raw_next;
	uint64		raw_hash[OSML_BLOCK_ROWS];	/* of raw, or of the one block */
};

/* Epoch number that draws use: 0 for those kept for the whole run. */
static OsmlShuffleKey
draw_key(const OsmlFeed *feed, uint32 draw)
{
	OsmlShuffleKey key;

	key.seed = feed->run->hparams->seed;
	key.epoch = feed->shuffle == OSML_SHUFFLE_EPOCH ? feed->epoch : 0;
	key.draw = ((uint32) feed->lane << 20) | draw;
	return key;
}

/*
 * Window blocks, as many as memory gives, at least two when shuffling.  Lanes
 * made later get an equal share of what is left; other feeds do not shuffle, and
 * their one block is among those that the run set aside.
 */
static void
create_window(OsmlFeed *feed)
{
	OsmlRun    *run = feed->run;
	Size		bytes = osml_block_memory(&run->layout);
	int64		left = run->budget.memory_limit - run->budget.memory_used;
	int64		fit = left / (int64) (bytes + OSML_BLOCK_ROWS * OSML_SHUFFLE_ROW_BYTES) /
		(feed->lanes - feed->lane);
	int			wanted = feed->shuffle == OSML_SHUFFLE_NONE ? 1 :
		(int) Max(2, Min(WINDOW_BLOCKS, fit));

	feed->window = MemoryContextAlloc(run->context, sizeof(OsmlBlock *) * wanted);
	for (int i = 0; i < wanted; i++)
		feed->window[i] = osml_new_block(run->context, &run->layout);
	(void) osml_budget_take(&run->budget, (int64) bytes * wanted);
	feed->window_size = wanted;
}

/* The lane's blocks, in order until one is drawn, and the windows they make. */
static void
create_order(OsmlFeed *feed)
{
	MemoryContext context = feed->run->context;
	int			n_blocks = feed->data->set->place.n_blocks;
	int			window = feed->in_place ? WINDOW_BLOCKS : feed->window_size;

	feed->order = MemoryContextAllocHuge(context, sizeof(uint32) * Max(1, n_blocks));
	for (int i = feed->lane; i < n_blocks; i += feed->lanes)
		feed->order[feed->n_order++] = i;
	feed->next = feed->n_order;
	if (feed->shuffle == OSML_SHUFFLE_NONE)
		return;
	feed->n_windows = (feed->n_order + window - 1) / window;
	feed->window_end = MemoryContextAllocHuge(context,
											  sizeof(uint32) * Max(1, feed->n_windows));
}

OsmlFeed *
osml_feed_create(OsmlRun *run, OsmlPartData *data, OsmlShuffle shuffle, int lane,
				 int lanes)
{
	OsmlFeed   *feed = MemoryContextAllocZero(run->context, sizeof(OsmlFeed));
	OsmlResident *set = data->set;

	feed->run = run;
	feed->data = data;
	feed->shuffle = shuffle;
	feed->lane = lane;
	feed->lanes = lanes;
	feed->in_place = set && set->place.n_memory == set->place.n_blocks;
	if (!feed->in_place)
		create_window(feed);
	if (set)
		create_order(feed);
	if (set == NULL && data->side != 0)
		feed->raw = osml_new_block(run->context, &run->layout);
	return feed;
}

/*
 * Draw the order of the lane's blocks.  The set's one short block is moved to
 * the end of its window, where the row shuffle wants it.
 */
static void
draw_order(OsmlFeed *feed)
{
	uint32		short_block = feed->data->set->place.n_blocks - 1;
	uint32	   *order = feed->order;
	int			start = 0;

	osml_shuffle_order(draw_key(feed, 0), order, feed->n_order, feed->window_end,
					   feed->n_windows);
	for (int i = 0; i < feed->n_order; i++)
		order[i] = order[i] * feed->lanes + feed->lane;
	for (uint32 w = 0; w < feed->n_windows; w++)
	{
		int			last = (int) feed->window_end[w] - 1;

		for (int i = start; i < last; i++)
		{
			if (order[i] == short_block)
			{
				order[i] = order[last];
				order[last] = short_block;
			}
		}
		start = last + 1;
	}
}

/* Shuffle the lane's blocks where they lie. */
static void
shuffle_in_place(OsmlFeed *feed)
{
	OsmlResident *set = feed->data->set;
	OsmlBlock **blocks = MemoryContextAllocHuge(CurrentMemoryContext,
												sizeof(OsmlBlock *) * Max(1, feed->n_order));
	const char *before = osml_run_phase(feed->run, "shuffling rows");
	int			start = 0;

	draw_order(feed);
	for (int i = 0; i < feed->n_order; i++)
		blocks[i] = set->blocks[feed->order[i]];
	for (uint32 w = 0; w < feed->n_windows; w++)
	{
		osml_run_check(feed->run);
		osml_shuffle_rows(&set->layout, feed->run->spec.precision, blocks + start,
						  (int) feed->window_end[w] - start, draw_key(feed, w));
		start = feed->window_end[w];
	}
	pfree(blocks);
	(void) osml_run_phase(feed->run, before);
	feed->shuffled = true;
}

/*
 * Heap pages a shard of a pass that samples: few in a small window, so that it
 * still gets rows from all over the table; but each shard costs a query, so
 * there are at most OSML_SAMPLE_SHARDS.
 */
static uint32
sample_pages(const OsmlFeed *feed)
{
	const OsmlSource *source = &feed->run->plan->parts[feed->data->kind].source;
	double		rows = Max(1, feed->data->n_rows);
	double		shards = WINDOW_SHARDS * Max(1, rows / ((double) feed->window_size *
														OSML_BLOCK_ROWS));
	double		pages = 0;

	for (int u = 0; u < source->n_units; u++)
		pages += source->units[u].n_blocks;
	return (uint32) Max(pages / OSML_SAMPLE_SHARDS + 1, Min(OSML_SAMPLE_PAGES, pages / shards));
}

/* Have the readers start on the epoch. */
static void
begin_reread(OsmlFeed *feed)
{
	OsmlRun    *run = feed->run;
	OsmlPartKind part = feed->data->kind;
	OsmlShuffleKey key = draw_key(feed, 0);

	if (feed->raw)
		feed->raw->nrows = feed->raw_next = 0;
	if (feed->shuffle != OSML_SHUFFLE_NONE && osml_part_sampleable(&run->plan->parts[part]))
		osml_intake_start(run, part, sample_pages(feed),
						  key.seed * UINT64CONST(0x9E3779B97F4A7C15) + key.epoch);
	else
		osml_intake_start(run, part, 0, 0);
}

void
osml_feed_begin(OsmlFeed *feed, uint32 epoch)
{
	feed->epoch = epoch;
	feed->next = 0;
	feed->draw = 0;
	feed->window_used = feed->window_next = 0;
	if (feed->data->set == NULL)
		begin_reread(feed);
	else if (feed->shuffle == OSML_SHUFFLE_NONE)
		return;
	else if (!feed->in_place)
		draw_order(feed);
	else if (!feed->shuffled || feed->shuffle == OSML_SHUFFLE_EPOCH)
		shuffle_in_place(feed);
}

void
osml_feed_replay(OsmlFeed *feed, int64 epoch)
{
	for (int64 e = 0; feed->in_place && feed->shuffle == OSML_SHUFFLE_EPOCH && e < epoch; e++)
		osml_feed_begin(feed, (uint32) e);
}

/*
 * Is this the one pass over training rows that are never loaded?  Nothing is
 * split off them, and their window is one block.
 */
static bool
is_counted(const OsmlFeed *feed)
{
	return feed->run->streamed && feed->epoch == 0 &&
		feed->data == &feed->run->parts[OSML_PART_TRAIN];
}

/* Rows of the pass, this side of the split only, into an empty block. */
static bool
fill_from_queue(OsmlFeed *feed, OsmlBlock *block)
{
	OsmlRun    *run = feed->run;

	block->nrows = 0;
	block->prepared = false;
	if (feed->raw == NULL)
		return osml_intake_fill(run, block, is_counted(feed) ? feed->raw_hash : NULL);
	while (block->nrows < OSML_BLOCK_ROWS)
	{
		if (feed->raw_next == feed->raw->nrows)
		{
			feed->raw->nrows = feed->raw_next = 0;
			if (!osml_intake_fill(run, feed->raw, feed->raw_hash))
				break;
		}
		osml_split_rows(run->hparams, &run->layout, feed->raw, feed->raw_hash, feed->data->side, block,
						NULL, &feed->raw_next);
	}
	return block->nrows > 0;
}

/* The next block of the window's source, copied to block; false at the end. */
static bool
fill_block(OsmlFeed *feed, OsmlBlock *block)
{
	OsmlBlock  *found;

	if (feed->data->set == NULL)
		return fill_from_queue(feed, block);
	if (feed->next == feed->n_order)
		return false;
	found = osml_resident_get(feed->data->set, feed->order[feed->next++], block);
	if (found != block)
		memcpy(block, found, feed->data->set->place.block_bytes);
	return true;
}

/* Blocks that the next window takes. */
static int
window_limit(const OsmlFeed *feed)
{
	if (feed->data->set == NULL || feed->shuffle == OSML_SHUFFLE_NONE ||
		feed->draw == feed->n_windows)
		return feed->window_size;
	return (int) feed->window_end[feed->draw] - feed->next;
}

/*
 * Prepare a block.  Weights of classes are for what is trained on: measures of held-out
 * rows are of the rows as they are, those of rows that serve as both are not.
 */
static void
prepare(const OsmlFeed *feed, OsmlBlock *block)
{
	OsmlRun    *run = feed->run;
	double	   *label = osml_block_label(block, &run->layout);
	double	   *weight = label + OSML_BLOCK_STRIDE;
	bool		trains = feed->data == &run->parts[OSML_PART_TRAIN] ||
		run->hparams->overfit_batches > 0;

	for (int r = 0; run->class_weights && trains && r < block->nrows; r++)
		weight[r] *= run->class_weights[(int) label[r]];
	osml_prepare_block(&run->scaling, &run->layout, run->spec.precision, block);
}

/* Fill, shuffle and prepare the next window; false at the end of the epoch. */
static bool
next_window(OsmlFeed *feed)
{
	OsmlRun    *run = feed->run;
	int			limit = window_limit(feed);

	feed->window_next = 0;
	feed->window_used = 0;
	while (feed->window_used < limit &&
		   fill_block(feed, feed->window[feed->window_used]))
	{
		osml_run_check(run);
		feed->window_used++;
	}
	if (is_counted(feed) && feed->window_used > 0)
		osml_account_streamed(run, feed->window[0], feed->raw_hash);
	if (feed->shuffle != OSML_SHUFFLE_NONE)
		osml_shuffle_rows(&run->layout, run->spec.precision, feed->window,
						  feed->window_used, draw_key(feed, feed->draw++));
	for (int i = 0; i < feed->window_used; i++)
		prepare(feed, feed->window[i]);
	return feed->window_used > 0;
}

OsmlBlock *
osml_feed_next(OsmlFeed *feed)
{
	OsmlBlock  *block;

	if (!feed->in_place)
	{
		if (feed->window_next == feed->window_used && !next_window(feed))
			return NULL;
		return feed->window[feed->window_next++];
	}
	if (feed->next >= feed->n_order)
		return NULL;
	block = feed->data->set->blocks[feed->order[feed->next++]];
	if (!block->prepared)
		prepare(feed, block);
	return block;
}
