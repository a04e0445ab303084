/*
 * column.c
 *	  Columns of a source by name: see column.h.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#include "rules/name/nearest.h"
#include "source/column.h"
#include "source/decode.h"
#include "source/definition.h"
#include "source/fold.h"
#include "source/names.h"

/* columns that a hint lists */
#define MAX_GRANTED 20

/* A column by name, or NULL. */
Form_pg_attribute
osml_find_column(TupleDesc columns, const char *name)
{
	for (int i = 0; i < columns->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0)
			return TupleDescAttr(columns, i);
	}
	return NULL;
}

Form_pg_attribute
osml_find_array(TupleDesc columns, const char *name)
{
	const char *bracket = strrchr(name, '[');
	int			element = bracket ? atoi(bracket + 1) : 0;
	Form_pg_attribute column;

	if (element < 1)
		return NULL;
	column = osml_find_column(columns, pnstrdup(name, bracket - name));
	if (column == NULL || !OidIsValid(osml_decode_element(column->atttypid)) ||
		strcmp(bracket, psprintf("[%d]", element)) != 0)
		return NULL;
	return column;
}

/* A column by name; an error with the nearest name. */
Form_pg_attribute
osml_need_column(const OsmlSource *source, const char *name)
{
	Form_pg_attribute column = osml_find_column(source->columns, name);
	OsmlNearest nearest;
	const char *best;

	if (column)
		return column;
	osml_nearest_begin(&nearest, name);
	for (int i = 0; i < source->columns->natts; i++)
		osml_nearest_offer(&nearest, NameStr(TupleDescAttr(source->columns, i)->attname));
	best = osml_nearest_end(&nearest);
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 source->dataset ?
			 errmsg("column \"%s\" of dataset \"%s\" does not exist in %s", name,
					source->dataset, source->label) :
			 errmsg("column \"%s\" does not exist in %s", name, source->label),
			 best ? errhint("Perhaps you meant column \"%s\".", best) :
			 source->dataset ?
			 errhint("If it was dropped or renamed since, create the dataset anew.") : 0));
}

/* Raise: a column cannot be the label, or a feature, for its type. */
static void
label_type_error(const OsmlSource *source, Form_pg_attribute column)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("label \"%s\" of %s has type %s, which is neither a number nor a category",
					NameStr(column->attname), source->label,
					format_type_be(column->atttypid)),
			 errdetail("Accepted types are %s, and of classes text, enums and uuid.", osml_decode_types()),
			 errhint("Cast it in a view or a SELECT, or name another column as \"label\".")));
}

/* most columns that a message lists */
#define MAX_LISTED 20

/* Columns and their types: "j" (json), "i" (interval) */
static char *
list_types(List *columns)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, columns)
	{
		Form_pg_attribute column = lfirst(cell);

		if (foreach_current_index(cell) == MAX_LISTED)
		{
			appendStringInfoString(&list, ", ...");
			break;
		}
		appendStringInfo(&list, "%s\"%s\" (%s)", list.len > 0 ? ", " : "",
						 NameStr(column->attname), format_type_be(column->atttypid));
	}
	return list.data;
}

/* Names as a user can paste them: ["a", "b"] */
static char *
list_names(List *names)
{
	StringInfoData list;
	ListCell   *cell;

	initStringInfo(&list);
	foreach(cell, names)
	{
		appendStringInfoString(&list, list.len > 0 ? ", " : "[");
		if (foreach_current_index(cell) == MAX_LISTED)
		{
			appendStringInfoString(&list, "...");
			break;
		}
		escape_json(&list, lfirst(cell));
	}
	appendStringInfoChar(&list, ']');
	return list.data;
}

void
osml_feature_type_error(const OsmlSource *source, List *columns, List *others)
{
	Form_pg_attribute first = linitial(columns);

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 list_length(columns) == 1 ?
			 errmsg("feature \"%s\" of %s has type %s, which is neither a number nor a text",
					NameStr(first->attname), source->label, format_type_be(first->atttypid)) :
			 errmsg("features of %s are neither numbers nor texts: %s", source->label,
					list_types(columns)),
			 errdetail("Numbers are %s, and arrays of them of a fixed length.",
					   osml_decode_types()),
			 others == NIL ?
			 errhint("Cast it in a view or a SELECT, or leave it out of \"features\"; "
					 "a dataset can then make a feature of it with osml_transform.") :
			 errhint("Cast in a view or a SELECT, or name only the others, \"features\": %s; "
					 "a dataset can then make features of all columns with osml_transform.",
					 list_names(others))));
}

/* Does a definition read a column itself, as most first steps do? */
static bool
reads_column(const OsmlDefinition *definition, const char *name)
{
	return osml_names_hold(definition->inputs, name) ||
		(definition->inputs == NIL && definition->step == 1 &&
		 strcmp(definition->feature, name) == 0);
}

/* Who reads a column, a sentence, for a source's own features are not the set's. */
const char *
osml_reader_words(const OsmlFeatureSet *set, const char *name)
{
	const char *feature = name;
	ListCell   *cell;

	foreach(cell, set->definitions)
	{
		const OsmlDefinition *definition = lfirst(cell);

		if (reads_column(definition, name))
		{
			feature = definition->feature;
			break;
		}
	}
	return set->subject ? psprintf("It is read for feature \"%s\" %s. ", feature,
								   set->subject) : "";
}

/* Raise: the feature is there, but is not the kind that was trained on. */
static void
match_type_error(const OsmlSource *source, const OsmlFeatureSet *set,
				 Form_pg_attribute column, const OsmlInput *input)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 input->n_elements > 0 ?
			 errmsg("feature \"%s\" of %s has type %s, but must be an array of %d numbers",
					input->name, source->label, format_type_be(column->atttypid),
					input->n_elements) :
			 errmsg("feature \"%s\" of %s has type %s, which is not a number",
					input->name, source->label, format_type_be(column->atttypid)),
			 errdetail("%sAccepted types of a number are %s.",
					   osml_reader_words(set, NameStr(column->attname)), osml_decode_types()),
			 errhint("Cast it in a view or a SELECT.")));
}

/* A query may give one name to several columns; none of them can be meant. */
void
osml_check_unique(const OsmlSource *source, const char *name)
{
	int			n = 0;

	for (int i = 0; i < source->columns->natts; i++)
		n += strcmp(NameStr(TupleDescAttr(source->columns, i)->attname), name) == 0;
	if (n > 1)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_COLUMN),
				 errmsg("%s has %d columns named \"%s\"", source->label, n, name),
				 errhint("Give them different names with AS.")));
}

/* The length of an array column, from the first row that has one. */
int
osml_peek_array_length(const OsmlSource *source, const char *name)
{
	char	   *sql = psprintf("SELECT pg_catalog.cardinality(%s) FROM %s WHERE %s IS NOT NULL LIMIT 1",
							   quote_identifier(name), source->from, quote_identifier(name));
	bool		found;
	int			length = 0;

	SPI_connect();
	if (SPI_execute(sql, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", sql);
	found = SPI_processed == 1;
	if (found)
	{
		bool		isnull;

		length = DatumGetInt32(SPI_getbinval(SPI_tuptable->vals[0],
											 SPI_tuptable->tupdesc, 1, &isnull));
	}
	SPI_finish();
	if (length <= 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATA_EXCEPTION),
				 found ?
				 errmsg("array column \"%s\" of %s is empty where it is first not NULL",
						name, source->label) :
				 errmsg("array column \"%s\" of %s is NULL in every row",
						name, source->label),
				 errdetail("The number of features is taken from the first row that is not NULL.")));
	return length;
}

/* A hint that lists the columns that the user may read, where those are not all; else
 * NULL.  fixed: it is settled which are needed. */
static char *
granted_columns(const OsmlSource *source, bool fixed)
{
	StringInfoData list;
	int			n = 0;

	if (!OidIsValid(source->relid) ||
		pg_class_aclcheck(source->relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK)
		return NULL;
	initStringInfo(&list);
	for (int i = 0; i < source->columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(source->columns, i);

		if (column->attisdropped || n > MAX_GRANTED ||
			pg_attribute_aclcheck(source->relid, get_attnum(source->relid, NameStr(column->attname)),
								  GetUserId(), ACL_SELECT) != ACLCHECK_OK)
			continue;
		if (n++ < MAX_GRANTED)
			appendStringInfo(&list, "%s%s", n > 1 ? ", " : "", NameStr(column->attname));
		else
			appendStringInfoString(&list, ", and more");
	}
	if (n == 0)
		return NULL;
	return psprintf(fixed ? "Of its columns you may read %s." :
					"Of its columns you may read %s: name those that are to be used with \"features\" and \"label\".",
					list.data);
}

static void
hint_granted(void *arg)
{
	if (geterrcode() == ERRCODE_INSUFFICIENT_PRIVILEGE)
		errhint("%s", (const char *) arg);
}

/* Plan and start, but do not run, so that a missing grant shows at once. */
void
osml_check_readable(const OsmlSource *source, const OsmlFeatureSet *set)
{
	char	   *granted = granted_columns(source, set->subject != NULL);
	ErrorContextCallback callback = {error_context_stack, hint_granted, granted};
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < set->n_columns; i++)
		appendStringInfo(&sql, "%s%s", i ? ", " : "",
						 quote_identifier(set->columns[i].name));
	if (set->label)
		appendStringInfo(&sql, "%s%s", set->n_columns > 0 ? ", " : "",
						 quote_identifier(set->label));
	if (set->weight)
		appendStringInfo(&sql, ", %s", quote_identifier(set->weight));
	if (set->exposure)
		appendStringInfo(&sql, ", %s", quote_identifier(set->exposure));
	appendStringInfo(&sql, " FROM %s LIMIT 0", source->from);
	if (granted)
		error_context_stack = &callback;
	SPI_connect();
	if (SPI_execute(sql.data, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", sql.data);
	SPI_finish();
	error_context_stack = callback.previous;
}

/* Name and type of the label go into the set. */
void
osml_set_label(OsmlFeatureSet *set, const OsmlSource *source, const char *name)
{
	Form_pg_attribute column = osml_need_column(source, name);

	osml_check_unique(source, name);
	set->label = pstrdup(name);
	set->label_type = column->atttypid;
	set->label_folds = osml_type_folds(column->atttypid);
	set->label_key = osml_decode_for(column->atttypid) == NULL;
	if (set->label_key && !osml_decode_is_category(column->atttypid))
		label_type_error(source, column);
}

/* The type of a column of numbers that weights rows. */
static Oid
weight_type(const OsmlSource *source, const char *role, const char *name)
{
	Form_pg_attribute column = osml_need_column(source, name);

	osml_check_unique(source, name);
	if (osml_decode_for(column->atttypid) == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s \"%s\" of %s has type %s, which is not a number", role, name,
						source->label, format_type_be(column->atttypid))));
	return column->atttypid;
}

/* Name and type of columns that weight rows go into the set; NULL: there is none. */
void
osml_set_weights(OsmlFeatureSet *set, const OsmlSource *source, const char *weight,
				 const char *exposure)
{
	if (weight)
	{
		set->weight_type = weight_type(source, "sample_weight", weight);
		set->weight = pstrdup(weight);
	}
	if (exposure)
	{
		set->exposure_type = weight_type(source, "exposure", exposure);
		set->exposure = pstrdup(exposure);
	}
}

/* Is a column of another source read as it was in training? */
static void
match_input(const OsmlSource *source, const OsmlFeatureSet *set, const OsmlInput *input,
			Form_pg_attribute column)
{
	Oid			type = column->atttypid;
	bool		usable = true;

	if (input->kind == OSML_INPUT_ARRAY)
		usable = OidIsValid(osml_decode_element(type));
	else if (input->kind != OSML_INPUT_KEY)
		usable = osml_decode_for(type) != NULL;
	if (!usable)
		match_type_error(source, set, column, input);
}

void
osml_check_label_type(const OsmlSource *source, const OsmlFeatureSet *set, Oid trained,
					  const char *whose)
{
	if (!osml_decode_alike(set->label_type, trained) ||
		(OidIsValid(trained) && set->label_key &&
		 set->label_folds != osml_type_folds(trained)))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("label \"%s\" of %s has type %s, but that of %s is of type %s",
						set->label, source->label, format_type_be(set->label_type), whose,
						format_type_be(trained)),
				 errhint("Cast it in a view or a SELECT.")));
}

OsmlFeatureSet *
osml_source_match(OsmlSource *source, const OsmlFeatureSet *set, bool with_label)
{
	OsmlFeatureSet *match = palloc(sizeof(OsmlFeatureSet));

	*match = *set;
	match->columns = palloc(sizeof(OsmlSourceColumn) * Max(1, set->n_columns));
	match->label = match->weight = match->exposure = NULL;
	match->label_type = InvalidOid;
	for (int i = 0; i < set->n_columns; i++)
	{
		Form_pg_attribute column = osml_need_column(source, set->columns[i].name);

		osml_check_unique(source, set->columns[i].name);
		match->columns[i] = set->columns[i];
		match->columns[i].type = column->atttypid;
		for (int k = 0; k < set->n_inputs; k++)
		{
			if (set->inputs[k].column == i)
				match_input(source, set, &set->inputs[k], column);
		}
	}
	if (with_label)
		osml_set_label(match, source, set->label);
	osml_check_readable(source, match);
	return match;
}
