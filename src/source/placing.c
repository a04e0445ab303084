/*
 * placing.c
 *	  Blocks in memory, then in a temp file: see placing.h.
 */
#include "postgres.h"

#include "source/placing.h"

/*
 * Share of the memory limit that blocks may fill, while all are in memory and
 * once some are on disk.  Then the rest is for the window in which blocks are
 * shuffled: rows of a sorted table mix only as far as the window reaches, so
 * memory serves better there than by saving reads of the temp file.
 */
#define RESIDENT_SHARE 0.75
#define SPILLED_SHARE 0.25

/* Memory of the budget that nobody has. */
static int64
memory_free(const OsmlBudget *budget)
{
	return budget->memory_limit - budget->memory_used - budget->memory_lent;
}

bool
osml_budget_take(OsmlBudget *budget, int64 bytes)
{
	if (budget->memory_used + bytes > budget->memory_limit)
		return false;
	if (bytes > memory_free(budget) && budget->give_back)
		budget->give_back(budget->give_back_arg);
	if (bytes > memory_free(budget))
		return false;
	budget->memory_used += bytes;
	return true;
}

void
osml_budget_return(OsmlBudget *budget, int64 bytes)
{
	budget->memory_used -= bytes;
}

bool
osml_budget_lend(OsmlBudget *budget, int64 bytes)
{
	if (bytes > memory_free(budget))
		return false;
	budget->memory_lent += bytes;
	return true;
}

void
osml_budget_repay(OsmlBudget *budget, int64 bytes)
{
	budget->memory_lent -= bytes;
}

Size
osml_block_memory(const OsmlLayout *layout)
{
	return MAXALIGN(osml_block_bytes(layout));
}

void
osml_placing_init(OsmlPlacing *placing, const OsmlLayout *layout, OsmlBudget *budget)
{
	memset(placing, 0, sizeof(*placing));
	placing->budget = budget;
	placing->block_bytes = osml_block_memory(layout);
}

bool
osml_placing_fits(const OsmlBudget *budget, const OsmlLayout *layout, int64 n_blocks)
{
	return budget->memory_used + n_blocks * (int64) osml_block_memory(layout) <=
		(int64) (budget->memory_limit * RESIDENT_SHARE);
}

/* May another block stay in memory? */
static bool
fits_memory(const OsmlPlacing *placing)
{
	const OsmlBudget *budget = placing->budget;

	return !placing->spilling &&
		budget->memory_used + (int64) placing->block_bytes <=
		(int64) (budget->memory_limit * RESIDENT_SHARE);
}

OsmlPlace
osml_placing_reserve(OsmlPlacing *placing)
{
	if (fits_memory(placing) && osml_budget_take(placing->budget, placing->block_bytes))
		return OSML_PLACE_MEMORY;
	if (!placing->has_spare)
	{
		if (!osml_budget_take(placing->budget, placing->block_bytes))
			return OSML_PLACE_NONE;
		placing->has_spare = true;
	}
	return OSML_PLACE_FILE;
}

/* Blocks that leave memory when the first one goes to the file. */
static int
blocks_to_move(const OsmlPlacing *placing)
{
	const OsmlBudget *budget = placing->budget;
	int64		bytes = (int64) placing->block_bytes;
	int64		excess = budget->memory_used -
		(int64) (budget->memory_limit * SPILLED_SHARE);

	return excess <= 0 ? 0 : (int) Min(placing->n_memory, (excess + bytes - 1) / bytes);
}

OsmlPlace
osml_placing_commit(OsmlPlacing *placing, OsmlPlace reserved, int *n_move)
{
	OsmlBudget *budget = placing->budget;
	int64		bytes = (int64) placing->block_bytes;

	*n_move = 0;
	if (reserved == OSML_PLACE_MEMORY)
		placing->n_memory++;
	else
	{
		*n_move = placing->spilling ? 0 : blocks_to_move(placing);
		if (budget->spill_used + bytes * (*n_move + 1) > budget->spill_limit)
			return OSML_PLACE_NONE;
		budget->spill_used += bytes * (*n_move + 1);
		osml_budget_return(budget, bytes * *n_move);
		placing->n_memory -= *n_move;
		placing->spilling = true;
	}
	placing->n_blocks++;
	return reserved;
}

void
osml_placing_free(OsmlPlacing *placing)
{
	int64		bytes = (int64) placing->block_bytes;

	osml_budget_return(placing->budget,
					   bytes * (placing->n_memory + (placing->has_spare ? 1 : 0)));
	placing->budget->spill_used -= bytes * (placing->n_blocks - placing->n_memory);
}
