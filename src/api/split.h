/*
 * split.h
 *	  A dataset on its way into train, val and test.
 *
 * split.c drives: split_args.c reads the call; split_dataset.c finds what there
 * is to split; split_rule.c makes the condition of each part; fairness.c measures
 * what the conditions give, over values that frequent.c finds; split_store.c keeps
 * them.
 */
#ifndef OSML_API_SPLIT_H
#define OSML_API_SPLIT_H

#include "fmgr.h"
#include "nodes/pg_list.h"

#include "compat.h"
#include "catalog/dataset.h"
#include "source/source.h"

typedef enum OsmlSplitPart
{
	OSML_SPLIT_TRAIN,
	OSML_SPLIT_VAL,
	OSML_SPLIT_TEST,
	OSML_SPLIT_PARTS
} OsmlSplitPart;

typedef enum OsmlSplitMethod
{
	OSML_SPLIT_HASH,
	OSML_SPLIT_TIME,
	OSML_SPLIT_COLUMN,
	OSML_SPLIT_METHODS
} OsmlSplitMethod;

typedef struct OsmlSplit
{
	/* Settings: what the call says */
	OsmlSplitMethod method;
	double		fractions[OSML_SPLIT_PARTS];	/* 0: there is no such part */
	char	   *by;				/* or NULL */
	List	   *group_by;		/* of char * */
	int64		seed;
	char	   *gap;			/* or NULL */
	int			tries;			/* seeds to look at */

	/* The dataset */
	OsmlDatasetRow *dataset;
	OsmlSource *source;			/* what is split, whole */
	char	   *source_text;	/* the same as it is stored */
	char	   *from;			/* FROM item, AS osml_source */
	char	   *label;
	List	   *chosen;			/* columns that features are made of: char * */
	List	   *columns;		/* label and chosen, or all */

	/* The parts: SQL conditions on osml_source, NULL where there is none */
	char	   *where[OSML_SPLIT_PARTS];
	List	   *cuts;			/* time: the first values of all parts but train */
} OsmlSplit;

/* of one column in one part */
typedef struct OsmlFairnessCell
{
	double		part_mean;		/* NaN: none, here and below */
	double		whole_mean;
	double		z;
	double		p;
} OsmlFairnessCell;

typedef struct OsmlFairnessTable
{
	int64		total;			/* rows of the source */
	int64		rows[OSML_SPLIT_PARTS];
	int			n;				/* columns tested */
	char	  **names;
	OsmlFairnessCell *cells[OSML_SPLIT_PARTS];
	int			n_tests;		/* cells with a p-value, and the smallest */
	double		smallest_p;
} OsmlFairnessTable;

/* what fairness.c knows of the source before it looks at parts */
typedef struct OsmlFairnessPlan OsmlFairnessPlan;

extern const char *const osml_split_part_names[OSML_SPLIT_PARTS];
extern const char *const osml_split_method_names[OSML_SPLIT_METHODS];

/* The split that a call of osml_split() asks for, its dataset resolved. */
extern OsmlSplit *osml_split_arguments(FunctionCallInfo fcinfo);

/* a text member of the split that a dataset remembers */
extern char *osml_split_member(const OsmlDatasetRow *row, const char *name);

/* Fill in the dataset's fields of the split: resolve its source as the user. */
extern void osml_split_take(OsmlSplit *split, const char *name);

/* a column of the source as the conditions write it */
extern char *osml_split_column(const char *name);

/* a column's type; an error with the nearest name where there is none */
extern Oid	osml_split_column_type(const OsmlSplit *split, const char *name);

/* the last part that the fractions ask for */
extern int	osml_split_last_part(const OsmlSplit *split);

/* raise if the source has fewer rows than there are to be parts */
extern void osml_split_check_rows(const OsmlSplit *split, int64 rows);

/* raise: a part would be empty */
pg_noreturn extern void osml_split_no_rows(const OsmlSplit *split, OsmlSplitPart part);

/* Fill in where (and cuts), for the seed the split has now. */
extern void osml_split_rule(OsmlSplit *split);

/* Which columns can be tested, and by which values. */
extern OsmlFairnessPlan *osml_fairness_plan(const OsmlSplit *split);

/* One pass over the source. */
extern OsmlFairnessTable *osml_fairness_measure(const OsmlFairnessPlan *plan,
												const OsmlSplit *split);

/* Make the parts the dataset's sources, and remember how. */
extern void osml_split_store(OsmlSplit *split);

/* Store the row's sources and split; raise if the dataset is gone. */
extern void osml_split_store_sources(const OsmlDatasetRow *row);

#endif							/* OSML_API_SPLIT_H */
