/*
 * feature.c
 *	  Label and features of a source, by column name.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "rules/name/nearest.h"
#include "source/decode.h"
#include "source/source.h"

/* most columns a set may have: a block of this many is 80 MB */
#define MAX_DENSE 10000

/* A column by name, or NULL. */
static Form_pg_attribute
find_column(TupleDesc columns, const char *name)
{
	for (int i = 0; i < columns->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0)
			return TupleDescAttr(columns, i);
	}
	return NULL;
}

/* A column by name; an error with the nearest name. */
static Form_pg_attribute
need_column(const OsmlSource *source, const char *name)
{
	Form_pg_attribute column = find_column(source->columns, name);
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
			 errmsg("column \"%s\" does not exist in %s", name, source->label),
			 best ? errhint("Perhaps you meant column \"%s\".", best) : 0));
}

/* Raise: a column cannot be the label, or a feature, for its type. */
static void
label_type_error(const OsmlSource *source, Form_pg_attribute column)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("label \"%s\" of %s has type %s, which is not a number",
					NameStr(column->attname), source->label,
					format_type_be(column->atttypid)),
			 errdetail("Accepted types are %s.", osml_decode_types()),
			 errhint("Cast it in a view or a SELECT, or name another column as \"label\".")));
}

static void
feature_type_error(const OsmlSource *source, Form_pg_attribute column)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("feature \"%s\" of %s has type %s, which is not a number",
					NameStr(column->attname), source->label,
					format_type_be(column->atttypid)),
			 errdetail("Accepted types are %s, and arrays of them of a fixed length.",
					   osml_decode_types()),
			 errhint("Cast it in a view or a SELECT, or leave it out by naming "
					 "\"features\" in the hyperparameters.")));
}

/* Raise: the feature is there, but is not the kind that was trained on. */
static void
match_type_error(const OsmlSource *source, Form_pg_attribute column,
				 const OsmlFeature *feature)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 feature->n_elements > 0 ?
			 errmsg("feature \"%s\" of %s has type %s, but must be an array of %d numbers",
					feature->name, source->label, format_type_be(column->atttypid),
					feature->n_elements) :
			 errmsg("feature \"%s\" of %s has type %s, which is not a number",
					feature->name, source->label, format_type_be(column->atttypid)),
			 errdetail("Accepted types of a number are %s.", osml_decode_types()),
			 errhint("Cast it in a view or a SELECT.")));
}

/* A query may give one name to several columns; none of them can be meant. */
static void
check_unique(const OsmlSource *source, const char *name)
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
static int
peek_array_length(const OsmlSource *source, const char *name)
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

/* Append a column to the set. */
static void
add_feature(OsmlFeatureSet *set, OsmlSource *source, Form_pg_attribute column)
{
	OsmlFeature *feature = &set->features[set->n_features];
	const char *name = NameStr(column->attname);

	check_unique(source, name);
	feature->name = pstrdup(name);
	feature->type = column->atttypid;
	feature->n_elements = 0;
	feature->first_dense = set->layout.n_dense;
	if (OidIsValid(osml_decode_element(column->atttypid)))
		feature->n_elements = peek_array_length(source, name);
	else if (osml_decode_for(column->atttypid) == NULL)
		feature_type_error(source, column);
	for (int i = 0; i < set->n_features; i++)
	{
		if (strcmp(set->features[i].name, name) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_DUPLICATE_COLUMN),
					 errmsg("feature \"%s\" is named twice", name)));
	}
	set->layout.n_dense += Max(1, feature->n_elements);
	set->n_features++;
	if (set->layout.n_dense > MAX_DENSE)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("%s has more than %d feature values", source->label, MAX_DENSE),
				 errhint("Name fewer columns in \"features\".")));
}

/* Plan and start, but do not run, so that a missing grant shows at once. */
static void
check_readable(const OsmlSource *source, const OsmlFeatureSet *set)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfoString(&sql, "SELECT ");
	for (int i = 0; i < set->n_features; i++)
		appendStringInfo(&sql, "%s%s", i ? ", " : "",
						 quote_identifier(set->features[i].name));
	if (set->label)
		appendStringInfo(&sql, ", %s", quote_identifier(set->label));
	appendStringInfo(&sql, " FROM %s LIMIT 0", source->from);
	SPI_connect();
	if (SPI_execute(sql.data, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute failed: %s", sql.data);
	SPI_finish();
}

/* Name and type of the label go into the set. */
static void
set_label(OsmlFeatureSet *set, const OsmlSource *source, const char *name)
{
	Form_pg_attribute column = need_column(source, name);

	check_unique(source, name);
	if (osml_decode_for(column->atttypid) == NULL)
		label_type_error(source, column);
	set->label = pstrdup(name);
	set->label_type = column->atttypid;
}

OsmlFeatureSet *
osml_source_features(OsmlSource *source, const char *label, List *features)
{
	OsmlFeatureSet *set = palloc0(sizeof(OsmlFeatureSet));
	ListCell   *cell;
	int			n_columns = source->columns->natts;

	if (n_columns == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no columns", source->label)));
	if (label == NULL)
		label = NameStr(TupleDescAttr(source->columns, 0)->attname);
	set_label(set, source, label);
	set->features = palloc0(sizeof(OsmlFeature) *
							Max(n_columns, list_length(features)));
	foreach(cell, features)
	{
		if (strcmp(lfirst(cell), label) == 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("label \"%s\" is also named as a feature", label)));
		add_feature(set, source, need_column(source, lfirst(cell)));
	}
	for (int i = 0; features == NIL && i < n_columns; i++)
	{
		Form_pg_attribute column = TupleDescAttr(source->columns, i);

		if (strcmp(NameStr(column->attname), label) != 0)
			add_feature(set, source, column);
	}
	if (set->n_features == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_COLUMN),
				 errmsg("%s has no feature column", source->label),
				 errdetail("Its only column, \"%s\", is the label.", label)));
	check_readable(source, set);
	return set;
}

OsmlFeatureSet *
osml_source_match(OsmlSource *source, const OsmlFeatureSet *set, bool with_label)
{
	OsmlFeatureSet *match = palloc0(sizeof(OsmlFeatureSet));

	*match = *set;
	match->features = palloc(sizeof(OsmlFeature) * set->n_features);
	match->label = NULL;
	match->label_type = InvalidOid;
	for (int i = 0; i < set->n_features; i++)
	{
		OsmlFeature *feature = &match->features[i];
		Form_pg_attribute column = need_column(source, set->features[i].name);

		check_unique(source, set->features[i].name);
		*feature = set->features[i];
		feature->type = column->atttypid;
		if (feature->n_elements == 0 ? osml_decode_for(feature->type) == NULL :
			!OidIsValid(osml_decode_element(feature->type)))
			match_type_error(source, column, &set->features[i]);
	}
	if (with_label)
		set_label(match, source, set->label);
	check_readable(source, match);
	return match;
}

char *
osml_dense_name(const OsmlFeatureSet *set, int dense)
{
	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];

		if (dense < feature->first_dense + Max(1, feature->n_elements))
			return feature->n_elements == 0 ? pstrdup(feature->name) :
				psprintf("%s[%d]", feature->name, dense - feature->first_dense + 1);
	}
	return pstrdup("?");
}
