/*
 * block.h
 *	  The block: up to 1,024 rows, column-major, the unit in which rows travel.
 *
 * Readers fill blocks, queues carry them, the resident set keeps them and the
 * kernels walk them.  1,024 rows of nine float64 columns are 72 KB: a block and
 * the kernels' scratch fit a core's L2 cache.
 *
 * Columns of a block in memory are OSML_BLOCK_STRIDE values apart: a cache line more
 * than they hold, since columns a power of two apart would share a few sets of a
 * cache, and a row of more columns than such a set has lines would find none of them.
 * Values arrive as float64 whatever the compute type: statistics, hashes and
 * exact least squares see full precision.  osml_prepare_block()
 * (features/scale.h) then scales a block and, for float32 runs, narrows each
 * column in place.
 */
#ifndef OSML_BLOCK_H
#define OSML_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define OSML_BLOCK_ROWS 1024
#define OSML_BLOCK_STRIDE (OSML_BLOCK_ROWS + 8)

/* The compute type: how prepared columns, parameters and gradients are kept. */
typedef enum OsmlPrecision
{
	OSML_FLOAT64,
	OSML_FLOAT32
} OsmlPrecision;

static inline size_t
osml_precision_size(OsmlPrecision precision)
{
	return precision == OSML_FLOAT32 ? sizeof(float) : sizeof(double);
}

/*
 * What the columns of a block are, in this order: dense columns, the label,
 * the sample weight if there is one, keys (all eight bytes a value), then
 * categorical columns as int32 codes and, in training, the row's number in its
 * source (modulo 2^32), which moves with the row when rows are shuffled so that
 * a message can name it.
 *
 * A reader's block has keys, hashes of the texts of categories (features/key.h),
 * and no codes; a model's block has codes, from 0 to code_sizes[k] - 1, and no
 * keys.  features/program.h makes the one from the other.
 */
typedef struct OsmlLayout
{
	int			n_dense;
	int			n_keys;
	int			n_codes;
	const int32_t *code_sizes;	/* [n_codes]; not owned */
	bool		has_weight;
	bool		has_row_number;
} OsmlLayout;

typedef struct OsmlBlock
{
	int32_t		nrows;			/* rows in use, at most OSML_BLOCK_ROWS */
	int32_t		shard;			/* position of its shard in the plan */
	int64_t		first_row;		/* number in that shard of the first row, from 1 */
	int32_t		n_null;			/* rows dropped for a NULL since the last block */
	int32_t		n_nonfinite;	/* rows dropped for NaN or Inf, likewise */
	bool		prepared;		/* scaled, and in the compute type */
	double		data[];			/* columns as the layout says */
} OsmlBlock;

/* A missing value to be imputed: a NaN whose payload no arithmetic produces. */
#define OSML_MISSING_BITS UINT64_C(0x7FF80000054D5353)

static inline double
osml_missing(void)
{
	uint64_t	bits = OSML_MISSING_BITS;
	double		value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static inline bool
osml_is_missing(double value)
{
	uint64_t	bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits == OSML_MISSING_BITS;
}

/* eight-byte columns: dense, label, weight, keys */
static inline int
osml_layout_wide(const OsmlLayout *layout)
{
	return layout->n_dense + 1 + (layout->has_weight ? 1 : 0) + layout->n_keys;
}

/* four-byte columns: codes, row number */
static inline int
osml_layout_narrow(const OsmlLayout *layout)
{
	return layout->n_codes + (layout->has_row_number ? 1 : 0);
}

/*
 * A model keeps one value a code: a table of code_sizes[k] entries for code
 * column k, the tables one behind the other.  Where table k starts; k = n_codes
 * gives the number of all entries.
 */
static inline size_t
osml_layout_table(const OsmlLayout *layout, int k)
{
	size_t		start = 0;

	for (int i = 0; i < k; i++)
		start += (size_t) layout->code_sizes[i];
	return start;
}

static inline size_t
osml_layout_entries(const OsmlLayout *layout)
{
	return osml_layout_table(layout, layout->n_codes);
}

/* bytes of one row, and of a whole block with its header */
static inline size_t
osml_layout_row_bytes(const OsmlLayout *layout)
{
	return (size_t) osml_layout_wide(layout) * sizeof(double) +
		(size_t) osml_layout_narrow(layout) * sizeof(int32_t);
}

static inline size_t
osml_block_bytes(const OsmlLayout *layout)
{
	return offsetof(OsmlBlock, data) +
		OSML_BLOCK_STRIDE * osml_layout_row_bytes(layout);
}

/*
 * Column j as it arrived: float64.  Like strchr, these three take a const block
 * and give a pointer that may be written through, so that readers and writers
 * share them.
 */
static inline double *
osml_block_column(const OsmlBlock *block, int j)
{
	return (double *) block->data + (size_t) j * OSML_BLOCK_STRIDE;
}

static inline double *
osml_block_label(const OsmlBlock *block, const OsmlLayout *layout)
{
	return osml_block_column(block, layout->n_dense);
}

static inline uint64_t *
osml_block_keys(const OsmlBlock *block, const OsmlLayout *layout, int k)
{
	return (uint64_t *) osml_block_column(block, osml_layout_wide(layout) -
										  layout->n_keys + k);
}

static inline int32_t *
osml_block_codes(const OsmlBlock *block, const OsmlLayout *layout, int k)
{
	return (int32_t *) osml_block_column(block, osml_layout_wide(layout)) +
		(size_t) k * OSML_BLOCK_STRIDE;
}

static inline uint32_t *
osml_block_row_numbers(OsmlBlock *block, const OsmlLayout *layout)
{
	return (uint32_t *) osml_block_codes(block, layout, layout->n_codes);
}

#endif							/* OSML_BLOCK_H */
