/*
 * resident.c
 *	  Blocks in memory, then in temp files.
 */
#include "postgres.h"

#include "utils/memutils.h"
#include "utils/wait_event.h"

#include "source/resident.h"

/* bytes that one call of the system moves at most */
#define MAX_TRANSFER (1 << 30)

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

/* Where block i stands in the temp file. */
static off_t
file_offset(const OsmlResident *set, int i)
{
	return (off_t) (i - set->place.n_memory) * (off_t) set->place.block_bytes;
}

/*
 * Write a block.  Without a buffer between, so that a file can be let go when the disk
 * is full: a buffer would have to be written first.
 */
static void
write_block(OsmlResident *set, const OsmlBlock *block, off_t offset)
{
	Size		done = 0;

	while (done < set->place.block_bytes)
	{
		int			n = FileWrite(set->file, (char *) block + done,
								  (int) Min(set->place.block_bytes - done, MAX_TRANSFER),
								  offset + (off_t) done, WAIT_EVENT_BUFFILE_WRITE);

		if (n <= 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not write rows to a temporary file: %m"),
					 errhint("Free disk space, raise osml.max_memory, or lower osml.max_spill so that rows are read again each epoch.")));
		done += n;
	}
}

static void
read_block(OsmlResident *set, OsmlBlock *block, off_t offset)
{
	Size		done = 0;

	while (done < set->place.block_bytes)
	{
		int			n = FileRead(set->file, (char *) block + done,
								 (int) Min(set->place.block_bytes - done, MAX_TRANSFER),
								 offset + (off_t) done, WAIT_EVENT_BUFFILE_READ);

		if (n < 0)
			ereport(ERROR,
					(errcode_for_file_access(),
					 errmsg("could not read rows from a temporary file: %m")));
		if (n == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DATA_CORRUPTED),
					 errmsg("a temporary file of rows is too short")));
		done += n;
	}
}

/* Write a block to the temp file, and before it the n_move last ones in memory. */
static void
spill_block(OsmlResident *set, OsmlBlock *block, int n_move)
{
	OsmlBlock **moving = set->blocks + set->place.n_memory;
	int			at = set->place.n_blocks - n_move - 1;

	if (set->file == 0)
		set->file = OpenTemporaryFile(true);
	for (int i = 0; i < n_move; i++)
	{
		write_block(set, moving[i], file_offset(set, at + i));
		pfree(moving[i]);
	}
	write_block(set, block, file_offset(set, at + n_move));
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
	if (i < set->place.n_memory)
		return set->blocks[i];
	read_block(set, buffer, file_offset(set, i));
	return buffer;
}

void
osml_resident_free(OsmlResident *set)
{
	osml_placing_free(&set->place);
	if (set->file > 0)
		FileClose(set->file);
	MemoryContextDelete(set->context);
	pfree(set);
}
