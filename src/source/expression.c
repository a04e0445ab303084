/*
 * expression.c
 *	  SQL expressions over a row's columns: see expression.h.
 *
 * The columns reach the expression as parameters, as PL/pgSQL's variables do,
 * so it needs neither a relation nor a plan.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parser.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "rules/name/nearest.h"
#include "source/expression.h"
#include "source/expression_rule.h"
#include "source/literal.h"
#include "source/clock_words.h"
#include "source/pinned.h"

struct OsmlExpression
{
	const char *feature;		/* whose it is, in words, and its text: for messages */
	const char *text;
	const char *subject;		/* of dataset "d", or NULL */
	bool		pin;			/* settings have a say in its value */
	ExprState  *state;
	ExprContext *context;
	ParamListInfo params;
	Oid			type;
};

/* what the hooks need */
typedef struct Columns
{
	const char *feature;
	int			n;
	char	   *const *names;
	const Oid  *types;
	List	  **used;
	List	   *literals;		/* texts of those that are not read */
} Columns;

/* Raise: the expression names something the row has not. */
static void
unknown_column(const Columns *columns, const char *name)
{
	OsmlNearest nearest;
	const char *best;

	osml_nearest_begin(&nearest, name);
	for (int i = 0; i < columns->n; i++)
		osml_nearest_offer(&nearest, columns->names[i]);
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" in the expression of feature \"%s\" does not exist",
					name, columns->feature),
			 best ? errhint("Perhaps you meant column \"%s\".", best) : 0));
}

/* A name in the expression is a column of the row. */
static Node *
resolve_column(ParseState *pstate, ColumnRef *ref, Node *var)
{
	const Columns *columns = pstate->p_ref_hook_state;
	const char *name;

	if (var != NULL || list_length(ref->fields) != 1 ||
		!IsA(linitial(ref->fields), String))
		return NULL;
	name = strVal(linitial(ref->fields));
	for (int i = 0; i < columns->n; i++)
	{
		Param	   *param;

		if (strcmp(columns->names[i], name) != 0)
			continue;
		if (columns->used)
			*columns->used = list_append_unique_int(*columns->used, i);
		param = makeNode(Param);
		param->paramkind = PARAM_EXTERN;
		param->paramid = i + 1;
		param->paramtype = columns->types[i];
		param->paramtypmod = -1;
		param->paramcollid = get_typcollation(columns->types[i]);
		param->location = ref->location;
		return (Node *) param;
	}
	unknown_column(columns, name);
	return NULL;
}

/* A literal that is not read yet. */
static Node *
resolve_literal(ParseState *pstate, ParamRef *ref)
{
	const Columns *columns = pstate->p_ref_hook_state;

	return osml_literal_unread(columns->literals, ref);
}

/* It becomes a value of a type. */
static Node *
type_literal(ParseState *pstate, Param *param, Oid type, int32 typmod, int location)
{
	const Columns *columns = pstate->p_ref_hook_state;

	return osml_literal_typed(columns->literals, param, type);
}

/* Raise: not an expression, but more. */
static void
not_an_expression(const char *feature, const char *text)
{
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("expression of feature \"%s\" is not a single expression", feature),
			 errdetail("The text is: %s", text),
			 errhint("Write what could stand between SELECT and FROM.")));
}

/* "*", which the server expands before it looks at expressions: they cannot hold it. */
static bool
is_star(const Node *node)
{
	return IsA(node, ColumnRef) && IsA(llast(((const ColumnRef *) node)->fields), A_Star);
}

/* The parse tree of one expression and nothing else. */
static Node *
parse(const char *text, const char *feature)
{
	List	   *raw = raw_parser(text, RAW_PARSE_PLPGSQL_EXPR);
	SelectStmt *select;
	ResTarget  *target;

	if (list_length(raw) != 1 || !IsA(linitial_node(RawStmt, raw)->stmt, SelectStmt))
		not_an_expression(feature, text);
	select = (SelectStmt *) linitial_node(RawStmt, raw)->stmt;
	if (list_length(select->targetList) != 1 || select->fromClause != NIL ||
		select->whereClause || select->groupClause != NIL || select->havingClause ||
		select->windowClause != NIL || select->sortClause != NIL ||
		select->limitOffset || select->limitCount || select->lockingClause != NIL ||
		select->withClause || select->distinctClause != NIL || select->op != SETOP_NONE)
		not_an_expression(feature, text);
	target = linitial_node(ResTarget, select->targetList);
	if (target->name || is_star(target->val))
		not_an_expression(feature, text);
	return target->val;
}

/* An expression while it is looked at. */
typedef struct Subject
{
	const char *feature;
	const char *text;
} Subject;

/* Says whose expression an error is about; a position in it is one in its text. */
static void
add_context(void *arg)
{
	const Subject *subject = arg;
	int			position = geterrposition();

	if (position > 0)
	{
		errposition(0);
		internalerrposition(position);
		internalerrquery(subject->text);
	}
	errcontext("expression of feature \"%s\"", subject->feature);
}

/* Analyse a parse tree, which stays as it is. */
static Node *
transform(const Node *raw, Columns *columns)
{
	ParseState *pstate = make_parsestate(NULL);
	Node	   *copy = copyObjectImpl(raw);
	Node	   *node;

	pstate->p_post_columnref_hook = resolve_column;
	pstate->p_ref_hook_state = columns;
	if (columns->literals != NIL)
	{
		pstate->p_paramref_hook = resolve_literal;
		pstate->p_coerce_param_hook = type_literal;
	}
	/* the kind is chosen for its checks and for how its errors read */
	node = transformExpr(pstate, copy, EXPR_KIND_ALTER_COL_TRANSFORM);
	if (exprType(node) == UNKNOWNOID)
		node = coerce_to_specific_type(pstate, node, TEXTOID, "expression");
	assign_expr_collations(pstate, node);
	free_parsestate(pstate);
	return node;
}

/* Parse and analyse; literals are read once all that it takes to read them is judged. */
static Node *
analyse(const char *text, Columns *columns, Oid owner)
{
	Node	   *raw = parse(text, columns->feature);
	Node	   *unread = copyObject(raw);
	Node	   *node;

	columns->literals = osml_literals_take(unread);
	node = transform(unread, columns);
	osml_expression_judge(node, columns->literals, columns->feature, owner);
	columns->literals = NIL;
	node = transform(raw, columns);
	osml_expression_judge(node, NIL, columns->feature, owner);
	return node;
}

/* Ready to be evaluated as owner. */
static Expr *
plan(Node *node, const Columns *columns, Oid owner)
{
	Expr	   *expr = expression_planner(copyObjectImpl(node));

	osml_expression_judge((Node *) expr, NIL, columns->feature, owner);
	return (Expr *) osml_guard_clock_words((Node *) expr);
}

/* Become the owner, restricted and with the pinned search_path; see leave(). */
typedef struct Guise
{
	Oid			user;
	int			context;
	int			level;			/* of settings; 0: none were changed */
} Guise;

static Guise
enter(Oid owner, bool pin)
{
	Guise		guise = {0};

	GetUserIdAndSecContext(&guise.user, &guise.context);
	SetUserIdAndSecContext(owner, guise.context | SECURITY_LOCAL_USERID_CHANGE |
						   SECURITY_RESTRICTED_OPERATION);
	if (pin)
		guise.level = osml_pin_settings();
	return guise;
}

/* After an error the transaction's abort does the same. */
static void
leave(const Guise *guise)
{
	if (guise->level > 0)
		AtEOXact_GUC(false, guise->level);
	SetUserIdAndSecContext(guise->user, guise->context);
}

Oid
osml_expression_check(const char *text, const char *feature, int n_columns,
					  char *const *names, const Oid *types)
{
	Columns		columns = {feature, n_columns, names, types, NULL, NIL};
	Subject		subject = {feature, text};
	ErrorContextCallback callback = {error_context_stack, add_context, &subject};
	Guise		guise = enter(GetUserId(), true);
	Node	   *node;
	Oid			type;

	error_context_stack = &callback;
	node = analyse(text, &columns, GetUserId());
	type = exprType((Node *) plan(node, &columns, GetUserId()));
	leave(&guise);
	/* it will be read once more, by a query of the session */
	if (!equal(analyse(text, &columns, GetUserId()), node))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("expression of feature \"%s\" means something else under the settings "
						"of the session", feature),
				 errhint("Check search_path, where functions and operators are found before "
						 "those of pg_catalog, and the settings that say what dates mean.")));
	error_context_stack = callback.previous;
	return type;
}

/*
 * Constant folding and the right to functions belong to the owner, as the
 * evaluation does.
 */
OsmlExpression *
osml_expression_compile(const char *text, const char *feature, Oid owner,
						int n_columns, char *const *names, const Oid *types,
						List **used)
{
	OsmlExpression *expression = palloc0(sizeof(OsmlExpression));
	Columns		columns = {feature, n_columns, names, types, used, NIL};
	Subject		subject = {feature, text};
	ErrorContextCallback callback = {error_context_stack, add_context, &subject};
	Guise		guise = enter(owner, true);
	Expr	   *expr;

	error_context_stack = &callback;
	expr = plan(analyse(text, &columns, owner), &columns, owner);
	expression->feature = pstrdup(feature);
	expression->text = pstrdup(text);
	expression->pin = osml_expression_needs_pins((Node *) expr);
	expression->type = exprType((Node *) expr);
	expression->params = makeParamList(n_columns);
	for (int i = 0; i < n_columns; i++)
		expression->params->params[i].ptype = types[i];
	expression->context = CreateStandaloneExprContext();
	expression->context->ecxt_param_list_info = expression->params;
	expression->state = ExecInitExpr(expr, NULL);
	error_context_stack = callback.previous;
	leave(&guise);
	return expression;
}

void
osml_expression_subject(OsmlExpression *expression, const char *subject)
{
	expression->subject = subject;
}

Oid
osml_expression_type(const OsmlExpression *expression)
{
	return expression->type;
}

/* Raise the error of a value: it is about the row, and the user knows features. */
pg_noreturn static void
value_error(const OsmlExpression *expression, MemoryContext context)
{
	ErrorData  *edata;
	int			category;

	MemoryContextSwitchTo(context);
	edata = CopyErrorData();
	category = ERRCODE_TO_CATEGORY(edata->sqlerrcode);
	if (category == ERRCODE_OPERATOR_INTERVENTION || category == ERRCODE_INTERNAL_ERROR)
		PG_RE_THROW();
	FlushErrorState();
	ereport(ERROR,
			(errcode(edata->sqlerrcode),
			 errmsg("expression of feature \"%s\"%s%s: %s", expression->feature,
					expression->subject ? " " : "",
					expression->subject ? expression->subject : "", edata->message),
			 errdetail("%s%sThe expression is: %s", edata->detail ? edata->detail : "",
					   edata->detail ? " " : "", expression->text),
			 edata->hint ? errhint("%s", edata->hint) : 0));
}

/*
 * The session's settings must not decide what a value is, or which functions
 * and tables the owner's functions find, in training or in prediction.
 */
Datum
osml_expression_eval(OsmlExpression *expression, Oid owner, const Datum *values,
					 const bool *nulls, bool *isnull)
{
	MemoryContext context = CurrentMemoryContext;
	Guise		guise = enter(owner, expression->pin);
	Datum		value;

	ResetExprContext(expression->context);
	for (int i = 0; i < expression->params->numParams; i++)
	{
		expression->params->params[i].value = values[i];
		expression->params->params[i].isnull = nulls[i];
	}
	PG_TRY();
	{
		value = ExecEvalExprSwitchContext(expression->state, expression->context, isnull);
	}
	PG_CATCH();
	{
		value_error(expression, context);
	}
	PG_END_TRY();
	leave(&guise);
	return value;
}
