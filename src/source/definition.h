/*
 * definition.h
 *	  A step on the way from columns to a feature, as users write it.
 *
 * A feature is a column of the source as it is, or has definitions: transforms
 * in a row, step 1, 2, ...  Step 1 reads the definition's inputs, each a column
 * of the source or else a feature defined before it; a later step reads the
 * step before it.  A dataset keeps its definitions in osml.definition; a model
 * version keeps its own, with every parameter that was learned filled in.
 *
 * Next: feature.h (what they make of a source), features/transform.h (what a
 * transform is).
 */
#ifndef OSML_DEFINITION_H
#define OSML_DEFINITION_H

#include "features/transform.h"
#include "nodes/pg_list.h"
#include "utils/jsonb.h"

/* the transform that is a SQL expression over the row: {"expression": "..."} */
#define OSML_SQL_TRANSFORM "sql"

/* the transform that a text column has where nobody defines one */
#define OSML_CATEGORY_TRANSFORM "category"

/* the transform that reads dates and times, and its param that says what their
 * numbers count: filled in from their type */
#define OSML_TIME_TRANSFORM "date_part"
#define OSML_TIME_UNIT "unit"

typedef struct OsmlDefinition
{
	char	   *feature;
	int			step;			/* from 1 within the feature */
	char	   *transform;		/* a name of osml_transforms[], or "sql" */
	List	   *inputs;			/* of char *; step 1 only */
	char	   *shared;			/* definitions of one name, here, are fitted
								 * together: one grid for several columns */
	Jsonb	   *params;			/* an object */
	bool		implied;		/* nobody wrote it: a text column's category */
	int			program_step;	/* its step in the set's program; -1: none */
	Jsonb	   *fitted;			/* a dataset's own: params with what was learned
								 * from all its rows, for people; or NULL */
} OsmlDefinition;

/*
 * Params as JSON to a step's params, checked by themselves (names, types,
 * ranges, the transform's own check).  Errors: undefined transform and unknown
 * parameter with the nearest name, value out of range; they name dataset
 * (where not NULL), feature and transform.  Arrays go to the current context.
 * Not for "sql".
 */
extern void osml_definition_step(const char *dataset, const OsmlDefinition *definition,
								 OsmlStep *step);

/* the way back: the params that are given or fitted, as a JSON object */
extern Jsonb *osml_step_params(const OsmlStep *step);

/* the expression of a "sql" definition */
extern char *osml_definition_expression(const char *dataset,
										const OsmlDefinition *definition);

/* a list of definitions as a JSON array, and back */
extern Jsonb *osml_definitions_to_jsonb(List *definitions);
extern List *osml_definitions_from_jsonb(Jsonb *json);

#endif							/* OSML_DEFINITION_H */
