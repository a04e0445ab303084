/*
 * adapt.c
 *	  Values as the types that an expression was written over: see adapt.h.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "parser/parse_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "compat.h"
#include "source/adapt.h"

/* part of the server, and so nobody's in particular */
static bool
built_in(Oid object)
{
	return object < FirstNormalObjectId;
}

static bool
immutable(Oid function)
{
	return built_in(function) && func_volatile(function) == PROVOLATILE_IMMUTABLE;
}

/* Through the text of the value, if that depends on nothing else. */
static bool
plan_text(OsmlAdapt *adapt, Oid from, Oid to)
{
	Oid			output;
	Oid			input;
	bool		is_varlena;

	getTypeOutputInfo(from, &output, &is_varlena);
	getTypeInputInfo(to, &input, &adapt->input_param);
	if (!immutable(output) || !immutable(input))
		return false;
	fmgr_info(output, &adapt->cast);
	fmgr_info(input, &adapt->input);
	adapt->via_text = true;
	return true;
}

bool
osml_adapt_plan(OsmlAdapt *adapt, Oid from, Oid to)
{
	Oid			function = InvalidOid;
	CoercionPathType path;

	memset(adapt, 0, sizeof(*adapt));
	from = getBaseType(from);
	to = getBaseType(to);
	adapt->same = from == to;
	if (adapt->same)
		return true;
	if (!built_in(from) || !built_in(to))
		return false;
	path = find_coercion_pathway(to, from, COERCION_ASSIGNMENT, &function);
	if (path == COERCION_PATH_RELABELTYPE)
		return adapt->same = true;
	if (path == COERCION_PATH_COERCEVIAIO)
		return plan_text(adapt, from, to);
	if (path != COERCION_PATH_FUNC || !immutable(function))
		return false;
	fmgr_info(function, &adapt->cast);
	adapt->n_args = get_func_nargs(function);
	return true;
}

Datum
osml_adapt(OsmlAdapt *adapt, Datum value)
{
	if (adapt->same)
		return value;
	if (adapt->via_text)
		return InputFunctionCall(&adapt->input, OutputFunctionCall(&adapt->cast, value),
								 adapt->input_param, -1);
	/* type modifier, and whether somebody wrote the cast */
	if (adapt->n_args == 3)
		return FunctionCall3(&adapt->cast, value, Int32GetDatum(-1), BoolGetDatum(false));
	if (adapt->n_args == 2)
		return FunctionCall2(&adapt->cast, value, Int32GetDatum(-1));
	return FunctionCall1(&adapt->cast, value);
}

char *
osml_type_name(Oid type)
{
	return format_type_extended(type, -1, FORMAT_TYPE_FORCE_QUALIFY);
}

/* A schema that the user of a model may well not use: only what its types are is asked. */
static Oid
schema_by_name(const char *name)
{
	return strcmp(name, "pg_temp") == 0 ? LookupExplicitNamespace(name, true) :
		get_namespace_oid(name, true);
}

Oid
osml_type_by_name(const char *name)
{
	/* the built-in types with names of their own are keywords */
	TypeName   *parsed = osml_parse_type(name);
	char	   *schema;
	char	   *own;
	Oid			type;

	DeconstructQualifiedName(parsed->names, &schema, &own);
	type = schema == NULL ? TypenameGetTypid(own) :
		GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(own),
						ObjectIdGetDatum(schema_by_name(schema)));
	return OidIsValid(type) && parsed->arrayBounds != NIL ? get_array_type(type) : type;
}

Oid
osml_type_inside(Oid type)
{
	HeapTuple	tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
	Form_pg_type form;
	Oid			inside;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for type %u", type);
	form = (Form_pg_type) GETSTRUCT(tuple);
	/* of a domain over a domain that one: each may have checks and an owner of its own */
	inside = form->typtype == TYPTYPE_DOMAIN ? form->typbasetype : get_element_type(type);
	ReleaseSysCache(tuple);
	if (!OidIsValid(inside))
		inside = get_range_subtype(type);
	return OidIsValid(inside) ? inside : get_multirange_range(type);
}

Oid
osml_inner_type(Oid type)
{
	Oid			inside;

	while (OidIsValid(inside = osml_type_inside(type)))
		type = inside;
	return type;
}
