/*
 * check_learning.c
 *	  What a run would learn of features and label before it loads rows; see check.h.
 *
 * Learns it as the run does, from all training rows that are not held out.
 */
#include "postgres.h"

#include "portability/instr_time.h"

#include "api/check.h"
#include "osml.h"
#include "train/kind.h"
#include "train/parts.h"

static void
attempt_learning(OsmlCheck *check)
{
	instr_time	start;
	instr_time	end;

	INSTR_TIME_SET_CURRENT(start);
	osml_survey_learn(&check->parts[OSML_PART_TRAIN], check->hparams, &check->lesson);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	check->learn_seconds = INSTR_TIME_GET_DOUBLE(end);
}

/* Did each definition find something to learn from? */
static void
attempt_fitted(OsmlCheck *check)
{
	osml_learn_judge(&check->lesson);
}

/* The kind of model, now that classes are known. */
static void
attempt_kind(OsmlCheck *check)
{
	(void) osml_kind_settle(check->hparams, check->set, check->lesson.classes,
							check->lesson.source);
}

/* Hyperparameters that are about classes, and about the number of parameters. */
static void
attempt_sizes(OsmlCheck *check)
{
	const OsmlClasses *classes = check->lesson.classes;

	osml_check_initial_weights(check->hparams, &check->set->program->output,
							   classes ? classes->n : 0);
	(void) osml_kind_class_weights(check->hparams, check->set, classes,
								   check->lesson.class_rows);
}

static bool
settle(OsmlCheck *check)
{
	bool		kind;

	check->subject = check->set->label;
	kind = osml_check_attempt(check, "label", OSML_CHECK_ERROR, attempt_kind);
	check->subject = NULL;
	return kind && osml_check_attempt(check, "hyperparameters", OSML_CHECK_ERROR,
									  attempt_sizes);
}

void
osml_check_learning(OsmlCheck *check)
{
	check->budget.memory_limit = (int64) osml_max_memory * 1024;
	check->budget.spill_limit = (int64) osml_max_spill * 1024;
	if (check->set == NULL)
		return;
	check->lesson.dataset = check->dataset->name;
	check->lesson.budget = &check->budget;
	check->learned = osml_check_attempt(check, "learning", OSML_CHECK_ERROR, attempt_learning);
	if (!check->learned)
		return;
	check->fitted = check->settled = osml_check_attempt(check, "learning", OSML_CHECK_ERROR, attempt_fitted);
	/* with hyperparameters that do not fit in there is no kind of model to settle */
	if (check->counted && settle(check))
		return;
	check->settled = check->valid = false;
}
