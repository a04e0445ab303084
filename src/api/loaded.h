/*
 * loaded.h
 *	  Model versions ready to predict, cached per backend.
 *
 * A version never changes once written, so a built one is good for as long as
 * the backend lives; what is cached is only that, never which version is
 * deployed or who may use it.  The cache keeps the versions used last.
 *
 * Next: loaded.c (the cache), load.c (building one), call_site.h (per query).
 */
#ifndef OSML_API_LOADED_H
#define OSML_API_LOADED_H

#include "lib/ilist.h"
#include "utils/palloc.h"

#include "catalog/model.h"
#include "features/classes.h"
#include "model/interval.h"
#include "model/predictor.h"
#include "source/feature.h"

typedef struct OsmlLoaded
{
	OsmlVersionKey key;
	const char *kind;			/* "model"; "dataset" for features without one */
	char	   *model;			/* name when loaded, for messages */
	OsmlVersionRow *row;		/* without the weights' bytes */
	OsmlPredictor predictor;
	double	   *average;		/* model/explain.h: of codes; NULL: not stored */
	OsmlTails	tails;			/* of residuals; none: it has no intervals */
	OsmlClasses *classes;		/* of the label; NULL: it is a number */
	OsmlFeatureSet set;			/* what is read and made of it; a source or row
								 * brings its own types */
	OsmlLayout	layout;			/* of a model's block */
	Oid			author;			/* as whom expressions run: whoever trained it */
	bool		impute;			/* a missing feature takes its training mean */
	double		loss_param;		/* of row->loss, in the label's units */

	/* of the cache */
	MemoryContext context;		/* everything above lives here */
	int			pins;			/* users; 0: may be evicted */
	dlist_node	node;			/* used last comes first */
} OsmlLoaded;

/*
 * The deployed version of a model, as the active snapshot sees it; an error
 * when there is none.  It stays until user is reset or deleted.
 */
extern const OsmlLoaded *osml_loaded_get(const OsmlModelRow *model,
										 MemoryContext user);

/* as whom the model's expressions run; an error when it has some and its author
 * is no more */
extern Oid	osml_loaded_author(const OsmlLoaded *loaded);

/* build a version in a context of its own below the current one; by loaded.c */
extern OsmlLoaded *osml_load(const OsmlModelRow *model,
							 const OsmlVersionKey *key);

/* the columns it reads, and the values an array must give, in order; at most a
 * line, for messages; palloc'd */
extern char *osml_loaded_columns(const OsmlLoaded *loaded);
extern char *osml_loaded_values(const OsmlLoaded *loaded);

#endif							/* OSML_API_LOADED_H */
