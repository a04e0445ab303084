/*
 * learn.c
 *	  Passes over the training rows that transforms are fitted from.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compute/rowhash.h"
#include "features/fit.h"
#include "source/context_arena.h"
#include "source/learn.h"
#include "train/learn.h"
#include "train/load.h"

/* memory of one pass, counted against the run's budget */
typedef struct Ledger
{
	OsmlRun    *run;
	MemoryContext context;
	int64		taken;
} Ledger;

/* Raise: learning takes more memory than the run may have. */
static void pg_attribute_noreturn()
over_budget(const OsmlRun *run)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("learning the features of %s needs more memory than osml.max_memory allows",
					run->plan->parts[OSML_PART_TRAIN].source.label),
			 errhint("Raise osml.max_memory, lower \"max_categories\", or use hash for "
					 "columns of many categories.")));
}

/* What a piece of memory costs, as its context has it. */
static int64
cost(void *memory)
{
	return (int64) GetMemoryChunkSpace(memory);
}

static void *
ledger_alloc(void *arg, size_t size)
{
	Ledger	   *ledger = arg;
	OsmlBudget *budget = &ledger->run->budget;
	void	   *memory;

	if (!osml_budget_take(budget, (int64) size))
		over_budget(ledger->run);
	memory = MemoryContextAllocExtended(ledger->context, size,
										MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	(void) osml_budget_take(budget, cost(memory) - (int64) size);
	ledger->taken += cost(memory);
	return memory;
}

static void
ledger_release(void *arg, void *memory)
{
	Ledger	   *ledger = arg;

	osml_budget_return(&ledger->run->budget, cost(memory));
	ledger->taken -= cost(memory);
	pfree(memory);
}

static void
take_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	osml_check_status(osml_fit_text(arg, key_column, key, text, length));
}

/* Which rows of a block of inputs are not held out; returns their number. */
static int
choose_rows(const OsmlRun *run, const OsmlBlock *raw, bool *use)
{
	uint64		hash[OSML_BLOCK_ROWS];
	int			n = 0;

	osml_row_hash_block(&run->set->layout, raw, 0, hash);
	for (int r = 0; r < raw->nrows; r++)
	{
		use[r] = !osml_held_out(run->hparams, hash[r]);
		n += use[r];
	}
	return n;
}

/* Raise: there is nothing to learn from, since no row is there or all are held out. */
static void
no_rows(OsmlRun *run, int64 held_out)
{
	run->parts[OSML_PART_TRAIN].side = held_out > 0 ? 2 : 0;
	run->parts[OSML_PART_VAL].n_rows = held_out;
	osml_require_rows(run);
}

/* One pass. */
static void
learn_pass(OsmlRun *run, OsmlFitPass *pass, OsmlBlock *raw)
{
	uint64		text_keys = osml_wanted_texts(pass, &run->set->layout);
	int64		seen = 0;
	int64		used = 0;
	bool		split = run->hparams->val_fraction > 0;
	bool		use[OSML_BLOCK_ROWS];
	int			bad = 0;
	char		message[256] = "";

	osml_intake_start_texts(run, OSML_PART_TRAIN, text_keys, take_text, pass);
	raw->nrows = 0;
	while (osml_intake_fill_inputs(run, raw))
	{
		osml_run_check(run);
		used += split ? choose_rows(run, raw, use) : raw->nrows;
		seen += raw->nrows;
		osml_check_status(osml_fit_block(pass, raw, split ? use : NULL));
		raw->nrows = 0;
	}
	if (used == 0)
		no_rows(run, seen);
	if (osml_fit_end(pass, &bad, message) != OSML_OK)
		osml_step_error(run->set, run->plan->dataset, bad, message);
}

/*
 * Bytes of a parameter as the version's JSON has it, about: what a text and a number
 * take there beside their digits and letters.
 */
#define TEXT_OVERHEAD 12
#define NUMBER_BYTES 16

/*
 * For each of them the run holds the texts and their tables, and at its end it
 * makes the JSON, which is copied on its way to the table: measured with a million
 * texts of 32 bytes.
 */
#define DEFINITION_COPIES 14

/* Count what was learned, which lists of a million categories make worth counting. */
static void
count_learned(OsmlRun *run)
{
	const OsmlProgram *program = run->set->program;
	int64		bytes = 0;

	for (int s = 0; s < program->n_steps; s++)
	{
		const OsmlStep *step = &program->steps[s].step;

		for (int p = 0; p < step->transform->n_params; p++)
		{
			const OsmlParam *param = &step->params[p];

			bytes += param->numbers ? (int64) param->n * NUMBER_BYTES : 0;
			for (int i = 0; param->texts && i < param->n; i++)
				bytes += strlen(param->texts[i]) + TEXT_OVERHEAD;
		}
	}
	if (!osml_budget_take(&run->budget, bytes * DEFINITION_COPIES))
		over_budget(run);
}

void
osml_learn_features(OsmlRun *run)
{
	Ledger		ledger = {run, NULL, 0};
	OsmlArena	arena = {ledger_alloc, ledger_release, &ledger};
	OsmlBlock  *raw = NULL;
	OsmlFitPass *pass;
	OsmlStatus	status;

	if (osml_feature_set_prepare(run->set, run->plan->dataset))
	{
		count_learned(run);
		return;
	}
	ledger.context = AllocSetContextCreate(run->context, "osml learning",
										   ALLOCSET_DEFAULT_SIZES);
	raw = osml_new_block(ledger.context, &run->set->layout);
	while ((pass = osml_fit_begin(run->set->program, &arena, &status)) != NULL)
		learn_pass(run, pass, raw);
	osml_check_status(status);
	osml_budget_return(&run->budget, ledger.taken);
	MemoryContextDelete(ledger.context);
	/* before the JSON of what was learned is made for the first time */
	count_learned(run);
	osml_feature_set_fitted(run->set, run->plan->dataset, ERROR);
}
