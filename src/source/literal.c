/*
 * literal.c
 *	  Analysing an expression without reading its string literals: see literal.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "source/literal.h"

/* A parameter takes the place of a constant where that stands. */
StaticAssertDecl(sizeof(ParamRef) <= sizeof(A_Const), "a ParamRef is larger than an A_Const");

static bool
take_literals(Node *node, void *context)
{
	List	  **literals = context;
	ParamRef   *ref;
	int			location;

	/* the modifiers of a type have to be constants */
	if (node == NULL || IsA(node, TypeName))
		return false;
	if (!IsA(node, A_Const))
		return raw_expression_tree_walker(node, take_literals, context);
	if (((A_Const *) node)->isnull || !IsA(&((A_Const *) node)->val, String))
		return false;
	*literals = lappend(*literals, strVal(&((A_Const *) node)->val));
	location = ((A_Const *) node)->location;
	ref = (ParamRef *) node;
	ref->type = T_ParamRef;
	ref->number = OSML_FIRST_LITERAL + list_length(*literals) - 1;
	ref->location = location;
	return false;
}

List *
osml_literals_take(Node *raw)
{
	List	   *literals = NIL;

	(void) take_literals(raw, &literals);
	return literals;
}

/* Which of the literals a number is, or -1. */
static int
literal_index(const List *literals, int number)
{
	return number >= OSML_FIRST_LITERAL &&
		number < OSML_FIRST_LITERAL + list_length(literals) ? number - OSML_FIRST_LITERAL : -1;
}

static Node *
make_param(int number, Oid type, int location)
{
	Param	   *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = number;
	param->paramtype = type;
	param->paramtypmod = -1;
	param->paramcollid = get_typcollation(type);
	param->location = location;
	return (Node *) param;
}

Node *
osml_literal_unread(const List *literals, const ParamRef *ref)
{
	return literal_index(literals, ref->number) < 0 ? NULL :
		make_param(ref->number, UNKNOWNOID, ref->location);
}

Node *
osml_literal_typed(const List *literals, const Param *param, Oid type)
{
	return osml_literal_text(literals, param) == NULL || param->paramtype != UNKNOWNOID ? NULL :
		make_param(param->paramid, type, param->location);
}

const char *
osml_literal_text(const List *literals, const Param *param)
{
	int			i = param->paramkind == PARAM_EXTERN ? literal_index(literals, param->paramid) : -1;

	return i < 0 ? NULL : list_nth(literals, i);
}
