/*
 * predict_support.c
 *	  What the planner asks about osml_predict() and its kin: cost, and a shorter way.
 *
 * A row of a table is copied to become a value, and taken apart again to be predicted
 * for; an array is put together and taken apart.  Where the planner sees the columns or
 * the elements themselves, they become arguments of osml.predict_columns() and the like,
 * which reads them where they are: one way less for each value.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "parser/parse_func.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "api/loaded.h"
#include "catalog/rights.h"

PG_FUNCTION_INFO_V1(osml_predict_support);

/* A call takes no more arguments, and two are the model and the names. */
#define MAX_VALUES (FUNC_MAX_ARGS - 2)

/* --- The shorter way ------------------------------------------------------------ */

/* what a row or an array consists of; names are NIL for an array */
typedef struct Parts
{
	List	   *names;			/* String */
	List	   *values;
} Parts;

/* Columns of a row type as they stand in it; value: of column number i, from 0 on. */
static void
add_columns(Parts *parts, TupleDesc desc, const Var *row, List *values)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (column->attisdropped)
			continue;
		parts->names = lappend(parts->names, makeString(pstrdup(NameStr(column->attname))));
		parts->values = lappend(parts->values, row == NULL ? list_nth(values, i) :
								makeVar(row->varno, (AttrNumber) (i + 1), column->atttypid,
										column->atttypmod, column->attcollation, 0));
	}
}

/* May rows of this query level be NULL where an outer join found none? */
static bool
has_outer_join(const Query *query)
{
	ListCell   *cell;

	foreach(cell, query->rtable)
	{
		const RangeTblEntry *entry = lfirst(cell);

		if (entry->rtekind == RTE_JOIN && IS_OUTER_JOIN(entry->jointype))
			return true;
	}
	return false;
}

/* The row of a table; false: not of one, or not of this query's. */
static bool
take_table_row(Parts *parts, const PlannerInfo *root, const Var *row)
{
	const RangeTblEntry *entry;
	Relation	relation;
	bool		whole;

	if (root == NULL || row->varattno != InvalidAttrNumber || row->varlevelsup != 0 ||
		IS_SPECIAL_VARNO(row->varno) || has_outer_join(root->parse))
		return false;
	entry = rt_fetch(row->varno, root->parse->rtable);
	if (entry->rtekind != RTE_RELATION)
		return false;
	/* the query has it locked */
	relation = table_open(entry->relid, NoLock);
	whole = relation->rd_rel->reltype == row->vartype;
	if (whole)
		add_columns(parts, RelationGetDescr(relation), row, NIL);
	table_close(relation, NoLock);
	return whole;
}

/* ROW(...), or the row of a subquery or view that has become part of the query. */
static bool
take_row(Parts *parts, const RowExpr *row)
{
	TupleDesc	desc;

	if (row->row_typeid == RECORDOID)
	{
		parts->names = row->colnames;
		parts->values = row->args;
		return list_length(row->colnames) == list_length(row->args);
	}
	desc = lookup_rowtype_tupdesc_noerror(row->row_typeid, -1, true);
	if (desc == NULL)
		return false;
	if (desc->natts == list_length(row->args))
		add_columns(parts, desc, NULL, row->args);
	ReleaseTupleDesc(desc);
	return parts->values != NIL;
}

static bool
take_array(Parts *parts, const ArrayExpr *array)
{
	parts->values = array->elements;
	return !array->multidims;
}

static bool
take_parts(Parts *parts, const PlannerInfo *root, const Node *whole)
{
	switch (nodeTag(whole))
	{
		case T_Var:
			return take_table_row(parts, root, (const Var *) whole);
		case T_RowExpr:
			return take_row(parts, (const RowExpr *) whole);
		case T_ArrayExpr:
			return take_array(parts, (const ArrayExpr *) whole);
		default:
			return false;
	}
}

/* Names as a constant, NULL for none. */
static Const *
make_names(List *names)
{
	Datum	   *texts = palloc(sizeof(Datum) * Max(1, list_length(names)));
	ArrayType  *array;
	int			n = 0;
	ListCell   *cell;

	if (names == NIL)
		return makeNullConst(TEXTARRAYOID, -1, InvalidOid);
	foreach(cell, names)
		texts[n++] = CStringGetTextDatum(strVal(lfirst(cell)));
	array = construct_array(texts, n, TEXTOID, -1, false, TYPALIGN_INT);
	return makeConst(TEXTARRAYOID, -1, DEFAULT_COLLATION_OID, -1, PointerGetDatum(array), false,
					 false);
}

/* The function of the same extension that takes the parts, or InvalidOid. */
static Oid
function_of_parts(const FuncExpr *call)
{
	static const Oid arguments[] = {TEXTOID, TEXTARRAYOID, ANYOID};
	char	   *name = get_func_name(call->funcid);
	Oid			found;

	/* osml_predict_class() becomes osml.predict_class_columns() */
	if (name == NULL || strncmp(name, "osml_", 5) != 0)
		return InvalidOid;
	found = LookupFuncName(list_make2(makeString("osml"),
									  makeString(psprintf("%s_columns", name + 5))),
						   lengthof(arguments), arguments, true);
	if (OidIsValid(found) && get_func_rettype(found) == call->funcresulttype &&
		getExtensionOfObject(ProcedureRelationId, found) ==
		getExtensionOfObject(ProcedureRelationId, call->funcid))
		return found;
	return InvalidOid;
}

/* The call with parts for the whole, or NULL. */
static Node *
simplify(const SupportRequestSimplify *request)
{
	FuncExpr   *call = request->fcall;
	Parts		parts = {0};
	Oid			function;

	if (list_length(call->args) != 2 ||
		!take_parts(&parts, request->root, lsecond(call->args)) ||
		parts.values == NIL || list_length(parts.values) > MAX_VALUES)
		return NULL;
	function = function_of_parts(call);
	if (!OidIsValid(function))
		return NULL;
	return (Node *) makeFuncExpr(function, call->funcresulttype,
								 list_concat(list_make2(linitial(call->args),
														make_names(parts.names)),
											 parts.values),
								 call->funccollid, call->inputcollid, COERCE_EXPLICIT_CALL);
}

/* --- Cost ----------------------------------------------------------------------- */

/* What a prediction takes, in operators of SQL, which take some 10 ns (bench/predict). */
#define COST_OF_CALL 4.0
#define COST_OF_VALUE 0.5
#define COST_OF_PARAMETER 0.1

/* The model that a call names, if the user may use it, or NULL; in the current context. */
static const OsmlLoaded *
named_model(const Node *call)
{
	const Const *name;
	OsmlModelRow *model;
	OsmlVersionKey key;
	char	   *wanted;

	if (call == NULL || !IsA(call, FuncExpr) || ((const FuncExpr *) call)->args == NIL)
		return NULL;
	name = linitial(((const FuncExpr *) call)->args);
	if (!IsA(name, Const) || name->constisnull || !ActiveSnapshotSet())
		return NULL;
	wanted = TextDatumGetCString(name->constvalue);
	model = osml_model_find(wanted);
	if (model == NULL || !osml_model_allowed(model, OSML_PREDICT) ||
		!osml_version_key(model, 0, &key))
		return NULL;
	return osml_loaded_get(model, CurrentMemoryContext);
}

/* Adds the parameters of a layer that a row meets: of a table one line. */
static void
add_layer(void *arg, const OsmlLayer *layer)
{
	*(double *) arg += layer->code >= 0 ? layer->n_out : (double) layer->params;
}

static bool
estimate(SupportRequestCost *request)
{
	const OsmlLoaded *loaded = named_model(request->node);
	double		parameters = 0;

	if (loaded == NULL)
		return false;
	loaded->predictor.spec.ops->layers(&loaded->predictor.spec, add_layer, &parameters);
	request->startup = 0;
	request->per_tuple = cpu_operator_cost *
		(COST_OF_CALL + COST_OF_VALUE * loaded->set.n_columns + COST_OF_PARAMETER * parameters);
	return true;
}

/* Asked by the planner with a request, answers with a node or NULL. */
Datum
osml_predict_support(PG_FUNCTION_ARGS)
{
	Node	   *request = (Node *) PG_GETARG_POINTER(0);

	if (IsA(request, SupportRequestSimplify))
		PG_RETURN_POINTER(simplify((SupportRequestSimplify *) request));
	if (IsA(request, SupportRequestCost) && estimate((SupportRequestCost *) request))
		PG_RETURN_POINTER(request);
	PG_RETURN_POINTER(NULL);
}
