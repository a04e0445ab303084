/*
 * split_dataset.c
 *	  What osml_split() splits: a dataset of the user's, its source and columns.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "api/need.h"
#include "api/split.h"
#include "hparams/hparams.h"
#include "train/dataset.h"

/* Raise: no dataset of that name that the user could split. */
static void pg_attribute_noreturn()
no_own_dataset(const char *name)
{
	OsmlDatasetRow *row = osml_dataset_find(name);
	const char *nearest;

	if (row)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("dataset \"%s\" belongs to role \"%s\"", name, row->owner),
				 errhint("Make one of your own with osml_create_dataset.")));
	nearest = osml_source_is_relation(name) ? NULL :
		osml_nearest_of(name, osml_dataset_names());
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_OBJECT),
			 errmsg("dataset \"%s\" does not exist", name),
			 nearest ? errhint("Perhaps you meant the dataset \"%s\".", nearest) :
			 errhint("osml_create_dataset(name, train) names a relation or a query.")));
}

/* The user's own dataset: its queries run, and run only for him. */
OsmlDatasetRow *
osml_split_dataset(const char *name)
{
	OsmlDatasetRow *row = osml_own_dataset(name);

	if (row == NULL)
		no_own_dataset(name);
	return row;
}

/* A text member of the stored split. */
char *
osml_split_member(const OsmlDatasetRow *row, const char *name)
{
	JsonbValue	value;

	if (getKeyJsonValueFromContainer(&row->split->root, name, strlen(name), &value) == NULL ||
		value.type != jbvString)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("the split of dataset \"%s\" has no \"%s\"", row->name, name),
				 errhint("Drop the dataset and create it again.")));
	return pnstrdup(value.val.string.val, value.val.string.len);
}

/*
 * What there is to split: the source from before the last split, or the whole
 * of a dataset without one.
 */
static char *
original_source(const OsmlDatasetRow *row)
{
	if (row->split)
		return osml_split_member(row, "source");
	if (row->val || row->test)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("dataset \"%s\" already has a %s source", row->name,
						row->val ? "val" : "test"),
				 errhint("osml_split would replace it: create a dataset with a train source alone.")));
	return row->train;
}

/* The FROM item of the source, under the one alias that all conditions use. */
static char *
from_item(const OsmlSource *source)
{
	if (!OidIsValid(source->relid))
		return source->from;
	if (source->temporary)
		return psprintf("pg_temp.%s AS osml_source",
						quote_identifier(get_rel_name(source->relid)));
	return psprintf("%s AS osml_source", source->from);
}

/* Is there a column of that name? */
static Form_pg_attribute
find_column(const OsmlSource *source, const char *name)
{
	for (int i = 0; i < source->columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(source->columns, i);

		if (strcmp(NameStr(column->attname), name) == 0)
			return column;
	}
	return NULL;
}

static List *
all_columns(const OsmlSource *source)
{
	List	   *names = NIL;

	for (int i = 0; i < source->columns->natts; i++)
		names = lappend(names, NameStr(TupleDescAttr(source->columns, i)->attname));
	return names;
}

Oid
osml_split_column_type(const OsmlSplit *split, const char *name)
{
	Form_pg_attribute column = find_column(split->source, name);
	const char *nearest;

	if (column)
		return column->atttypid;
	nearest = osml_nearest_of(name, all_columns(split->source));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column \"%s\" of dataset \"%s\" does not exist", name,
					split->dataset->name),
			 nearest ? errhint("Perhaps you meant the column \"%s\".", nearest) :
			 errhint("Name a column of %s.", split->source->label)));
}

char *
osml_split_column(const char *name)
{
	return psprintf("osml_source.%s", quote_identifier(name));
}

bool
osml_split_holds(List *names, const char *name)
{
	ListCell   *cell;

	foreach(cell, names)
	{
		if (strcmp(lfirst(cell), name) == 0)
			return true;
	}
	return false;
}

/*
 * Label and features.  A feature that is no column is made of columns which
 * are not known here: then all columns of the source count.
 */
static List *
used_columns(const OsmlDatasetRow *row, const OsmlSource *source)
{
	List	   *all = all_columns(source);
	List	   *used;
	ListCell   *cell;

	if (row->label && find_column(source, row->label) == NULL)
		return all;
	used = list_make1(row->label ? row->label : linitial(all));
	foreach(cell, row->features ? row->features : all)
	{
		if (find_column(source, lfirst(cell)) == NULL)
			return all;
		if (!osml_split_holds(used, lfirst(cell)))
			used = lappend(used, lfirst(cell));
	}
	return used;
}

/* Resolve the source as the user, and take from it what is used. */
void
osml_split_take(OsmlSplit *split, const char *name)
{
	OsmlDatasetRow *row = osml_split_dataset(name);
	OsmlHparams *options = osml_hparams_parse(NULL, row->options);

	split->dataset = row;
	split->source_text = original_source(row);
	if (options->val_fraction > 0 && split->fractions[OSML_SPLIT_VAL] > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dataset \"%s\" has a \"val_fraction\" among its options", name),
				 errhint("Leave out \"val\" of the fractions, or create the dataset without that option.")));
	split->source = osml_source_resolve(split->source_text, NULL);
	split->from = from_item(split->source);
	split->columns = used_columns(row, split->source);
}
