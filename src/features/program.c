/*
 * program.c
 *	  Building, preparing and running programs; see program.h.
 *
 * A column that a step makes lives in scratch, unless it is an output: a run
 * then writes it where it is to end, and later steps read it there.  Outputs
 * that are inputs, or outputs twice, are copied when the steps are done.
 */
#include "features/program.h"

#include <stdio.h>

/* the columns of one run */
typedef struct Columns
{
	const OsmlProgram *program;
	size_t		stride;			/* of inputs and outputs */
	size_t		scratch_stride;
	const double *numbers;
	const uint64_t *keys;
	double	   *dense;			/* NULL: all columns are in scratch */
	int32_t    *codes;
	double	   *scratch_numbers;
	int32_t    *scratch_codes;
} Columns;

/*
 * Append an element to an array of n, which doubles when n is a power of 2:
 * arenas have no way to resize.
 */
static OsmlStatus
append(const OsmlProgram *program, void *array_ptr, int n, const void *element,
	   size_t size)
{
	char	   *array;

	memcpy(&array, array_ptr, sizeof(array));
	if ((n & (n - 1)) == 0)
	{
		char	   *larger = osml_arena_alloc(&program->arena,
											  (n > 0 ? 2 * (size_t) n : 1) * size);

		if (larger == NULL)
			return OSML_OUT_OF_MEMORY;
		if (n > 0)
			memcpy(larger, array, (size_t) n * size);
		osml_arena_release(&program->arena, array);
		array = larger;
		memcpy(array_ptr, &array, sizeof(array));
	}
	memcpy(array + (size_t) n * size, element, size);
	return OSML_OK;
}

/* do the outputs say no more than the inputs? */
static void
set_identity(OsmlProgram *program)
{
	program->identity = program->n_steps == 0 && program->input.n_keys == 0 &&
		program->output.n_codes == 0 &&
		program->output.n_dense == program->input.n_dense;
	for (int j = 0; j < program->output.n_dense; j++)
		program->identity = program->identity && program->dense[j] == j;
}

/* from now on outputs are what is declared */
static void
declare(OsmlProgram *program)
{
	if (!program->declared)
		program->output.n_dense = 0;
	program->declared = true;
}

/* append a number column to the outputs */
static OsmlStatus
add_dense(OsmlProgram *program, int number, bool scaled)
{
	int			n = program->output.n_dense;

	if (append(program, &program->dense, n, &number, sizeof(int)) != OSML_OK ||
		append(program, &program->scaled, n, &scaled, sizeof(bool)) != OSML_OK)
		return OSML_OUT_OF_MEMORY;
	program->output.n_dense++;
	return OSML_OK;
}

OsmlProgram *
osml_program_create(const OsmlArena *arena, const OsmlLayout *input)
{
	OsmlProgram *program = osml_arena_alloc(arena, sizeof(OsmlProgram));
	const int	none = -1;

	if (program == NULL)
		return NULL;
	program->arena = *arena;
	program->input = *input;
	program->output.has_weight = input->has_weight;
	program->output.has_row_number = input->has_row_number;
	for (int j = 0; j < input->n_dense; j++)
	{
		if (append(program, &program->number_home, j, &none, sizeof(int)) != OSML_OK ||
			add_dense(program, j, false) != OSML_OK)
			return NULL;
		program->n_numbers++;
	}
	set_identity(program);
	return program;
}

/* for messages; 0 columns of a kind are never talked about */
static const char *
kind_name(OsmlValueKind kind)
{
	return kind == OSML_VALUE_NUMBER ? "a number" :
		kind == OSML_VALUE_KEY ? "a category" : "a bin or a coded category";
}

/* how many columns of a kind are there yet? */
static int
columns_of(const OsmlProgram *program, OsmlValueKind kind)
{
	return kind == OSML_VALUE_NUMBER ? program->n_numbers :
		kind == OSML_VALUE_KEY ? program->input.n_keys : program->n_codes;
}

/* do number and kinds of the inputs fit, and the parameters each other? */
static bool
check_step(const OsmlProgram *program, const OsmlStep *step, const OsmlRegister *in,
		   char *message)
{
	const OsmlTransform *transform = step->transform;

	if (step->n_in < transform->min_inputs || step->n_in > transform->max_inputs)
	{
		bool		few = step->n_in < transform->min_inputs;
		int			limit = few ? transform->min_inputs : transform->max_inputs;

		snprintf(message, 256, "takes %s%d input%s, not %d",
				 transform->min_inputs == transform->max_inputs ? "" :
				 few ? "at least " : "at most ",
				 limit, limit == 1 ? "" : "s", step->n_in);
		return false;
	}
	for (int k = 0; k < step->n_in; k++)
	{
		if (in[k].kind == transform->input && in[k].index >= 0 &&
			in[k].index < columns_of(program, in[k].kind))
			continue;
		snprintf(message, 256, "input %d must be %s, not %s", k + 1,
				 kind_name(transform->input), kind_name(in[k].kind));
		return false;
	}
	/* of categories, what is crossed with itself says nothing more */
	for (int k = 1; k < step->n_in && transform->input == OSML_VALUE_CODE; k++)
	{
		for (int l = 0; l < k; l++)
		{
			if (in[l].index != in[k].index)
				continue;
			snprintf(message, 256, "inputs %d and %d are the same", l + 1, k + 1);
			return false;
		}
	}
	return transform->check == NULL || transform->check(step, message);
}

/* a new column for each output of a step */
static OsmlStatus
add_columns(OsmlProgram *program, OsmlProgramStep *added)
{
	const OsmlTransform *transform = added->step.transform;
	int		   *count = transform->makes_codes ? &program->n_codes : &program->n_numbers;
	int		  **homes = transform->makes_codes ? &program->code_home :
		&program->number_home;
	const int	none = -1;

	added->n_out = transform->makes_codes || transform->n_out == NULL ? 1 :
		transform->n_out(&added->step);
	added->out.kind = transform->makes_codes ? OSML_VALUE_CODE : OSML_VALUE_NUMBER;
	added->out.index = *count;
	for (int i = 0; i < added->n_out; i++)
	{
		if (append(program, homes, *count, &none, sizeof(int)) != OSML_OK)
			return OSML_OUT_OF_MEMORY;
		(*count)++;
	}
	return OSML_OK;
}

OsmlProgramStep *
osml_program_add(OsmlProgram *program, const OsmlStep *step, const OsmlRegister *in,
				 char *message)
{
	OsmlProgramStep added = {.step = *step};

	message[0] = '\0';
	if (!check_step(program, step, in, message))
		return NULL;
	declare(program);
	added.step.table = NULL;
	memcpy(added.in, in, (size_t) step->n_in * sizeof(OsmlRegister));
	if (add_columns(program, &added) != OSML_OK ||
		append(program, &program->steps, program->n_steps, &added,
			   sizeof(added)) != OSML_OK)
	{
		snprintf(message, 256, "out of memory");
		return NULL;
	}
	program->n_steps++;
	set_identity(program);
	return &program->steps[program->n_steps - 1];
}

/* the first output that a column is becomes its home, if a step makes it */
OsmlStatus
osml_program_output(OsmlProgram *program, OsmlRegister column, bool scaled)
{
	bool		code = column.kind == OSML_VALUE_CODE;
	int		   *home;
	OsmlStatus	status;

	if (column.kind == OSML_VALUE_KEY || column.index < 0 ||
		column.index >= columns_of(program, column.kind))
		return OSML_BAD_SHAPE;
	declare(program);
	home = code ? &program->code_home[column.index] : &program->number_home[column.index];
	if (*home < 0 && (code || column.index >= program->input.n_dense))
		*home = code ? program->output.n_codes : program->output.n_dense;
	if (code)
	{
		status = append(program, &program->codes, program->output.n_codes,
						&column.index, sizeof(int));
		program->output.n_codes += status == OSML_OK;
	}
	else
		status = add_dense(program, column.index, scaled);
	set_identity(program);
	return status;
}

int
osml_program_maker(const OsmlProgram *program, OsmlRegister column)
{
	for (int i = 0; i < program->n_steps; i++)
	{
		const OsmlProgramStep *step = &program->steps[i];

		if (step->out.kind == column.kind && column.index >= step->out.index &&
			column.index < step->out.index + step->n_out)
			return i;
	}
	return -1;
}

int
osml_program_code_step(const OsmlProgram *program, int code_column)
{
	return osml_program_maker(program, (OsmlRegister) {OSML_VALUE_CODE, code_column});
}

/* are the steps that make a step's inputs fitted? */
bool
osml_program_ready(const OsmlProgram *program, int step)
{
	const OsmlProgramStep *reader = &program->steps[step];

	for (int k = 0; k < reader->step.n_in; k++)
	{
		int			made_by = osml_program_maker(program, reader->in[k]);

		if (made_by >= 0 && !program->steps[made_by].fitted)
			return false;
	}
	return true;
}

/* inputs are made by earlier steps, so this ends */
bool
osml_program_made_up(const OsmlProgram *program, int step)
{
	const OsmlProgramStep *reader = &program->steps[step];

	for (int k = 0; k < reader->step.n_in; k++)
	{
		int			made_by = osml_program_maker(program, reader->in[k]);

		if (made_by >= 0 && osml_program_made_up(program, made_by))
			return true;
	}
	return reader->no_values || reader->overflows || reader->beyond;
}

/* codes of a fitted step */
static int64_t
codes_of(const OsmlProgramStep *step)
{
	return step->step.transform->n_codes(&step->step);
}

/* look-up tables of one step whose parameters are all there */
static OsmlStatus
prepare_step(OsmlProgram *program, OsmlProgramStep *step, char *message)
{
	const OsmlTransform *transform = step->step.transform;
	OsmlStatus	status = OSML_OK;

	for (int k = 0; k < step->step.n_in && transform->input == OSML_VALUE_CODE; k++)
		step->step.in_codes[k] = (int32_t)
			codes_of(&program->steps[osml_program_maker(program, step->in[k])]);
	if (transform->prepare != NULL)
		status = transform->prepare(&step->step, &program->arena);
	if (status != OSML_OK)
		snprintf(message, 256, status == OSML_OUT_OF_MEMORY ? "out of memory" :
				 "parameters do not fit together");
	else if (transform->makes_codes && codes_of(step) > OSML_MAX_CODES)
	{
		snprintf(message, 256, "makes %lld codes, more than %d",
				 (long long) codes_of(step), OSML_MAX_CODES);
		status = OSML_BAD_SHAPE;
	}
	step->fitted = status == OSML_OK;
	return status;
}

/* the sizes of the model's code columns; 0 while a step is not fitted */
static OsmlStatus
set_code_sizes(OsmlProgram *program)
{
	int			n = program->output.n_codes;
	int32_t    *sizes = osml_arena_alloc(&program->arena, (size_t) n * sizeof(int32_t));

	if (sizes == NULL)
		return OSML_OUT_OF_MEMORY;
	for (int k = 0; k < n; k++)
	{
		const OsmlProgramStep *step =
			&program->steps[osml_program_code_step(program, program->codes[k])];

		sizes[k] = step->fitted ? (int32_t) codes_of(step) : 0;
	}
	osml_arena_release(&program->arena, program->code_sizes);
	program->code_sizes = sizes;
	program->output.code_sizes = sizes;
	return OSML_OK;
}

OsmlStatus
osml_program_prepare(OsmlProgram *program, bool *complete, int *bad, char *message)
{
	OsmlStatus	status;

	*complete = true;
	for (int i = 0; i < program->n_steps; i++)
	{
		OsmlProgramStep *step = &program->steps[i];
		const OsmlTransform *transform = step->step.transform;

		*bad = i;
		if (step->fitted)
			continue;
		if (!osml_program_ready(program, i) ||
			(transform->needs != NULL && transform->needs(&step->step) != 0))
		{
			*complete = false;
			continue;
		}
		status = prepare_step(program, step, message);
		if (status != OSML_OK)
			return status;
	}
	status = set_code_sizes(program);
	if (status != OSML_OK)
		snprintf(message, 256, "out of memory");
	return status;
}

/* a cross's code: its combination's names, or a bucket's number if hashed */
static void
cross_name(const OsmlProgram *program, const OsmlProgramStep *step, int64_t code,
		   char *out, size_t size)
{
	int64_t		digits = 1;
	size_t		used = 0;

	for (int k = 0; k < step->step.n_in && digits <= OSML_MAX_CODES; k++)
		digits *= step->step.in_codes[k];
	if (digits != codes_of(step))
	{
		snprintf(out, size, "bucket %lld", (long long) code);
		return;
	}
	for (int k = 0; k < step->step.n_in; k++)
	{
		digits /= step->step.in_codes[k];
		snprintf(out + used, size - used, "%s", k > 0 ? " x " : "");
		used += strlen(out + used);
		osml_program_code_name(program, step->in[k].index,
							   code / digits % step->step.in_codes[k],
							   out + used, size - used);
		used += strlen(out + used);
	}
}

void
osml_program_code_name(const OsmlProgram *program, int code_column, int64_t code,
					   char *out, size_t size)
{
	const OsmlProgramStep *step =
		&program->steps[osml_program_code_step(program, code_column)];

	if (step->step.transform->code_name != NULL)
		step->step.transform->code_name(&step->step, code, out, size);
	else
		cross_name(program, step, code, out, size);
}

/*
 * Columns in scratch are a little longer than needed: columns 8 KB apart would
 * all fall on the same lines of the L1 cache.
 */
static size_t
scratch_stride(int n)
{
	return (size_t) n / 8 * 8 + 8;
}

size_t
osml_program_scratch(const OsmlProgram *program, int n)
{
	size_t		numbers = (size_t) (program->n_numbers - program->input.n_dense);

	return scratch_stride(n) *
		(numbers * sizeof(double) + (size_t) program->n_codes * sizeof(int32_t));
}

/* where the columns of a run are */
static Columns
run_columns(const OsmlProgram *program, int n, size_t stride, const double *numbers,
			const uint64_t *keys, const void *scratch)
{
	Columns		columns = {
		.program = program,.stride = stride,.scratch_stride = scratch_stride(n),
		.numbers = numbers,.keys = keys,.scratch_numbers = (double *) scratch
	};

	columns.scratch_codes = (int32_t *)
		(columns.scratch_numbers + columns.scratch_stride *
		 (size_t) (program->n_numbers - program->input.n_dense));
	return columns;
}

/* a number column; inputs are not written through this pointer */
static double *
number_column(const Columns *columns, int index)
{
	const OsmlProgram *program = columns->program;
	int			home = program->number_home[index];
	int			made = index - program->input.n_dense;

	if (made < 0)
		return (double *) columns->numbers + (size_t) index * columns->stride;
	if (home >= 0 && columns->dense != NULL)
		return columns->dense + (size_t) home * columns->stride;
	return columns->scratch_numbers + (size_t) made * columns->scratch_stride;
}

static int32_t *
code_column(const Columns *columns, int index)
{
	int			home = columns->program->code_home[index];

	if (home >= 0 && columns->codes != NULL)
		return columns->codes + (size_t) home * columns->stride;
	return columns->scratch_codes + (size_t) index * columns->scratch_stride;
}

static OsmlColumn
column_at(const Columns *columns, OsmlRegister at)
{
	OsmlColumn	column;

	if (at.kind == OSML_VALUE_NUMBER)
		column.number = number_column(columns, at.index);
	else if (at.kind == OSML_VALUE_KEY)
		column.key = (uint64_t *) columns->keys + (size_t) at.index * columns->stride;
	else
		column.code = code_column(columns, at.index);
	return column;
}

/* n rows through one step */
static void
run_step(const Columns *columns, const OsmlProgramStep *step, int n)
{
	OsmlColumn	in[OSML_MAX_STEP_INPUTS];
	OsmlColumn	out[OSML_MAX_STEP_OUTPUTS];

	for (int k = 0; k < step->step.n_in; k++)
		in[k] = column_at(columns, step->in[k]);
	for (int i = 0; i < step->n_out; i++)
		out[i] = column_at(columns, (OsmlRegister) {step->out.kind, step->out.index + i});
	step->step.transform->run(&step->step, n, in, out);
}

/* outputs that no step has written */
static void
copy_outputs(const Columns *columns, int n)
{
	const OsmlProgram *program = columns->program;

	for (int d = 0; d < program->output.n_dense; d++)
	{
		if (program->number_home[program->dense[d]] != d)
			memcpy(columns->dense + (size_t) d * columns->stride,
				   number_column(columns, program->dense[d]),
				   (size_t) n * sizeof(double));
	}
	for (int k = 0; k < program->output.n_codes; k++)
	{
		if (program->code_home[program->codes[k]] != k)
			memcpy(columns->codes + (size_t) k * columns->stride,
				   code_column(columns, program->codes[k]),
				   (size_t) n * sizeof(int32_t));
	}
}

void
osml_program_run(const OsmlProgram *program, int n, size_t stride,
				 const double *numbers, const uint64_t *keys,
				 double *dense, int32_t *codes, void *scratch)
{
	Columns		columns = run_columns(program, n, stride, numbers, keys, scratch);

	columns.dense = dense;
	columns.codes = codes;
	for (int i = 0; i < program->n_steps; i++)
		run_step(&columns, &program->steps[i], n);
	copy_outputs(&columns, n);
}

/* what is not fitted yet is left out, and so is what reads it */
void
osml_program_run_steps(const OsmlProgram *program, int limit, int n, size_t stride,
					   const double *numbers, const uint64_t *keys, void *scratch)
{
	Columns		columns = run_columns(program, n, stride, numbers, keys, scratch);

	for (int i = 0; i < limit; i++)
	{
		if (program->steps[i].fitted)
			run_step(&columns, &program->steps[i], n);
	}
}

const double *
osml_program_number(const OsmlProgram *program, int index, int n, size_t stride,
					const double *numbers, const void *scratch)
{
	Columns		columns = run_columns(program, n, stride, numbers, NULL, scratch);

	return number_column(&columns, index);
}

void
osml_program_run_block(const OsmlProgram *program, const OsmlBlock *raw,
					   OsmlBlock *out, void *scratch)
{
	const OsmlLayout *from = &program->input;
	const OsmlLayout *to = &program->output;
	size_t		wide = (size_t) raw->nrows * sizeof(double);

	memcpy(out, raw, offsetof(OsmlBlock, data));
	osml_program_run(program, raw->nrows, OSML_BLOCK_STRIDE, raw->data,
					 osml_block_keys(raw, from, 0), out->data,
					 osml_block_codes(out, to, 0), scratch);
	memcpy(osml_block_label(out, to), osml_block_label(raw, from), wide);
	if (to->has_weight)
		memcpy(osml_block_label(out, to) + OSML_BLOCK_STRIDE,
			   osml_block_label(raw, from) + OSML_BLOCK_STRIDE, wide);
	if (to->has_row_number)
		memcpy(osml_block_codes(out, to, to->n_codes),
			   osml_block_codes(raw, from, from->n_codes),
			   (size_t) raw->nrows * sizeof(uint32_t));
}
