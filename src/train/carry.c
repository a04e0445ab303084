/*
 * carry.c
 *	  Rows carried over from a learning pass: see carry.h.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "train/carry.h"
#include "train/load.h"
#include "train/run.h"

/* blocks that are being filled while a split is dealt out */
#define OPEN_BLOCKS 2

static Size
block_memory(const OsmlRun *run)
{
	return osml_block_memory(&run->set->layout);
}

/* As the budget has it done, when the memory is needed otherwise. */
static void
give_back(void *arg)
{
	osml_carry_drop(arg);
}

void
osml_carry_begin(OsmlRun *run)
{
	OsmlCarry  *carry = &run->carry;

	if (carry->context)
		return;
	carry->context = AllocSetContextCreate(run->context, "osml carried rows",
										   ALLOCSET_DEFAULT_SIZES);
	carry->capacity = 64;
	carry->blocks = MemoryContextAlloc(carry->context, sizeof(OsmlBlock *) * carry->capacity);
	run->budget.give_back = give_back;
	run->budget.give_back_arg = run;
}

void
osml_carry_keep(OsmlRun *run, const OsmlBlock *block)
{
	OsmlCarry  *carry = &run->carry;
	OsmlBlock  *copy;

	if (carry->context == NULL || carry->complete)
		return;
	if (!osml_budget_lend(&run->budget, (int64) block_memory(run)))
	{
		osml_carry_drop(run);
		return;
	}
	if (carry->n_blocks == carry->capacity)
	{
		carry->capacity *= 2;
		carry->blocks = repalloc_huge(carry->blocks, sizeof(OsmlBlock *) * carry->capacity);
	}
	copy = osml_new_block(carry->context, &run->set->layout);
	memcpy(copy, block, osml_block_bytes(&run->set->layout));
	carry->blocks[carry->n_blocks++] = copy;
}

void
osml_carry_end(OsmlRun *run)
{
	OsmlCarry  *carry = &run->carry;

	if (carry->context == NULL || carry->complete)
		return;
	carry->complete = true;
	carry->rows_read = run->intake.rows_read;
	carry->n_null = run->intake.n_null;
	carry->n_nonfinite = run->intake.n_nonfinite;
}

bool
osml_carry_fits(OsmlBudget *budget, const OsmlModelSpec *spec, const OsmlHparams *hparams,
				int64 n_blocks)
{
	bool		streamed = osml_streams(hparams);
	int64		kept = streamed ? 0 : n_blocks + OPEN_BLOCKS;
	/* what a run may take meanwhile */
	int64		slack = streamed ? (int64) osml_run_checkpoint_bytes(spec, hparams) :
		(int64) osml_block_memory(&spec->layout) * (OPEN_BLOCKS + 1);

	if (!osml_placing_fits(budget, &spec->layout, kept) || !osml_budget_lend(budget, slack))
		return false;
	osml_budget_repay(budget, slack);
	return true;
}

bool
osml_carry_open(OsmlRun *run)
{
	OsmlCarry  *carry = &run->carry;

	if (carry->context && !(carry->complete &&
							osml_carry_fits(&run->budget, &run->spec, run->hparams,
											carry->n_blocks)))
		osml_carry_drop(run);
	/* what has been let go cannot be read again in the middle */
	run->budget.give_back = NULL;
	return carry->context != NULL;
}

bool
osml_carry_next(OsmlRun *run, OsmlBlock *block)
{
	OsmlCarry  *carry = &run->carry;
	OsmlBlock  *kept;

	if (carry->next == carry->n_blocks)
	{
		osml_carry_drop(run);
		return false;
	}
	kept = carry->blocks[carry->next++];
	memcpy(block, kept, osml_block_bytes(&run->set->layout));
	pfree(kept);
	osml_budget_repay(&run->budget, (int64) block_memory(run));
	return true;
}

void
osml_carry_drop(OsmlRun *run)
{
	OsmlCarry  *carry = &run->carry;

	if (carry->context == NULL)
		return;
	osml_budget_repay(&run->budget,
					  (int64) block_memory(run) * (carry->n_blocks - carry->next));
	MemoryContextDelete(carry->context);
	memset(carry, 0, sizeof(*carry));
	run->budget.give_back = NULL;
}
