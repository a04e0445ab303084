/*
 * program.h
 *	  From a reader's columns to a model's: transforms in a row.
 *
 * A program has number and key columns as inputs, in the order of the readers'
 * layout, and steps that read inputs or the outputs of earlier steps.  Some
 * columns are its outputs: they are the dense columns and the codes of a
 * model's block.  Without steps the outputs are the inputs.
 *
 * Built once (source/ knows names and types), fitted to the training rows
 * (fit.h), then run over blocks and single rows alike.  Nothing changes while
 * it runs, so several threads may.
 */
#ifndef OSML_PROGRAM_H
#define OSML_PROGRAM_H

#include "compute/block.h"
#include "features/transform.h"

/* a column inside a program */
typedef struct OsmlRegister
{
	OsmlValueKind kind;
	int			index;			/* among the columns of its kind */
} OsmlRegister;

typedef struct OsmlProgramStep
{
	OsmlStep	step;
	OsmlRegister in[OSML_MAX_STEP_INPUTS];
	OsmlRegister out;			/* its first output; the others follow */
	int			n_out;
	bool		fitted;			/* and prepared */
	bool		no_values;		/* but to rows without a value: its parameters are
								 * made up */
	bool		overflows;		/* but to values so large that a parameter would not
								 * be finite: made up too */
	bool		beyond;			/* but to values that are all beyond a bound that is
								 * given: made up too */
	double		least;			/* of the values, where they are beyond */
	double		greatest;
} OsmlProgramStep;

typedef struct OsmlProgram
{
	OsmlArena	arena;			/* everything below lives there */
	OsmlLayout	input;			/* what readers send */
	OsmlLayout	output;			/* what the model sees; complete once fitted */
	int			n_numbers;		/* number columns, inputs included */
	int			n_codes;
	int			n_steps;
	OsmlProgramStep *steps;
	int		   *dense;			/* output.n_dense number columns */
	bool	   *scaled;			/* of each: needs no further scaling */
	int		   *codes;			/* output.n_codes code columns */
	int32_t    *code_sizes;		/* of each; output.code_sizes points here */
	bool		identity;		/* outputs are the inputs, there are no steps */

	/* program.c's own */
	bool		declared;		/* outputs are as declared, not the inputs */
	int		   *number_home;	/* of each number column: the dense column that a
								 * run writes at once, or -1: it is in scratch */
	int		   *code_home;		/* of each code column, likewise */
} OsmlProgram;

/* an empty program over a reader's layout; weight and row number pass through */
extern OsmlProgram *osml_program_create(const OsmlArena *arena,
										const OsmlLayout *input);

/*
 * Append a step (its transform, params and n_in are used; copied).  Returns
 * it, so that the caller learns its outputs; NULL when memory is out or message
 * (256 bytes) says what is wrong: the number or kind of inputs, check().
 */
extern OsmlProgramStep *osml_program_add(OsmlProgram *program, const OsmlStep *step,
										 const OsmlRegister *in, char *message);

/* make a column an output, in the order of the calls */
extern OsmlStatus osml_program_output(OsmlProgram *program, OsmlRegister column,
									  bool scaled);

/*
 * Prepare what is fitted: steps whose parameters are complete, in order.  Sets
 * code_sizes.  *complete: nothing is left to fit.  On failure *bad is the step
 * and message (256 bytes) says why, such as a cross of too many codes.
 */
extern OsmlStatus osml_program_prepare(OsmlProgram *program, bool *complete,
									   int *bad, char *message);

/* does a step, or one that it reads, have parameters that are made up? */
extern bool osml_program_made_up(const OsmlProgram *program, int step);

/* are the steps that make a step's inputs fitted? */
extern bool osml_program_ready(const OsmlProgram *program, int step);

/* the step that makes a column, or -1: it is an input */
extern int	osml_program_maker(const OsmlProgram *program, OsmlRegister column);

/*
 * The step that makes a code column, or -1.  Here and below a code column is a
 * register's index: codes[k] for the k-th of a model's.
 */
extern int	osml_program_code_step(const OsmlProgram *program, int code_column);

/* a code of a code column for people: "[38.3, 38.5)", "cash", "a x b", ... */
extern void osml_program_code_name(const OsmlProgram *program, int code_column,
								   int64_t code, char *out, size_t size);

/* scratch bytes for runs of up to n rows */
extern size_t osml_program_scratch(const OsmlProgram *program, int n);

/*
 * Rows of a reader's layout to rows of the model's.  Column j of the inputs
 * starts at numbers + j * stride, key column k at keys + k * stride; the outputs
 * likewise with the same stride (a block's is OSML_BLOCK_STRIDE, a single row's
 * 1).  Inputs and outputs do not overlap.
 */
extern void osml_program_run(const OsmlProgram *program, int n, size_t stride,
							 const double *numbers, const uint64_t *keys,
							 double *dense, int32_t *codes, void *scratch);

/* the steps up to `limit` only, for fitting; registers stay in scratch */
extern void osml_program_run_steps(const OsmlProgram *program, int limit, int n,
								   size_t stride, const double *numbers,
								   const uint64_t *keys, void *scratch);

/* a number column after osml_program_run_steps, or an input */
extern const double *osml_program_number(const OsmlProgram *program, int index,
										 int n, size_t stride, const double *numbers,
										 const void *scratch);

/* a whole block: dense, label, weight, codes and row numbers */
extern void osml_program_run_block(const OsmlProgram *program, const OsmlBlock *raw,
								   OsmlBlock *out, void *scratch);

#endif							/* OSML_PROGRAM_H */
