/*
 * define_bin.c
 *	  osml_bin(): columns cut into bins, each by itself or all on one grid.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type_d.h"
#include "common/shortest_dec.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/json.h"

#include "api/defining.h"
#include "api/need.h"

PG_FUNCTION_INFO_V1(osml_bin);
PG_FUNCTION_INFO_V1(osml_bin_one);

/* the arguments of both functions, by position */
enum
{
	DATASET, FEATURES, BINS, METHOD, LO, HI, EDGES, OUTSIDE, NAME
};

/* params in the making, and whose they are, for messages */
typedef struct Cut
{
	FunctionCallInfo fcinfo;
	const char *whose;			/* "bin of feature "a_bin" of dataset "d"" */
	StringInfoData out;
} Cut;

/* Start a member of the params. */
static void
put_key(StringInfo out, const char *key)
{
	appendStringInfo(out, "%s\"%s\": ", out->len > 1 ? ", " : "", key);
}

static void
put_number(Cut *cut, const char *argument, double number)
{
	char		digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	if (!isfinite(number))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s: argument \"%s\" must be finite", cut->whose, argument)));
	double_to_shortest_decimal_buf(number, digits);
	appendStringInfoString(&cut->out, digits);
}

static void
put_text(Cut *cut, int arg, const char *key)
{
	char	   *text = osml_maybe_text(cut->fcinfo, arg);

	if (text == NULL)
		return;
	put_key(&cut->out, key);
	escape_json(&cut->out, text);
}

static void
put_bound(Cut *cut, int arg, const char *key)
{
	FunctionCallInfo fcinfo = cut->fcinfo;

	if (PG_ARGISNULL(arg))
		return;
	put_key(&cut->out, key);
	put_number(cut, key, PG_GETARG_FLOAT8(arg));
}

static void
put_edges(Cut *cut, ArrayType *array)
{
	Datum	   *values;
	bool	   *nulls;
	int			n;

	if (ARR_NDIM(array) > 1)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("%s: argument \"edges\" must be an array of one dimension, not %d",
						cut->whose, ARR_NDIM(array)),
				 errhint("Columns on different edges are different features: call osml_bin "
						 "for each.")));
	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &values, &nulls, &n);
	put_key(&cut->out, "edges");
	appendStringInfoChar(&cut->out, '[');
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s: argument \"edges\" must not contain nulls", cut->whose)));
		if (i > 0)
			appendStringInfoString(&cut->out, ", ");
		put_number(cut, "edges", DatumGetFloat8(values[i]));
	}
	appendStringInfoChar(&cut->out, ']');
}

/* The method: edges need no word that says so. */
static void
put_method(Cut *cut)
{
	FunctionCallInfo fcinfo = cut->fcinfo;
	char	   *method = osml_maybe_text(fcinfo, METHOD);

	put_key(&cut->out, "method");
	if (!PG_ARGISNULL(EDGES) && (method == NULL || pg_strcasecmp(method, "width") == 0))
		method = "edges";
	escape_json(&cut->out, method ? method : "width");
}

/* What the transform bin is told; it says itself what does not go together. */
static Jsonb *
bin_params(FunctionCallInfo fcinfo, const char *whose)
{
	Cut			cut = {.fcinfo = fcinfo,.whose = whose};

	initStringInfo(&cut.out);
	appendStringInfoChar(&cut.out, '{');
	put_method(&cut);
	if (!PG_ARGISNULL(BINS))
	{
		put_key(&cut.out, "bins");
		appendStringInfo(&cut.out, "%d", PG_GETARG_INT32(BINS));
	}
	put_bound(&cut, LO, "lo");
	put_bound(&cut, HI, "hi");
	if (!PG_ARGISNULL(EDGES))
		put_edges(&cut, PG_GETARG_ARRAYTYPE_P(EDGES));
	put_text(&cut, OUTSIDE, "outside");
	appendStringInfoChar(&cut.out, '}');
	return osml_jsonb(cut.out.data);
}

/* The feature that a column's bins are. */
static const char *
bin_name(const char *name, const char *column)
{
	return name ? name : psprintf("%s_bin", column);
}

/* "a_bin+b_bin": the grid of several features, or NULL for a single one. */
static char *
shared_name(const char *dataset, List *columns)
{
	StringInfoData name;
	ListCell   *cell;

	if (list_length(columns) == 1)
		return NULL;
	initStringInfo(&name);
	foreach(cell, columns)
	{
		ListCell   *other;

		appendStringInfo(&name, "%s%s_bin", name.len ? "+" : "", (char *) lfirst(cell));
		for_each_from(other, columns, foreach_current_index(cell) + 1)
		{
			if (strcmp(lfirst(cell), lfirst(other)) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_DUPLICATE_COLUMN),
						 errmsg("bin of dataset \"%s\": feature \"%s\" is named twice", dataset,
								(char *) lfirst(cell))));
		}
	}
	return name.data;
}

/* A new feature, or another cut of one that is bins already. */
static void
define_bin(OsmlDefining *defining, const char *column, const char *name, Jsonb *params,
		   const char *shared)
{
	OsmlDefinition *definition = osml_defining_own(defining, name, "bin");

	if (definition == NULL)
	{
		definition = osml_new_definition(name, "bin", NIL, params);
		osml_defining_add(defining, definition);
	}
	/* out of the old grid before the params change, which all members follow */
	osml_defining_set_shared(defining, definition, NULL);
	osml_defining_set(defining, definition, "bin", params);
	osml_defining_set_inputs(defining, definition, list_make1(pstrdup(column)));
	osml_defining_set_shared(defining, definition, shared);
}

static void
define_bins(FunctionCallInfo fcinfo, List *columns)
{
	OsmlDefining *defining = osml_defining_begin(osml_need_text(fcinfo, DATASET, "dataset"),
												 "osml_bin()");
	const char *dataset = defining->dataset->name;
	char	   *name = osml_maybe_text(fcinfo, NAME);
	Jsonb	   *params;
	char	   *shared;
	ListCell   *cell;

	if (columns == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bin of dataset \"%s\": argument \"features\" must name at least one feature",
						dataset)));
	shared = shared_name(dataset, columns);
	if (name && shared)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("bin of dataset \"%s\": argument \"name\" is for one feature, not for %d",
						dataset, list_length(columns)),
				 errhint("Leave it out: each feature is then named after its column, \"%s_bin\".",
						 (char *) linitial(columns))));
	params = bin_params(fcinfo, psprintf("bin of %s", osml_feature_words(dataset,
										 bin_name(name, linitial(columns)))));
	foreach(cell, columns)
		define_bin(defining, lfirst(cell), bin_name(name, lfirst(cell)), params, shared);
	osml_defining_end(defining);
}

/* osml_bin(dataset, features, bins, method, lo, hi, edges, outside, name) */
Datum
osml_bin(PG_FUNCTION_ARGS)
{
	define_bins(fcinfo, osml_maybe_texts(fcinfo, FEATURES, "features"));
	PG_RETURN_VOID();
}

/* osml_bin(dataset, feature, ...): the same for one */
Datum
osml_bin_one(PG_FUNCTION_ARGS)
{
	define_bins(fcinfo, list_make1(osml_need_text(fcinfo, FEATURES, "feature")));
	PG_RETURN_VOID();
}
