/*
 * resident.c
 *	  Blocks in memory, then in temp files.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "source/resident.h"

OsmlBlock *
osml_new_block(MemoryContext context, const OsmlLayout *layout)
{
	OsmlBlock  *block = MemoryContextAllocExtended(context,
												   osml_block_memory(layout),
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
	set->layout = *layout;
	osml_placing_init(&set->place, layout, budget);
	set->capacity = 64;
	set->blocks = MemoryContextAlloc(set->context, sizeof(OsmlBlock *) * set->capacity);
	return set;
}

OsmlBlock *
osml_resident_reserve(OsmlResident *set)
{
	switch (osml_placing_reserve(&set->place))
	{
		case OSML_PLACE_MEMORY:
			return osml_new_block(set->context, &set->layout);
		case OSML_PLACE_NONE:
			return NULL;
		case OSML_PLACE_FILE:
			break;
	}
	if (set->spare == NULL)
		set->spare = osml_new_block(set->context, &set->layout);
	memset(set->spare, 0, offsetof(OsmlBlock, data));
	return set->spare;
}

/* Keep a block in memory. */
static void
keep_block(OsmlResident *set, OsmlBlock *block)
{
	int			i = set->place.n_memory - 1;

	if (i == set->capacity)
	{
		set->capacity *= 2;
		set->blocks = repalloc_huge(set->blocks, sizeof(OsmlBlock *) * set->capacity);
	}
	set->blocks[i] = block;
}

/* Write a block to the temp file, and before it the n_move last ones in memory. */
static void
spill_block(OsmlResident *set, OsmlBlock *block, int n_move)
{
	MemoryContext old = MemoryContextSwitchTo(set->context);
	OsmlBlock **moving = set->blocks + set->place.n_memory;

	if (set->file == NULL)
		set->file = BufFileCreateTemp(true);
	for (int i = 0; i < n_move; i++)
	{
		BufFileWrite(set->file, moving[i], set->place.block_bytes);
		pfree(moving[i]);
	}
	BufFileWrite(set->file, block, set->place.block_bytes);
	MemoryContextSwitchTo(old);
}

bool
osml_resident_commit(OsmlResident *set, OsmlBlock *block)
{
	OsmlPlace	reserved = block == set->spare ? OSML_PLACE_FILE : OSML_PLACE_MEMORY;
	int			n_move;

	if (osml_placing_commit(&set->place, reserved, &n_move) == OSML_PLACE_NONE)
		return false;
	if (reserved == OSML_PLACE_FILE)
		spill_block(set, block, n_move);
	else
		keep_block(set, block);
	set->n_rows += block->nrows;
	return true;
}

OsmlBlock *
osml_resident_get(OsmlResident *set, int i, OsmlBlock *buffer)
{
	int64		offset;

	if (i < set->place.n_memory)
		return set->blocks[i];
	/* BufFileSeek counts in files of 1 GB; BLCKSZ steps reach any place */
	offset = (int64) (i - set->place.n_memory) * (int64) set->place.block_bytes;
	if (BufFileSeekBlock(set->file, offset / BLCKSZ) != 0 ||
		BufFileSeek(set->file, 0, (off_t) (offset % BLCKSZ), SEEK_CUR) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not seek in a temporary file of the resident set: %m")));
	if (BufFileRead(set->file, buffer, set->place.block_bytes) != set->place.block_bytes)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not read a temporary file of the resident set: %m")));
	return buffer;
}

void
osml_resident_free(OsmlResident *set)
{
	osml_placing_free(&set->place);
	if (set->file)
		BufFileClose(set->file);
	MemoryContextDelete(set->context);
	pfree(set);
}
