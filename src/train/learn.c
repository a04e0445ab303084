/*
 * learn.c
 *	  Passes over the training rows that transforms are fitted from.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compute/rowhash.h"
#include "features/fit.h"
#include "features/tally.h"
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

/* what one pass learns */
typedef struct Learning
{
	OsmlFitPass *fit;			/* NULL: no features */
	OsmlTally  *labels;			/* NULL: no classes */
} Learning;

static void
take_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	Learning   *learning = arg;

	osml_check_status(key_column == OSML_LABEL_KEY ?
					  osml_tally_text(learning->labels, key, text, length) :
					  osml_fit_text(learning->fit, key_column, key, text, length));
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

/* One pass.  Classes are those of all rows, held out or not. */
static void
learn_pass(OsmlRun *run, Learning *learning, OsmlBlock *raw)
{
	const OsmlLayout *layout = &run->set->layout;
	uint64		text_keys = (learning->labels ? OSML_LABEL_BIT : 0) |
		(learning->fit ? osml_wanted_texts(learning->fit, layout) : 0);
	int64		seen = 0;
	int64		used = 0;
	bool		split = run->hparams->val_fraction > 0;
	bool		use[OSML_BLOCK_ROWS];
	int			bad = 0;
	char		message[256] = "";

	osml_intake_start_texts(run, OSML_PART_TRAIN, text_keys, take_text, learning);
	raw->nrows = 0;
	while (osml_intake_fill_inputs(run, raw))
	{
		osml_run_check(run);
		used += split ? choose_rows(run, raw, use) : raw->nrows;
		seen += raw->nrows;
		if (learning->fit)
			osml_check_status(osml_fit_block(learning->fit, raw, split ? use : NULL));
		if (learning->labels)
			osml_check_status(osml_tally_add(learning->labels, (uint64 *)
											 osml_block_label(raw, layout), NULL,
											 raw->nrows));
		raw->nrows = 0;
	}
	if (used == 0)
		no_rows(run, seen);
	if (learning->fit && osml_fit_end(learning->fit, &bad, message) != OSML_OK)
		osml_step_error(run->set, run->plan->dataset, bad, message);
}

/* The classes that a pass has met, into the run. */
static void
take_classes(OsmlRun *run, OsmlTally *labels)
{
	OsmlArena	arena = osml_context_arena(run->context);
	OsmlTallyEntry entries[OSML_MAX_CLASSES];
	const char *texts[OSML_MAX_CLASSES];
	int			n;

	if (osml_tally_error(labels) > 0 || osml_tally_size(labels) > OSML_MAX_CLASSES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("label \"%s\" of %s has more than %d classes", run->set->label,
						run->plan->parts[OSML_PART_TRAIN].source.label, OSML_MAX_CLASSES),
				 errhint("Name another column as \"label\", or group its values in a view.")));
	osml_check_status(osml_tally_top(labels, OSML_MAX_CLASSES, 1, entries, &n));
	for (int i = 0; i < n; i++)
	{
		if (entries[i].text == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("label \"%s\" of %s has a value of more than %d bytes",
							run->set->label, run->plan->parts[OSML_PART_TRAIN].source.label,
							OSML_TALLY_TEXT),
					 errhint("A class is a short text; shorten it in a view.")));
		texts[i] = entries[i].text;
	}
	run->classes = MemoryContextAllocZero(run->context, sizeof(OsmlClasses));
	osml_check_status(osml_classes_create(&arena, texts, n, run->classes));
	run->class_rows = MemoryContextAllocZero(run->context, sizeof(int64) * Max(1, n));
	for (int i = 0; i < n; i++)
		run->class_rows[osml_classes_find(run->classes, entries[i].key)] = entries[i].count;
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
	bool		complete = osml_feature_set_prepare(run->set, run->plan->dataset);
	Ledger		ledger = {run, NULL, 0};
	OsmlArena	arena = {ledger_alloc, ledger_release, &ledger};
	Learning	learning = {NULL, NULL};
	OsmlBlock  *raw;
	OsmlStatus	status = OSML_OK;

	if (complete && !run->set->label_key)
	{
		count_learned(run);
		return;
	}
	ledger.context = AllocSetContextCreate(run->context, "osml learning",
										   ALLOCSET_DEFAULT_SIZES);
	raw = osml_new_block(ledger.context, &run->set->layout);
	if (run->set->label_key &&
		(learning.labels = osml_tally_create(&arena, OSML_MAX_CLASSES)) == NULL)
		osml_check_status(OSML_OUT_OF_MEMORY);
	for (;;)
	{
		learning.fit = complete ? NULL :
			osml_fit_begin(run->set->program, &arena, &status);
		osml_check_status(status);
		if (learning.fit == NULL && learning.labels == NULL)
			break;
		learn_pass(run, &learning, raw);
		if (learning.labels)
			take_classes(run, learning.labels);
		learning.labels = NULL;
	}
	osml_budget_return(&run->budget, ledger.taken);
	MemoryContextDelete(ledger.context);
	/* before the JSON of what was learned is made for the first time */
	count_learned(run);
	if (!complete)
		osml_feature_set_fitted(run->set, run->plan->dataset, ERROR);
}
