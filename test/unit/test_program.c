/*
 * test_program.c
 *	  Programs: a row alone and in a block, for random programs and awkward
 *	  values; names of codes; and fitting in passes.
 *
 * Reference values of fits: numpy 1.24, mean, std and quantile with method
 * inverted_cdf.
 */
#include "tap.h"

#include "features/fit.h"
#include "fixtures/arena.h"
#include "fixtures/blocks.h"
#include "fixtures/steps.h"

static TestArena arena;

#define NUMBERS 4
#define KEYS 2
#define MOST_STEPS 24

static const OsmlLayout mixed = {
	.n_dense = NUMBERS,.n_keys = KEYS,.has_weight = true,.has_row_number = true
};

/* random numbers of the property test */
static uint64_t drawn;

static int
below(int n)
{
	OsmlRandomKey key = {.seed = 6,.stream = 2000};

	return (int) osml_random_below(key, drawn++, (uint64_t) n);
}

static OsmlRegister
number_in(int j)
{
	return (OsmlRegister) {OSML_VALUE_NUMBER, j};
}

/* add a step that must fit; returns its first output */
static OsmlRegister
add(OsmlProgram *program, const OsmlStep *step, const OsmlRegister *in)
{
	char		message[256];
	OsmlProgramStep *added = osml_program_add(program, step, in, message);

	if (added == NULL)
	{
		ok(false, "%s: %s", step->transform->name, message);
		exit(1);
	}
	return added->out;
}

/* prepare; nothing must be left to fit */
static void
complete(OsmlProgram *program)
{
	char		message[256];
	bool		is_complete;
	int			bad;

	if (osml_program_prepare(program, &is_complete, &bad, message) != OSML_OK)
		ok(false, "step %d: %s", bad, message);
	else if (!is_complete)
		ok(false, "steps are left to fit");
}

/* ---- one row and many ---- */

static char *colours[] = {"red", "green", "blue", "", "yellow"};

/* parameters at random, all of them given or learned */
static void
draw_params(OsmlStep *step)
{
	static double edges[6] = {-0.5, -0.25, 0, 0.1, 0.25, 1e6};
	const char *name = step->transform->name;

	if (strcmp(name, "clip") == 0)
		step_set(step, below(2) ? "lo" : "quantile", 0.25);
	else if (strcmp(name, "impute") == 0)
	{
		step_set(step, "method", below(3));
		if (step_param(step, "method")->number == 2)
			step_set(step, "value", 0.125);
		step_set(step, "flag", below(2));
	}
	else if (strcmp(name, "cyclic") == 0)
		step_set(step, "period", 0.75);
	else if (strcmp(name, "date_part") == 0)
	{
		step_set(step, "part", 1 + below(10));
		step_set(step, "cyclic", below(2));
	}
	else if (strcmp(name, "category") == 0 && below(2))
		step_texts(step, "categories", 4, colours);
	else if (strcmp(name, "hash") == 0 || strcmp(name, "cross") == 0)
		step_set(step, "buckets", 1 + below(500));
	else if (strcmp(name, "bin") == 0)
	{
		step_set(step, "method", below(3));
		step_set(step, "outside", below(2));
		if (step_param(step, "method")->number == 2)
			step_numbers(step, "edges", 2 + below(5), edges);
		else
			step_set(step, "bins", 1 + below(40));
		if (step_param(step, "method")->number == 0 && below(2))
			step_set(step, "lo", -0.5);
	}
}

/* inputs at random among the columns there are; false: none of their kind */
static bool
draw_inputs(const OsmlProgram *program, OsmlStep *step, OsmlRegister *in)
{
	const OsmlTransform *t = step->transform;
	int			n = t->input == OSML_VALUE_NUMBER ? program->n_numbers :
		t->input == OSML_VALUE_KEY ? KEYS : program->n_codes;

	step->n_in = t->min_inputs + (t->max_inputs > t->min_inputs ? below(2) : 0);
	for (int k = 0; k < step->n_in && n > 0; k++)
		in[k] = (OsmlRegister) {t->input, below(n)};
	return n > 0;
}

/* does a category come twice, as no step of a program may have it? */
static bool
is_repeated(const OsmlStep *step, const OsmlRegister *in)
{
	for (int k = 1; k < step->n_in && step->transform->input == OSML_VALUE_CODE; k++)
	{
		for (int l = 0; l < k; l++)
		{
			if (in[l].index == in[k].index)
				return true;
		}
	}
	return false;
}

/* a program of random steps, some columns of which are outputs, some twice */
static OsmlProgram *
draw_program(int n_steps)
{
	OsmlProgram *program = osml_program_create(&arena.arena, &mixed);
	int			n_transforms = 0;

	while (osml_transforms[n_transforms] != NULL)
		n_transforms++;
	while (program->n_steps < n_steps)
	{
		OsmlStep	step = {.transform = osml_transforms[below(n_transforms)]};
		OsmlRegister in[OSML_MAX_STEP_INPUTS];

		draw_params(&step);
		if (draw_inputs(program, &step, in) && !is_repeated(&step, in))
			add(program, &step, in);
	}
	for (int i = 0; i < n_steps; i++)
		osml_program_output(program, number_in(below(program->n_numbers)), false);
	for (int i = 0; i < n_steps && program->n_codes > 0; i++)
		osml_program_output(program,
							(OsmlRegister) {OSML_VALUE_CODE, below(program->n_codes)},
							false);
	return program;
}

/* a number that may be awkward; edges of the program's bins are */
static double
draw_number(const OsmlProgram *program)
{
	const double awkward[] = {
		osml_missing(), NAN, INFINITY, -INFINITY, 0, -0.0, -1, 1e300, -1e300, 5e-324,
		-0.5, 0.25, 1e6, 1735689599.5
	};
	int			kind = below(4);
	double		x = noise(3, drawn++);

	if (kind == 0)
		return awkward[below((int) (sizeof(awkward) / sizeof(awkward[0])))];
	for (int i = 0; kind == 1 && i < program->n_steps; i++)
	{
		int			n;
		const double *edges = osml_bin_edges(&program->steps[i].step, &n);

		if (edges != NULL && below(2))
			x = edges[below(n)];
	}
	if (kind == 1 && below(2))
		x = nextafter(x, below(2) ? INFINITY : -INFINITY);
	return kind == 2 ? floor(x * 1e9) : x;
}

/* columns of such numbers, and of keys that are known, unknown or NULL */
static void
draw_block(const OsmlProgram *program, OsmlBlock *raw)
{
	for (int i = 0; i < raw->nrows; i++)
	{
		for (int j = 0; j < NUMBERS; j++)
			osml_block_column(raw, j)[i] = draw_number(program);
		for (int k = 0; k < KEYS; k++)
			osml_block_keys(raw, &mixed, k)[i] = below(6) ?
				key_of(colours[below(5)]) : below(2) ? OSML_KEY_NULL : drawn;
		osml_block_label(raw, &mixed)[i] = i;
		osml_block_label(raw, &mixed)[i + OSML_BLOCK_STRIDE] = -i;
		osml_block_row_numbers(raw, &mixed)[i] = (uint32_t) i * 3;
	}
}

/* fit what is to be fitted to the block's rows; returns the number of passes */
static int
learn(OsmlProgram *program, const OsmlBlock *raw, const bool *use)
{
	OsmlFitPass *pass;
	OsmlStatus	status;
	int			passes = 0;

	while ((pass = osml_fit_begin(program, &arena.arena, 0, &status)) != NULL)
	{
		char		message[256];
		int			bad;

		for (int k = 0; k < program->input.n_keys; k++)
		{
			for (int c = 0; c < 5 && osml_fit_wants_texts(pass, k); c++)
				osml_fit_text(pass, k, key_of(colours[c]), colours[c], strlen(colours[c]));
		}
		if (osml_fit_block(pass, raw, use) != OSML_OK ||
			osml_fit_end(pass, &bad, message) != OSML_OK || ++passes > MOST_STEPS)
			break;
	}
	if (status != OSML_OK || pass != NULL)
		ok(false, "fitting fails");
	return passes;
}

/* rows [row, row + n) of a block through a run of their own: are the bits the same? */
static int
rows_differ(const OsmlProgram *program, const OsmlBlock *raw, const OsmlBlock *out,
			int row, int n)
{
	double		numbers[NUMBERS * 40];
	uint64_t	keys[KEYS * 40];
	double		dense[MOST_STEPS * 40];
	int32_t		codes[MOST_STEPS * 40];
	void	   *scratch = malloc(osml_program_scratch(program, n));
	int			differ = 0;

	for (int i = 0; i < n; i++)
	{
		for (int j = 0; j < NUMBERS; j++)
			numbers[j * n + i] = osml_block_column(raw, j)[row + i];
		for (int k = 0; k < KEYS; k++)
			keys[k * n + i] = osml_block_keys(raw, &mixed, k)[row + i];
	}
	osml_program_run(program, n, (size_t) n, numbers, keys, dense, codes, scratch);
	for (int d = 0; d < program->output.n_dense; d++)
		differ += memcmp(&dense[d * n], osml_block_column(out, d) + row,
						 (size_t) n * sizeof(double)) != 0;
	for (int k = 0; k < program->output.n_codes; k++)
		differ += memcmp(&codes[k * n], osml_block_codes(out, &program->output, k) + row,
						 (size_t) n * sizeof(int32_t)) != 0;
	free(scratch);
	return differ;
}

/* codes within their columns' sizes; label, weight and numbers of rows as before */
static int
block_wrong(const OsmlProgram *program, const OsmlBlock *out)
{
	int			wrong = 0;
	OsmlBlock  *writable = (OsmlBlock *) out;

	for (int i = 0; i < out->nrows; i++)
	{
		for (int k = 0; k < program->output.n_codes; k++)
		{
			int32_t		code = osml_block_codes(out, &program->output, k)[i];

			wrong += code < 0 || code >= program->output.code_sizes[k];
		}
		wrong += osml_block_label(out, &program->output)[i] != i ||
			osml_block_label(out, &program->output)[i + OSML_BLOCK_STRIDE] != -i ||
			osml_block_row_numbers(writable, &program->output)[i] != (uint32_t) i * 3;
	}
	return wrong;
}

/* a row has the same bits alone, among a few rows and in a block */
static void
test_rows(void)
{
	OsmlBlock  *raw = block_new(&mixed, OSML_BLOCK_ROWS);
	int			differ = 0;
	int			wrong = 0;

	for (int round = 0; round < 150; round++)
	{
		OsmlProgram *program = draw_program(1 + below(MOST_STEPS));
		OsmlBlock  *out;
		void	   *scratch;

		raw->nrows = below(4) ? 200 + below(825) : below(40);
		draw_block(program, raw);
		learn(program, raw, NULL);
		draw_block(program, raw);
		complete(program);
		out = block_new(&program->output, 0);
		scratch = malloc(osml_program_scratch(program, OSML_BLOCK_ROWS));
		osml_program_run_block(program, raw, out, scratch);
		wrong += block_wrong(program, out) + (out->nrows != raw->nrows);
		for (int row = 0; row < raw->nrows; row++)
			differ += rows_differ(program, raw, out, row, 1);
		for (int row = 0; row + 40 <= raw->nrows; row += 40)
			differ += rows_differ(program, raw, out, row, 1 + below(40));
		free(scratch);
		free(out);
		test_arena_free(&arena);
	}
	ok(differ == 0, "random programs: rows alone and in blocks have the same bits");
	ok(wrong == 0, "codes are in range, and what is not a feature passes through");
	free(raw);
}

/* ---- building and names ---- */

/* the design's example: pairs of cells, and the pair of pairs */
static void
test_cells(void)
{
	const OsmlLayout trips = {.n_dense = 4};
	const double range[4][2] = {{38.30, 38.90}, {-76.48, -76.12}, {38.30, 38.90}, {-76.48, -76.12}};
	const double trip[4] = {38.31, -76.47, 38.61, -76.14};
	OsmlProgram *program = osml_program_create(&arena.arena, &trips);
	OsmlStep	cross = step_of("cross");
	OsmlRegister cell[4];
	OsmlRegister pair[2];
	int32_t		codes[3];
	char		name[256];
	double		scratch[100];

	for (int j = 0; j < 4; j++)
	{
		OsmlRegister in = number_in(j);
		OsmlStep	bin = step_width(range[j][0], range[j][1], 3);

		cell[j] = add(program, &bin, &in);
	}
	pair[0] = add(program, &cross, &cell[0]);
	pair[1] = add(program, &cross, &cell[2]);
	osml_program_output(program, pair[1], false);
	osml_program_output(program, add(program, &cross, pair), false);
	osml_program_output(program, cell[3], false);
	complete(program);
	ok(osml_program_scratch(program, 1) <= sizeof(scratch), "scratch of a row is small");
	osml_program_run(program, 1, 1, trip, NULL, NULL, codes, scratch);
	ok(codes[0] == 1 * 5 + 2 && codes[1] == 7 && codes[2] == 2,
	   "drop-off is 1, 2 and the trip 0, 0, 1, 2");
	ok(program->output.n_codes == 3 && program->output.code_sizes[0] == 25 &&
	   program->output.code_sizes[1] == 625 && program->output.code_sizes[2] == 5 &&
	   program->output.n_dense == 0, "sizes of code columns");
	osml_program_code_name(program, program->codes[0], 7, name, sizeof(name));
	ok(strcmp(name, "[38.5, 38.7) x [-76.24, -76.12]") == 0, "a pair's name: %s", name);
	osml_program_code_name(program, program->codes[1], 3 * 125 + 4 * 25 + 7, name,
						   sizeof(name));
	ok(strcmp(name, "(other) x (null) x [38.5, 38.7) x [-76.24, -76.12]") == 0,
	   "a pair of pairs': %s", name);
	osml_program_code_name(program, program->codes[1], 7, name, 20);
	ok(strlen(name) == 19, "a name that is too long is cut off");
	ok(osml_program_code_step(program, program->codes[0]) == 5, "the step of a code column");
	step_set(&cross, "buckets", 100);
	pair[0] = add(program, &cross, pair);
	complete(program);
	osml_program_code_name(program, pair[0].index, 7, name, sizeof(name));
	ok(strcmp(name, "bucket 7") == 0, "a bucket's name");
	test_arena_free(&arena);
}

/* a step that does not fit */
static void
refused(OsmlProgram *program, const OsmlStep *step, const OsmlRegister *in,
		const char *want)
{
	char		message[256] = "";

	ok(osml_program_add(program, step, in, message) == NULL && strcmp(message, want) == 0,
	   "%s %s", step->transform->name, want);
	if (strcmp(message, want) != 0)
		printf("# got \"%s\"\n", message);
}

static void
test_building(void)
{
	const OsmlLayout plain = {.n_dense = 3};
	OsmlProgram *program = osml_program_create(&arena.arena, &plain);
	const OsmlRegister in[4] = {{OSML_VALUE_NUMBER, 0}, {OSML_VALUE_NUMBER, 1},
	{OSML_VALUE_NUMBER, 2}, {OSML_VALUE_NUMBER, 3}};
	const double row[3] = {1, 2, 3};
	double		out[3];
	OsmlStep	step = step_of("great_circle");

	complete(program);
	ok(program->identity && program->output.n_dense == 3, "outputs are the inputs");
	osml_program_run(program, 1, 1, row, NULL, out, NULL, NULL);
	ok(memcmp(row, out, sizeof(row)) == 0, "and are copied");
	for (int j = 0; j < 3; j++)
		osml_program_output(program, in[j], false);
	ok(program->identity, "saying so makes no difference");
	refused(program, &step, in, "input 4 must be a number, not a number");
	step.n_in = 3;
	refused(program, &step, in, "takes 4 inputs, not 3");
	step = step_of("cross");
	refused(program, &step, in, "input 1 must be a bin or a coded category, not a number");
	step.n_in = 1;
	refused(program, &step, in, "takes at least 2 inputs, not 1");
	step = step_of("category");
	refused(program, &step, in, "input 1 must be a category, not a number");
	step = step_of("bin");
	refused(program, &step, in, "method width needs bins");
	ok(program->identity && program->n_steps == 0, "a step that is refused changes nothing");
	step = step_of("log1p");
	osml_program_output(program, add(program, &step, &in[1]), false);
	ok(!program->identity && program->output.n_dense == 4, "a step makes it a program");
	ok(osml_program_output(program, (OsmlRegister) {OSML_VALUE_CODE, 0}, false) ==
	   OSML_BAD_SHAPE, "a column that is not there is no output");
	ok(!osml_program_create(&arena.arena, &mixed)->identity, "keys are no outputs");
	test_arena_free(&arena);
}

/* ---- fitting ---- */

static const double eleven[11] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5};

/* a parameter of a program's step */
static double
fitted(OsmlProgram *program, int step, const char *name)
{
	return step_param(&program->steps[step].step, name)->number;
}

/* impute, then standardize, which waits for it; rows that do not count do not */
static void
test_passes(void)
{
	const OsmlLayout one = {.n_dense = 1};
	OsmlProgram *program = osml_program_create(&arena.arena, &one);
	OsmlBlock  *raw = block_new(&one, 14);
	OsmlStep	impute = step_of("impute");
	OsmlStep	standardize = step_of("standardize");
	OsmlStep	minmax = step_of("minmax");
	OsmlRegister in = number_in(0);
	bool		use[14];

	memcpy(osml_block_column(raw, 0), eleven, sizeof(eleven));
	for (int i = 0; i < 14; i++)
		use[i] = i < 13;
	osml_block_column(raw, 0)[11] = osml_missing();
	osml_block_column(raw, 0)[12] = INFINITY;
	osml_block_column(raw, 0)[13] = 1e9;
	step_choose(&impute, "method", "median");
	in = add(program, &impute, &in);
	in = add(program, &standardize, &in);
	in = add(program, &minmax, &in);
	osml_program_output(program, in, true);
	ok(learn(program, raw, use) == 3, "three steps in a row take three passes");
	ok(fitted(program, 0, "value") == 4, "median of eleven");
	is_close(fitted(program, 1, "mean"), 4, 1e-15, 0, "mean of twelve");
	is_close(fitted(program, 1, "std"), 2.160246899469287, 1e-15, 0, "their deviation");
	is_close(fitted(program, 2, "min"), -1.3887301496588271, 1e-15, 0, "their minimum, scaled");
	is_close(fitted(program, 2, "max"), 2.3145502494313783, 1e-15, 0, "and maximum");
	ok(program->output.n_dense == 1 && program->steps[2].fitted, "all is prepared");
	free(raw);
	test_arena_free(&arena);
}

/* two columns of squares, one after the other, on one grid */
static void
test_group(void)
{
	const OsmlLayout two = {.n_dense = 2,.n_keys = 1};
	OsmlProgram *program = osml_program_create(&arena.arena, &two);
	OsmlBlock  *raw = block_new(&two, 50);
	OsmlStep	bin = step_of("bin");
	OsmlStep	clip = step_of("clip");
	OsmlStep	width = step_of("bin");
	OsmlStep	category = step_of("category");
	const OsmlRegister in[2] = {number_in(0), number_in(1)};
	const OsmlRegister key = {OSML_VALUE_KEY, 0};
	const double want[6] = {0, 361, 1521, 3481, 6241, 9801};
	char		name[16];

	for (int i = 0; i < 50; i++)
	{
		osml_block_column(raw, 0)[i] = i * i;
		osml_block_column(raw, 1)[i] = (i + 50) * (i + 50);
		osml_block_keys(raw, &two, 0)[i] =
			i < 4 ? OSML_KEY_NULL : key_of(colours[i < 25 ? 2 : i < 40 ? 0 : i < 49 ? 4 : 1]);
	}
	step_choose(&bin, "method", "quantile");
	step_set(&bin, "bins", 5);
	bin.group = 1;
	step_set(&clip, "quantile", 0.05);
	clip.group = 2;
	step_set(&width, "bins", 4);
	step_set(&category, "min_count", 2);
	for (int j = 0; j < 2; j++)
	{
		add(program, &bin, &in[j]);
		add(program, &clip, &in[j]);
		add(program, &width, &in[j]);
	}
	osml_program_output(program, add(program, &category, &key), false);
	ok(learn(program, raw, NULL) == 1, "one pass for all of it");
	for (int j = 0; j < 2; j++)
	{
		OsmlParam  *edges = step_param(&program->steps[3 * j].step, "edges");

		ok(edges->n == 6 && memcmp(edges->numbers, want, sizeof(want)) == 0,
		   "column %d: quantiles of both columns", j);
		ok(fitted(program, 3 * j + 1, "lo") == 16 && fitted(program, 3 * j + 1, "hi") == 8836,
		   "column %d: bounds of both columns", j);
		ok(fitted(program, 3 * j + 2, "lo") == (j ? 2500 : 0) &&
		   fitted(program, 3 * j + 2, "hi") == (j ? 9801 : 2401),
		   "column %d: bounds of its own without a group", j);
	}
	ok(program->output.code_sizes[0] == 5, "three categories of two rows and more");
	osml_program_code_name(program, program->codes[0], 1, name, sizeof(name));
	ok(strcmp(name, "red") == 0, "in the order of their counts");
	free(raw);
	test_arena_free(&arena);
}

/* columns without a range, or without a value: what is learned passes the checks */
static void
test_nothing(void)
{
	static const char *const names[] = {"standardize", "minmax", "clip", "impute", "bin", "bin"};
	const double values[] = {osml_missing(), 0, 5, -1e300, 1e16, NAN};
	const OsmlLayout one = {.n_dense = 1};
	OsmlBlock  *raw = block_new(&one, 20);
	OsmlRegister in = number_in(0);
	int			bad = 0;

	for (int v = 0; v < 6; v++)
	{
		OsmlProgram *program = osml_program_create(&arena.arena, &one);

		for (int i = 0; i < 20; i++)
			osml_block_column(raw, 0)[i] = values[v];
		for (int s = 0; s < 6; s++)
		{
			OsmlStep	step = step_of(names[s]);

			if (s == 2)
				step_set(&step, "quantile", 0.1);
			if (s >= 4)
				step_set(&step, "bins", 10);
			if (s == 5)
				step_choose(&step, "method", "quantile");
			add(program, &step, &in);
		}
		learn(program, raw, NULL);
		for (int s = 0; s < 6; s++)
		{
			OsmlStep   *step = &program->steps[s].step;
			char		message[256];

			bad += !program->steps[s].fitted ||
				(step->transform->check != NULL && !step->transform->check(step, message));
		}
		test_arena_free(&arena);
	}
	ok(bad == 0, "a constant, or nothing, is learned from too");
	free(raw);
}

/* steps of a group that read one another cannot be fitted together */
static void
test_deadlock(void)
{
	const OsmlLayout one = {.n_dense = 1};
	OsmlProgram *program = osml_program_create(&arena.arena, &one);
	OsmlStep	step = step_of("standardize");
	OsmlRegister in = number_in(0);
	OsmlStatus	status;

	step.group = 7;
	in = add(program, &step, &in);
	add(program, &step, &in);
	ok(osml_fit_begin(program, &arena.arena, 0, &status) == NULL && status == OSML_BAD_SHAPE,
	   "a group that waits for itself is an error");
	test_arena_free(&arena);
}

/* build, fit and prepare with so many allocations; false: memory was out */
static bool
within(long budget, const OsmlBlock *raw)
{
	static const char *const names[] = {"bin", "impute", "category", "bin"};
	OsmlProgram *program;
	OsmlFitPass *pass;
	OsmlStatus	status;
	char		message[256];
	int			bad;

	arena.budget = budget;
	program = osml_program_create(&arena.arena, &mixed);
	for (int s = 0; program != NULL && s < 4; s++)
	{
		OsmlStep	step = step_of(names[s]);
		const OsmlRegister in = {step.transform->input, 0};
		OsmlProgramStep *added;

		if (strcmp(names[s], "bin") == 0)
			step_set(&step, "bins", 3);
		step_set(&step, step.transform->params[0].name, s == 2 ? 100 : s == 0);
		added = osml_program_add(program, &step, &in, message);
		if (added == NULL || osml_program_output(program, added->out, false) != OSML_OK)
			return false;
	}
	if (program == NULL)
		return false;
	while ((pass = osml_fit_begin(program, &arena.arena, 0, &status)) != NULL)
	{
		if (osml_fit_text(pass, 0, key_of("red"), "red", 3) != OSML_OK ||
			osml_fit_block(pass, raw, NULL) != OSML_OK ||
			osml_fit_end(pass, &bad, message) != OSML_OK)
			return false;
	}
	return status == OSML_OK;
}

/* memory may be out at any moment, which nothing but the result shows */
static void
test_memory(void)
{
	OsmlBlock  *raw = block_noise(&mixed, 1000, 0);
	long		budget = 0;

	while (!within(budget, raw) && budget < 2000)
	{
		test_arena_free(&arena);
		budget++;
	}
	ok(budget > 10 && budget < 2000, "out of memory at each of %ld allocations", budget);
	arena.budget = -1;
	test_arena_free(&arena);
	free(raw);
}

int
main(void)
{
	test_arena_init(&arena);
	test_cells();
	test_building();
	test_passes();
	test_group();
	test_nothing();
	test_deadlock();
	test_memory();
	test_rows();
	test_arena_free(&arena);
	return done();
}
