/*
 * learn.c
 *	  Passes over the training rows that transforms are fitted from.
 */
#include "postgres.h"

#include "utils/memutils.h"

#include "compat.h"
#include "compute/rowhash.h"
#include "source/context_arena.h"
#include "source/learn.h"
#include "train/learn.h"
#include "train/load.h"
#include "train/run.h"

/* memory of the passes, counted against the budget */
typedef struct Ledger
{
	const OsmlLesson *lesson;
	MemoryContext context;
	int64		taken;
} Ledger;

/* Raise: learning takes more memory than the run may have. */
pg_noreturn static void
over_budget(const OsmlLesson *lesson)
{
	ereport(ERROR,
			(errcode(ERRCODE_CONFIGURATION_LIMIT_EXCEEDED),
			 errmsg("learning the features of %s needs more memory than osml.max_memory allows",
					lesson->source),
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
	OsmlBudget *budget = ledger->lesson->budget;
	void	   *memory;

	if (!osml_budget_take(budget, (int64) size))
		over_budget(ledger->lesson);
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

	osml_budget_return(ledger->lesson->budget, cost(memory));
	ledger->taken -= cost(memory);
	pfree(memory);
}

void
osml_learn_text(void *arg, int key_column, uint64 key, const char *text, int length)
{
	OsmlLesson *lesson = arg;

	osml_check_status(key_column == OSML_LABEL_KEY ?
					  osml_tally_text(lesson->labels, key, text, length) :
					  osml_fit_text(lesson->fit, key_column, key, text, length));
}

/* Which rows of a block of inputs are not held out; returns their number. */
static int
choose_rows(const OsmlLesson *lesson, const OsmlBlock *raw, bool *use)
{
	uint64		hash[OSML_BLOCK_ROWS];
	int			n = 0;

	osml_row_hash_block(&lesson->set->layout, raw, 0, hash);
	for (int r = 0; r < raw->nrows; r++)
	{
		use[r] = !osml_held_out(lesson->hparams, hash[r]);
		n += use[r];
	}
	return n;
}

/* Classes are those of all rows, held out or not. */
void
osml_learn_block(OsmlLesson *lesson, const OsmlBlock *raw)
{
	bool		split = lesson->hparams->val_fraction > 0;
	bool		use[OSML_BLOCK_ROWS];
	int			n = split ? choose_rows(lesson, raw, use) : raw->nrows;

	lesson->rows.train += n;
	lesson->rows.held_out += raw->nrows - n;
	if (lesson->fit)
		osml_check_status(osml_fit_block(lesson->fit, raw, split ? use : NULL));
	if (lesson->labels)
		osml_check_status(osml_tally_add(lesson->labels, (const uint64 *)
										 osml_block_label(unconstify(OsmlBlock *, raw),
														  &lesson->set->layout),
										 NULL, raw->nrows));
}

/* One pass. */
static void
learn_pass(OsmlLesson *lesson)
{
	int			bad = 0;
	char		message[256] = "";

	lesson->text_keys = (lesson->labels ? OSML_LABEL_BIT : 0) |
		(lesson->fit ? osml_wanted_texts(lesson->fit, &lesson->set->layout) : 0);
	lesson->rows = (OsmlUsable) {0};
	lesson->read(lesson);
	lesson->n_passes++;
	osml_require_usable(lesson->source, lesson->hparams, &lesson->rows);
	if (lesson->fit && osml_fit_end(lesson->fit, &bad, message) != OSML_OK)
		osml_step_error(lesson->set, lesson->dataset, bad, message);
}

/* The classes that a pass has met. */
static void
take_classes(OsmlLesson *lesson)
{
	OsmlTally  *labels = lesson->labels;
	OsmlArena	arena = osml_context_arena(lesson->context);
	OsmlTallyEntry entries[OSML_MAX_CLASSES];
	const char *texts[OSML_MAX_CLASSES];
	int			n;

	if (osml_tally_error(labels) > 0 || osml_tally_size(labels) > OSML_MAX_CLASSES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("label \"%s\" of %s has more than %d classes", lesson->set->label,
						lesson->source, OSML_MAX_CLASSES),
				 errhint("Name another column as \"label\", or group its values in a view.")));
	osml_check_status(osml_tally_top(labels, OSML_MAX_CLASSES, 1, entries, &n));
	for (int i = 0; i < n; i++)
	{
		if (entries[i].text == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("label \"%s\" of %s has a value of more than %d bytes",
							lesson->set->label, lesson->source,
							OSML_TALLY_TEXT),
					 errhint("A class is a short text; shorten it in a view.")));
		texts[i] = entries[i].text;
	}
	lesson->classes = MemoryContextAllocZero(lesson->context, sizeof(OsmlClasses));
	osml_check_status(osml_classes_create(&arena, texts, n, lesson->classes));
	lesson->class_rows = MemoryContextAllocZero(lesson->context, sizeof(int64) * Max(1, n));
	for (int i = 0; i < n; i++)
		lesson->class_rows[osml_classes_find(lesson->classes, entries[i].key)] = entries[i].count;
}

/*
 * Bytes of a parameter as the version's JSON has it, about: what a text and a number
 * take there beside their digits and letters.
 */
#define TEXT_OVERHEAD 12
#define NUMBER_BYTES 16

/*
 * For each of them a run holds the texts and their tables, and at its end it
 * makes the JSON, which is copied on its way to the table: measured with a million
 * texts of 32 bytes.
 */
#define DEFINITION_COPIES 14

/* Count what was learned, which lists of a million categories make worth counting. */
static void
count_learned(const OsmlLesson *lesson)
{
	const OsmlProgram *program = lesson->set->program;
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
	if (!osml_budget_take(lesson->budget, bytes * DEFINITION_COPIES))
		over_budget(lesson);
}

void
osml_learn(OsmlLesson *lesson)
{
	bool		complete = osml_feature_set_prepare(lesson->set, lesson->dataset);
	Ledger		ledger = {lesson, NULL, 0};
	OsmlArena	arena = {ledger_alloc, ledger_release, &ledger};
	OsmlStatus	status = OSML_OK;

	if (complete && !lesson->set->label_key)
	{
		count_learned(lesson);
		return;
	}
	ledger.context = AllocSetContextCreate(lesson->context, "osml learning",
										   ALLOCSET_DEFAULT_SIZES);
	if (lesson->set->label_key &&
		(lesson->labels = osml_tally_create(&arena, OSML_MAX_CLASSES)) == NULL)
		osml_check_status(OSML_OUT_OF_MEMORY);
	for (;;)
	{
		lesson->fit = complete ? NULL :
			osml_fit_begin(lesson->set->program, &arena,
						   OSML_FIT_ROOM(lesson->budget->memory_limit), &status);
		osml_check_status(status);
		if (lesson->fit == NULL && lesson->labels == NULL)
			break;
		learn_pass(lesson);
		if (lesson->labels)
			take_classes(lesson);
		lesson->labels = NULL;
	}
	osml_budget_return(lesson->budget, ledger.taken);
	MemoryContextDelete(ledger.context);
	/* before the JSON of what was learned is made for the first time */
	count_learned(lesson);
	lesson->fitted = !complete;
}

void
osml_learn_judge(const OsmlLesson *lesson)
{
	if (lesson->fitted)
		osml_feature_set_fitted(lesson->set, lesson->dataset, ERROR);
}

/* One pass of a run, through its queues. */
static void
read_run(OsmlLesson *lesson)
{
	OsmlRun    *run = lesson->arg;
	OsmlBlock  *raw = osml_new_block(run->context, &run->set->layout);

	osml_intake_start_texts(run, OSML_PART_TRAIN, lesson->text_keys, osml_learn_text,
							lesson);
	osml_carry_begin(run);
	while (osml_intake_fill_inputs(run, raw))
	{
		osml_run_check(run);
		osml_learn_block(lesson, raw);
		osml_carry_keep(run, raw);
		raw->nrows = 0;
	}
	osml_carry_end(run);
	lesson->rows.null = run->intake.n_null;
	lesson->rows.nonfinite = run->intake.n_nonfinite;
	pfree(raw);
}

void
osml_learn_features(OsmlRun *run)
{
	OsmlLesson	lesson = {
		.set = run->set,
		.dataset = run->plan->dataset,
		.source = run->plan->parts[OSML_PART_TRAIN].source.label,
		.hparams = run->hparams,
		.budget = &run->budget,
		.context = run->context,
		.read = read_run,
		.arg = run
	};

	osml_learn(&lesson);
	osml_learn_judge(&lesson);
	run->classes = lesson.classes;
	run->class_rows = lesson.class_rows;
}
