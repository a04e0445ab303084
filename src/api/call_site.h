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

/* where a row type keeps a feature */
typedef struct OsmlField
{
	int			index;			/* column, from 0 */
	OsmlDecode	decode;			/* NULL: an array */
	Oid			element;		/* of the array */
} OsmlField;

/* a model name, and all that is needed to predict with it here */
typedef struct OsmlBinding
{
	struct OsmlBinding *next;
	char	   *name;
	int			name_length;
	const OsmlLoaded *loaded;
	MemoryContext context;		/* lives as long as the binding */
	double	   *raw;			/* one row's values, and space to prepare them */
	double	   *prepared;

	/* rows of this type, if desc is set */
	Oid			row_type;
	int32		row_typmod;
	TupleDesc	desc;
	OsmlField  *fields;			/* one a feature */
	Datum	   *values;			/* one a column of desc */
	bool	   *nulls;

	/* arrays of this element type, if decode is set */
	Oid			element;
	OsmlDecode	decode;
} OsmlBinding;

extern OsmlBinding *osml_call_site_bind(FunctionCallInfo fcinfo, text *model);

/*
 * Put the values of a row or an array into binding->raw, or what they point to
 * into *raw.  False: a value is missing and the model does not impute.
 */
extern bool osml_take_record(OsmlBinding *binding, HeapTupleHeader record);
extern bool osml_take_array(OsmlBinding *binding, ArrayType *array,
							const double **raw);

#endif							/* OSML_API_CALL_SITE_H */
