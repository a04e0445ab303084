/*
 * made.c
 *	  Features that definitions make, row by row: see made.h.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "features/key.h"
#include "source/definition.h"
#include "source/expression.h"
#include "source/made.h"
#include "source/row.h"

/* what is known of an input of the set */
typedef struct Input
{
	Oid			type;			/* of an expression; else InvalidOid */
	List	   *columns;		/* of the source that it reads: char * */
} Input;

static Input
look_into(const OsmlFeatureSet *set, const OsmlInput *input)
{
	Input		found = {InvalidOid, NIL};
	char	  **names;
	Oid		   *types;
	List	   *used = NIL;
	ListCell   *cell;

	if (input->column >= 0)
	{
		found.columns = list_make1(set->columns[input->column].name);
		return found;
	}
	names = palloc(sizeof(char *) * Max(1, set->n_columns));
	types = palloc(sizeof(Oid) * Max(1, set->n_columns));
	for (int i = 0; i < set->n_columns; i++)
	{
		names[i] = set->columns[i].name;
		types[i] = set->columns[i].type;
	}
	found.type = osml_expression_type(osml_expression_compile(input->expression, input->name,
															  GetUserId(), set->n_columns,
															  names, types, &used));
	foreach(cell, used)
		found.columns = lappend(found.columns, names[lfirst_int(cell)]);
	return found;
}

/* The input that a register of the program is. */
static int
input_at(const OsmlFeatureSet *set, OsmlRegister at)
{
	for (int i = 0; i < set->n_inputs; i++)
	{
		const OsmlInput *input = &set->inputs[i];

		if ((input->kind == OSML_INPUT_KEY) == (at.kind == OSML_VALUE_KEY) &&
			at.index >= input->first && at.index < input->first + Max(1, input->n_elements))
			return i;
	}
	elog(ERROR, "register %d of a program has no input", at.index);
}

/*
 * Walk from a register back to the inputs.  A column of which each step knew
 * nothing else, and kept apart what is apart in it, is the origin: a bin of a
 * point in time is one still, an hour of the day is none.
 */
static void
walk(const OsmlFeatureSet *set, OsmlRegister at, OsmlMadeColumn *column, bool *bent)
{
	const OsmlProgram *program = set->program;
	int			made_by = osml_program_maker(program, at);
	const OsmlProgramStep *step;

	if (at.kind == OSML_VALUE_NUMBER)
		column->numbers = bms_add_member(column->numbers, at.index);
	if (made_by < 0)
	{
		int			i = input_at(set, at);
		const OsmlInput *input = &set->inputs[i];

		column->sources = bms_add_member(column->sources, i);
		*bent = *bent || input->column < 0 || input->kind == OSML_INPUT_TIME;
		column->origin = input->name;
		return;
	}
	step = &program->steps[made_by];
	/* of several columns the first is the value: the flag of an impute is another */
	*bent = *bent || step->step.n_in > 1 || step->step.transform->turns ||
		at.index > step->out.index;
	column->regroups = column->regroups || step->step.transform->makes_codes ||
		step->step.transform->turns;
	for (int k = 0; k < step->step.n_in; k++)
		walk(set, step->in[k], column, bent);
}

/* Is a step a category that nobody wrote? */
static bool
is_implied(const OsmlFeatureSet *set, int step)
{
	ListCell   *cell;

	foreach(cell, set->definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);

		if (definition->program_step == step)
			return definition->implied;
	}
	return false;
}

static void
add_column(OsmlMade *made, int feature, OsmlRegister at, char *name, const Input *inputs)
{
	const OsmlFeatureSet *set = made->set;
	OsmlMadeColumn *column = &made->columns[made->n++];
	int			made_by = osml_program_maker(set->program, at);
	bool		bent = false;
	int			i = -1;

	column->name = name;
	column->feature = feature;
	column->type = set->features[feature].type;
	column->at = at;
	column->is_code = at.kind == OSML_VALUE_CODE;
	column->text_key = -1;
	walk(set, at, column, &bent);
	if (bent)
		column->origin = NULL;
	if (column->is_code)
	{
		const OsmlProgramStep *step = &set->program->steps[made_by];

		if (is_implied(set, made_by))
			column->text_key = step->in[0].index;
		/* of a cross NULL is a part of some of its categories */
		else
			column->takes_null = step->step.transform->input != OSML_VALUE_CODE;
	}
	while ((i = bms_next_member(column->sources, i)) >= 0)
	{
		if (made_by < 0)
			column->value_type = inputs[i].type;
		column->behind = list_concat_unique_ptr(column->behind, inputs[i].columns);
	}
}

static int
count_columns(const OsmlFeatureSet *set)
{
	int			n = 0;

	for (int i = 0; i < set->n_features; i++)
		n += set->features[i].code >= 0 ? 1 : set->features[i].n_dense;
	return n;
}

/* No set of definitions reads arrays. */
static void
length_error(void *arg, const OsmlInput *input, int n)
{
	elog(ERROR, "column \"%s\" is an array of %d elements", input->name, n);
}

OsmlMade *
osml_made_create(OsmlFeatureSet *set)
{
	OsmlMade   *made = palloc0(sizeof(OsmlMade));
	const OsmlProgram *program = set->program;
	Input	   *inputs = palloc(sizeof(Input) * Max(1, set->n_inputs));

	made->set = set;
	made->columns = palloc0(sizeof(OsmlMadeColumn) * Max(1, count_columns(set)));
	for (int i = 0; i < set->n_inputs; i++)
		inputs[i] = look_into(set, &set->inputs[i]);
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];

		if (feature->code >= 0)
			add_column(made, i, (OsmlRegister) {OSML_VALUE_CODE, program->codes[feature->code]},
					   feature->name, inputs);
		for (int d = feature->first_dense; d < feature->first_dense + feature->n_dense; d++)
			add_column(made, i, (OsmlRegister) {OSML_VALUE_NUMBER, program->dense[d]},
					   osml_dense_name(set, d), inputs);
	}
	made->reader = osml_row_reader_create(set, GetUserId(), length_error, NULL);
	made->numbers = palloc(sizeof(double) * Max(1, program->input.n_dense));
	made->keys = palloc(sizeof(uint64) * Max(1, program->input.n_keys));
	made->dense = palloc(sizeof(double) * Max(1, program->output.n_dense));
	made->codes = palloc(sizeof(int32) * Max(1, program->output.n_codes));
	made->scratch = palloc(Max(1, osml_program_scratch(program, 1)));
	return made;
}

/* A code as a key: NULL's is the last one of a step that reads columns. */
static uint64
code_key(const OsmlMade *made, const OsmlMadeColumn *column, int code)
{
	if (column->text_key >= 0)
		return made->keys[column->text_key];
	if (column->takes_null && made->codes[code] == made->set->program->code_sizes[code] - 1)
		return OSML_KEY_NULL;
	return osml_mix64((uint64) made->codes[code] + 1);
}

void
osml_made_cells(OsmlMade *made, const Datum *values, const bool *nulls, OsmlCell *cells)
{
	const OsmlProgram *program = made->set->program;
	int			dense = 0;
	int			code = 0;

	(void) osml_row_take(made->reader, values, nulls, made->numbers, made->keys, 1);
	osml_program_run(program, 1, 1, made->numbers, made->keys, made->dense, made->codes,
					 made->scratch);
	for (int i = 0; i < made->n; i++)
	{
		if (made->columns[i].is_code)
		{
			cells[i].key = code_key(made, &made->columns[i], code);
			code++;
		}
		else
			cells[i].number = made->dense[dense++];
	}
}
