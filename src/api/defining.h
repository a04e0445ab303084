/*
 * defining.h
 *	  Changing the definitions of a dataset: begin, change in memory, end.
 *
 * All ways to change them (functions, the view's triggers) come through here.
 * The end checks what there is then as a whole, as a run would resolve it, and
 * only then stores it, so that a dataset never has definitions that cannot be.
 * What was learned for a changed feature, and for whatever is made of it, is
 * forgotten.
 */
#ifndef OSML_API_DEFINING_H
#define OSML_API_DEFINING_H

#include "catalog/dataset.h"
#include "source/definition.h"
#include "source/source.h"

typedef struct OsmlDefining
{
	OsmlDatasetRow *dataset;
	List	   *definitions;	/* OsmlDefinition *; the steps of a feature together
								 * and ascending, perhaps with gaps until the end */
	List	   *changed;		/* features (char *), dropped ones included */
} OsmlDefining;

/* a dataset of the user's own, locked; command is for messages */
extern OsmlDefining *osml_defining_begin(const char *dataset, const char *command);

/* a step, or NULL; step 0: the first */
extern OsmlDefinition *osml_defining_find(const OsmlDefining *defining,
										  const char *feature, int step);

/* the first step of the feature of that name, to be changed, or NULL: one is to be
 * made; an error where that step is another transform */
extern OsmlDefinition *osml_defining_own(const OsmlDefining *defining, const char *name,
										 const char *transform);

/* one to add, after the steps that there are */
extern OsmlDefinition *osml_new_definition(const char *feature, const char *transform,
										   List *inputs, Jsonb *params);

/* all steps of a feature (OsmlDefinition *) */
extern List *osml_definitions_of(List *definitions, const char *feature);

/* does an input of this name mean a feature, if there is one? For numbers and
 * texts a column of that name goes before it. */
extern bool osml_input_is_feature(const OsmlDefinition *definition,
								  const OsmlSource *source, const char *name);

/* an error unless the feature has definitions */
extern void osml_defining_need(const OsmlDefining *defining, const char *feature);

/* a new step; step 0: after the others.  An error when it is there already. */
extern void osml_defining_add(OsmlDefining *defining, OsmlDefinition *definition);

/* a step changes its transform and params, and so do those that share its grid */
extern void osml_defining_set(OsmlDefining *defining, OsmlDefinition *definition,
							  const char *transform, Jsonb *params);

/* other inputs, another grid to share (NULL: none) */
extern void osml_defining_set_inputs(OsmlDefining *defining, OsmlDefinition *definition,
									 List *inputs);
extern void osml_defining_set_shared(OsmlDefining *defining, OsmlDefinition *definition,
									 const char *shared);

/* a step goes; the next one takes the inputs over from the first */
extern void osml_defining_drop(OsmlDefining *defining, OsmlDefinition *definition);

/* check and store */
extern void osml_defining_end(OsmlDefining *defining);

/* the features of a dataset under these definitions, as a run resolves them */
extern OsmlFeatureSet *osml_defined_features(const OsmlDatasetRow *dataset,
											 List *definitions, OsmlSource **source);

/* text as a document */
extern Jsonb *osml_jsonb(const char *text);

#endif							/* OSML_API_DEFINING_H */
