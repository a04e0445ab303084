/*
 * placing.h
 *	  Where the blocks of a set go: memory, a temp file, or nowhere.
 *
 * The rule by itself, without blocks: a resident set follows it block by block,
 * and osml_check() does the same to foretell what a run would use.
 *
 * Next: resident.h (sets), foresee.h in train (a whole run).
 */
#ifndef OSML_PLACING_H
#define OSML_PLACING_H

#include "compute/block.h"

/* What one run may use, over all its parts and buffers. */
typedef struct OsmlBudget
{
	int64		memory_limit;	/* bytes */
	int64		memory_used;
	int64		memory_lent;	/* beside what is used, as long as nobody needs it */
	int64		spill_limit;
	int64		spill_used;
	void		(*give_back) (void *arg);	/* repays all that was lent; NULL: it stays */
	void	   *give_back_arg;
} OsmlBudget;

typedef enum OsmlPlace
{
	OSML_PLACE_MEMORY,
	OSML_PLACE_FILE,
	OSML_PLACE_NONE				/* the set has to be given up */
} OsmlPlace;

typedef struct OsmlPlacing
{
	OsmlBudget *budget;
	Size		block_bytes;
	int			n_blocks;
	int			n_memory;		/* the first n_memory blocks are in memory */
	bool		has_spare;		/* memory of a block on its way to the file */
	bool		spilling;
} OsmlPlacing;

extern void osml_placing_init(OsmlPlacing *placing, const OsmlLayout *layout,
							  OsmlBudget *budget);

/* a block is to be filled: takes the memory for it */
extern OsmlPlace osml_placing_reserve(OsmlPlacing *placing);

/*
 * The block that was reserved is full.  Where it goes to the file, the last
 * *n_move of those in memory go before it.  OSML_PLACE_NONE: there is no room.
 */
extern OsmlPlace osml_placing_commit(OsmlPlacing *placing, OsmlPlace reserved, int *n_move);

/* give everything back to the budget */
extern void osml_placing_free(OsmlPlacing *placing);

/* a block in memory, as the budget counts it */
extern Size osml_block_memory(const OsmlLayout *layout);

/* would so many blocks of this layout all be placed in memory? */
extern bool osml_placing_fits(const OsmlBudget *budget, const OsmlLayout *layout,
							  int64 n_blocks);

/* take bytes from the budget's memory; false when they are not there */
extern bool osml_budget_take(OsmlBudget *budget, int64 bytes);
extern void osml_budget_return(OsmlBudget *budget, int64 bytes);

/* the same for memory whose owner can do without it: give_back is called when it is
 * needed.  False: it is needed already */
extern bool osml_budget_lend(OsmlBudget *budget, int64 bytes);
extern void osml_budget_repay(OsmlBudget *budget, int64 bytes);

#endif							/* OSML_PLACING_H */
