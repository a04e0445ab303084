/*
 * expression_rule.c
 *	  What an expression may be made of: see expression_rule.h.
 *
 * The server's word for "depends on its arguments alone" is immutable, and it is
 * too narrow: the hour of a timestamp, or a number's text, depends on a setting,
 * and those settings are pinned.  It is too wide as well: some immutable functions
 * look at settings all the same.  Hence the lists below.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_constraint.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_ts_config.h"
#include "catalog/pg_ts_dict.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "source/adapt.h"
#include "source/clock_words.h"
#include "source/expression_rule.h"
#include "source/expression_trust.h"
#include "source/literal.h"

/*
 * Stable functions of the server that depend on pinned settings alone, whatever
 * they are given; those of a timestamptz need no entry (reads_time_zone()).
 */
static const char *const pinned_functions[] = {
	"convert", "convert_from", "convert_to", "json_to_tsvector",
	"jsonb_path_exists_tz", "jsonb_path_match_tz", "jsonb_path_query_array_tz",
	"jsonb_path_query_first_tz", "jsonb_to_tsvector", "length", "make_timestamptz",
	"money", "numeric", "phraseto_tsquery", "plainto_tsquery", "timestamptz", "timetz",
	"to_char", "to_date", "to_number", "to_timestamp", "to_tsquery", "to_tsvector",
	"ts_headline", "ts_match_tq", "ts_match_tt", "websearch_to_tsquery", "xml",
	"xml_is_well_formed", NULL
};

/* Stable functions that make texts of values: as good as the values' output functions. */
static const char *const text_makers[] = {
	"anytextcat", "array_to_json", "array_to_string", "concat", "concat_ws", "format",
	"json_build_array", "json_build_object", "jsonb_build_array", "jsonb_build_object",
	"quote_literal", "quote_nullable", "textanycat", "to_json", "to_jsonb", NULL
};

/* Stable input and output functions of types, which casts by way of texts call. */
static const char *const conversions[] = {
	"cash_in", "cash_out", "date_in", "date_out", "enum_in", "enum_out", "interval_in",
	"interval_out", "time_in", "timestamp_in", "timestamp_out", "timestamptz_in",
	"timestamptz_out", "xml_in", NULL
};

/* Immutable by their declaration, and yet they look at a setting. */
static const Oid setting_readers[] = {
	F_AGE_TIMESTAMPTZ_TIMESTAMPTZ, F_BOX_OUT, F_BYTEAOUT, F_CIRCLE_OUT, F_FLOAT4OUT,
	F_FLOAT8OUT, F_LINE_OUT, F_LSEG_OUT, F_PATH_OUT, F_POINT_OUT, F_POLY_OUT,
	F_QUOTE_IDENT
};

typedef struct Judge
{
	const char *feature;
	Oid			owner;			/* as whom the expression runs */
	const List *literals;		/* texts of those that are not read yet */
	bool		makes_text;		/* the function just judged is a text maker */
	bool		makes_json;		/* one of them makes JSON */
	List	   *types;			/* users' types in the expression */
} Judge;

/* A function that is not the server's own. */
static bool
is_users_function(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

/* Raise: the value depends on more than the row; what is how, a sentence. */
static void
depends(const Judge *judge, const char *how)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("expression of feature \"%s\" depends on more than the row",
					judge->feature),
			 errdetail("%s", how),
			 errhint("The same row must always give the same value: use immutable functions, "
					 "or those that convert, format and take apart dates, times, numbers and "
					 "texts.")));
}

static bool
listed(const char *name, const char *const *list)
{
	for (; *list; list++)
	{
		if (strcmp(*list, name) == 0)
			return true;
	}
	return false;
}

/*
 * What a stable function of a timestamptz looks at is the time zone, except that
 * age() of one argument looks at the clock.
 */
static bool
reads_time_zone(Oid function, const char *name)
{
	Oid		   *types;
	int			n;

	(void) get_func_signature(function, &types, &n);
	for (int i = 0; i < n; i++)
	{
		if (types[i] == TIMESTAMPTZOID)
			return strcmp(name, "age") != 0 && strncmp(name, "pg_", 3) != 0;
	}
	return false;
}

/* A user's function: parallel safe, as osml_predict() is, and for everybody. */
static void
judge_users_function(const Judge *judge, Oid function)
{
	const char *words;

	osml_expression_trust(ProcedureRelationId, function, judge->owner, judge->feature);
	if (func_volatile(function) == PROVOLATILE_IMMUTABLE &&
		func_parallel(function) == PROPARALLEL_SAFE)
		return;
	words = format_procedure(function);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_OBJECT_DEFINITION),
			 errmsg("function %s in the expression of feature \"%s\" is not immutable and "
					"parallel safe", words, judge->feature),
			 errdetail("The same row must always give the same value, in parallel workers "
					   "too."),
			 errhint("If that is true of the function, use ALTER FUNCTION %s IMMUTABLE "
					 "PARALLEL SAFE.", words)));
}

static bool
judge_function(Oid function, void *context)
{
	Judge	   *judge = context;
	const char *name;

	if (is_users_function(function, NULL))
		judge_users_function(judge, function);
	else if (func_volatile(function) != PROVOLATILE_IMMUTABLE)
	{
		name = get_func_name(function);
		judge->makes_text = listed(name, text_makers);
		judge->makes_json |= judge->makes_text && strstr(name, "json") != NULL;
		if (get_func_namespace(function) != PG_CATALOG_NAMESPACE ||
			!(judge->makes_text || listed(name, pinned_functions) ||
			  reads_time_zone(function, name)))
			depends(judge, psprintf("Function %s is %s.", format_procedure(function),
									func_volatile(function) == PROVOLATILE_STABLE ?
									"stable, not immutable" : "volatile"));
	}
	return false;
}

/* A type's input or output function, which a cast calls unseen. */
static void
judge_conversion(Judge *judge, Oid function)
{
	if (is_users_function(function, NULL))
		judge_users_function(judge, function);
	else if (func_volatile(function) != PROVOLATILE_IMMUTABLE &&
			 !listed(get_func_name(function), conversions))
		depends(judge, psprintf("It calls function %s, which is not immutable.",
								format_procedure(function)));
}

static bool judge_node(Node *node, void *context);

/*
 * The checks of a domain run with the cast to it.  As they were stored: the server's own
 * list of them is planned, which evaluates what is constant.
 */
static void
judge_domain(Judge *judge, Oid type)
{
	Relation	relation = table_open(ConstraintRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple	tuple;

	ScanKeyInit(&key, Anum_pg_constraint_contypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan(relation, ConstraintTypidIndexId, true, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		bool		isnull;
		Datum		check = heap_getattr(tuple, Anum_pg_constraint_conbin,
										 RelationGetDescr(relation), &isnull);

		if (!isnull)
			(void) judge_node(stringToNode(TextDatumGetCString(check)), judge);
	}
	systable_endscan(scan);
	table_close(relation, AccessShareLock);
}

/* Those of the domain that it is over too. */
static void
judge_domains(Judge *judge, Oid type)
{
	for (; get_typtype(type) == TYPTYPE_DOMAIN; type = osml_type_inside(type))
		judge_domain(judge, type);
}

/* Values of type made from a text: of all that it is made of. */
static void
judge_from_text(Judge *judge, Oid type)
{
	Oid			function;
	Oid			parameter;
	Oid			inside;

	for (;; type = inside)
	{
		if (get_typtype(type) == TYPTYPE_DOMAIN)
			judge_domain(judge, type);
		inside = osml_type_inside(type);
		if (!OidIsValid(inside))
			break;
	}
	getTypeInputInfo(type, &function, &parameter);
	judge_conversion(judge, function);
}

/* The text of values of type. */
static void
judge_to_text(Judge *judge, Oid type)
{
	Oid			function;
	bool		is_varlena;

	getTypeOutputInfo(osml_inner_type(type), &function, &is_varlena);
	judge_conversion(judge, function);
}

/* A type in the expression, with all that it is made of. */
static void
judge_type(Judge *judge, Oid type)
{
	Oid			inside;
	Oid			relation;
	TupleDesc	desc;

	check_stack_depth();
	if (type >= FirstNormalObjectId)
	{
		if (list_member_oid(judge->types, type))
			return;
		judge->types = lappend_oid(judge->types, type);
		osml_expression_trust(TypeRelationId, type, judge->owner, judge->feature);
		osml_expression_trust(CollationRelationId, get_typcollation(type), judge->owner,
							  judge->feature);
	}
	inside = osml_type_inside(type);
	if (OidIsValid(inside))
		judge_type(judge, inside);
	relation = get_typ_typrelid(type);
	if (type < FirstNormalObjectId || !OidIsValid(relation))
		return;
	desc = lookup_rowtype_tupdesc_copy(type, -1);
	for (int i = 0; i < desc->natts; i++)
	{
		if (!TupleDescAttr(desc, i)->attisdropped)
			judge_type(judge, TupleDescAttr(desc, i)->atttypid);
	}
}

/*
 * A literal that is to become a value of type.  Names of text search configurations
 * and dictionaries are judged when they have been looked up.
 */
static void
judge_literal(Judge *judge, const char *text, Oid type)
{
	if (type != REGCONFIGOID && type != REGDICTIONARYOID)
		judge_from_text(judge, type);
	osml_judge_clock_words(text, type, judge->feature);
}

static void
judge_constant(Judge *judge, const Const *constant)
{
	if (constant->constisnull)
		return;
	if (constant->consttype == REGCONFIGOID)
		osml_expression_trust(TSConfigRelationId, DatumGetObjectId(constant->constvalue),
							  judge->owner, judge->feature);
	if (constant->consttype == REGDICTIONARYOID)
		osml_expression_trust(TSDictionaryRelationId, DatumGetObjectId(constant->constvalue),
							  judge->owner, judge->feature);
}

/* The text of a constant. */
static const char *
constant_text(const Const *constant)
{
	Oid			output;
	bool		is_varlena;

	getTypeOutputInfo(constant->consttype, &output, &is_varlena);
	return OidOutputFunctionCall(output, constant->constvalue);
}

/* A cast by way of a text.  A text that is known tells whether it means the time. */
static void
judge_cast(Judge *judge, CoerceViaIO *cast)
{
	Node	   *arg = (Node *) cast->arg;

	judge_type(judge, exprType(arg));
	judge_to_text(judge, exprType(arg));
	judge_from_text(judge, cast->resulttype);
	if (IsA(arg, Const) && !((Const *) arg)->constisnull)
		osml_judge_clock_words(constant_text((Const *) arg), cast->resulttype, judge->feature);
}

/* What a text maker is given. */
static void
judge_arguments(Judge *judge, List *args)
{
	ListCell   *cell;

	judge->makes_text = false;
	foreach(cell, args)
		judge_to_text(judge, exprType(lfirst(cell)));
}

/*
 * Of a user's type JSON is made by his cast to it, if there is one, which nothing
 * shows.  (Rows are no arguments of text makers.)
 */
static void
judge_json(Judge *judge)
{
	Oid			function;
	ListCell   *cell;

	foreach(cell, judge->types)
	{
		if (find_coercion_pathway(JSONOID, lfirst_oid(cell), COERCION_EXPLICIT,
								  &function) == COERCION_PATH_FUNC)
			(void) judge_function(function, judge);
	}
}

/* An operator: the function behind it is judged like any other. */
static void
judge_operator(const Judge *judge, Oid operator)
{
	osml_expression_trust(OperatorRelationId, operator, judge->owner, judge->feature);
}

static bool
judge_node(Node *node, void *context)
{
	Judge	   *judge = context;
	const char *text;

	if (node == NULL)
		return false;
	check_stack_depth();
	switch (nodeTag(node))
	{
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
			judge_operator(judge, ((OpExpr *) node)->opno);
			judge_type(judge, exprType(node));
			break;
		case T_ScalarArrayOpExpr:
			judge_operator(judge, ((ScalarArrayOpExpr *) node)->opno);
			break;
		case T_CollateExpr:
			osml_expression_trust(CollationRelationId, ((CollateExpr *) node)->collOid,
								  judge->owner, judge->feature);
			break;
		case T_Param:
			judge_type(judge, exprType(node));
			text = osml_literal_text(judge->literals, (Param *) node);
			if (text != NULL)
				judge_literal(judge, text, exprType(node));
			break;
		case T_Const:
			judge_type(judge, exprType(node));
			judge_constant(judge, (Const *) node);
			break;
		case T_FuncExpr:
		case T_RelabelType:
		case T_CoerceViaIO:
		case T_ArrayCoerceExpr:
		case T_CoerceToDomain:
		case T_ConvertRowtypeExpr:
		case T_ArrayExpr:
		case T_RowExpr:
		case T_FieldSelect:
			judge_type(judge, exprType(node));
			break;
		default:
			break;
	}
	if (IsA(node, SQLValueFunction))	/* current_date, current_user and their like */
		depends(judge, "It asks for the time or the user.");
	if (IsA(node, CoerceToDomain))
		judge_domains(judge, ((CoerceToDomain *) node)->resulttype);
	if (IsA(node, CoerceViaIO))
		judge_cast(judge, (CoerceViaIO *) node);
	else
		(void) check_functions_in_node(node, judge_function, judge);
	if (judge->makes_text)
		judge_arguments(judge, IsA(node, FuncExpr) ? ((FuncExpr *) node)->args :
						((OpExpr *) node)->args);
	return expression_tree_walker(node, judge_node, context);
}

void
osml_expression_judge(Node *expression, const List *literals, const char *feature, Oid owner)
{
	Judge		judge = {.feature = feature, .owner = owner, .literals = literals};

	(void) judge_node(expression, &judge);
	if (judge.makes_json)
		judge_json(&judge);
}

static bool
reads_setting(Oid function, void *context)
{
	for (int i = 0; i < (int) lengthof(setting_readers); i++)
	{
		if (setting_readers[i] == function)
			return true;
	}
	/* a user's function may look at any */
	return is_users_function(function, NULL);
}

static bool
node_needs_pins(Node *node, void *context)
{
	if (node == NULL)
		return false;
	/* XML prints dates and bytea as settings say; a domain's checks are not seen here */
	return IsA(node, XmlExpr) || IsA(node, CoerceToDomain) ||
		check_functions_in_node(node, reads_setting, NULL) ||
		expression_tree_walker(node, node_needs_pins, context);
}

bool
osml_expression_needs_pins(Node *planned)
{
	return contain_mutable_functions(planned) || node_needs_pins(planned, NULL);
}
