/*
 * resident.c
 *	  Blocks in memory, then in temp files.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "source/resident.h"

/*
 * Share of the memory limit that blocks may fill, while all are in memory and
 * once some are on disk.  Then the rest is for the window in which blocks are
 * shuffled: rows of a sorted table mix only as far as the window reaches, so
 * memory serves better there than by saving reads of the temp file.
 */
#define RESIDENT_SHARE 0.75
#define SPILLED_SHARE 0.25

bool
osml_budget_take(OsmlBudget *budget, int64 bytes)
{
	if (budget->memory_used + bytes > budget->memory_limit)
		return false;
	budget->memory_used += bytes;
	return true;
}

void
osml_budget_return(OsmlBudget *budget, int64 bytes)
{
	budget->memory_used -= bytes;
}

OsmlBlock *
osml_new_block(MemoryContext context, const OsmlLayout *layout)
{
	OsmlBlock  *block = MemoryContextAllocExtended(context,
												   MAXALIGN(osml_block_bytes(layout)),
												   MCXT_ALLOC_HUGE);

	memset(block, 0, offsetof(OsmlBlock, data));
	return block;
}

OsmlResident *
osml_resident_create(const OsmlLayout *layout, OsmlBudget *budget)
{
	OsmlResident *set = palloc0(sizeof(OsmlResident));

	set->context = AllocSetContextCreate(CurrentMemoryContext, "osml resident set",
										 ALLOCSET_DEFAULT_SIZES);
	set->budget = budget;
	set->layout = *layout;
	set->block_bytes = MAXALIGN(osml_block_bytes(layout));
	set->capacity = 64;
	set->blocks = MemoryContextAlloc(set->context, sizeof(OsmlBlock *) * set->capacity);
	return set;
}

/* May another block stay in memory? */
static bool
fits_memory(const OsmlResident *set)
{
	const OsmlBudget *budget = set->budget;

	return set->file == NULL &&
		budget->memory_used + (int64) set->block_bytes <=
		(int64) (budget->memory_limit * RESIDENT_SHARE);
}

OsmlBlock *
osml_resident_reserve(OsmlResident *set)
{
	if (fits_memory(set) && osml_budget_take(set->budget, set->block_bytes))
		return osml_new_block(set->context, &set->layout);
	if (set->spare == NULL)
	{
		if (!osml_budget_take(set->budget, set->block_bytes))
			return NULL;
		set->spare = osml_new_block(set->context, &set->layout);
	}
	memset(set->spare, 0, offsetof(OsmlBlock, data));
	return set->spare;
}

/* May n more blocks go to the temp file? */
static bool
fits_spill(const OsmlResident *set, int n)
{
	const OsmlBudget *budget = set->budget;

	return budget->spill_used + (int64) set->block_bytes * n <= budget->spill_limit;
}

/* Write a block behind the others in the temp file. */
static void
write_block(OsmlResident *set, OsmlBlock *block)
{
	BufFileWrite(set->file, block, set->block_bytes);
	set->budget->spill_used += set->block_bytes;
}

/* Open the temp file and move the last of the blocks in memory to it. */
static bool
start_spilling(OsmlResident *set)
{
	OsmlBudget *budget = set->budget;
	int64		excess = budget->memory_used -
		(int64) (budget->memory_limit * SPILLED_SHARE);
	int64		n_move = excess <= 0 ? 0 :
		Min(set->n_memory, (excess + set->block_bytes - 1) / (int64) set->block_bytes);
	int			keep = set->n_memory - (int) n_move;

	if (!fits_spill(set, (int) n_move + 1))
		return false;
	set->file = BufFileCreateTemp(true);
	for (int i = keep; i < set->n_memory; i++)
	{
		write_block(set, set->blocks[i]);
		pfree(set->blocks[i]);
	}
	set->n_memory = keep;
	osml_budget_return(budget, (int64) set->block_bytes * n_move);
	return true;
}

/* Keep a block on disk; false when there is no room. */
static bool
spill_block(OsmlResident *set, OsmlBlock *block)
{
	MemoryContext old = MemoryContextSwitchTo(set->context);
	bool		fits = set->file ? fits_spill(set, 1) : start_spilling(set);

	if (fits)
		write_block(set, block);
	MemoryContextSwitchTo(old);
	return fits;
}

bool
osml_resident_commit(OsmlResident *set, OsmlBlock *block)
{
	if (block == set->spare)
	{
		if (!spill_block(set, block))
			return false;
	}
	else
	{
		if (set->n_memory == set->capacity)
		{
			set->capacity *= 2;
			set->blocks = repalloc_huge(set->blocks,
										sizeof(OsmlBlock *) * set->capacity);
		}
		set->blocks[set->n_memory++] = block;
	}
	set->n_blocks++;
	set->n_rows += block->nrows;
	return true;
}

OsmlBlock *
osml_resident_get(OsmlResident *set, int i, OsmlBlock *buffer)
{
	int64		offset;

	if (i < set->n_memory)
		return set->blocks[i];
	/* BufFileSeek counts in files of 1 GB; BLCKSZ steps reach any place */
	offset = (int64) (i - set->n_memory) * (int64) set->block_bytes;
	if (BufFileSeekBlock(set->file, offset / BLCKSZ) != 0 ||
		BufFileSeek(set->file, 0, (off_t) (offset % BLCKSZ), SEEK_CUR) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in a temporary file of the resident set: %m")));
	if (BufFileRead(set->file, buffer, set->block_bytes) != set->block_bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of the resident set: %m")));
	return buffer;
}

void
osml_resident_free(OsmlResident *set)
{
	osml_budget_return(set->budget, (int64) set->block_bytes *
					   (set->n_memory + (set->spare ? 1 : 0)));
	set->budget->spill_used -= (int64) set->block_bytes *
		(set->n_blocks - set->n_memory);
	if (set->file)
		BufFileClose(set->file);
	MemoryContextDelete(set->context);
	pfree(set);
}
