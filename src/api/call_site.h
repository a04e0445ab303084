/*
 * call_site.h
 *	  What one place in a query that calls osml_predict() remembers.
 *
 * The deployed version is looked up, and the right to it checked, once a query
 * and model name.  The memory of a call site can outlive the query, inside
 * PL/pgSQL for a whole transaction, so it also remembers under which snapshot
 * and as whom it looked, and starts anew when either differs.
 *
 * Next: call_site.c, record.c (rows to values), array.c (arrays to values).
 */
#ifndef OSML_API_CALL_SITE_H
#define OSML_API_CALL_SITE_H

#include "access/htup.h"
#include "access/tupdesc.h"
#include "fmgr.h"
#include "utils/array.h"

#include "api/loaded.h"
#include "source/decode.h"
#include "source/row.h"

/* a model name, and all that is needed to predict with it here */
typedef struct OsmlBinding
{
	struct OsmlBinding *next;
	char	   *name;
	int			name_length;
	const OsmlLoaded *loaded;
	MemoryContext context;		/* lives as long as the binding */
	double	   *raw;			/* one row's inputs */
	uint64	   *keys;
	double	   *dense;			/* its features: raw itself without a program */
	int32	   *codes;
	void	   *prepared;		/* space for the predictor */
	double	   *out;			/* its predictions, one an output */
	void	   *scratch;		/* of the program */
	TupleDesc	result;			/* of a function that returns a row; made when needed */

	/* rows of this type, if desc is set */
	Oid			row_type;
	int32		row_typmod;
	TupleDesc	desc;
	OsmlRowReader *reader;
	int		   *fields;			/* where desc keeps each of the set's columns */
	Datum	   *values;			/* one a column of desc */
	bool	   *nulls;
	Datum	   *picked;			/* one a column of the set */
	bool	   *picked_nulls;

	/* arrays of this element type, if decode is set */
	Oid			element;
	OsmlDecode	decode;
	bool		positional;		/* they give all that the model reads */
} OsmlBinding;

/* finds what a name stands for, checks the right to it, and builds it in the
 * current context */
typedef const OsmlLoaded *(*OsmlLoader) (const char *name);

extern const OsmlLoaded *osml_load_model(const char *name);

/* one call site has one loader */
extern OsmlBinding *osml_call_site_bind(FunctionCallInfo fcinfo, text *name,
										OsmlLoader loader);

/*
 * A row's or an array's features: codes in binding->codes, numbers where the
 * result points to.  NULL: one is missing and the model does not impute.
 */
extern const double *osml_take_record(OsmlBinding *binding, HeapTupleHeader record);
extern const double *osml_take_array(OsmlBinding *binding, ArrayType *array);

/*
 * The same of a call's arguments from number `first` on, as predict_support.c makes them:
 * of columns, whose names are the argument before, and of the elements of an array, which
 * are of one type.
 */
extern const double *osml_take_columns(OsmlBinding *binding, FunctionCallInfo fcinfo, int first);
extern const double *osml_take_values(OsmlBinding *binding, FunctionCallInfo fcinfo, int first);

/* raise, where those are not as the planner makes them; by the two above, once a binding */
extern void osml_check_spread(FunctionCallInfo fcinfo, int first);

/* inputs to features; by those above */
extern const double *osml_take_features(OsmlBinding *binding, const double *raw);

#endif							/* OSML_API_CALL_SITE_H */
