/*
 * shuffle.c
 *	  Fisher-Yates over a window of blocks, a column at a time.
 *
 * The swaps are drawn once and then replayed on each column: a column of a
 * window is a few megabytes where whole rows would be a hundred, so the random
 * accesses stay in cache.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "compute/random.h"
#include "source/shuffle.h"

/*
 * A stretch is n_windows consecutive numbers, dealt to the windows in turn from
 * a random one on.  What is left over makes a short stretch in the middle, since
 * in sorted data a window without rows from either end would be off by most.
 * Every second stretch is dealt the other way round from the one before: a
 * window that got a low place in one gets a high place in the next, so that the
 * two even out.
 */
void
osml_shuffle_order(OsmlShuffleKey key, uint32 *order, uint32 n,
				   uint32 *window_end, uint32 n_windows)
{
	OsmlRandomKey random = {key.seed, OSML_STREAM_SHUFFLE_BLOCKS, key.epoch};
	uint32		middle = n_windows > 0 ? n / n_windows / 2 : 0;
	uint32		left_over = n_windows > 0 ? n % n_windows : 0;
	uint32		placed = 0;

	for (uint32 w = 0; w < n_windows; w++)
	{
		uint32		first = 0;

		for (uint32 stretch = 0; first < n; stretch++)
		{
			uint32		size = stretch == middle && left_over > 0 ? left_over : n_windows;
			uint64		shift = osml_random_below(random, stretch / 2, n_windows);
			uint32		place = (uint32) ((w + shift) % n_windows);

			if (stretch % 2 == 1)
				place = n_windows - 1 - place;
			if (place < size)
				order[placed++] = first + place;
			first += size;
		}
		window_end[w] = placed;
	}
}

/*
 * Replay the swaps on one column.  type is an integer of the values' width;
 * column gives the start of the column in a block.
 */
#define REPLAY_SWAPS(type, column) \
	for (uint32 i = n - 1; i > 0; i--) \
	{ \
		uint32		k = target[i]; \
		type	   *a = (type *) (column(blocks[i / OSML_BLOCK_ROWS])) + i % OSML_BLOCK_ROWS; \
		type	   *b = (type *) (column(blocks[k / OSML_BLOCK_ROWS])) + k % OSML_BLOCK_ROWS; \
		type		spare = *a; \
\
		*a = *b; \
		*b = spare; \
	}

#define WIDE(block) osml_block_column(block, j)
#define NARROW(block) osml_block_codes(block, layout, j)

/* Column j of eight bytes, or of float32 once a block is prepared for it. */
static void
shuffle_wide(OsmlBlock **blocks, int j, bool narrowed, const uint32 *target, uint32 n)
{
	if (narrowed)
		REPLAY_SWAPS(uint32, WIDE)
	else
		REPLAY_SWAPS(uint64, WIDE)
}

/* Codes or row numbers. */
static void
shuffle_narrow(OsmlBlock **blocks, const OsmlLayout *layout, int j,
			   const uint32 *target, uint32 n)
{
	REPLAY_SWAPS(uint32, NARROW)
}

void
osml_shuffle_rows(const OsmlLayout *layout, OsmlPrecision precision,
				  OsmlBlock **blocks, int n, OsmlShuffleKey key)
{
	OsmlRandomKey random = {key.seed, OSML_STREAM_SHUFFLE_ROWS, key.epoch};
	uint32		rows;
	uint32	   *target;

	if (n == 0)
		return;
	rows = (uint32) (n - 1) * OSML_BLOCK_ROWS + blocks[n - 1]->nrows;
	if (rows < 2)
		return;
	target = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * rows);
	for (uint32 i = rows - 1; i > 0; i--)
		target[i] = (uint32) osml_random_below(random, ((uint64) key.draw << 32) | i,
											   (uint64) i + 1);
	for (int j = 0; j < osml_layout_wide(layout); j++)
	{
		CHECK_FOR_INTERRUPTS();
		shuffle_wide(blocks, j, precision == OSML_FLOAT32 && blocks[0]->prepared,
					 target, rows);
	}
	for (int j = 0; j < osml_layout_narrow(layout); j++)
		shuffle_narrow(blocks, layout, j, target, rows);
	pfree(target);
}
