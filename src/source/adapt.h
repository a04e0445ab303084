/*
 * adapt.h
 *	  Values of the types that a row has as those that an expression was written
 *	  over.
 *
 * An expression runs as its author, and over another type it would be another
 * one: k / 2 of an integer is not that of a number, and a cast of somebody's own
 * type is somebody's own code.  So it is always compiled with the types of the
 * rows it was trained on, and other rows are adapted before it is called: by
 * built-in, immutable casts between built-in types, or not at all.
 */
#ifndef OSML_ADAPT_H
#define OSML_ADAPT_H

#include "fmgr.h"

typedef struct OsmlAdapt
{
	bool		same;			/* nothing to do */
	bool		via_text;		/* by output function, then input function */
	int			n_args;			/* of the cast function */
	FmgrInfo	cast;			/* or the output function */
	FmgrInfo	input;
	Oid			input_param;
} OsmlAdapt;

/* Plan, in the current context.  False: values of type `from` cannot be adapted. */
extern bool osml_adapt_plan(OsmlAdapt *adapt, Oid from, Oid to);

/* a value that is not NULL; in the current context */
extern Datum osml_adapt(OsmlAdapt *adapt, Datum value);

/* A type by the name that osml_type_name() gave it, whether or not the user has
 * rights to its schema; InvalidOid where there is none any more. */
extern Oid	osml_type_by_name(const char *name);

/* with its schema, whatever search_path is; palloc'd */
extern char *osml_type_name(Oid type);

/* What a domain, an array or a range is made of, one step; InvalidOid for other types. */
extern Oid	osml_type_inside(Oid type);

/* What values of type consist of in the end. */
extern Oid	osml_inner_type(Oid type);

#endif							/* OSML_ADAPT_H */
