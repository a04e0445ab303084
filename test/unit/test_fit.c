/*
 * test_fit.c
 *	  Fitting from what another pass found out: the same as from the rows; and
 *	  from rows without a value.
 */
#include <math.h>

#include "tap.h"

#include "features/fit.h"
#include "fixtures/arena.h"
#include "fixtures/blocks.h"
#include "fixtures/steps.h"

#define ROWS 1000

static TestArena arena;

static const OsmlLayout layout = {.n_dense = 2,.n_keys = 1};

static const OsmlRegister numbers[] = {{OSML_VALUE_NUMBER, 0}, {OSML_VALUE_NUMBER, 1}};
static const OsmlRegister key = {OSML_VALUE_KEY, 0};

/* quantile bins of a number, a shared scale of both, a category, a step behind one */
static OsmlProgram *
program_new(void)
{
	OsmlProgram *program = osml_program_create(&arena.arena, &layout);
	OsmlStep	bin = step_of("bin");
	OsmlStep	scale = step_of("standardize");
	OsmlStep	impute = step_of("impute");
	OsmlStep	category = step_of("category");
	OsmlProgramStep *imputed;
	char		message[256];

	step_choose(&bin, "method", "quantile");
	step_set(&bin, "bins", 8);
	step_set(&category, "max_categories", 3);
	osml_program_add(program, &bin, &numbers[0], message);
	osml_program_add(program, &category, &key, message);
	imputed = osml_program_add(program, &impute, &numbers[1], message);
	osml_program_add(program, &scale, &imputed->out, message);
	scale.group = 1;
	osml_program_add(program, &scale, &numbers[0], message);
	osml_program_add(program, &scale, &numbers[1], message);
	return program;
}

static OsmlBlock *
block_of_rows(void)
{
	OsmlBlock  *raw = block_new(&layout, ROWS);

	for (int i = 0; i < ROWS; i++)
	{
		osml_block_column(raw, 0)[i] = noise(1, (uint64_t) i);
		osml_block_column(raw, 1)[i] = i % 3 ? 5 + noise(2, (uint64_t) i) : osml_missing();
		osml_block_keys(raw, &layout, 0)[i] = osml_key("abcdefgh" + i * i % 8, 1);
	}
	return raw;
}

static void
tell_texts(OsmlTally *tally, OsmlFitPass *pass)
{
	for (int i = 0; i < 8; i++)
	{
		const char *text = &"abcdefgh"[i];

		if (tally != NULL)
			osml_tally_text(tally, osml_key(text, 1), text, 1);
		else
			osml_fit_text(pass, 0, osml_key(text, 1), text, 1);
	}
}

/* fit by rows, or by profiles where they are enough; how many passes read rows */
static int
learn(OsmlProgram *program, const OsmlBlock *raw, bool by_profile, int capacity)
{
	const unsigned needs = OSML_NEED_MOMENTS | OSML_NEED_QUANTILES | OSML_NEED_TALLY;
	OsmlFitPass *pass;
	OsmlStatus	status;
	OsmlProfile profiles[3];
	int			read = 0;

	for (int i = 0; i < 3; i++)
		osml_profile_init(&profiles[i], &arena.arena, i < 2 ? needs : OSML_NEED_TALLY,
						  capacity);
	tell_texts(profiles[2].tally, NULL);
	for (int i = 0; i < 2; i++)
		osml_profile_numbers(&profiles[i], osml_block_column(raw, i), NULL, ROWS);
	osml_profile_keys(&profiles[2], osml_block_keys(raw, &layout, 0), NULL, ROWS);
	while ((pass = osml_fit_begin(program, &arena.arena, 0, &status)) != NULL)
	{
		char		message[256];
		int			bad;

		for (int i = 0; by_profile && i < 3; i++)
			osml_fit_profile(pass, i < 2 ? numbers[i] : key, &profiles[i]);

		/* what a step makes is no input, and must not be taken for one */
		if (by_profile)
			osml_fit_profile(pass, (OsmlRegister) {OSML_VALUE_NUMBER, 2}, &profiles[0]);
		if (osml_fit_wants_rows(pass))
		{
			read++;
			if (osml_fit_wants_texts(pass, 0))
				tell_texts(NULL, pass);
			osml_fit_block(pass, raw, NULL);
		}
		if (osml_fit_end(pass, &bad, message) != OSML_OK || read > 9)
			return -1;
	}
	return status == OSML_OK ? read : -1;
}

/* a bin of a column of NULL and NaN, alone or on one grid with another column */
static OsmlProgram *
learn_from_nothing(int group)
{
	OsmlProgram *program = osml_program_create(&arena.arena, &layout);
	OsmlStep	bin = step_of("bin");
	OsmlBlock  *raw = block_of_rows();
	OsmlFitPass *pass;
	OsmlStatus	status;
	char		message[256];
	int			bad;

	for (int i = 0; i < ROWS; i++)
		osml_block_column(raw, 1)[i] = i % 2 ? NAN : osml_missing();
	step_set(&bin, "bins", 3);
	bin.group = group;
	for (int i = 0; i < 2; i++)
		osml_program_add(program, &bin, &numbers[i], message);
	pass = osml_fit_begin(program, &arena.arena, 0, &status);
	osml_fit_block(pass, raw, NULL);
	osml_fit_end(pass, &bad, message);
	free(raw);
	return program;
}

/* what is learned where there is no value is marked */
static void
test_no_values(void)
{
	OsmlProgram *alone = learn_from_nothing(0);
	OsmlProgram *together = learn_from_nothing(1);
	OsmlStep	cross = step_of("cross");
	char		message[256];

	ok(!alone->steps[0].no_values && alone->steps[1].no_values,
	   "a column without values is told apart");
	ok(!together->steps[0].no_values && !together->steps[1].no_values,
	   "unless it shares the values of another one");
	cross.n_in = 2;
	osml_program_add(alone, &cross, (OsmlRegister[]) {alone->steps[0].out, alone->steps[1].out},
					 message);
	ok(!osml_program_made_up(alone, 0) && osml_program_made_up(alone, 1) &&
	   osml_program_made_up(alone, 2), "and whatever reads it");
}

/* parameters are numbers, whatever the values were */
static void
test_overflow(void)
{
	OsmlProgram *program = osml_program_create(&arena.arena, &layout);
	OsmlStep	scale = step_of("standardize");
	OsmlBlock  *raw = block_of_rows();
	const OsmlParam *params;
	char		message[256];

	for (int i = 0; i < ROWS; i++)
		osml_block_column(raw, 1)[i] = i % 2 ? 1.7e308 : -1.7e308;
	for (int i = 0; i < 2; i++)
		osml_program_add(program, &scale, &numbers[i], message);
	ok(learn(program, raw, false, 0) == 1, "values too large to calculate with are no failure");
	params = program->steps[1].step.params;
	ok(params[0].number == 0 && params[1].number == 1, "but what is learned is made up");
	ok(program->steps[1].overflows && osml_program_made_up(program, 1), "which is marked");
	ok(!program->steps[0].overflows && !osml_program_made_up(program, 0),
	   "and has no say for others");
	free(raw);
}

/* a bound beyond all values is marked, with what they are; on a grid for all of it */
static void
test_beyond(void)
{
	OsmlProgram *program = osml_program_create(&arena.arena, &layout);
	OsmlStep	bin = step_of("bin");
	OsmlBlock  *raw = block_of_rows();
	char		message[256];

	for (int i = 0; i < ROWS; i++)
	{
		osml_block_column(raw, 0)[i] = i % 10;
		osml_block_column(raw, 1)[i] = 20 + i % 10;
	}
	step_set(&bin, "bins", 3);
	step_set(&bin, "lo", 15);
	for (int i = 0; i < 2; i++)
		osml_program_add(program, &bin, &numbers[i], message);
	bin.group = 1;
	for (int i = 0; i < 2; i++)
		osml_program_add(program, &bin, &numbers[i], message);
	step_set(&bin, "lo", 100);
	bin.group = 2;
	for (int i = 0; i < 2; i++)
		osml_program_add(program, &bin, &numbers[i], message);
	ok(learn(program, raw, false, 0) == 1, "a bound beyond all values is no failure");
	ok(program->steps[0].beyond && program->steps[0].least == 0 &&
	   program->steps[0].greatest == 9 && osml_program_made_up(program, 0) &&
	   !program->steps[1].beyond, "but is marked");
	ok(!program->steps[2].beyond && !program->steps[3].beyond,
	   "unless another column of the grid has values within");
	ok(program->steps[4].beyond && program->steps[5].beyond &&
	   program->steps[5].least == 0 && program->steps[5].greatest == 29, "or none has");
	free(raw);
}

/* do two programs have the same params? */
static bool
same(const OsmlProgram *a, const OsmlProgram *b)
{
	for (int s = 0; s < a->n_steps; s++)
		for (int p = 0; p < OSML_MAX_PARAMS; p++)
		{
			const OsmlParam *x = &a->steps[s].step.params[p];
			const OsmlParam *y = &b->steps[s].step.params[p];

			if (x->given != y->given || x->number != y->number || x->n != y->n)
				return false;
			for (int i = 0; i < x->n; i++)
			{
				if (x->numbers != NULL ? x->numbers[i] != y->numbers[i] :
					strcmp(x->texts[i], y->texts[i]) != 0)
					return false;
			}
		}
	return true;
}

int
main(void)
{
	OsmlBlock  *raw = block_of_rows();
	OsmlProgram *by_rows;
	OsmlProgram *by_profile;
	OsmlFitPass *pass;
	OsmlStatus	status;

	test_arena_init(&arena);
	by_rows = program_new();
	by_profile = program_new();
	pass = osml_fit_begin(program_new(), &arena.arena, 0, &status);
	ok(osml_fit_capacity(pass, key) >= 3, "a category says what it wants to be counted");
	ok(osml_fit_capacity(pass, numbers[0]) == 0, "a number needs no counts");
	ok(learn(by_rows, raw, false, 0) == 2, "two passes read rows");
	ok(learn(by_profile, raw, true, 10000) == 1,
	   "with profiles only the step behind another one reads rows");
	ok(same(by_rows, by_profile), "and all learn the same");

	/* a tally that has lost counts is not enough: the rows are read */
	by_profile = program_new();
	ok(learn(by_profile, raw, true, 1) == 2, "a small tally leaves the category to the rows");
	ok(same(by_rows, by_profile), "which then learns the same");
	test_no_values();
	test_overflow();
	test_beyond();
	free(raw);
	test_arena_free(&arena);
	return done();
}
