/*
 * split_store.c
 *	  A split as it is kept: the dataset's sources, and how they were made.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "common/shortest_dec.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"
#include "utils/jsonb.h"

#include "api/split.h"

/*
 * What a part's query lists: all columns, those included that come later,
 * unless the user may read but some, or one says the part.
 */
static char *
target_list(const OsmlSplit *split)
{
	Oid			relid = split->source->relid;
	StringInfoData list;
	List	   *names = NIL;
	ListCell   *cell;

	if (OidIsValid(relid) &&
		pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) != ACLCHECK_OK)
		names = split->columns;
	else if (split->method == OSML_SPLIT_COLUMN)
	{
		for (int i = 0; i < split->source->columns->natts; i++)
		{
			char	   *name = NameStr(TupleDescAttr(split->source->columns, i)->attname);

			if (strcmp(name, split->by) != 0)
				names = lappend(names, name);
		}
	}
	else
		return "osml_source.*";
	initStringInfo(&list);
	foreach(cell, names)
		appendStringInfo(&list, "%s%s", list.len ? ", " : "", osml_split_column(lfirst(cell)));
	return list.data;
}

/* A member of the stored split: a list of strings, or nothing. */
static void
append_strings(StringInfo json, const char *name, List *strings)
{
	ListCell   *cell;

	if (strings == NIL)
		return;
	appendStringInfo(json, ", \"%s\": [", name);
	foreach(cell, strings)
	{
		appendStringInfoString(json, foreach_current_index(cell) ? ", " : "");
		escape_json(json, lfirst(cell));
	}
	appendStringInfoChar(json, ']');
}

/* Likewise a string. */
static void
append_string(StringInfo json, const char *name, const char *value)
{
	if (value == NULL)
		return;
	appendStringInfo(json, ", \"%s\": ", name);
	escape_json(json, value);
}

/* How the dataset remembers that it was split. */
static Jsonb *
split_document(const OsmlSplit *split)
{
	StringInfoData json;
	const char *comma = "";

	initStringInfo(&json);
	appendStringInfo(&json, "{\"method\": \"%s\"", osml_split_method_names[split->method]);
	append_string(&json, "source", split->source_text);
	append_string(&json, "by", split->by);
	append_string(&json, "gap", split->gap);
	append_strings(&json, "group_by", split->group_by);
	append_strings(&json, "cuts", split->cuts);
	if (split->method == OSML_SPLIT_HASH)
	{
		appendStringInfo(&json, ", \"seed\": " INT64_FORMAT, split->seed);
		append_strings(&json, "columns", split->group_by ? NIL : split->columns);
	}
	if (split->method != OSML_SPLIT_COLUMN)
	{
		appendStringInfoString(&json, ", \"fractions\": {");
		for (int p = 0; p < OSML_SPLIT_PARTS; p++)
		{
			if (split->where[p] == NULL)
				continue;
			appendStringInfo(&json, "%s\"%s\": %s", comma, osml_split_part_names[p],
							 double_to_shortest_decimal(split->fractions[p]));
			comma = ", ";
		}
		appendStringInfoChar(&json, '}');
	}
	appendStringInfoChar(&json, '}');
	return DatumGetJsonbP(DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data)));
}

/* Raise if a dataset was dropped while it was split. */
void
osml_split_store_sources(const OsmlDatasetRow *row)
{
	if (!osml_dataset_update_split(row))
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("dataset \"%s\" does not exist any more", row->name),
				 errhint("Somebody dropped it while it was split.")));
}

/* The parts become the dataset's sources. */
void
osml_split_store(OsmlSplit *split)
{
	OsmlDatasetRow *row = split->dataset;
	char	  **sources[OSML_SPLIT_PARTS] = {&row->train, &row->val, &row->test};
	char	   *list = target_list(split);

	for (int p = 0; p < OSML_SPLIT_PARTS; p++)
		*sources[p] = split->where[p] ?
			psprintf("SELECT %s FROM %s WHERE %s", list, split->from, split->where[p]) : NULL;
	row->split = split_document(split);
	osml_split_store_sources(row);
}
