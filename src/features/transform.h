/*
 * transform.h
 *	  What a transform of a feature must offer: parameters, fitting, running.
 *
 * A transform turns columns of numbers, keys or codes into columns of numbers
 * or one column of codes.  Its parameters are given by a user or learned
 * ("fitted") from the training rows; a fitted transform is one whose parameters
 * are all there, so what a model stores is what a user could have written.
 *
 * The rows of a block and a single row go through the same run(): training and
 * prediction cannot differ.  NULL is osml_missing() among numbers and
 * OSML_KEY_NULL among keys; a transform of a NULL is NULL unless it says
 * otherwise, and so is one that is not defined (the logarithm of -2).
 *
 * Codes: the categories or bins themselves, from 0; then one for everything
 * else (`other`); then one for NULL, where NaN goes too.
 *
 * A new transform is one file transform_<name>.c and an entry in
 * osml_transforms[].  Next: program.h (steps in a row), fit.h (learning).
 */
#ifndef OSML_TRANSFORM_H
#define OSML_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compute/arena.h"
#include "compute/status.h"
#include "features/profile.h"

#define OSML_MAX_STEP_INPUTS 16
#define OSML_MAX_STEP_OUTPUTS 8
#define OSML_MAX_PARAMS 12

/* most codes a column may have: a table of weights in memory */
#define OSML_MAX_CODES (1 << 24)

typedef enum OsmlValueKind
{
	OSML_VALUE_NUMBER,
	OSML_VALUE_KEY,
	OSML_VALUE_CODE
} OsmlValueKind;

/* what a number counts since 1970; the numbers of date_part's choices */
typedef enum OsmlTimeUnit
{
	OSML_UNIT_NONE = -1,		/* it is no time */
	OSML_UNIT_SECONDS,
	OSML_UNIT_DAYS
} OsmlTimeUnit;

typedef enum OsmlParamType
{
	OSML_PARAM_NUMBER,
	OSML_PARAM_INTEGER,
	OSML_PARAM_BOOL,
	OSML_PARAM_CHOICE,			/* one of a list of words; number is its index */
	OSML_PARAM_NUMBERS,
	OSML_PARAM_TEXTS
} OsmlParamType;

/* a parameter, as a transform declares it */
typedef struct OsmlParamDef
{
	const char *name;
	OsmlParamType type;
	bool		fitted;			/* learned from rows where it is not given */
	double		low;			/* range of a number, of each of several */
	double		high;
	double		standard;		/* where not given; NaN: none */
	const char *const *choices; /* NULL-terminated */
	const char *meaning;
} OsmlParamDef;

/* its value in one step; arrays are in the program's arena */
typedef struct OsmlParam
{
	bool		given;			/* by the user, or fitted */
	double		number;			/* also bool, integer and choice */
	int			n;				/* members of the next two */
	double	   *numbers;
	char	  **texts;
} OsmlParam;

struct OsmlTransform;

/* one step of a program; inputs and outputs are columns, see program.h */
typedef struct OsmlStep
{
	const struct OsmlTransform *transform;
	OsmlParam	params[OSML_MAX_PARAMS];	/* in the order of the declarations */
	int			n_in;
	int			group;			/* steps of one group, not 0, are fitted together
								 * and have one set of parameters */
	int32_t		in_codes[OSML_MAX_STEP_INPUTS];	/* code inputs: how many codes */
	void	   *table;			/* what prepare() built, or NULL */
} OsmlStep;

/* columns of a run: x[i] points to n values; numbers, keys or codes by kind */
typedef union OsmlColumn
{
	double	   *number;
	uint64_t   *key;
	int32_t    *code;
} OsmlColumn;

typedef struct OsmlTransform
{
	const char *name;			/* "log1p", as users write it */
	const char *meaning;
	OsmlValueKind input;		/* kind of all its inputs */
	int			min_inputs;
	int			max_inputs;
	bool		makes_codes;	/* one code column; else number columns */
	bool		keeps_null;		/* false: its output never is NULL */
	bool		scales;			/* its output needs no further scaling */
	bool		keeps_unit;		/* days remain days, seconds seconds */
	bool		turns;			/* it goes round, or is a part: values far apart may come
								 * out alike */
	const OsmlParamDef *params; /* n_params of them */
	int			n_params;
	const char *by_hand;		/* how to do without learning, for people, or NULL */

	/* number columns it makes; NULL: one (and for codes one column) */
	int			(*n_out) (const OsmlStep *step);

	/*
	 * Do the given parameters make sense together?  NULL: always.  On failure a
	 * message without object and full stop ("lo must be less than hi") is in
	 * message (256 bytes).
	 */
	bool		(*check) (const OsmlStep *step, char *message);

	/* the same of parameters that a user gives, which must not be all that can be
	 * learned */
	bool		(*check_given) (const OsmlStep *step, char *message);

	/* OSML_NEED_ bits of the input profile that fit() wants; 0: fitted.
	 * NULL: nothing ever is to be fitted */
	unsigned	(*needs) (const OsmlStep *step);

	/* tally capacity that it wants, if it needs one */
	int			(*capacity) (const OsmlStep *step);

	/* are all values on the wrong side of a bound that is given, so that the other
	 * one would be made up?  NULL: never */
	bool		(*beyond) (const OsmlStep *step, const OsmlProfile *profile);

	/* learn what is missing from the profile of the (first) input; made up where
	 * that has no value */
	OsmlStatus	(*fit) (OsmlStep *step, const OsmlArena *arena,
						const OsmlProfile *profile);

	/* all parameters are there: build look-up tables.  NULL: none needed */
	OsmlStatus	(*prepare) (OsmlStep *step, const OsmlArena *arena);

	/* codes: how many there are, `other` and NULL included; prepared steps */
	int64_t		(*n_codes) (const OsmlStep *step);

	/* n rows; in and out never overlap */
	void		(*run) (const OsmlStep *step, int n, const OsmlColumn *in,
						const OsmlColumn *out);

	/* suffix of output i for people, such as "sin"; NULL: it has no name */
	const char *(*out_name) (const OsmlStep *step, int i);

	/* a code for people, such as "[38.3, 38.5)"; "(other)", "(null)" included.
	 * NULL for a cross, whose codes are named by the program */
	void		(*code_name) (const OsmlStep *step, int64_t code, char *out,
							  size_t size);
} OsmlTransform;

/* NULL-terminated; parsers and hints walk it */
extern const OsmlTransform *const osml_transforms[];
extern const OsmlTransform *osml_transform_by_name(const char *name);

/* index of a parameter by name, or -1 */
extern int	osml_param_by_name(const OsmlTransform *transform, const char *name);

/*
 * The edges of a prepared bin, one more than there are bins: bin i has the
 * values from edges[i] to below edges[i + 1], the last one its upper edge too.
 * NULL for any other transform.
 */
extern const double *osml_bin_edges(const OsmlStep *step, int *n_edges);

/* a parameter's value: as given, else its standard */
extern double osml_step_number(const OsmlStep *step, int param);

#endif							/* OSML_TRANSFORM_H */
