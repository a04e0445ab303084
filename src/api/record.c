/*
 * record.c
 *	  A row's columns to a model's features, by name.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "utils/builtins.h"
#include "utils/typcache.h"

#include "api/call_site.h"
#include "rules/name/nearest.h"

/* Raise: the row lacks a column that the model needs. */
static void
missing_column(const OsmlBinding *binding, TupleDesc desc, const char *name)
{
	OsmlNearest nearest;

	osml_nearest_begin(&nearest, name);
	for (int i = 0; i < desc->natts; i++)
	{
		if (!TupleDescAttr(desc, i)->attisdropped)
			osml_nearest_offer(&nearest, NameStr(TupleDescAttr(desc, i)->attname));
	}
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("the row has no column \"%s\", which model \"%s\" needs",
					name, binding->loaded->model),
			 osml_nearest_end(&nearest) ?
			 errdetail("The row's nearest column is \"%s\".",
					   osml_nearest_end(&nearest)) : 0,
			 errhint("The model needs the columns %s.",
					 osml_loaded_columns(binding->loaded))));
}

/* Raise: a column's type is not what the model was trained on. */
static void
wrong_type(const OsmlBinding *binding, const OsmlFeature *feature, Oid type)
{
	if (feature->n_elements > 0)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("column \"%s\" has type %s, but model \"%s\" needs an array of %d numbers",
						feature->name, format_type_be(type),
						binding->loaded->model, feature->n_elements)));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("column \"%s\" has type %s, which is not a number",
					feature->name, format_type_be(type)),
			 errdetail("Accepted types are %s.", osml_decode_types()),
			 errhint("Cast it in a subquery, and pass the subquery's row.")));
}

/* Index of a column in a row type, or -1. */
static int
find_column(TupleDesc desc, const char *name)
{
	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(desc, i);

		if (!column->attisdropped && strcmp(NameStr(column->attname), name) == 0)
			return i;
	}
	return -1;
}

/* Where the row type keeps one feature, and how to read it. */
static OsmlField
map_feature(const OsmlBinding *binding, TupleDesc desc, const OsmlFeature *feature)
{
	OsmlField	field = {0};
	Oid			type;

	field.index = find_column(desc, feature->name);
	if (field.index < 0)
		missing_column(binding, desc, feature->name);
	type = TupleDescAttr(desc, field.index)->atttypid;
	if (feature->n_elements > 0)
		field.element = osml_decode_element(type);
	else
		field.decode = osml_decode_for(type);
	if (field.decode == NULL && !OidIsValid(field.element))
		wrong_type(binding, feature, type);
	return field;
}

/* Map the features once a row type; a query has one, rarely more. */
static void
map_record(OsmlBinding *binding, Oid type, int32 typmod)
{
	const OsmlFeatureSet *set = &binding->loaded->set;
	MemoryContext old = MemoryContextSwitchTo(binding->context);
	TupleDesc	desc = lookup_rowtype_tupdesc_copy(type, typmod);
	OsmlField  *fields = palloc(set->n_features * sizeof(OsmlField));

	for (int i = 0; i < set->n_features; i++)
		fields[i] = map_feature(binding, desc, &set->features[i]);
	if (binding->desc != NULL)
	{
		FreeTupleDesc(binding->desc);
		pfree(binding->fields);
		pfree(binding->values);
		pfree(binding->nulls);
	}
	binding->values = palloc(desc->natts * sizeof(Datum));
	binding->nulls = palloc(desc->natts * sizeof(bool));
	binding->fields = fields;
	binding->desc = desc;
	binding->row_type = type;
	binding->row_typmod = typmod;
	MemoryContextSwitchTo(old);
}

/* A whole feature is missing. */
static bool
take_missing(OsmlBinding *binding, const OsmlFeature *feature)
{
	for (int k = 0; k < Max(1, feature->n_elements); k++)
		binding->raw[feature->first_dense + k] = osml_missing();
	return binding->loaded->impute;
}

/* An array column; with a NULL in it all of it counts as missing. */
static bool
take_array_column(OsmlBinding *binding, const OsmlFeature *feature,
				  Oid element, Datum value)
{
	ArrayType  *array = DatumGetArrayTypeP(value);
	int			n = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	bool		has_null;

	if (n != feature->n_elements)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg_plural("array column \"%s\" has %d element, but model \"%s\" needs %d",
							   "array column \"%s\" has %d elements, but model \"%s\" needs %d",
							   n, feature->name, n, binding->loaded->model,
							   feature->n_elements)));
	(void) osml_decode_array(PointerGetDatum(array), element, n,
							 binding->raw + feature->first_dense, 1, &has_null);
	return !has_null || take_missing(binding, feature);
}

/*
 * Deform the row once and pick the features.  The row type is looked at each
 * time, since rows of several types can come to one call site.
 */
bool
osml_take_record(OsmlBinding *binding, HeapTupleHeader record)
{
	const OsmlFeatureSet *set = &binding->loaded->set;
	Oid			type = HeapTupleHeaderGetTypeId(record);
	int32		typmod = HeapTupleHeaderGetTypMod(record);
	HeapTupleData tuple = {0};

	if (binding->desc == NULL || type != binding->row_type ||
		typmod != binding->row_typmod)
		map_record(binding, type, typmod);
	tuple.t_len = HeapTupleHeaderGetDatumLength(record);
	tuple.t_data = record;
	heap_deform_tuple(&tuple, binding->desc, binding->values, binding->nulls);

	for (int i = 0; i < set->n_features; i++)
	{
		const OsmlFeature *feature = &set->features[i];
		const OsmlField *field = &binding->fields[i];
		Datum		value = binding->values[field->index];
		bool		taken = true;

		if (binding->nulls[field->index])
			taken = take_missing(binding, feature);
		else if (field->decode != NULL)
			binding->raw[feature->first_dense] = field->decode(value);
		else
			taken = take_array_column(binding, feature, field->element, value);
		if (!taken)
			return false;
	}
	return true;
}
