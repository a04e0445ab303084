/*
 * feature_set.c
 *	  From inputs, definitions and names of features to a program.
 *
 * Everything here has been resolved before (feature.c), or comes out of a plan
 * or a model version; what does not fit together is therefore an internal
 * error, or a definition that cannot be.
 */
#include "postgres.h"

#include "source/context_arena.h"
#include "source/definition.h"
#include "source/feature.h"

const char *
osml_feature_words(const char *dataset, const char *feature)
{
	return dataset ? psprintf("feature \"%s\" of dataset \"%s\"", feature, dataset) :
		psprintf("feature \"%s\"", feature);
}

void
osml_definition_error(const char *dataset, const char *feature, const char *transform,
					  const char *message)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of %s: %s", transform, osml_feature_words(dataset, feature),
					message)));
}

/* what a definition, or an input as it is, gives */
typedef struct Columns
{
	OsmlRegister first;
	int			n;
	int			step;			/* of the program, or -1 */
} Columns;

/* An input by column and kind, or NULL. */
static const OsmlInput *
find_input(const OsmlFeatureSet *set, const char *name, OsmlInputKind kind)
{
	for (int i = 0; i < set->n_inputs; i++)
	{
		if (set->inputs[i].column >= 0 && set->inputs[i].kind == kind &&
			strcmp(set->inputs[i].name, name) == 0)
			return &set->inputs[i];
	}
	return NULL;
}

/* The input that is a feature's expression, or NULL. */
static const OsmlInput *
find_expression(const OsmlFeatureSet *set, const char *feature)
{
	for (int i = 0; i < set->n_inputs; i++)
	{
		if (set->inputs[i].column < 0 && strcmp(set->inputs[i].name, feature) == 0)
			return &set->inputs[i];
	}
	return NULL;
}

static Columns
input_columns(const OsmlInput *input)
{
	Columns		columns = {{OSML_VALUE_NUMBER, input->first}, Max(1, input->n_elements), -1};

	if (input->kind == OSML_INPUT_KEY)
		columns.first.kind = OSML_VALUE_KEY;
	return columns;
}

/* The last definition of a feature among the first n, or NULL. */
static OsmlDefinition *
last_definition(const OsmlFeatureSet *set, int n, const char *feature)
{
	for (int i = n - 1; i >= 0; i--)
	{
		OsmlDefinition *definition = list_nth(set->definitions, i);

		if (strcmp(definition->feature, feature) == 0)
			return definition;
	}
	return NULL;
}

/* What a definition made. */
static Columns
definition_columns(const OsmlFeatureSet *set, const OsmlDefinition *definition)
{
	Columns		columns;
	const OsmlProgramStep *step;

	if (definition->program_step < 0)
	{
		const OsmlInput *input = find_expression(set, definition->feature);

		if (input == NULL)
			elog(ERROR, "feature \"%s\" has lost its expression", definition->feature);
		return input_columns(input);
	}
	step = &set->program->steps[definition->program_step];
	columns.first = step->out;
	columns.n = step->n_out;
	columns.step = definition->program_step;
	return columns;
}

/*
 * What a name among a definition's inputs stands for: a column of the source,
 * read as the transform wants it, else a feature defined before.
 */
static Columns
find_columns(const OsmlFeatureSet *set, int n_before, const OsmlTransform *transform,
			 const char *feature, const char *name)
{
	const OsmlInput *input = NULL;
	OsmlDefinition *definition;

	if (transform->input == OSML_VALUE_KEY)
		input = find_input(set, name, OSML_INPUT_KEY);
	else if (transform->input == OSML_VALUE_NUMBER)
	{
		if (strcmp(transform->name, OSML_TIME_TRANSFORM) == 0)
			input = find_input(set, name, OSML_INPUT_TIME);
		if (input == NULL)
			input = find_input(set, name, OSML_INPUT_NUMBER);
	}
	if (input)
		return input_columns(input);
	definition = last_definition(set, n_before, name);
	if (definition == NULL)
		elog(ERROR, "input \"%s\" of feature \"%s\" is missing", name, feature);
	return definition_columns(set, definition);
}

/*
 * Registers of a step: its inputs one by one, or what the step before it made.
 * More than fit are counted all the same, which the program then refuses.
 */
static int
step_inputs(const OsmlFeatureSet *set, int position, const OsmlDefinition *definition,
			const OsmlTransform *transform, OsmlRegister *in)
{
	int			n = 0;
	ListCell   *cell;

	if (definition->step > 1)
	{
		const OsmlDefinition *last = last_definition(set, position, definition->feature);
		Columns		before;

		if (last == NULL)
			elog(ERROR, "feature \"%s\" has lost its first step", definition->feature);
		before = definition_columns(set, last);
		for (n = 0; n < before.n && n < OSML_MAX_STEP_INPUTS; n++)
		{
			in[n] = before.first;
			in[n].index += n;
		}
		return before.n;
	}
	foreach(cell, definition->inputs)
	{
		Columns		columns = find_columns(set, position, transform,
										   definition->feature, lfirst(cell));

		if (n < OSML_MAX_STEP_INPUTS)
			in[n] = columns.first;
		n++;
	}
	return n;
}

/* The group number of a shared name: its first definition's position plus one. */
static int
shared_group(const OsmlFeatureSet *set, const char *shared)
{
	int			group = 0;
	ListCell   *cell;

	if (shared == NULL)
		return 0;
	foreach(cell, set->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		group++;
		if (definition->shared && strcmp(definition->shared, shared) == 0)
			break;
	}
	return group;
}

/* Raise where the step before makes more columns than this one takes. */
static void
check_chain(const OsmlFeatureSet *set, int position, const OsmlStep *step, const char *dataset)
{
	const OsmlDefinition *definition = list_nth(set->definitions, position);
	const OsmlDefinition *last = last_definition(set, position, definition->feature);

	if (last == NULL || step->n_in <= step->transform->max_inputs)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of %s: takes %d input%s, and %s before it makes %d columns",
					definition->transform, osml_feature_words(dataset, definition->feature),
					step->transform->max_inputs, step->transform->max_inputs == 1 ? "" : "s",
					last->transform, step->n_in),
			 errhint("Let %s be the last step of the feature, or make one column.",
					 last->transform)));
}

static void
add_step(OsmlFeatureSet *set, int position, const char *dataset)
{
	OsmlDefinition *definition = list_nth(set->definitions, position);
	OsmlRegister in[OSML_MAX_STEP_INPUTS];
	OsmlStep	step = {0};
	char		message[256] = "";

	definition->program_step = -1;
	if (strcmp(definition->transform, OSML_SQL_TRANSFORM) == 0)
		return;
	osml_definition_step(dataset, definition, &step);
	step.n_in = step_inputs(set, position, definition, step.transform, in);
	check_chain(set, position, &step, dataset);
	step.group = shared_group(set, definition->shared);
	if (osml_program_add(set->program, &step, in, message) == NULL)
		osml_definition_error(dataset, definition->feature, definition->transform,
							  message[0] ? message : "out of memory");
	definition->program_step = set->program->n_steps - 1;
}

/* Make the columns of a feature outputs, and note where they are. */
static void
add_output(OsmlFeatureSet *set, OsmlFeature *feature, int *n_dense, int *n_codes)
{
	OsmlDefinition *definition = last_definition(set, list_length(set->definitions),
												 feature->name);
	OsmlProgram *program = set->program;
	const OsmlInput *input = NULL;
	Columns		columns;
	bool		scaled = false;

	if (definition)
		columns = definition_columns(set, definition);
	else if ((input = find_input(set, feature->name, OSML_INPUT_NUMBER)) != NULL ||
			 (input = find_input(set, feature->name, OSML_INPUT_ARRAY)) != NULL)
		columns = input_columns(input);
	else
		elog(ERROR, "feature \"%s\" has no input", feature->name);
	/* names of columns go by it */
	if (feature->n_elements != (input ? input->n_elements : 0))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("stored features cannot be read"),
				 errdetail("Feature \"%s\" does not have %d elements.", feature->name,
						   feature->n_elements)));
	feature->step = columns.step;
	feature->code = -1;
	feature->n_dense = 0;
	feature->first_dense = *n_dense;
	if (columns.first.kind == OSML_VALUE_CODE)
		feature->code = (*n_codes)++;
	else
	{
		feature->n_dense = columns.n;
		*n_dense += columns.n;
	}
	if (columns.step >= 0)
		scaled = program->steps[columns.step].step.transform->scales;
	for (int k = 0; k < columns.n; k++)
	{
		OsmlRegister column = columns.first;

		column.index += k;
		if (osml_program_output(program, column, scaled) != OSML_OK)
			elog(ERROR, "feature \"%s\" cannot be an output", feature->name);
	}
}

void
osml_feature_set_build(OsmlFeatureSet *set, const char *dataset)
{
	OsmlArena	arena = osml_context_arena(CurrentMemoryContext);
	int			n_dense = 0;
	int			n_codes = 0;

	set->program = osml_program_create(&arena, &set->layout);
	for (int i = 0; i < list_length(set->definitions); i++)
		add_step(set, i, dataset);
	for (int i = 0; i < set->n_features; i++)
		add_output(set, &set->features[i], &n_dense, &n_codes);
}

/* The definition that became a step of the program. */
static const OsmlDefinition *
step_definition(const OsmlFeatureSet *set, int step)
{
	ListCell   *cell;

	foreach(cell, set->definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);

		if (definition->program_step == step)
			return definition;
	}
	elog(ERROR, "step %d of a program has no definition", step);
}

void
osml_step_error(const OsmlFeatureSet *set, const char *dataset, int step,
				const char *message)
{
	const OsmlDefinition *definition = step_definition(set, step);

	osml_definition_error(dataset, definition->feature, definition->transform, message);
}

bool
osml_feature_set_prepare(OsmlFeatureSet *set, const char *dataset)
{
	bool		complete = false;
	int			bad = 0;
	char		message[256] = "";

	if (osml_program_prepare(set->program, &complete, &bad, message) != OSML_OK)
		osml_step_error(set, dataset, bad, message);
	return complete;
}

/* Raise at elevel: a definition found nothing to learn from. */
static void
report_no_values(const char *dataset, const OsmlDefinition *definition,
				 const OsmlTransform *transform, int elevel)
{
	ereport(elevel,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("%s of %s has no values to learn from", definition->transform,
					osml_feature_words(dataset, definition->feature)),
			 definition->inputs == NIL ?
			 errdetail("What step %d makes is null or not finite in all rows to learn from.",
					   definition->step - 1) :
			 transform->input == OSML_VALUE_KEY ?
			 errdetail("\"%s\" is null in all rows to learn from.", (char *) linitial(definition->inputs)) :
			 errdetail("\"%s\" is null or not finite in all rows to learn from.",
					   (char *) linitial(definition->inputs)),
			 errhint("Give it %s, or drop the feature.", transform->by_hand)));
}

/* Raise at elevel: of values so large a definition learns what is no number. */
static void
report_overflow(const char *dataset, const OsmlDefinition *definition,
				const OsmlTransform *transform, int elevel)
{
	ereport(elevel,
			(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
			 errmsg("what %s of %s learns is not finite", definition->transform,
					osml_feature_words(dataset, definition->feature)),
			 definition->inputs == NIL ?
			 errdetail("What step %d makes has values too large to calculate with.",
					   definition->step - 1) :
			 errdetail("\"%s\" has values too large to calculate with.",
					   (char *) linitial(definition->inputs)),
			 errhint("Give it %s, clip the feature first, or drop it.", transform->by_hand)));
}

/* Raise at elevel: all values are on the wrong side of a bound that a definition has. */
static void
report_beyond(const char *dataset, const OsmlDefinition *definition,
			  const OsmlProgramStep *step, int elevel)
{
	char	   *input = definition->shared ?
		psprintf("grid \"%s\"", definition->shared) :
		definition->inputs == NIL ?
		psprintf("what step %d makes", definition->step - 1) :
		psprintf("\"%s\"", (char *) linitial(definition->inputs));

	ereport(elevel,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s of %s has a bound beyond all values of %s, which are from %.15g to %.15g",
					definition->transform, osml_feature_words(dataset, definition->feature),
					input, step->least, step->greatest),
			 errhint("Give it %s, or drop the feature.", step->step.transform->by_hand)));
}

void
osml_feature_set_fitted(OsmlFeatureSet *set, const char *dataset, int elevel)
{
	ListCell   *cell;

	foreach(cell, set->definitions)
	{
		OsmlDefinition *definition = lfirst(cell);
		OsmlProgramStep *step;

		if (definition->program_step < 0)
			continue;
		step = &set->program->steps[definition->program_step];
		definition->params = osml_step_params(&step->step);
		if (definition->implied)
			step->no_values = false;
		if (step->no_values)
			report_no_values(dataset, definition, step->step.transform, elevel);
		if (step->overflows)
			report_overflow(dataset, definition, step->step.transform, elevel);
		if (step->beyond)
			report_beyond(dataset, definition, step, elevel);
	}
}

char *
osml_input_name(const OsmlFeatureSet *set, int number)
{
	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *input = &set->inputs[i];

		if (input->kind == OSML_INPUT_KEY || number < input->first ||
			number >= input->first + Max(1, input->n_elements))
			continue;
		return input->n_elements == 0 ? pstrdup(input->name) :
			psprintf("%s[%d]", input->name, number - input->first + 1);
	}
	return pstrdup("?");
}

char *
osml_dense_name(const OsmlFeatureSet *set, int dense)
{
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];
		int			k = dense - feature->first_dense;
		const OsmlTransform *transform;
		const char *suffix;

		if (k < 0 || k >= feature->n_dense)
			continue;
		if (feature->n_elements > 0)
			return psprintf("%s[%d]", feature->name, k + 1);
		if (feature->n_dense == 1)
			return pstrdup(feature->name);
		transform = set->program->steps[feature->step].step.transform;
		suffix = transform->out_name ?
			transform->out_name(&set->program->steps[feature->step].step, k) : NULL;
		return suffix ? psprintf("%s_%s", feature->name, suffix) :
			k == 0 ? pstrdup(feature->name) :
			psprintf("%s_%d", feature->name, k + 1);
	}
	return pstrdup("?");
}

/* Does a feature make a column of that name? */
static bool
makes_column(const OsmlFeatureSet *set, const OsmlFeature *feature, const char *name)
{
	for (int k = 0; k < feature->n_dense; k++)
	{
		if (strcmp(osml_dense_name(set, feature->first_dense + k), name) == 0)
			return true;
	}
	return feature->code >= 0 && strcmp(feature->name, name) == 0;
}

void
osml_check_column_names(const OsmlFeatureSet *set, const char *dataset)
{
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];

		for (int k = 0; feature->n_elements == 0 && k < feature->n_dense; k++)
		{
			const char *name = osml_dense_name(set, feature->first_dense + k);

			/* features' own names are known to differ */
			if (strcmp(name, feature->name) == 0)
				continue;
			for (int other = 0; other < set->n_features; other++)
			{
				if (other != i && makes_column(set, &set->features[other], name))
					ereport(ERROR,
							(errcode(ERRCODE_DUPLICATE_COLUMN),
							 errmsg("%s makes a column \"%s\", and so does feature \"%s\"",
									osml_feature_words(dataset, feature->name), name,
									set->features[other].name),
							 errhint("Give one of the features another name.")));
			}
		}
	}
}

const OsmlFeature *
osml_code_feature(const OsmlFeatureSet *set, int code)
{
	for (int i = 0; i < set->n_features; i++)
	{
		if (set->features[i].code == code)
			return &set->features[i];
	}
	elog(ERROR, "code column %d has no feature", code);
}
