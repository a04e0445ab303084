/*
 * split_dataset.c
 *	  What osml_split() splits: a dataset of the user's, its source and columns.
 */
#include "postgres.h"

#include "access/tupdesc.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "api/need.h"
#include "api/split.h"
#include "catalog/definition.h"
#include "hparams/hparams.h"
#include "source/names.h"
#include "train/dataset.h"

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

/* The first step of a feature that has definitions. */
static OsmlDefinition *
definition_of(List *definitions, const char *feature)
{
	ListCell   *cell;

	foreach(cell, definitions)
	{
		OsmlDefinition *definition = lfirst(cell);

		if (definition->step == 1 && strcmp(definition->feature, feature) == 0)
			return definition;
	}
	return NULL;
}

/* Add a column, once. */
static void
choose_column(OsmlSplit *split, char *name)
{
	if (!osml_names_hold(split->chosen, name))
		split->chosen = lappend(split->chosen, name);
}

/* A column that a feature needs.  One that is gone would leave others to be hashed. */
static void
need_column(OsmlSplit *split, char *name)
{
	(void) osml_split_column_type(split, name);
	choose_column(split, name);
}

/*
 * Add the columns that a feature is made of; false where that is not known, as
 * with an expression.  An input is a column, or else a feature defined before.
 */
static bool
choose_feature(OsmlSplit *split, List *definitions, char *feature)
{
	OsmlDefinition *definition = definition_of(definitions, feature);
	bool		known = true;
	ListCell   *cell;

	check_stack_depth();
	if (definition == NULL)
	{
		need_column(split, feature);
		return true;
	}
	if (strcmp(definition->transform, OSML_SQL_TRANSFORM) == 0)
		return false;
	foreach(cell, definition->inputs)
	{
		char	   *input = lfirst(cell);

		if (find_column(split->source, input) || strcmp(input, feature) == 0)
			need_column(split, input);
		else
			known = choose_feature(split, definitions, input) && known;
	}
	return known;
}

/*
 * Label, and the columns that features are made of: those that were chosen, by
 * name or by a definition, or else all.  Where that is not known, all as well.
 */
static void
use_columns(OsmlSplit *split)
{
	OsmlDatasetRow *row = split->dataset;
	List	   *all = all_columns(split->source);
	List	   *definitions = osml_definitions_find(row->dataset_id);
	List	   *features = osml_dataset_features(row, definitions);
	bool		known = features != NIL;
	ListCell   *cell;

	if (all == NIL)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s of dataset \"%s\" has no columns", split->source->label,
						row->name)));
	split->label = row->label ? row->label : linitial(all);
	(void) osml_split_column_type(split, split->label);
	foreach(cell, features)
		known = choose_feature(split, definitions, lfirst(cell)) && known;
	if (features == NIL)
	{
		foreach(cell, definitions)
			(void) choose_feature(split, definitions, ((OsmlDefinition *) lfirst(cell))->feature);
	}
	split->columns = list_make1(split->label);
	foreach(cell, known ? split->chosen : all)
	{
		if (!osml_names_hold(split->columns, lfirst(cell)))
			split->columns = lappend(split->columns, lfirst(cell));
	}
}

/* The source as a dataset's own, so that an error says whose it is when it is gone. */
static OsmlSource *
whole_source(const OsmlSplit *split)
{
	OsmlDatasetRow whole = *split->dataset;

	whole.train = split->source_text;
	whole.split = NULL;
	return osml_dataset_source(&whole, NULL);
}

/* Rights that are missing show in a query that people can read. */
static void
check_readable(const OsmlSplit *split)
{
	StringInfoData sql;
	ListCell   *cell;

	initStringInfo(&sql);
	foreach(cell, split->columns)
		appendStringInfo(&sql, "%s%s", sql.len ? ", " : "SELECT ", osml_split_column(lfirst(cell)));
	appendStringInfo(&sql, " FROM %s LIMIT 0", split->from);
	SPI_connect();
	if (SPI_execute(sql.data, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "unexpected result of \"%s\"", sql.data);
	SPI_finish();
}

/* Resolve the source as the user, and take from it what is used. */
void
osml_split_take(OsmlSplit *split, const char *name)
{
	OsmlDatasetRow *row = osml_need_dataset(name);
	OsmlHparams *options = osml_hparams_parse(NULL, row->options);

	split->dataset = row;
	split->source_text = original_source(row);
	if (options->val_fraction > 0 && split->fractions[OSML_SPLIT_VAL] > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("dataset \"%s\" has a \"val_fraction\" among its options", name),
				 errhint("Leave out \"val\" of the fractions, or create the dataset without that option.")));
	split->source = whole_source(split);
	split->from = from_item(split->source);
	use_columns(split);
	check_readable(split);
}
