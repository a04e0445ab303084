/*
 * guard.c
 *	  osml.guard_row(): the trigger on base tables that others than their owner
 *	  may write.
 *
 * Whoever installed the extension may insert rows, to restore a dump.  SQL of a
 * row runs as the role that the row names, so rows must not name roles that the
 * writer could not act as anyway: his restored rows become his own, and there are
 * none that hang on somebody else's.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/rel.h"

#include "catalog/guard.h"
#include "catalog/role.h"

PG_FUNCTION_INFO_V1(osml_guard_row);

/* Replace the text of a column; NULL: by NULL. */
static HeapTuple
put_column(HeapTuple row, TupleDesc desc, const char *column, const char *text)
{
	int			number = SPI_fnumber(desc, column);
	Datum		value = text ? CStringGetTextDatum(text) : (Datum) 0;
	bool		isnull = text == NULL;

	return heap_modify_tuple_by_cols(row, desc, 1, &number, &value, &isnull);
}

/* The role in a column is one that the writer may act as, or the writer's own. */
static HeapTuple
guard_role(HeapTuple row, TupleDesc desc, const char *column)
{
	char	   *role = SPI_getvalue(row, desc, SPI_fnumber(desc, column));

	if (role == NULL || osml_role_usable(role))
		return row;
	return put_column(row, desc, column, osml_current_role());
}

/* What the row hangs on belongs to a role that the writer may act as. */
static void
guard_parent(HeapTuple row, Relation table, const char *kind, const char *column)
{
	TupleDesc	desc = RelationGetDescr(table);
	bool		isnull;
	Datum		id = SPI_getbinval(row, desc, SPI_fnumber(desc, column), &isnull);
	char	   *owner = isnull ? NULL : osml_guard_owner(kind, DatumGetInt64(id));

	if (isnull || (owner != NULL && osml_role_usable(owner)))
		return;
	/* the foreign key looks only at the statement's end, when somebody may have it */
	if (owner == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FOREIGN_KEY_VIOLATION),
				 errmsg("row of \"osml.%s\" is one of a %s that does not exist",
						RelationGetRelationName(table), kind),
				 errhint("Insert the %s first.", kind)));
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("row of \"osml.%s\" is one of a %s of role \"%s\"",
					RelationGetRelationName(table), kind, owner),
			 errhint("Only that role, or one that may act as it, can restore it.")));
}

/*
 * osml.guard_row(): arguments come in pairs, "role" and a column with a role's
 * name, "nothing" and a column that is to be NULL, or a kind of parent and the
 * column that refers to it.
 */
Datum
osml_guard_row(PG_FUNCTION_ARGS)
{
	TriggerData *data = (TriggerData *) fcinfo->context;
	HeapTuple	row;
	TupleDesc	desc;

	if (!CALLED_AS_TRIGGER(fcinfo) || !TRIGGER_FIRED_BEFORE(data->tg_event) ||
		!TRIGGER_FIRED_FOR_ROW(data->tg_event))
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("osml.guard_row() is a trigger before each row")));
	row = TRIGGER_FIRED_BY_UPDATE(data->tg_event) ? data->tg_newtuple : data->tg_trigtuple;
	/* the extension's own statements come as the owner */
	if (superuser() || GetUserId() == data->tg_relation->rd_rel->relowner)
		return PointerGetDatum(row);
	desc = RelationGetDescr(data->tg_relation);
	for (int i = 0; i + 1 < data->tg_trigger->tgnargs; i += 2)
	{
		const char *what = data->tg_trigger->tgargs[i];
		const char *column = data->tg_trigger->tgargs[i + 1];

		if (strcmp(what, "role") == 0)
			row = guard_role(row, desc, column);
		else if (strcmp(what, "nothing") == 0)
			row = put_column(row, desc, column, NULL);
		else
			guard_parent(row, data->tg_relation, what, column);
	}
	return PointerGetDatum(row);
}
