/*
 * dataset.c
 *	  A name that may be a dataset's.
 */
#include "postgres.h"

#include "utils/acl.h"
#include "utils/builtins.h"

#include "compat.h"
#include "catalog/role.h"
#include "source/definition.h"
#include "source/names.h"
#include "source/source.h"
#include "train/dataset.h"

/* Who may become the owner is told so: rights alone do not run another's queries. */
void
osml_not_own_dataset(const OsmlDatasetRow *row)
{
	ereport(ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("dataset \"%s\" belongs to role \"%s\"", row->name, row->owner),
			 errdetail("The queries of a dataset run only for its owner."),
			 OidIsValid(get_role_oid(row->owner, true)) && osml_role_usable(row->owner) ?
			 errhint("Become that role with SET ROLE %s, or make a dataset of your own.",
					 quote_identifier(row->owner)) :
			 errhint("Make one of your own with osml_create_dataset.")));
}

OsmlDatasetRow *
osml_own_dataset(const char *name)
{
	OsmlDatasetRow *row = osml_dataset_find(name);

	if (row == NULL || strcmp(row->owner, osml_current_role()) == 0)
		return row;
	if (!osml_source_is_relation(name))
		osml_not_own_dataset(row);
	return NULL;
}

OsmlDatasetRow *
osml_named_dataset(const char *name)
{
	OsmlDatasetRow *row = osml_own_dataset(name);

	if (row)
		return row;
	row = palloc0(sizeof(OsmlDatasetRow));
	row->train = pstrdup(name);
	return row;
}

List *
osml_dataset_features(const OsmlDatasetRow *row, List *definitions)
{
	List	   *features = list_copy(row->features);
	ListCell   *cell;

	if (features == NIL)
		return NIL;
	foreach(cell, definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (!osml_names_hold(features, definition->feature))
			features = lappend(features, definition->feature);
	}
	return features;
}

/* Raise: the source is not what it was when the dataset was made or split. */
pg_noreturn static void
source_error(const OsmlDatasetRow *row, const char *part, const char *text,
			 MemoryContext context)
{
	ErrorData  *edata;
	const char *rows = part == NULL ? "training" :
		strcmp(part, "val") == 0 ? "validation" : "test";

	MemoryContextSwitchTo(context);
	edata = CopyErrorData();
	if (edata->sqlerrcode != ERRCODE_UNDEFINED_COLUMN &&
		edata->sqlerrcode != ERRCODE_UNDEFINED_TABLE &&
		edata->sqlerrcode != ERRCODE_UNDEFINED_FUNCTION &&
		edata->sqlerrcode != ERRCODE_UNDEFINED_OBJECT &&
		edata->sqlerrcode != ERRCODE_DATATYPE_MISMATCH)
		PG_RE_THROW();
	FlushErrorState();
	ereport(ERROR,
			(errcode(edata->sqlerrcode),
			 errmsg("%s rows of dataset \"%s\" cannot be read: %s", rows, row->name,
					edata->message),
			 errdetail("%s: %s", row->split ? "The query that osml_split made is" :
					   "The source is", text),
			 row->split ?
			 errhint("Split the dataset anew with osml_split, or bring back what is gone.") :
			 errhint("Bring back what is gone, set search_path as it was, or drop the "
					 "dataset and create it anew.")));
}

OsmlSource *
osml_dataset_source(const OsmlDatasetRow *row, const char *part)
{
	const char *text = part == NULL ? row->train :
		strcmp(part, "val") == 0 ? row->val : row->test;
	MemoryContext context = CurrentMemoryContext;
	OsmlSource *volatile source = NULL;

	if (row->dataset_id == 0)
		return osml_source_resolve(text, part);
	PG_TRY();
	{
		source = osml_source_resolve(text, part);
	}
	PG_CATCH();
	{
		source_error(row, part, text, context);
	}
	PG_END_TRY();
	source->dataset = row->name;
	return source;
}
