/*
 * shuffle.c
 *	  Fisher-Yates over a window of blocks, a column at a time.
 *
 * The order is drawn once and then each column copied aside and brought into it: a
 * column of a window is a few megabytes where whole rows would be a hundred, so
 * the random accesses stay in cache.
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

/* a window being shuffled */
typedef struct Window
{
	OsmlBlock **blocks;
	uint32		rows;
	uint32	   *from;			/* the row that comes to each place */
	void	   *spare;			/* a column of the window, as it was */
} Window;

/* Rows of block b. */
static uint32
block_rows(const Window *window, uint32 b)
{
	return Min(OSML_BLOCK_ROWS, window->rows - b * OSML_BLOCK_ROWS);
}

/*
 * Bring a column into the new order.  type is an integer of the values' width;
 * column gives the start of the column in a block.
 */
#define MOVE_ROWS(type, column) \
	for (uint32 b = 0; b * OSML_BLOCK_ROWS < window->rows; b++) \
		memcpy((type *) window->spare + b * OSML_BLOCK_ROWS, column(window->blocks[b]), \
			   block_rows(window, b) * sizeof(type)); \
	for (uint32 b = 0; b * OSML_BLOCK_ROWS < window->rows; b++) \
	{ \
		const type *spare = window->spare; \
		const uint32 *from = window->from + b * OSML_BLOCK_ROWS; \
		type	   *to = (type *) (column(window->blocks[b])); \
		uint32		n = block_rows(window, b); \
\
		for (uint32 i = 0; i < n; i++) \
			to[i] = spare[from[i]]; \
	}

#define WIDE(block) osml_block_column(block, j)
#define NARROW(block) osml_block_codes(block, layout, j)

/* Column j of eight bytes, or of float32 once a block is prepared for it. */
static void
shuffle_wide(const Window *window, int j, bool narrowed)
{
	if (narrowed)
	{
		MOVE_ROWS(uint32, WIDE)
	}
	else
	{
		MOVE_ROWS(uint64, WIDE)
	}
}

/* Codes or row numbers. */
static void
shuffle_narrow(const Window *window, const OsmlLayout *layout, int j)
{
	MOVE_ROWS(uint32, NARROW)
}

/* Fisher and Yates: which row comes to each place. */
static void
draw_rows(Window *window, OsmlShuffleKey key)
{
	OsmlRandomKey random = {key.seed, OSML_STREAM_SHUFFLE_ROWS, key.epoch};
	uint32	   *from = window->from;

	for (uint32 i = 0; i < window->rows; i++)
		from[i] = i;
	for (uint32 i = window->rows - 1; i > 0; i--)
	{
		uint32		k = (uint32) osml_random_below(random, ((uint64) key.draw << 32) | i,
												   (uint64) i + 1);
		uint32		row = from[i];

		from[i] = from[k];
		from[k] = row;
	}
}

void
osml_shuffle_rows(const OsmlLayout *layout, OsmlPrecision precision,
				  OsmlBlock **blocks, int n, OsmlShuffleKey key)
{
	Window		window = {.blocks = blocks};

	if (n == 0)
		return;
	window.rows = (uint32) (n - 1) * OSML_BLOCK_ROWS + blocks[n - 1]->nrows;
	if (window.rows < 2)
		return;
	window.from = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint32) * window.rows);
	window.spare = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(uint64) * window.rows);
	draw_rows(&window, key);
	for (int j = 0; j < osml_layout_wide(layout); j++)
	{
		CHECK_FOR_INTERRUPTS();
		shuffle_wide(&window, j, precision == OSML_FLOAT32 && blocks[0]->prepared);
	}
	for (int j = 0; j < osml_layout_narrow(layout); j++)
		shuffle_narrow(&window, layout, j);
	pfree(window.spare);
	pfree(window.from);
}
