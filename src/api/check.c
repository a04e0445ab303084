/*
 * check.c
 *	  osml_check(): what a run would meet, before it is started.
 *
 * Reads the training rows once, once more with the parts that are held out, and the
 * first of them for a trial; starts nothing.  Next: check_data.c (the checks of
 * data), check_cost.c (what a run would take), report.h.
 */
#include "postgres.h"

#include <math.h>

#include "access/xact.h"
#include "funcapi.h"
#include "portability/instr_time.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/resowner.h"
#include "utils/tuplestore.h"

#include "api/check.h"
#include "api/need.h"
#include "catalog/definition.h"
#include "compat.h"
#include "osml.h"
#include "train/dataset.h"
#include "train/kind.h"

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
 * Make an attempt.  Its complaint is what this function is asked for, so it
 * becomes a row; a subtransaction undoes whatever was half done.  Only what a
 * user can put right is a complaint: cancellation, or a lack of memory, goes on.
 */
bool
osml_check_attempt(OsmlCheck *check, const char *name, OsmlCheckVerdict verdict,
				   OsmlAttempt what)
{
	MemoryContext caller = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	volatile bool fine = true;

	BeginInternalSubTransaction(NULL);
	MemoryContextSwitchTo(caller);
	PG_TRY();
	{
		what(check);
		ReleaseCurrentSubTransaction();
	}
	PG_CATCH();
	{
		ErrorData  *error;
		int			category;

		MemoryContextSwitchTo(caller);
		error = CopyErrorData();
		category = ERRCODE_TO_CATEGORY(error->sqlerrcode);
		if (category != ERRCODE_DATA_EXCEPTION && category != ERRCODE_FEATURE_NOT_SUPPORTED &&
			category != ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION &&
			category != ERRCODE_PROGRAM_LIMIT_EXCEEDED && category != ERRCODE_PLPGSQL_ERROR)
			PG_RE_THROW();
		FlushErrorState();
		RollbackAndReleaseCurrentSubTransaction();
		fine = false;
		osml_check_put(check, name, verdict, NULL, NAN, error->message, error->hint);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(caller);
	CurrentResourceOwner = owner;
	return fine;
}

/* Hyperparameters, parsed as a run would. */
static void
attempt_hparams(OsmlCheck *check)
{
	OsmlHparams *hparams = osml_hparams_parse(check->dataset->options, check->given);

	osml_hparams_check(hparams);
	check->hparams = hparams;
}

/* Features as a run would have them, definitions included. */
static void
attempt_features(OsmlCheck *check)
{
	const OsmlDatasetRow *dataset = check->dataset;
	const OsmlHparams *hparams = check->hparams;
	OsmlRoles	roles = {
		hparams->label ? hparams->label : dataset->label,
		hparams->sample_weight, hparams->exposure
	};
	List	   *definitions = dataset->dataset_id ?
		osml_definitions_find(dataset->dataset_id) : NIL;

	check->source = osml_dataset_source(dataset, NULL);
	check->set = osml_source_features(check->source, &roles,
									  hparams->features != NIL ? hparams->features :
									  osml_dataset_features(dataset, definitions),
									  definitions, dataset->name);
}

/* The kind of model. */
static void
attempt_kind(OsmlCheck *check)
{
	osml_kind_resolve(check->hparams, check->set);
}

/* Classes are as many as the report has met; osml_train() counts them itself. */
static void
count_classes(OsmlCheck *check)
{
	OsmlHparams *hparams = check->hparams;
	const OsmlSample *sample = &check->report->sample;

	if (check->set == NULL || !check->set->label_key)
		return;
	check->n_classes = Min(OSML_MAX_CLASSES, Max(2,
		(int) osml_bottom_distinct(&sample->facts[sample->n_columns - 1].distinct)));
	if (hparams->model_type == 0)
		(void) osml_hparams_kind(hparams, OSML_LABEL_TYPE_TEXT, check->n_classes);
}

/* Without valid ones the other checks judge the defaults. */
static void
check_inputs(OsmlCheck *check)
{
	if (osml_check_attempt(check, "hyperparameters", OSML_CHECK_ERROR, attempt_hparams))
		osml_check_put(check, "hyperparameters", OSML_CHECK_OK, NULL, NAN, "valid", NULL);
	else
	{
		check->hparams = osml_hparams_parse(NULL, NULL);
		osml_hparams_check(check->hparams);
	}
	if (osml_check_attempt(check, "features", OSML_CHECK_ERROR, attempt_features))
		osml_check_put(check, "features", OSML_CHECK_OK, NULL, check->set->n_features,
					   psprintf("%d features: %d numbers and %d categories or bins",
								check->set->n_features, check->set->program->output.n_dense,
								check->set->program->output.n_codes), NULL);
	if (check->set && !osml_check_attempt(check, "model", OSML_CHECK_ERROR, attempt_kind))
		check->set = NULL;
	if (check->set == NULL)
		check->hparams->model_type = check->hparams->loss = 1;
}

/* Does a feature read a column, and not as a category or through an impute? */
static bool
feature_needs(const OsmlFeatureSet *set, const OsmlFeature *feature, const char *column)
{
	bool		defined = false;
	bool		reads = false;
	bool		imputed = false;
	ListCell   *cell;
	ListCell   *input;

	foreach(cell, set->definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);

		if (strcmp(definition->feature, feature->name) != 0)
			continue;
		defined = true;
		imputed = imputed || strcmp(definition->transform, "impute") == 0;
		foreach(input, definition->inputs)
			reads = reads || strcmp(lfirst(input), column) == 0;
	}
	if (!defined)
		reads = strcmp(feature->name, column) == 0;
	return reads && !imputed && feature->code < 0;
}

/*
 * Would a run leave a row out for what it has in this column?  Not where all
 * that read it can take a NULL.
 */
static bool
column_counts(const OsmlCheck *check, int j)
{
	const OsmlColumnKind *kind = &check->report->columns->kinds[j];
	const OsmlFeatureSet *set = check->set;
	char	   *name = pstrdup(kind->name);
	char	   *element = strrchr(name, '[');

	if (j == check->report->columns->n - 1)
		return true;
	if (kind->is_key || set == NULL)
		return !kind->is_key;
	for (int i = 0; i < set->n_features; i++)
	{
		if (feature_needs(set, &set->features[i], name))
			return true;
	}
	/* an element of an array is its column's */
	if (element == NULL)
		return false;
	*element = '\0';
	for (int i = 0; i < set->n_features; i++)
	{
		if (feature_needs(set, &set->features[i], name))
			return true;
	}
	return false;
}

/* Count rows that a run would leave out, as the data passes by. */
static bool
count_row(void *arg, const OsmlCell *row)
{
	OsmlCheck  *check = arg;
	const OsmlColumns *columns = check->report->columns;
	bool		null = false;
	bool		nonfinite = false;

	for (int j = 0; j < columns->n; j++)
	{
		if (!check->counts[j])
			continue;
		if (osml_cell_missing(&columns->kinds[j], row[j]))
			null = true;
		else if (!columns->kinds[j].is_key && !isfinite(row[j].number))
			nonfinite = true;
	}
	check->null_rows += null ? 1 : 0;
	check->nonfinite_rows += nonfinite && !null ? 1 : 0;
	return true;
}

static void
check_context(void *arg)
{
	errcontext("check of \"%s\"", (const char *) arg);
}

/* osml_check(dataset, hparams) */
Datum
osml_check(PG_FUNCTION_ARGS)
{
	char	   *name = osml_need_text(fcinfo, 0, "dataset");
	ErrorContextCallback context = {error_context_stack, check_context, name};
	OsmlCheck  *check = palloc0(sizeof(OsmlCheck));
	instr_time	start;
	instr_time	end;
	bool		any;

	InitMaterializedSRF(fcinfo, 0);
	error_context_stack = &context;
	check->rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	check->given = PG_ARGISNULL(1) ? NULL : PG_GETARG_JSONB_P(1);
	check->dataset = osml_own_dataset(name);
	if (check->dataset == NULL)
	{
		check->dataset = palloc0(sizeof(OsmlDatasetRow));
		check->dataset->train = name;
	}
	check_inputs(check);
	check->report = osml_report_resolve(name, check->hparams->label,
										check->hparams->features, NIL);
	check->counts = palloc(sizeof(bool) * check->report->columns->n);
	for (int j = 0; j < check->report->columns->n; j++)
		check->counts[j] = column_counts(check, j);
	INSTR_TIME_SET_CURRENT(start);
	any = osml_report_read(check->report, SAMPLE_ROWS, count_row, check);
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_SUBTRACT(end, start);
	check->seconds = INSTR_TIME_GET_DOUBLE(end);
	count_classes(check);
	osml_check_rows(check);
	if (any)
	{
		osml_report_assess(check->report);
		osml_check_data(check);
	}
	osml_check_cost(check);
	error_context_stack = context.previous;
	return (Datum) 0;
}
