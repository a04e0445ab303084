/*
 * feature.h
 *	  What is read from a source, and what a model sees of it.
 *
 *	columns		of the source, fetched row by row
 *	inputs		a column, or a SQL expression over the columns, as numbers or
 *				as a key: the columns of a reader's block (layout)
 *	features	what people name: a column as it is, or the outcome of
 *				definitions.  A feature is number columns or a code column of a
 *				model's block (program->output)
 *
 * The set is resolved in the caller's transaction, travels to the workers in
 * the plan, and is stored with the model version, so that prediction finds the
 * same columns by name and runs the same program.
 *
 * Next: definition.h (a step as users write it), row.h (a row's way into
 * inputs), encode.h (a block's way into features), feature.c (resolving).
 */
#ifndef OSML_FEATURE_H
#define OSML_FEATURE_H

#include "access/tupdesc.h"
#include "compat.h"
#include "compute/block.h"
#include "features/program.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* most number columns a set may have: a block of this many is 80 MB */
#define OSML_MAX_DENSE 10000

typedef enum OsmlInputKind
{
	OSML_INPUT_NUMBER,
	OSML_INPUT_TIME,			/* a number too: seconds since 1970, of dates as well;
								 * only in versions that are older than date_part's
								 * unit */
	OSML_INPUT_ARRAY,			/* n_elements numbers */
	OSML_INPUT_KEY				/* hash of the value's text */
} OsmlInputKind;

typedef struct OsmlSourceColumn
{
	char	   *name;			/* unquoted */
	Oid			type;			/* declared, in the source at hand */
	char	   *written;		/* name of the type, with its schema, that expressions
								 * are written over, and that dates and times are
								 * read as; NULL: the one at hand */
} OsmlSourceColumn;

typedef struct OsmlInput
{
	OsmlInputKind kind;
	char	   *name;			/* the column, or the feature whose expression it is */
	int			column;			/* among the set's columns; -1: an expression */
	char	   *expression;		/* SQL over the set's columns, or NULL */
	int			n_elements;		/* arrays; else 0 */
	int			first;			/* its (first) number column, or its key column */
} OsmlInput;

typedef struct OsmlFeature
{
	char	   *name;
	int			n_elements;		/* an array column's length; else 0 */
	int			first_dense;	/* its first number column in a model's block */
	int			n_dense;		/* 0: it is a code column */
	int			code;			/* which one; -1: it is numbers */
	int			step;			/* the program's step that makes it, or -1 */
	char	   *type;			/* of its column when it was resolved, for people */
} OsmlFeature;

typedef struct OsmlFeatureSet
{
	int			n_columns;
	OsmlSourceColumn *columns;
	int			n_inputs;
	OsmlInput  *inputs;
	char	   *label;			/* NULL where only features are wanted */
	Oid			label_type;
	bool		label_folds;	/* classes are in lower case: fold.h */
	bool		label_key;		/* readers send its key, as bits, and classes are made
								 * of it */
	char	   *weight;			/* column of the rows' weights, or NULL */
	Oid			weight_type;
	char	   *exposure;		/* column that a count is per unit of, or NULL */
	Oid			exposure_type;
	char	   *subject;		/* of dataset "d", of model "m", for messages; or NULL */
	OsmlLayout	layout;			/* of a reader's block */
	int			n_features;
	OsmlFeature *features;
	List	   *definitions;	/* of OsmlDefinition, in the program's order */
	OsmlProgram *program;		/* built in the set's context */
} OsmlFeatureSet;

/* a number column of a reader's block for people: "name" or "name[k]"; palloc'd */
extern char *osml_input_name(const OsmlFeatureSet *set, int number);

/* a number column of a model's block: "name", "name[k]" of an array,
 * "name_sin" of a transform with several outputs; palloc'd */
extern char *osml_dense_name(const OsmlFeatureSet *set, int dense);

/* Raise where a step that makes several columns gives one the name of another feature's. */
extern void osml_check_column_names(const OsmlFeatureSet *set, const char *dataset);

/* the feature behind a code column */
extern const OsmlFeature *osml_code_feature(const OsmlFeatureSet *set, int code);

/*
 * Build the program of a set whose columns, inputs, definitions and feature
 * names are known; fills the places of the features.  In the current context.
 * dataset, for messages, may be NULL.
 */
extern void osml_feature_set_build(OsmlFeatureSet *set, const char *dataset);

/* complete the set's program from definitions whose params are all there, or
 * prepare what can be; an error when a step cannot be.  True: it is complete. */
extern bool osml_feature_set_prepare(OsmlFeatureSet *set, const char *dataset);

/* after fitting: the definitions take the learned params over.  What they learn
 * where there is no value is made up: raise that at elevel, of each that somebody
 * wrote.  A text column's own category may well have no text. */
extern void osml_feature_set_fitted(OsmlFeatureSet *set, const char *dataset, int elevel);

/* columns, inputs, features and definitions as JSON, and a set built from it */
extern Jsonb *osml_feature_set_to_jsonb(const OsmlFeatureSet *set);
extern OsmlFeatureSet *osml_feature_set_from_jsonb(Jsonb *json);

/* give each input its place in a reader's block, in order */
extern void osml_place_inputs(OsmlFeatureSet *set);

/* the same for a step of a set's program */
pg_noreturn extern void osml_step_error(const OsmlFeatureSet *set, const char *dataset, int step,
										const char *message);

/* for messages: feature "a", or where there is a dataset feature "a" of dataset "d" */
extern const char *osml_feature_words(const char *dataset, const char *feature);

/* raise: a step cannot be; message is the pure rooms' */
pg_noreturn extern void osml_definition_error(const char *dataset, const char *feature,
											  const char *transform, const char *message);

#endif							/* OSML_FEATURE_H */
