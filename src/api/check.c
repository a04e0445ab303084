/*
 * check.c
 *	  osml_check(): what a run would meet, before it is started.
 *
 * Reads the training rows for a report, to learn from them, the first of them for a
 * trial, all parts as a run reads them, and again to compare the parts; starts
 * nothing.  Next: check_inputs.c (what a run refuses before it reads),
 * check_learning.c (while it learns), check_survey.c (while it reads), check_data.c
 * (the checks of data), check_cost.c (what a run would take), report.h.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/tuplestore.h"

#include "api/attempt.h"
#include "api/check.h"
#include "api/need.h"
#include "catalog/definition.h"
#include "compat.h"
#include "osml.h"
#include "train/dataset.h"
#include "train/parts.h"

PG_FUNCTION_INFO_V1(osml_check);

/* rows drawn for what needs them in memory */
#define SAMPLE_ROWS 20000

/* One row of the result; subject and hint may be NULL, figure NaN. */
void
osml_check_put(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
			   const char *subject, double figure, const char *message, const char *hint)
{
	static const char *const words[] = {"ok", "warn", "error"};
	Datum		values[6];
	bool		nulls[6] = {false, false, subject == NULL, isnan(figure), false, hint == NULL};

	values[0] = CStringGetTextDatum(name);
	values[1] = CStringGetTextDatum(words[verdict]);
	values[2] = subject ? CStringGetTextDatum(subject) : (Datum) 0;
	values[3] = Float8GetDatum(figure);
	values[4] = CStringGetTextDatum(message);
	values[5] = hint ? CStringGetTextDatum(hint) : (Datum) 0;
	tuplestore_putvalues(check->rsinfo->setResult, check->rsinfo->setDesc, values, nulls);
}

/*
 * Only what a user can put right: cancellation, or a lack of memory, goes on.  So
 * does a lack of rights, which is for whoever asks, and not for a table.
 */
static bool
is_complaint(int sqlstate)
{
	int			category = ERRCODE_TO_CATEGORY(sqlstate);

	if (sqlstate == ERRCODE_INSUFFICIENT_PRIVILEGE)
		return false;
	return category == ERRCODE_DATA_EXCEPTION || category == ERRCODE_FEATURE_NOT_SUPPORTED ||
		category == ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION ||
		category == ERRCODE_PROGRAM_LIMIT_EXCEEDED || category == ERRCODE_PLPGSQL_ERROR ||
		sqlstate == ERRCODE_CONFIGURATION_LIMIT_EXCEEDED;
}

/* what is attempted, and for which check */
typedef struct Attempted
{
	OsmlAttempt what;
	OsmlCheck  *check;
} Attempted;

static void
attempt_check(void *arg)
{
	const Attempted *attempted = arg;

	attempted->what(attempted->check);
}

/* Make an attempt.  Its complaint is what this function is asked for, so it becomes a row. */
bool
osml_check_attempt(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
				   OsmlAttempt what)
{
	Attempted	attempted = {what, check};
	ErrorData  *error = osml_attempt(attempt_check, &attempted);

	if (error && !is_complaint(error->sqlerrcode))
		ReThrowError(error);
	if (error && name)
		osml_check_put(check, name, verdict, check->subject, NAN, error->message, error->hint);
	return error == NULL;
}

/* All training rows as reports see them; make: with the features that are made of them. */
static void
report_rows(OsmlCheck *check, bool make)
{
	instr_time	start;
	instr_time	end;

	check->report = osml_report_resolve(check->dataset, check->hparams, NIL,
										make ? check->set->definitions :
										check->dataset->dataset_id ?
										osml_definitions_find(check->dataset->dataset_id) : NIL,
										make);
	INSTR_TIME_SET_CURRENT(start);
	check->assessed = osml_report_read(check->report, SAMPLE_ROWS, NULL, NULL);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	check->seconds = INSTR_TIME_GET_DOUBLE(end);
	if (check->assessed)
		osml_report_assess(check->report);
}

static void
attempt_features(OsmlCheck *check)
{
	report_rows(check, true);
}

static void
attempt_columns(OsmlCheck *check)
{
	report_rows(check, false);
}

double
osml_check_label_values(const OsmlCheck *check)
{
	const OsmlSample *sample;

	if (check->report == NULL || !check->assessed)
		return 0;
	sample = &check->report->sample;
	return osml_bottom_distinct(&sample->facts[sample->n_columns - 1].distinct);
}

/* Where nothing was learned of the label, classes are as many as the report has met. */
static void
count_classes(OsmlCheck *check)
{
	OsmlHparams *hparams = check->hparams;

	if (check->set && check->set->label_key)
	{
		double		distinct = check->learned ? check->lesson.classes->n :
			osml_check_label_values(check);

		check->n_classes = (int) Min(OSML_MAX_CLASSES, Max(2, distinct));
		(void) osml_hparams_kind(hparams, OSML_LABEL_TYPE_TEXT, check->n_classes);
	}
	/* where nothing is known of the label, as of a number */
	else if (hparams->loss == 0 || hparams->model_type == 0)
		(void) osml_hparams_kind(hparams, OSML_LABEL_TYPE_NUMBER, 0);
	osml_resolve_scale_label(hparams);
}

/*
 * With what was learned of the features, if it was; else the columns alone.  Where
 * features are wrong, what is wrong with them has been said.
 */
static bool
read_report(OsmlCheck *check)
{
	bool		read = (check->fitted &&
						osml_check_attempt(check, NULL, OSML_CHECK_WARN, attempt_features)) ||
		osml_check_attempt(check, check->set ? "data" : NULL, OSML_CHECK_WARN, attempt_columns);

	if (!read)
		check->report = NULL;
	return read;
}

static void
check_context(void *arg)
{
	errcontext("check of \"%s\"", (const char *) arg);
}

/* osml_check(dataset, hparams, model) */
Datum
osml_check(PG_FUNCTION_ARGS)
{
	char	   *name = osml_need_text(fcinfo, 0, "dataset");
	ErrorContextCallback context = {error_context_stack, check_context, name};
	OsmlCheck  *check = palloc0(sizeof(OsmlCheck));
	bool		read;

	InitMaterializedSRF(fcinfo, 0);
	error_context_stack = &context;
	check->rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	check->given = PG_ARGISNULL(1) ? NULL : PG_GETARG_JSONB_P(1);
	check->name = name;
	check->dataset = osml_named_dataset(name);
	check->model = osml_maybe_text(fcinfo, 2);
	check->model_given = check->model != NULL;
	if (!check->model_given)
		check->model = osml_default_model(check->dataset);
	/* without it there is nothing to check */
	(void) osml_dataset_source(check->dataset, NULL);
	osml_check_inputs(check);
	osml_check_learning(check);
	read = read_report(check);
	count_classes(check);
	osml_check_survey(check);
	if (read)
	{
		osml_check_rows(check);
		if (check->assessed)
			osml_check_data(check);
	}
	osml_check_cost(check);
	if (check->valid)
		osml_check_put(check, "hyperparameters", OSML_CHECK_OK, NULL, NAN,
					   check->set && check->named ? "valid" : "valid by themselves", NULL);
	error_context_stack = context.previous;
	return (Datum) 0;
}
