/*
 * carry.h
 *	  Rows carried over from a learning pass to the load pass.
 *
 * What definitions, categories and classes learn takes a pass before the load pass.
 * Its blocks are kept where there is memory for them, and the load pass, or the one that
 * streams, has its rows from there instead of from the source.  That memory is lent
 * (osml_budget_lend): whatever else the run needs memory for gets it first, and then
 * the source is read again.  So where the run's rows go, and what it computes, does not
 * depend on it.
 *
 * Next: intake.c (which asks for the rows), learn.c (which has them kept).
 */
#ifndef OSML_CARRY_H
#define OSML_CARRY_H

#include "hparams/hparams.h"
#include "model/model.h"
#include "source/placing.h"
#include "utils/palloc.h"

struct OsmlRun;

typedef struct OsmlCarry
{
	MemoryContext context;		/* of what follows; NULL: nothing is kept */
	OsmlBlock **blocks;			/* inputs, full but for the last */
	int			n_blocks;
	int			capacity;
	int			next;			/* block to be handed out */
	bool		complete;		/* all rows of a pass are here */

	/* what the intake had counted at the end of the pass */
	int64		rows_read;
	int64		n_null;
	int64		n_nonfinite;
} OsmlCarry;

/* a learning pass begins: keep its blocks, unless those of one before are here */
extern void osml_carry_begin(struct OsmlRun *run);

/* a block of that pass, copied; does nothing once there was no room */
extern void osml_carry_keep(struct OsmlRun *run, const OsmlBlock *block);

/* that pass is over */
extern void osml_carry_end(struct OsmlRun *run);

/*
 * Has all that the load pass makes of so many blocks room in memory, while these, which
 * are lent of the budget, are let go one by one?
 */
extern bool osml_carry_fits(OsmlBudget *budget, const OsmlModelSpec *spec,
							const OsmlHparams *hparams, int64 n_blocks);

/* the load pass begins: can it have its rows from here?  Only if what it makes fits */
extern bool osml_carry_open(struct OsmlRun *run);

/* the next of these rows into an empty block; false at the end */
extern bool osml_carry_next(struct OsmlRun *run, OsmlBlock *block);

/* let go of all rows */
extern void osml_carry_drop(struct OsmlRun *run);

#endif							/* OSML_CARRY_H */
