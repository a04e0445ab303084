/*
 * define_view.c
 *	  INSERT, UPDATE and DELETE on osml.definitions.
 *
 * Rows change definitions in memory; the trigger after the statement checks and
 * stores what all of its rows together made, so that the order of rows does not
 * matter: DELETE takes a feature and what is made of it in any order.
 *
 * Statements nest when one calls a function that runs another, hence a stack.
 * What an error leaves on it, the end of its (sub)transaction takes away.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_type_d.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"

#include "api/defining.h"
#include "catalog/statement.h"

PG_FUNCTION_INFO_V1(osml_definitions_change);

#define COMMAND "a change of osml.definitions"

/* one statement, while it runs */
typedef struct Statement
{
	struct Statement *outer;
	SubTransactionId subid;
	MemoryContext context;		/* of the subtransaction; holds all this */
	List	   *changes;		/* of OsmlDefining, one a dataset */
} Statement;

static Statement *innermost = NULL;

static void
at_end(XactEvent event, void *arg)
{
	innermost = NULL;
}

static void
at_sub_end(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	while (event == SUBXACT_EVENT_ABORT_SUB && innermost && innermost->subid == mine)
		innermost = innermost->outer;
}

static void
begin_statement(void)
{
	static bool registered = false;
	MemoryContext context = AllocSetContextCreate(CurTransactionContext,
												  "osml definitions", ALLOCSET_SMALL_SIZES);
	Statement  *statement = MemoryContextAllocZero(context, sizeof(Statement));

	if (!registered)
	{
		RegisterXactCallback(at_end, NULL);
		RegisterSubXactCallback(at_sub_end, NULL);
		registered = true;
	}
	statement->context = context;
	statement->subid = GetCurrentSubTransactionId();
	statement->outer = innermost;
	innermost = statement;
}

static void
end_statement(void)
{
	Statement  *statement = innermost;
	ListCell   *cell;

	if (statement == NULL)
		return;
	innermost = statement->outer;
	foreach(cell, statement->changes)
		osml_defining_end(lfirst(cell));
	MemoryContextDelete(statement->context);
}

/* Raise if a statement around this one changes the dataset, too: it would store
 * what it knows, and with it undo this one. */
static void
check_outer(const char *dataset)
{
	for (Statement *outer = innermost->outer; outer; outer = outer->outer)
	{
		ListCell   *cell;

		foreach(cell, outer->changes)
		{
			if (strcmp(((OsmlDefining *) lfirst(cell))->dataset->name, dataset) == 0)
				ereport(ERROR,
						(errcode(ERRCODE_OBJECT_IN_USE),
						 errmsg("definitions of dataset \"%s\" are being changed by the statement that called this one",
								dataset)));
		}
	}
}

/* What the statement does to a dataset; in the statement's context. */
static OsmlDefining *
changes_of(const char *dataset)
{
	OsmlDefining *defining;
	ListCell   *cell;

	foreach(cell, innermost->changes)
	{
		defining = lfirst(cell);
		if (strcmp(defining->dataset->name, dataset) == 0)
			return defining;
	}
	check_outer(dataset);
	defining = osml_defining_begin(dataset, COMMAND);
	innermost->changes = lappend(innermost->changes, defining);
	return defining;
}

/* A column of a row of the view, by name. */
static Datum
column(const TriggerData *data, HeapTuple row, const char *name, bool *isnull)
{
	TupleDesc	desc = RelationGetDescr(data->tg_relation);
	int			i = SPI_fnumber(desc, name);

	if (i <= 0)
		elog(ERROR, "view of definitions has no column \"%s\"", name);
	return SPI_getbinval(row, desc, i, isnull);
}

static char *
text_column(const TriggerData *data, HeapTuple row, const char *name)
{
	bool		isnull;
	Datum		value = column(data, row, name, &isnull);

	return isnull ? NULL : TextDatumGetCString(value);
}

/* A text that must be there. */
static char *
need_column(const TriggerData *data, HeapTuple row, const char *name)
{
	char	   *value = text_column(data, row, name);

	if (value == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("column \"%s\" of osml.definitions must not be null", name)));
	return value;
}

static int
step_column(const TriggerData *data, HeapTuple row)
{
	bool		isnull;
	Datum		value = column(data, row, "step", &isnull);

	if (!isnull && DatumGetInt32(value) < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("column \"step\" of osml.definitions must be at least 1")));
	return isnull ? 0 : DatumGetInt32(value);
}

static Jsonb *
params_column(const TriggerData *data, HeapTuple row)
{
	bool		isnull;
	Datum		value = column(data, row, "params", &isnull);

	return isnull ? osml_jsonb("{}") : DatumGetJsonbPCopy(value);
}

static List *
inputs_column(const TriggerData *data, HeapTuple row)
{
	bool		isnull;
	Datum		value = column(data, row, "inputs", &isnull);
	List	   *inputs = NIL;
	Datum	   *elements;
	bool	   *nulls;
	int			n;

	if (isnull)
		return NIL;
	deconstruct_array(DatumGetArrayTypeP(value), TEXTOID, -1, false, TYPALIGN_INT,
					  &elements, &nulls, &n);
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("column \"inputs\" of osml.definitions must not contain nulls")));
		inputs = lappend(inputs, TextDatumGetCString(elements[i]));
	}
	return inputs;
}

/* Is a column of two rows the same, as text? */
static bool
is_same(const TriggerData *data, const char *name)
{
	TupleDesc	desc = RelationGetDescr(data->tg_relation);
	int			i = SPI_fnumber(desc, name);
	char	   *old = SPI_getvalue(data->tg_trigtuple, desc, i);
	char	   *new = SPI_getvalue(data->tg_newtuple, desc, i);

	return old == NULL || new == NULL ? old == new : strcmp(old, new) == 0;
}

/* Where a definition's feature stands among the features, from 1. */
static int
position_of(const OsmlDefining *defining, const OsmlDefinition *definition)
{
	const char *last = "";
	int			position = 0;
	ListCell   *cell;

	foreach(cell, defining->definitions)
	{
		const OsmlDefinition *other = lfirst(cell);

		position += strcmp(last, other->feature) != 0;
		last = other->feature;
		if (strcmp(last, definition->feature) == 0)
			break;
	}
	return position;
}

/* Which of its feature's steps it is, as it will be once gaps are closed. */
static int
step_of(const OsmlDefining *defining, const OsmlDefinition *definition)
{
	List	   *steps = osml_definitions_of(defining->definitions, definition->feature);
	int			step = 1;

	while (list_nth(steps, step - 1) != definition)
		step++;
	return step;
}

/*
 * A row with what the definition has by now, for RETURNING: its place, and what was
 * left out of an INSERT.  In the current context.
 */
static HeapTuple
shown_row(const TriggerData *data, HeapTuple row, const OsmlDefining *defining,
		  const OsmlDefinition *definition)
{
	TupleDesc	desc = RelationGetDescr(data->tg_relation);
	static const char *const names[] = {"step", "inputs", "params", "position", "owner"};
	Datum		values[lengthof(names)] = {0};
	bool		nulls[lengthof(names)] = {false};
	int			columns[lengthof(names)];

	for (int i = 0; i < (int) lengthof(names); i++)
		columns[i] = SPI_fnumber(desc, names[i]);
	values[0] = Int32GetDatum(step_of(defining, definition));
	nulls[1] = definition->inputs == NIL;
	if (definition->inputs)
		values[1] = osml_text_array(definition->inputs);
	values[2] = JsonbPGetDatum(definition->params);
	values[3] = Int32GetDatum(position_of(defining, definition));
	values[4] = CStringGetTextDatum(defining->dataset->owner);
	return heap_modify_tuple_by_cols(row, desc, lengthof(names), columns, values, nulls);
}

static OsmlDefinition *
insert_row(const TriggerData *data, HeapTuple row, OsmlDefining **changes)
{
	static const char *const ours[] = {"fitted", "position", "owner"};
	OsmlDefining *defining = changes_of(need_column(data, row, "dataset"));
	OsmlDefinition *definition = palloc0(sizeof(OsmlDefinition));

	for (int i = 0; i < (int) lengthof(ours); i++)
	{
		bool		isnull;

		(void) column(data, row, ours[i], &isnull);
		if (!isnull)
			ereport(ERROR,
					(errcode(ERRCODE_GENERATED_ALWAYS),
					 errmsg("column \"%s\" of osml.definitions cannot be given", ours[i]),
					 errhint("Leave it out.")));
	}
	definition->feature = need_column(data, row, "feature");
	definition->step = step_column(data, row);
	definition->transform = need_column(data, row, "transform");
	definition->inputs = inputs_column(data, row);
	definition->shared = text_column(data, row, "shared");
	definition->params = params_column(data, row);
	/* rows of a statement may come in any order, so others' steps may be there */
	if (definition->inputs == NIL &&
		strcmp(definition->transform, OSML_SQL_TRANSFORM) != 0 &&
		(definition->step == 1 ||
		 (definition->step == 0 &&
		  osml_defining_find(defining, definition->feature, 0) == NULL)))
		definition->inputs = list_make1(definition->feature);
	osml_defining_add(defining, definition);
	*changes = defining;
	return definition;
}

/* The definition that a row of the view shows, unless it is gone meanwhile. */
static OsmlDefinition *
find_row(const TriggerData *data, HeapTuple row, OsmlDefining **defining)
{
	*defining = changes_of(need_column(data, row, "dataset"));
	return osml_defining_find(*defining, need_column(data, row, "feature"),
							  step_column(data, row));
}

/* What was changed, or NULL. */
static OsmlDefinition *
update_row(const TriggerData *data, HeapTuple row, OsmlDefining **changes)
{
	static const char *const fixed[] = {"dataset", "feature", "step", "fitted", "position",
		"owner"};
	OsmlDefining *defining;
	OsmlDefinition *definition = find_row(data, data->tg_trigtuple, &defining);

	*changes = defining;
	for (int i = 0; i < (int) lengthof(fixed); i++)
	{
		if (!is_same(data, fixed[i]))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("column \"%s\" of osml.definitions cannot be changed", fixed[i]),
					 errhint("Change transform, inputs, shared or params; or delete the row and insert another.")));
	}
	if (definition == NULL)
		return NULL;
	if (!is_same(data, "shared"))
		osml_defining_set_shared(defining, definition, text_column(data, row, "shared"));
	if (!is_same(data, "transform") || !is_same(data, "params"))
		osml_defining_set(defining, definition, need_column(data, row, "transform"),
						  params_column(data, row));
	if (!is_same(data, "inputs"))
		osml_defining_set_inputs(defining, definition, inputs_column(data, row));
	return definition;
}

static bool
delete_row(const TriggerData *data)
{
	OsmlDefining *defining;
	OsmlDefinition *definition = find_row(data, data->tg_trigtuple, &defining);

	if (definition == NULL)
		return false;
	osml_defining_drop(defining, definition);
	return true;
}

/* One row; NULL when it was not there any more. */
static HeapTuple
change_row(const TriggerData *data)
{
	MemoryContext old;
	HeapTuple	row = TRIGGER_FIRED_BY_UPDATE(data->tg_event) ? data->tg_newtuple :
		data->tg_trigtuple;
	OsmlDefining *defining = NULL;
	OsmlDefinition *made = NULL;
	bool		deleted = false;

	if (innermost == NULL)
		elog(ERROR, "trigger on definitions was not called before its statement");
	old = MemoryContextSwitchTo(innermost->context);
	if (TRIGGER_FIRED_BY_INSERT(data->tg_event))
		made = insert_row(data, row, &defining);
	else if (TRIGGER_FIRED_BY_UPDATE(data->tg_event))
		made = update_row(data, row, &defining);
	else
		deleted = delete_row(data);
	MemoryContextSwitchTo(old);
	return made ? shown_row(data, row, defining, made) : deleted ? row : NULL;
}

/* all triggers of the view */
Datum
osml_definitions_change(PG_FUNCTION_ARGS)
{
	const TriggerData *data = (TriggerData *) fcinfo->context;

	if (!CALLED_AS_TRIGGER(fcinfo) || RelationGetForm(data->tg_relation)->relkind != RELKIND_VIEW ||
		RelationGetNamespace(data->tg_relation) != get_namespace_oid("osml", true))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("osml_definitions_change() is for triggers of osml.definitions only")));
	if (TRIGGER_FIRED_FOR_ROW(data->tg_event))
		return PointerGetDatum(change_row(data));
	if (TRIGGER_FIRED_BEFORE(data->tg_event))
		begin_statement();
	else
		end_statement();
	return PointerGetDatum(NULL);
}
